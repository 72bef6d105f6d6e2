// SPDX-License-Identifier: Apache-2.0
/// Keeps the volume of large bubbles, which WSB25 does not: particles inside one thin out, while
/// the largest share, phi_b = 1, hides that from the pressure (a bubble of four voxels' radius grew
/// to more than twice its volume in 0.2 s). So the pressure solve gets a divergence that draws
/// thinned air together, and lets crowded air spread:
///
///     S = -(volume_gain/dt) (1 - c),   1 - c at most 0.2 either way
///     c_i = mean of c over the six faces of cell i,   c_face = sum over particles of weight*v/h^3
///
/// in cells well inside the air: they and their six neighbours are full, phi_b > 0.999 on all
/// faces, and the pocket is large. Cells at the surface are left alone; there c is below 1 at rest.
///
/// v is the volume that a particle stands for: that of its place in the lattice it was let in with
/// (sources/sizes.c), or its own. Particles that overlap by chance, at random places, stand for their
/// own: together they may be too many, and spread.
#include "bubbles/tension/pockets.h"

static const float full_share = 0.999f, most_change = 0.2f;

typedef struct volume_work {
    bubbles *s;
    bubbles_air air;
    sp_tile_mask *full, *deep; ///< by row
    bubbles_pockets pockets;
    size_t *count;   ///< by row: deep cells
    float *const *c; ///< on faces
    float rate;      ///< m/s; -S h/(1 - c)
} volume_work;

/// ---- Deep cells --------------------------------------------------------------------------------

static void find_full(void *arg, size_t begin, size_t end)
{
    const volume_work *w = arg;
    const bubbles_grid *g = &w->s->grid;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t tile = w->air.tile[r];
        memset(w->full[r], 0xff, sizeof *w->full);
        for (int axis = 0; axis < 3 && sp_tile_mask_any(w->full[r]); ++axis) {
            float high[SP_TILE_VOXELS];
            sp_tile_mask low_mask, high_mask;
            sp_tiles_shift(&g->tiles, g->share[axis], tile, axis, 1, 0.0f, high);
            bubbles_mask_above(g->share[axis] + (size_t)tile * SP_TILE_VOXELS, full_share,
                               low_mask);
            bubbles_mask_above(high, full_share, high_mask);
            for (int k = 0; k < SP_TILE; ++k)
                w->full[r][k] &= low_mask[k] & high_mask[k];
        }
    }
}

static void find_deep(void *arg, size_t begin, size_t end)
{
    const volume_work *w = arg;
    for (size_t r = begin; r < end; ++r) {
        memcpy(w->deep[r], w->full[r], sizeof *w->deep);
        for (int side = 0; side < 6 && sp_tile_mask_any(w->deep[r]); ++side) {
            sp_tile_mask beside;
            bubbles_mask_shift(&w->air.rows, w->full, (uint32_t)r, side / 2, side % 2 ? 1 : -1,
                               beside);
            for (int k = 0; k < SP_TILE; ++k)
                w->deep[r][k] &= beside[k];
        }
    }
}

/// Takes cells of small pockets out and counts the rest.
static void count_deep(void *arg, size_t begin, size_t end)
{
    const volume_work *w = arg;
    const bubbles_pockets *p = &w->pockets;
    for (size_t r = begin; r < end; ++r) {
        w->count[r] = 0;
        for (int k = 0; k < SP_TILE; ++k)
            for (uint64_t bits = w->deep[r][k]; bits; bits &= bits - 1) {
                const int c = bubbles_first_place(k, bits);
                if (p->large[bubbles_pocket_of(p, (uint32_t)r, c)])
                    ++w->count[r];
                else
                    w->deep[r][k] &= ~(bits & (~bits + 1));
            }
    }
}

static sp_status no_memory(const volume_work *w, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the volume of air in %zu tiles",
                   w->air.rows.count);
}

/// Finds the deep cells; s->figures.deep is their number.
static sp_status find_deep_cells(volume_work *w, sp_error *err)
{
    bubbles *s = w->s;
    SP_TRY(bubbles_find_air(s, &w->air, err));
    const size_t rows = w->air.rows.count;
    w->full = sp_scratch_take(&s->scratch, rows, sizeof *w->full);
    w->deep = sp_scratch_take(&s->scratch, rows, sizeof *w->deep);
    w->count = sp_scratch_array(&s->scratch, size_t, rows);
    if (!w->full || !w->deep || !w->count) return no_memory(w, err);
    sp_tiles_parallel(&w->air.rows, find_full, w);
    sp_tiles_parallel(&w->air.rows, find_deep, w);
    bool any = false;
    for (size_t r = 0; r < rows; ++r)
        any |= sp_tile_mask_any(w->deep[r]);
    if (!any) return SP_OK;
    SP_TRY(bubbles_find_pockets(s, &w->air, &w->pockets, err));
    sp_tiles_parallel(&w->air.rows, count_deep, w);
    for (size_t r = 0; r < rows; ++r)
        s->figures.deep += w->count[r];
    return SP_OK;
}

/// ---- Divergence --------------------------------------------------------------------------------

static void find_divergence(const volume_work *w, uint32_t row, float *restrict source)
{
    const bubbles_grid *g = &w->s->grid;
    const uint32_t tile = w->air.tile[row];
    const float scale = 1.0f / 6.0f, rate = w->rate;
    float high[SP_TILE_VOXELS];
    sp_tile_fill(source, 0.0f);
    for (int axis = 0; axis < 3; ++axis) {
        const float *restrict low = w->c[axis] + (size_t)tile * SP_TILE_VOXELS;
        sp_tiles_shift(&g->tiles, w->c[axis], tile, axis, 1, 0.0f, high);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            source[n] += low[n] + high[n];
    }
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float missing = 1.0f - scale * source[n];
        const float above = missing > -most_change ? missing : -most_change;
        source[n] = -rate * (above < most_change ? above : most_change);
    }
    bubbles_mask_keep(w->deep[row], source);
}

static void find_divergences(void *arg, size_t begin, size_t end)
{
    const volume_work *w = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = w->air.row[t];
        float *source = w->s->grid.source + t * SP_TILE_VOXELS;
        if (row != BUBBLES_NO_ROW && sp_tile_mask_any(w->deep[row]))
            find_divergence(w, row, source);
        else
            sp_tile_fill(source, 0.0f);
    }
}

/// ---- All together ------------------------------------------------------------------------------

/// Whether no cell is fixed: tiles fill a space that is periodic along all axes. What flows in must
/// then flow out, so there can be no divergence.
static bool is_closed(const sp_tiles *tiles)
{
    size_t all = 1;
    for (int axis = 0; axis < 3; ++axis)
        all *= (size_t)tiles->period[axis];
    return all > 0 && tiles->count == all;
}

static sp_status find_sources(volume_work *w, sp_error *err)
{
    SP_TRY(find_deep_cells(w, err));
    if (w->s->figures.deep == 0) return SP_OK;
    w->c = w->s->places ? w->s->grid.place : w->s->grid.fill;
    sp_tiles_parallel(&w->s->grid.tiles, find_divergences, w);
    w->s->has_source = true;
    return SP_OK;
}

sp_status bubbles_volume_source(bubbles *s, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    volume_work w = {.s = s, .rate = s->def.volume_gain * s->grid.voxel / (float)dt};
    s->figures.deep = 0;
    s->has_source = false;
    if (!(s->def.volume_gain > 0.0f) || is_closed(&s->grid.tiles)) return SP_OK;
    const sp_status status = find_sources(&w, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
