// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_SPH_TANK_H
#define TEST_SPH_TANK_H

/// Water and air made by hand, without walls: positions, lists and densities as a step needs them.

#include "sph/internal.h"
#include "testing.h"

#include <stdlib.h>

static inline void open_tank(sph *s, const sp_host *host)
{
    *s = (sph){.host = host, .seed = 11, .gravity = {0.0f, -9.81f, 0.0f}, .next_id = 1};
    sp_keys_defaults(&sp_sph_keys, &s->def);
    s->d = s->def.spacing;
    s->h = s->d * s->def.support_ratio;
    assert_ok(sph_phase_open(s, &s->liquid, false, ERR));
    assert_ok(sph_phase_open(s, &s->air, true, ERR));
}

static inline void close_tank(sph *s)
{
    sph_phase_close(&s->liquid);
    sph_phase_close(&s->air);
    sph_air_close(s);
    sp_release(s->host, s->partial);
}

static inline size_t put(sph *s, sph_phase *phase, const float x[3], const float v[3], uint32_t tag)
{
    assert_ok(sph_phase_reserve(phase, phase->set.count + 1, ERR));
    return sph_phase_add(s, phase, x, v, tag);
}

/// Uniform from -1 to 1.
static inline float random_pm(uint64_t id, uint32_t what)
{
    return 2.0f * sp_unit(sp_random(3, 99, id, what, 0).x[0]) - 1.0f;
}

/// n^3 particles on a lattice around the origin, displaced by up to `jitter` spacings and moving at
/// random.
static inline void put_lattice(sph *s, sph_phase *phase, int n, float jitter, float speed)
{
    for (int i = 0; i < n * n * n; ++i) {
        const int at[3] = {i % n, i / n % n, i / n / n};
        float x[3], v[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = s->d * ((float)at[c] - 0.5f * (float)(n - 1) +
                           jitter * random_pm(s->next_id, (uint32_t)c));
            v[c] = speed * random_pm(s->next_id, 3 + (uint32_t)c);
        }
        put(s, phase, x, v, 0);
    }
}

static inline void sort_tank_phase(sph *s, sph_phase *p, const sp_lattice *lattice)
{
    const float *const x[3] = {p->x[0], p->x[1], p->x[2]};
    assert_ok(sph_phase_reserve_places(s, p, ERR));
    assert_ok(sp_cells_sort(&p->cells, lattice, p->set.count, x, p->id, NULL, ERR));
    for (size_t k = 0; k < p->set.count; ++k) {
        const size_t i = p->cells.order[k];
        for (size_t c = 0; c < 3; ++c) {
            p->at[4 * k + c] = p->a[c][k] = p->x[c][i];
            p->vel[4 * k + c] = p->v[c][i];
        }
        memcpy(p->vel + 4 * k + 3, p->tag + i, sizeof *p->tag);
    }
    p->cells.x = p->a[0], p->cells.y = p->a[1], p->cells.z = p->a[2];
}

/// Stages 2 to 5 of a step. Accelerations of the water are zero afterwards.
static inline void arrange_tank(sph *s)
{
    const float low[3] = {-1.0f, -1.0f, -1.0f}, high[3] = {1.0f, 1.0f, 1.0f};
    const float reach = s->h * (1.0f + s->def.list_skin);
    sp_lattice lattice;
    sp_lattice_shape(&lattice, 3, low, high, reach, SP_LATTICE_MOST);
    sort_tank_phase(s, &s->liquid, &lattice);
    sort_tank_phase(s, &s->air, &lattice);
    assert_ok(sph_air_reserve(s, s->air.set.count, ERR));
    assert_ok(sp_lists_make(&s->liquid.lists, &s->liquid.cells, reach, NULL, ERR));
    assert_ok(sp_lists_make(&s->air.lists, &s->air.cells, reach, NULL, ERR));
    assert_ok(sp_rows_make(&s->air_data.liquid, &s->air.cells, &s->liquid.cells, reach, ERR));
    assert_ok(sp_rows_make(&s->air_data.reaction, &s->liquid.cells, &s->air.cells, reach, ERR));
    sp_release(s->host, s->partial);
    s->partial =
        sp_allocate(s->host, SPH_PARTIALS * sph_chunks(s->liquid.set.count + s->air.set.count) + 1,
                    sizeof *s->partial);
    assert_non_null(s->partial);
    sph_density(s);
    for (int c = 0; c < 3; ++c)
        memset(s->liquid.a[c], 0, s->liquid.set.count * sizeof(float));
    sph_find_air_surroundings(s);
}

#endif
