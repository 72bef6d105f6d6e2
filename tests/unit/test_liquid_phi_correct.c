// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "test_liquid_water.h"

static const double level = 14.5; // voxels

static bool below_level(const void *arg, const double p[3])
{
    (void)arg;
    return p[1] < level;
}

/// Mean height of the surface over 64 columns in the middle, voxels: the zero of linear
/// interpolation between voxel centres.
static double height_of(const liquid *s)
{
    double sum = 0.0;
    for (int32_t n = 0; n < 64; ++n)
        for (int32_t j = 8; j < 24; ++j) {
            const float low = sp_tiles_value(&s->grid.tiles, s->grid.phi,
                                             (int32_t[3]){12 + n % 8, j, 12 + n / 8}, s->grid.band);
            const float high =
                sp_tiles_value(&s->grid.tiles, s->grid.phi,
                               (int32_t[3]){12 + n % 8, j + 1, 12 + n / 8}, s->grid.band);
            if (!(low < 0.0f && high >= 0.0f)) continue;
            sum += j + 0.5 + (double)(low / (low - high));
        }
    return sum / 64.0;
}

static void lift(liquid *s, float by)
{
    for (size_t i = 0; i < s->particles.set.count; ++i)
        s->particles.x[1][i] += by;
    assert_ok(water_sort(s, &s->grid.tiles, ERR));
}

/// The same particles are lifted by a tenth of a voxel ten times. The surface rises by as much, to
/// 0.02 voxel (particles are not a half-space); without the correction it lags by up to 0.05. It
/// does not jump either when voxels right above it get their first particles and those below become
/// deep.
static void surface_follows_a_rising_pool_evenly(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    uint64_t count = 0;
    double least = 1e9, most = -1e9;
    assert_ok(water_open(&s, &host, 1.0f, (int32_t[3]){0, 0, 0}, (int32_t[3]){4, 4, 4}, ERR));
    assert_ok(liquid_particles_open(&s.particles, &s.def, s.grid.tiles.count, s.host, ERR));
    sp_tile_mask *all = malloc(s.grid.tiles.count * sizeof *all);
    memset(all, 0xff, s.grid.tiles.count * sizeof *all);
    assert_ok(
        water_seed(&s, (const sp_tile_mask *)all, (float[3]){0}, below_level, NULL, &count, ERR));
    for (int n = 0; n < 10; ++n) {
        assert_ok(water_surface(&s, ERR));
        liquid_phi_correct(&s.grid, &s.def);
        const double off = height_of(&s) - level - 0.1 * n;
        least = fmin(least, off);
        most = fmax(most, off);
        lift(&s, 0.1f);
    }
    assert_true(fabs(0.5 * (least + most)) < 0.05);
    assert_true(most - least < 0.02);
    free(all);
    water_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_follows_a_rising_pool_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
