// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_PATCH_H
#define SP_TILES_PATCH_H

/// Patches: a tile and its halo copied to one dense block, so that many samples near a tile need no
/// look-up of tiles. A patch with a halo of `pad` P has an edge of 8 + 2P values, x fastest; value
/// (i, j, k) of the tile sits at (i+P) + edge*((j+P) + edge*(k+P)).

#include "tiles/tiles.h"

enum { SP_PATCH_PAD = 8, SP_PATCH_EDGE = SP_TILE + 2 * SP_PATCH_PAD };
/// Floats of the largest patch.
enum { SP_PATCH_MOST = SP_PATCH_EDGE * SP_PATCH_EDGE * SP_PATCH_EDGE };

SP_INLINE int sp_patch_edge(int pad)
{
    return SP_TILE + 2 * pad;
}

/// Copies a tile with a halo of `pad` (1 to 8) values; `background` where there is no tile.
void sp_tiles_patch(const sp_tiles *tiles, const float *values, uint32_t tile, int pad,
                    float background, float *patch);

/// The shape of a patch whose halo has another width along each axis. Value (i, j, k) of the tile
/// sits at i + row*j + layer*k + first.
typedef struct sp_patch_box {
    int pad[3]; ///< values on each side of the tile
    int row, layer, first;
    size_t count; ///< values in all
} sp_patch_box;

SP_INLINE sp_patch_box sp_patch_box_of(int pad_x, int pad_y, int pad_z)
{
    const int row = sp_patch_edge(pad_x), layer = row * sp_patch_edge(pad_y);
    return (sp_patch_box){.pad = {pad_x, pad_y, pad_z},
                          .row = row,
                          .layer = layer,
                          .first = pad_x + row * pad_y + layer * pad_z,
                          .count = (size_t)(layer * sp_patch_edge(pad_z))};
}

/// Copies a tile with such a halo.
void sp_tiles_patch_box(const sp_tiles *tiles, const float *values, uint32_t tile,
                        const sp_patch_box *box, float background, float *patch);

/// A register of values in the order of voxels in a tile: one row of a patch or, where registers are wider, two
/// that are `row` values apart. Not through an array: gcc fills that in halves, and loading it as a whole then has
/// to wait.
SP_INLINE sp_part sp_patch_rows(const float *p, int row)
{
#if defined(__AVX512F__)
    const __m512d low = _mm512_castpd256_pd512((__m256d)_mm256_loadu_ps(p));
    return (sp_part)_mm512_insertf64x4(low, (__m256d)_mm256_loadu_ps(p + row), 1);
#else
    (void)row; // a register is at most one row
    return sp_part_load(p);
#endif
}

/// Indices i, j, k within a tile of the voxels of a register that begins at voxel `first`.
SP_INLINE void sp_patch_voxels(int first, sp_part at[3])
{
    static const float column[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
                       row[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    at[0] = (float)(first % 8) + sp_part_load(column);
    at[1] = (float)(first / 8 % 8) + sp_part_load(row);
    at[2] = sp_part_all((float)(first / 64));
}

/// base[index] for each lane.
SP_INLINE sp_part sp_patch_take(const float *base, sp_flags index)
{
#if defined(__AVX512F__)
    return (sp_part)_mm512_i32gather_ps((__m512i)index, base, 4);
#elif defined(__AVX2__)
    return (sp_part)_mm256_i32gather_ps(base, (__m256i)index, 4);
#else
    sp_part v;
    for (int l = 0; l < SP_PART; ++l)
        v[l] = base[index[l]];
    return v;
#endif
}

/// a = base[index] and b = base[index + 1] for each lane. Each pair is one load of eight bytes: the
/// cost of a gather is per element, so pairs take two thirds of the time of single values.
SP_INLINE void sp_patch_take_pair(const float *base, sp_flags index, sp_part *a, sp_part *b)
{
#if defined(__AVX512F__)
    const __m512i at = (__m512i)index;
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512 low = (__m512)_mm512_i32gather_pd(_mm512_castsi512_si256(at), base, 4);
    const __m512 high = (__m512)_mm512_i32gather_pd(_mm512_extracti64x4_epi64(at, 1), base, 4);
    *a = (sp_part)_mm512_permutex2var_ps(low, even, high);
    *b = (sp_part)_mm512_permutex2var_ps(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high);
#elif defined(__AVX2__)
    const __m256i at = (__m256i)index;
    const double *pairs = (const double *)(const void *)base;
    const __m256 low = (__m256)_mm256_i32gather_pd(pairs, _mm256_castsi256_si128(at), 4);
    const __m256 high = (__m256)_mm256_i32gather_pd(pairs, _mm256_extracti128_si256(at, 1), 4);
    // within halves first: a0 a1 a4 a5 | a2 a3 a6 a7
    const __m256d first = (__m256d)_mm256_shuffle_ps(low, high, 0x88);
    const __m256d second = (__m256d)_mm256_shuffle_ps(low, high, 0xdd);
    *a = (sp_part)_mm256_permute4x64_pd(first, 0xd8);
    *b = (sp_part)_mm256_permute4x64_pd(second, 0xd8);
#else
    for (int l = 0; l < SP_PART; ++l) {
        (*a)[l] = base[index[l]];
        (*b)[l] = base[index[l] + 1];
    }
#endif
}

/// The position of a register of points in a patch: index of the value at the low corner,
/// fractions.
typedef struct sp_patch_spot {
    sp_flags at;
    sp_part fx, fy, fz;
} sp_patch_spot;

/// x, y, z are in voxels from the first value of the patch and must lie inside it.
SP_INLINE sp_patch_spot sp_patch_find(int row, int layer, sp_part x, sp_part y, sp_part z)
{
    const sp_flags i = __builtin_convertvector(x, sp_flags),
                   j = __builtin_convertvector(y, sp_flags),
                   k = __builtin_convertvector(z, sp_flags);
    return (sp_patch_spot){i + row * j + layer * k, x - __builtin_convertvector(i, sp_part),
                           y - __builtin_convertvector(j, sp_part),
                           z - __builtin_convertvector(k, sp_part)};
}

/// The eight values around each point, x fastest.
typedef struct sp_patch_corners {
    sp_part value[8];
} sp_patch_corners;

SP_INLINE sp_patch_corners sp_patch_around(const float *patch, int row, int layer, sp_flags at)
{
    sp_patch_corners c;
    for (int n = 0; n < 4; ++n)
        sp_patch_take_pair(patch + row * (n % 2) + layer * (n / 2), at, &c.value[2 * n],
                           &c.value[2 * n + 1]);
    return c;
}

/// Trilinear interpolation of the eight values.
SP_INLINE sp_part sp_patch_blend(const sp_patch_corners *c, sp_patch_spot s)
{
    sp_part plane[2];
    for (int k = 0; k < 2; ++k) {
        const sp_part *v = c->value + 4 * k;
        const sp_part low = v[0] + s.fx * (v[1] - v[0]), high = v[2] + s.fx * (v[3] - v[2]);
        plane[k] = low + s.fy * (high - low);
    }
    return plane[0] + s.fz * (plane[1] - plane[0]);
}

/// Trilinear values of a patch.
SP_INLINE sp_part sp_patch_sample(const float *patch, int row, int layer, sp_patch_spot s)
{
    const sp_patch_corners c = sp_patch_around(patch, row, layer, s.at);
    return sp_patch_blend(&c, s);
}

/// ---- Squares -----------------------------------------------------------------------------------

/// Where very many points are looked up in a patch, it pays to store the four corners of a square
/// side by side:
///     squares[4*n ... 4*n + 3] = value n, the next along x, the next along y, the next along both.
/// A point then needs two loads of 16 bytes (gather_quads.h): its square and the one at z + 1. The
/// last square of each row and the last row of each layer are undefined. The patch has rows of
/// `edge` values, `count` values in all.
void sp_patch_squares(const float *patch, int edge, size_t count, float *squares);

#endif
