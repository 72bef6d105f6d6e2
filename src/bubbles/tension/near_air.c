// SPDX-License-Identifier: Apache-2.0
/// Tiles near air, and masks of their faces and cells.
///
/// Forces act on faces of cells that have an open face. Such a cell is in a busy tile or in the
/// tile before one, and its high faces may be in the tile after that. So the busy tiles and the 26
/// tiles around each of them are all that matters.
#include "bubbles/tension/pockets.h"

#define LOW_COLUMN 0x0101010101010101u
#define HIGH_COLUMN 0x8080808080808080u

/// ---- Masks -------------------------------------------------------------------------------------

/// Bits of 32 values.
SP_INLINE uint32_t bits_above(const float *v, float least)
{
    uint32_t bits = 0;
    for (int i = 0; i < 32; ++i)
        bits |= fabsf(v[i]) > least ? (uint32_t)1 << i : 0;
    return bits;
}

void bubbles_mask_above(const float v[SP_TILE_VOXELS], float least, sp_tile_mask mask)
{
    for (int k = 0; k < SP_TILE; ++k)
        mask[k] = bits_above(v + 64 * k, least) | (uint64_t)bits_above(v + 64 * k + 32, least)
                                                      << 32;
}

void bubbles_mask_shift(const sp_tiles *tiles, sp_tile_mask *masks, uint32_t tile, int axis,
                        int step, sp_tile_mask out)
{
    static const sp_tile_mask nothing = {0};
    static const int stride[3] = {1, 3, 9};
    const uint32_t there = tiles->around[tile][SP_TILES_SELF + step * stride[axis]];
    const uint64_t *self = masks[tile], *next = there == SP_NO_TILE ? nothing : masks[there];
    if (axis == 2) {
        memcpy(out, step > 0 ? self + 1 : next + SP_TILE - 1, sizeof *out);
        memcpy(out + 1, step > 0 ? self + 2 : self, (SP_TILE - 2) * sizeof *out);
        out[SP_TILE - 1] = step > 0 ? next[0] : self[SP_TILE - 2];
        return;
    }
    for (int k = 0; k < SP_TILE; ++k)
        if (axis == 1)
            out[k] = step > 0 ? self[k] >> 8 | next[k] << 56 : self[k] << 8 | next[k] >> 56;
        else
            out[k] = step > 0 ? (self[k] >> 1 & ~HIGH_COLUMN) | (next[k] << 7 & HIGH_COLUMN)
                              : (self[k] << 1 & ~LOW_COLUMN) | (next[k] >> 7 & LOW_COLUMN);
}

void bubbles_mask_keep(const sp_tile_mask mask, float v[SP_TILE_VOXELS])
{
    const sp_i16 bit = {1,   2,   4,    8,    16,   32,   64,    128,
                        256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    for (int n = 0; n < SP_TILE_VOXELS; n += SP_LANES) {
        const int32_t bits = (int32_t)(mask[n >> 6] >> (n & 63) & 0xffff);
        const sp_i16 kept = (sp_i16_all(bits) & bit) != 0;
        sp_f16_store(v + n, (sp_f16)(kept & (sp_i16)sp_f16_load(v + n)));
    }
}

/// ---- Rows --------------------------------------------------------------------------------------

/// Marks tiles near air, then numbers them; returns how many there are.
static uint32_t number_rows(const bubbles_grid *g, uint32_t *row)
{
    const sp_tiles *tiles = &g->tiles;
    memset(row, 0, tiles->count * sizeof *row);
    for (size_t t = 0; t < tiles->count; ++t)
        for (int n = 0; n < SP_TILES_AROUND && g->busy[t]; ++n)
            if (tiles->around[t][n] != SP_NO_TILE) row[tiles->around[t][n]] = 1;
    uint32_t rows = 0;
    for (size_t t = 0; t < tiles->count; ++t)
        row[t] = row[t] ? rows++ : BUBBLES_NO_ROW;
    return rows;
}

static void find_neighbours(void *arg, size_t begin, size_t end)
{
    const bubbles_air *a = arg;
    for (size_t r = begin; r < end; ++r)
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const uint32_t there = a->grid->tiles.around[a->tile[r]][n];
            const uint32_t row = there == SP_NO_TILE ? BUBBLES_NO_ROW : a->row[there];
            a->rows.around[r][n] = row == BUBBLES_NO_ROW ? SP_NO_TILE : row;
        }
}

static void find_faces(void *arg, size_t begin, size_t end)
{
    const bubbles_air *a = arg;
    for (size_t r = begin; r < end; ++r)
        for (int axis = 0; axis < 3; ++axis)
            bubbles_mask_above(a->grid->share[axis] + (size_t)a->tile[r] * SP_TILE_VOXELS, 0.0f,
                               a->open[axis][r]);
}

static void find_cells(void *arg, size_t begin, size_t end)
{
    const bubbles_air *a = arg;
    for (size_t r = begin; r < end; ++r) {
        uint64_t *cells = a->cells[r];
        memset(cells, 0, sizeof *a->cells);
        for (int axis = 0; axis < 3; ++axis) {
            sp_tile_mask high;
            bubbles_mask_shift(&a->rows, a->open[axis], (uint32_t)r, axis, 1, high);
            for (int k = 0; k < SP_TILE; ++k)
                cells[k] |= a->open[axis][r][k] | high[k];
        }
    }
}

static bool take_rows(bubbles_air *a, size_t rows, sp_scratch *scratch)
{
    a->tile = sp_scratch_array(scratch, uint32_t, rows);
    a->rows.around = sp_scratch_take(scratch, rows, sizeof *a->rows.around);
    a->cells = sp_scratch_take(scratch, rows, sizeof *a->cells);
    for (int axis = 0; axis < 3; ++axis)
        a->open[axis] = sp_scratch_take(scratch, rows, sizeof *a->open[axis]);
    return a->tile && a->rows.around && a->cells && a->open[0] && a->open[1] && a->open[2];
}

sp_status bubbles_find_air(bubbles *s, bubbles_air *air, sp_error *err)
{
    const sp_tiles *tiles = &s->grid.tiles;
    *air = (bubbles_air){.grid = &s->grid};
    air->row = sp_scratch_array(&s->scratch, uint32_t, tiles->count);
    const uint32_t rows = air->row ? number_rows(&s->grid, air->row) : 0;
    if (!air->row || !take_rows(air, rows, &s->scratch))
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %u tiles near air", rows);
    air->rows.host = tiles->host;
    air->rows.voxel = tiles->voxel;
    air->rows.count = rows;
    for (size_t t = 0; t < tiles->count; ++t)
        if (air->row[t] != BUBBLES_NO_ROW) air->tile[air->row[t]] = (uint32_t)t;
    sp_tiles_parallel(&air->rows, find_neighbours, air);
    sp_tiles_parallel(&air->rows, find_faces, air);
    sp_tiles_parallel(&air->rows, find_cells, air);
    return SP_OK;
}
