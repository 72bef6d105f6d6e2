// SPDX-License-Identifier: Apache-2.0
/// Where water would entrain air (Wretborn, Flynn and Stomakhin 2022, section 5): the energy of its
/// velocity fluctuation against the surface tension that holds a dent of the surface open,
///
///     A = 2 H a density |[u]|^2 / (pi gamma),      H = max(-kappa/2, 0), at most 1/voxel
///     [u] = (u(t) - u(t - T))/2,   T = 1/24 s,     a = length voxel
///
/// in voxels within two voxels of the surface. A is a pure number. H counts where the surface is
/// concave seen from the air: cavities, creases, the toe of a breaker. Options count crests as well,
/// or alone, and leave out of [u] what the water around has in common.
///
/// As printed, [u] is half the change within a step and a = voxel^2. A would then depend on the step
/// and on the voxel. A change within a substep that is scaled up to T does not help: it multiplies
/// the noise of particles by (T/dt)^2 (A reached 10^5 in calm water). So velocities are compared
/// that lie T apart. Where no moment lies at t - T, u(t - T) is interpolated between the moments
/// before and after it: with 25 moments a second, those of 2/25 and 1/25 s ago. If the only one
/// after it is t itself (few moments, or one is missing), that scales the change down. Air asked for
/// by a falling block with a = voxel^2 halved when the voxel was halved; with a reference length it
/// fell by 14 %.
#include "bulk/bulk.h"
#include "bulk/internal.h"
#include "tiles/levelset.h"

#define GAMMA 0.072 ///< N/m, water against air

typedef struct aerating {
    const sp_bulk_moment *moment;
    const sp_bulk_past *past[2]; ///< the moments before and after t - T; the second may be NULL
    float weight[2];             ///< of the changes since them, where both are known
    float lone;                  ///< of that since the first one, where only it is known
    int curvature;
    float *u[3]; ///< change less its local mean; NULL: the change itself
    float *out;  ///< kappa at first
    float scale; ///< A per curvature and |change|^2
} aerating;

/// ---- The change of velocity --------------------------------------------------------------------

/// Change of one component at the centres of a tile's voxels since a past moment; NAN where that is
/// not known.
static void change_since(const aerating *a, const sp_bulk_past *past, uint32_t t, int axis,
                         float change[SP_TILE_VOXELS])
{
    const uint32_t before = sp_tiles_find(&past->tiles, a->moment->tiles->at[t]);
    if (before == SP_NO_TILE) {
        sp_tile_fill(change, NAN);
        return;
    }
    const float *u = a->moment->u[axis] + (size_t)t * SP_TILE_VOXELS,
                *was = past->u[axis] + (size_t)before * SP_TILE_VOXELS;
    float high[SP_TILE_VOXELS], was_high[SP_TILE_VOXELS];
    sp_tiles_shift(a->moment->tiles, a->moment->u[axis], t, axis, 1, 0.0f, high);
    sp_tiles_shift(&past->tiles, past->u[axis], before, axis, 1, NAN, was_high);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        change[n] = 0.5f * ((u[n] + high[n]) - (was[n] + was_high[n]));
}

/// The same since t - T.
static void change_of(const aerating *a, uint32_t t, int axis, float change[SP_TILE_VOXELS])
{
    float since[SP_TILE_VOXELS];
    change_since(a, a->past[0], t, axis, change);
    if (!a->past[1]) return;
    change_since(a, a->past[1], t, axis, since);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float both = a->weight[0] * change[n] + a->weight[1] * since[n];
        change[n] = isnan(change[n]) ? since[n] : isnan(since[n]) ? a->lone * change[n] : both;
    }
}

static void change_tiles(void *arg, size_t begin, size_t end)
{
    const aerating *a = arg;
    for (size_t t = begin; t < end; ++t)
        for (int axis = 0; axis < 3; ++axis)
            change_of(a, (uint32_t)t, axis, a->u[axis] + t * SP_TILE_VOXELS);
}

static sp_status find_local_changes(aerating *a, sp_error *err)
{
    const sp_tiles *tiles = a->moment->tiles;
    bool enough = true;
    for (int axis = 0; axis < 3; ++axis)
        enough &= (a->u[axis] = sp_tiles_field(tiles, 0.0f)) != NULL;
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for %zu tiles", tiles->count);
    sp_tiles_parallel(tiles, change_tiles, a);
    return bulk_subtract_local_mean(tiles, a->u, err);
}

/// ---- Aeration ----------------------------------------------------------------------------------

static float counted(int curvature, float kappa)
{
    if (curvature == SP_CURVATURE_ABS) return fabsf(kappa);
    return fmaxf(curvature == SP_CURVATURE_CONVEX ? kappa : -kappa, 0.0f);
}

static void aerate_tile(const aerating *a, uint32_t t)
{
    const float near = 2.0f * a->moment->tiles->voxel;
    const float *phi = a->moment->phi + (size_t)t * SP_TILE_VOXELS;
    float *out = a->out + (size_t)t * SP_TILE_VOXELS, square[SP_TILE_VOXELS] = {0};
    float change[SP_TILE_VOXELS];
    bool any = false;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        out[n] = fabsf(phi[n]) <= near ? counted(a->curvature, out[n]) : 0.0f;
        any |= out[n] > 0.0f;
    }
    for (int axis = 0; axis < 3 && any; ++axis) {
        const float *by = a->u[axis] ? a->u[axis] + (size_t)t * SP_TILE_VOXELS : change;
        if (by == change) change_of(a, t, axis, change);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            square[n] += by[n] * by[n];
    }
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = square[n] >= 0.0f ? out[n] * a->scale * square[n] : 0.0f; // NAN: not known
}

static void aerate_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        aerate_tile(arg, (uint32_t)t);
}

/// Finds the moments around t - T; false if there is none that old. *share: of the change since the
/// first one that counts if there is no second.
static bool compare_with(aerating *a, const sp_bulk_pasts *pasts, double *share)
{
    int n = pasts->count - 1;
    while (n >= 0 && !bulk_is_past(a->moment->time - pasts->past[n].time, SP_BULK_AERATION_TIME))
        --n;
    if (n < 0) return false;
    const double age = a->moment->time - pasts->past[n].time;
    *share = fmin(1.0, SP_BULK_AERATION_TIME / age);
    a->past[0] = &pasts->past[n];
    if (n + 1 == pasts->count || bulk_is_past(SP_BULK_AERATION_TIME, age)) return true;
    a->past[1] = &pasts->past[n + 1];
    const double since = (age - SP_BULK_AERATION_TIME) / (a->past[1]->time - a->past[0]->time);
    a->weight[0] = (float)(1.0 - since);
    a->weight[1] = (float)since;
    a->lone = (float)*share;
    *share = 1.0;
    return true;
}

sp_status sp_bulk_aeration(const sp_bulk_aeration_def *def, const sp_bulk_moment *moment,
                           const sp_bulk_pasts *pasts, float *out, sp_error *err)
{
    aerating a = {.moment = moment, .curvature = def->curvature, .out = out};
    const double voxel = (double)moment->tiles->voxel, pi = 3.14159265358979,
                 length = def->length > 0.0 ? def->length : voxel;
    double share;
    if (!compare_with(&a, pasts, &share)) {
        for (size_t t = 0; t < moment->tiles->count; ++t)
            sp_tile_fill(out + t * SP_TILE_VOXELS, 0.0f);
        return SP_OK;
    }
    share *= 0.5;
    a.scale = (float)(length * voxel * def->density * share * share / (pi * GAMMA));
    const sp_status status =
        def->fluctuation == SP_FLUCTUATION_LOCAL ? find_local_changes(&a, err) : SP_OK;
    if (status == SP_OK) {
        sp_levelset_curvature(moment->tiles, moment->phi, moment->band, 2.0f, out);
        sp_tiles_parallel(moment->tiles, aerate_tiles, &a);
    }
    for (int axis = 0; axis < 3; ++axis)
        sp_release(moment->tiles->host, a.u[axis]);
    return status;
}
