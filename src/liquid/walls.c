// SPDX-License-Identifier: Apache-2.0
/// Water that touches walls is deep. A surface out of particles sees none behind a wall and rises
/// there as it does towards air. So voxels in solids count as full: where a voxel and its 26
/// neighbours all hold particles or are solid, there is no surface.
///
/// A bit tells whether a voxel is full; a tile with a voxel around it is 10x10 rows of 10 bits:
///
///     row (j, k), j and k = -1 ... 8:   bit 0 | 1 2 3 4 5 6 7 8 | 9
///                                  voxel -1 | 0 1 2 3 4 5 6 7 | 8
#include "liquid/internal.h"
#include "liquid/seed.h"

enum { ROWS = SP_TILE + 2 };
typedef uint16_t tile_rows[ROWS][ROWS]; ///< [k+1][j+1]

typedef struct filling {
    liquid *s;
    sp_tile_mask *full;
} filling;

/// Voxels whose centre is in a solid.
static uint64_t solid_layer(const liquid *s, uint32_t row, int k)
{
    if (row == LIQUID_TILE_OPEN) return 0;
    if (row == LIQUID_TILE_SOLID) return ~(uint64_t)0;
    uint64_t bits = 0;
    for (int b = 0; b < 64; ++b) {
        const float *c = s->solid.tile[row].psi + (b & 7) + 9 * (b >> 3) + 81 * k;
        const float sum = ((c[0] + c[1]) + (c[9] + c[10])) + ((c[81] + c[82]) + (c[90] + c[91]));
        bits |= (uint64_t)(sum < 0.0f) << b;
    }
    return bits;
}

static void mark_full(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    const liquid_particles *p = &f->s->particles;
    for (size_t t = begin; t < end; ++t) {
        uint64_t *full = f->full[t];
        for (int k = 0; k < SP_TILE; ++k)
            full[k] = solid_layer(f->s, f->s->solid.row[t], k);
        for (uint32_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const uint32_t place =
                sp_tile_place((int32_t)p->x[0][i], (int32_t)p->x[1][i], (int32_t)p->x[2][i]);
            full[place >> 6] |= (uint64_t)1 << (place & 63);
        }
    }
}

static uint32_t full_row(const filling *f, uint32_t tile, int j, int k)
{
    return tile == SP_NO_TILE ? 0 : (uint32_t)(f->full[tile][k & 7] >> (8 * (j & 7))) & 0xff;
}

/// Full voxels that have full ones to both sides along x, for all rows of a tile and around it.
static void look_along_x(const filling *f, size_t t, tile_rows rows)
{
    for (int k = -1; k <= SP_TILE; ++k)
        for (int j = -1; j <= SP_TILE; ++j) {
            const uint32_t *around =
                f->s->tiles.around[t] + 3 * ((j >> 3) + 1) + 9 * ((k >> 3) + 1);
            const uint32_t row = full_row(f, around[0], j, k) >> 7 |
                                 full_row(f, around[1], j, k) << 1 |
                                 (full_row(f, around[2], j, k) & 1) << 9;
            rows[k + 1][j + 1] = (uint16_t)(row & row << 1 & row >> 1);
        }
}

static bool solid_near(const liquid *s, size_t t)
{
    bool near = false;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = s->tiles.around[t][n];
        near |= there != SP_NO_TILE && s->solid.row[there] != LIQUID_TILE_OPEN;
    }
    return near;
}

static void sink_tiles(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    const float inside = -liquid_particle_radius(f->s);
    for (size_t t = begin; t < end; ++t) {
        if (!solid_near(f->s, t)) continue;
        float *phi = f->s->phi + t * SP_TILE_VOXELS;
        tile_rows rows;
        look_along_x(f, t, rows);
        for (int k = 0; k < SP_TILE; ++k)
            for (int j = 0; j < SP_TILE; ++j) {
                uint32_t deep = 0xffff;
                for (int n = 0; n < 9; ++n)
                    deep &= rows[k + n / 3][j + n % 3];
                for (int i = 0; i < SP_TILE; ++i) {
                    float *here = phi + i + 8 * j + 64 * k;
                    if (deep >> (i + 1) & 1 && *here > inside) *here = inside;
                }
            }
    }
}

sp_status liquid_sink_walls(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    filling f = {.s = s, .full = sp_scratch_array(&s->scratch, sp_tile_mask, s->tiles.count)};
    if (!f.full)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to find walls in %zu tiles",
                       s->tiles.count);
    sp_tiles_parallel(&s->tiles, mark_full, &f);
    sp_tiles_parallel(&s->tiles, sink_tiles, &f);
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}
