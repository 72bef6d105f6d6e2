// SPDX-License-Identifier: Apache-2.0
/// Where water would entrain air (Wretborn, Flynn and Stomakhin 2022, section 5): the energy of its
/// velocity fluctuation against the surface tension that holds a dent of the surface open,
///
///     A = 2 H a density |[u]|^2 / (pi gamma),      H = max(-kappa/2, 0), at most 1/voxel
///     [u] = (u(t) - u(t - T))/2,   T = 1/24 s,     a = length voxel
///
/// in voxels within two voxels of the surface. A is a pure number. H counts where the surface is
/// concave seen from the air: cavities, creases, the toe of a breaker.
///
/// As printed, [u] is half the change within a step and a = voxel^2. A would then depend on the step
/// and on the voxel. A change within a substep that is scaled up to T does not help: it multiplies
/// the noise of particles by (T/dt)^2 (A reached 10^5 in calm water). So velocities are compared
/// that lie T apart; if the past one is older, the change is scaled down. Air asked for by a
/// falling block with a = voxel^2 halved when the voxel was halved; with a reference length it
/// fell by 14 %.
#include "bulk/bulk.h"
#include "bulk/internal.h"
#include "tiles/levelset.h"

#include <string.h>

#define GAMMA 0.072 ///< N/m, water against air

/// ---- The past ----------------------------------------------------------------------------------

void sp_bulk_past_close(sp_bulk_past *past)
{
    for (int a = 0; a < 3; ++a)
        if (past->u[a]) sp_release(past->tiles.host, past->u[a]);
    sp_tiles_close(&past->tiles);
    *past = (sp_bulk_past){0};
}

typedef struct copying {
    const sp_bulk_moment *from;
    float *const *u;
    sp_tile_mask *known[3];
} copying;

static void copy_tiles(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    const sp_bulk_moment *m = c->from;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            memcpy(c->u[a] + t * SP_TILE_VOXELS, m->u[a] + t * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof(float));
            bulk_mark_beside_water(m->tiles, m->phi, m->band, (uint32_t)t, a, c->known[a][t]);
        }
}

static void forget_unknown(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a)
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                if (!sp_tile_mask_has(c->known[a][t], n))
                    c->u[a][t * SP_TILE_VOXELS + (size_t)n] = NAN;
}

static sp_status copy_velocity(sp_bulk_past *past, copying *c, sp_error *err)
{
    const size_t tiles = past->tiles.count;
    const sp_host *host = past->tiles.host;
    for (int a = 0; a < 3; ++a) {
        past->u[a] = sp_allocate(host, tiles * SP_TILE_VOXELS, sizeof(float));
        c->known[a] = sp_allocate(host, tiles, sizeof *c->known[a]);
        if (!past->u[a] || !c->known[a])
            return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for the velocity of %zu tiles",
                           tiles);
    }
    sp_tiles_parallel(&past->tiles, copy_tiles, c);
    SP_TRY(sp_tiles_extrapolate_faces(&past->tiles, past->u, c->known, BULK_BEYOND, err));
    sp_tiles_parallel(&past->tiles, forget_unknown, c);
    return SP_OK;
}

sp_status sp_bulk_past_take(sp_bulk_past *past, const sp_bulk_moment *moment, sp_error *err)
{
    copying c = {.from = moment, .u = past->u};
    sp_bulk_past_close(past);
    SP_TRY(sp_tiles_copy(&past->tiles, moment->tiles, err));
    past->time = moment->time;
    const sp_status status = copy_velocity(past, &c, err);
    for (int a = 0; a < 3; ++a)
        sp_release(past->tiles.host, c.known[a]);
    if (status != SP_OK) sp_bulk_past_close(past);
    return status;
}

/// ---- Aeration ----------------------------------------------------------------------------------

typedef struct aerating {
    const sp_bulk_moment *moment;
    const sp_bulk_past *past;
    float *out;  ///< kappa at first
    float scale; ///< A per -kappa and |u(t) - u(t - T)|^2
} aerating;

/// Adds the square of the change of one component at the centres of a tile's voxels; NAN where the
/// past velocity is unknown.
static void add_change(const aerating *a, uint32_t t, uint32_t before, int axis,
                       float change[SP_TILE_VOXELS])
{
    const float *u = a->moment->u[axis] + (size_t)t * SP_TILE_VOXELS,
                *past = a->past->u[axis] + (size_t)before * SP_TILE_VOXELS;
    float high[SP_TILE_VOXELS], past_high[SP_TILE_VOXELS];
    sp_tiles_shift(a->moment->tiles, a->moment->u[axis], t, axis, 1, 0.0f, high);
    sp_tiles_shift(&a->past->tiles, a->past->u[axis], before, axis, 1, NAN, past_high);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float by = 0.5f * ((u[n] + high[n]) - (past[n] + past_high[n]));
        change[n] += by * by;
    }
}

static void aerate_tile(const aerating *a, uint32_t t, uint32_t before)
{
    const float near = 2.0f * a->moment->tiles->voxel;
    const float *phi = a->moment->phi + (size_t)t * SP_TILE_VOXELS;
    float *out = a->out + (size_t)t * SP_TILE_VOXELS, change[SP_TILE_VOXELS] = {0};
    bool dent[SP_TILE_VOXELS], any = false;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        any |= dent[n] = fabsf(phi[n]) <= near && out[n] < 0.0f;
    for (int axis = 0; axis < 3 && any; ++axis)
        add_change(a, t, before, axis, change);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = dent[n] && change[n] >= 0.0f ? -out[n] * a->scale * change[n] : 0.0f;
}

static void aerate_tiles(void *arg, size_t begin, size_t end)
{
    const aerating *a = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t before = sp_tiles_find(&a->past->tiles, a->moment->tiles->at[t]);
        if (before == SP_NO_TILE)
            sp_tile_fill(a->out + t * SP_TILE_VOXELS, 0.0f);
        else
            aerate_tile(a, (uint32_t)t, before);
    }
}

void sp_bulk_aeration(const sp_bulk_aeration_def *def, const sp_bulk_moment *moment,
                      const sp_bulk_past *past, float *out)
{
    const double voxel = (double)moment->tiles->voxel, pi = 3.14159265358979,
                 length = def->length > 0.0 ? def->length : voxel,
                 share = 0.5 * fmin(1.0, SP_BULK_AERATION_TIME / (moment->time - past->time));
    const double scale = length * voxel * def->density * share * share / (pi * GAMMA);
    sp_levelset_curvature(moment->tiles, moment->phi, moment->band, 2.0f, out);
    sp_tiles_parallel(moment->tiles, aerate_tiles, &(aerating){moment, past, out, (float)scale});
}
