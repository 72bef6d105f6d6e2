// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_SURFACE_INTERNAL_H
#define SP_WHITEWATER_SURFACE_INTERNAL_H

/// A step, in order:
///
///     float.c       foam moves along the surface
///     fly.c         spray flies
///     one_way.c     bubbles that returned rise
///     decide.c      who changes its kind, with project.c (onto the surface) and leap.c (off it)
///     transfer.c    particles go from set to set, and into the ledger
///     thin.c        foam is pruned and bursts; its life is drawn in life.c
///     crest.c       crests emit drops
///
/// docs/whitewater.md has the equations; numbers W are ours.

#include "whitewater/surface/surface.h"

enum { SURFACE_GRAIN = 256 }; ///< particles a block

/// Bits of `state` within a step.
enum {
    SURFACE_ARRIVED = 1 << 16, ///< a bubble that has just reached the surface
    SURFACE_FRESH = 1 << 17,   ///< became foam in this step
};

/// What becomes of a particle. The first ones are a kind of set + 1.
enum {
    SURFACE_STAYS,
    SURFACE_TO_BUBBLES,
    SURFACE_TO_FOAM,
    SURFACE_TO_SPRAY,
    SURFACE_LEAVES,
    SURFACE_INSIDE,
    SURFACE_STRANDED,
    SURFACE_BURSTS,
    SURFACE_PRUNED,
    SURFACE_FATES,
};

struct whitewater_surface {
    const sp_host *host;
    sp_foam_def foam_def;
    sp_floating_def floating;
    sp_spray_def spray;
    sp_foam *foam;
    whitewater_set moving[WHITEWATER_KINDS]; ///< on their way into each kind; empty between steps
    sp_scratch scratch;
    float life_scale, life_power; ///< of the Weibull distribution
    bool warned_substeps, warned_sizes, warned_lost;
};

/// What a block of particles reports.
typedef struct surface_count {
    uint32_t sunk, parted, projected, failed; ///< sunk, parted: foam that lost the surface
} surface_count;

/// One kind at t + dt, when it is decided what becomes of it.
typedef struct surface_deciding {
    const whitewater_surface *s;
    const whitewater_world *world;
    sp_bulk_view water;
    whitewater_set *set;
    size_t moved;                    ///< the first ones have moved in this step
    float *phi, *gradient[3], *u[3]; ///< at each particle
    float *before[3];                ///< m/s; foam that moved: its velocity before
    uint8_t *lost;                   ///< foam that moved: whether it lost the surface
    uint8_t *fate;
    surface_count *count; ///< by block
} surface_deciding;

/// How many particles, the first ones, are not new.
size_t surface_count_old(const whitewater_set *set);
/// SP_DIVERGED names the first particle whose place or velocity is not finite (E-W14).
sp_status surface_check_finite(const whitewater_world *world, const whitewater_set *set, int kind,
                               const char *stage, sp_error *err);

/// ---- Moving (float.c, fly.c, collide.c) --------------------------------------------------------

/// Foam, from t to t + dt. Allocates d->before and d->lost from the scratch memory and fills them in.
sp_status surface_float(whitewater_surface *s, const whitewater_world *world, whitewater_set *foam,
                        surface_deciding *d, whitewater_surface_figures *figures, sp_error *err);
/// Neighbours of all foam within its support, itself included; from the scratch memory.
sp_status surface_neighbours(whitewater_surface *s, const whitewater_set *foam,
                             const uint32_t **count, sp_error *err);
sp_status surface_fly(whitewater_surface *s, const whitewater_world *world, whitewater_set *spray,
                      whitewater_surface_figures *figures, sp_error *err);
/// Pushes a ball out of solids and removes what of its velocity goes into them; false if it is too deep.
bool surface_leave_solids(const whitewater_world *world, double x[3], double v[3], double radius);
bool surface_is_inside(const whitewater_world *world, const double x[3]);

/// ---- Deciding (decide.c, project.c, leap.c) ----------------------------------------------------

/// Fills in the water at all particles of d->set, and their fates.
sp_status surface_decide(whitewater_surface *s, int kind, surface_deciding *d,
                         whitewater_surface_figures *figures, sp_error *err);
/// Moves particle i to the surface; false, and nothing is changed, if there is none near.
bool surface_project(const surface_deciding *d, size_t i, double normal[3], double u[3]);
/// What a bubble keeps of its velocity as foam (W30).
void surface_keep_bubble(const sp_floating_def *def, const double normal[3], const double u[3],
                         double v[3]);
/// Whether the water drops away from foam faster than it can follow; then it is put above the surface.
bool surface_leaps(const surface_deciding *d, size_t i);
void surface_load(float *const from[3], size_t i, double to[3]);
void surface_store(float *const to[3], size_t i, const double from[3]);

/// ---- Changing sets (transfer.c) ----------------------------------------------------------------

/// Takes particles with a fate out of a set, into s->moving or away.
sp_status surface_take(whitewater_surface *s, whitewater_set *set, int kind, const uint8_t *fate,
                       whitewater_ledger *ledger, sp_error *err);
/// Puts what s->moving holds into the sets, in the order of ids.
sp_status surface_settle(whitewater_surface *s, whitewater_set kinds[WHITEWATER_KINDS],
                         sp_error *err);

/// ---- Foam ends (thin.c, life.c), spray begins (crest.c) ----------------------------------------

sp_status surface_thin(whitewater_surface *s, const whitewater_world *world, whitewater_set *foam,
                       whitewater_ledger *ledger, sp_error *err);
void surface_shape_life(whitewater_surface *s); ///< once, for the Weibull distribution
/// The life of foam, s, longer than a step; drawn once (W31).
float surface_draw_life(const whitewater_surface *s, uint64_t seed, uint64_t id, double dt);
sp_status surface_emit_crests(whitewater_surface *s, const whitewater_world *world,
                              whitewater_set *spray, uint64_t *next_id, whitewater_ledger *ledger,
                              sp_error *err);

/// ---- Saying what makes a result doubtful, once each (warnings.c) -------------------------------

void surface_warn_of_foam(whitewater_surface *s, const whitewater_set *foam,
                          const sp_foam_figures *figures);
void surface_warn_of_lost(whitewater_surface *s, size_t foam,
                          const whitewater_surface_figures *figures);

#endif
