// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_INTERNAL_H
#define SP_LIQUID_INTERNAL_H

/// How the water is kept.
///
/// The grid's voxel (0, 0, 0) has its low corner at `origin`, four voxels outside the domain's low
/// corner (where that side is not periodic), so that walls have voxels behind them: velocities are
/// continued into solids like into air, and walls need no code of their own.
///
/// Fields are arrays of 512 floats a tile of `tiles`, which is rebuilt when water moves to other
/// tiles; then the fields that last are carried over. Particles lie sorted by tile, and in a tile by
/// voxel (i + 8j + 64k); a position is an offset from the tile's low corner, in voxels:
///
///     world position of particle p of tile t = origin + voxel*(8*tiles.at[t] + x[p])
///
/// so that water far from the world's zero is as exact as near it.

#include "frame/frame.h"
#include "liquid/liquid.h"
#include "particles/particles.h"
#include "tiles/patch.h"

/// Purposes of random numbers.
enum { LIQUID_RANDOM_SEED = 1, LIQUID_RANDOM_RESEED, LIQUID_RANDOM_JET };

enum { LIQUID_MARGIN = 4 }; ///< voxels outside the domain that exist where a side is not periodic

typedef struct liquid_particles {
    sp_particles set; ///< columns as below, in this order
    float *x[3];      ///< voxels, 0 <= x < 8 but for the moment between advect and sort
    float *v[3];      ///< m/s
    float *c[9];      ///< APIC: d v_a / d x_b at c[3*a + b], 1/s; else NULL
    uint64_t *id;     ///< in order of creation, never used twice
    /// Particles of tile t are start[t] ... start[t+1] - 1; one entry more than tiles.
    uint32_t *start;
    size_t start_room; ///< entries
    uint64_t next_id;
    sp_particles spare; ///< the same columns once there was a sort, which writes there and swaps
    float *work;        ///< memory for whoever works on a tile, a piece for each thread
    size_t work_size;   ///< floats of a piece
} liquid_particles;

/// What solids make of each tile.
#define LIQUID_TILE_OPEN UINT32_MAX
#define LIQUID_TILE_SOLID (UINT32_MAX - 1)
/// Where a voxel near a solid looks for the water's surface: from its centre so many voxels along
/// each axis all solids are at least a voxel away. 0 where they are anyway, and deeper in solids.
typedef struct liquid_way_out {
    float by[3][SP_TILE_VOXELS];
    sp_tile_mask bent; ///< voxels where bodies may reach further than their corners tell
} liquid_way_out;

typedef struct liquid_solid {
    uint32_t *row;       ///< by tile: LIQUID_TILE_..., or an index of `tile`
    sp_solid_tile *tile; ///< those that are cut
    liquid_way_out *way; ///< of the same
    uint32_t *spare;     ///< indices of `tile` that are free
    size_t row_room, rows, room, spares;
} liquid_solid;

/// An emitter that runs: water of the voxels inside its shape moves as it says (emit.c).
typedef struct liquid_emitter {
    int mode;          ///< SP_EMIT_FLOW or SP_EMIT_JET
    size_t number;     ///< in the scene's list
    sp_shape *shape;   ///< of a jet: the pipe
    float velocity[3]; ///< m/s, at full speed
    float start, stop, ramp;
    int32_t low[3], high[3]; ///< tiles around it
    float pinned[3];         ///< m/s: what the faces of its voxels carry; 0 while it does not run
    float swept[3];          ///< m: how far that took water since particles came last
} liquid_emitter;

struct liquid {
    const sp_host *host;
    sp_liquid_def def;
    uint64_t seed;
    float gravity[3], voxel;
    double origin[3];        ///< m
    double domain[2][3];     ///< m
    int32_t low[3], high[3]; ///< tiles that may exist
    int32_t period[3];       ///< tiles along an axis that is periodic; else 0
    int layers;              ///< of extrapolation
    float band;              ///< m; phi is cut off at this: 4 voxels, or the narrow band and 1

    sp_tiles tiles;
    float *u[3];                       ///< m/s, on low faces
    float *before[3];                  ///< u before forces: what particles saw (L2)
    float *phi;                        ///< m, at cells
    float *q;                          ///< pressure times dt/(density*voxel), m/s, at cells
    float *aeration;                   ///< 1/s, largest since the last frame; NULL unless asked for
    float *carried_u[3], *carried_phi; ///< u and phi as advected on the grid; NULL where nothing is
    float *last_u[3];       ///< u one substep ago, for aeration with particles and pairs; else NULL
    float *flow[3];         ///< with what water moves in the second substep of a pair; else NULL
    float *other_q;         ///< q of the other substep of a pair; NULL where there are none
    float *spare;           ///< for carrying fields to other tiles
    sp_tile_mask *known[3]; ///< faces that have a velocity
    sp_tile_mask *splatted[3]; ///< faces that particles gave a velocity, before the projection
    sp_tile_mask *pinned;      ///< voxels of emitters that run
    sp_tile_mask *spare_mask;
    size_t field_room; ///< tiles for which there is room in all of these

    sp_solids *solids;
    liquid_solid solid;
    liquid_emitter *emitter; ///< those that run; fills are done with at the start
    size_t emitters;
    sp_shape **sink;
    size_t sinks;
    liquid_particles particles;
    double
        water; ///< voxels of water that particles and grid began with, where none flows in or out
    int64_t owed; ///< eighths of a particle that reseeding took away and has not given back
    sp_poisson *poisson;
    sp_scratch scratch; ///< dies within a stage

    double time, last_dt;
    bool mirrored; ///< after the first substep of a pair (reflect.c)
    uint64_t steps;
    int frame_steps;          ///< since the last frame
    int frame_iterations[32]; ///< of its pressure solves, the first of them
    bool said_haste, said_pocket;
    bool said_residual;  ///< in this frame
    int failed_in_a_row; ///< pressure solves
    uint64_t stuck_told; ///< particles that had been stuck when that was last said
    sp_liquid_figures figures;
    sp_profile profile;
    void *published; ///< what publish made last (publish.c)
};

/// ---- Before anything is allocated: check.c, estimate.c -----------------------------------------

sp_status liquid_check(const sp_setup *setup, sp_error *err);
double liquid_water_cells(const sp_setup *setup); ///< at most, in all of a run (estimate.c)
double liquid_estimate(const sp_setup *setup);    ///< bytes, with frames and checkpoints
/// The six sides in the order of SP_SIDE_...
void liquid_side_kinds(const sp_liquid_sides_def *sides, int kind[6]);
/// Origin, domain, tile box and periods out of def and the scene's domain.
void liquid_lay_grid(liquid *s, const sp_domain_def *domain);

/// ---- Opening: open.c, start.c ------------------------------------------------------------------

sp_status liquid_open(const sp_setup *setup, const sp_host *host, liquid **out, sp_error *err);
void liquid_close(liquid *s);
/// Water as the scene's fills say: tiles, phi, u, particles.
sp_status liquid_start(liquid *s, const sp_world_def *world, sp_error *err);

/// ---- Fields and tiles: fields.c, solid.c -------------------------------------------------------

/// Makes `next` the topology and carries what lasts; afterwards *next is the old one, to be closed.
/// On failure everything is as it was.
sp_status liquid_retile(liquid *s, sp_tiles *next, sp_error *err);
void liquid_fields_close(liquid *s);
/// Looks at solids in all tiles; `all` false: only where they may have moved.
sp_status liquid_solid_look(liquid *s, bool all, sp_error *err);
/// Brings rows over from tiles `from` (NULL: there are none) to s->tiles and looks at new ones.
sp_status liquid_solid_carry(liquid *s, const sp_tiles *from, sp_error *err);
void liquid_solid_close(liquid *s);
/// Open shares of a tile's low and high faces along an axis; false when all are 1 (nothing is
/// written then).
bool liquid_open_shares(const liquid *s, uint32_t tile, int axis, float low[SP_TILE_VOXELS],
                        float high[SP_TILE_VOXELS]);
/// Faces that are open by less than this are slits: pressure hardly feels what they let through,
/// and no particle should follow it as it is (extend.c).
#define LIQUID_SLIT 0.25f
/// Velocity of solids at the same faces; false when it is 0 everywhere.
bool liquid_solid_velocity(const liquid *s, uint32_t tile, int axis, float low[SP_TILE_VOXELS],
                           float high[SP_TILE_VOXELS]);
/// What solids push into each voxel of a tile beyond what its open faces can take, m/s (volume over
/// a voxel's face); false when nothing moves there, and nothing is written.
bool liquid_squeezed(const liquid *s, uint32_t tile, float excess[SP_TILE_VOXELS]);
/// Distance at a place of a tile (voxels from its low corner) to the bodies themselves, m, where
/// they may reach further than psi between corners of voxels tells; INFINITY elsewhere. `normal`
/// points out, `who` is the body; both may be NULL.
double liquid_body_distance(const liquid *s, uint32_t tile, const float x[3], double normal[3],
                            int *who);
/// Distance to solids at the centre of a voxel of a cut tile, m, and where it grows (unit vector).
float liquid_solid_depth(const sp_solid_tile *tile, int i, int j, int k, float normal[3]);
void liquid_voxel_center(const liquid *s, uint32_t tile, int place, double p[3]); ///< in the world
static inline bool liquid_mask_has(const sp_tile_mask mask, int place)
{
    return mask[place >> 6] >> (place & 63) & 1;
}

/// ---- Emitters, sinks and open sides: emit.c, sides.c -------------------------------------------

sp_status liquid_emitters_open(liquid *s, const sp_world_def *world, sp_error *err);
void liquid_emitters_close(liquid *s);
/// Marks `pinned`, fills what flows out of emitters, drains sinks; all at the time s->time.
sp_status liquid_emit(liquid *s, double dt, sp_error *err);
/// Particles in each voxel of a tile, up to 255.
void liquid_count_particles(const liquid *s, size_t t, uint8_t count[SP_TILE_VOXELS]);
/// Whether a voxel lies below the band that holds particles, where what is seeded would be dropped.
static inline bool liquid_is_deep(const liquid *s, size_t t, int place)
{
    return s->def.narrow_band > 0 &&
           s->phi[t * SP_TILE_VOXELS + (size_t)place] < -(float)s->def.narrow_band * s->voxel;
}
/// First and last voxel of a tile (0 to 7) that lie within the domain along an axis whose sides are
/// open; centres decide. False when all do (sides.c).
bool liquid_inside_span(const liquid *s, uint32_t tile, int axis, int *first, int *last);
/// Water at open sides, up to sides.level (sides.c).
sp_status liquid_fill_sides(liquid *s, sp_error *err);
/// The velocity of emitters on the faces of their voxels.
void liquid_pin(liquid *s);
double liquid_emitters_speed(const liquid *s, double until); ///< the fastest that runs by then
/// Voxels of tile t whose centres lie in emitter i; false when there are none.
bool liquid_emitter_mask(const liquid *s, size_t i, size_t t, sp_tile_mask mask);
/// Tiles around a shape that is grown by `grow`, m, among those that may exist.
void liquid_tile_range(const liquid *s, const sp_shape *shape, double grow, int32_t low[3],
                       int32_t high[3]);

/// ---- Surface and velocity beyond the water: extend.c -------------------------------------------

/// Continues phi into solids, so that walls are no surface, and makes it a distance again.
sp_status liquid_extend_phi(liquid *s, sp_error *err);
/// Gives the first layer of unknown faces beside known ones a velocity, by straight lines (lean.c).
sp_status liquid_lean(liquid *s, sp_error *err);
/// Changes u where no water touches it, so that air at the surface has no divergence: what phi is to
/// be carried with (air.c).
sp_status liquid_balance_air(liquid *s, sp_error *err);
/// Continues u beyond the water and into solids (L7), after a step of dt.
sp_status liquid_extend_u(liquid *s, double dt, sp_error *err);

/// ---- Pressure: system.c, project.c -------------------------------------------------------------

/// Makes u divergence-free (L5, L6); `known` afterwards tells which faces the water touches.
sp_status liquid_project(liquid *s, double dt, sp_error *err);

/// ---- Pairs of substeps: reflect.c --------------------------------------------------------------

/// Whether substeps come in pairs.
bool liquid_reflects(const liquid *s);
/// After the projection, before u is extended: `flow` becomes r (u - u~) on all faces near water.
sp_status liquid_reflect(liquid *s, double dt, sp_error *err);
void liquid_reflect_add(liquid *s); ///< adds u: `flow` is what particles are to carry
/// `flow` becomes what moves water in the second substep.
void liquid_reflect_ahead(liquid *s, double dt);

/// ---- A substep: step.c, tile_choice.c ----------------------------------------------------------

/// Makes s->tiles those that water is in or may come to, carries fields over and sorts particles.
/// phi (on the tiles as they are) tells where water is besides particles; NULL: nowhere.
sp_status liquid_choose_tiles(liquid *s, const float *phi, sp_error *err);

void liquid_profile_begin(liquid *s);
/// The divergence, times voxel (m/s), that pressure is to leave in each voxel: what spreads crowded
/// particles and draws thin water together, and what brings volume back that was lost or gained (L12).
/// False: no memory (density.c).
bool liquid_wanted_divergence(liquid *s, float *source);
/// Depth (m, negative) from which on water is the grid's and not the particles', by carried_phi
/// (density.c).
float liquid_grid_depth(const liquid *s);
/// L12: 1/s for a share of the volume that is missing, and that share without particles (figures.c).
double liquid_volume_rate(const liquid *s, double missing);
double liquid_missing(liquid *s);
/// What there should be, m3: the start, and what came and went since, by particles.
double liquid_wanted_volume(const liquid *s);
/// With volume_correction, moves the surface so that it holds that (density.c).
sp_status liquid_hold_volume(liquid *s, sp_error *err);
/// Share of each voxel of a tile that is water: what phi leaves of it, as if the surface were a plane
/// across an axis, times what solids leave (figures.c).
void liquid_find_shares(const liquid *s, size_t t, float share[SP_TILE_VOXELS]);
/// Where water takes in air (aeration.c).
sp_status liquid_aerate(liquid *s, double dt, sp_error *err);
/// SP_DIVERGED, with a stage and a place, when a velocity is not finite (finite.c).
sp_status liquid_check_finite(liquid *s, sp_error *err);

/// ---- Out and in: publish.c, state.c ------------------------------------------------------------

sp_status liquid_publish(liquid *s, sp_frame *frame, sp_error *err);
void liquid_publish_close(liquid *s);
sp_status liquid_save(const liquid *s, sp_blob *blob, sp_error *err);
sp_status liquid_restore(liquid *s, sp_blob *blob, sp_error *err);

static inline bool liquid_has_particles(const liquid *s)
{
    return s->def.method != SP_LIQUID_EULERIAN;
}

/// ---- Particles: advect.c, sort.c, gather.c -----------------------------------------------------

/// Moves particles along u for dt (L8: Ralston's third order), at most cfl + 1 voxels, and out of
/// solids. x is left unwrapped: relative to the tile they came from, within (-8, 16). Those that
/// leave by an open side or stay stuck in a solid get id LIQUID_GONE and are counted; periodic sides
/// need nothing here.
#define LIQUID_GONE UINT64_MAX
void liquid_advect(liquid *s, float *const u[3], double dt);
/// Marks the tiles that particles are in after liquid_advect: bit n of reach[t] when some particle
/// of tile t is in the tile at offset n of `around` (t itself is SP_TILES_SELF).
void liquid_reach(const liquid *s, uint32_t *reach);
/// Sorts particles of `from` (the topology that x is relative to; may be s->tiles itself) into
/// s->tiles; drops those that are gone, and as figures.left those in tiles that do not exist.
/// Stable: in a voxel they keep their order. Swaps the columns' memory: pointers from before are
/// stale. On failure nothing has changed.
sp_status liquid_sort(liquid *s, const sp_tiles *from, sp_error *err);
/// No particles yet; def.method and def.cfl must be set. On failure nothing is left.
sp_status liquid_particles_open(liquid *s, sp_error *err);
void liquid_particles_close(liquid *s); ///< a zeroed one is welcome
/// Room for n particles in all; columns may move.
sp_status liquid_particles_reserve(liquid *s, size_t n, sp_error *err);
/// Room for the starts of n tiles; those that there are stay.
sp_status liquid_starts_reserve(liquid *s, size_t n, sp_error *err);
/// Velocities back from the grid (L2): s->u, or what is given instead.
void liquid_gather(liquid *s, float *const u[3], double dt);

/// ---- Particles to the grid: splat.c, surface.c, seed.c -----------------------------------------

/// u from particles (L1), and `known` where the weight is at least 1e-6; u is 0 elsewhere.
sp_status liquid_splat(liquid *s, sp_error *err);
/// phi from particles (L9), not yet redistanced, within +-band; +band where no particle is near, also
/// below a narrow band: carried_phi, which is what tells there, must mend that. Cells that it says
/// are deep are not computed. Voxels in solids (solid.row may be NULL) count as full of particles: a
/// wall is no surface.
sp_status liquid_surface(liquid *s, sp_error *err);
/// phi as liquid_surface left it becomes a height above the surface, near it (straight.c).
void liquid_straighten(liquid *s);
/// What phi then is where no water is near, m.
float liquid_far(const liquid *s);
/// With a narrow band, takes the roughness of particles out of phi, which is a distance, after a step
/// of dt; carried_phi is on s->tiles (smooth.c).
void liquid_smooth(liquid *s, double dt);
/// Fills voxels of `wanted` with particles at jittered places, each with the velocity given by the
/// grid (v NULL) or v; only places outside solids (solid.row NULL: there are none) for which `keep`
/// (may be NULL; asked by several threads at once; p in m of the world) says so. Ids follow the order
/// of tiles and voxels. Particles end up sorted; *count is how many came. On failure nothing changed.
typedef bool liquid_keep(const void *arg, const double p[3]);
sp_status liquid_seed(liquid *s, const sp_tile_mask *wanted, const float v[3], liquid_keep *keep,
                      const void *arg, uint64_t *count, sp_error *err);
/// Keeps the number of particles in voxels within bounds, and in narrow bands their depth.
sp_status liquid_reseed(liquid *s, sp_error *err);

/// ---- Grid to grid: maccormack.c ----------------------------------------------------------------

/// s->u and s->phi carried along s->u for dt (L8), into the arrays given, on the same tiles; u or
/// phi may be NULL. u must have been extrapolated. Faces whose way back leaves what is known keep
/// their value; beyond all tiles phi is +band. Nothing travels further than 7.49 voxels. `rows` not
/// NULL: bit j + 8k of rows[t] asks for row (j, k) of tile t and the one it makes a pair with (j^1);
/// the others are left alone.
sp_status liquid_advect_grid(liquid *s, double dt, const uint64_t *rows, float *const u[3],
                             float *phi, sp_error *err);

/// ---- Particles near the surface only: band.c ---------------------------------------------------

/// Before particles and tiles change: u and phi of deep water carried along for dt, on s->tiles;
/// where there is none (no water out of narrow_band - 3/2 voxels' depth could come near in dt) u is
/// 0 and phi +band. They are to be brought to the new tiles with these as background. The band that
/// phi is cut off at must be narrow_band voxels or more.
sp_status liquid_carry_deep(liquid *s, double dt, float *const u[3], float *phi, sp_error *err);
/// With u, known and phi of s out of particles (liquid_splat, liquid_surface) and the carried ones
/// on s->tiles: takes u from the grid below the band, mixes both over its deepest 3/2 voxels, and
/// gives faces without particles more than half a voxel below the surface the grid's; phi becomes
/// the smaller of the particles' and the carried one plus half a voxel. Redistance it afterwards.
void liquid_blend_band(liquid *s, float *const u[3], const float *phi);

#endif
