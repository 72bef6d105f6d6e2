// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_H
#define SP_BUBBLES_H

/// Bubbles coupled to water in both directions, from tiny diffuse ones to large ones that many
/// particles make up (Wretborn, Flynn, Stomakhin 2022, "WFS22", section 3; Wretborn, Stomakhin, Batty
/// 2025, "WSB25"). Every particle has mass and volume, so grains of sand and drops of oil are particles of
/// another density. SI units. Equation numbers are explained in docs/bubbles.md.

#include "core/solver_type.h"
#include "liquid/liquid.h"
#include "shapes/world.h"

/// coupling: how bubbles and water exchange momentum; one step_*.c each.
enum {
    SP_BUBBLES_STABILIZED,             ///< ours, from WSB25's equations 21 to 26
    SP_BUBBLES_STABILIZED_PAPER,       ///< those equations to the letter
    SP_BUBBLES_INERTIA_AWARE,          ///< WFS22, equations 19 to 26
    SP_BUBBLES_INERTIA_AWARE_RESTATED, ///< the same as WSB25 prints it, equations 15 to 20
    SP_BUBBLES_INERTIA_UNAWARE,        ///< WFS22 with theta = 0
};
enum { SP_BUBBLES_TRILINEAR, SP_BUBBLES_POWER };                    ///< basis
enum { SP_BUBBLES_COMPLIANCE_ADAPTIVE, SP_BUBBLES_COMPLIANCE_ONE }; ///< compliance
enum { SP_BUBBLES_DRAG_EXACT, SP_BUBBLES_DRAG_NEWTON };             ///< drag_solve
enum { SP_BUBBLES_DRAG_UPDATED, SP_BUBBLES_DRAG_LAGGED };           ///< drag_eval
enum {
    SP_BUBBLES_PRESSURE_AUTO, ///< previous with `stabilized`, else hydrostatic
    SP_BUBBLES_PRESSURE_HYDROSTATIC,
    SP_BUBBLES_PRESSURE_ZERO,
    SP_BUBBLES_PRESSURE_PREVIOUS
};                                                                 ///< pressure.init
enum { SP_BUBBLES_CURVATURE_GRADIENT, SP_BUBBLES_CURVATURE_MEAN }; ///< tension.curvature_weight
enum { SP_BUBBLES_ONCE, SP_BUBBLES_RATE, SP_BUBBLES_FLOW };        ///< mode of an emitter
enum { SP_BUBBLES_SURFACING, SP_BUBBLES_FILL, SP_BUBBLES_GIVEN };  ///< sizes of an emitter

enum { SP_BUBBLES_MATERIALS = 8 }; ///< most materials

/// What particles are made of. Without any in the scene, all are air.
typedef struct sp_bubbles_material_def {
    const char *name;
    float density; ///< kg/m3
    bool grains;   ///< they touch, rub and pile up, and are published as "sand"
} sp_bubbles_material_def;

/// Lets particles in.
typedef struct sp_bubbles_emitter_def {
    const char *name;
    const char *material; ///< NULL: the first one
    sp_shape_def shape;   ///< exactly one
    int mode;             ///< SP_BUBBLES_ONCE: at `start`; RATE: `rate` a second at random places;
                          ///< FLOW: the shape is kept full of a lattice that moves with `velocity`
    int sizes; ///< SP_BUBBLES_SURFACING: sqrt(3/4) voxels; FILL: spacing^3 of volume each;
               ///< GIVEN: by the three keys below
    float radius_min, radius_max; ///< m; radius_max 0: all are radius_min
    float radius_power;           ///< the number of particles falls with this power of the radius
    float spacing;                ///< voxels; of the lattice
    float jitter;   ///< 0 to 1: places are shifted at random by up to half of this, in spacings
    float fraction; ///< once: particles at random places until they fill this share; 0: a lattice
    float rate;     ///< 1/s
    float velocity[3]; ///< m/s
    float start, stop; ///< s
} sp_bubbles_emitter_def;

/// Surface tension as a force on faces (WSB25 section 5.3), and switches that leave parts of it out.
typedef struct sp_bubbles_tension_def {
    float coefficient;         ///< sigma, N/m; 0: none
    bool filter;               ///< psi: no force on single cells of air (WSB25 Alg. 2)
    bool drift;                ///< no net force on a pocket (44)
    bool reapply;              ///< the force acts on particles and again on faces (51)
    int32_t curvature_passes;  ///< smoothing of the share, for the curvature alone
    int curvature_weight;      ///< SP_BUBBLES_CURVATURE_...
    bool clamp_on_particles;   ///< as printed in (46); erratum E6
    int32_t pocket_min_voxels; ///< pockets with less air than this, voxels, feel no force
} sp_bubbles_tension_def;

typedef struct sp_bubbles_pressure_def {
    double tolerance; ///< largest residual over the largest right side
    int32_t max_iterations;
    int precision; ///< SP_POISSON_...
    int init;      ///< SP_BUBBLES_PRESSURE_...
} sp_bubbles_pressure_def;

typedef struct sp_bubbles_power_def { ///< the power basis (WSB25 section 5.2)
    float eps, cut;                   ///< voxels^2 and voxels; kernel and its cut-off
    int32_t iterations;               ///< of Sinkhorn's method, in each substep
    float tolerance;
} sp_bubbles_power_def;

typedef struct sp_bubbles_cache_def {
    bool tiles;    ///< frames hold the velocity of the water and the share of air
    bool pressure; ///< frames hold the pressure, less that of still water
} sp_bubbles_cache_def;

typedef struct sp_bubbles_def {
    float voxel;                             ///< h, m; required
    float density;                           ///< rho_w, of water, kg/m3
    float density_air;                       ///< kg/m3; where the scene has no materials
    float viscosity;                         ///< mu, of water, Pa s
    bool periodic_x, periodic_y, periodic_z; ///< over the domain
    int32_t padding;                         ///< tiles around bubbles
    int32_t tile_linger;                     ///< substeps that a tile stays after bubbles have left
    int32_t max_tiles;
    int32_t substeps;       ///< a frame; 0: 2, or as many as tension and large bubbles need
    int32_t substeps_max;   ///< a frame
    int32_t newton;         ///< iterations a substep
    float newton_tolerance; ///< m/s; smaller changes end the iterations
    float cfl;              ///< voxels in a substep; faster motion makes substeps shorter
    int basis, coupling, compliance, drag_solve, drag_eval;
    float theta;         ///< compliance of bubbles in the schemes of WFS22
    float drag_scale;    ///< chi_b; 1 is physics
    float max_fraction;  ///< phi_max, the largest share of a face that particles may fill
    bool phantom_follow; ///< water in full faces moves as the particles do
    float phantom_eps;   ///< faces with a smaller share of water are full
    float pic;           ///< share of the grid's velocity that crowded particles take in a substep
    float volume_gain;   ///< how fast thinned air draws itself together; 0: WSB25
    float
        max_swelling; ///< most that particles of lattices fill, over what they stand for; 0: WSB25
    float friction;   ///< of grains, and of particles along solids
    int32_t contact_iterations;
    const sp_bubbles_material_def *materials;
    size_t material_count;
    const sp_bubbles_emitter_def *emitters;
    size_t emitter_count;
    const sp_liquid_def
        *liquid; ///< the water that the bubbles are in; NULL: still water without end
    sp_bubbles_power_def power;
    sp_bubbles_tension_def tension;
    sp_bubbles_pressure_def pressure;
    sp_bubbles_cache_def cache;
} sp_bubbles_def;

extern const sp_keys sp_bubbles_keys, sp_bubbles_emitter_keys;
extern const sp_solver_type sp_bubbles_solver;

/// ---- For benchmarks and checks -----------------------------------------------------------------

/// The solver; sp_bubbles_solver opens one of these.
typedef struct bubbles bubbles;

enum { SP_BUBBLES_TILE_VOXELS = 512 };

/// Timers of the stages of a substep.
enum {
    SP_BUBBLES_STAGE_SOLIDS,
    SP_BUBBLES_STAGE_MOVE,
    SP_BUBBLES_STAGE_EMIT,
    SP_BUBBLES_STAGE_TILES,
    SP_BUBBLES_STAGE_ADVECT,
    SP_BUBBLES_STAGE_BASIS,
    SP_BUBBLES_STAGE_FRACTIONS,
    SP_BUBBLES_STAGE_TENSION,
    SP_BUBBLES_STAGE_INTERPOLATE,
    SP_BUBBLES_STAGE_DRAG,
    SP_BUBBLES_STAGE_CONTACTS,
    SP_BUBBLES_STAGE_RASTERISE,
    SP_BUBBLES_STAGE_FACES,
    SP_BUBBLES_STAGE_PRESSURE,
    SP_BUBBLES_STAGE_NOISE,
    SP_BUBBLES_STAGE_BULK, ///< guided: asking for the bulk's water
    SP_BUBBLES_STAGES
};

/// Figures of the last substep, and counts since the start.
typedef struct sp_bubbles_figures {
    double time, dt; ///< s
    uint64_t substeps;
    size_t particles, tiles, busy_tiles;
    int newton;           ///< iterations of the last substep
    double newton_change; ///< m/s; the largest change of a velocity in the last iteration
    int iterations;       ///< of the last pressure solve
    uint64_t total_iterations, solves;
    double residual;        ///< of the last pressure solve
    double divergence;      ///< largest |div(mixture) - S| dt
    double fastest;         ///< m/s; particles and water
    double air_volume;      ///< m3; sum of the shares of faces of one axis, mean of the three
    double particle_volume; ///< m3; of the balls that frames show
    double fullest;         ///< largest share before the clamp
    size_t overfull;        ///< faces with more than a whole share
    size_t pockets;         ///< connected regions of air that feel surface tension
    size_t deep;            ///< cells that volume_gain acts on
    double momentum[3];     ///< kg m/s; particles, and water in the tiles
    uint64_t emitted, left,
        inside;          ///< particles let in; that left the domain; removed in colliders
    uint64_t burst, dry; ///< in a liquid: reached the surface; were let in outside the water
    double burst_volume; ///< m3 of those that burst
    uint64_t failures;   ///< pressure solves that missed their tolerance
    uint64_t repeated;   ///< substeps that were taken back, because they ended too fast
    size_t bytes;        ///< memory held
} sp_bubbles_figures;

/// All figures; sums over all tiles, so it takes time.
sp_bubbles_figures sp_bubbles_look(const bubbles *s);
/// The figures that the last substep computed.
sp_bubbles_figures sp_bubbles_last(const bubbles *s);
const char *sp_bubbles_stage_name(int stage);
const sp_profile *sp_bubbles_profile(const bubbles *s);
/// Advances to t_end. `seen` (may be NULL) is called after each substep.
typedef void sp_bubbles_seen(void *arg, const bubbles *s);
sp_status sp_bubbles_frame(bubbles *s, double t_end, sp_bubbles_seen *seen, void *arg,
                           sp_error *err);

#endif
