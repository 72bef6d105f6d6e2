// SPDX-License-Identifier: Apache-2.0
/// Creates fields, copies them to a new topology, and reads a tile together with its halo.
#include "tiles/internal.h"
#include "tiles/patch.h"

#include <string.h>

typedef struct filling {
    float *values, value;
} filling;

static void fill(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    float *restrict values = f->values;
    const float value = f->value;
    for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
        values[i] = value;
}

float *sp_tiles_field(const sp_tiles *tiles, float value)
{
    float *values = sp_allocate(tiles->host, tiles->count, SP_TILE_VOXELS * sizeof *values);
    if (values && value != 0.0f) sp_tiles_parallel(tiles, fill, &(filling){values, value});
    return values;
}

typedef struct carrying {
    const sp_tiles *from, *to;
    const float *old;
    float *values, background;
} carrying;

static void carry(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t before = sp_tiles_find(c->from, c->to->at[t]);
        if (before == SP_NO_TILE)
            sp_tile_fill(c->values + t * SP_TILE_VOXELS, c->background);
        else
            memcpy(c->values + t * SP_TILE_VOXELS, c->old + (size_t)before * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof(float));
    }
}

void sp_tiles_carry(const sp_tiles *from, const float *old, const sp_tiles *to, float *values,
                    float background)
{
    sp_tiles_parallel(to, carry, &(carrying){from, to, old, values, background});
}

float sp_tiles_value(const sp_tiles *tiles, const float *values, const int32_t voxel[3],
                     float background)
{
    const int32_t at[3] = {sp_tile_of(voxel[0]), sp_tile_of(voxel[1]), sp_tile_of(voxel[2])};
    const uint32_t tile = sp_tiles_find(tiles, at);
    if (tile == SP_NO_TILE) return background;
    return values[(size_t)tile * SP_TILE_VOXELS + sp_tile_place(voxel[0], voxel[1], voxel[2])];
}

/// ---- A tile and its halo -----------------------------------------------------------------------

/// Two rows of 8: lanes l + step of `self`, or of `next` beyond the end of a row, for steps of one
/// and two. Compilers with shuffles make one instruction of it; moving the row and then fixing its
/// ends took longer than a whole stencil.
#if defined(__clang__) || __GNUC__ >= 12
#define SHIFT_ROWS(self, next, a, b, c, d, e, f, g, h)                                             \
    __builtin_shufflevector(self, next, a, b, c, d, e, f, g, h, 8 + a, 8 + b, 8 + c, 8 + d, 8 + e, \
                            8 + f, 8 + g, 8 + h)

SP_INLINE sp_f16 shift_two_rows(sp_f16 self, sp_f16 next, int step)
{
    switch (step) {
    case -2:
        return SHIFT_ROWS(self, next, 22, 23, 0, 1, 2, 3, 4, 5);
    case -1:
        return SHIFT_ROWS(self, next, 23, 0, 1, 2, 3, 4, 5, 6);
    case 1:
        return SHIFT_ROWS(self, next, 1, 2, 3, 4, 5, 6, 7, 16);
    default:
        return SHIFT_ROWS(self, next, 2, 3, 4, 5, 6, 7, 16, 17);
    }
}
#else
SP_INLINE sp_f16 shift_two_rows(sp_f16 self, sp_f16 next, int step)
{
    sp_f16 out;
    for (int l = 0; l < SP_LANES; ++l) {
        const int i = l % SP_TILE + step, row = l - l % SP_TILE;
        out[l] = i >= 0 && i < SP_TILE ? self[row + i] : next[row + (i & 7)];
    }
    return out;
}
#endif

SP_INLINE void shift_x_by(const float *self, const float *next, int step, float background,
                          float *out)
{
    sp_f16 other = sp_f16_all(background);
    for (int row = 0; row < SP_TILE_VOXELS; row += SP_LANES) {
        if (next) other = sp_f16_load(next + row);
        sp_f16_store(out + row, shift_two_rows(sp_f16_load(self + row), other, step));
    }
}

static void shift_x(const float *self, const float *next, int step, float background, float *out)
{
    switch (step) { // a constant step: one compiled loop for each
    case -2:
        shift_x_by(self, next, -2, background, out);
        break;
    case -1:
        shift_x_by(self, next, -1, background, out);
        break;
    case 1:
        shift_x_by(self, next, 1, background, out);
        break;
    default:
        shift_x_by(self, next, 2, background, out);
    }
}

/// Copies `rows` rows of 8, or fills them.
SP_INLINE void copy_rows(float *restrict out, const float *restrict from, size_t rows,
                         float background)
{
    if (from)
        memcpy(out, from, rows * SP_TILE * sizeof *out);
    else
        for (size_t i = 0; i < rows * SP_TILE; ++i)
            out[i] = background;
}

/// Along y and z whole rows move: one step is `unit` rows, one round 8*unit. Inlined, so that sizes
/// are compile-time constants.
SP_INLINE void shift_rows(const float *self, const float *next, int step, size_t unit,
                          float background, float *out)
{
    const size_t width = unit * SP_TILE; // floats a step
    for (size_t round = 0; round < SP_TILE_VOXELS; round += SP_TILE * width)
        for (int j = 0; j < SP_TILE; ++j) {
            const int from = j + step;
            const bool inside = from >= 0 && from < SP_TILE;
            const float *there = inside ? self : next;
            copy_rows(out + round + (size_t)j * width,
                      there ? there + round + (size_t)(from & 7) * width : NULL, unit, background);
        }
}

void sp_tiles_shift(const sp_tiles *tiles, const float *values, uint32_t tile, int axis, int step,
                    float background, float out[SP_TILE_VOXELS])
{
    SP_ASSERT(step != 0 && step >= -2 && step <= 2 && axis >= 0 && axis < 3);
    const int stride = axis == 0 ? 1 : axis == 1 ? 3 : 9;
    const float *self = values + (size_t)tile * SP_TILE_VOXELS;
    const uint32_t there = tiles->around[tile][SP_TILES_SELF + (step > 0 ? stride : -stride)];
    const float *next = there == SP_NO_TILE ? NULL : values + (size_t)there * SP_TILE_VOXELS;
    if (axis == 0)
        shift_x(self, next, step, background, out);
    else if (axis == 1)
        shift_rows(self, next, step, 1, background, out);
    else
        shift_rows(self, next, step, SP_TILE, background, out);
}

void sp_tiles_block(const sp_tiles *tiles, const float *values, uint32_t tile, float background,
                    float block[SP_TILE_BLOCK])
{
    sp_tiles_patch(tiles, values, tile, 1, background, block);
}
