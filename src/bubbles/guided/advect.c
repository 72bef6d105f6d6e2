// SPDX-License-Identifier: Apache-2.0
/// W2, W3  Advects the water and the bulk with the same operator (MacCormack, flow/advect.h),
///
///     u* = u_B(t + dt) + (A[u] - A[u_B(t)]),     dt a_B = u_B(t + dt) - A[u_B(t)].
///
/// In this order u* is the bulk's to the bit wherever u is. Both are advected on the bulk's tiles: the ring around
/// the grid gives traces that leave it the bulk's velocity, which is what the water there has (W2).
#include "bubbles/guided/internal.h"

typedef struct advecting {
    bubbles_guide *g;
    uint32_t *inner;           ///< by tile of the bulk: that of the grid, or SP_NO_TILE
    uint64_t *rows;            ///< by tile of the bulk: those that are wanted
    sp_tile_mask *all;         ///< every face has a velocity
    float *u[3];               ///< m/s; the grid's water, and the bulk's around
    float *water[3], *bulk[3]; ///< A[u], A[u_B]
} advecting;

static bool take_fields(advecting *v)
{
    sp_scratch *scratch = &v->g->s->scratch;
    const size_t tiles = v->g->bulk.tiles.count, voxels = tiles * SP_TILE_VOXELS;
    v->inner = sp_scratch_array(scratch, uint32_t, tiles + 1);
    v->rows = sp_scratch_array(scratch, uint64_t, tiles + 1);
    v->all = sp_scratch_array(scratch, sp_tile_mask, tiles + 1);
    bool good = v->inner && v->rows && v->all;
    for (int a = 0; a < 3; ++a) {
        v->u[a] = sp_scratch_array(scratch, float, voxels + 1);
        v->water[a] = sp_scratch_array(scratch, float, voxels + 1);
        v->bulk[a] = sp_scratch_array(scratch, float, voxels + 1);
        good = good && v->u[a] && v->water[a] && v->bulk[a];
    }
    return good;
}

/// ---- The water on the bulk's tiles -------------------------------------------------------------

static void spread_tiles(void *arg, size_t begin, size_t end)
{
    const advecting *v = arg;
    const bubbles_guide *g = v->g;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t from = v->inner[t];
        v->rows[t] = from == SP_NO_TILE ? 0 : ~(uint64_t)0;
        memset(v->all[t], 0xff, sizeof *v->all);
        for (int a = 0; a < 3; ++a)
            memcpy(v->u[a] + t * SP_TILE_VOXELS,
                   from == SP_NO_TILE ? g->bulk.start[a] + t * SP_TILE_VOXELS
                                      : g->s->grid.u[a] + (size_t)from * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof(float));
    }
}

static void spread(advecting *v)
{
    const bubbles_guide *g = v->g;
    for (size_t t = 0; t < g->bulk.tiles.count; ++t)
        v->inner[t] = SP_NO_TILE;
    for (size_t t = 0; t < g->s->grid.tiles.count; ++t)
        v->inner[g->wide[t]] = (uint32_t)t;
    sp_tiles_parallel(&g->bulk.tiles, spread_tiles, v);
}

static sp_status advect(const advecting *v, float *const u[3], float *const out[3], double dt,
                        sp_error *err)
{
    const sp_tile_mask *known = (const sp_tile_mask *)v->all;
    const sp_flow_advection advection = {
        .tiles = &v->g->bulk.tiles,
        .u = {u[0], u[1], u[2]},
        .known = {known, known, known},
        .faces = {u[0], u[1], u[2]},
        .rows = v->rows,
    };
    return sp_flow_advect(&advection, dt, out, NULL, &v->g->s->scratch, err);
}

/// ---- u* and a_B --------------------------------------------------------------------------------

static void combine_axis(const advecting *v, size_t t, int axis)
{
    const bubbles_guide *g = v->g;
    const bubbles_grid *grid = &g->s->grid;
    const size_t first = t * SP_TILE_VOXELS, wide = (size_t)g->wide[t] * SP_TILE_VOXELS;
    const float *restrict end = g->bulk.end[axis] + wide, *restrict water = v->water[axis] + wide,
                          *restrict bulk = v->bulk[axis] + wide,
                          *restrict open = bubbles_guide_open(g, t, axis);
    float *restrict u = grid->u[axis] + first, *restrict fall = g->fall[axis] + first;
    const bool follows = g->pressure == SP_GUIDED_PERTURBATION;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        u[n] = follows ? end[n] + (water[n] - bulk[n]) : water[n];
        fall[n] = follows ? end[n] - bulk[n] : 0.0f;
    }
    for (int n = 0; open && n < SP_TILE_VOXELS; ++n) {
        u[n] = open[n] > 0.0f ? u[n] : end[n];
        fall[n] = sp_tile_mask_has(g->known[axis][t], n) ? fall[n] : 0.0f;
    }
    memcpy(grid->u0[axis] + first, u, SP_TILE_VOXELS * sizeof *u);
}

static void combine_tiles(void *arg, size_t begin, size_t end)
{
    const advecting *v = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a)
            combine_axis(v, t, a);
}

static sp_status advect_both(advecting *v, double dt, sp_error *err)
{
    bubbles_guide *g = v->g;
    spread(v);
    SP_TRY(advect(v, v->u, v->water, dt, err));
    if (g->pressure == SP_GUIDED_PERTURBATION) SP_TRY(advect(v, g->bulk.start, v->bulk, dt, err));
    sp_tiles_parallel(&g->s->grid.tiles, combine_tiles, v);
    return guided_extend(g, g->fall, err);
}

sp_status guided_advect(bubbles_guide *g, double dt, sp_error *err)
{
    advecting v = {.g = g};
    if (g->s->grid.tiles.count == 0) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&g->s->scratch);
    const sp_status status =
        take_fields(&v) ? advect_both(&v, dt, err)
                        : sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to advect %zu tiles",
                                  g->bulk.tiles.count);
    sp_scratch_rewind(&g->s->scratch, mark);
    return status;
}
