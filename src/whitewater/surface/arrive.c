// SPDX-License-Identifier: Apache-2.0
/// Which bubbles have reached the surface: S (|phi| <= r), C (the sign of phi has changed) or above it with a surface
/// near. Those that are above it without one were let in outside the water.
#include "whitewater/surface/internal.h"

typedef struct arriving {
    const whitewater_surface *s;
    whitewater_set *set;
    sp_bulk_view water;
    uint8_t *arrives;
} arriving;

static uint8_t classify(const arriving *a, size_t i, float phi)
{
    uint32_t *state = &a->set->state[i];
    const uint32_t side = phi > 0.0f ? WHITEWATER_ABOVE : 0;
    const bool crossed = !(*state & WHITEWATER_NEW) && (*state & WHITEWATER_ABOVE) != side;
    *state = (*state & ~(uint32_t)(WHITEWATER_ABOVE | WHITEWATER_NEW)) | side;
    if (fabsf(phi) <= a->set->radius[i] || crossed) return 1;
    if (!side) return 0;
    return phi <= a->s->foam_def.max_correction ? 1 : 2;
}

static void classify_block(void *arg, size_t begin, size_t end)
{
    const arriving *a = arg;
    float phi[SURFACE_GRAIN];
    for (size_t k = begin; k < end; k += SURFACE_GRAIN) { // one thread gets all of them at once
        const size_t n = end - k < SURFACE_GRAIN ? end - k : SURFACE_GRAIN;
        const sp_bulk_query query = {.n = n,
                                     .x = a->set->x[0] + k,
                                     .y = a->set->x[1] + k,
                                     .z = a->set->x[2] + k,
                                     .phi = phi};
        sp_bulk_look(&a->water, &query, 0, n);
        for (size_t i = 0; i < n; ++i)
            a->arrives[k + i] = classify(a, k + i, phi[i]);
    }
}

sp_status whitewater_find_arrivals(whitewater_surface *s, const whitewater_world *world,
                                   whitewater_set *bubbles, uint8_t *arrives, sp_error *err)
{
    arriving a = {.s = s, .set = bubbles, .arrives = arrives};
    if (bubbles->set.count == 0) return SP_OK;
    SP_TRY(sp_bulk_view_at(world->bulk, world->t + world->dt, &a.water, err));
    sp_parallel(s->host, bubbles->set.count, SURFACE_GRAIN, classify_block, &a);
    return SP_OK;
}
