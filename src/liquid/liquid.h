// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_H
#define SP_LIQUID_H

/// Bulk water on sparse tiles: FLIP or APIC particles (Zhu and Bridson 2005; Jiang et al. 2015) or
/// none (MacCormack, Selle et al. 2008), cut cells at solids (Batty, Bertails and Bridson 2007), a
/// sharp surface (ghost fluid) and one pressure solve a step. SI units. docs/liquid.md numbers the
/// equations L1 to L12.

#include "core/solver_type.h"
#include "poisson/poisson.h"
#include "shapes/solids.h"
#include "shapes/world.h"

enum { SP_LIQUID_FLIP, SP_LIQUID_APIC, SP_LIQUID_EULERIAN }; ///< method
enum { SP_LIQUID_WALL, SP_LIQUID_OPEN, SP_LIQUID_PERIODIC }; ///< sides

typedef struct sp_liquid_sides_def {
    int left, right, bottom, top, back, front; ///< SP_LIQUID_...: -x, +x, -y, +y, -z, +z
    float level; ///< m; water stands this high outside open sides (hydrostatic); -1e9: air only
} sp_liquid_sides_def;

typedef struct sp_liquid_cache_def {
    bool pressure, particles; ///< publish them too
} sp_liquid_cache_def;

typedef struct sp_liquid_def {
    float voxel; ///< m
    int method;
    float cfl;                    ///< voxels that water may travel in a substep
    int32_t min_steps, max_steps; ///< substeps a frame
    float pic_rate;               ///< 1/s; FLIP: rate of blending to the grid's velocity (L2)
    int32_t narrow_band;          ///< voxels below the surface that hold particles; 0: all voxels
    int32_t particles_per_cell;   ///< 1, 8 or 27
    float density;                ///< kg/m3
    float surface_tension;        ///< N/m
    float volume_correction;      ///< 0 to 1 (L12)
    sp_poisson_def pressure;
    int32_t extrapolate_cells; ///< 0: ceil(cfl) + 2
    sp_liquid_sides_def sides;
    bool aeration;
    float aeration_length; ///< m
    sp_liquid_cache_def cache;
} sp_liquid_def;

extern const sp_keys sp_liquid_keys;
extern const sp_solver_type sp_liquid_solver;

/// ---- For benchmarks, checks and coupled solvers ------------------------------------------------

/// The solver, as sp_liquid_solver opens it.
typedef struct liquid liquid;

/// Stages of a substep, in order.
enum {
    SP_LIQUID_STAGE_SOLIDS,
    SP_LIQUID_STAGE_EMIT,
    SP_LIQUID_STAGE_ADVECT,
    SP_LIQUID_STAGE_TILES,
    SP_LIQUID_STAGE_SORT,
    SP_LIQUID_STAGE_SPLAT,
    SP_LIQUID_STAGE_SURFACE,
    SP_LIQUID_STAGE_BLEND,
    SP_LIQUID_STAGE_FORCES,
    SP_LIQUID_STAGE_PROJECT,
    SP_LIQUID_STAGE_EXTRAPOLATE,
    SP_LIQUID_STAGE_GATHER,
    SP_LIQUID_STAGE_RESEED,
    SP_LIQUID_STAGE_AERATION,
    SP_LIQUID_STAGES
};

/// Figures of the last substep, and counts since the start.
typedef struct sp_liquid_figures {
    double time, dt; ///< s
    uint64_t steps;
    int iterations;              ///< of the last pressure solve
    double residual;             ///< its relative residual
    double divergence[2];        ///< |div u| voxel/speed: in 99 % of the water less; the largest
    double speed;                ///< largest, m/s
    double volume, start_volume; ///< m3 of water by phi; and at the start
    double wanted_volume;        ///< m3: at the start, plus inflow and bubbles, minus outflow
    double air_volume;           ///< m3 of bubbles that came into the water (mixture.h)
    double kinetic, potential;   ///< J; potential counts from the world's zero
    size_t particles, tiles, cells, unknowns;                ///< cells: with water
    uint64_t emitted, drained, left, stuck, seeded, thinned; ///< particles
    double left_volume; ///< m3; all water that left by open sides, less what entered
    double outflow; ///< m3 of water without particles that left by open sides, less what entered
    double left_energy; ///< J; kinetic and potential, of all water that left by open sides
    double removed; ///< m3/s; removed by the last solve from pockets that cannot keep their volume
    size_t bytes;
} sp_liquid_figures;

sp_liquid_figures sp_liquid_look(liquid *s); ///< includes sums over all water
/// Only figures that need no such sum: time, dt, iterations, speed, counts.
sp_liquid_figures sp_liquid_last(const liquid *s);
const char *sp_liquid_stage_name(int stage);
const sp_profile *sp_liquid_profile(const liquid *s);
/// One substep of at most `most` seconds.
sp_status sp_liquid_step(liquid *s, double most, sp_error *err);
/// Runs the substeps of a frame that ends at `end`; calls `seen`, if not NULL, after each. The
/// limits on substeps a frame (min_steps, max_steps) count from here.
typedef void sp_liquid_seen(void *arg, liquid *s);
sp_status sp_liquid_frame(liquid *s, double end, sp_liquid_seen *seen, void *arg, sp_error *err);

#endif
