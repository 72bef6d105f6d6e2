// SPDX-License-Identifier: Apache-2.0
/// Particles near the surface only (Ferstl et al. 2016). Water deeper than n voxels has none: its
/// velocity and phi are advected on the grid.
///
///     depth d, voxels      0            n - 3/2          n
///     weight of the grid   0 ---------- 0 ---- linear -- 1 ---- 1 ...
///
/// d is the depth in the advected level set, so it tells where the particles of the band have gone.
/// Below the band the particles end as they do at the surface, and their level set rises above zero
/// there. The advected level set is far below zero there; it is moved half a voxel inward, so that
/// particles alone shape the surface. The smaller of both has no surface inside the water.
#include "liquid/internal.h"
#include "tiles/mac.h"

#include <string.h>

static const float blended = 1.5f; // voxels over which velocities are blended

static float grid_begins(int narrow_band)
{
    return (float)narrow_band - blended;
}

/// ---- Where deep water may come -----------------------------------------------------------------

typedef struct marking {
    const liquid_grid *grid;
    float *const *by;
    float begins;   ///< voxels: depth from which on the grid has weight
    float per_step; ///< dt/voxel
    float *speed;   ///< by tile: largest of |u| along an axis, voxels in dt
    uint32_t *near; ///< by tile: bits of tiles around that its deep water may come near
    uint64_t *rows; ///< by tile: rows that may become wet; 0 if no deep water is near
} marking;

static void measure_speed(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t t = begin; t < end; ++t) {
        float most = 0.0f;
        for (int a = 0; a < 3; ++a) {
            const float *u = m->by[a] + t * SP_TILE_VOXELS;
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                const float size = fabsf(u[i]);
                most = size > most ? size : most;
            }
        }
        m->speed[t] = most * m->per_step;
    }
}

/// Largest travel in dt of water in or around a tile, voxels.
static float travel_of(const marking *m, size_t t)
{
    float most = 0.0f;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = m->grid->tiles.around[t][n];
        if (there != SP_NO_TILE && m->speed[there] > most) most = m->speed[there];
    }
    return most < (float)SP_TILE ? most : (float)SP_TILE;
}

static void mark_deep(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    const float level = -m->begins * m->grid->voxel;
    for (size_t t = begin; t < end; ++t) {
        const float *phi = m->grid->phi + t * SP_TILE_VOXELS;
        sp_tile_mask deep;
        for (int k = 0; k < SP_TILE; ++k) {
            deep[k] = 0;
            for (int i = 0; i < 64; ++i)
                deep[k] |= (uint64_t)(phi[64 * k + i] < level) << i;
        }
        const int voxels = (int)travel_of(m, t) + 2; // rounded up, and one for values between cells
        m->near[t] = sp_tile_mask_around((const uint64_t *)deep, voxels < 8 ? voxels : 8);
    }
}

/// Rows that have a voxel with phi <= level.
static uint64_t rows_below(const float *phi, float level)
{
    uint64_t rows = 0;
    for (int row = 0; row < SP_TILE_VOXELS / SP_TILE; ++row) {
        float least = phi[8 * row];
        for (int i = 1; i < SP_TILE; ++i)
            least = phi[8 * row + i] < least ? phi[8 * row + i] : least;
        rows |= (uint64_t)(least <= level) << row;
    }
    return rows;
}

/// Chooses the rows to advect; writes the background to tiles that are not advected completely.
static void choose_rows(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    const liquid_grid *g = m->grid;
    for (size_t t = begin; t < end; ++t) {
        bool soon = false;
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const uint32_t there = g->tiles.around[t][n];
            soon |= there != SP_NO_TILE && (m->near[there] >> (SP_TILES_AROUND - 1 - n) & 1);
        }
        // water travels no further than that, plus one voxel for values between cells
        const float level = (travel_of(m, t) + 1.0f) * g->voxel;
        m->rows[t] = soon ? rows_below(g->phi + t * SP_TILE_VOXELS, level) : 0;
        if (m->rows[t] == ~(uint64_t)0) continue;
        for (int i = 0; i < SP_TILE_VOXELS; ++i)
            g->phi_advected[t * SP_TILE_VOXELS + (size_t)i] = g->band;
        for (int a = 0; a < 3; ++a)
            memset(g->u_advected[a] + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof(float));
    }
}

sp_status liquid_advect_deep(liquid_grid *g, int narrow_band, float *const by[3], double dt,
                             sp_scratch *scratch, sp_error *err)
{
    const size_t tiles = g->tiles.count;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    marking m = {.grid = g,
                 .by = by,
                 .begins = grid_begins(narrow_band),
                 .per_step = (float)(dt / (double)g->voxel),
                 .speed = sp_scratch_array(scratch, float, tiles),
                 .near = sp_scratch_array(scratch, uint32_t, tiles),
                 .rows = sp_scratch_array(scratch, uint64_t, tiles)};
    sp_status status;
    if (m.speed && m.near && m.rows) {
        sp_tiles_parallel(&g->tiles, measure_speed, &m);
        sp_tiles_parallel(&g->tiles, mark_deep, &m);
        sp_tiles_parallel(&g->tiles, choose_rows, &m);
        sp_flow_advection advection = liquid_advection(g, by);
        advection.rows = m.rows;
        status = sp_flow_advect(&advection, dt, g->u_advected, g->phi_advected, scratch, err);
    } else {
        status =
            sp_fail(err, SP_NO_MEMORY, "liquid: no memory to find deep water in %zu tiles", tiles);
    }
    sp_scratch_rewind(scratch, mark);
    return status;
}

/// ---- Particles and grid together ---------------------------------------------------------------

typedef struct blending {
    liquid_grid *grid;
    float begins; ///< voxels: depth from which on the grid has weight
} blending;

/// Whether phi_advected is nowhere below +band in the tile. A face with such a cell on one side
/// never lies below the surface.
static bool is_shallow(const float *phi, float band)
{
    float least = phi[0];
    for (int i = 1; i < SP_TILE_VOXELS; ++i)
        least = phi[i] < least ? phi[i] : least;
    return least >= band;
}

/// Expands the 512 bits of a mask to integers, and packs them again.
static void spread_bits(const sp_tile_mask mask, int32_t bit[SP_TILE_VOXELS])
{
    for (int i = 0; i < SP_TILE_VOXELS; ++i)
        bit[i] = (int32_t)(mask[i / 64] >> i % 64 & 1);
}
static void gather_bits(const int32_t bit[SP_TILE_VOXELS], sp_tile_mask mask)
{
    for (int k = 0; k < SP_TILE; ++k) {
        uint64_t word = 0;
        for (int i = 0; i < 64; ++i)
            word |= (uint64_t)bit[64 * k + i] << i;
        mask[k] = word;
    }
}

static void blend_faces(const blending *b, size_t t, int axis)
{
    liquid_grid *g = b->grid;
    const float per_voxel = 1.0f / g->voxel, begins = b->begins;
    const float *restrict carried = g->u_advected[axis] + t * SP_TILE_VOXELS;
    const float *restrict here = g->phi_advected + t * SP_TILE_VOXELS;
    float *restrict u = g->u[axis] + t * SP_TILE_VOXELS;
    float before[SP_TILE_VOXELS];
    int32_t known[SP_TILE_VOXELS];
    sp_tiles_shift(&g->tiles, g->phi_advected, (uint32_t)t, axis, -1, g->band, before);
    spread_bits(g->known[axis][t], known);
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const float depth = -0.5f * (here[i] + before[i]) * per_voxel;
        const float rest = (depth - begins) * (1.0f / blended);
        const float grid = rest < 0.0f ? 0.0f : rest > 1.0f ? 1.0f : rest;
        const int32_t wet = depth > 0.5f;
        const float mixed = (1.0f - grid) * u[i] + grid * carried[i];
        u[i] = known[i] ? mixed : wet ? carried[i] : 0.0f;
        known[i] |= wet;
    }
    gather_bits(known, g->known[axis][t]);
}

static void blend_tiles(void *arg, size_t begin, size_t end)
{
    const blending *b = arg;
    liquid_grid *g = b->grid;
    for (size_t t = begin; t < end; ++t) {
        const float *restrict carried = g->phi_advected + t * SP_TILE_VOXELS;
        if (is_shallow(carried, g->band)) continue;
        for (int axis = 0; axis < 3; ++axis)
            blend_faces(b, t, axis);
        float *restrict phi = g->phi + t * SP_TILE_VOXELS;
        const float half = 0.5f * g->voxel;
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            const float inward = carried[i] + half;
            phi[i] = inward < phi[i] ? inward : phi[i];
        }
    }
}

void liquid_blend_band(liquid_grid *g, int narrow_band)
{
    SP_ASSERT((float)narrow_band * g->voxel <= g->band * 1.0001f);
    sp_tiles_parallel(&g->tiles, blend_tiles, &(blending){g, grid_begins(narrow_band)});
}
