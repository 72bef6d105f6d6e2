// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_PATCH_H
#define SP_TILES_PATCH_H

/// A tile and what lies around it as one dense block, so that many samples near a tile need no
/// look-up of tiles. A patch of pad P has an edge of 8 + 2P values, x fastest; value (i, j, k) of
/// the tile sits at (i+P) + edge*((j+P) + edge*(k+P)).

#include "tiles/tiles.h"

enum { SP_PATCH_PAD = 8, SP_PATCH_EDGE = SP_TILE + 2 * SP_PATCH_PAD };
/// Floats of the largest patch.
enum { SP_PATCH_MOST = SP_PATCH_EDGE * SP_PATCH_EDGE * SP_PATCH_EDGE };

SP_INLINE int sp_patch_edge(int pad)
{
    return SP_TILE + 2 * pad;
}

/// Copies a tile with `pad` (1 to 8) values around it; `background` where there is no tile.
void sp_tiles_patch(const sp_tiles *tiles, const float *values, uint32_t tile, int pad,
                    float background, float *patch);

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

/// Where a register of points lies in a patch: the value below each and the fractions beyond it.
typedef struct sp_patch_spot {
    sp_flags at;
    sp_part fx, fy, fz;
} sp_patch_spot;

/// Coordinates count values of the patch from its first one, which sits at 0; they must lie in [0,
/// edge - 1).
SP_INLINE sp_patch_spot sp_patch_find(int edge, sp_part x, sp_part y, sp_part z)
{
    const sp_flags i = __builtin_convertvector(x, sp_flags),
                   j = __builtin_convertvector(y, sp_flags),
                   k = __builtin_convertvector(z, sp_flags);
    return (sp_patch_spot){i + edge * (j + edge * k), x - __builtin_convertvector(i, sp_part),
                           y - __builtin_convertvector(j, sp_part),
                           z - __builtin_convertvector(k, sp_part)};
}

/// Trilinear values of a patch.
SP_INLINE sp_part sp_patch_sample(const float *patch, int edge, sp_patch_spot s)
{
    sp_part plane[2];
    for (int k = 0; k < 2; ++k) {
        const float *base = patch + k * edge * edge;
        const sp_part a = sp_patch_take(base, s.at), b = sp_patch_take(base + 1, s.at);
        const sp_part c = sp_patch_take(base + edge, s.at),
                      d = sp_patch_take(base + edge + 1, s.at);
        const sp_part low = a + s.fx * (b - a), high = c + s.fx * (d - c);
        plane[k] = low + s.fy * (high - low);
    }
    return plane[0] + s.fz * (plane[1] - plane[0]);
}

#endif
