// SPDX-License-Identifier: Apache-2.0
/// d, e  What particles bring to faces (WSB25, 39, 40, 51). With mass weights, M = sum rho_q V_q w,
///
///     s  = (sum rho_q V_q s_q w)/M
///     ub = (sum rho_q V_q w (v_q + s_q (dt/rho_q) (grad p - f)(x_q)))/M + s dt f_face/rho_b
///     D  = (sum V_q D_q w)/(V_face v),    K likewise
///
/// The gradient that a particle felt is taken out again, with the same weights by which the pressure
/// solve applies the new one: an even gradient then cancels exactly.
#include "bubbles/internal.h"

typedef struct bringing {
    bubbles *s;
    float dt;
    float *velocity[3], *soft[3], *drag[3], *slope[3]; ///< by particle, times volume over a voxel's
} bringing;

static void weigh(void *arg, size_t begin, size_t end)
{
    const bringing *b = arg;
    const bubbles *s = b->s;
    const bubbles_particles *p = &s->particles;
    const bool reapply = s->def.tension.reapply;
    const float h = s->grid.voxel, per_voxel = 1.0f / (h * h * h), water = s->def.density;
    const float dt = reapply ? b->dt : 0.0f;
    for (int a = 0; a < 3; ++a) {
        const float *v = p->v[a], *gradient = s->at.gradient[a], *force = s->at.force[a],
                    *soft = s->at.soft[a], *drag = s->at.drag[a], *slope = s->at.slope[a];
        float *velocity_out = b->velocity[a], *soft_out = b->soft[a], *drag_out = b->drag[a],
              *slope_out = b->slope[a];
        SP_VECTOR_LOOP
        for (size_t i = begin; i < end; ++i) {
            const float volume = bubbles_volume_of(p, i) * per_voxel;
            const float mass = p->density[i] * volume;
            const float undone = water * gradient[i] - dt * force[i];
            velocity_out[i] = mass * v[i] + volume * soft[i] * undone;
            soft_out[i] = mass * soft[i];
            drag_out[i] = volume * drag[i];
            slope_out[i] = volume * slope[i];
        }
    }
}

/// ---- Faces -------------------------------------------------------------------------------------

/// From sums to ub, to the compliance of particles over that of water, and to D and K.
static void finish_faces(const bringing *b, uint32_t t, int axis)
{
    const bubbles *s = b->s;
    const bubbles_grid *g = &s->grid;
    const size_t first = (size_t)t * SP_TILE_VOXELS;
    const float *restrict fill = g->fill[axis] + first, *restrict mass = g->mass[axis] + first,
                          *restrict force = g->force[axis] + first;
    float *restrict ub = g->ub[axis] + first, *restrict soft = g->soft[axis] + first,
                    *restrict drag = g->drag[axis] + first,
                    *restrict slope = g->slope[axis] + first;
    const float dt = s->def.tension.reapply ? b->dt : 0.0f, water = s->def.density;
    float volume[SP_TILE_VOXELS];
    bubbles_open_volume(s, t, axis, volume);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const bool some = fill[n] > 0.0f;
        const float per_mass = some ? 1.0f / (mass[n] * volume[n]) : 0.0f;
        const float per_density = some ? fill[n] / mass[n] : 0.0f;
        const float share = soft[n] * per_mass;
        ub[n] = ub[n] * per_mass + share * dt * force[n] * per_density;
        soft[n] = share * water * per_density;
        drag[n] = drag[n] / volume[n];
        slope[n] = slope[n] / volume[n];
    }
}

static void finish_tiles(void *arg, size_t begin, size_t end)
{
    const bringing *b = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; bubbles_is_busy(&b->s->grid, t) && a < 3; ++a)
            finish_faces(b, (uint32_t)t, a);
}

static void clear_tiles(void *arg, size_t begin, size_t end)
{
    const bubbles_grid *g = arg;
    for (size_t t = begin; t < end; ++t) {
        if (!bubbles_is_busy(g, t)) continue;
        for (int a = 0; a < 3; ++a) {
            float *const all[] = {g->ub[a], g->soft[a], g->drag[a], g->slope[a]};
            for (int k = 0; k < 4; ++k)
                sp_tile_fill(all[k] + t * SP_TILE_VOXELS, 0.0f);
        }
    }
}

void bubbles_clear_forces(bubbles *s)
{
    sp_tiles_parallel(&s->grid.tiles, clear_tiles, &s->grid);
}

static sp_status rasterise(bringing *b, sp_error *err)
{
    bubbles *s = b->s;
    const bubbles_grid *g = &s->grid;
    bubbles_raster raster;
    for (int a = 0; a < 3; ++a) {
        const float *from[BUBBLES_QUAD] = {b->velocity[a], b->soft[a], b->drag[a], b->slope[a]};
        float *to[BUBBLES_QUAD] = {g->ub[a], g->soft[a], g->drag[a], g->slope[a]};
        memcpy(raster.from[a], from, sizeof from);
        memcpy(raster.to[a], to, sizeof to);
    }
    sp_parallel(s->host, s->particles.set.count, BUBBLES_GRAIN, weigh, b);
    bubbles_clear_forces(s);
    SP_TRY(s->basis->rasterise(s, &raster, NULL, err));
    sp_tiles_parallel(&g->tiles, finish_tiles, b);
    return SP_OK;
}

sp_status bubbles_rasterise_forces(bubbles *s, double dt, sp_error *err)
{
    const size_t n = s->particles.set.count + SP_LANES;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    bringing b = {.s = s, .dt = (float)dt};
    bool enough = true;
    for (int a = 0; a < 3; ++a) {
        b.velocity[a] = sp_scratch_array(&s->scratch, float, n);
        b.soft[a] = sp_scratch_array(&s->scratch, float, n);
        b.drag[a] = sp_scratch_array(&s->scratch, float, n);
        b.slope[a] = sp_scratch_array(&s->scratch, float, n);
        enough &= b.velocity[a] && b.soft[a] && b.drag[a] && b.slope[a];
    }
    const sp_status status =
        enough ? rasterise(&b, err)
               : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
