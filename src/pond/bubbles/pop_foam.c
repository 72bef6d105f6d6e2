// SPDX-License-Identifier: Apache-2.0
/// The end of foam, by touch or when its life is over, and of ghosts.
#include "pond/internal.h"

static void pop(sp_pond *pond, size_t i)
{
    const pond_foam *f = &pond->foam;
    pond->gas_out += f->vol[i];
    pond_add_event(pond, SP_POND_POP, f->px[i], f->py[i], f->pz[i], f->r[i]);
    pond_ring_wave(pond, f->px[i], f->py[i], f->r[i], f->vol[i]);
}

int pond_pop_foam(sp_pond *pond, float x, float y, float radius)
{
    pond_foam *f = &pond->foam;
    int popped = 0;
    for (size_t i = 0; i < f->set.count; ++i) {
        const float dx = f->px[i] - x, dy = f->py[i] - y;
        pond->gone[i] = dx * dx + dy * dy <= radius * radius;
        if (!pond->gone[i]) continue;
        pop(pond, i);
        ++popped;
    }
    if (popped > 0) sp_particles_remove(&f->set, pond->gone);
    return popped;
}

/// Ages foam or ghosts, and marks those whose time is over in `gone`.
typedef struct ageing {
    float dt;
    float *left;
    uint8_t *gone;
} ageing;

static void grow_old(void *arg, size_t begin, size_t end)
{
    const ageing *a = arg;
    const float dt = a->dt;
    float *restrict left = a->left;
    uint8_t *restrict gone = a->gone;
    for (size_t i = begin; i < end; ++i) {
        left[i] -= dt;
        gone[i] = left[i] <= 0.0f;
    }
}

void pond_retire(sp_pond *pond, float dt)
{
    pond_foam *f = &pond->foam;
    pond_ghosts *g = &pond->ghosts;
    const size_t n = f->set.count;
    ageing foam = {dt, f->left, pond->gone}, ghosts = {dt, g->left, pond->gone};
    sp_parallel(pond->host, n, 16 * POND_GRAIN, grow_old, &foam);
    for (size_t i = sp_next_marked(pond->gone, 0, n); i < n;
         i = sp_next_marked(pond->gone, i + 1, n))
        pop(pond, i);
    sp_particles_remove(&f->set, pond->gone);
    sp_parallel(pond->host, g->set.count, 16 * POND_GRAIN, grow_old, &ghosts);
    sp_particles_remove(&g->set, pond->gone);
}
