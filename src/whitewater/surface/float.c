// SPDX-License-Identifier: Apache-2.0
/// Foam moves along the surface (src/foam). A particle that stands for N bubbles covers as much of the surface as
/// they do: for the forces between particles its radius is r sqrt(N), but no more than SPAN times the smallest one
/// unless the bubble itself is larger. N grows while particles come near their budget, so that old and new foam would
/// span 10:1: beyond 8:1 the forces are unreliable, and each small particle looks through the thousands that lie within
/// the reach of the largest (a Blender splash of 350,000 particles: 100 s a frame).
#include "whitewater/surface/internal.h"

#define SPAN 4.0f

static float *spread_radii(whitewater_surface *s, const whitewater_set *foam)
{
    const size_t n = foam->set.count;
    float *radius = sp_scratch_array(&s->scratch, float, n + SP_LANES), smallest = INFINITY;
    for (size_t i = 0; radius && i < n; ++i) {
        radius[i] = foam->radius[i] * sqrtf(foam->number[i]);
        smallest = fminf(smallest, radius[i]);
    }
    for (size_t i = 0; radius && i < n; ++i)
        radius[i] = fmaxf(foam->radius[i], fminf(radius[i], SPAN * smallest));
    return radius;
}

static sp_foam_particles particles_of(const whitewater_set *foam, size_t n, const float *radius,
                                      uint8_t *lost)
{
    return (sp_foam_particles){.count = n,
                               .x = {foam->x[0], foam->x[1], foam->x[2]},
                               .v = {foam->v[0], foam->v[1], foam->v[2]},
                               .radius = radius,
                               .id = foam->id,
                               .speed = foam->speed,
                               .lost = lost};
}

static sp_status no_memory(size_t n, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu particles of foam", n);
}

sp_status surface_float(whitewater_surface *s, const whitewater_world *world, whitewater_set *foam,
                        surface_deciding *d, whitewater_surface_figures *figures, sp_error *err)
{
    const size_t n = surface_count_old(foam);
    const float *radius = spread_radii(s, foam);
    sp_foam_world w = {.bulk = world->bulk, .solids = world->solids};
    d->lost = sp_scratch_array(&s->scratch, uint8_t, n);
    for (int a = 0; a < 3; ++a) {
        w.gravity[a] = world->gravity[a];
        d->before[a] = sp_scratch_array(&s->scratch, float, n);
        if (!d->before[a]) return no_memory(n, err);
        memcpy(d->before[a], foam->v[a], n * sizeof(float));
    }
    if (!radius || !d->lost) return no_memory(n, err);
    memset(d->lost, 0, n);
    const sp_foam_particles p = particles_of(foam, n, radius, d->lost);
    SP_TRY(sp_foam_step(s->foam, &w, &p, world->t, world->dt, &figures->foam, err));
    surface_warn_of_foam(s, foam, &figures->foam);
    return SP_OK;
}

sp_status surface_neighbours(whitewater_surface *s, const whitewater_set *foam,
                             const uint32_t **count, sp_error *err)
{
    const size_t n = foam->set.count;
    const float *radius = spread_radii(s, foam);
    uint32_t *neighbours = sp_scratch_array(&s->scratch, uint32_t, n);
    if (!radius || !neighbours) return no_memory(n, err);
    const sp_foam_particles p = particles_of(foam, n, radius, NULL);
    *count = neighbours;
    return sp_foam_neighbours(s->foam, &p, neighbours, err);
}
