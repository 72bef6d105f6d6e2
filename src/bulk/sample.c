// SPDX-License-Identifier: Apache-2.0
/// Samples the water between two moments. With s = (t - t_a)/(t_b - t_a), a quantity q (distance,
/// velocity, aeration) at x is sampled where the water at x was at t_a and where it will be at t_b:
///
///     q(x, t) = (1 - s) q_a(x - (t - t_a) u_a(x)) + s q_b(x + (t_b - t) u_b(x))
///
/// A drop that moves farther than its width between moments keeps its position and shape. Blended
/// without advection it would become two faint halves or, where both are saturated at the band,
/// vanish.
#include "bulk/bulk.h"

enum { GRAIN = 256 }; // points a block: some twenty microseconds

/// One moment in one thread, with the last tile found as a hint for the next search.
typedef struct view {
    const sp_bulk_moment *m;
    double per_voxel; ///< 1/m
    uint32_t hint;
} view;

static view view_of(const sp_bulk_moment *m)
{
    return (view){m, 1.0 / (double)m->tiles->voxel, SP_NO_TILE};
}

/// A point between the cells of a moment, and between its low faces: along each axis the last one at or before it, and
/// how far it is from there to the next, in voxels.
typedef struct spot {
    int32_t base[2][3]; ///< of cells, of faces
    float f[2][3];
} spot;

/// False for a point out of reach, or NaN.
static inline bool locate(const view *v, const double p[3], spot *s)
{
    for (int a = 0; a < 3; ++a) {
        const double g = (p[a] - v->m->origin[a]) * v->per_voxel, cell = floor(g - 0.5),
                     face = floor(g);
        if (!(fabs(g) < (double)SP_TILE * SP_TILES_REACH - 1.0)) return false;
        s->base[0][a] = (int32_t)cell;
        s->base[1][a] = (int32_t)face;
        s->f[0][a] = (float)(g - 0.5 - cell);
        s->f[1][a] = (float)(g - face);
    }
    return true;
}

/// The eight values around a point whose first one is not the neighbour of all others within a tile. True if any of
/// their tiles exists.
static bool gather(view *v, const int32_t base[3], const float *values, float background,
                   float out[8])
{
    const sp_tiles *tiles = v->m->tiles;
    const int32_t at[3] = {sp_tile_of(base[0]), sp_tile_of(base[1]), sp_tile_of(base[2])};
    const uint32_t tile = sp_tiles_find_near(tiles, at, &v->hint);
    bool any = false;
    for (int n = 0; n < 8; ++n) {
        const int32_t c[3] = {(base[0] & 7) + (n & 1), (base[1] & 7) + (n >> 1 & 1),
                              (base[2] & 7) + (n >> 2)};
        const int32_t there[3] = {at[0] + (c[0] >> 3), at[1] + (c[1] >> 3), at[2] + (c[2] >> 3)};
        const uint32_t t = tile == SP_NO_TILE
                               ? sp_tiles_find(tiles, there)
                               : tiles->around[tile][SP_TILES_SELF + (c[0] >> 3) + 3 * (c[1] >> 3) +
                                                     9 * (c[2] >> 3)];
        out[n] = t == SP_NO_TILE
                     ? background
                     : values[(size_t)t * SP_TILE_VOXELS + sp_tile_place(c[0], c[1], c[2])];
        any |= t != SP_NO_TILE;
    }
    return any;
}

/// Trilinear interpolation of values on low faces along `axis`, or at cells when axis is -1; `slope`, when not NULL,
/// gets its derivative per voxel. *inside: whether any of the eight values exists.
SP_INLINE float blend(view *v, const spot *s, int axis, const float *values, float background,
                      float slope[3], bool *inside)
{
    int32_t base[3];
    float f[3], around[8];
    for (int a = 0; a < 3; ++a) {
        base[a] = s->base[a == axis][a];
        f[a] = s->f[a == axis][a];
    }
    const bool within = (base[0] & 7) < 7 && (base[1] & 7) < 7 && (base[2] & 7) < 7;
    if (within) { // true for two points in three
        const int32_t at[3] = {sp_tile_of(base[0]), sp_tile_of(base[1]), sp_tile_of(base[2])};
        const uint32_t tile = sp_tiles_find_near(v->m->tiles, at, &v->hint);
        *inside = tile != SP_NO_TILE;
        if (tile == SP_NO_TILE) {
            if (slope) slope[0] = slope[1] = slope[2] = 0.0f;
            return background;
        }
        const float *first =
            values + (size_t)tile * SP_TILE_VOXELS + sp_tile_place(base[0], base[1], base[2]);
        for (int n = 0; n < 8; ++n)
            around[n] = first[(n & 1) + 8 * (n >> 1 & 1) + 64 * (n >> 2)];
    } else {
        *inside = gather(v, base, values, background, around);
    }
    return sp_trilinear(around, f, slope);
}

static inline void velocity_at(view *v, const spot *s, float u[3])
{
    bool inside;
    u[0] = blend(v, s, 0, v->m->u[0], 0.0f, NULL, &inside);
    u[1] = blend(v, s, 1, v->m->u[1], 0.0f, NULL, &inside);
    u[2] = blend(v, s, 2, v->m->u[2], 0.0f, NULL, &inside);
}

static void velocity(view *v, const double p[3], float u[3])
{
    spot s;
    u[0] = u[1] = u[2] = 0.0f;
    if (locate(v, p, &s)) velocity_at(v, &s, u);
}

/// Values of a moment at a point.
typedef struct answer {
    float phi, slope[3], u[3], aeration;
    uint8_t mask;
} answer;

/// Whether the cell that contains the point is marked as having no data.
static bool unknown(view *v, const double p[3])
{
    if (!v->m->no_data) return false;
    int32_t cell[3];
    for (int a = 0; a < 3; ++a) {
        const double low = floor((p[a] - v->m->origin[a]) * v->per_voxel);
        if (!(fabs(low) < (double)SP_TILE * SP_TILES_REACH)) return false;
        cell[a] = (int32_t)low;
    }
    const int32_t at[3] = {sp_tile_of(cell[0]), sp_tile_of(cell[1]), sp_tile_of(cell[2])};
    const uint32_t tile = sp_tiles_find_near(v->m->tiles, at, &v->hint);
    return tile != SP_NO_TILE &&
           sp_tile_mask_has(v->m->no_data[tile], (int)sp_tile_place(cell[0], cell[1], cell[2]));
}

static answer ask(view *v, const double p[3], const sp_bulk_query *q)
{
    answer a = {.phi = v->m->band};
    spot s;
    bool inside = false, any;
    if (locate(v, p, &s)) {
        a.phi = blend(v, &s, -1, v->m->phi, v->m->band, a.slope, &inside);
        if (v->m->aeration && q->aeration)
            a.aeration = blend(v, &s, -1, v->m->aeration, 0.0f, NULL, &any);
        if (q->u[0] || q->u[1] || q->u[2]) velocity_at(v, &s, a.u);
    }
    a.mask = (uint8_t)((inside ? 0 : SP_BULK_OUTSIDE) | (unknown(v, p) ? SP_BULK_NO_DATA : 0));
    for (int k = 0; k < 3; ++k)
        a.slope[k] *= (float)v->per_voxel;
    return a;
}

/// Samples at the point advected from x for dt seconds; dt is negative for backtracing.
static answer ask_moved(view *v, const double x[3], double dt, const sp_bulk_query *q)
{
    float u[3];
    velocity(v, x, u);
    const double p[3] = {x[0] + dt * (double)u[0], x[1] + dt * (double)u[1],
                         x[2] + dt * (double)u[2]};
    return ask(v, p, q);
}

static answer mix(const answer *a, const answer *b, float s)
{
    // Where one moment has no data, take the other alone: a blend would halve the velocity.
    if ((a->mask ^ b->mask) & SP_BULK_NO_DATA) return a->mask & SP_BULK_NO_DATA ? *b : *a;
    answer c = {.phi = sp_mix(a->phi, b->phi, s), .aeration = sp_mix(a->aeration, b->aeration, s)};
    for (int k = 0; k < 3; ++k) {
        c.u[k] = sp_mix(a->u[k], b->u[k], s);
        c.slope[k] = sp_mix(a->slope[k], b->slope[k], s);
    }
    c.mask = a->mask & b->mask;
    return c;
}

static void put(const sp_bulk_query *q, size_t i, const answer *a)
{
    for (int k = 0; k < 3; ++k) {
        if (q->u[k]) q->u[k][i] = a->u[k];
        if (q->gradient[k]) q->gradient[k][i] = a->slope[k];
    }
    if (q->phi) q->phi[i] = a->phi;
    if (q->aeration) q->aeration[i] = a->aeration;
    if (q->mask) q->mask[i] = a->mask;
}

void sp_bulk_look(const sp_bulk_view *w, const sp_bulk_query *q, size_t begin, size_t end)
{
    if (w->bulk->answer) {
        w->bulk->answer(w->bulk->user, q, begin, end);
        return;
    }
    view a = view_of(w->before), b = view_of(w->after);
    const double since = w->t - w->before->time, until = w->after->time - w->t;
    const bool at_once = w->before == w->after || !(since > 0.0) || !(until > 0.0);
    const float s = at_once ? 0.0f : (float)(since / (since + until));
    for (size_t i = begin; i < end; ++i) {
        const double x[3] = {q->x[i], q->y[i], q->z[i]};
        answer here;
        if (at_once) {
            here = ask(since > 0.0 ? &b : &a, x, q);
        } else {
            const answer then = ask_moved(&a, x, -since, q), soon = ask_moved(&b, x, until, q);
            here = mix(&then, &soon, s);
        }
        put(q, i, &here);
    }
}

sp_status sp_bulk_view_at(const sp_bulk *bulk, double t, sp_bulk_view *w, sp_error *err)
{
    *w = (sp_bulk_view){.bulk = bulk, .t = t};
    if (!(t >= bulk->first && t <= bulk->last))
        return sp_fail(err, SP_BAD_INPUT, "bulk: asked at %g s; it is known from %g to %g s", t,
                       bulk->first, bulk->last);
    if (bulk->prepare) return bulk->prepare(bulk->user, t, err);
    return bulk->bracket(bulk->user, t, &w->before, &w->after, err);
}

typedef struct sampling {
    sp_bulk_view view;
    const sp_bulk_query *query;
} sampling;

static void sample_range(void *arg, size_t begin, size_t end)
{
    const sampling *g = arg;
    sp_bulk_look(&g->view, g->query, begin, end);
}

sp_status sp_bulk_sample(const sp_bulk *bulk, const sp_host *host, double t,
                         const sp_bulk_query *query, sp_error *err)
{
    sampling g = {.query = query};
    SP_TRY(sp_bulk_view_at(bulk, t, &g.view, err));
    sp_parallel(host, query->n, GRAIN, sample_range, &g);
    return SP_OK;
}

void sp_bulk_close(sp_bulk *bulk)
{
    if (bulk->close) bulk->close(bulk->user);
    *bulk = (sp_bulk){0};
}
