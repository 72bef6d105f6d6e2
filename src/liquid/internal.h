// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_INTERNAL_H
#define SP_LIQUID_INTERNAL_H

/// Data of the solver, and the functions that its files share.
///
/// The grid's voxel (0, 0, 0) has its low corner at `origin`, four voxels outside the domain's low
/// corner (where that side is not periodic). So walls have voxels behind them: velocity is
/// extrapolated into solids as into air, and walls need no code of their own.
///
/// Fields are arrays of 512 floats for each tile of `tiles`. When water moves to other tiles,
/// `tiles` is rebuilt and the fields that last are copied. Particles are sorted by tile, and within
/// a tile by voxel (i + 8j + 64k). A position is an offset from the tile's low corner, in voxels:
///
///     world position of particle p of tile t = origin + voxel*(8*tiles.at[t] + x[p])
///
/// so that precision does not depend on the distance from the world's origin.

#include "bulk/bulk.h"
#include "flow/flow.h"
#include "liquid/mixture.h"
#include "particles/particles.h"
#include "tiles/patch.h"
#include "tiles/points.h"

/// Purposes of random numbers.
enum { LIQUID_RANDOM_SEED = 1, LIQUID_RANDOM_RESEED, LIQUID_RANDOM_JET };

enum { LIQUID_MARGIN = 4 }; ///< voxels of margin outside each side that is not periodic

typedef struct liquid_particles {
    sp_particles set; ///< columns as below, in this order
    float *x[3];      ///< voxels, 0 <= x < 8 except between advection and sort
    float *v[3];      ///< m/s
    float *c[9];      ///< APIC: d v_a / d x_b at c[3*a + b], 1/s; else NULL
    uint64_t *id;     ///< in order of creation, never used twice
    /// Particles of tile t are start[t] ... start[t+1] - 1; one entry more than tiles.
    uint32_t *start;
    size_t start_room; ///< entries
    uint64_t next_id;
    sp_particles spare; ///< the same columns, after the first sort: sorting writes here, then swaps
    float *work;        ///< scratch of liquid_each_tile, one piece for each thread
    size_t work_size;   ///< floats in a piece
} liquid_particles;

/// The grid: where it lies, which tiles exist, and the fields on them.
typedef struct liquid_grid {
    float voxel;             ///< m
    float band;              ///< m; phi is clamped to +-band: 4 voxels, or narrow_band + 1 if more
    double origin[3];        ///< m
    double domain[2][3];     ///< m
    int32_t low[3], high[3]; ///< tiles that may exist
    int32_t period[3];       ///< tiles along an axis that is periodic; else 0
    int layers;              ///< layers of extrapolation

    sp_tiles tiles;
    /// Velocities on low faces, m/s. Fields that a method does not need are NULL.
    float *u[3];          ///< of the water
    float *u_last[3];     ///< u one substep ago; for pairs, or without particles
    float *u_unforced[3]; ///< u before forces, as splatted from particles (L2)
    float *u_advected[3]; ///< narrow band: of deep water, as advected on the grid
    float *u_pair[3];     ///< pairs of substeps: contents as listed in step_flip.c
    float *spread[3];     ///< also moves particles and phi in the next substep (pressure/spread.c)
    /// Fields at cells.
    float *phi;          ///< m; signed distance to the surface
    float *phi_last;     ///< no particles: target of the advection of phi
    float *phi_advected; ///< narrow band: phi of deep water, as advected on the grid
    float *q;            ///< pressure times dt/(density*voxel), m/s; of the first substep of a pair
    float *q_second;     ///< the same of the second substep of a pair
    float *aeration;     ///< at the end of a frame; NULL unless frames hold it
    /// Masks.
    sp_tile_mask *known[3];    ///< faces that have a velocity
    sp_tile_mask *splatted[3]; ///< faces that particles gave a velocity, before the projection
    sp_tile_mask *pinned;      ///< voxels of emitters that run
    sp_flow_store store;
} liquid_grid;

/// A running emitter: water in the voxels inside its shape has its velocity (emitters.c).
typedef struct liquid_emitter {
    int mode;          ///< SP_EMIT_FLOW or SP_EMIT_JET
    size_t number;     ///< index in the scene's list
    sp_shape *shape;   ///< of a jet: the pipe
    float velocity[3]; ///< m/s, at full speed
    float start, stop, ramp;
    int32_t low[3], high[3]; ///< tiles around it
    float pinned[3];         ///< m/s: velocity on the faces of its voxels; 0 while it does not run
    float swept[3];          ///< m: distance that its water moved since the last seeding
} liquid_emitter;

/// Emitters and sinks.
typedef struct liquid_sources {
    liquid_emitter *emitter; ///< of modes flow and jet; fills act only at the start
    size_t emitters;
    sp_shape **sink;
    size_t sinks;
} liquid_sources;

/// The account of water that particles represent (pressure/wanted_divergence.c,
/// particles/reseed.c).
typedef struct liquid_balance {
    bool closed;          ///< no water flows in or out
    double water;         ///< voxels of water at the start, of particles and grid, if closed
    int64_t debt_eighths; ///< eighths of a particle that reseeding removed and has not added back
} liquid_balance;

struct liquid {
    const sp_host *host;
    const sp_watch *watch; ///< called after each substep; may be NULL
    sp_liquid_def def;
    uint64_t seed;
    float gravity[3]; ///< m/s2
    liquid_grid grid;
    sp_flow_solids solids;
    liquid_sources sources;
    liquid_particles particles;
    liquid_balance balance;
    sp_bulk_pasts pasts; ///< for aeration
    sp_poisson *poisson;
    sp_scratch scratch;             ///< used within one stage
    sp_liquid_phase *phase;         ///< bubbles in the water; NULL: none
    struct liquid_solving *solving; ///< the pressure solve in which `phase` is called, else NULL

    double time, last_dt; ///< s
    bool second_of_pair;  ///< the next substep is the second of a pair (reflect.c)
    uint64_t steps;
    int frame_steps;          ///< since the last frame
    int frame_iterations[32]; ///< of the first pressure solves of the frame
    bool warned_max_steps, warned_pocket;
    bool warned_residual;           ///< in this frame
    int failed_in_a_row;            ///< pressure solves
    uint64_t stuck_at_last_warning; ///< value of figures.stuck then
    double lost_said;               ///< m3; at the last warning of water from emitters that is lost
    sp_liquid_figures figures;
    sp_profile profile;
    double clock;    ///< start of the current stage
    void *published; ///< the last published frame (publish.c)
};

static inline bool liquid_has_particles(const sp_liquid_def *def)
{
    return def->method != SP_LIQUID_EULERIAN;
}
/// Volume of a voxel, m3.
static inline double liquid_voxel_volume(const sp_liquid_def *def)
{
    const double h = (double)def->voxel;
    return h * h * h;
}
/// Whether substeps come in pairs (reflect.c).
static inline bool liquid_has_pairs(const sp_liquid_def *def)
{
    return def->method == SP_LIQUID_APIC && def->narrow_band == 0;
}
/// Whether particles and phi are also moved by a flow that keeps the volume (pressure/spread.c).
static inline bool liquid_has_spread(const sp_liquid_def *def)
{
    return liquid_has_particles(def) || def->volume_correction > 0.0f;
}
/// Share of each cell that the phase in the water fills; NULL: 0.
static inline const float *liquid_air_share(const liquid *s)
{
    return s->phase ? s->phase->share : NULL;
}
/// Whether water stands outside open sides.
static inline bool liquid_has_level(const sp_liquid_def *def)
{
    return def->sides.level > -1e8f;
}
/// q of the last substep, and (pairs only) of the substep before it.
static inline float *liquid_latest_q(const liquid *s)
{
    return s->grid.q_second && !s->second_of_pair ? s->grid.q_second : s->grid.q;
}
static inline float *liquid_previous_q(const liquid *s)
{
    return s->second_of_pair ? s->grid.q_second : s->grid.q;
}

/// ---- start/: checks, memory estimate, initial state --------------------------------------------

sp_status liquid_check(const sp_setup *setup, sp_error *err);
double liquid_water_cells(const sp_setup *setup); ///< upper bound over the run (estimate.c)
double liquid_estimate(const sp_setup *setup);    ///< bytes, with frames and checkpoints
double liquid_seconds(const sp_setup *setup);     ///< on one thread
/// The six sides in the order of SP_SIDE_...
void liquid_side_kinds(const sp_liquid_sides_def *sides, int kind[6]);
/// Origin, domain, box of tiles and periods, from def and the scene's domain (check.c).
void liquid_lay_grid(liquid_grid *g, const sp_liquid_def *def, const sp_domain_def *domain);

/// On failure *out is NULL and nothing stays allocated.
sp_status liquid_open(const sp_setup *setup, const sp_host *host, liquid **out, sp_error *err);
void liquid_close(liquid *s); ///< may be NULL or half open
/// Creates the water of the scene's fills: tiles, phi, u, particles (fill.c).
sp_status liquid_start(liquid *s, const sp_world_def *world, sp_error *err);
/// Tiles around a shape that is grown by `grow`, m; clamped to the tiles that may exist (fill.c).
void liquid_tile_range(const liquid_grid *g, const sp_shape *shape, double grow, int32_t low[3],
                       int32_t high[3]);
/// Whether no part of an emitter's shape is in the domain; and the warning that emitter `number` is such (fill.c).
bool liquid_is_outside(const liquid_grid *g, const sp_shape *shape);
void liquid_warn_outside(const liquid *s, const sp_shape *shape, size_t number);

/// ---- The grid: grid.c, choose_tiles.c ----------------------------------------------------------

/// Makes *next the topology and copies the fields that last (failure: see flow/retile.h).
sp_status liquid_retile(liquid_grid *g, const sp_liquid_def *def, const sp_host *host,
                        sp_tiles *next, sp_error *err);
void liquid_grid_close(liquid_grid *g, const sp_liquid_def *def, const sp_host *host);
/// Chooses the tiles that hold water or that water may reach, moves fields and solids to them and
/// sorts particles. Water is where phi < 0 (by_phi), or where particles are or phi_advected < 0
/// (by_particles).
sp_status liquid_choose_tiles_by_phi(liquid *s, sp_error *err);
sp_status liquid_choose_tiles_by_particles(liquid *s, sp_error *err);
/// Advection of the grid's u and phi with the velocity `u`.
static inline sp_flow_advection liquid_advection(const liquid_grid *g, float *const u[3])
{
    return (sp_flow_advection){
        .tiles = &g->tiles,
        .u = {u[0], u[1], u[2]},
        .known = {(const sp_tile_mask *)g->known[0], (const sp_tile_mask *)g->known[1],
                  (const sp_tile_mask *)g->known[2]},
        .faces = {g->u[0], g->u[1], g->u[2]},
        .cells = g->phi,
        .band = g->band,
    };
}
/// Centre of a voxel in the world, m.
static inline void liquid_voxel_center(const liquid_grid *g, uint32_t tile, int place, double p[3])
{
    sp_flow_voxel_center(&g->tiles, g->origin, tile, place, p);
}

/// ---- sources/: emitters, sinks and open sides --------------------------------------------------

sp_status liquid_emitters_open(liquid *s, const sp_world_def *world, sp_error *err);
void liquid_emitters_close(liquid *s);
/// Marks `pinned`, seeds voxels of emitters, fills open sides, drains sinks; all at time s->time.
sp_status liquid_emit(liquid *s, double dt, sp_error *err);
/// Sets the emitters' velocity on the faces of their voxels.
void liquid_pin(liquid *s);
/// Says how much water is lost, at each frame of a scene with emitters (emitters.c).
void liquid_warn_lost(liquid *s, const sp_liquid_figures *figures);
double liquid_emitters_speed(const liquid *s, double until); ///< m/s; the fastest that runs by then
/// Voxels of tile t whose centres lie in emitter i; false when there are none.
bool liquid_emitter_mask(const liquid *s, size_t i, size_t t, sp_tile_mask mask);
/// With sides.level: phi beyond open sides becomes that of still water (open_sides.c).
void liquid_level_beyond_sides(liquid_grid *g, const sp_liquid_def *def);
/// The same, and adds water inside of open sides up to the level.
sp_status liquid_fill_sides(liquid *s, sp_error *err);
/// Counts the water without particles that flows through open sides within dt (open_sides.c).
sp_status liquid_count_outflow(liquid *s, double dt, sp_error *err);
/// First and last voxels of a tile (0 to 7 along each axis) whose centres lie within open sides of
/// the domain. False if those of the whole tile do (open_sides.c).
bool liquid_inside_span(const liquid_grid *g, const sp_liquid_def *def, size_t tile, int first[3],
                        int last[3]);
/// Whether voxel n of a tile lies beyond that span.
static inline bool liquid_is_beyond(int n, const int first[3], const int last[3])
{
    const int at[3] = {n & 7, n >> 3 & 7, n >> 6};
    bool beyond = false;
    for (int a = 0; a < 3; ++a)
        beyond |= at[a] < first[a] || at[a] > last[a];
    return beyond;
}

/// ---- surface/: phi -----------------------------------------------------------------------------

/// phi from particles (L9), not yet redistanced, clamped to +-band. It is +band where no particle
/// is near; below a narrow band liquid_blend_band corrects that. Cells that are deep by
/// phi_advected are not computed. Voxels in solids (solids->row may be NULL) count as full of
/// particles, so that a wall is no surface.
sp_status liquid_phi_from_particles(liquid_grid *g, const liquid_particles *p,
                                    const sp_flow_solids *solids, const sp_liquid_def *def,
                                    sp_scratch *scratch, sp_error *err);
float liquid_particle_radius(const sp_liquid_def *def); ///< m; radius of particles in L9
/// Replaces that phi by the height above the surface, near the surface (phi_correct.c).
void liquid_phi_correct(liquid_grid *g, const sp_liquid_def *def);
/// phi outside the band after liquid_phi_correct, or without particles, m.
float liquid_phi_far(const liquid_grid *g, bool particles);
/// Extrapolates phi into solids, so that walls are no surface, and redistances it.
sp_status liquid_phi_into_solids(liquid_grid *g, const sp_flow_solids *solids, bool particles,
                                 sp_scratch *scratch, sp_error *err);
/// With a narrow band: smooths the roughness of particles in phi after a step of dt. phi must be a
/// distance. Fails if there is no memory; phi is then unchanged.
sp_status liquid_phi_smooth(liquid_grid *g, const sp_flow_solids *solids, double dt,
                            sp_scratch *scratch, sp_error *err);
/// Changes the velocity u on faces that no water touches, so that air at the surface has no
/// divergence. phi is advected with the result. `speed`: of the fastest water, m/s
/// (air_divergence.c).
sp_status liquid_balance_air(const liquid_grid *g, const sp_flow_solids *solids, double speed,
                             float *const u[3], sp_scratch *scratch, sp_error *err);
/// At the start and at the end of a frame: measures where water entrains air, and keeps its
/// velocity for the next frames. Does nothing if frames do not hold aeration (aeration.c).
sp_status liquid_aerate(liquid *s, sp_error *err);

/// ---- surface/narrow_band.c: particles near the surface only ------------------------------------

/// Before particles and tiles change: advects u and phi of deep water with `by` for dt, into
/// u_advected and phi_advected. Where no water from a depth of narrow_band - 3/2 voxels or more can come near in
/// dt, they are 0 and +band. The band that phi is clamped to must be at least narrow_band voxels.
sp_status liquid_advect_deep(liquid_grid *g, int narrow_band, float *const by[3], double dt,
                             sp_scratch *scratch, sp_error *err);
/// With u, known and phi from particles: takes u_advected below the band, blends both velocities
/// over its deepest 3/2 voxels, and uses u_advected on faces without particles that lie more than
/// half a voxel below the surface. phi becomes the smaller of the particles' phi and phi_advected
/// plus half a voxel; redistance it afterwards.
void liquid_blend_band(liquid_grid *g, int narrow_band);

/// ---- pressure/ ---------------------------------------------------------------------------------

/// Fills in the divergence, times voxel (m/s, by cell), that `spread` is to have. False: no memory.
typedef bool liquid_wanted(liquid *s, float *source);
/// Removes the divergence of u, or with a phase that of the mixture (L5, L6). Afterwards `known` marks
/// the faces that water touches. q holds the initial guess, then the result. `spread` gets the
/// divergence that `wanted` asks for; NULL: there is no such field.
sp_status liquid_project(liquid *s, float *q, liquid_wanted *wanted, double dt, sp_error *err);
/// Extrapolates u beyond the water and into solids (L7), after a step of dt (extend_velocity.c).
sp_status liquid_extend_velocity(liquid_grid *g, const sp_flow_solids *solids,
                                 const float gravity[3], bool particles, double dt,
                                 sp_scratch *scratch, sp_error *err);

/// ---- Pairs of substeps: reflect.c --------------------------------------------------------------

/// After the projection, before u is extrapolated: the change by pressure, reflected, r (u - u~),
/// on all faces near water.
sp_status liquid_reflect_change(const liquid_grid *g, const float gravity[3], double dt,
                                float *const change[3], sp_scratch *scratch, sp_error *err);
/// The velocity that moves particles in the second substep, into u_pair.
void liquid_reflect_ahead(liquid_grid *g, double dt);

/// ---- particles/ --------------------------------------------------------------------------------

/// Opens an empty set with room for the starts of `tiles` tiles. On failure nothing stays
/// allocated.
sp_status liquid_particles_open(liquid_particles *p, const sp_liquid_def *def, size_t tiles,
                                const sp_host *host, sp_error *err);
void liquid_particles_close(liquid_particles *p); ///< may be zeroed
/// Room for n particles in total; columns may move.
sp_status liquid_particles_reserve(liquid_particles *p, size_t n, sp_error *err);
/// Room for the starts of n tiles; existing starts are kept.
sp_status liquid_starts_reserve(liquid_particles *p, size_t n, sp_error *err);

typedef struct liquid_lost {
    size_t left, stuck; ///< particles that left by an open side, and that were stuck in solids
    double kinetic;     ///< sum of v^2/2 of those that left, m2/s2
    double place[3];    ///< sum of their positions, m
} liquid_lost;
/// Moves particles with g->spread, at most a voxel, then with u for dt (L8: Ralston's third order),
/// at most cfl + 1 voxels, and pushes them out of solids. x is not wrapped: it stays relative to the particle's old tile, within (-8,
/// 16). Particles that leave by an open side or stay stuck in a solid get id SP_POINT_GONE. Periodic
/// sides need no code here.
liquid_lost liquid_advect_particles(liquid_particles *p, const liquid_grid *g,
                                    const sp_flow_solids *solids, const sp_liquid_def *def,
                                    float *const u[3], double dt, sp_scratch *scratch);
/// Marks the tiles that particles are in after advection: bit n of reach[t] is set when a particle
/// of tile t is in the tile at offset n of `around` (t itself is SP_TILES_SELF).
void liquid_reach(const liquid_particles *p, const sp_tiles *tiles, uint32_t *reach);
/// Sorts particles of `from` (the topology that x is relative to; may be `to` itself) into `to`.
/// Drops removed particles, and particles in tiles that do not exist; the latter are added to
/// *left. Stable: particles of a voxel keep their order. Swaps the columns' memory: earlier
/// pointers are stale. On failure nothing has changed.
sp_status liquid_sort(liquid_particles *p, const sp_tiles *from, const sp_tiles *to,
                      sp_scratch *scratch, uint64_t *left, sp_error *err);
/// u from particles (L1), and `known` where the weight is at least 1e-6; u is 0 elsewhere.
sp_status liquid_particles_to_grid(const liquid_particles *p, liquid_grid *g, sp_scratch *scratch,
                                   sp_error *err);
/// Velocities from the grid to particles (L2). u: g->u, or another velocity of the grid.
void liquid_grid_to_particles(liquid_particles *p, const liquid_grid *g, const sp_liquid_def *def,
                              float *const u[3], double dt);
/// Particles in each voxel of a tile, up to 255.
void liquid_count_particles(const liquid_particles *p, size_t t, uint8_t count[SP_TILE_VOXELS]);
/// Whether a voxel lies below the narrow band, where seeded particles would be dropped.
static inline bool liquid_is_deep(const liquid_grid *g, const sp_liquid_def *def, size_t t,
                                  int place)
{
    return def->narrow_band > 0 &&
           g->phi[t * SP_TILE_VOXELS + (size_t)place] < -(float)def->narrow_band * g->voxel;
}

/// What seeding reads, and the particles that it changes.
typedef struct liquid_seeder {
    liquid_particles *particles;
    const liquid_grid *grid;
    const sp_flow_solids *solids; ///< no solids if its row is NULL
    const sp_liquid_def *def;
    const float *air; ///< by cell: share that is not for water (mixture.h); NULL: 0
    uint64_t seed;
    sp_scratch *scratch;
} liquid_seeder;
static inline liquid_seeder liquid_seeder_of(liquid *s)
{
    return (liquid_seeder){&s->particles,       &s->grid, &s->solids, &s->def,
                           liquid_air_share(s), s->seed,  &s->scratch};
}

/// Fills voxels of `wanted` with particles at jittered places. Their velocity is v, or the grid's
/// if v is NULL. A place is used if it lies outside solids and `keep` returns true for it (p in m
/// of the world; keep may be NULL; several threads call it at once). Ids follow the order of tiles
/// and voxels. Afterwards particles are sorted; *count is the number added. On failure nothing
/// changed.
typedef bool liquid_keep(const void *arg, const double p[3]);
sp_status liquid_seed(const liquid_seeder *s, const sp_tile_mask *wanted, const float v[3],
                      liquid_keep *keep, const void *arg, uint64_t *count, sp_error *err);
/// Keeps the number of particles in each voxel within bounds, and removes particles below a narrow
/// band. Adds to `seeded` and `thinned` of the figures. On failure nothing changed.
sp_status liquid_reseed(const liquid_seeder *s, liquid_balance *balance, sp_liquid_figures *figures,
                        sp_error *err);

/// ---- A substep ---------------------------------------------------------------------------------

void liquid_profile_begin(liquid *s);
/// Length of the next substep, s, where `most` is left of the frame (substep_length.c).
double liquid_substep_length(liquid *s, double most);
/// SP_DIVERGED, with a stage and a place, when a velocity is not finite (check_finite.c).
sp_status liquid_check_finite(liquid *s, sp_error *err);

/// ---- Out and in: publish.c, bulk_moment.c, state.c --------------------------------------------------

/// As in sp_solver_type; `solver` is a liquid.
sp_status liquid_publish(void *solver, sp_frame *frame, sp_error *err);
void liquid_publish_close(liquid *s);
/// The current water, for whitewater.
sp_status liquid_moment(void *solver, sp_bulk_moment *moment, sp_error *err);
sp_status liquid_save(const void *solver, sp_blob *blob, sp_error *err);
sp_status liquid_restore(void *solver, sp_blob *blob, sp_error *err);

#endif
