// SPDX-License-Identifier: Apache-2.0
/// A tile and its halo in vectors of sixteen lanes, and the operator A on them. Compiled once for
/// each precision: the including file defines REAL and its number of BITS.
///
///     lanes of one vector     row j      row j+1    row j+2    row j+3
///                             0 1 2 3    4 5 6 7    8 9 ...    12 ... 15      (i/2 of one colour)
///
/// The copy of a tile has a halo, so that no neighbour is a special case: planes -1 and 8 in z, and
/// in each plane a vector before and one after, of which only the row next to the tile is used:
///
///     plane k:   [ . . . y=-1 ] [ y=0 1 2 3 ] [ y=4 5 6 7 ] [ y=8 . . . ]
///
/// Beyond the tile in x there is one value per row. `side` holds them, alternating between the left
/// and the right tile, because along x a colour has its outer neighbour on the left in one row and
/// on the right in the next.
#include "poisson/faces.h"

#include <string.h>

typedef REAL vec __attribute__((vector_size(16 * sizeof(REAL)), aligned(64), may_alias));
#if BITS == 32
typedef int32_t ivec __attribute__((vector_size(64), aligned(64)));
#define MAGNITUDE INT32_MAX
#else
typedef int64_t ivec __attribute__((vector_size(128), aligned(64)));
#define MAGNITUDE INT64_MAX
#endif

typedef struct block {
    vec cell[2][10][4]; ///< by colour, plane, vector of the plane
    vec side[2][16];
} block;

SP_INLINE vec vec_all(REAL x)
{
    return x - (vec){0};
}

/// Coefficients are floats in either precision.
SP_INLINE vec vec_of_floats(const float *p)
{
    sp_f16 v;
    memcpy(&v, __builtin_assume_aligned(p, 64), sizeof v);
    return __builtin_convertvector(v, vec);
}

/// Keeps the lanes whose bit is set; the others become 0.
SP_INLINE vec keep_lanes(vec v, uint16_t bits)
{
#if BITS == 32 && defined(__AVX512F__)
    return (vec)_mm512_maskz_mov_ps(bits, (__m512)v);
#else
    const ivec lane = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    return (vec)((ivec)v & ((lane & ((int32_t)bits - (ivec){0})) != 0));
#endif
}

/// max(a, |b|); NaN if b is NaN.
SP_INLINE vec max_abs16(vec a, vec b)
{
    const ivec size = (ivec)b & (MAGNITUDE - (ivec){0});
#if BITS == 32 && defined(__AVX512F__)
    return (vec)_mm512_max_ps((__m512)a, (__m512)size);
#else
    const ivec less = (ivec)((vec)size <= a);
    return (vec)((less & (ivec)a) | (~less & size));
#endif
}

SP_INLINE double peak16(vec a)
{
    double most = 0.0;
    for (int i = 0; i < 16; ++i)
        if (!((double)a[i] <= most)) most = (double)a[i];
    return most;
}

/// Takes rows alternately from `left` and `right`, beginning with `left` (odd 0) or `right`.
SP_INLINE vec alternate_rows(vec left, vec right, int odd)
{
    if (odd)
        return __builtin_shufflevector(right, left, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28,
                                       29, 30, 31);
    return __builtin_shufflevector(left, right, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29,
                                   30, 31);
}

/// Shifts rows alternately right and left by one and fills the gap from `side`.
SP_INLINE vec shift_rows(vec own, vec side, int odd)
{
    if (odd)
        return __builtin_shufflevector(own, side, 1, 2, 3, 16, 23, 4, 5, 6, 9, 10, 11, 24, 31, 12,
                                       13, 14);
    return __builtin_shufflevector(own, side, 19, 0, 1, 2, 5, 6, 7, 20, 27, 8, 9, 10, 13, 14, 15,
                                   28);
}

/// The six neighbours of sixteen voxels of colour c; h: j = 0 ... 3 or 4 ... 7. odd is (k + c) & 1,
/// a compile-time constant in the callers.
SP_INLINE void neighbours(const block *b, int c, int k, int h, int odd, vec n[POISSON_FACES])
{
    const vec(*plane)[4] = &b->cell[1 - c][k + 1];
    const vec own = plane[0][1 + h], before = plane[0][h], after = plane[0][2 + h];
    n[POISSON_XS] = own;
    n[POISSON_XO] = shift_rows(own, b->side[1 - c][2 * k + h], odd);
    n[POISSON_YL] = __builtin_shufflevector(before, own, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                            23, 24, 25, 26, 27);
    n[POISSON_YH] = __builtin_shufflevector(own, after, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19);
    n[POISSON_ZL] = plane[-1][1 + h];
    n[POISSON_ZH] = plane[1][1 + h];
}

/// ---- Load and store ----------------------------------------------------------------------------

SP_INLINE vec *tile_of(void *values, size_t tile)
{
    return __builtin_assume_aligned((REAL *)values + tile * SP_TILE_VOXELS, 64);
}

SP_INLINE const vec *const_tile_of(const void *values, size_t tile)
{
    return __builtin_assume_aligned((const REAL *)values + tile * SP_TILE_VOXELS, 64);
}

/// Prefetches a tile into the L2 cache. Tiles are 2 KiB apart in an order that the hardware
/// prefetcher does not follow, so each would begin with a cache miss. Levels that fit into the
/// caches have no such misses, and prefetching would cost them 5 %.
enum { AHEAD = 2, MANY = 1024 }; ///< tiles
SP_INLINE void soon_bytes(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)at + i, 0, 2);
}

SP_INLINE void prefetch_tile(const void *values, size_t tile)
{
    soon_bytes(const_tile_of(values, tile), SP_TILE_VOXELS * sizeof(REAL));
}

/// The same for its six neighbours; most of them are in the cache already.
SP_INLINE void prefetch_around(const void *values, const uint32_t near[6])
{
    for (int n = 0; n < 6; ++n)
        prefetch_tile(values, near[n]);
}

/// The same for its coefficients, if it has any: see coefficients_of().
SP_INLINE void prefetch_row(const poisson_level *l, size_t tile, bool exact)
{
    const uint32_t row = l->row[tile];
    if (row == SP_POISSON_FULL) return;
    const poisson_row *kind = &l->kind[row];
    const poisson_faces *faces = kind->faces == UINT32_MAX ? NULL : &l->faces[kind->faces];
    const poisson_diagonal *diagonal = &l->diagonal[row];
    if (faces) soon_bytes(faces->upper, sizeof faces->upper);
    if (faces && exact) soon_bytes(faces->lower, sizeof faces->lower);
    if (!exact) soon_bytes(diagonal->inverse, sizeof diagonal->inverse);
    if (exact && kind->has_extra) soon_bytes(diagonal->extra, sizeof diagonal->extra);
}

/// Reads the i-th of a tile's 32 vectors.
typedef vec fetch16(const void *from, size_t tile, int i);

SP_INLINE vec fetch_plain(const void *from, size_t tile, int i)
{
    return const_tile_of(from, tile)[i];
}

/// Fills the halo of a tile with the adjacent values of its six neighbours.
SP_INLINE void load_halo(block *b, fetch16 *fetch, const void *from, const uint32_t near[6])
{
#pragma GCC unroll 2
    for (int c = 0; c < 2; ++c) {
        for (int h = 0; h < 2; ++h) {
            b->cell[c][0][1 + h] = fetch(from, near[4], 16 * c + 14 + h);
            b->cell[c][9][1 + h] = fetch(from, near[5], 16 * c + h);
        }
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
            b->cell[c][k + 1][0] = fetch(from, near[2], 16 * c + 2 * k + 1);
            b->cell[c][k + 1][3] = fetch(from, near[3], 16 * c + 2 * k);
        }
#pragma GCC unroll 16
        for (int q = 0; q < 16; ++q) { // read by voxels of colour 1 - c
            const vec left = fetch(from, near[0], 16 * c + q),
                      right = fetch(from, near[1], 16 * c + q);
            b->side[c][q] = (q / 2 + 1 - c) & 1 ? alternate_rows(left, right, 1)
                                                : alternate_rows(left, right, 0);
        }
    }
}

SP_INLINE void load_inside(block *b, fetch16 *fetch, const void *from, size_t tile)
{
#pragma GCC unroll 32
    for (int i = 0; i < 32; ++i)
        b->cell[i / 16][i % 16 / 2 + 1][1 + i % 2] = fetch(from, tile, i);
}

SP_INLINE void store_inside(const block *b, void *values, size_t tile)
{
    vec *to = tile_of(values, tile);
    for (int i = 0; i < 32; ++i)
        to[i] = b->cell[i / 16][i % 16 / 2 + 1][1 + i % 2];
}

/// ---- The operator ------------------------------------------------------------------------------

/// Coefficients of a tile: all NULL for a FULL tile; `open` and `diagonal` if bits are enough.
typedef struct coefficients {
    const poisson_open *open;
    const unpacked *faces;
    const poisson_diagonal *diagonal;
    bool has_extra;
} coefficients;

SP_INLINE const poisson_diagonal *diagonal_of(const poisson_level *l, size_t t)
{
    return l->row[t] == SP_POISSON_FULL ? NULL : &l->diagonal[l->row[t]];
}

/// Coefficients of the matrix, or (not `exact`) of the rounded matrix of the cycle. `room` is
/// scratch for faces.
SP_INLINE coefficients coefficients_of(const poisson_level *l, size_t t, bool exact, unpacked *room)
{
    const uint32_t row = l->row[t];
    if (row == SP_POISSON_FULL) return (coefficients){0};
    const poisson_row *kind = &l->kind[row];
    const bool bits = kind->faces == UINT32_MAX;
    if (!bits) unpack(&l->faces[kind->faces], exact, room);
    return (coefficients){&l->open[row], bits ? NULL : room, &l->diagonal[row], kind->has_extra};
}

/// Sum over faces of coefficient * n, for sixteen voxels.
SP_INLINE vec weighted_sum(const coefficients *a, int c, int q, vec n[POISSON_FACES])
{
    if (a->faces)
        for (int f = 0; f < POISSON_FACES; ++f)
            n[f] *= vec_of_floats(faces_of(a->faces, c, f) + 16 * q);
    else if (a->open)
        for (int f = 0; f < POISSON_FACES; ++f)
            n[f] = keep_lanes(n[f], a->open->bits[c][f][q]);
    return ((n[POISSON_XS] + n[POISSON_XO]) + (n[POISSON_YL] + n[POISSON_YH])) +
           (n[POISSON_ZL] + n[POISSON_ZH]);
}

/// Ax of sixteen voxels. Differences are taken before they are summed, which avoids cancellation
/// where x is large and smooth.
SP_INLINE vec apply16(const block *b, const coefficients *a, int c, int k, int h, int odd)
{
    vec n[POISSON_FACES];
    neighbours(b, c, k, h, odd, n);
    const vec x = b->cell[c][k + 1][1 + h];
    for (int f = 0; f < POISSON_FACES; ++f)
        n[f] = x - n[f];
    vec sum = weighted_sum(a, c, 2 * k + h, n);
    if (a->has_extra) sum += vec_of_floats(&a->diagonal->extra[c][16 * (2 * k + h)]) * x;
    return sum;
}

/// Ax of a whole tile.
SP_INLINE void apply_all(const block *b, const coefficients *a, vec out[32])
{
    for (int c = 0; c < 2; ++c)
        for (int k = 0; k < 8; k += 2)
            for (int h = 0; h < 2; ++h) {
                const int i = 16 * c + 2 * k + h;
                out[i] = c ? apply16(b, a, 1, k, h, 1) : apply16(b, a, 0, k, h, 0);
                out[i + 2] = c ? apply16(b, a, 1, k + 1, h, 0) : apply16(b, a, 0, k + 1, h, 1);
            }
}

/// The same, with one branch per tile for the three kinds of tiles instead of one per vector.
static void apply_tile(const block *b, const coefficients *a, vec out[32])
{
    const coefficients full = {0},
                       bits = {.open = a->open, .diagonal = a->diagonal, .has_extra = a->has_extra};
    if (a->faces)
        apply_all(b, &(coefficients){NULL, a->faces, a->diagonal, a->has_extra}, out);
    else if (a->open)
        apply_all(b, &bits, out);
    else
        apply_all(b, &full, out);
}
