// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SPH_INTERNAL_H
#define SP_SPH_INTERNAL_H

/// How particles are stored. The state (position, velocity, id...) is in the columns of sp_particles, in
/// the order of the last sorting. A step works on copies in order of cells; an index of these copies is
/// called a place:
///
///     set.x[] v[] id[]  --cells.order->  at[] vel[]  --lists, density, forces, pressure-->  back
///
/// So the number of threads and sort_every do not change the order of a sum, and reading a neighbour is
/// one load of four floats:
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
    SPH_SOURCE_SHIFT = 8, ///< 8 bits: emitter + 1; 0: initial water, or seeded air
    SPH_AGE_SHIFT = 16,   ///< 8 bits: steps since its creation, up to 255
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
    float *mean_pressure; ///< running mean of the pressure over about fifty steps, Pa
    /// Air only, s: life left as foam (NaN: never was foam), age of its foam group, time without
    /// water neighbours.
    float *life, *group_age, *alone;
    sp_cells cells;
    sp_lists lists; ///< among the phase itself
    sp_rows walls;  ///< to boundary particles
    size_t room;
    void *arrays; ///< memory of the arrays below
    float *at, *vel, *ahead;
    float *a[3];  ///< acceleration without pressure, m/s2; sorted positions while lists are made
    float *ap[3]; ///< acceleration by pressure, m/s2
    float *pp;    ///< pressure one iteration ago, Pa
    float *rho;   ///< density at the step's start, kg/m3
    float *denominator; ///< (C) of density_correction; NULL if that is off
    float *factor;      ///< delta dt^2 of pressure_factor "particle"; NULL if that is off
    float rest;         ///< rho0, kg/m3
    float mass;         ///< kg
    float delta;        ///< PCISPH factor times dt^2, m2
    float relax;
    bool spiky; ///< the pressure force uses the spiky gradient: air
} sph_phase;

/// Air's own arrays, in order of its places.
typedef struct sph_air {
    size_t room;
    void *arrays;            ///< memory of the arrays below but those of parents
    uint32_t *count;         ///< n: air neighbours within h
    float *phi;              ///< (F1)
    float *buoyancy;         ///< B(n^), n^: the largest n of the particle and its neighbours
    uint8_t *covered;        ///< a liquid neighbour lies above
    sp_rows liquid;          ///< air to water (AL)
    sp_rows reaction;        ///< water to air (LA)
    uint8_t *next;           ///< result of the foam test (foam.c)
    float *life, *group_age; ///< clocks after the foam test, s
    /// Water particles that create air; their capacity; their number in each chunk of places.
    struct sph_parent *parent;
    uint32_t *parents_of;
    size_t parents, chunks;
} sph_air;

/// A collider as sph_keep_out reads it: a box has sides, other shapes have a distance function.
typedef struct sph_pose {
    double time; ///< s; NaN: not set
    double rotation[9], position[3];
} sph_pose;
typedef struct sph_solid {
    enum { SPH_SOLID_OTHER, SPH_SOLID_BOX, SPH_SOLID_TANK } kind;
    bool moves, open; ///< open: a tank without lid
    /// Bounds of the box, of the tank's hollow, or of all wall points, m, in the body's space.
    float low[3], high[3];
    float wall;          ///< of a tank, m; may be infinite
    sph_pose start, end; ///< at the step's start and end (sph_update_poses)
    sph_pose placed;     ///< pose of its wall particles
} sph_solid;

/// Walls, all colliders and pipes together.
typedef struct sph_walls {
    size_t count;
    float *x[3];    ///< now, m
    float *rest[3]; ///< in the body's own space
    float *volume;  ///< V_b, m3
    uint32_t *body; ///< collider; SPH_PIPE for pipes
    size_t *first;  ///< first point of each collider, and one past the last; then come pipes
    bool moving;    ///< some collider moves
    bool moved;     ///< since the last sorting
    sp_cells cells;
    float *sorted[3];
    float *at;             ///< x y z V_b by place, at the step's start
    float *ahead;          ///< the same at the step's end; `at` if nothing moves
    float *moved_at;       ///< memory for `ahead`, if something moves
    sp_lattice lattice;    ///< of the last sorting
    float low[3], high[3]; ///< bounds now
    double speed;          ///< of the fastest wall that moves, m/s
} sph_walls;
#define SPH_PIPE UINT32_MAX

typedef struct sph_emitter {
    sp_emitter_def def; ///< its name is the next field
    char *name;
    float axis[3], across[2][3];
    float pipe;              ///< length, m
    bool submerged;          ///< the mouth is under water at the start: then the pipe is full
    double distance;         ///< that water moved since the last layer, m
    size_t points;           ///< in a layer
    float (*disc)[2];        ///< positions of these points in the disc's plane, m
    uint64_t tried, skipped; ///< spawn points in the last 0.1 s
    double window;           ///< start of these 0.1 s, s
    bool warned;
    uint64_t air;          ///< air particles that its water created
    atomic_uchar *blocked; ///< by point: water is nearer than half a spacing
} sph_emitter;

struct sph {
    const sp_host *host;
    const sp_watch *watch; ///< called after each substep; may be NULL
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
    uint8_t *gone; ///< marks of particles to remove
    size_t gone_room;
    uint64_t left_reported; ///< particles that had left the domain at the last warning
    double left_since;      ///< time of the first one after that, s
    sp_sph_seeder_def *seeder;
    float h, d;
    sph_phase liquid, air;
    sph_air air_data;
    sph_walls walls;
    double *partial; ///< partial sums, SPH_PARTIALS for each chunk of places
    size_t partials;
    uint64_t next_id;
    double time, dt; ///< s; dt: the next adaptive step
    uint64_t steps;
    sp_sph_figures figures;
    sp_profile profile;
    int failed_in_a_row;
    bool start_from_mean; ///< the pressure loop starts from the mean pressures
    bool warned_limit, warned_viscosity, warned_fixed; ///< the log has this warning
    void *published;                                   ///< memory of the last frame (publish.c)
};

/// Smallest distance from a particle to a solid, in spacings. In an edge of two walls the wall particles push
/// a particle out only if it is farther than 0.26 spacings, in a corner of three walls 0.40. A nearer one is
/// pushed in and held at 1.1 times its rest density, and the pressure loop does not converge.
#define SPH_MARGIN 0.5f

enum { SPH_CHUNK = 1024, SPH_PARTIALS = 4 }; ///< places per task, partial sums per chunk

/// ---- Kernel (kernel.c; in lanes: kernel.h) -----------------------------------------------------

double sph_kernel(double r, double h);       ///< W
double sph_kernel_slope(double r, double h); ///< W'
double sph_spiky_slope(double r, double h);  ///< of air's pressure force
/// delta dt^2 / d^2 of a perfect lattice with support `ratio` spacings, for water or air.
double sph_factor(double ratio, bool spiky);
/// Largest eigenvalue of delta B on the lattice; it bounds relax.
double sph_factor_eigenvalue(double ratio, bool spiky);

/// ---- Stages, in the order of a step (step.c) ---------------------------------------------------

sp_status sph_walls_place(sph *s, double t, sp_error *err); ///< wall_particles.c
sp_status sph_sort(sph *s, sp_error *err);                  ///< sort_and_neighbours.c
sp_status sph_find_neighbours(sph *s, sp_error *err);       ///< sort_and_neighbours.c
void sph_density(sph *s);                                   ///< density.c
/// Largest and mean of the errors of n places, from two partial sums a chunk (density.c).
void sph_join_errors(const sph *s, size_t n, double *most, double *mean);
/// Copies the densities that forces divide by, those of the water corrected (C) if density_correction
/// says so, into the fourth number of `at`, over the pressures (density.c).
void sph_copy_density_to_places(sph *s, sph_phase *phase);
void sph_liquid_forces(sph *s, double dt); ///< liquid_forces.c (6') (7') (T1)
void sph_find_air_surroundings(sph *s);    ///< air_surroundings.c: n, n^, phi
void sph_air_forces(sph *s, double dt);    ///< air_forces.c (10') (11') (13')
void sph_reaction(sph *s, double dt);      ///< drag.c (13') on the water
/// The pressure loop. Returns the largest density error at its end, over the rest density (pressure.c).
float sph_pressure(sph *s, sph_phase *phase, double dt, int most, float eta, int *iterations);
sp_status sph_integrate(sph *s, double dt, sp_error *err); ///< integrate.c
void sph_foam(sph *s, double dt);                          ///< foam.c: the foam test and clocks
sp_status sph_trap_air(sph *s, double dt, sp_error *err);  ///< create_air.c
sp_status sph_seed_air(sph *s, double dt, sp_error *err);  ///< create_air.c
sp_status sph_remove(sph *s, double dt, sp_error *err);    ///< remove_particles.c
sp_status sph_emit(sph *s, double dt, sp_error *err);      ///< emitters.c

/// Stages 2 to 4: order, lists, densities (step.c).
sp_status sph_arrange(sph *s, sp_error *err);
void sph_profile_begin(sph *s);
/// open.c. sph_check_start refuses a start that is compressed by more than 5 %.
sp_status sph_open(const sp_setup *setup, const sp_host *host, sph **out, sp_error *err);
void sph_close(sph *s);
sp_status sph_check_start(sph *s, sp_error *err);
void sph_densest(const sph *s, float x[3]); ///< position of the densest water particle
sp_status sph_publish(void *solver, sp_frame *frame, sp_error *err); ///< publish.c
void sph_publish_close(sph *s);
/// Makes room for `wanted` elements, and some more; the contents are lost. False: no memory (open.c).
bool sph_grow(const sph *s, void **memory, size_t *room, size_t wanted, size_t size);
/// Reserves memory for the partial sums of all chunks (open.c).
sp_status sph_partials(sph *s, sp_error *err);

/// ---- Shared ------------------------------------------------------------------------------------

/// Reserves `air_data` for n air particles (air_surroundings.c). Its contents are lost.
sp_status sph_air_reserve(sph *s, size_t n, sp_error *err);
void sph_air_close(sph *s);
size_t sph_air_bytes(const sph *s);
/// Adds drag by the water to air.a, implicitly (drag.c (13')).
void sph_drag(sph *s, double dt);
/// A random unit vector, uniform over the sphere, from two random numbers (air_surroundings.c).
sp_vec3 sph_direction(uint32_t height, uint32_t turn);
sp_status sph_phase_open(sph *s, sph_phase *phase, bool air, sp_error *err); ///< phase_memory.c
void sph_phase_close(sph_phase *phase);
/// Reserves room for n particles in the set.
sp_status sph_phase_reserve(sph_phase *phase, size_t n, sp_error *err);
/// Reserves the working arrays for all particles of the set. Their contents are lost (phase_memory.c).
sp_status sph_phase_reserve_places(const sph *s, sph_phase *phase, sp_error *err);
size_t sph_phase_bytes(const sph_phase *phase);
/// Appends one particle with the next id; room must be reserved. Returns its index.
size_t sph_phase_add(sph *s, sph_phase *phase, const float x[3], const float v[3], uint32_t tag);

/// Opens colliders: shapes, and the sides of boxes (collisions.c).
sp_status sph_solids_open(sph *s, const sp_world_def *world, sp_error *err);
void sph_solids_close(sph *s);
/// Pose of a body at a time; a point from world to body space, and back.
sph_pose sph_pose_at(const sp_shape *shape, double t);
void sph_into_body(const sph_pose *pose, const float world[3], double body[3]);
void sph_out_of_body(const sph_pose *pose, const double body[3], double world[3]);
/// Wall particles at the step's end t, for predicted positions (wall_particles.c).
sp_status sph_walls_ahead(sph *s, double t, sp_error *err);
/// Computes the poses of moving bodies at the step's start and its end t, once for all particles that
/// sph_keep_out moves.
void sph_update_poses(sph *s, double t);
/// Opens the shape of a fill emitter as a solid.
sp_status sph_shape_open(const sph *s, const sp_shape_def *def, sp_shape **out, sp_error *err);
/// Makes wall particles of colliders and pipes (wall_particles.c). Emitters must be open: they have the pipes.
sp_status sph_walls_open(sph *s, const sp_world_def *world, sp_error *err);
void sph_walls_close(sph *s);
/// Emitters: discs, axes, pipes (emitters.c).
sp_status sph_emitters_open(sph *s, const sp_world_def *world, sp_error *err);
/// Refuses a jet that opens into a collider. Needs walls.
sp_status sph_emitters_check(const sph *s, sp_error *err);
void sph_emitters_close(sph *s);
/// Points of a layer in the disc's plane, m; `at` may be NULL. Returns how many (emitter_pipe.c).
size_t sph_pipe_disc(const sph_emitter *e, float d, float (*at)[2]);
size_t sph_pipe_layers(const sph_emitter *e, float d); ///< in a full pipe
/// Distance of a point beyond the mouth along the axis, m.
double sph_pipe_along(const sph_emitter *e, const float x[3]);
/// Points of a pipe's shell, into x unless it is NULL. Returns how many (emitter_pipe.c).
size_t sph_pipe_shell(const sph_emitter *e, float d, float (*x)[3]);
/// Whether a point lies in the pipe, or nearer than `reach` to its water.
bool sph_pipe_holds(const sph_emitter *e, const float x[3], float reach);
/// Position of point k of a layer that is `from_inlet` m from the inlet.
void sph_pipe_point(const sph_emitter *e, size_t k, double from_inlet, float x[3]);
/// Initial water: lattices in fill shapes, full pipes (initial_water.c). Needs walls and emitters.
sp_status sph_fill(sph *s, const sp_world_def *world, sp_error *err);
/// Sorts the wall particles by the cells of a lattice, if they are not yet (wall_particles.c).
sp_status sph_walls_sort(sph *s, const sp_lattice *lattice, sp_error *err);
/// Speed of an emitter at time t, and the full speed of the fastest emitter that runs before `until`
/// (emitters.c).
float sph_emitter_speed(const sph_emitter *e, double t);
float sph_emitters_fastest(const sph *s, double until);
/// Moves a point x at least `margin` > 0 outside all solids at time t. `from` is its position at time
/// s->time, outside them. The point never passes a wall, however thin, and slides along it. Returns
/// whether it was moved; then `normal` points away from the solid.
bool sph_keep_out(const sph *s, double t, const float from[3], float x[3], float margin,
                  float normal[3]); ///< collisions.c

/// Whether two places are nearer than h. Lists may hold pairs that are not (list_skin).
static inline bool sph_near(const float *a, const float *b, float h)
{
    const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return fmaf(z, z, fmaf(y, y, x * x)) < h * h;
}

/// Whether a point lies beside the hollow of an open tank with infinitely thick walls: there water that
/// went over the rim is above or in a solid, far from all wall particles (collisions.c).
bool sph_over_rim(const sph *s, const float x[3]);

/// The row of place k, or NULL. Call it with ascending k; *next is the position in the rows.
static inline const sp_row *sph_row_at(const sp_rows *rows, size_t *next, size_t k)
{
    while (*next < rows->count && rows->row[*next].who < k)
        ++*next;
    return *next < rows->count && rows->row[*next].who == k ? &rows->row[*next] : NULL;
}

/// Number of chunks of n places. Chunks do not depend on the number of threads, so neither do the partial
/// sums in s->partial.
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
