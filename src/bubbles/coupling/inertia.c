// SPDX-License-Identifier: Apache-2.0
/// The stages in which the schemes of WFS22 differ. There a particle feels drag whatever the share of
/// water, and water feels it divided by that share (at least 1 - max_fraction):
///
///     rho* = rho_w + dt K/phi_w'
///     u = u_n + (dt/rho*) (-D/phi_w' + f + rho_w (u0 - u_n)/dt + rho_w g - grad p)             (19)
///     v = v~ - theta (dt/rho_b) grad p,   v~ = v + theta (dt/rho_b) grad p_n               (20, 22)
///
/// Where faces are overfull, s = max(fill/max_fraction, 1) says by how much; interpolated to a particle it
/// divides the volume by which it feels pressure and brakes water, not its mass (WFS22 section 3.5).
#include "bubbles/step.h"

/// ---- Overfull faces ----------------------------------------------------------------------------

static void find_excess(void *arg, size_t begin, size_t end)
{
    const bubbles *s = arg;
    const bubbles_grid *g = &s->grid;
    const float per_most = 1.0f / s->def.max_fraction;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict fill = g->fill[a] + t * SP_TILE_VOXELS;
            float *restrict excess =
                g->flux[a] + t * SP_TILE_VOXELS; // free until water is predicted
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                excess[n] = fill[n] * per_most > 1.0f ? fill[n] * per_most : 1.0f;
        }
}

static void invert(void *arg, size_t begin, size_t end)
{
    const bubbles *s = arg;
    for (int a = 0; a < 3; ++a)
        for (size_t i = begin; i < end; ++i)
            s->at.thin[a][i] = 1.0f / fmaxf(s->at.thin[a][i], 1.0f);
}

sp_status bubbles_find_thin(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count;
    for (int a = 0; a < 3; ++a)
        if (!(s->at.thin[a] = sp_scratch_array(&s->scratch, float, n + SP_LANES)))
            return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    sp_tiles_parallel(&s->grid.tiles, find_excess, s);
    SP_TRY(s->basis->interpolate(s, s->grid.flux, s->at.thin, err));
    sp_parallel(s->host, n, BUBBLES_GRAIN, invert, s);
    return SP_OK;
}

/// ---- Particles' part at faces ------------------------------------------------------------------

typedef struct bringing {
    bubbles *s;
    float *velocity[3], *drag[3], *slope[3]; ///< by particle, times volume over a voxel's
} bringing;

static void weigh(void *arg, size_t begin, size_t end)
{
    const bringing *b = arg;
    const bubbles *s = b->s;
    const bubbles_particles *p = &s->particles;
    const float h = s->grid.voxel, per_voxel = 1.0f / (h * h * h);
    for (int a = 0; a < 3; ++a) {
        const float *v = p->v[a], *thin = s->at.thin[a], *drag = s->at.drag[a],
                    *slope = s->at.slope[a];
        float *velocity_out = b->velocity[a], *drag_out = b->drag[a], *slope_out = b->slope[a];
        SP_VECTOR_LOOP
        for (size_t i = begin; i < end; ++i) {
            const float volume = bubbles_volume_of(p, i) * per_voxel;
            velocity_out[i] = p->density[i] * volume * v[i];
            drag_out[i] = volume * thin[i] * drag[i];
            slope_out[i] = volume * thin[i] * slope[i];
        }
    }
}

/// ub becomes v~, soft the compliance of particles over that of water; D and K are divided by the share
/// of water.
static void finish_faces(const bubbles *s, size_t first, int axis)
{
    const bubbles_grid *g = &s->grid;
    const float *restrict fill = g->fill[axis] + first, *restrict mass = g->mass[axis] + first,
                          *restrict share = g->share[axis] + first,
                          *restrict gradient = g->gradient[axis] + first;
    float *restrict ub = g->ub[axis] + first, *restrict soft = g->soft[axis] + first,
                    *restrict drag = g->drag[axis] + first,
                    *restrict slope = g->slope[axis] + first;
    const float theta = s->def.theta * s->def.density, least = 1.0f - s->def.max_fraction;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const bool some = fill[n] > 0.0f;
        const float water = fmaxf(1.0f - share[n], least);
        soft[n] = some ? theta * fill[n] / mass[n] : 0.0f;
        ub[n] = some ? ub[n] / mass[n] + soft[n] * gradient[n] : 0.0f;
        drag[n] /= water;
        slope[n] /= water;
    }
}

static void finish_tiles(void *arg, size_t begin, size_t end)
{
    const bubbles *s = ((const bringing *)arg)->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; bubbles_is_busy(&s->grid, t) && a < 3; ++a)
            finish_faces(s, t * SP_TILE_VOXELS, a);
}

static sp_status rasterise(bringing *b, sp_error *err)
{
    bubbles *s = b->s;
    const bubbles_grid *g = &s->grid;
    bubbles_raster raster = {.from = {{NULL}}};
    for (int a = 0; a < 3; ++a) {
        const float *from[3] = {b->velocity[a], b->drag[a], b->slope[a]};
        float *to[3] = {g->ub[a], g->drag[a], g->slope[a]};
        memcpy(raster.from[a], from, sizeof from);
        memcpy(raster.to[a], to, sizeof to);
    }
    sp_parallel(s->host, s->particles.set.count, BUBBLES_GRAIN, weigh, b);
    bubbles_clear_forces(s);
    SP_TRY(s->basis->rasterise(s, &raster, NULL, err));
    sp_tiles_parallel(&g->tiles, finish_tiles, b);
    return SP_OK;
}

sp_status bubbles_rasterise_inertia(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count + SP_LANES;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    bringing b = {.s = s};
    bool enough = true;
    for (int a = 0; a < 3; ++a) {
        b.velocity[a] = sp_scratch_array(&s->scratch, float, n);
        b.drag[a] = sp_scratch_array(&s->scratch, float, n);
        b.slope[a] = sp_scratch_array(&s->scratch, float, n);
        enough &= b.velocity[a] && b.drag[a] && b.slope[a];
    }
    const sp_status status =
        enough ? rasterise(&b, err)
               : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
