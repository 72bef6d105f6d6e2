// SPDX-License-Identifier: Apache-2.0
/// Fields: making them, carrying them over, and looking at a tile together with what is around it.
#include "tiles/internal.h"

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
            fill(&(filling){c->values, c->background}, t, t + 1);
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

/// ---- A tile and its surroundings ---------------------------------------------------------------

/// The values of a neighbour, or NULL.
static const float *beside(const sp_tiles *tiles, const float *values, uint32_t tile, int around)
{
    const uint32_t there = tiles->around[tile][around];
    return there == SP_NO_TILE ? NULL : values + (size_t)there * SP_TILE_VOXELS;
}

static void shift_x(const float *restrict self, const float *restrict next, int step,
                    float background, float *restrict out)
{
    // all but a row's end is the tile itself, moved; what was moved across rows is written over
    if (step > 0)
        memcpy(out, self + step, (size_t)(SP_TILE_VOXELS - step) * sizeof *out);
    else
        memcpy(out - step, self, (size_t)(SP_TILE_VOXELS + step) * sizeof *out);
    const int first = step > 0 ? SP_TILE - step : 0, last = step > 0 ? SP_TILE : -step;
    const int from = step > 0 ? step - SP_TILE : step + SP_TILE;
    for (int i = first; i < last; ++i)
        for (int row = 0; row < SP_TILE_VOXELS; row += SP_TILE)
            out[row + i] = next ? next[row + i + from] : background;
}

/// Copies `rows` rows of 8, or fills them.
static void copy_rows(float *restrict out, const float *restrict from, size_t rows,
                      float background)
{
    if (from)
        memcpy(out, from, rows * SP_TILE * sizeof *out);
    else
        for (size_t i = 0; i < rows * SP_TILE; ++i)
            out[i] = background;
}

/// Along y and z whole rows move: `unit` rows make one step, `period` rows one round.
static void shift_rows(const float *self, const float *next, int step, size_t unit, size_t period,
                       float background, float *out)
{
    const size_t moved = (size_t)(step > 0 ? step : -step) * unit, kept = period - moved;
    for (size_t row = 0; row < SP_TILE * SP_TILE; row += period) {
        const float *s = self + row * SP_TILE, *n = next ? next + row * SP_TILE : NULL;
        float *o = out + row * SP_TILE;
        if (step > 0) {
            memcpy(o, s + moved * SP_TILE, kept * SP_TILE * sizeof *o);
            copy_rows(o + kept * SP_TILE, n, moved, background);
        } else {
            memcpy(o + moved * SP_TILE, s, kept * SP_TILE * sizeof *o);
            copy_rows(o, n ? n + kept * SP_TILE : NULL, moved, background);
        }
    }
}

void sp_tiles_shift(const sp_tiles *tiles, const float *values, uint32_t tile, int axis, int step,
                    float background, float out[SP_TILE_VOXELS])
{
    SP_ASSERT(step != 0 && step >= -SP_TILE && step <= SP_TILE && axis >= 0 && axis < 3);
    const int stride = axis == 0 ? 1 : axis == 1 ? 3 : 9;
    const float *self = values + (size_t)tile * SP_TILE_VOXELS;
    const float *next = beside(tiles, values, tile, SP_TILES_SELF + (step > 0 ? stride : -stride));
    if (axis == 0)
        shift_x(self, next, step, background, out);
    else
        shift_rows(self, next, step, axis == 1 ? 1 : SP_TILE,
                   axis == 1 ? SP_TILE : SP_TILE * SP_TILE, background, out);
}

void sp_tiles_block(const sp_tiles *tiles, const float *values, uint32_t tile, float background,
                    float block[SP_TILE_BLOCK])
{
    enum { EDGE = SP_TILE + 2 };
    for (int k = 0; k < EDGE; ++k)
        for (int j = 0; j < EDGE; ++j) {
            // voxel j of the block is voxel (j - 1) & 7 of the tile below, the tile itself or the one above
            const int around = 3 * ((j + 7) / 8) + 9 * ((k + 7) / 8);
            const size_t row = (size_t)((j + 7) % 8 * 8 + (k + 7) % 8 * 64);
            const float *low = beside(tiles, values, tile, around),
                        *self = beside(tiles, values, tile, around + 1),
                        *high = beside(tiles, values, tile, around + 2);
            float *restrict out = block + EDGE * (j + EDGE * k);
            out[0] = low ? low[row + 7] : background;
            copy_rows(out + 1, self ? self + row : NULL, 1, background);
            out[EDGE - 1] = high ? high[row] : background;
        }
}
