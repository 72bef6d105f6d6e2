// SPDX-License-Identifier: Apache-2.0
/// Pressure at the middle of two substeps (Zehnder, Narain and Thomaszewski 2018).
///
/// Water that is first advected and then projected loses the part of its velocity that pressure
/// removes: if it turns by an angle w dt in a substep, cos(w dt) is left. So substeps come in
/// pairs. With u~ the velocity before the projection, forces included, the first of a pair gives
/// particles
///
///     c = u + r (u - u~),    r from 0 to 1
///
/// instead of u: pressure acts for twice as long, and the second projection has nearly nothing to
/// correct. For rigid rotation, c turned by w dt is u again, and nothing is lost. At rest c is -r g
/// dt, and gravity of the second substep makes it 0.
///
/// In the second substep particles are advected with the velocity expected at its end,
///
///     ahead = u + r (u - u_0),    u_0: before the pair,
///
/// so that over a pair positions move for half the time with the old velocity, velocities change by
/// the pressure at the middle, and positions move for half the time with the new velocity. This
/// conserves the energy of waves. With u itself, as is usual without a free surface, waves of
/// frequency w grow by (w dt)^2/2 a pair.
///
/// An impact must not be doubled: water would bounce off walls, and each splash would gain energy.
/// So r = 1 while pressure and gravity together change the velocity by at most a quarter of a voxel
/// a substep in deep water, and 0.02 within a voxel of the surface; r = 0 from twice that on. (If r
/// depends on depth alone, calm water is heavier above than below wherever the surface slopes, and
/// a wave's period came out 5 % long. With 0.05 and 0.5 a dam break gained 11 % of energy.)
///
/// Only for APIC: FLIP at rest got noisier (rms 0.051 sqrt(g voxel) instead of 0.007). Only without
/// a narrow band: the grid below a band carries one velocity, not two.
#include "liquid/internal.h"

typedef struct reflecting {
    const liquid_grid *grid;
    float *const *out;
    sp_tile_mask *known[3];
    float fall[3];  ///< m/s; velocity added by gravity
    float per_step; ///< dt/voxel
} reflecting;

/// The largest change of velocity at the low faces of a tile for which r = 1, voxels a substep.
static void find_limits(const liquid_grid *g, size_t t, int axis, float limit[SP_TILE_VOXELS])
{
    const float calm = 0.02f, deep = 0.25f;
    const float *phi = g->phi + t * SP_TILE_VOXELS, per_voxel = 1.0f / g->voxel;
    float before[SP_TILE_VOXELS];
    sp_tiles_shift(&g->tiles, g->phi, (uint32_t)t, axis, -1, g->band, before);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float depth = -0.5f * (phi[n] + before[n]) * per_voxel;
        const float share = fminf(fmaxf(0.5f * (depth - 1.0f), 0.0f), 1.0f); // 1 from 3 voxels on
        limit[n] = sp_mix(calm, deep, share);
    }
}

/// r of a change of velocity: 1 up to the limit, 0 from twice that on.
static float share_of(float change, float per_step, float limit)
{
    return fminf(fmaxf(2.0f - fabsf(change) * per_step / limit, 0.0f), 1.0f);
}

/// r (u - u~) on faces that have a velocity both from particles and from pressure.
static void find_turn(void *arg, size_t begin, size_t end)
{
    const reflecting *r = arg;
    const liquid_grid *g = r->grid;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict u = g->u[a] + t * SP_TILE_VOXELS;
            const float *restrict before = g->u_unforced[a] + t * SP_TILE_VOXELS;
            float *restrict turn = r->out[a] + t * SP_TILE_VOXELS;
            float limit[SP_TILE_VOXELS];
            find_limits(g, t, a, limit);
            for (int k = 0; k < SP_TILE; ++k)
                r->known[a][t][k] = g->known[a][t][k] & g->splatted[a][t][k];
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const float change = u[n] - before[n];
                const float by = share_of(change, r->per_step, limit[n]) * (change - r->fall[a]);
                turn[n] = sp_tile_mask_has(r->known[a][t], n) ? by : 0.0f;
            }
        }
}

sp_status liquid_reflect_change(const liquid_grid *g, const float gravity[3], double dt,
                                float *const change[3], sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    reflecting r = {.grid = g, .out = change, .per_step = (float)(dt / (double)g->voxel)};
    bool enough = true;
    for (int a = 0; a < 3; ++a) {
        r.fall[a] = (float)((double)gravity[a] * dt);
        r.known[a] = sp_scratch_array(scratch, sp_tile_mask, g->tiles.count);
        enough &= r.known[a] != NULL;
    }
    sp_status status =
        enough ? SP_OK : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to reflect velocity");
    if (status == SP_OK) {
        enum { LAYERS = 2 }; // interpolation beside walls reads faces inside them
        sp_tiles_parallel(&g->tiles, find_turn, &r);
        status = sp_tiles_extrapolate_faces(&g->tiles, change, r.known, LAYERS, err);
    }
    sp_scratch_rewind(scratch, mark);
    return status;
}

static void look_ahead(void *arg, size_t begin, size_t end)
{
    const reflecting *r = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict u = r->grid->u[a] + t * SP_TILE_VOXELS;
            const float *restrict last = r->grid->u_last[a] + t * SP_TILE_VOXELS;
            float *restrict ahead = r->out[a] + t * SP_TILE_VOXELS;
            float limit[SP_TILE_VOXELS];
            find_limits(r->grid, t, a, limit);
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const float change = u[n] - last[n];
                ahead[n] = u[n] + share_of(change, r->per_step, limit[n]) * change;
            }
        }
}

void liquid_reflect_ahead(liquid_grid *g, double dt)
{
    sp_tiles_parallel(
        &g->tiles, look_ahead,
        &(reflecting){.grid = g, .out = g->u_pair, .per_step = (float)(dt / (double)g->voxel)});
}
