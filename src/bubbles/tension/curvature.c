// SPDX-License-Identifier: Apache-2.0
/// Shares of cells and their curvature (WSB25 equation 41 and the one below it).
///
///     phi_i = (1/6) sum over the six faces of psi phi_b
///     kappa = -(trace(H) - n.H.n/|n|^2)/|n|,   n and H: gradient and Hessian of phi_i
///
/// The paper prints kappa with a plus. For phi = 1 inside, that force would point outwards and tear
/// bubbles apart; with the minus kappa is positive for a bubble, as in Brackbill et al. 1992.
///
/// Particles make phi rough, and second differences amplify that. So for the curvature alone phi is
/// first smoothed with weights 1/4, 1/2, 1/4 along each axis; it halves spurious currents.
#include "bubbles/grid/smooth_patch.h"
#include "bubbles/tension/tension.h"

/// Smaller gradients (of phi, over a voxel) have no direction.
static const float least_slope = 1e-3f;
/// 1/voxels: the grid resolves no smaller radius than a voxel.
static const float most_curvature = 2.0f;

/// ---- Shares of cells ---------------------------------------------------------------------------

/// Shares of a row's low and high faces, 0 where psi is 0.
static void load_faces(const tension_work *w, size_t row, int axis, float low[SP_TILE_VOXELS],
                       float high[SP_TILE_VOXELS])
{
    const bubbles_grid *g = &w->s->grid;
    const uint32_t tile = w->air.tile[row];
    memcpy(low, g->share[axis] + (size_t)tile * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *low);
    sp_tiles_shift(&g->tiles, g->share[axis], tile, axis, 1, 0.0f, high);
    if (!w->marked) return;
    sp_tile_mask before, after;
    bubbles_mask_shift(&w->air.rows, w->marked, (uint32_t)row, axis, -1, before);
    bubbles_mask_shift(&w->air.rows, w->marked, (uint32_t)row, axis, 1, after);
    for (int k = 0; k < SP_TILE; ++k) {
        before[k] = ~(before[k] | w->marked[row][k]);
        after[k] = ~(after[k] | w->marked[row][k]);
    }
    bubbles_mask_keep(before, low);
    bubbles_mask_keep(after, high);
}

static void find_shares(void *arg, size_t begin, size_t end)
{
    const tension_work *w = arg;
    for (size_t r = begin; r < end; ++r) {
        float *restrict share = w->share + r * SP_TILE_VOXELS;
        float low[3][SP_TILE_VOXELS], high[3][SP_TILE_VOXELS];
        if (!sp_tile_mask_any(w->air.cells[r])) {
            sp_tile_fill(share, 0.0f);
            continue;
        }
        for (int axis = 0; axis < 3; ++axis)
            load_faces(w, r, axis, low[axis], high[axis]);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            share[n] =
                ((low[0][n] + high[0][n]) + (low[1][n] + high[1][n]) + (low[2][n] + high[2][n])) *
                (1.0f / 6.0f);
    }
}

/// ---- Smoothing ---------------------------------------------------------------------------------

/// Largest patch: a voxel for differences, and one for each pass.
enum { PASSES = 3, EDGE = SP_TILE + 2 * (1 + PASSES), MOST = EDGE * EDGE * EDGE };

/// ---- Curvature ---------------------------------------------------------------------------------

/// A row of 8 cells; rows of phi are y apart, layers z. `flat`: all cells have weight 1.
SP_INLINE void curve_row(const float *restrict phi, int y, int z, bool flat, float *restrict weight,
                         float *restrict curvature)
{
    SP_VECTOR_LOOP
    for (int i = 0; i < SP_TILE; ++i) {
        const float *c = phi + i;
        const float nx = 0.5f * (c[1] - c[-1]), ny = 0.5f * (c[y] - c[-y]),
                    nz = 0.5f * (c[z] - c[-z]), twice = c[0] + c[0];
        const float xx = (c[1] + c[-1]) - twice, yy = (c[y] + c[-y]) - twice,
                    zz = (c[z] + c[-z]) - twice;
        const float xy = 0.25f * ((c[1 + y] + c[-1 - y]) - (c[1 - y] + c[-1 + y]));
        const float xz = 0.25f * ((c[1 + z] + c[-1 - z]) - (c[1 - z] + c[-1 + z]));
        const float yz = 0.25f * ((c[y + z] + c[-y - z]) - (c[y - z] + c[-y + z]));
        const float square = nx * nx + ny * ny + nz * nz, slope = sqrtf(square);
        const float along = (nx * nx * xx + ny * ny * yy + nz * nz * zz) +
                            2.0f * (nx * ny * xy + nx * nz * xz + ny * nz * yz);
        const bool steep = slope >= least_slope;
        const float kappa =
            (along / (steep ? square : 1.0f) - (xx + yy + zz)) / (steep ? slope : 1.0f);
        const float above = kappa > -most_curvature ? kappa : -most_curvature;
        const float within = above < most_curvature ? above : most_curvature;
        weight[i] = flat ? 1.0f : slope;
        curvature[i] = steep ? weight[i] * within : 0.0f;
    }
}

/// Whether a row has cells with air or beside them: their curvature is needed.
static bool is_needed(const tension_work *w, size_t row)
{
    static const int offset[SP_TILE_SIDES] = {-1, 1, -3, 3, -9, 9, 0};
    const uint64_t *masks[SP_TILE_SIDES];
    if (sp_tile_mask_any(w->air.cells[row])) return true;
    for (int n = 0; n < SP_TILE_SIDES; ++n) {
        const uint32_t there = w->air.rows.around[row][SP_TILES_SELF + offset[n]];
        masks[n] = there == SP_NO_TILE ? NULL : w->air.cells[there];
    }
    sp_tile_mask layer;
    sp_tile_mask_layer(masks, layer);
    return sp_tile_mask_any(layer);
}

static void curve_row_of_tile(const tension_work *w, size_t row)
{
    const bool flat = w->s->def.tension.curvature_weight == SP_BUBBLES_CURVATURE_MEAN;
    const int passes = w->s->def.tension.curvature_passes, edge = SP_TILE + 2 * (1 + passes);
    float patch[MOST], other[MOST];
    sp_tiles_patch(&w->air.rows, w->share, (uint32_t)row, 1 + passes, 0.0f, patch);
    for (int pass = 0; pass < passes; ++pass)
        bubbles_smooth_patch(patch, other, edge);
    const float *first = patch + (1 + passes) * (1 + edge + edge * edge);
    for (int k = 0; k < SP_TILE; ++k)
        for (int j = 0; j < SP_TILE; ++j) {
            const size_t out = row * SP_TILE_VOXELS + (size_t)(64 * k + 8 * j);
            curve_row(first + edge * j + edge * edge * k, edge, edge * edge, flat, w->weight + out,
                      w->curvature + out);
        }
}

static void find_curvature(void *arg, size_t begin, size_t end)
{
    const tension_work *w = arg;
    for (size_t r = begin; r < end; ++r)
        if (is_needed(w, r)) {
            curve_row_of_tile(w, r);
        } else {
            sp_tile_fill(w->weight + r * SP_TILE_VOXELS, 0.0f);
            sp_tile_fill(w->curvature + r * SP_TILE_VOXELS, 0.0f);
        }
}

/// ---- All together ------------------------------------------------------------------------------

sp_status bubbles_find_curvature(tension_work *w, sp_error *err)
{
    const sp_tiles *rows = &w->air.rows;
    const size_t values = rows->count * SP_TILE_VOXELS;
    SP_ASSERT(w->s->def.tension.curvature_passes <= PASSES);
    w->share = sp_scratch_array(&w->s->scratch, float, values);
    w->weight = sp_scratch_array(&w->s->scratch, float, values);
    w->curvature = sp_scratch_array(&w->s->scratch, float, values);
    if (!w->share || !w->weight || !w->curvature)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the curvature of %zu tiles",
                       rows->count);
    sp_tiles_parallel(rows, find_shares, w);
    sp_tiles_parallel(rows, find_curvature, w);
    return SP_OK;
}
