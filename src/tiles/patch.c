// SPDX-License-Identifier: Apache-2.0
#include "tiles/patch.h"

#include <string.h>

/// One row of a patch: `pad` values of the tile before, 8 of the one itself, `pad` of the one after.
static void copy_row(const float *const tile[3], size_t row, int pad, float background, float *out)
{
    for (int i = 0; i < pad; ++i)
        out[i] = tile[0] ? tile[0][row + (size_t)(SP_TILE - pad + i)] : background;
    for (int i = 0; i < SP_TILE; ++i)
        out[pad + i] = tile[1] ? tile[1][row + (size_t)i] : background;
    for (int i = 0; i < pad; ++i)
        out[pad + SP_TILE + i] = tile[2] ? tile[2][row + (size_t)i] : background;
}

void sp_tiles_patch(const sp_tiles *tiles, const float *values, uint32_t tile, int pad,
                    float background, float *patch)
{
    SP_ASSERT(pad >= 1 && pad <= SP_PATCH_PAD);
    const int edge = sp_patch_edge(pad);
    for (int k = 0; k < edge; ++k)
        for (int j = 0; j < edge; ++j) {
            const int y = j - pad, z = k - pad;
            const int around = 3 * ((y >> 3) + 1) + 9 * ((z >> 3) + 1);
            const float *row[3];
            for (int n = 0; n < 3; ++n) {
                const uint32_t there = tiles->around[tile][around + n];
                row[n] = there == SP_NO_TILE ? NULL : values + (size_t)there * SP_TILE_VOXELS;
            }
            copy_row(row, sp_tile_place(0, y, z), pad, background,
                     patch + (size_t)edge * (size_t)(j + edge * k));
        }
}
