// SPDX-License-Identifier: Apache-2.0
/// A tile and what touches it, sixteen lanes at a time. Compiled once for each precision: whoever
/// includes this says what REAL is.
///
///     lanes of one vector     row j      row j+1    row j+2    row j+3
///                             0 1 2 3    4 5 6 7    8 9 ...    12 ... 15      (i/2 of one colour)
///
/// The copy of a tile has a frame, so that no neighbour is a special case: planes -1 and 8 in z, and
/// in each plane a vector before and one after, of which the nearest row alone counts:
///
///     plane k:   [ . . . y=-1 ] [ y=0 1 2 3 ] [ y=4 5 6 7 ] [ y=8 . . . ]
///
/// What lies beyond in x is one value a row: `side` holds it, from the left and from the right tile
/// in turns, since along x a colour sees left in one row and right in the next.
#include "poisson/internal.h"

#if !defined(REAL)
#error "say what REAL is"
#endif

typedef REAL vec __attribute__((vector_size(16 * sizeof(REAL)), aligned(64), may_alias));

typedef struct block {
    vec cell[2][10][4]; ///< by colour, plane, place in it
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

/// Rows from the left and from the right in turns, beginning with the left (odd 0) or right one.
SP_INLINE vec turns(vec left, vec right, int odd)
{
    if (odd) {
        const vec swap = left;
        left = right;
        right = swap;
    }
    return __builtin_shufflevector(left, right, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29,
                                   30, 31);
}

/// Each row moved one to the right or to the left in turns, the gap filled from the side.
SP_INLINE vec beside(vec own, vec side, int odd)
{
    if (odd)
        return __builtin_shufflevector(own, side, 1, 2, 3, 16, 23, 4, 5, 6, 9, 10, 11, 24, 31, 12,
                                       13, 14);
    return __builtin_shufflevector(own, side, 19, 0, 1, 2, 5, 6, 7, 20, 27, 8, 9, 10, 13, 14, 15,
                                   28);
}

/// The six neighbours of sixteen voxels of colour c; h: j = 0 ... 3 or 4 ... 7. odd is (k + c) & 1,
/// which callers know while compiling.
SP_INLINE void neighbours(const block *b, int c, int k, int h, int odd, vec n[POISSON_FACES])
{
    const vec(*plane)[4] = &b->cell[1 - c][k + 1];
    const vec own = plane[0][1 + h], before = plane[0][h], after = plane[0][2 + h];
    n[POISSON_XS] = own;
    n[POISSON_XO] = beside(own, b->side[1 - c][2 * k + h], odd);
    n[POISSON_YL] = __builtin_shufflevector(before, own, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                            23, 24, 25, 26, 27);
    n[POISSON_YH] = __builtin_shufflevector(own, after, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19);
    n[POISSON_ZL] = plane[-1][1 + h];
    n[POISSON_ZH] = plane[1][1 + h];
}

/// ---- In and out --------------------------------------------------------------------------------

SP_INLINE const vec *tile_of(const REAL *values, size_t tile)
{
    return __builtin_assume_aligned(values + tile * SP_TILE_VOXELS, 64);
}

/// The frame of a tile: what its six neighbours have next to it.
SP_INLINE void load_frame(block *b, const REAL *values, const uint32_t near[6])
{
    const vec *left = tile_of(values, near[0]), *right = tile_of(values, near[1]),
              *front = tile_of(values, near[2]), *back = tile_of(values, near[3]),
              *below = tile_of(values, near[4]), *above = tile_of(values, near[5]);
    for (int c = 0; c < 2; ++c) {
        for (int h = 0; h < 2; ++h) {
            b->cell[c][0][1 + h] = below[16 * c + 14 + h];
            b->cell[c][9][1 + h] = above[16 * c + h];
        }
        for (int k = 0; k < 8; ++k) {
            b->cell[c][k + 1][0] = front[16 * c + 2 * k + 1];
            b->cell[c][k + 1][3] = back[16 * c + 2 * k];
        }
        for (int q = 0; q < 16; ++q) // voxels of the other colour look here
            b->side[c][q] = (q / 2 + 1 - c) & 1 ? turns(left[16 * c + q], right[16 * c + q], 1)
                                                : turns(left[16 * c + q], right[16 * c + q], 0);
    }
}

SP_INLINE void load_inside(block *b, const REAL *values, size_t tile)
{
    const vec *from = tile_of(values, tile);
    for (int c = 0; c < 2; ++c)
        for (int q = 0; q < 16; ++q)
            b->cell[c][q / 2 + 1][1 + q % 2] = from[16 * c + q];
}

SP_INLINE void store_inside(const block *b, REAL *values, size_t tile)
{
    vec *to = __builtin_assume_aligned(values + tile * SP_TILE_VOXELS, 64);
    for (int c = 0; c < 2; ++c)
        for (int q = 0; q < 16; ++q)
            to[16 * c + q] = b->cell[c][q / 2 + 1][1 + q % 2];
}

/// ---- The operator ------------------------------------------------------------------------------

/// Ax of sixteen voxels. Differences are taken before they are summed: where x is large and smooth
/// that keeps the digits.
SP_INLINE vec apply16(const block *b, const poisson_row *row, int c, int k, int h, int odd)
{
    vec n[POISSON_FACES];
    neighbours(b, c, k, h, odd, n);
    const vec x = b->cell[c][k + 1][1 + h];
    for (int f = 0; f < POISSON_FACES; ++f)
        n[f] = x - n[f];
    if (!row)
        return ((n[POISSON_XS] + n[POISSON_XO]) + (n[POISSON_YL] + n[POISSON_YH])) +
               (n[POISSON_ZL] + n[POISSON_ZH]);
    const int q = 16 * (2 * k + h);
    vec sum = vec_of_floats(&row->extra[c][q]) * x;
    for (int f = 0; f < POISSON_FACES; ++f)
        sum += vec_of_floats(&row->face[c][f][q]) * n[f];
    return sum;
}
