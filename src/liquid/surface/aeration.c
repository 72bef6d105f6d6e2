// SPDX-License-Identifier: Apache-2.0
/// Measures where water would entrain air (Wretborn, Flynn and Stomakhin 2022, section 5): the
/// energy of its velocity fluctuation against the surface tension that holds a dent of the surface
/// open,
///
///     A = 2 H a density |[u]|^2 / (pi gamma),   a = voxel^2,   H = max(-kappa/2, 0)
///     [u] = (u^n - u^(n-1))/2 * dt_ref/dt,      dt_ref = 1/24 s
///
/// A is a pure number. The paper's [u] is half the change within a step, so that A would depend on
/// the step length; scaled to a reference time it does not. H counts where the surface is concave
/// seen from the air: cavities, creases, the toe of a breaker.
#include "liquid/internal.h"

#define GAMMA 0.072            ///< N/m, water against air
#define REFERENCE (1.0 / 24.0) ///< s

typedef struct aerating {
    liquid_grid *grid;
    const float *kappa;
    float scale; ///< A per kappa and |u^n - u^(n-1)|^2
} aerating;

/// |change of velocity|^2 at the centres of a tile's voxels.
static void find_change(const aerating *a, size_t t, float *restrict out)
{
    memset(out, 0, SP_TILE_VOXELS * sizeof *out);
    for (int axis = 0; axis < 3; ++axis) {
        const float *u = a->grid->u[axis] + t * SP_TILE_VOXELS,
                    *last = a->grid->u_last[axis] + t * SP_TILE_VOXELS;
        float high[SP_TILE_VOXELS], last_high[SP_TILE_VOXELS];
        sp_tiles_shift(&a->grid->tiles, a->grid->u[axis], (uint32_t)t, axis, 1, 0.0f, high);
        sp_tiles_shift(&a->grid->tiles, a->grid->u_last[axis], (uint32_t)t, axis, 1, 0.0f,
                       last_high);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const float change = 0.5f * ((u[n] + high[n]) - (last[n] + last_high[n]));
            out[n] += change * change;
        }
    }
}

static void aerate_tiles(void *arg, size_t begin, size_t end)
{
    const aerating *a = arg;
    const liquid_grid *g = a->grid;
    const float near = 2.0f * g->voxel;
    for (size_t t = begin; t < end; ++t) {
        const float *restrict phi = g->phi + t * SP_TILE_VOXELS, *restrict kappa =
                                                                     a->kappa + t * SP_TILE_VOXELS;
        float *restrict aeration = g->aeration + t * SP_TILE_VOXELS;
        bool any = false;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            any |= fabsf(phi[n]) <= near && kappa[n] < 0.0f;
        if (!any) continue;
        float change[SP_TILE_VOXELS];
        find_change(a, t, change);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const float found = kappa[n] < 0.0f ? -kappa[n] * a->scale * change[n] : 0.0f;
            const float now = fabsf(phi[n]) <= near ? found : 0.0f;
            aeration[n] = now > aeration[n] ? now : aeration[n];
        }
    }
}

sp_status liquid_aerate(liquid_grid *g, double density, double dt, sp_scratch *scratch,
                        sp_error *err)
{
    if (!g->aeration) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    float *kappa = sp_scratch_array(scratch, float, g->tiles.count *SP_TILE_VOXELS);
    if (!kappa)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the aeration of %zu tiles",
                       g->tiles.count);
    const double per_dt = 0.5 * REFERENCE / dt, h = (double)g->voxel;
    const double scale = h * h * density * per_dt * per_dt / (3.14159265 * GAMMA);
    sp_levelset_curvature(&g->tiles, g->phi, g->band, kappa);
    sp_tiles_parallel(&g->tiles, aerate_tiles, &(aerating){g, kappa, (float)scale});
    sp_scratch_rewind(scratch, mark);
    return SP_OK;
}
