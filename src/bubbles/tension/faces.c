// SPDX-License-Identifier: Apache-2.0
/// Surface tension on faces (WSB25 equation 42):
///
///     f = sigma kappa (phi_j - phi_i)/h,   kappa = (w_i kappa_i + w_j kappa_j)/(w_i + w_j)
///
/// with the shares phi that were not smoothed. w is the slope |grad phi|, so that cells which
/// hardly see the surface count little; the paper has w = 1.
///
/// phi_i leaks one face out of the air, so faces beside it feel a force as well ("skirt"). Faces
/// that solids close feel none.
#include "bubbles/tension/tension.h"

static void find_force(const tension_work *w, size_t row, int axis, float *restrict force)
{
    const float *restrict share = w->share + row * SP_TILE_VOXELS,
                          *restrict weight = w->weight + row * SP_TILE_VOXELS,
                          *restrict curvature = w->curvature + row * SP_TILE_VOXELS;
    float low_share[SP_TILE_VOXELS], low_weight[SP_TILE_VOXELS], low_curvature[SP_TILE_VOXELS];
    const float h = w->s->grid.voxel, scale = w->s->def.tension.coefficient / (h * h);
    sp_tiles_shift(&w->air.rows, w->share, (uint32_t)row, axis, -1, 0.0f, low_share);
    sp_tiles_shift(&w->air.rows, w->weight, (uint32_t)row, axis, -1, 0.0f, low_weight);
    sp_tiles_shift(&w->air.rows, w->curvature, (uint32_t)row, axis, -1, 0.0f, low_curvature);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float sum = weight[n] + low_weight[n];
        const float kappa = (curvature[n] + low_curvature[n]) / (sum > 0.0f ? sum : 1.0f);
        force[n] = scale * kappa * (share[n] - low_share[n]);
    }
}

/// Sets forces on faces that solids close to 0. False: solids are not near.
static bool close_faces(const bubbles *s, uint32_t tile, int axis, float *force, sp_tile_mask open)
{
    float low[SP_TILE_VOXELS], high[SP_TILE_VOXELS];
    if (!s->has_solids ||
        !sp_flow_open_fractions(&s->solids, &s->grid.tiles, tile, axis, low, high))
        return false;
    bubbles_mask_above(low, 0.0f, open);
    bubbles_mask_keep(open, force);
    return true;
}

/// Whether a face of a row may feel a force: one of its two cells has air.
static bool may_feel(const bubbles_air *a, size_t row, int axis)
{
    const uint32_t before = bubbles_row_beside(a, (uint32_t)row, axis, -1);
    return sp_tile_mask_any(a->cells[row]) ||
           (before != SP_NO_TILE && sp_tile_mask_any(a->cells[before]));
}

static void find_axis(const tension_work *w, size_t row, int axis)
{
    const uint32_t tile = w->air.tile[row];
    float *force = w->s->grid.force[axis] + (size_t)tile * SP_TILE_VOXELS;
    uint64_t *felt = w->felt[axis][row], *skirt = w->skirt[axis][row];
    if (!may_feel(&w->air, row, axis)) {
        memset(force, 0, SP_TILE_VOXELS * sizeof *force);
        memset(felt, 0, sizeof(sp_tile_mask));
        memset(skirt, 0, sizeof(sp_tile_mask));
        return;
    }
    sp_tile_mask open;
    find_force(w, row, axis, force);
    memcpy(felt, w->air.open[axis][row], sizeof(sp_tile_mask));
    if (close_faces(w->s, tile, axis, force, open))
        for (int k = 0; k < SP_TILE; ++k)
            felt[k] &= open[k];
    bubbles_mask_above(force, 0.0f, skirt);
    for (int k = 0; k < SP_TILE; ++k)
        skirt[k] &= ~w->air.open[axis][row][k];
}

static void find_forces(void *arg, size_t begin, size_t end)
{
    const tension_work *w = arg;
    for (size_t t = begin; t < end; ++t)
        for (int axis = 0; axis < 3; ++axis)
            if (w->air.row[t] != BUBBLES_NO_ROW)
                find_axis(w, w->air.row[t], axis);
            else
                sp_tile_fill(w->s->grid.force[axis] + t * SP_TILE_VOXELS, 0.0f);
}

sp_status bubbles_find_face_forces(tension_work *w, sp_error *err)
{
    const size_t rows = w->air.rows.count;
    bool enough = true;
    for (int axis = 0; axis < 3; ++axis) {
        w->felt[axis] = sp_scratch_take(&w->s->scratch, rows, sizeof *w->felt[axis]);
        w->skirt[axis] = sp_scratch_take(&w->s->scratch, rows, sizeof *w->skirt[axis]);
        enough &= w->felt[axis] && w->skirt[axis];
    }
    if (!enough)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the tension of %zu tiles", rows);
    sp_tiles_parallel(&w->s->grid.tiles, find_forces, w);
    return SP_OK;
}
