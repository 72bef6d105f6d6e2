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

/// ---- One moment --------------------------------------------------------------------------------

/// Points are answered by registers: looking up tiles and values goes point by point, the rest in lanes. A register
/// that is not full repeats its last point.
typedef struct points {
    double x[3][SP_PART]; ///< m
} points;

/// Points between the cells of a moment, and between its low faces: along each axis the last one at or before it, and
/// how far it is from there to the next, in voxels.
typedef struct spots {
    int32_t base[2][3][SP_PART]; ///< of cells, of faces
    float f[2][3][SP_PART];
    bool near[SP_PART]; ///< false for a point out of reach, or NaN
} spots;

static void locate(const view *v, const points *p, spots *s)
{
    const double reach = (double)SP_TILE * SP_TILES_REACH - 1.0;
    for (int l = 0; l < SP_PART; ++l)
        s->near[l] = true;
    for (int a = 0; a < 3; ++a)
        for (int l = 0; l < SP_PART; ++l) {
            const double g = (p->x[a][l] - v->m->origin[a]) * v->per_voxel;
            const bool near = fabs(g) < reach;
            const double at = near ? g : 0.0, cell = floor(at - 0.5), face = floor(at);
            s->base[0][a][l] = (int32_t)cell;
            s->base[1][a][l] = (int32_t)face;
            s->f[0][a][l] = (float)(at - 0.5 - cell);
            s->f[1][a][l] = (float)(at - face);
            s->near[l] &= near;
        }
}

/// The eight values around one point that lie in several tiles, x fastest. True if any of the tiles exists.
static bool gather_across(view *v, const int32_t base[3], const float *values, float background,
                          float out[8][SP_PART], int l)
{
    const sp_tiles *tiles = v->m->tiles;
    const int32_t at[3] = {sp_tile_of(base[0]), sp_tile_of(base[1]), sp_tile_of(base[2])};
    const uint32_t tile = sp_tiles_find_near(tiles, at, &v->hint);
    bool any = false;
    for (int n = 0; n < 8; ++n) {
        const int32_t c[3] = {(base[0] & 7) + (n & 1), (base[1] & 7) + (n >> 1 & 1),
                              (base[2] & 7) + (n >> 2)};
        const int32_t step[3] = {c[0] >> 3, c[1] >> 3, c[2] >> 3};
        const int32_t there[3] = {at[0] + step[0], at[1] + step[1], at[2] + step[2]};
        const uint32_t t =
            tile == SP_NO_TILE
                ? sp_tiles_find(tiles, there)
                : tiles->around[tile][SP_TILES_SELF + step[0] + 3 * step[1] + 9 * step[2]];
        out[n][l] = t == SP_NO_TILE
                        ? background
                        : values[(size_t)t * SP_TILE_VOXELS + sp_tile_place(c[0], c[1], c[2])];
        any |= t != SP_NO_TILE;
    }
    return any;
}

static void fill_lane(float out[8][SP_PART], int l, float value)
{
    for (int n = 0; n < 8; ++n)
        out[n][l] = value;
}

/// The same for any point.
SP_INLINE bool gather_one(view *v, const int32_t base[3], const float *values, float background,
                          float out[8][SP_PART], int l)
{
    const bool within = (base[0] & 7) < 7 && (base[1] & 7) < 7 && (base[2] & 7) < 7;
    if (!within) return gather_across(v, base, values, background, out, l);
    const int32_t at[3] = {sp_tile_of(base[0]), sp_tile_of(base[1]), sp_tile_of(base[2])};
    const uint32_t tile = sp_tiles_find_near(v->m->tiles, at, &v->hint); // true for two in three
    if (tile == SP_NO_TILE) {
        fill_lane(out, l, background);
        return false;
    }
    const float *first =
        values + (size_t)tile * SP_TILE_VOXELS + sp_tile_place(base[0], base[1], base[2]);
    for (int n = 0; n < 8; ++n)
        out[n][l] = first[(n & 1) + 8 * (n >> 1 & 1) + 64 * (n >> 2)];
    return true;
}

SP_INLINE sp_part mix_part(sp_part a, sp_part b, sp_part t)
{
    return a + (b - a) * t;
}

/// sp_trilinear() in lanes.
SP_INLINE sp_part trilinear(float v[8][SP_PART], const sp_part f[3], sp_part slope[3])
{
    sp_part dx[4], x[4];
    for (int e = 0; e < 4; ++e) {
        const sp_part low = sp_part_load(v[2 * e]);
        dx[e] = sp_part_load(v[2 * e + 1]) - low;
        x[e] = low + f[0] * dx[e];
    }
    const sp_part y0 = mix_part(x[0], x[1], f[1]), y1 = mix_part(x[2], x[3], f[1]);
    if (slope) {
        slope[0] = mix_part(mix_part(dx[0], dx[1], f[1]), mix_part(dx[2], dx[3], f[1]), f[2]);
        slope[1] = mix_part(x[1] - x[0], x[3] - x[2], f[2]);
        slope[2] = y1 - y0;
    }
    return mix_part(y0, y1, f[2]);
}

/// Interpolates values on low faces along `axis`, or at cells when axis is -1; `slope`, when not NULL, gets the
/// derivative per voxel. inside[l]: whether any of the eight values exists.
SP_INLINE sp_part blend(view *v, const spots *s, int axis, const float *values, float background,
                        sp_part slope[3], bool inside[SP_PART])
{
    const int32_t *base[3];
    float around[8][SP_PART];
    sp_part f[3];
    for (int a = 0; a < 3; ++a) {
        base[a] = s->base[a == axis][a];
        f[a] = sp_part_load(s->f[a == axis][a]);
    }
    for (int l = 0; l < SP_PART; ++l) {
        const int32_t at[3] = {base[0][l], base[1][l], base[2][l]};
        inside[l] = s->near[l] && gather_one(v, at, values, background, around, l);
        if (!s->near[l]) fill_lane(around, l, background);
    }
    return trilinear(around, f, slope);
}

static void velocity(view *v, const spots *s, sp_part u[3])
{
    bool inside[SP_PART];
    u[0] = blend(v, s, 0, v->m->u[0], 0.0f, NULL, inside);
    u[1] = blend(v, s, 1, v->m->u[1], 0.0f, NULL, inside);
    u[2] = blend(v, s, 2, v->m->u[2], 0.0f, NULL, inside);
}

/// Values of a moment at points.
typedef struct answers {
    sp_part phi, slope[3], u[3], aeration;
    uint8_t mask[SP_PART];
} answers;

/// Whether the cell that contains a point is marked as having no data.
static bool is_unknown(view *v, const spots *s, int l)
{
    const int32_t c[3] = {s->base[1][0][l], s->base[1][1][l], s->base[1][2][l]};
    const int32_t at[3] = {sp_tile_of(c[0]), sp_tile_of(c[1]), sp_tile_of(c[2])};
    const uint32_t tile = s->near[l] ? sp_tiles_find_near(v->m->tiles, at, &v->hint) : SP_NO_TILE;
    return tile != SP_NO_TILE &&
           sp_tile_mask_has(v->m->no_data[tile], (int)sp_tile_place(c[0], c[1], c[2]));
}

static void ask(view *v, const points *p, const sp_bulk_query *q, answers *a)
{
    spots s;
    bool inside[SP_PART], any[SP_PART];
    *a = (answers){0};
    locate(v, p, &s);
    a->phi = blend(v, &s, -1, v->m->phi, v->m->band, a->slope, inside);
    for (int k = 0; k < 3; ++k)
        a->slope[k] *= (float)v->per_voxel;
    if (v->m->aeration && q->aeration)
        a->aeration = blend(v, &s, -1, v->m->aeration, 0.0f, NULL, any);
    if (q->u[0] || q->u[1] || q->u[2]) velocity(v, &s, a->u);
    for (int l = 0; l < SP_PART; ++l)
        a->mask[l] = (uint8_t)((inside[l] ? 0 : SP_BULK_OUTSIDE) |
                               (v->m->no_data && is_unknown(v, &s, l) ? SP_BULK_NO_DATA : 0));
}

/// Samples at points advected from x for dt seconds; dt is negative for backtracing.
static void ask_moved(view *v, const points *x, double dt, const sp_bulk_query *q, answers *out)
{
    spots s;
    sp_part u[3];
    points p;
    locate(v, x, &s);
    velocity(v, &s, u);
    for (int a = 0; a < 3; ++a)
        for (int l = 0; l < SP_PART; ++l)
            p.x[a][l] = x->x[a][l] + dt * (double)u[a][l];
    ask(v, &p, q, out);
}

/// ---- Two moments -------------------------------------------------------------------------------

/// Mixes b into a; where one moment has no data, takes the other alone: a blend would halve the velocity.
static void mix(answers *a, const answers *b, float s)
{
    const sp_part share = sp_part_all(s);
    sp_flags only_a = {0}, only_b = {0};
    for (int l = 0; l < SP_PART; ++l) {
        const bool one = (a->mask[l] ^ b->mask[l]) & SP_BULK_NO_DATA,
                   not_a = a->mask[l] & SP_BULK_NO_DATA;
        only_a[l] = one && !not_a ? -1 : 0;
        only_b[l] = one && not_a ? -1 : 0;
        a->mask[l] = !one ? a->mask[l] & b->mask[l] : not_a ? b->mask[l] : a->mask[l];
    }
    sp_part *const of_a[] = {&a->phi,  &a->aeration, &a->u[0],     &a->u[1],
                             &a->u[2], &a->slope[0], &a->slope[1], &a->slope[2]};
    const sp_part *const of_b[] = {&b->phi,  &b->aeration, &b->u[0],     &b->u[1],
                                   &b->u[2], &b->slope[0], &b->slope[1], &b->slope[2]};
    for (int k = 0; k < 8; ++k) {
        const sp_part both = mix_part(*of_a[k], *of_b[k], share);
        *of_a[k] = sp_part_select(only_a, *of_a[k], sp_part_select(only_b, *of_b[k], both));
    }
}

SP_INLINE void put_part(float *to, size_t i, sp_part values, size_t n)
{
    if (!to) return;
    if (n == SP_PART)
        sp_part_store(to + i, values);
    else
        memcpy(to + i, &values, n * sizeof *to);
}

static void put(const sp_bulk_query *q, size_t i, size_t n, const answers *a)
{
    for (int k = 0; k < 3; ++k) {
        put_part(q->u[k], i, a->u[k], n);
        put_part(q->gradient[k], i, a->slope[k], n);
    }
    put_part(q->phi, i, a->phi, n);
    put_part(q->aeration, i, a->aeration, n);
    if (q->mask) memcpy(q->mask + i, a->mask, n);
}

static void take(const sp_bulk_query *q, size_t i, size_t n, points *p)
{
    const double *const x[3] = {q->x + i, q->y + i, q->z + i};
    for (int a = 0; a < 3; ++a)
        for (size_t l = 0; l < SP_PART; ++l)
            p->x[a][l] = x[a][l < n ? l : n - 1];
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
    for (size_t i = begin; i < end; i += SP_PART) {
        const size_t n = end - i < SP_PART ? end - i : SP_PART;
        points x;
        answers here, soon;
        take(q, i, n, &x);
        if (at_once) {
            ask(since > 0.0 ? &b : &a, &x, q, &here);
        } else {
            ask_moved(&a, &x, -since, q, &here);
            ask_moved(&b, &x, until, q, &soon);
            mix(&here, &soon, s);
        }
        put(q, i, n, &here);
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
