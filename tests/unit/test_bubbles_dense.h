// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_BUBBLES_DENSE_H
#define SP_TEST_BUBBLES_DENSE_H

/// Surface tension on a dense grid in double, formula by formula, with the filter as WSB25 words
/// it.

#include "test_bubbles_pool.h"

enum { PAD = 6, MOST_EDGE = 8 * 4 + 2 * PAD };

/// Cells from -PAD to 8*tiles + PAD along each axis.
typedef struct dense {
    const pool *p;
    int32_t low[3];
    int n[3];
    size_t count, step[3];
    int64_t *at; ///< by cell: its place in fields; -1: no tile
    double *share[3], *phi, *smooth, *weight, *kappa, *force[3];
    int64_t *id, *next;
    int32_t *pocket; ///< by cell; -1: no air
    double volume[4096], sum[4096][3], faces[4096][3];
    int32_t pockets;
} dense;

static inline void *zeros(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    assert_non_null(memory);
    return memory;
}

static inline void open_dense(dense *d, const pool *p)
{
    const sp_tiles *tiles = &p->s.grid.tiles;
    int32_t low[3], high[3];
    *d = (dense){.p = p, .count = 1};
    sp_tiles_bounds((const int32_t(*)[3])tiles->at, tiles->count, low, high);
    for (int a = 0; a < 3; ++a) {
        d->low[a] = 8 * low[a] - PAD;
        d->n[a] = 8 * (high[a] - low[a] + 1) + 2 * PAD;
        d->step[a] = d->count;
        d->count *= (size_t)d->n[a];
    }
    d->at = zeros(d->count, sizeof *d->at);
    d->id = zeros(d->count, sizeof *d->id);
    d->next = zeros(d->count, sizeof *d->next);
    d->pocket = zeros(d->count, sizeof *d->pocket);
    double **fields[] = {&d->share[0], &d->share[1], &d->share[2], &d->force[0], &d->force[1],
                         &d->force[2], &d->phi,      &d->smooth,   &d->weight,   &d->kappa};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
        *fields[f] = zeros(d->count, sizeof(double));
    for (size_t c = 0; c < d->count; ++c) {
        int32_t v[3], tile[3];
        for (int a = 0; a < 3; ++a) {
            v[a] = (int32_t)(c / d->step[a] % (size_t)d->n[a]) + d->low[a];
            tile[a] = sp_tile_of(v[a]);
        }
        const uint32_t t = sp_tiles_find(tiles, tile);
        d->at[c] =
            t == SP_NO_TILE ? -1 : (int64_t)t * SP_TILE_VOXELS + sp_tile_place(v[0], v[1], v[2]);
        for (int a = 0; a < 3 && d->at[c] >= 0; ++a)
            d->share[a][c] = (double)p->s.grid.share[a][d->at[c]];
    }
}

static inline void close_dense(dense *d)
{
    void *all[] = {d->at,       d->id,       d->next,     d->pocket,   d->share[0],
                   d->share[1], d->share[2], d->force[0], d->force[1], d->force[2],
                   d->phi,      d->smooth,   d->weight,   d->kappa};
    for (size_t f = 0; f < sizeof all / sizeof *all; ++f)
        free(all[f]);
}

/// Cells that are `margin` or more from the end of the array.
static inline bool is_inside(const dense *d, size_t c, int margin)
{
    for (int a = 0; a < 3; ++a) {
        const int i = (int)(c / d->step[a] % (size_t)d->n[a]);
        if (i < margin || i >= d->n[a] - margin) return false;
    }
    return true;
}

/// The neighbour on side 0 ... 5 (x-, x+, y-, ...), and the share of the face between.
static inline size_t beside(const dense *d, size_t c, int side)
{
    return side % 2 ? c + d->step[side / 2] : c - d->step[side / 2];
}
static inline double face_share(const dense *d, size_t c, int side)
{
    return d->share[side / 2][side % 2 ? beside(d, c, side) : c];
}

/// The filter as WSB25 words it, with identifiers. `next` gets what `id` becomes.
static inline void filter_step(dense *d, int step)
{
    memcpy(d->next, d->id, d->count * sizeof *d->id);
    for (size_t c = 0; c < d->count; ++c) {
        if (!is_inside(d, c, 2) || d->at[c] < 0) continue;
        int marked = 0, open = 0, open_to_marked = 0;
        int64_t id[2] = {0};
        for (int side = 0; side < 6; ++side) {
            const int64_t there = d->id[beside(d, c, side)];
            const bool air = face_share(d, c, side) > 0.0;
            open += air;
            if (there && marked < 2) id[marked] = there;
            marked += there != 0;
            open_to_marked += there && air;
        }
        if (step == 1) d->next[c] = open == 6 ? (int64_t)c : 0;
        if (step == 2 && d->id[c] && marked > 0) d->next[c] = 0;
        if (step == 3 && !d->id[c] && marked == 1 && open >= 2) d->next[c] = id[0];
        if (step == 4 && !d->id[c] && marked == 2 && open_to_marked == 2 && id[0] == id[1])
            d->next[c] = id[0];
    }
    int64_t *swap = d->id;
    d->id = d->next;
    d->next = swap;
}

static inline void dense_phi(dense *d)
{
    for (int step = 1; step <= 4 && d->p->s.def.tension.filter; ++step)
        filter_step(d, step);
    for (size_t c = 0; c < d->count; ++c) {
        if (!is_inside(d, c, 2) || d->at[c] < 0) continue;
        for (int side = 0; side < 6; ++side)
            if (!d->id[c] && !d->id[beside(d, c, side)]) d->phi[c] += face_share(d, c, side) / 6.0;
    }
}

static inline void dense_curvature(dense *d)
{
    memcpy(d->smooth, d->phi, d->count * sizeof *d->phi);
    for (int pass = 0; pass < d->p->s.def.tension.curvature_passes; ++pass)
        for (int a = 0; a < 3; ++a) {
            memcpy(d->weight, d->smooth, d->count * sizeof *d->phi);
            for (size_t c = 0; c < d->count; ++c)
                if (is_inside(d, c, 1))
                    d->smooth[c] = 0.25 * (d->weight[c - d->step[a]] + d->weight[c + d->step[a]]) +
                                   0.5 * d->weight[c];
        }
    for (size_t c = 0; c < d->count; ++c) {
        if (!is_inside(d, c, 1)) continue;
        double n[3], hessian[3][3], along = 0.0, trace = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double *s = d->smooth + c;
            const size_t i = d->step[a];
            n[a] = 0.5 * (s[i] - *(s - i));
            for (int b = 0; b < 3; ++b) {
                const size_t j = d->step[b];
                hessian[a][b] =
                    a == b ? s[i] + *(s - i) - 2.0 * s[0]
                           : 0.25 * (s[i + j] - *(s + i - j) - *(s - i + j) + *(s - i - j));
            }
        }
        const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        for (int a = 0; a < 3; ++a) {
            trace += hessian[a][a];
            for (int b = 0; b < 3; ++b)
                along += n[a] * hessian[a][b] * n[b];
        }
        d->kappa[c] = 0.0;
        if (square >= 1e-6)
            d->kappa[c] = fmin(fmax((along / square - trace) / sqrt(square), -2.0), 2.0);
        d->weight[c] = sqrt(square);
    }
}

/// Flood fill, from cells in the order of tiles and of places in them.
static inline void dense_pockets(dense *d)
{
    size_t *stack = zeros(d->count, sizeof *stack), *order = zeros(values_of(d->p), sizeof *order);
    for (size_t c = 0; c < d->count; ++c) {
        d->pocket[c] = -1;
        if (d->at[c] >= 0) order[d->at[c]] = c;
    }
    for (size_t i = 0; i < values_of(d->p); ++i) {
        size_t top = 0;
        bool air = false;
        for (int side = 0; side < 6; ++side)
            air |= face_share(d, order[i], side) > 0.0;
        if (!air || d->pocket[order[i]] >= 0) continue;
        d->pocket[stack[top++] = order[i]] = d->pockets;
        while (top) {
            const size_t c = stack[--top];
            for (int side = 0; side < 6; ++side) {
                const size_t there = beside(d, c, side);
                if (side % 2 == 0) d->volume[d->pockets] += face_share(d, c, side) / 3.0;
                if (face_share(d, c, side) > 0.0 && d->at[there] >= 0 && d->pocket[there] < 0)
                    d->pocket[stack[top++] = there] = d->pockets;
            }
        }
        assert_true(++d->pockets < 4096);
    }
    free(stack);
    free(order);
}

/// The pocket of a low face; -1: none. `skirt`: the face has no air.
static inline int32_t pocket_of_face(const dense *d, size_t c, int axis, bool *skirt)
{
    const int32_t after = d->pocket[c], before = d->pocket[c - d->step[axis]];
    *skirt = !(d->share[axis][c] > 0.0);
    if (!*skirt) return after;
    return after < 0 || (before >= 0 && before < after) ? before : after;
}

static inline void dense_forces(dense *d)
{
    const sp_bubbles_tension_def *def = &d->p->s.def.tension;
    const double h = (double)d->p->s.grid.voxel, scale = (double)def->coefficient / (h * h);
    const bool mean = def->curvature_weight == SP_BUBBLES_CURVATURE_MEAN;
    bool skirt;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t c = 0; c < 3 * d->count; ++c) {
            const int axis = (int)(c / d->count);
            const size_t j = c % d->count, i = j - d->step[axis];
            if (!is_inside(d, j, 2) || d->at[j] < 0) continue;
            double *f = &d->force[axis][j];
            const int32_t pocket = pocket_of_face(d, j, axis, &skirt);
            if (pocket < 0) continue;
            if (pass == 0) {
                const double wi = d->at[i] < 0 ? 0.0
                                  : mean       ? 1.0
                                               : d->weight[i],
                             wj = mean ? 1.0 : d->weight[j];
                const double kappa =
                    wi + wj > 0.0 ? (wi * d->kappa[i] + wj * d->kappa[j]) / (wi + wj) : 0.0;
                *f = scale * kappa * (d->phi[j] - d->phi[i]);
                d->sum[pocket][axis] += *f;
                d->faces[pocket][axis] += !skirt;
            } else {
                if (def->drift && !skirt) *f -= d->sum[pocket][axis] / d->faces[pocket][axis];
                if (d->volume[pocket] < (double)def->pocket_min_voxels) *f = 0.0;
                if (def->drift && d->faces[pocket][axis] == 0.0) *f = 0.0;
            }
        }
}

#endif
