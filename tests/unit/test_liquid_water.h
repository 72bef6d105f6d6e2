// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_LIQUID_WATER_H
#define SP_TEST_LIQUID_WATER_H

/// Water made by hand, without a solver: a box of tiles, and particles voxel by voxel.

#include "liquid/particles/seed.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static inline float water_unit(uint64_t id, uint32_t step, int lane)
{
    return sp_unit(sp_random(7, 99, id, step, 0).x[lane]);
}

/// Tiles from `low` to `high` (not included), fields of zeros.
static inline sp_status water_open(liquid *s, const sp_host *host, float voxel,
                                   const int32_t low[3], const int32_t high[3], sp_error *err)
{
    *s = (liquid){.host = host, .seed = 5, .grid = {.voxel = voxel, .band = 4.0f * voxel}};
    s->def = (sp_liquid_def){.voxel = voxel, .particles_per_cell = 8, .cfl = 1.0f};
    int32_t at[64][3];
    size_t n = 0;
    for (int32_t k = low[2]; k < high[2]; ++k)
        for (int32_t j = low[1]; j < high[1]; ++j)
            for (int32_t i = low[0]; i < high[0]; ++i, ++n) {
                at[n][0] = i;
                at[n][1] = j;
                at[n][2] = k;
            }
    s->scratch.host = host;
    SP_TRY(sp_tiles_open(&s->grid.tiles, host, voxel, (const int32_t(*)[3])at, n, err));
    bool all = true;
    for (int a = 0; a < 3; ++a) {
        s->grid.u[a] = sp_tiles_field(&s->grid.tiles, 0.0f);
        s->grid.spread[a] = sp_tiles_field(&s->grid.tiles, 0.0f);
        s->grid.known[a] = sp_allocate(host, n, sizeof *s->grid.known[a]);
        all &= s->grid.u[a] && s->grid.spread[a] && s->grid.known[a];
    }
    s->grid.phi = sp_tiles_field(&s->grid.tiles, s->grid.band);
    return all && s->grid.phi ? SP_OK : sp_fail(err, SP_NO_MEMORY, "test: no memory");
}

static inline void water_close(liquid *s)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(s->host, s->grid.u[a]);
        sp_release(s->host, s->grid.spread[a]);
        sp_release(s->host, s->grid.known[a]);
    }
    sp_release(s->host, s->grid.phi);
    liquid_particles_close(&s->particles);
    sp_tiles_close(&s->grid.tiles);
    sp_scratch_close(&s->scratch);
}

/// ---- Stages of the solver, with the arrays of a water ------------------------------------------

static inline void water_gather(liquid *s, float *const u[3], double dt)
{
    liquid_grid_to_particles(&s->particles, &s->grid, &s->def, u, dt);
}
static inline void water_advect(liquid *s, float *const u[3], double dt)
{
    const liquid_lost lost =
        liquid_advect_particles(&s->particles, &s->grid, &s->solids, &s->def, u, dt, &s->scratch);
    s->figures.left += lost.left;
    s->figures.stuck += lost.stuck;
}
static inline void water_reach(const liquid *s, uint32_t *reach)
{
    liquid_reach(&s->particles, &s->grid.tiles, reach);
}
static inline sp_status water_sort(liquid *s, const sp_tiles *from, sp_error *err)
{
    return liquid_sort(&s->particles, from, &s->grid.tiles, &s->scratch, &s->figures.left, err);
}
static inline sp_status water_splat(liquid *s, sp_error *err)
{
    return liquid_particles_to_grid(&s->particles, &s->grid, &s->scratch, err);
}
static inline sp_status water_surface(liquid *s, sp_error *err)
{
    return liquid_phi_from_particles(&s->grid, &s->particles, &s->solids, &s->def, &s->scratch,
                                     err);
}
static inline sp_status water_seed(liquid *s, const sp_tile_mask *wanted, const float v[3],
                                   liquid_keep *keep, const void *arg, uint64_t *count,
                                   sp_error *err)
{
    const liquid_seeder seeder = liquid_seeder_of(s);
    return liquid_seed(&seeder, wanted, v, keep, arg, count, err);
}
static inline sp_status water_reseed(liquid *s, sp_error *err)
{
    const liquid_seeder seeder = liquid_seeder_of(s);
    return liquid_reseed(&seeder, &s->balance, &s->figures, err);
}

/// ---- Water -------------------------------------------------------------------------------------

/// How many particles are in a voxel of the world.
typedef int water_count(const int32_t voxel[3]);

static inline size_t water_pour(liquid *s, water_count *count, bool fill)
{
    liquid_particles *p = &s->particles;
    size_t n = 0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t) {
        if (fill) p->start[t] = (uint32_t)n;
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const int32_t in[3] = {v % 8, v / 8 % 8, v / 64};
            int32_t at[3];
            for (int a = 0; a < 3; ++a)
                at[a] = 8 * s->grid.tiles.at[t][a] + in[a];
            const int here = count(at);
            for (int k = 0; k < here; ++k, ++n)
                for (int a = 0; fill && a < 3; ++a) {
                    p->x[a][n] = (float)in[a] + water_unit(n, 0, a);
                    p->v[a][n] = water_unit(n, 1, a) - 0.5f;
                    p->id[n] = n;
                }
        }
    }
    return n;
}

/// Fills an open water with random particles.
static inline sp_status water_fill(liquid *s, water_count *count, bool affine, sp_error *err)
{
    const size_t n = water_pour(s, count, false);
    s->def.method = affine ? SP_LIQUID_APIC : SP_LIQUID_FLIP;
    SP_TRY(liquid_particles_open(&s->particles, &s->def, s->grid.tiles.count, s->host, err));
    SP_TRY(liquid_particles_reserve(&s->particles, n, err));
    liquid_particles *p = &s->particles;
    (void)sp_particles_append(&p->set, n);
    p->start[s->grid.tiles.count] = (uint32_t)water_pour(s, count, true);
    p->next_id = n;
    for (size_t i = 0; affine && i < n; ++i)
        for (uint32_t c = 0; c < 9; ++c)
            p->c[c][i] = 4.0f * (water_unit(i, 2 + c, 0) - 0.5f);
    return SP_OK;
}

/// The tile that a particle is in, and where it is, in voxels from the origin.
static inline size_t water_place(const liquid *s, size_t n, double at[3])
{
    const liquid_particles *p = &s->particles;
    size_t t = 0;
    while (p->start[t + 1] <= n)
        ++t;
    for (int a = 0; a < 3; ++a)
        at[a] = 8.0 * s->grid.tiles.at[t][a] + (double)p->x[a][n];
    return t;
}

static inline int water_compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/// Particles are sorted by tile and voxel, each is in its tile, and ids are unique and below
/// next_id.
static inline void water_check(const liquid *s)
{
    const liquid_particles *p = &s->particles;
    assert_int_equal(p->start[0], 0);
    assert_int_equal(p->start[s->grid.tiles.count], p->set.count);
    for (size_t t = 0; t < s->grid.tiles.count; ++t) {
        uint32_t last = 0;
        for (uint32_t n = p->start[t]; n < p->start[t + 1]; ++n) {
            for (int a = 0; a < 3; ++a)
                assert_true(p->x[a][n] >= 0.0f && p->x[a][n] < 8.0f);
            const uint32_t v = sp_point_voxel(p->x[0][n], p->x[1][n], p->x[2][n]);
            assert_true(v >= last);
            last = v;
        }
    }
    uint64_t *ids = malloc((p->set.count + 1) * sizeof *ids);
    assert_non_null(ids);
    memcpy(ids, p->id, p->set.count * sizeof *ids);
    qsort(ids, p->set.count, sizeof *ids, water_compare_ids);
    for (size_t n = 1; n < p->set.count; ++n)
        assert_true(ids[n] > ids[n - 1]);
    if (p->set.count) assert_true(ids[p->set.count - 1] < p->next_id);
    free(ids);
}

static inline uint64_t water_hash(const liquid *s)
{
    uint64_t hash = sp_hash(0, s->particles.id, s->particles.set.count * sizeof(uint64_t));
    for (int a = 0; a < 3; ++a) {
        hash = sp_hash(hash, s->particles.x[a], s->particles.set.count * sizeof(float));
        hash = sp_hash(hash, s->particles.v[a], s->particles.set.count * sizeof(float));
    }
    return hash;
}

/// The hash of `run` is the same on any number of threads.
typedef uint64_t water_run(const sp_host *host);
static inline void water_same_on_threads(water_run *run)
{
    static const int threads[] = {1, 2, 3, 5};
    uint64_t first = 0;
    for (int n = 0; n < 4; ++n) {
        const sp_host host = sp_host_default(threads[n]);
        const uint64_t hash = run(&host);
        if (n == 0) first = hash;
        assert_true(hash == first);
    }
}

#endif
