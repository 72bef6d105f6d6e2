// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_MIXTURE_H
#define SP_LIQUID_MIXTURE_H

/// Couples another phase to the water: bubbles that take its room and exchange momentum with it.
///
/// Each substep the water calls `couple` in place of its own pressure solve (stage 9). There the phase
/// moves, and iterates with the water; each iteration ends with sp_liquid_project_mixture(). All arrays
/// are fields of the water's tiles.

#include "flow/solids.h"
#include "liquid/liquid.h"

/// The water as it is. Valid until it changes its tiles.
typedef struct sp_liquid_water {
    const sp_tiles *tiles;
    double origin[3];        ///< m; low corner of voxel (0, 0, 0)
    double domain[2][3];     ///< m
    int32_t low[3], high[3]; ///< tiles that may exist
    int32_t period[3];       ///< tiles along an axis that is periodic; else 0
    const float *phi;        ///< m; by cell, below 0 in water
    float *u[3];             ///< m/s; on low faces. In `couple`: before the pressure, with gravity
    sp_tile_mask *known[3];  ///< faces that have a velocity from the water
    const sp_flow_solids *solids;
} sp_liquid_water;
sp_liquid_water sp_liquid_now(const liquid *s);

/// Tiles that the water of a scene reaches at most, before it is opened.
double sp_liquid_most_tiles(const sp_setup *setup);

typedef struct sp_liquid_phase {
    void *arg;
    /// s; the longest next substep.
    double (*longest)(void *arg);
    /// A substep of dt. Leaves u as sp_liquid_project_mixture() says.
    sp_status (*couple)(void *arg, double dt, sp_error *err);
    /// Share of each cell that the phase fills, set in `couple`. The rest of a cell is full of water when
    /// its particles fill that rest.
    const float *share;
    double volume;   ///< m3 of the phase in the water, set in `couple`
    double replaced; ///< m3 of it that stood in place of water at the start
} sp_liquid_phase;
/// `phase` (NULL: none) must live until the water is closed.
void sp_liquid_set_phase(liquid *s, sp_liquid_phase *phase);

typedef struct sp_liquid_mixture {
    /// On low faces: flux of the mixture before the pressure, m/s, and its compliance over that of water.
    const float *flux[3], *beta[3];
    const uint8_t *beta_is_one; ///< by tile: beta is 1 on all its faces
    const float *source;        ///< by cell: wanted divergence times voxel, m/s; NULL: 0
} sp_liquid_mixture;
/// Within `couple`: solves for the pressure of the mixture with the water's surface, solids and sides,
/// from the last solution on. `gradient` gets the difference of q = p dt/(density voxel) across faces,
/// m/s, by which the caller changes velocities: water's by all of it. It is 0 on faces that no water
/// touches; `known` of the water marks the others. After the last call, u must be the water's new
/// velocity.
sp_status sp_liquid_project_mixture(liquid *s, const sp_liquid_mixture *mixture,
                                    float *const gradient[3], sp_error *err);

/// Within `couple`, before the first solve: the gradient of the last solution, with the surface, solids and
/// sides of this substep. `touched` gets the faces that have one; on others it is 0.
void sp_liquid_last_gradient(const liquid *s, float *const gradient[3],
                             sp_tile_mask *const touched[3]);

#endif
