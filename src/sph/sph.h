// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SPH_H
#define SP_SPH_H

/// Water as PCISPH particles and air as a second set of SPH particles: trapped air, rising and
/// merging bubbles, foam (Ihmsen, Bader, Akinci, Teschner 2011, "IBAT"; equation numbers are theirs,
/// a prime marks one that docs/sph.md corrects). SI units. h is the support radius of the kernel, d the
/// spacing of the particles; the default is d = h/2.

#include "core/solver_type.h"
#include "shapes/world.h"

enum { SP_SPH_ADAPTIVE, SP_SPH_FIXED };                                     ///< dt_mode
enum { SP_SPH_LATTICE, SP_SPH_PARTICLE };                                   ///< pressure_factor
enum { SP_SPH_CORRECT_NONE, SP_SPH_CORRECT_OUTPUT, SP_SPH_CORRECT_SOLVER }; ///< density_correction
enum { SP_SPH_COUNT_MAX, SP_SPH_COUNT_OWN };                                ///< air.buoyancy_count
enum { SP_SPH_PAIRS_BOTH, SP_SPH_PAIRS_APPROACHING, SP_SPH_PAIRS_SEPARATING }; ///< air.drag_pairs
enum {
    SP_SPH_COUPLING_PAPER,
    SP_SPH_COUPLING_SYMMETRIC,
    SP_SPH_COUPLING_ARCHIMEDES
};                                                                 ///< air.coupling
enum { SP_SPH_SATURATE, SP_SPH_RATE };                             ///< trapped.rule
enum { SP_SPH_SHARE_GROUP, SP_SPH_SHARE_PAPER, SP_SPH_SHARE_OFF }; ///< foam.share

typedef struct sp_sph_air_def {
    bool enabled;
    float buoyancy_min;          ///< k_b: of a lone bubble, times gravity (10')
    float buoyancy_max;          ///< k_max: buoyancy of the largest bubble over that of a lone one
    int buoyancy_count;          ///< SP_SPH_COUNT_...
    float cohesion;              ///< k_c, m3/(kg s2) (11')
    float core;                  ///< k_o, m/s2: keeps air particles half a spacing apart (11')
    float drag_air, drag_liquid; ///< k_d of air and of water (13')
    float drag_rate;             ///< omega_d, 1/s
    int drag_pairs;              ///< SP_SPH_PAIRS_...
    int coupling;                ///< SP_SPH_COUPLING_...
} sp_sph_air_def;

typedef struct sp_sph_trapped_def {
    bool enabled, surface_only;
    float v_diff; ///< v_t, m/s: velocity difference that makes air
    float v_min;  ///< m/s: slower water makes none
    int rule;     ///< SP_SPH_SATURATE or SP_SPH_RATE
    float rate;   ///< f, 1/s, of SP_SPH_RATE
    uint64_t max_air;
} sp_sph_trapped_def;

typedef struct sp_sph_foam_def {
    float liquid_fraction; ///< t_phi
    float float_time;      ///< t_f, s: mean; uniform from 0 to twice that
    int share;             ///< SP_SPH_SHARE_...
} sp_sph_foam_def;

/// Creates air at random positions in a box, at a constant rate.
typedef struct sp_sph_seeder_def {
    float min[3], max[3]; ///< m
    float rate;           ///< particles a second
    float start, stop;    ///< s
} sp_sph_seeder_def;

typedef struct sp_sph_def {
    float spacing;                     ///< d, m
    float support_ratio;               ///< h/d
    float density_liquid, density_air; ///< rho0, kg/m3
    int dt_mode;
    double dt, dt_max, dt_min; ///< s
    float pressure_momentum;   ///< beta; 0 is the paper's loop
    float pressure_start;      ///< share of the mean pressures that long loops start from
    int pressure_factor;
    int32_t iteration_target;
    float list_skin; ///< lists reach (1 + skin) h
    float eta;       ///< allowed compression, of any particle
    float eta_mean;  ///< allowed mean compression
    int32_t min_iterations, max_iterations;
    float viscosity;       ///< mu c_s, m/s (6')
    float surface_tension; ///< k_s, m3/s2 (7')
    int density_correction;
    float boundary_volume_scale; ///< gamma_b (B1)
    sp_sph_air_def air;
    sp_sph_trapped_def trapped;
    sp_sph_foam_def foam;
    int32_t sort_every; ///< steps between sortings of the particles themselves
    const sp_sph_seeder_def *seeders;
    size_t seeder_count;
} sp_sph_def;

extern const sp_keys sp_sph_keys;
extern const sp_solver_type sp_sph_solver;

/// ---- For benchmarks and checks ----------------------------------------------------------------

/// The solver; sp_sph_solver opens one of these.
typedef struct sph sph;

/// Timers of the stages of a step.
enum {
    SP_SPH_STAGE_BOUNDARIES,
    SP_SPH_STAGE_SORT,
    SP_SPH_STAGE_LISTS,
    SP_SPH_STAGE_DENSITY,
    SP_SPH_STAGE_AIR,
    SP_SPH_STAGE_FORCES,
    SP_SPH_STAGE_PRESSURE,
    SP_SPH_STAGE_INTEGRATE,
    SP_SPH_STAGE_CREATE,
    SP_SPH_STAGES
};

/// Figures of the last step, and counts since the start.
typedef struct sp_sph_figures {
    double time, dt; ///< s; reached, and the last step's
    uint64_t steps;
    int iterations, air_iterations;
    double compression,
        compression_mean;       ///< of water at the step's start; densities below rest count as 0
    double speed, acceleration; ///< largest, m/s and m/s2
    double kinetic, potential;  ///< J, of the water; potential energy is 0 at the origin
    double momentum[3];         ///< kg m/s, water and air
    size_t liquid, air, foam, boundary;
    uint64_t total_iterations;
    uint64_t created, burst, vented, seeded, emitted, drained, left, skipped, clamped, retries,
        failures;
    size_t bytes; ///< memory held
} sp_sph_figures;

/// All figures. Sums over all particles, so it takes time.
sp_sph_figures sp_sph_look(const sph *s);
/// Figures that the last step computed: time, dt, iterations, compression, speed, counts since the start.
sp_sph_figures sp_sph_last(const sph *s);
const char *sp_sph_stage_name(int stage);
const sp_profile *sp_sph_profile(const sph *s);
/// One step of at most `most` seconds.
sp_status sp_sph_step(sph *s, double most, sp_error *err);

#endif
