// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SPH_INTERNAL_H
#define SP_SPH_INTERNAL_H

/// How particles are kept. What lasts (position, velocity, id...) lies in sp_particles columns, in
/// whatever order the last sorting left. A step works on copies in order of cells, "places":
///
///     set.x[] v[] id[]  --cells.order->  at[] vel[]  --lists, density, forces, pressure-->  back
///
/// so that neither thread counts nor sort_every can change a sum, and what a particle needs of a
/// neighbour is one load of four floats:
///
///     at     x  y  z  rho, later p          position at the step's start
///     vel    vx vy vz tag                   velocity at the step's start
///     ahead  x* y* z* vdiff                 predicted position

#include "core/core.h"
#include "particles/particles.h"
#include "shapes/world.h"
#include "sph/sph.h"

/// Bits of a particle's tag; source and age lie above.
enum {
    SPH_FOAM = 1,         ///< air that floats
    SPH_PINNED = 2,       ///< water inside an emitter's pipe
    SPH_SURFACE = 4,      ///< water at the surface: few neighbours
    SPH_SOURCE_SHIFT = 8, ///< 8 bits: emitter + 1, 0: there from the start, or seeded
    SPH_AGE_SHIFT = 16,   ///< 8 bits: steps since it was made, up to 255
};

/// Purposes of random numbers.
enum { SPH_RANDOM_LIFE = 1, SPH_RANDOM_JITTER, SPH_RANDOM_SEEDER, SPH_RANDOM_RATE };

/// One of the two fluids. Arrays below `room` are in order of places.
typedef struct sph_phase {
    const char *name; ///< "liquid" or "air"
    sp_particles set; ///< columns as below
    float *x[3], *v[3];
    uint64_t *id;
    uint32_t *tag;
    float *usual; ///< pressure, Pa, as it was over the last fifty steps or so
    /// Air only: s left to float (NaN: never was foam), s since its foam group began, s without
    /// water.
    float *life, *group_age, *alone;
    sp_cells cells;
    sp_lists lists; ///< among the phase itself
    sp_rows walls;  ///< to boundary particles
    size_t room;
    float *at, *vel, *ahead;
    float
        *a[3]; ///< acceleration without pressure, m/s2; holds sorted positions while lists are made
    float *ap[3];       ///< by pressure
    float *pp;          ///< pressure one iteration ago, Pa
    float *rho;         ///< kg/m3, at the step's start
    float *denominator; ///< (C) of density_correction; NULL unless asked for
    float *factor;      ///< delta dt^2 of pressure_factor "particle"; NULL unless asked for
    float rest;         ///< rho0, kg/m3
    float mass;         ///< kg
    float delta;        ///< PCISPH factor times dt^2, m2
    float relax;
    bool spiky; ///< gradient of the pressure force: air's
} sph_phase;

/// Air's own arrays, in order of its places.
typedef struct sph_air {
    size_t room;
    uint32_t *count;         ///< n: air neighbours within h
    uint32_t *most;          ///< n^: largest of them around
    float *phi;              ///< (F1)
    float *buoyancy;         ///< B(n^)
    uint8_t *covered;        ///< a liquid neighbour lies above
    sp_rows liquid;          ///< air to water (AL)
    sp_rows reaction;        ///< water to air (LA)
    uint8_t *next;           ///< what the foam test finds (foam.c)
    float *life, *group_age; ///< and the clocks after it
    /// Water that makes air, how many there is room for, and how many of each chunk of places do.
    struct sph_parent *parent;
    uint32_t *parents_of;
    size_t parents, chunks;
} sph_air;

/// A collider as sph_keep_out sees it: boxes are known by their sides, all else by its distance.
typedef struct sph_pose {
    double time; ///< s; NaN: none yet
    double rotation[9], position[3];
} sph_pose;
typedef struct sph_solid {
    enum { SPH_SOLID_OTHER, SPH_SOLID_BOX, SPH_SOLID_TANK } kind;
    bool moves, open; ///< open: a tank without lid
    /// Of the box, of the tank's hollow, or around all wall points, m, in the body's space.
    float low[3], high[3];
    float wall;          ///< of a tank, m; may be infinite
    sph_pose start, end; ///< of the step (sph_walls_aim)
    sph_pose placed;     ///< where its points are
} sph_solid;

/// Walls, all colliders and pipes together.
typedef struct sph_walls {
    size_t count;
    float *x[3];    ///< now, m
    float *rest[3]; ///< in the body's own space
    float *volume;  ///< V_b, m3
    uint32_t *body; ///< collider; SPH_PIPE for pipes
    size_t *first;  ///< of each collider's points; one more entry ends them, and pipes follow
    bool moving;    ///< some collider moves
    bool moved;     ///< since they were sorted
    double placed;  ///< time for which they were placed
    sp_cells cells;
    float *sorted[3];
    float *at;              ///< x y z V_b by place, at the step's start
    float *ahead;           ///< the same at its end; `at` where nothing moves
    float *moved_at;        ///< memory for `ahead`, where something moves
    sp_lattice lattice;     ///< what the cells were sorted with
    double low[3], high[3]; ///< bounds now
    double speed;           ///< of the fastest wall that moves, m/s
} sph_walls;
#define SPH_PIPE UINT32_MAX

typedef struct sph_emitter {
    sp_emitter_def def; ///< its name is the next field
    char *name;
    float axis[3], across[2][3];
    float pipe;              ///< length, m
    bool submerged;          ///< the mouth is under water at the start: so is the pipe, full
    double distance;         ///< accumulated since the last layer, m
    size_t points;           ///< of a layer
    float (*disc)[2];        ///< where they are, m, in the disc's plane
    uint64_t tried, skipped; ///< spawn points in the last 0.1 s
    double window;           ///< s, since when
    bool warned;
    uint64_t air;          ///< particles of air that its water has trapped
    atomic_uchar *blocked; ///< by point: water is in the way of the layer
} sph_emitter;

struct sph {
    const sp_host *host;
    sp_sph_def def;
    uint64_t seed;
    float gravity[3];
    bool has_domain;
    float domain[2][3];
    sp_shape **solid; ///< one a collider
    sph_solid *body;  ///< one a collider
    size_t solids;
    sph_emitter *emitter;
    size_t emitters;
    sp_shape **sink;
    size_t sinks;
    uint8_t *gone; ///< marks of what is to be removed
    size_t gone_room;
    uint64_t left_told; ///< how many had left when that was last said
    double left_since;  ///< s; since when more leave
    sp_sph_seeder_def *seeder;
    float h, d;
    sph_phase liquid, air;
    sph_air extra; ///< of the air
    sph_walls walls;
    double *partial; ///< of reductions: some for each chunk of places
    size_t partials;
    uint64_t next_id;
    double time, dt; ///< s; dt is what adaptive stepping would take next
    uint64_t steps;
    sp_sph_figures figures;
    sp_profile profile;
    int failed_in_a_row;
    bool warm; ///< the pressure loop starts from usual pressures
    bool said_limit, said_viscosity, said_fixed;
    void *published; ///< what publish made last (publish.c)
};

/// Nothing comes nearer to a solid than this many spacings. In an edge of two walls the layer of wall
/// particles pushes a particle out only beyond 0.26 spacings, in a corner of three beyond 0.40; nearer it is
/// pushed in, held there at 1.1 times its rest density, and the pressure loop goes on in vain.
#define SPH_MARGIN 0.5f

enum { SPH_CHUNK = 1024, SPH_PARTIALS = 4 }; ///< places a task, and its partial sums

/// ---- Kernel (kernel.c; in lanes: kernel.h) -----------------------------------------------------

double sph_kernel(double r, double h);       ///< W
double sph_kernel_slope(double r, double h); ///< W'
double sph_spiky_slope(double r, double h);  ///< of air's pressure force
/// delta dt^2 / d^2 of a perfect lattice with support `ratio` spacings, for water or air.
double sph_factor(double ratio, bool spiky);
/// Largest eigenvalue of delta B on the lattice: what relax must respect.
double sph_factor_eigenvalue(double ratio, bool spiky);

/// ---- Stages, in the order of a step (step.c) ---------------------------------------------------

sp_status sph_walls_place(sph *s, double t, sp_error *err); ///< wall_particles.c
sp_status sph_sort(sph *s, sp_error *err);                  ///< sort_and_neighbours.c
sp_status sph_find_neighbours(sph *s, sp_error *err);       ///< sort_and_neighbours.c
void sph_density(sph *s);                                   ///< density.c
/// Makes the densities the fourth number of `at`, where pressures may have been (density.c).
void sph_hand_out_density(sph *s, sph_phase *phase);
void sph_liquid_forces(sph *s, double dt); ///< liquid_forces.c (6') (7') (T1)
void sph_air_look(sph *s);                 ///< air_surroundings.c: n, n^, phi
void sph_air_forces(sph *s, double dt);    ///< air_forces.c (10') (11') (13')
void sph_reaction(sph *s, double dt);      ///< drag.c (13') on the water
/// The loop; returns the largest error left, as a share of the rest density (pressure.c).
float sph_pressure(sph *s, sph_phase *phase, double dt, int most, float eta, int *iterations);
sp_status sph_integrate(sph *s, double dt, sp_error *err); ///< integrate.c
sp_status sph_foam(sph *s, double dt, sp_error *err);      ///< foam.c: the foam test and clocks
sp_status sph_trap_air(sph *s, double dt, sp_error *err);  ///< create_air.c
sp_status sph_seed_air(sph *s, double dt, sp_error *err);  ///< create_air.c
sp_status sph_remove(sph *s, double dt, sp_error *err);    ///< remove_particles.c
sp_status sph_emit(sph *s, double dt, sp_error *err);      ///< emitters.c

/// Stages 2 to 5: order, lists, densities (step.c).
sp_status sph_arrange(sph *s, sp_error *err);
void sph_profile_begin(sph *s);
/// open.c. sph_check_start refuses a start that is compressed by more than 5 %.
sp_status sph_open(const sp_setup *setup, const sp_host *host, sph **out, sp_error *err);
void sph_close(sph *s);
sp_status sph_check_start(sph *s, sp_error *err);
void sph_densest(const sph *s, float x[3]);                    ///< where the water is densest
sp_status sph_publish(sph *s, sp_frame *frame, sp_error *err); ///< publish.c
void sph_publish_close(sph *s);
/// Memory for partial sums of all chunks (open.c).
sp_status sph_partials(sph *s, sp_error *err);

/// ---- Shared ------------------------------------------------------------------------------------

/// Memory of `extra` for n air particles (air_surroundings.c); what was in it is lost.
sp_status sph_air_reserve(sph *s, size_t n, sp_error *err);
void sph_air_close(sph *s);
size_t sph_air_bytes(const sph *s);
/// Replaces air.a by what it comes to when water brakes the air (drag.c (13')).
void sph_drag(sph *s, double dt);
/// A unit vector, evenly over the sphere, from two random numbers (air_surroundings.c).
sp_vec3 sph_direction(uint32_t height, uint32_t turn);
sp_status sph_phase_open(sph *s, sph_phase *phase, bool air, sp_error *err); ///< phase_memory.c
void sph_phase_close(sph_phase *phase);
/// Room for n particles in the set.
sp_status sph_phase_reserve(sph_phase *phase, size_t n, sp_error *err);
/// Room for working arrays of all particles there are; what was in them is lost (phase_memory.c).
sp_status sph_phase_places(const sph *s, sph_phase *phase, sp_error *err);
size_t sph_phase_bytes(const sph_phase *phase);
/// Appends one particle with the next id; room must be there. Returns its index.
size_t sph_phase_add(sph *s, sph_phase *phase, const float x[3], const float v[3], uint32_t tag);

/// Colliders: shapes, and what is known of boxes (collisions.c).
sp_status sph_solids_open(sph *s, const sp_world_def *world, sp_error *err);
void sph_solids_close(sph *s);
/// Where a body is at a time, and a point of the world in the body's space and back.
sph_pose sph_pose_at(const sp_shape *shape, double t);
void sph_into_body(const sph_pose *pose, const float world[3], double body[3]);
void sph_out_of_body(const sph_pose *pose, const double body[3], double world[3]);
/// Where walls will be at the end of the step: what predicted positions meet (wall_particles.c).
sp_status sph_walls_ahead(sph *s, double t, sp_error *err);
/// Tells sph_keep_out when the step will end, so that it need not look for poses particle by
/// particle.
void sph_walls_aim(sph *s, double t);
/// A shape that is to be filled, as a solid.
sp_status sph_shape_open(const sph *s, const sp_shape_def *def, sp_shape **out, sp_error *err);
/// Colliders and pipes as particles (wall_particles.c). Pipes come from the emitters, which are open by
/// then.
sp_status sph_walls_open(sph *s, const sp_world_def *world, sp_error *err);
void sph_walls_close(sph *s);
/// Emitters: discs, axes, pipes (emitters.c).
sp_status sph_emitters_open(sph *s, const sp_world_def *world, sp_error *err);
/// Refuses a jet that opens into a collider; once the walls are there.
sp_status sph_emitters_check(const sph *s, sp_error *err);
void sph_emitters_close(sph *s);
/// Points of a layer in the disc's plane, m; `at` may be NULL. Returns how many (emitter_pipe.c).
size_t sph_pipe_disc(const sph_emitter *e, float d, float (*at)[2]);
size_t sph_pipe_layers(const sph_emitter *e, float d); ///< of a full pipe
/// How far a point is beyond the mouth, m.
double sph_pipe_along(const sph_emitter *e, const float x[3]);
/// Points of a pipe's shell; x (NULL: they are only counted) gets them. Returns how many (emitter_pipe.c).
size_t sph_pipe_shell(const sph_emitter *e, float d, float (*x)[3]);
/// Whether a point lies in the pipe, or nearer than `reach` to what flows through it.
bool sph_pipe_holds(const sph_emitter *e, const float x[3], float reach);
/// Where point k of a layer is that has come so far from the inlet.
void sph_pipe_point(const sph_emitter *e, size_t k, double from_inlet, float x[3]);
/// Initial water: lattices in fill shapes, full pipes (initial_water.c). Needs walls and emitters.
sp_status sph_fill(sph *s, const sp_world_def *world, sp_error *err);
/// Brings the walls into the order of a lattice's cells, where they are not in it (wall_particles.c).
sp_status sph_walls_sort(sph *s, const sp_lattice *lattice, sp_error *err);
/// Speed of an emitter at a time, and the full speed of the fastest that runs before `until`
/// (emitters.c).
float sph_emitter_speed(const sph_emitter *e, double t);
float sph_emitters_fastest(const sph *s, double until);
/// Moves a point to at least `margin` > 0 outside all solids at time t, coming from `from`, where
/// it was outside at time s->time. It never passes a wall, however thin, and slides along what it
/// meets. Returns whether it was moved; `normal` then points away from the solid.
bool sph_keep_out(const sph *s, double t, const float from[3], float x[3], float margin,
                  float normal[3]); ///< collisions.c

/// Whether two places are nearer than h, as lists would say; those may reach further.
static inline bool sph_near(const float *a, const float *b, float h)
{
    const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return fmaf(z, z, fmaf(y, y, x * x)) < h * h;
}

/// Whether a point lies beside the hollow of a tank without lid whose wall has no end: water that
/// went over the rim is above or in solid ground there, far from all wall particles (collisions.c).
bool sph_over_rim(const sph *s, const float x[3]);

/// Whether place k has walls near: rows are walked along with ascending places.
static inline const sp_row *sph_row_at(const sp_rows *rows, size_t *next, size_t k)
{
    while (*next < rows->count && rows->row[*next].who < k)
        ++*next;
    return *next < rows->count && rows->row[*next].who == k ? &rows->row[*next] : NULL;
}

/// Runs body(arg, chunk range) over all chunks of n places. Chunks are the same for every number of
/// threads, and so are the partial sums that each leaves in s->partial.
static inline size_t sph_chunks(size_t n)
{
    return (n + SPH_CHUNK - 1) / SPH_CHUNK;
}

static inline uint32_t sph_tag(const sph_phase *phase, size_t place)
{
    uint32_t tag;
    memcpy(&tag, phase->vel + 4 * place + 3, sizeof tag);
    return tag;
}

#endif
