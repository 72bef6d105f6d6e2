// SPDX-License-Identifier: Apache-2.0
/// Sorts particles by cell, copies them in that order ("places"), and finds their neighbours.
#include "sph/internal.h"

static void widen(float low[3], float high[3], const float from[3], const float to[3])
{
    for (int c = 0; c < 3; ++c) {
        low[c] = fminf(low[c], from[c]);
        high[c] = fmaxf(high[c], to[c]);
    }
}

/// The box around all particles and walls, rounded outwards to a coarse grid so that it seldom changes:
/// walls at rest are sorted again only when it changes.
static sp_status find_box(const sph *s, float reach, float low[3], float high[3], sp_error *err)
{
    const sph_phase *const phases[2] = {&s->liquid, &s->air};
    for (int c = 0; c < 3; ++c) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (int p = 0; p < 2; ++p) {
        const float *const x[3] = {phases[p]->x[0], phases[p]->x[1], phases[p]->x[2]};
        float from[3], to[3];
        if (phases[p]->set.count == 0) continue;
        SP_TRY(sp_bounds(s->host, 3, phases[p]->set.count, x, from, to, err));
        widen(low, high, from, to);
    }
    if (s->walls.count > 0) widen(low, high, s->walls.low, s->walls.high);
    const bool any = low[0] <= high[0];
    const float coarse = 8.0f * reach;
    for (int c = 0; c < 3; ++c) {
        low[c] = any ? coarse * floorf(low[c] / coarse) : 0.0f;
        high[c] = any ? coarse * (floorf(high[c] / coarse) + 1.0f) : coarse;
    }
    const float *const x[3] = {s->liquid.x[0], s->liquid.x[1], s->liquid.x[2]};
    sp_bounds_trim(3, s->liquid.set.count, x, reach, 0x1p31, 0x1p20, low, high);
    return SP_OK;
}

static void copy_places(void *arg, size_t begin, size_t end)
{
    sph_phase *p = arg;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = p->cells.order[k];
        for (size_t c = 0; c < 3; ++c) {
            p->at[4 * k + c] = p->a[c][k] = p->x[c][i];
            p->vel[4 * k + c] = p->v[c][i];
        }
        memcpy(p->vel + 4 * k + 3, p->tag + i, sizeof *p->tag);
        p->ahead[4 * k + 3] = 0.0f;
    }
}

static void count_up(void *arg, size_t begin, size_t end)
{
    uint32_t *order = arg;
    for (size_t k = begin; k < end; ++k)
        order[k] = (uint32_t)k;
}

static sp_status sort_phase(sph *s, sph_phase *p, const sp_lattice *lattice, sp_error *err)
{
    const size_t n = p->set.count;
    const float *const x[3] = {p->x[0], p->x[1], p->x[2]};
    SP_TRY(sph_phase_reserve_places(s, p, err));
    SP_TRY(sp_cells_sort(&p->cells, lattice, n, x, p->id, p->ahead, err));
    if (s->steps % (uint64_t)s->def.sort_every == 0) {
        sp_particles_reorder(&p->set, p->cells.order, p->at);
        sp_parallel(s->host, n, 8 * SPH_CHUNK, count_up, p->cells.order);
    }
    sp_parallel(s->host, n, 4 * SPH_CHUNK, copy_places, p);
    p->cells.x = p->a[0], p->cells.y = p->a[1], p->cells.z = p->a[2];
    return SP_OK;
}

sp_status sph_sort(sph *s, sp_error *err)
{
    const float reach = s->h * (1.0f + s->def.list_skin);
    float low[3], high[3];
    sp_lattice lattice;
    SP_TRY(find_box(s, reach, low, high, err));
    sp_lattice_shape(&lattice, 3, low, high, reach, SP_LATTICE_MOST);
    SP_TRY(sort_phase(s, &s->liquid, &lattice, err));
    SP_TRY(sort_phase(s, &s->air, &lattice, err));
    SP_TRY(sph_air_reserve(s, s->air.set.count, err));
    return sph_walls_sort(s, &lattice, err);
}

sp_status sph_find_neighbours(sph *s, sp_error *err)
{
    const float reach = s->h * (1.0f + s->def.list_skin);
    const sp_cells *water = &s->liquid.cells, *air = &s->air.cells, *walls = &s->walls.cells;
    SP_TRY(sp_lists_make(&s->liquid.lists, water, reach, NULL, err));
    SP_TRY(sp_rows_make(&s->liquid.walls, water, walls, reach, err));
    SP_TRY(sp_lists_make(&s->air.lists, air, reach, NULL, err));
    SP_TRY(sp_rows_make(&s->air.walls, air, walls, reach, err));
    SP_TRY(sp_rows_make(&s->air_data.liquid, air, water, reach, err));
    return sp_rows_make(&s->air_data.reaction, water, air, reach, err);
}
