// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "test_liquid_water.h"

/// ---- phi rises as particles do -----------------------------------------------------------------

static const double level = 14.5; // voxels

static bool below_level(const void *arg, const double p[3])
{
    (void)arg;
    return p[1] < level;
}

/// Mean height of the surface over 64 columns in the middle, voxels: where straight lines between
/// centres of voxels go through zero.
static double height_of(const liquid *s)
{
    double sum = 0.0;
    for (int32_t n = 0; n < 64; ++n)
        for (int32_t j = 8; j < 24; ++j) {
            const float low =
                sp_tiles_value(&s->tiles, s->phi, (int32_t[3]){12 + n % 8, j, 12 + n / 8}, s->band);
            const float high = sp_tiles_value(&s->tiles, s->phi,
                                              (int32_t[3]){12 + n % 8, j + 1, 12 + n / 8}, s->band);
            if (!(low < 0.0f && high >= 0.0f)) continue;
            sum += j + 0.5 + (double)(low / (low - high));
        }
    return sum / 64.0;
}

static void lift(liquid *s, float by)
{
    sp_error err = {0};
    for (size_t i = 0; i < s->particles.set.count; ++i)
        s->particles.x[1][i] += by;
    assert_int_equal(liquid_sort(s, &s->tiles, &err), SP_OK);
}

/// The same particles a tenth of a voxel higher each time, through all of a voxel: the surface rises
/// by as much, to 0.02 voxel, for particles are no half-space; without straightening it lags by up to
/// 0.05. Nor does it jump as voxels right above it begin to hold particles, though those below become
/// deep then.
static void a_pool_that_rises_is_seen_to_rise_evenly(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    sp_error err = {0};
    uint64_t count = 0;
    double least = 1e9, most = -1e9;
    assert_int_equal(
        water_open(&s, &host, 1.0f, (int32_t[3]){0, 0, 0}, (int32_t[3]){4, 4, 4}, &err), SP_OK);
    assert_int_equal(liquid_particles_open(&s, &err), SP_OK);
    sp_tile_mask *all = malloc(s.tiles.count * sizeof *all);
    memset(all, 0xff, s.tiles.count * sizeof *all);
    assert_int_equal(
        liquid_seed(&s, (const sp_tile_mask *)all, (float[3]){0}, below_level, NULL, &count, &err),
        SP_OK);
    for (int n = 0; n < 10; ++n) {
        assert_int_equal(liquid_surface(&s, &err), SP_OK);
        liquid_straighten(&s);
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

/// ---- Velocity beyond the water -----------------------------------------------------------------

static float field_at(int axis, double x, double y, double z)
{
    return (float)(axis == 0   ? 0.3 * y - 0.1 * x
                   : axis == 1 ? 0.2 * y + 0.05 * z
                               : 0.1 * x + 0.4 * y);
}

/// Faces below row 12 are known; a field that rises evenly goes on as it does, to rounding.
static void the_first_layer_goes_on_as_the_field_does(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    sp_error err = {0};
    uint32_t row[64];
    assert_int_equal(
        water_open(&s, &host, 1.0f, (int32_t[3]){0, 0, 0}, (int32_t[3]){2, 3, 2}, &err), SP_OK);
    for (size_t t = 0; t < s.tiles.count; ++t)
        row[t] = LIQUID_TILE_OPEN;
    s.solid.row = row;
    s.gravity[1] = -9.81f;
    for (size_t t = 0; t < s.tiles.count; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            for (int a = 0; a < 3; ++a) {
                const int32_t *at = s.tiles.at[t];
                const int x = 8 * at[0] + (n & 7), y = 8 * at[1] + (n >> 3 & 7),
                          z = 8 * at[2] + (n >> 6);
                if (y >= 12) continue;
                s.u[a][t * SP_TILE_VOXELS + (size_t)n] = field_at(a, x, y, z);
                s.known[a][t][n >> 6] |= (uint64_t)1 << (n & 63);
            }
    assert_int_equal(liquid_lean(&s, &err), SP_OK);
    for (int32_t n = 0; n < 256; ++n)
        for (int a = 0; a < 3; ++a) {
            const int32_t x = n % 16, z = n / 16;
            const float u = sp_tiles_value(&s.tiles, s.u[a], (int32_t[3]){x, 12, z}, 0.0f);
            const float beyond = sp_tiles_value(&s.tiles, s.u[a], (int32_t[3]){x, 13, z}, 0.0f);
            assert_true(fabsf(u - field_at(a, x, 12, z)) < 1e-5f);
            assert_true(beyond == 0.0f);
        }
    s.solid.row = NULL;
    water_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_that_rises_is_seen_to_rise_evenly),
        cmocka_unit_test(the_first_layer_goes_on_as_the_field_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
