// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "scarce_host.h"
#include "test_liquid_water.h"

#include <stdlib.h>

static const int32_t low[3] = {0, 0, 0}, high[3] = {2, 2, 1};
static const float still[3] = {0};

/// An empty water, and a mask of all its voxels.
static sp_status open_empty(liquid *s, const sp_host *host, bool affine, sp_error *err)
{
    SP_TRY(water_open(s, host, 0.5f, low, high, err));
    s->def.method = affine ? SP_LIQUID_APIC : SP_LIQUID_FLIP;
    return liquid_particles_open(&s->particles, &s->def, s->grid.tiles.count, s->host, err);
}

static const sp_tile_mask *mask(const liquid *s, bool (*wanted)(const int32_t v[3]))
{
    sp_tile_mask *m = calloc(s->grid.tiles.count, sizeof *m);
    assert_non_null(m);
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const int32_t at[3] = {8 * s->grid.tiles.at[t][0] + v % 8,
                                   8 * s->grid.tiles.at[t][1] + v / 8 % 8,
                                   8 * s->grid.tiles.at[t][2] + v / 64};
            if (wanted(at)) m[t][v / 64] |= (uint64_t)1 << v % 64;
        }
    return (const sp_tile_mask *)m; // -Wpedantic needs the cast
}

static void free_mask(const sp_tile_mask *m)
{
    free((void *)(uintptr_t)m);
}

static bool everywhere(const int32_t v[3])
{
    (void)v;
    return true;
}

static bool some(const int32_t v[3])
{
    return (v[0] + 3 * v[1] + 5 * v[2]) % 4 == 0;
}

static bool others(const int32_t v[3])
{
    return (v[0] + v[1]) % 2 == 0;
}

/// Every voxel gets the requested number, one in each of its parts. A second fill comes behind the
/// particles that were there.
static void every_voxel_gets_the_requested_particle_count(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const int32_t per_cell[] = {1, 8, 27};
    for (int n = 0; n < 3; ++n) {
        liquid s;
        uint64_t count = 0;
        assert_ok(open_empty(&s, &host, false, ERR));
        s.def.particles_per_cell = per_cell[n];
        const sp_tile_mask *first = mask(&s, some), *second = mask(&s, others);
        assert_ok(water_seed(&s, first, still, NULL, NULL, &count, ERR));
        assert_int_equal(count, s.grid.tiles.count * 128 * (size_t)per_cell[n]);
        water_check(&s);
        assert_ok(water_seed(&s, second, still, NULL, NULL, &count, ERR));
        assert_int_equal(count, s.grid.tiles.count * 256 * (size_t)per_cell[n]);
        water_check(&s);
        for (size_t t = 0; t < s.grid.tiles.count; ++t) {
            liquid_voxels begin;
            liquid_voxels_of(&s.particles, t, begin);
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                const int times =
                    (int)((first[t][v / 64] >> v % 64 & 1) + (second[t][v / 64] >> v % 64 & 1));
                assert_int_equal(begin[v + 1] - begin[v], times * per_cell[n]);
                for (uint32_t p = begin[v] + 1; p < begin[v + 1]; ++p)
                    assert_true(s.particles.id[p] > s.particles.id[p - 1]);
            }
        }
        free_mask(first);
        free_mask(second);
        water_close(&s);
    }
}

/// On a lattice all distances between neighbours along an axis are equal. With jitter of +-0.4 of
/// the spacing, differences spread by sqrt(2/3)*0.4 = 0.33 of it, so only about one in eight is
/// within 0.05 of the spacing. No two particles are nearer than 0.2.
static void seeding_is_jittered_without_clumps(void **state)
{
    (void)state;
    liquid s;
    uint64_t count = 0;
    assert_ok(open_empty(&s, HOST, false, ERR));
    const sp_tile_mask *all = mask(&s, everywhere);
    assert_ok(water_seed(&s, all, still, NULL, NULL, &count, ERR));
    size_t pairs = 0, regular = 0;
    for (size_t n = 0; n + 1 < count; n += 2) { // places 2n and 2n + 1 are neighbours along x
        const float dx = 2.0f * (s.particles.x[0][n + 1] - s.particles.x[0][n]);
        assert_true(dx > 0.199f && dx < 1.801f);
        ++pairs;
        regular += fabsf(dx - 1.0f) < 0.05f;
    }
    assert_true((double)regular / (double)pairs < 0.15);
    assert_true((double)regular / (double)pairs > 0.09);
    free_mask(all);
    water_close(&s);
}

static bool left_half(const void *arg, const double p[3])
{
    return p[0] < *(const double *)arg;
}

/// Filtered places get no particles; ids and places of the others do not depend on the filter.
static void filter_limits_where_particles_are_seeded(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid all, some_of;
    uint64_t count = 0, fewer = 0;
    const double half = 1e6 + 4.1;
    assert_ok(open_empty(&all, &host, false, ERR));
    assert_ok(open_empty(&some_of, &host, false, ERR));
    some_of.grid.origin[0] = all.grid.origin[0] = 1e6;
    const sp_tile_mask *m = mask(&all, everywhere);
    assert_ok(water_seed(&all, m, still, NULL, NULL, &count, ERR));
    assert_ok(water_seed(&some_of, m, still, left_half, &half, &fewer, ERR));
    water_check(&some_of);
    size_t n = 0;
    for (size_t p = 0; p < count; ++p) {
        double at[3];
        (void)water_place(&all, p, at);
        if (!(1e6 + 0.5 * at[0] < half)) continue;
        assert_true(n < fewer && some_of.particles.id[n] == all.particles.id[p]);
        assert_true(some_of.particles.x[0][n] == all.particles.x[0][p]);
        ++n;
    }
    assert_int_equal(n, fewer);
    assert_true(some_of.particles.next_id == all.particles.next_id);
    free_mask(m);
    water_close(&all);
    water_close(&some_of);
}

/// A wall across a tile: nothing is seeded in the wall, nor in a tile that is solid.
static void nothing_is_seeded_in_solids(void **state)
{
    (void)state;
    liquid s;
    uint64_t count = 0;
    assert_ok(open_empty(&s, HOST, false, ERR));
    uint32_t rows[4] = {0, SP_FLOW_TILE_SOLID, SP_FLOW_TILE_OPEN, SP_FLOW_TILE_OPEN};
    sp_solid_tile *cut = calloc(1, sizeof *cut);
    sp_flow_escape *escape = calloc(1, sizeof *escape);
    for (int n = 0; n < SP_TILE_CORNERS; ++n) // a plane at 3.3 voxels
        cut->psi[n] = s.grid.voxel * ((float)(n % 9) - 3.3f);
    s.solids = (sp_flow_solids){.row = rows, .tile = cut, .escape = escape};
    const sp_tile_mask *m = mask(&s, everywhere);
    assert_ok(water_seed(&s, m, still, NULL, NULL, &count, ERR));
    water_check(&s);
    const uint32_t *start = s.particles.start;
    assert_int_equal(start[2], start[1]);
    assert_int_equal(start[4] - start[2], 2 * 8 * SP_TILE_VOXELS);
    for (uint32_t p = 0; p < start[1]; ++p)
        assert_true(s.particles.x[0][p] > 3.2999f);
    // 4.7 of 8 voxels are open; places are random within sub-voxels of half a voxel
    assert_true(abs((int)start[1] - (int)(4.7 * 64 * 8)) < 64 * 2);
    free_mask(m);
    free(cut);
    free(escape);
    s.solids = (sp_flow_solids){0};
    water_close(&s);
}

/// Where the grid's velocity is linear, new particles have exactly it, and its slopes for APIC.
/// Values are up to 30 m/s, which floats hold to 2e-6, and slopes are differences of them across
/// half a metre: 1e-4 leaves room for ten of those.
static void new_particles_take_the_grid_velocity(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    uint64_t count = 0;
    const double c[9] = {1.0, -2.0, 0.5, 0.25, 1.5, -1.0, 3.0, 0.75, -2.5};
    assert_ok(open_empty(&s, &host, true, ERR));
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n) {
            const int32_t *tile = s.grid.tiles.at[n / 512];
            const int in[3] = {(int)(n % 8), (int)(n / 8 % 8), (int)(n % 512 / 64)};
            double u = 0.25;
            for (int b = 0; b < 3; ++b)
                u += c[3 * a + b] * 0.5 * (8 * tile[b] + in[b] + (a == b ? 0.0 : 0.5));
            s.grid.u[a][n] = (float)u;
        }
    const sp_tile_mask *m = mask(&s, some);
    assert_ok(water_seed(&s, m, NULL, NULL, NULL, &count, ERR));
    for (size_t p = 0; p < count; ++p) {
        double at[3];
        (void)water_place(&s, p, at);
        bool inside = true; // where no tile is missing
        for (int a = 0; a < 3; ++a)
            inside &= at[a] > 0.5 && at[a] < 8.0 * high[a] - 1.0;
        for (int a = 0; inside && a < 3; ++a) {
            double u = 0.25;
            for (int b = 0; b < 3; ++b) {
                u += c[3 * a + b] * 0.5 * at[b];
                assert_true(fabs((double)s.particles.c[3 * a + b][p] - c[3 * a + b]) < 1e-4);
            }
            assert_true(fabs((double)s.particles.v[a][p] - u) < 1e-4);
        }
    }
    free_mask(m);
    water_close(&s);
}

static uint64_t hash_of_seeds(const sp_host *host)
{
    liquid s;
    uint64_t count = 0;
    const double half = 3.3;
    assert_ok(open_empty(&s, host, false, ERR));
    const sp_tile_mask *first = mask(&s, some), *second = mask(&s, others);
    assert_ok(water_seed(&s, first, still, left_half, &half, &count, ERR));
    assert_ok(water_seed(&s, second, NULL, NULL, NULL, &count, ERR));
    const uint64_t hash = water_hash(&s);
    free_mask(first);
    free_mask(second);
    water_close(&s);
    return hash;
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    water_same_on_threads(hash_of_seeds);
}

static sp_status seed_alone(const sp_host *host, sp_error *err)
{
    liquid s;
    uint64_t count = 0;
    sp_status status = open_empty(&s, host, false, err);
    sp_tile_mask rows[4];
    memset(rows, 0x55, sizeof rows);
    const sp_tile_mask *m = (const sp_tile_mask *)rows;
    if (status == SP_OK) status = water_seed(&s, m, still, NULL, NULL, &count, err);
    if (status == SP_OK) status = water_seed(&s, m, still, NULL, NULL, &count, err);
    water_close(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_voxel_gets_the_requested_particle_count),
        cmocka_unit_test(seeding_is_jittered_without_clumps),
        cmocka_unit_test(filter_limits_where_particles_are_seeded),
        cmocka_unit_test(nothing_is_seeded_in_solids),
        cmocka_unit_test(new_particles_take_the_grid_velocity),
        cmocka_unit_test(results_do_not_depend_on_threads),
        test_failing_allocations(seed_alone, 1, 20),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
