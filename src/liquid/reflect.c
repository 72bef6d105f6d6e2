// SPDX-License-Identifier: Apache-2.0
/// Pressure at the middle of two substeps (Zehnder, Narain and Thomaszewski 2018).
///
/// Water that is first moved and then projected loses what pressure takes off it: where it turns by
/// an angle w dt in a substep, cos(w dt) is left. So substeps come in pairs. With u~ the velocity
/// before the projection, forces included, the first of a pair gives particles
///
///     c = u + r (u - u~),    r from 0 to 1
///
/// instead of u: pressure works twice as long, and the second finds nearly nothing left to do. For
/// water that turns as a whole c turned by w dt is u again, and nothing is lost. At rest c is -r g dt,
/// and gravity of the second substep makes it 0.
///
/// In the second substep water is moved with what its velocity will be at its end,
///
///     flow = u + r (u - u_0),    u_0: before the pair,
///
/// so that over a pair places move by half with the old velocity, velocities change by the pressure
/// in the middle, and places move by half with the new one, which keeps the energy of waves. With u
/// itself, as usual where there is no surface, waves of frequency w grow by (w dt)^2/2 a pair.
///
/// An impact must not be doubled, or water bounces off walls and each splash gains energy: r = 1 as
/// long as pressure and gravity together change the velocity by no more than a quarter of a voxel a
/// substep in the deep, and 0.02 within a voxel of the surface, and 0 from twice that on. (r that
/// falls with depth alone makes calm water heavier above than below wherever the surface slopes, and
/// a wave's period came out 5 % long; with 0.05 and 0.5 a dam break gained 11 % of energy.)
///
/// Only APIC: FLIP at rest got noisier (rms 0.051 sqrt(g voxel) instead of 0.007). Only where
/// particles are everywhere: the narrow band's grid below carries one velocity, not two.
#include "liquid/internal.h"

bool liquid_reflects(const liquid *s)
{
    return s->def.method == SP_LIQUID_APIC && s->def.narrow_band == 0;
}

typedef struct reflecting {
    const liquid *s;
    sp_tile_mask *known[3];
    float fall[3];  ///< m/s; what gravity added
    float per_step; ///< dt/voxel
} reflecting;

/// What a change of velocity may be at the low faces of a tile for r = 1, voxels a substep.
static void find_limits(const liquid *s, size_t t, int axis, float limit[SP_TILE_VOXELS])
{
    const float calm = 0.02f, deep = 0.25f;
    const float *phi = s->phi + t * SP_TILE_VOXELS, per_voxel = 1.0f / s->voxel;
    float before[SP_TILE_VOXELS];
    sp_tiles_shift(&s->tiles, s->phi, (uint32_t)t, axis, -1, s->band, before);
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

/// r (u - u~) on faces that particles and pressure know.
static void find_turn(void *arg, size_t begin, size_t end)
{
    const reflecting *r = arg;
    const liquid *s = r->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict u = s->u[a] + t * SP_TILE_VOXELS;
            const float *restrict before = s->before[a] + t * SP_TILE_VOXELS;
            float *restrict turn = s->flow[a] + t * SP_TILE_VOXELS;
            float limit[SP_TILE_VOXELS];
            find_limits(r->s, t, a, limit);
            for (int k = 0; k < SP_TILE; ++k)
                r->known[a][t][k] = s->known[a][t][k] & s->splatted[a][t][k];
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const float change = u[n] - before[n];
                const float by = share_of(change, r->per_step, limit[n]) * (change - r->fall[a]);
                turn[n] = liquid_mask_has(r->known[a][t], n) ? by : 0.0f;
            }
        }
}

sp_status liquid_reflect(liquid *s, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    reflecting r = {.s = s, .per_step = (float)(dt / (double)s->voxel)};
    bool enough = true;
    for (int a = 0; a < 3; ++a) {
        r.fall[a] = (float)((double)s->gravity[a] * dt);
        r.known[a] = sp_scratch_array(&s->scratch, sp_tile_mask, s->tiles.count);
        enough &= r.known[a] != NULL;
    }
    sp_status status =
        enough ? SP_OK : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to reflect velocity");
    if (status == SP_OK) {
        enum { LAYERS = 2 }; // particles beside walls look into them
        sp_tiles_parallel(&s->tiles, find_turn, &r);
        status = sp_tiles_extrapolate_faces(&s->tiles, s->flow, r.known, LAYERS, err);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

static void add_velocity(void *arg, size_t begin, size_t end)
{
    const liquid *s = arg;
    for (int a = 0; a < 3; ++a)
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
            s->flow[a][i] += s->u[a][i];
}

void liquid_reflect_add(liquid *s)
{
    sp_tiles_parallel(&s->tiles, add_velocity, s);
}

static void look_ahead(void *arg, size_t begin, size_t end)
{
    const reflecting *r = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict u = r->s->u[a] + t * SP_TILE_VOXELS;
            const float *restrict last = r->s->last_u[a] + t * SP_TILE_VOXELS;
            float *restrict flow = r->s->flow[a] + t * SP_TILE_VOXELS;
            float limit[SP_TILE_VOXELS];
            find_limits(r->s, t, a, limit);
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const float change = u[n] - last[n];
                flow[n] = u[n] + share_of(change, r->per_step, limit[n]) * change;
            }
        }
}

void liquid_reflect_ahead(liquid *s, double dt)
{
    sp_tiles_parallel(&s->tiles, look_ahead,
                      &(reflecting){.s = s, .per_step = (float)(dt / (double)s->voxel)});
}
