// SPDX-License-Identifier: Apache-2.0
/// Who changes its kind, at t + dt (Algorithm 2, with S: |phi| <= r, C: the sign of phi has changed, U: phi < 0).
///
///     bubble    S or C: to the surface, as foam; where that fails it goes on if U, else it is stranded
///     foam      on the surface: it stays, or leaps. Else S or C: to the surface, as foam. Where that fails: a bubble
///               if U, else spray; without spray it is stranded
///     spray     U, or S on its way down: to the surface, as foam, unless it is too fast or that fails;
///               then a bubble if U, else it flies on
///
/// As printed, foam that crosses the surface floats off it, and fails to project only to be deleted.
#include "whitewater/surface/internal.h"

/// ---- The water at all particles ----------------------------------------------------------------

static void look_at_water(void *arg, size_t begin, size_t end)
{
    const surface_deciding *d = arg;
    const sp_bulk_query query = {.n = end,
                                 .x = d->set->x[0],
                                 .y = d->set->x[1],
                                 .z = d->set->x[2],
                                 .phi = d->phi,
                                 .gradient = {d->gradient[0], d->gradient[1], d->gradient[2]},
                                 .u = {d->u[0], d->u[1], d->u[2]}};
    sp_bulk_look(&d->water, &query, begin, end);
}

static sp_status reserve(whitewater_surface *s, surface_deciding *d, sp_error *err)
{
    const size_t n = d->set->set.count, blocks = n / SURFACE_GRAIN + 1;
    bool enough = (d->phi = sp_scratch_array(&s->scratch, float, n)) != NULL;
    for (int a = 0; a < 3; ++a) {
        enough &= (d->gradient[a] = sp_scratch_array(&s->scratch, float, n)) != NULL;
        enough &= (d->u[a] = sp_scratch_array(&s->scratch, float, n)) != NULL;
    }
    enough &= (d->fate = sp_scratch_array(&s->scratch, uint8_t, n)) != NULL;
    enough &= (d->count = sp_scratch_array(&s->scratch, surface_count, blocks)) != NULL;
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu particles", n);
    memset(d->count, 0, blocks * sizeof *d->count);
    return SP_OK;
}

/// ---- One particle ------------------------------------------------------------------------------

static bool is_outside(const whitewater_world *w, const double x[3])
{
    for (int a = 0; a < 3; ++a)
        if (!(x[a] >= w->domain[0][a] && x[a] <= w->domain[1][a])) return true;
    return false;
}

/// C; new particles have no last side.
static bool crossed(const surface_deciding *d, size_t i)
{
    const uint32_t state = d->set->state[i];
    return !(state & WHITEWATER_NEW) && ((state & WHITEWATER_ABOVE) != 0) != (d->phi[i] > 0.0f);
}

static bool is_at_surface(const surface_deciding *d, size_t i)
{
    return fabsf(d->phi[i]) <= d->set->radius[i];
}

static bool to_surface(const surface_deciding *d, surface_count *count, size_t i, double normal[3],
                       double u[3])
{
    const bool found = surface_project(d, i, normal, u);
    ++*(found ? &count->projected : &count->failed);
    return found;
}

/// A particle begins as foam. Its motion within the surface has no history.
static void set_afloat(const surface_deciding *d, size_t i, const double v[3])
{
    whitewater_set *set = d->set;
    surface_store(set->v, i, v);
    set->speed[i] = -1.0f;
    set->state[i] = (set->state[i] & ~(uint32_t)WHITEWATER_RETURNED) | SURFACE_FRESH;
}

static uint8_t decide_bubble(const surface_deciding *d, surface_count *count, size_t i)
{
    double normal[3], u[3], v[3];
    const bool arrives =
        (d->set->state[i] & SURFACE_ARRIVED) || is_at_surface(d, i) || crossed(d, i);
    d->set->state[i] |= WHITEWATER_RETURNED;
    if (arrives && to_surface(d, count, i, normal, u)) {
        surface_load(d->set->v, i, v);
        surface_keep_bubble(&d->s->floating, normal, u, v);
        set_afloat(d, i, v);
        return SURFACE_TO_FOAM;
    }
    return d->phi[i] < 0.0f ? SURFACE_STAYS : SURFACE_STRANDED;
}

static uint8_t decide_foam(const surface_deciding *d, surface_count *count, size_t i)
{
    double normal[3], u[3];
    const bool at = is_at_surface(d, i), lost = i < d->moved && d->lost[i];
    if (at && !lost) return surface_leaps(d, i) ? SURFACE_TO_SPRAY : SURFACE_STAYS;
    if ((at || crossed(d, i)) && to_surface(d, count, i, normal, u)) {
        d->set->speed[i] = -1.0f;
        return SURFACE_STAYS;
    }
    ++*(d->phi[i] < 0.0f ? &count->sunk : &count->parted);
    if (d->phi[i] < 0.0f) return SURFACE_TO_BUBBLES;
    return d->s->spray.on ? SURFACE_TO_SPRAY : SURFACE_STRANDED;
}

/// A drop keeps the share `keep` of its speed through the water along the surface, and none along the normal.
static void keep_drop(const surface_deciding *d, const double normal[3], const double u[3],
                      double v[3])
{
    const double along = sp_dot3(v, normal) - sp_dot3(u, normal),
                 keep = (double)d->s->floating.keep;
    for (int a = 0; a < 3; ++a)
        v[a] = u[a] + keep * (v[a] - u[a] - along * normal[a]);
}

static uint8_t decide_drop(const surface_deciding *d, surface_count *count, size_t i)
{
    double normal[3], u[3], v[3], down = 0.0;
    const bool under = d->phi[i] < 0.0f;
    surface_load(d->set->v, i, v);
    for (int a = 0; a < 3; ++a)
        down -= (v[a] - (double)d->u[a][i]) * (double)d->gradient[a][i];
    if (!under && !(is_at_surface(d, i) && down > 0.0)) return SURFACE_STAYS;
    if (down <= (double)d->s->spray.plunge && to_surface(d, count, i, normal, u)) {
        keep_drop(d, normal, u, v);
        set_afloat(d, i, v);
        return SURFACE_TO_FOAM;
    }
    if (under) d->set->state[i] |= WHITEWATER_RETURNED;
    return under ? SURFACE_TO_BUBBLES : SURFACE_STAYS;
}

/// ---- All of them -------------------------------------------------------------------------------

typedef uint8_t decide_one(const surface_deciding *d, surface_count *count, size_t i);

typedef struct choosing {
    surface_deciding *d;
    decide_one *one;
} choosing;

/// The side of a particle that goes on, for the next step. Particles set onto the surface are at phi = 0 and so not
/// above it.
static void remember_side(const surface_deciding *d, size_t i)
{
    uint32_t *state = &d->set->state[i];
    const bool above =
        d->fate[i] == SURFACE_TO_SPRAY || (d->fate[i] == SURFACE_STAYS && d->phi[i] > 0.0f);
    *state = above ? *state | WHITEWATER_ABOVE : *state & ~(uint32_t)WHITEWATER_ABOVE;
}

static uint8_t decide_one_fate(const choosing *c, surface_count *count, size_t i)
{
    const surface_deciding *d = c->d;
    const double x[3] = {d->set->x[0][i], d->set->x[1][i], d->set->x[2][i]};
    if (is_outside(d->world, x)) return SURFACE_LEAVES;
    if (surface_is_inside(d->world, x)) return SURFACE_INSIDE;
    return c->one(d, count, i);
}

static void decide_block(void *arg, size_t begin, size_t end)
{
    const choosing *c = arg;
    surface_count *count = &c->d->count[begin / SURFACE_GRAIN];
    look_at_water(c->d, begin, end);
    for (size_t i = begin; i < end; ++i) {
        c->d->fate[i] = decide_one_fate(c, count, i);
        remember_side(c->d, i);
    }
}

static void sum_counts(const surface_deciding *d, whitewater_surface_figures *figures)
{
    for (size_t b = 0; b * SURFACE_GRAIN < d->set->set.count; ++b) {
        figures->sunk += d->count[b].sunk;
        figures->parted += d->count[b].parted;
        figures->projected += d->count[b].projected;
        figures->failed_projections += d->count[b].failed;
    }
}

sp_status surface_decide(whitewater_surface *s, int kind, surface_deciding *d,
                         whitewater_surface_figures *figures, sp_error *err)
{
    static decide_one *const ways[WHITEWATER_KINDS] = {decide_bubble, decide_foam, decide_drop};
    const whitewater_world *w = d->world;
    SP_TRY(reserve(s, d, err));
    SP_TRY(sp_bulk_view_at(w->bulk, w->t + w->dt, &d->water, err));
    sp_parallel(s->host, d->set->set.count, SURFACE_GRAIN, decide_block,
                &(choosing){d, ways[kind]});
    sum_counts(d, figures);
    return SP_OK;
}
