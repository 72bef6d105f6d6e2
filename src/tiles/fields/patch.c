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
SP_INLINE void copy_plane(const float *const tile[9], size_t plane, int pad_x, int pad_y,
                          float *restrict out)
{
    const float *from[9];
    for (int n = 0; n < 9; ++n)
        from[n] = tile[n] + plane + (n < 3 ? (SP_TILE - pad_y) * SP_TILE : 0);
    const int edge = sp_patch_edge(pad_x);
    copy_rows(from, pad_y, pad_x, out);
    copy_rows(from + 3, SP_TILE, pad_x, out + edge * pad_y);
    copy_rows(from + 6, pad_y, pad_x, out + edge * (pad_y + SP_TILE));
}

SP_INLINE void copy_patch(const float *const tile[SP_TILES_AROUND], int pad_x, int pad_y, int pad_z,
                          float *restrict patch)
{
    const size_t layer = (size_t)(sp_patch_edge(pad_x) * sp_patch_edge(pad_y));
    for (int k = 0; k < sp_patch_edge(pad_z); ++k) {
        const int z = k - pad_z; // z >> 3 is -1, 0 or 1: tile below, this one, above
        copy_plane(tile + 9 * ((z >> 3) + 1), (size_t)(64 * (z & 7)), pad_x, pad_y,
                   patch + (size_t)k * layer);
    }
}

/// Where the values of a tile and its neighbours are; `nothing` stands for tiles that do not exist.
static void find_tiles(const sp_tiles *tiles, const float *values, uint32_t tile, float background,
                       float nothing[SP_TILE_VOXELS], const float *from[SP_TILES_AROUND])
{
    bool all = true;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = tiles->around[tile][n];
        all &= there != SP_NO_TILE;
        from[n] = there == SP_NO_TILE ? nothing : values + (size_t)there * SP_TILE_VOXELS;
    }
    if (!all) sp_tile_fill(nothing, background);
}

/// Calls COPY with a constant pad from 1 to 8: one compiled loop for each.
#define WITH_CONSTANT_PAD(pad, COPY)                                                               \
    switch (pad) {                                                                                 \
    case 1:                                                                                        \
        COPY(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        COPY(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        COPY(3);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        COPY(4);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        COPY(5);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        COPY(6);                                                                                   \
        break;                                                                                     \
    case 7:                                                                                        \
        COPY(7);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        COPY(8);                                                                                   \
    }

void sp_tiles_patch(const sp_tiles *tiles, const float *values, uint32_t tile, int pad,
                    float background, float *patch)
{
    SP_ASSERT(pad >= 1 && pad <= SP_PATCH_PAD);
    float nothing[SP_TILE_VOXELS];
    const float *from[SP_TILES_AROUND];
    find_tiles(tiles, values, tile, background, nothing, from);
#define COPY_CUBE(PAD) copy_patch(from, PAD, PAD, PAD, patch)
    WITH_CONSTANT_PAD(pad, COPY_CUBE)
}

void sp_tiles_patch_box(const sp_tiles *tiles, const float *values, uint32_t tile,
                        const sp_patch_box *box, float background, float *patch)
{
    const int pad_y = box->pad[1], pad_z = box->pad[2];
    SP_ASSERT(box->pad[0] >= 1 && pad_y >= 1 && pad_z >= 1);
    SP_ASSERT(box->pad[0] <= SP_PATCH_PAD && pad_y <= SP_PATCH_PAD && pad_z <= SP_PATCH_PAD);
    float nothing[SP_TILE_VOXELS];
    const float *from[SP_TILES_AROUND];
    find_tiles(tiles, values, tile, background, nothing, from);
#define COPY_BOX(PAD) copy_patch(from, PAD, pad_y, pad_z, patch)
    WITH_CONSTANT_PAD(box->pad[0], COPY_BOX)
}

void sp_patch_squares(const float *patch, int edge, size_t count, float *squares)
{
    const size_t row = (size_t)edge, n = count - row - 1;
    const float *restrict low = patch, *restrict high = patch + row;
    float *restrict out = squares;
    for (size_t i = 0; i < n; ++i) {
        out[4 * i] = low[i];
        out[4 * i + 1] = low[i + 1];
        out[4 * i + 2] = high[i];
        out[4 * i + 3] = high[i + 1];
    }
}
