// SPDX-License-Identifier: Apache-2.0
/// In and out, and the residual to the last digit. Vectors of floats are enough to find corrections,
/// but x itself, where water is n voxels deep, is some n times as large as what b can tell apart, and
/// rounding x to floats leaves a residual of n * 1e-7. So x is kept in double; iterations collect a
/// correction d in floats, and from time to time d is added to x and the residual made anew.
#define REAL double
#include "poisson/block.h"

#include <string.h>

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

static void fetch_exact(const sp_poisson *s, const void *values, size_t tile,
                        double out[SP_TILE_VOXELS])
{
    (void)s;
    const double *from = (const double *)values + tile * SP_TILE_VOXELS;
    for (int c = 0; c < SP_TILE_VOXELS; ++c)
        out[c] = from[poisson_place(c & 7, c >> 3 & 7, c >> 6)];
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
            s->exact[to] = there ? (double)x[c] : 0.0;
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
    memset(s->d, 0, s->level[0].count * SP_TILE_VOXELS * s->real);
    memset(s->p, 0, s->level[0].count * SP_TILE_VOXELS * s->real);
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
        const double *from = s->exact + t * SP_TILE_VOXELS;
        float *to = out + (size_t)s->tile[t] * SP_TILE_VOXELS;
        for (int c = 0; c < SP_TILE_VOXELS; ++c)
            to[c] = (float)(from[poisson_place(c & 7, c >> 3 & 7, c >> 6)] - mean[c]);
    }
}

void poisson_give(sp_poisson *s, float *x)
{
    poisson_means(s, fetch_exact, s->exact);
    for (size_t t = 0; t < s->tiles; ++t)
        if (s->slot[t] == SP_NO_TILE) memset(x + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *x);
    taking work = {.s = s, .x = x};
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, give_tiles, &work);
}

/// ---- The residual ------------------------------------------------------------------------------

static void add_correction(void *arg, size_t begin, size_t end)
{
    sp_poisson *s = arg;
    begin *= SP_TILE_VOXELS;
    end *= SP_TILE_VOXELS;
    if (s->real == sizeof(float)) {
        float *d = s->d;
        for (size_t i = begin; i < end; ++i)
            s->exact[i] += (double)d[i];
    } else {
        double *d = s->d;
        for (size_t i = begin; i < end; ++i)
            s->exact[i] += d[i];
    }
    memset((char *)s->d + begin * s->real, 0, (end - begin) * s->real);
}

static vec residual16(const block *b, const poisson_row *row, const float *right, int c, int q)
{
    const vec a =
        (q / 2 + c) & 1 ? apply16(b, row, c, q / 2, q % 2, 1) : apply16(b, row, c, q / 2, q % 2, 0);
    return vec_of_floats(right + POISSON_HALF * c + 16 * q) - a;
}

static void make_residual(void *arg, size_t begin, size_t end)
{
    sp_poisson *s = arg;
    const poisson_level *l = &s->level[0];
    for (size_t t = begin; t < end; ++t) {
        block b;
        load_frame(&b, s->exact, l->near[t]);
        load_inside(&b, s->exact, t);
        const poisson_row *row = l->row[t] == SP_POISSON_FULL ? NULL : &l->coefficient[l->row[t]];
        double peak = 0.0;
        for (int c = 0; c < 2; ++c)
            for (int q = 0; q < 16; ++q) {
                const vec r = residual16(&b, row, s->right + t * SP_TILE_VOXELS, c, q);
                const size_t to = t * SP_TILE_VOXELS + (size_t)(POISSON_HALF * c + 16 * q);
                for (size_t i = 0; i < 16; ++i) {
                    const double size = fabs(r[i]);
                    if (!(size <= peak)) peak = size;
                    if (s->real == sizeof(float))
                        ((float *)l->b)[to + i] = (float)r[i];
                    else
                        ((double *)l->b)[to + i] = r[i];
                }
            }
        s->peaks[t] = peak;
    }
}

double poisson_refresh(sp_poisson *s)
{
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, add_correction, s);
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, make_residual, s);
    return largest(s);
}
