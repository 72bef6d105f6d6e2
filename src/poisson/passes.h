// SPDX-License-Identifier: Apache-2.0
/// Passes over the tiles of a level: smoothing, residuals, moving between levels. Each is parallel
/// over tiles that do not touch what others of the same pass write.
#include "poisson/block.h"

#include <string.h>

SP_INLINE const poisson_row *row_of(const poisson_level *l, size_t t)
{
    return l->row[t] == SP_POISSON_FULL ? NULL : &l->coefficient[l->row[t]];
}

/// 1 / diagonal. The stored one is rounded to float: a smoother that uses it belongs to a slightly
/// different matrix, which in double shows as a cycle that is symmetric to 1e-9 only.
SP_INLINE vec inverse16(const poisson_row *row, int c, int q)
{
    const vec stored = vec_of_floats(&row->inverse[c][16 * q]);
    if (sizeof(REAL) == sizeof(float)) return stored;
    vec sum = vec_of_floats(&row->extra[c][16 * q]);
    for (int f = 0; f < POISSON_FACES; ++f)
        sum += vec_of_floats(&row->face[c][f][16 * q]);
    return stored * (2 - stored * sum); // a step of Newton's
}

/// ---- Sweeps inside a tile ----------------------------------------------------------------------

/// Two vectors of colour c get the value that makes their residual 0.
SP_INLINE void relax_plane(block *x, const vec *b, const poisson_row *row, int c, int k, int odd)
{
    for (int h = 0; h < 2; ++h) {
        vec n[POISSON_FACES];
        neighbours(x, c, k, h, odd, n);
        const int q = 2 * k + h;
        vec sum = b[16 * c + q];
        if (row) {
            for (int f = 0; f < POISSON_FACES; ++f)
                sum += vec_of_floats(&row->face[c][f][16 * q]) * n[f];
            sum *= inverse16(row, c, q);
        } else {
            sum += ((n[POISSON_XS] + n[POISSON_XO]) + (n[POISSON_YL] + n[POISSON_YH])) +
                   (n[POISSON_ZL] + n[POISSON_ZH]);
            sum *= (REAL)(1.0 / 6.0);
        }
        x->cell[c][k + 1][1 + h] = sum;
    }
}

SP_INLINE void relax_colour(block *x, const vec *b, const poisson_row *row, int c)
{
    for (int k = 0; k < 8; k += 2) {
        relax_plane(x, b, row, c, k, c);
        relax_plane(x, b, row, c, k + 1, 1 - c);
    }
}

static void sweep_full(block *x, const vec *b, int sweeps, bool back)
{
    for (int n = 0; n < 2 * sweeps; ++n)
        if ((n & 1) == back)
            relax_colour(x, b, NULL, 0);
        else
            relax_colour(x, b, NULL, 1);
}

static void sweep_row(block *x, const vec *b, const poisson_row *row, int sweeps, bool back)
{
    for (int n = 0; n < 2 * sweeps; ++n)
        if ((n & 1) == back)
            relax_colour(x, b, row, 0);
        else
            relax_colour(x, b, row, 1);
}

/// ---- Smoothing a level -------------------------------------------------------------------------

typedef struct smoothing {
    const poisson_level *level;
    const uint32_t *order;
    int sweeps;
    bool back;  ///< black before red
    bool zero;  ///< x is 0 in the tile to begin with
    bool alone; ///< and around it
} smoothing;

static void smooth_tiles(void *arg, size_t begin, size_t end)
{
    const smoothing *w = arg;
    const poisson_level *l = w->level;
    REAL *values = l->x;
    for (size_t i = begin; i < end; ++i) {
        const size_t t = w->order[i];
        const vec *b = tile_of(l->b, t);
        block x;
        if (w->zero) memset(&x, 0, sizeof x);
        if (!w->zero) load_inside(&x, values, t);
        if (!w->alone) load_frame(&x, values, l->near[t]);
        if (l->row[t] == SP_POISSON_FULL)
            sweep_full(&x, b, w->sweeps, w->back);
        else
            sweep_row(&x, b, &l->coefficient[l->row[t]], w->sweeps, w->back);
        store_inside(&x, values, t);
    }
}

static void smooth_colour(const sp_host *host, int colour, smoothing work)
{
    const poisson_level *l = work.level;
    work.order = l->order + l->start[colour];
    sp_parallel(host, l->start[colour + 1] - l->start[colour], POISSON_GRAIN, smooth_tiles, &work);
}

/// Before the coarse correction: colours of tiles upwards, red before black inside. Where x is to be
/// 0 before it is not read: the first of two colours sees no neighbours, the second sees the first.
static void smooth_down(const sp_host *host, const poisson_level *l, int sweeps, bool zero)
{
    const bool two = l->colours == 2;
    if (zero && !two) memset(l->x, 0, l->count * SP_TILE_VOXELS * sizeof(REAL));
    for (int c = 0; c < l->colours; ++c)
        smooth_colour(
            host, c,
            (smoothing){
                .level = l, .sweeps = sweeps, .zero = zero && two, .alone = zero && two && c == 0});
}

/// After it: all the other way round, so that the whole is symmetric.
static void smooth_up(const sp_host *host, const poisson_level *l, int sweeps)
{
    for (int c = l->colours; c-- > 0;)
        smooth_colour(host, c, (smoothing){.level = l, .sweeps = sweeps, .back = true});
}

/// ---- Between levels ----------------------------------------------------------------------------

/// Place of the first voxel of a row of four, of colour c, in a coarse tile.
SP_INLINE size_t coarse_place(uint32_t parent, int c, int j, int k)
{
    const uint32_t tile = parent >> 3, x = parent & 1, y = parent >> 1 & 1, z = parent >> 2 & 1;
    return (size_t)tile * SP_TILE_VOXELS + (size_t)(POISSON_HALF * c + 4 * j + 32 * k) + 2 * x +
           16 * y + 128 * z;
}

/// Half the sum over 2x2x2 voxels: what a coarse voxel has on its right side. `r` holds residuals of
/// both colours, and voxels of one place are next to each other in x.
static void restrict_tile(vec r[2][16], uint32_t parent, REAL *coarse)
{
    for (int k = 0; k < 4; ++k)
        for (int h = 0; h < 2; ++h) {
            const int q = 4 * k + h;
            const vec sum = (r[0][q] + r[1][q]) + (r[0][q + 2] + r[1][q + 2]);
            for (int row = 0; row < 2; ++row) {
                const int j = 2 * h + row, s = (j + k) & 1, at = 8 * row;
                REAL *even = coarse + coarse_place(parent, s, j, k),
                     *odd = coarse + coarse_place(parent, 1 - s, j, k);
                even[0] = (REAL)0.5 * (sum[at] + sum[at + 4]);
                odd[0] = (REAL)0.5 * (sum[at + 1] + sum[at + 5]);
                even[1] = (REAL)0.5 * (sum[at + 2] + sum[at + 6]);
                odd[1] = (REAL)0.5 * (sum[at + 3] + sum[at + 7]);
            }
        }
}

typedef struct moving {
    const poisson_level *fine, *coarse;
} moving;

static void restrict_tiles(void *arg, size_t begin, size_t end)
{
    const moving *w = arg;
    const poisson_level *l = w->fine;
    for (size_t t = begin; t < end; ++t) {
        const vec *b = tile_of(l->b, t);
        const poisson_row *row = row_of(l, t);
        block x;
        vec r[2][16];
        load_frame(&x, l->x, l->near[t]);
        load_inside(&x, l->x, t);
        for (int k = 0; k < 8; k += 2)
            for (int h = 0; h < 2; ++h) {
                const int q = 2 * k + h;
                r[0][q] = b[q] - apply16(&x, row, 0, k, h, 0);
                r[0][q + 2] = b[q + 2] - apply16(&x, row, 0, k + 1, h, 1);
                r[1][q] = b[16 + q] - apply16(&x, row, 1, k, h, 1);
                r[1][q + 2] = b[16 + q + 2] - apply16(&x, row, 1, k + 1, h, 0);
            }
        restrict_tile(r, l->parent[t], w->coarse->b);
    }
}

static void prolong_tiles(void *arg, size_t begin, size_t end)
{
    const moving *w = arg;
    const REAL *coarse = w->coarse->x;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t parent = w->fine->parent[t];
        vec *x = __builtin_assume_aligned((REAL *)w->fine->x + t * SP_TILE_VOXELS, 64);
        for (int k = 0; k < 4; ++k)
            for (int h = 0; h < 2; ++h) {
                vec e;
                for (int row = 0; row < 2; ++row) {
                    const int j = 2 * h + row, s = (j + k) & 1, at = 8 * row;
                    const REAL *even = coarse + coarse_place(parent, s, j, k),
                               *odd = coarse + coarse_place(parent, 1 - s, j, k);
                    e[at] = e[at + 4] = even[0];
                    e[at + 1] = e[at + 5] = odd[0];
                    e[at + 2] = e[at + 6] = even[1];
                    e[at + 3] = e[at + 7] = odd[1];
                }
                for (int q = 4 * k + h; q < 4 * k + h + 4; q += 2) {
                    x[q] += e;
                    x[16 + q] += e;
                }
            }
    }
}
