// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_INTERNAL_H
#define SP_BUBBLES_INTERNAL_H

/// Data of the solver, and the functions that its files share.
///
/// Two phases: particles (air, grains, oil) and water on a sparse grid. q is a particle, "face" a low
/// face of a voxel along one axis, h the voxel.
///
///     share     phi_b, the share of a face that particles fill, at most max_fraction; water has 1 - phi_b
///     fill      phi_b before the clamp; it may be above 1
///     mass      of particles at a face over h^3, kg/m3, so that mass/fill is their density rho_b
///     u, ub     velocity of water, and of particles as the grid sees it, m/s
///     q         pressure less that of still water, times dt/(density h), m/s: the water of a face
///               loses the difference of q across it
///
/// Still water needs no forces that way: its gravity and the gradient of its pressure cancel exactly,
/// on the grid and on particles alike, and float keeps the small rest.
///
/// A position is a tile and an offset from the tile's low corner, in voxels:
///
///     world position of particle i of tile t = origin + voxel*(8*tiles.at[t] + x[i])
///
/// Faces, cells and masks are fields of `tiles`, as in tiles/tiles.h.

#include "bubbles/bubbles.h"
#include "bulk/bulk.h"
#include "flow/flow.h"
#include "liquid/mixture.h"
#include "particles/particles.h"
#include "tiles/patch.h"
#include "tiles/points.h"

/// Purposes of random numbers.
enum { BUBBLES_RANDOM_PLACE = 1, BUBBLES_RANDOM_RADIUS, BUBBLES_RANDOM_CONTACT };

/// Faces with a smaller share of particles have none: phi_b = 0, and water flows through alone.
#define BUBBLES_EMPTY 1e-6f
/// Particles move at most this far in a substep, voxels, so that they end in one of the 27 tiles
/// around.
#define BUBBLES_FARTHEST 7.49f

/// Particles that a thread takes at once; whole registers.
#define BUBBLES_GRAIN 4096

/// ---- Particles (particles/) --------------------------------------------------------------------

typedef struct bubbles_particles {
    sp_particles set; ///< columns as below, in this order
    float *x[3];      ///< voxels, 0 <= x < 8 except between moving and sorting
    float *v[3];      ///< m/s
    float *radius;    ///< m
    float *density;   ///< kg/m3
    float *place;     ///< m3; the volume that it stands for in a lattice; 0: that of its radius
    float *largest;   ///< m; the radius that it was let in with
    float *scale;     ///< power basis: s_q of the transport plan; 0: not known yet
    uint32_t *material;
    uint64_t *id;        ///< in order of emission, never used twice
    const float *number; ///< not a column: bubbles that each particle stands for; NULL: 1
    uint32_t *start;     ///< particles of tile t are start[t] ... start[t+1] - 1
    size_t start_room;   ///< entries
    uint64_t next_id;
    sp_particles spare; ///< the same columns: sorting writes here, then swaps
} bubbles_particles;

static inline float bubbles_volume(float radius) ///< m3
{
    return 4.0f / 3.0f * SP_PI * radius * radius * radius;
}

/// m3; of all bubbles that particle i stands for.
static inline float bubbles_volume_of(const bubbles_particles *p, size_t i)
{
    return p->number ? p->number[i] * bubbles_volume(p->radius[i]) : bubbles_volume(p->radius[i]);
}

static inline float bubbles_radius(float volume) ///< m
{
    return (float)sp_cbrt((double)volume * (3.0 / (4.0 * SP_PI_D)));
}

/// ---- The grid (grid/) --------------------------------------------------------------------------

typedef struct bubbles_grid {
    float voxel;             ///< m
    double origin[3];        ///< m; low corner of voxel (0, 0, 0): that of the domain
    double domain[2][3];     ///< m
    int32_t low[3], high[3]; ///< tiles that may exist
    int32_t period[3];       ///< tiles along an axis that is periodic; else 0

    sp_tiles tiles;
    uint8_t *
        busy; ///< by tile: some face has particles or a force; faces of other tiles have water alone
    uint8_t *plain;   ///< by tile: beta is 1 on all its faces, and predicted in this substep
    uint16_t *idle;   ///< by tile: substeps since bubbles last needed it
    size_t tile_room; ///< entries of busy, plain and idle
    /// On low faces.
    float *u[3];      ///< m/s; of water; lasts
    float *u0[3];     ///< m/s; at the start of the substep, after advection
    float *u_last[3]; ///< m/s; before the present Newton iteration, in busy tiles
    float
        *ub[3]; ///< m/s; of particles: before the pressure solve without its gradient, then with it
    float *share[3];    ///< phi_b
    float *fill[3];     ///< phi_b before the clamp
    float *mass[3];     ///< kg/m3
    float *place[3];    ///< share of the volumes that particles stand for; see `places`
    float *force[3];    ///< N/m3; f of surface tension
    float *drag[3];     ///< N/m3; D, drag per volume of particles
    float *slope[3];    ///< N s/m4; K, its lumped derivative
    float *soft[3];     ///< compliance of particles over that of free water, s rho_w/rho_b
    float *flux[3];     ///< m/s; of the mixture, before the pressure solve
    float *beta[3];     ///< compliance of the mixture over that of water
    float *gradient[3]; ///< m/s; difference of q across the face
    /// At cells.
    float *q;        ///< m/s; lasts
    float *level;    ///< kind of each cell for flow/pressure.h: -1 unknown, 0 fixed (the border)
    float *source;   ///< m/s; S h, the wanted divergence times h (volume.c)
    float *fraction; ///< in a liquid only: share of air
    bool in_liquid;
    uint8_t closed_sides; ///< bit a: cells at the border of the tiles along axis a are unknowns too
    sp_flow_store store;
} bubbles_grid;

/// World position of a place in a tile (voxels from its low corner), m.
static inline void bubbles_point(const bubbles_grid *g, size_t tile, const float x[3], double p[3])
{
    sp_flow_point(&g->tiles, g->origin, tile, x, p);
}
/// Whether a tile's faces have particles or forces.
static inline bool bubbles_is_busy(const bubbles_grid *g, size_t tile)
{
    return g->busy[tile] != 0;
}

/// Water outside the tiles: still, or that of a bulk (whitewater).
typedef struct bubbles_ambient {
    sp_flow_sampler sampler;
    /// Velocity at low faces of a tile that is new, m/s; NULL: still.
    void (*fill)(const void *arg, const bubbles_grid *g, uint32_t tile, int axis,
                 float u[SP_TILE_VOXELS]);
    const void *arg;
} bubbles_ambient;

/// ---- Values at particles, for one substep ------------------------------------------------------

/// Arrays by particle, from the scratch. They live from the fractions to the end of the substep.
typedef struct bubbles_at_particles {
    float *v0[3];       ///< m/s; velocity at the start of the substep
    float *water[3];    ///< m/s; of the water here
    float *share[3];    ///< share of water here, phi_w, by component
    float *gradient[3]; ///< m/s; of q here
    float *force[3];    ///< N/m3; of surface tension here
    float *drag[3];     ///< N/m3; D_q, per volume of the particle
    float *slope[3];    ///< N s/m4; row sums of |dD_q/du|
    float *soft[3];     ///< s_q
    float *thin[3];     ///< schemes of WFS22: one over s_q, by which faces are overfull; else NULL
    float *lift[3];     ///< m/s; guided: dt a_B here, from the pressure of the bulk; else NULL
} bubbles_at_particles;

/// ---- Basis (basis/): from particles to faces and back ------------------------------------------

/// Values that are rasterised at once.
enum { BUBBLES_QUAD = 4 };

/// What to rasterise for each axis: up to four arrays by particle (NULL: none). A face gets the sum
/// over particles of weight*value, into `to` (which may be NULL where `from` is). Faces of tiles that no
/// particle reaches are left alone.
typedef struct bubbles_raster {
    const float *from[3][BUBBLES_QUAD];
    float *to[3][BUBBLES_QUAD];
} bubbles_raster;

struct bubbles;

/// A set of weights (WSB25 section 5.2). Both functions work on s->grid and s->particles.
typedef struct bubbles_basis {
    /// Computes the weights for the present positions, and may shift particles to the centres of
    /// their weights (power). NULL: nothing to do.
    sp_status (*prepare)(struct bubbles *s, sp_error *err);
    /// Sums over particles at faces. `reached` (may be NULL): set to 1 for tiles with a face that a
    /// particle reaches, by tile, and to 0 for others.
    sp_status (*rasterise)(struct bubbles *s, const bubbles_raster *raster, uint8_t *reached,
                           sp_error *err);
    /// out[a][i] = sum over faces of axis a of weight*field[a].
    sp_status (*interpolate)(struct bubbles *s, float *const field[3], float *const out[3],
                             sp_error *err);
    float reach; ///< voxels; from a particle to the farthest face that it gives a weight
} bubbles_basis;
extern const bubbles_basis bubbles_trilinear, bubbles_power;

/// ---- Emitters (sources/) -----------------------------------------------------------------------

typedef struct bubbles_emitter {
    const sp_bubbles_emitter_def *def;
    size_t number; ///< index in the scene's list
    sp_shape *shape;
    uint32_t material;
    double owed;      ///< of mode rate: share of the next particle that is due
    double travelled; ///< m; of mode flow: since the last layer of the lattice
    bool done;        ///< of mode once
} bubbles_emitter;

/// Particles to be let in, in order of their ids; arrays grow as needed.
typedef struct bubbles_new {
    const sp_host *host;
    size_t count, room;
    double (*x)[3]; ///< m; world
    float (*v)[3];  ///< m/s
    float *radius, *density, *place;
    uint32_t *material;
} bubbles_new;

struct bubbles {
    const sp_host *host;
    const sp_watch *watch;
    sp_bubbles_def def;
    sp_bubbles_material_def material[SP_BUBBLES_MATERIALS]; ///< at least one
    size_t materials;
    uint64_t seed;
    float gravity[3]; ///< m/s2
    bubbles_grid grid;
    bubbles_ambient ambient;
    bubbles_particles particles;
    bubbles_at_particles at;
    const bubbles_basis *basis;
    void *power;           ///< state of the power basis; else NULL
    void *contacts;        ///< state of contacts, part of the solver's; NULL: there have been none
    sp_flow_solids solids; ///< row is NULL where the scene has no colliders
    bool has_solids;
    bool places;     ///< some particles stand for places of a lattice
    bool has_source; ///< grid.source is not 0 everywhere
    liquid *water;   ///< the liquid that the bubbles are in; NULL: still water without end
    sp_liquid_phase phase;
    struct bubbles_guide *guide; ///< the bulk that the water follows (guided/); NULL: none
    uint64_t first_new;          ///< id of the first particle let in in this substep
    bubbles_emitter *emitter;
    size_t emitters;
    bubbles_new fresh;
    sp_poisson *poisson;
    sp_scratch scratch;

    double time, last_dt; ///< s
    double limit;         ///< s; of substeps after one had to be repeated; 0: none
    double frame_seconds; ///< s; of the present frame
    double water_speed;   ///< m/s; largest component after the last solve
    double water_change,
        bubble_change; ///< m/s; largest change of a component in the last iteration
    uint64_t substeps;
    int frame_substeps;
    int failed_in_a_row;      ///< pressure solves
    sp_poisson_report solved; ///< what the last one reported
    bool more_iterations;     ///< the present Newton iteration is the first of several
    bool warned_substeps, warned_full, warned_volume, warned_dry, warned_closed;
    double volume_emitted;   ///< m3; air_volume at the frame after the last emission
    uint64_t emitted_before; ///< figures.emitted at the last frame
    sp_bubbles_figures figures;
    sp_profile profile;
    double clock;
    void *published;
};

/// ---- Start and end (start/) --------------------------------------------------------------------

sp_status bubbles_check(const sp_setup *setup, sp_error *err);
double bubbles_estimate(const sp_setup *setup); ///< bytes
double bubbles_seconds(const sp_setup *setup);
/// The number of substeps of a frame that the scene asks for, or enough for its tension and large bubbles
/// (start/substeps.c).
int bubbles_substeps(const sp_setup *setup);
/// s; the longest substep in which surface tension is stable, or infinity.
double bubbles_tension_limit(const sp_bubbles_def *def);
sp_status bubbles_open(const sp_setup *setup, const sp_host *host, bubbles **out, sp_error *err);
void bubbles_close(bubbles *s);
/// Fills in what a scene may leave to the coupling, and what the coupling decides.
void bubbles_fill_defaults(sp_bubbles_def *def);
/// Origin, domain, box of tiles and periods.
void bubbles_lay_grid(bubbles_grid *g, const sp_bubbles_def *def, const sp_domain_def *domain);

/// ---- warnings.c --------------------------------------------------------------------------------

void bubbles_warn_at_start(bubbles *s, const sp_setup *setup);
void bubbles_warn_of_closed(bubbles *s); ///< after a solve with pieces that have no way out
/// `f`: sp_bubbles_look() of the frame.
void bubbles_warn_at_frame(bubbles *s, const sp_bubbles_figures *f);

/// ---- particles/ --------------------------------------------------------------------------------

sp_status bubbles_particles_open(bubbles_particles *p, const sp_host *host, sp_error *err);
void bubbles_particles_close(bubbles_particles *p);
sp_status bubbles_particles_reserve(bubbles_particles *p, size_t n, sp_error *err);
sp_status bubbles_starts_reserve(bubbles_particles *p, size_t tiles, sp_error *err);
sp_moved_points bubbles_moved(const bubbles_particles *p, const sp_tiles *tiles);
/// Sorts particles of `from` into `to`; those in tiles that do not exist are dropped and added to *left.
sp_status bubbles_sort(bubbles_particles *p, const sp_tiles *from, const sp_tiles *to,
                       sp_scratch *scratch, uint64_t *left, sp_error *err);
/// The same particles on more tiles.
sp_status bubbles_remap(bubbles_particles *p, const sp_tiles *from, const sp_tiles *to,
                        sp_scratch *scratch, sp_error *err);
/// Adds the new particles to the tiles that they are in, which must exist. Empties `fresh`.
sp_status bubbles_insert(bubbles_particles *p, const bubbles_grid *g, const sp_tiles *tiles,
                         bubbles_new *fresh, sp_scratch *scratch, sp_error *err);
/// The tile of a new particle and its place in it, voxels.
void bubbles_place(const bubbles_grid *g, const double x[3], int32_t tile[3], float place[3]);

/// 1  x += dt v, and what solids do about it. Particles that leave the domain or are deep in a solid get
/// id SP_POINT_GONE and are counted.
void bubbles_move(bubbles *s, double dt);
/// Removes the part of a velocity that points into a solid; what slides along it is braked by friction, in
/// proportion. `normal` points out of the solid.
void bubbles_slide(float friction, const double normal[3], const double solid[3], float v[3]);
/// Whether a solid may be within a particle's way from tile t.
bool bubbles_is_near_solids(const bubbles *s, size_t t);

/// ---- sources/ ----------------------------------------------------------------------------------

sp_status bubbles_emitters_open(bubbles *s, const sp_world_def *world, sp_error *err);
void bubbles_emitters_close(bubbles *s);
/// Appends to `fresh` what is let in from s->time to s->time + dt.
sp_status bubbles_emit(bubbles *s, double dt, sp_error *err);
/// Whether an emitter lets in all of its particles by `until`, and has not yet.
bool bubbles_emit_at_once(const bubbles *s, double until);
sp_status bubbles_new_add(bubbles_new *fresh, const double x[3], const float v[3], float radius,
                          float density, float place, uint32_t material, sp_error *err);

/// ---- grid/ -------------------------------------------------------------------------------------

void bubbles_grid_close(bubbles_grid *g, const sp_host *host);
/// Chooses the tiles around particles, carries fields to them, sorts particles and lets in the new ones.
sp_status bubbles_choose_tiles(bubbles *s, sp_error *err);
/// The tiles within the basis' reach of the particles, which are sorted into the tiles `full`.
sp_status bubbles_find_near(bubbles *s, const sp_tiles *full, sp_tiles *near, sp_error *err);
/// The same topology again, after restore.
sp_status bubbles_retile(bubbles *s, sp_tiles *next, sp_error *err);
/// u by MacCormack, with the ambient outside the tiles.
sp_status bubbles_advect_water(bubbles *s, double dt, sp_error *err);
/// Velocity (or another field) at faces that the solve leaves without one: copied outward at the
/// border of the tiles, extrapolated into solids. `solid`: closed faces take the solid's velocity.
sp_status bubbles_extend(bubbles *s, float *const u[3], bool solid, sp_error *err);
/// Only the first: low faces at the border of the tiles take the value of the next face inward.
void bubbles_copy_outward(const bubbles *s, float *const u[3]);

/// ---- coupling/: stages of the Newton iterations, as in WSB25's Algorithm 1 ---------------------

/// Takes the arrays of s->at from the scratch, and notes the velocities at the start of the substep.
sp_status bubbles_at_open(bubbles *s, sp_error *err);
/// 2  share, fill and mass at faces (30 to 32), busy tiles, share of water at particles.
sp_status bubbles_fractions(bubbles *s, sp_error *err);
/// The share of the volume around each low face of an axis that solids leave open, at least 0.2.
void bubbles_open_volume(const bubbles *s, uint32_t t, int axis, float volume[SP_TILE_VOXELS]);
/// Mean of a field at the six faces of each voxel of a tile.
void bubbles_mean_of_faces(const sp_tiles *tiles, float *const field[3], uint32_t t,
                           float out[SP_TILE_VOXELS]);
/// 3  The first guess of q (49).
void bubbles_guess_pressure(bubbles *s, double dt);
/// a  Water and gradient at particles.
sp_status bubbles_look_around(bubbles *s, sp_error *err);
/// b, c  Velocity of particles (21, 36): exact, or one linearised step. `scaled`: drag is scaled by the
/// share of water.
sp_status bubbles_solve_exact(bubbles *s, bool scaled, double dt, sp_error *err);
sp_status bubbles_solve_linearised(bubbles *s, bool scaled, double dt, sp_error *err);
/// D, K and s of drag on particles with the velocities v.
void bubbles_drag_at(bubbles *s, const float *const v[3], bool scaled, double dt);
/// The same with the diagonal of |dD/du| alone for K, as WFS22 (3.3.3).
void bubbles_drag_diagonal_at(bubbles *s, const float *const v[3], double dt);
/// d, e  ub, soft, drag and slope at faces (39, 40, 51).
sp_status bubbles_rasterise_forces(bubbles *s, double dt, sp_error *err);
/// Zeroes ub, soft, drag and slope of busy tiles: those that only a force reaches get no sums.
void bubbles_clear_forces(bubbles *s);
/// The same two stages in the schemes of WFS22; before them, 1/s at particles (coupling/inertia.c).
sp_status bubbles_find_thin(bubbles *s, sp_error *err);
sp_status bubbles_rasterise_inertia(bubbles *s, sp_error *err);
/// f, g  Velocity of water before the pressure solve, flux and compliance of the mixture (23); and as the
/// paper prints it.
void bubbles_predict_water(bubbles *s, double dt);
void bubbles_predict_water_as_printed(bubbles *s, double dt);
/// The same by WFS22 (19), and as WSB25 restates it (17). Then `slope` holds the compliance of water over
/// that of free water, rho_w/rho*.
void bubbles_predict_water_inertia(bubbles *s, double dt);
void bubbles_predict_water_restated(bubbles *s, double dt);
/// h  Solves for q and ends with u and ub that have the wanted divergence (47, 48). `loose`: compliance of
/// water at faces over that of free water; NULL: 1.
sp_status bubbles_project(bubbles *s, float *const loose[3], double dt, sp_error *err);
/// Its solve: q from the equation, which is that of the mixture.
sp_status bubbles_solve_pressure(bubbles *s, const sp_flow_equation *equation, double dt,
                                 sp_error *err);
/// After a solve: takes the gradient off u and ub, each by its compliance. Where there is water alone, u is
/// flux less the gradient.
sp_status bubbles_update_velocity(bubbles *s, float *const loose[3], sp_error *err);
/// Differences of q across faces that are read again.
void bubbles_find_gradient(bubbles *s);
/// Water in full faces moves as the particles do.
void bubbles_follow(bubbles *s);
/// 6  Crowded particles take a share of the grid's velocity.
sp_status bubbles_damp_noise(bubbles *s, sp_error *err);
/// Contacts of grains, after b, c.
sp_status bubbles_contacts(bubbles *s, double dt, sp_error *err);

/// ---- tension/ ----------------------------------------------------------------------------------

/// 4  f on faces and at particles (41 to 46). Marks tiles busy that a force reaches.
sp_status bubbles_tension(bubbles *s, sp_error *err);
/// Regions of cells that faces with air join: the pocket of each cell, or SP_NO_POCKET, and the air in
/// each pocket in voxels.
#define BUBBLES_NO_POCKET UINT32_MAX

/// ---- volume/ -----------------------------------------------------------------------------------

/// S in cells well inside the air, where particles have thinned out or crowd.
sp_status bubbles_volume_source(bubbles *s, double dt, sp_error *err);
/// 7  Shrinks particles that together fill more than max_swelling allows, and lets them grow again.
sp_status bubbles_limit_swelling(bubbles *s, sp_error *err);

/// ---- step_*.c ----------------------------------------------------------------------------------

sp_status bubbles_step_stabilized(bubbles *s, double dt, sp_error *err);
sp_status bubbles_step_stabilized_paper(bubbles *s, double dt, sp_error *err);
sp_status bubbles_step_inertia_aware(bubbles *s, double dt, sp_error *err);
sp_status bubbles_step_inertia_restated(bubbles *s, double dt, sp_error *err);
/// A substep of dt, whatever the scheme; s; and the longest that one may be.
sp_status bubbles_substep(bubbles *s, double dt, sp_error *err);
double bubbles_longest_substep(bubbles *s);
double bubbles_fastest(const bubbles *s); ///< m/s: of particles, water and solids
/// A substep of dt, or a shorter one if that ends far too fast (repeat_substep.c).
sp_status bubbles_careful_substep(bubbles *s, double dt, sp_error *err);
/// 1  Everything before the fractions: solids, motion, emission, tiles, advection, basis.
sp_status bubbles_advance(bubbles *s, double dt, sp_error *err);
sp_status bubbles_timed(bubbles *s, int stage, sp_status status);
void bubbles_profile_begin(bubbles *s);
sp_status bubbles_check_finite(bubbles *s, sp_error *err);

/// ---- Out and in --------------------------------------------------------------------------------

sp_status bubbles_publish(void *solver, sp_frame *frame, sp_error *err);
void bubbles_publish_close(bubbles *s);
sp_status bubbles_save(const void *solver, sp_blob *blob, sp_error *err);
sp_status bubbles_restore(void *solver, sp_blob *blob, sp_error *err);

#endif
