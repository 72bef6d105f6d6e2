// SPDX-License-Identifier: Apache-2.0
/// In and out, and the residual to the last digit. Vectors of floats are enough to find
/// corrections, but x itself, where water is n voxels deep, is some n times as large as what b can
/// tell apart, and rounding x to floats leaves a residual of n * 1e-7. So x is a sum,
///
///     x = hi + lo + d
///
/// hi is what the caller gave, d gathers corrections. Once the residual is small, d is set aside as
/// lo and a new d begins, small enough for its rounding not to matter: this costs no pass over
/// memory but the one that makes the residual anew. If that happens again, all three are folded
/// into hi and lo, which together have twice a float's digits.
#define REAL double
#define BITS 64
#include "poisson/block.h"

typedef struct taking {
    sp_poisson *s;
    const float *b, *x;
} taking;

static void fetch_floats(const sp_poisson *s, const void *values, size_t tile,
                         double out[SP_TILE_VOXELS])
{
    const float *from = (const float *)values + (size_t)s->tile[tile] * SP_TILE_VOXELS;
    for (int c = 0; c < SP_TILE_VOXELS; ++c)
        out[c] = (double)from[c];
}

/// hi + lo + d of a place.
static double sum_at(const sp_poisson *s, size_t i)
{
    double sum = (double)s->hi[i];
    if (s->real == sizeof(float))
        return sum + ((s->lo_used ? (double)((const float *)s->lo)[i] : 0.0) +
                      (s->d_used ? (double)((const float *)s->d)[i] : 0.0));
    return sum + ((s->lo_used ? ((const double *)s->lo)[i] : 0.0) +
                  (s->d_used ? ((const double *)s->d)[i] : 0.0));
}

static void fetch_sum(const sp_poisson *s, const void *values, size_t tile,
                      double out[SP_TILE_VOXELS])
{
    (void)values;
    for (int c = 0; c < SP_TILE_VOXELS; ++c)
        out[c] = sum_at(s, tile * SP_TILE_VOXELS + poisson_place(c & 7, c >> 3 & 7, c >> 6));
}

/// What to take off the voxels of a tile. False: nothing.
static bool mean_of_tile(const sp_poisson *s, size_t t, double mean[SP_TILE_VOXELS])
{
    if (!s->pieces.singular || !poisson_is_loose(s, t)) return false;
    for (int c = 0; c < SP_TILE_VOXELS; ++c) {
        const uint32_t piece = poisson_piece_of(s, t, c);
        mean[c] = piece == UINT32_MAX ? 0.0 : s->pieces.mean[piece];
    }
    return true;
}

static bool is_unknown(const sp_poisson *s, size_t t, int c)
{
    const uint32_t row = s->level[0].row[t];
    return row == SP_POISSON_FULL || (s->active[row][c >> 6] >> (c & 63) & 1);
}

static void take_tiles(void *arg, size_t begin, size_t end)
{
    const taking *w = arg;
    sp_poisson *s = w->s;
    for (size_t t = begin; t < end; ++t) {
        const float *b = w->b + (size_t)s->tile[t] * SP_TILE_VOXELS,
                    *x = w->x + (size_t)s->tile[t] * SP_TILE_VOXELS;
        double mean[SP_TILE_VOXELS] = {0};
        mean_of_tile(s, t, mean);
        double peak = 0.0;
        for (int c = 0; c < SP_TILE_VOXELS; ++c) {
            const size_t to = t * SP_TILE_VOXELS + poisson_place(c & 7, c >> 3 & 7, c >> 6);
            const bool there = is_unknown(s, t, c);
            s->right[to] = there ? (float)((double)b[c] - mean[c]) : 0.0f;
            s->hi[to] = there ? x[c] : 0.0f;
            const double size = fabs((double)s->right[to]);
            if (!(size <= peak)) peak = size; // so written that NaN is kept
        }
        s->peaks[t] = peak;
    }
}

static double largest(const sp_poisson *s)
{
    double most = 0.0;
    for (size_t t = 0; t < s->level[0].count; ++t)
        if (!(s->peaks[t] <= most)) most = s->peaks[t];
    return most;
}

double poisson_take(sp_poisson *s, const float *b, const float *x)
{
    poisson_means(s, fetch_floats, b);
    taking work = {s, b, x};
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, take_tiles, &work);
    s->lo_used = s->d_used = false;
    return largest(s);
}

static void give_tiles(void *arg, size_t begin, size_t end)
{
    const taking *w = arg;
    sp_poisson *s = w->s;
    float *out = (float *)(uintptr_t)w->x;
    for (size_t t = begin; t < end; ++t) {
        double mean[SP_TILE_VOXELS] = {0};
        mean_of_tile(s, t, mean);
        float *to = out + (size_t)s->tile[t] * SP_TILE_VOXELS;
        for (int c = 0; c < SP_TILE_VOXELS; ++c)
            to[c] =
                (float)(sum_at(s, t * SP_TILE_VOXELS + poisson_place(c & 7, c >> 3 & 7, c >> 6)) -
                        mean[c]);
    }
}

void poisson_give(sp_poisson *s, float *x)
{
    poisson_means(s, fetch_sum, NULL);
    for (size_t t = 0; t < s->tiles; ++t)
        if (s->slot[t] == SP_NO_TILE) memset(x + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *x);
    taking work = {.s = s, .x = x};
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, give_tiles, &work);
}

/// ---- The residual ------------------------------------------------------------------------------

static vec sum16(const void *from, size_t tile, int i)
{
    const sp_poisson *s = from;
    const size_t at = tile * SP_TILE_VOXELS + 16 * (size_t)i;
    vec sum = {0};
    if (s->real == sizeof(float)) {
        if (s->lo_used) sum += vec_of_floats((const float *)s->lo + at);
        if (s->d_used) sum += vec_of_floats((const float *)s->d + at);
    } else {
        if (s->lo_used) sum += const_tile_of(s->lo, tile)[i];
        if (s->d_used) sum += const_tile_of(s->d, tile)[i];
    }
    return vec_of_floats(s->hi + at) + sum;
}

static void fold_tiles(void *arg, size_t begin, size_t end)
{
    sp_poisson *s = arg;
    for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i) {
        const double sum = sum_at(s, i);
        s->hi[i] = (float)sum;
        if (s->real == sizeof(float))
            ((float *)s->lo)[i] = (float)(sum - (double)s->hi[i]);
        else
            ((double *)s->lo)[i] = sum - (double)s->hi[i];
    }
}

/// Empties d.
static void set_aside(sp_poisson *s)
{
    if (!s->d_used) return;
    if (s->lo_used) {
        sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, fold_tiles, s);
    } else {
        void *swap = s->lo;
        s->lo = s->d;
        s->d = swap;
    }
    s->lo_used = true;
    s->d_used = false;
}

typedef float float16 __attribute__((vector_size(64), aligned(64), may_alias));

static void residual_tiles(void *arg, size_t begin, size_t end)
{
    sp_poisson *s = arg;
    const poisson_level *l = &s->level[0];
    for (size_t t = begin; t < end; ++t) {
        unpacked room;
        const coefficients a = coefficients_of(l, t, true, &room);
        block b;
        vec ax[32], peak = {0};
        load_frame(&b, sum16, s, l->near[t]);
        load_inside(&b, sum16, s, t);
        apply_tile(&b, &a, ax);
        for (int i = 0; i < 32; ++i) {
            const size_t at = t * SP_TILE_VOXELS + 16 * (size_t)i;
            const vec r = vec_of_floats(s->right + at) - ax[i];
            peak = larger16(peak, r);
            if (s->real == sizeof(float))
                *(float16 *)((float *)l->b + at) = __builtin_convertvector(r, float16);
            else
                tile_of(l->b, t)[i] = r;
        }
        s->peaks[t] = peak16(peak);
    }
}

double poisson_refresh(sp_poisson *s)
{
    set_aside(s);
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, residual_tiles, s);
    return largest(s);
}
