// SPDX-License-Identifier: Apache-2.0
/// Copies a tile and its halo. Each width of the halo has its own compiled loop, so that the few
/// values at both ends of a row are one or two moves of a constant size.
#include "tiles/patch.h"

#include <string.h>

/// `rows` rows of three pieces each. The row stride is `edge` in the patch and 8 in a tile.
SP_INLINE void copy_rows(const float *const tile[3], int rows, int pad, float *restrict out)
{
    const size_t end = (size_t)pad * sizeof(float);
    for (int j = 0; j < rows; ++j) {
        const size_t row = (size_t)j * SP_TILE;
        memcpy(out, tile[0] + row + SP_TILE - pad, end);
        memcpy(out + pad, tile[1] + row, SP_TILE * sizeof(float));
        memcpy(out + pad + SP_TILE, tile[2] + row, end);
        out += sp_patch_edge(pad);
    }
}

/// One plane: the last rows of the tiles at y - 1, all rows at y, the first rows at y + 1.
SP_INLINE void copy_plane(const float *const tile[9], size_t plane, int pad, float *restrict out)
{
    const float *from[9];
    for (int n = 0; n < 9; ++n)
        from[n] = tile[n] + plane + (n < 3 ? (SP_TILE - pad) * SP_TILE : 0);
    const int edge = sp_patch_edge(pad);
    copy_rows(from, pad, pad, out);
    copy_rows(from + 3, SP_TILE, pad, out + edge * pad);
    copy_rows(from + 6, pad, pad, out + edge * (pad + SP_TILE));
}

SP_INLINE void copy_patch(const float *const tile[SP_TILES_AROUND], int pad, float *restrict patch)
{
    const int edge = sp_patch_edge(pad);
    for (int k = 0; k < edge; ++k) {
        const int z = k - pad; // z >> 3 is -1, 0 or 1: tile below, this one, above
        copy_plane(tile + 9 * ((z >> 3) + 1), (size_t)(64 * (z & 7)), pad,
                   patch + (size_t)k * (size_t)(edge * edge));
    }
}

void sp_tiles_patch(const sp_tiles *tiles, const float *values, uint32_t tile, int pad,
                    float background, float *patch)
{
    SP_ASSERT(pad >= 1 && pad <= SP_PATCH_PAD);
    float nothing[SP_TILE_VOXELS]; // used for every tile that does not exist
    const float *from[SP_TILES_AROUND];
    bool all = true;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = tiles->around[tile][n];
        all &= there != SP_NO_TILE;
        from[n] = there == SP_NO_TILE ? nothing : values + (size_t)there * SP_TILE_VOXELS;
    }
    if (!all) sp_tile_fill(nothing, background);
    switch (pad) { // a constant pad: one compiled loop for each
    case 1:
        copy_patch(from, 1, patch);
        break;
    case 2:
        copy_patch(from, 2, patch);
        break;
    case 3:
        copy_patch(from, 3, patch);
        break;
    case 4:
        copy_patch(from, 4, patch);
        break;
    case 5:
        copy_patch(from, 5, patch);
        break;
    case 6:
        copy_patch(from, 6, patch);
        break;
    case 7:
        copy_patch(from, 7, patch);
        break;
    default:
        copy_patch(from, 8, patch);
    }
}

void sp_patch_squares(const float *patch, int edge, float *squares)
{
    const size_t row = (size_t)edge, n = row * row * row - row - 1;
    const float *restrict low = patch, *restrict high = patch + row;
    float *restrict out = squares;
    for (size_t i = 0; i < n; ++i) {
        out[4 * i] = low[i];
        out[4 * i + 1] = low[i + 1];
        out[4 * i + 2] = high[i];
        out[4 * i + 3] = high[i + 1];
    }
}
