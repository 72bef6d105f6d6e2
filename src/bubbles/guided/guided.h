// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_GUIDED_H
#define SP_BUBBLES_GUIDED_H

/// Bubbles coupled to water that follows a bulk: the water around the bubbles is simulated again on sparse tiles, and
/// is the bulk's wherever there are no bubbles (Wretborn, Flynn, Stomakhin 2022, section 4). The bulk never changes.
/// The particles belong to the caller: positions and velocities are read and written back.

#include "bubbles/bubbles.h"
#include "bulk/bulk.h"
#include "shapes/solids.h"

enum { SP_GUIDED_PERTURBATION, SP_GUIDED_HYDROSTATIC }; ///< pressure

typedef struct sp_guided_def {
    float voxel;      ///< m; of the tiles: the bulk's times voxel_ratio
    double origin[3]; ///< m; low corner of voxel (0, 0, 0): the bulk's, so that faces coincide
    int32_t padding;  ///< tiles around bubbles
    int pressure;     ///< SP_GUIDED_...; hydrostatic is the paper's, and drifts from the bulk
    double tolerance; ///< of the pressure solve
    int32_t newton;   ///< iterations a substep
    int32_t max_tiles;
    float density, density_air, viscosity;
    int coupling, compliance; ///< as in sp_bubbles_def
    float theta, drag_scale;
    float max_fraction; ///< 0: that of the coupling
    float cfl;          ///< voxels that a bubble may move in a substep
} sp_guided_def;
/// For water and air; voxel and origin are still to be set.
sp_guided_def sp_guided_defaults(void);

/// In any order. The arrays belong to the caller.
typedef struct sp_guided_particles {
    size_t count;
    double *x[3];        ///< m
    float *v[3];         ///< m/s
    const float *radius; ///< m; of one bubble: decides its drag
    const float *number; ///< bubbles that each particle stands for: multiplies its volume; NULL: 1
    const uint64_t *id;
} sp_guided_particles;

typedef struct sp_guided_world {
    const sp_bulk *bulk; ///< must be known from t to t + dt
    sp_solids *
        solids; ///< NULL: none. On the grid of the def (voxel and origin); a step moves them to its end
    float gravity[3];
} sp_guided_world;

/// Of one step.
typedef struct sp_guided_figures {
    size_t tiles, busy_tiles;
    int substeps;
    int newton, iterations; ///< sums over the substeps and the solves
    uint64_t failures;      ///< pressure solves that missed the tolerance
    double residual, newton_change, fastest;
    double bulk_divergence; ///< 1/s; root mean square of the bulk's own on these tiles (W7)
    double pocket_flow;     ///< m3/s; removed from pieces without a free border (W8)
    size_t pockets;
    size_t lost; ///< particles that were lost
} sp_guided_figures;

typedef struct sp_guided sp_guided;
sp_status sp_guided_open(const sp_guided_def *def, const sp_host *host, sp_guided **out,
                         sp_error *err);
void sp_guided_close(sp_guided *guided); ///< NULL is allowed
size_t sp_guided_bytes(const sp_guided *guided);
/// Moves bubbles and the water around them from t to t + dt. Particles deep in solids or where no tile may exist get
/// lost[i] = 1 and are left where they are. After a failure particles are at the end of some substep.
sp_status sp_guided_step(sp_guided *guided, const sp_guided_world *world,
                         const sp_guided_particles *particles, uint8_t *lost, double t, double dt,
                         sp_guided_figures *figures, sp_error *err);
/// The exact state between steps: tiles and the water's velocity and pressure on them.
sp_status sp_guided_save(const sp_guided *guided, sp_blob *blob, sp_error *err);
sp_status sp_guided_restore(sp_guided *guided, sp_blob *blob, sp_error *err);
/// The tiles and their water after the last step, for frames; valid until the next step.
typedef struct sp_guided_water {
    const sp_tiles *tiles;
    double origin[3];
    const float *u[3];     ///< m/s; on low faces
    const float *share[3]; ///< of bubbles, on low faces; only in tiles with busy[t] != 0
    const uint8_t *busy;
} sp_guided_water;
sp_guided_water sp_guided_now(const sp_guided *guided);
const sp_profile *sp_guided_profile(const sp_guided *guided); ///< SP_BUBBLES_STAGE_...

#endif
