// SPDX-License-Identifier: Apache-2.0
// links: validate bulk tiles core
/// Sampling of a moving drop between two moments.
#include "scarce_host.h"
#include "testing.h"
#include "validate/bulk/drop.h"
#include "validation.h"

#include <string.h>

static const double h = 0.05;

static bulk_drop flying(double along_x)
{
    return (bulk_drop){.voxel = (float)h,
                       .radius = (float)(3.0 * h),
                       .from = {0.31, 0.17, -0.42},
                       .velocity = {along_x * h * 24.0, 0, 0},
                       .seconds = 1.0 / 24.0};
}

static void a_flying_drop_keeps_its_place_and_size_between_moments(void **state)
{
    (void)state;
    assert_checks_pass(&sp_validate_bulk, 3);
}

/// The counterexample: blending without advection finds no water half way between the moments.
static void blending_without_moving_loses_the_drop(void **state)
{
    (void)state;
    bulk_drop d = flying(8.0);
    assert_ok(bulk_drop_open(&d, HOST, ERR));
    const float p = (float)(d.from[0] + 4.0 * h - d.moment[0].m.origin[0]);
    const float x[3] = {p, (float)(d.from[1] - d.moment[0].m.origin[1]),
                        (float)(d.from[2] - d.moment[0].m.origin[2])};
    float sum = 0.0f;
    for (int k = 0; k < 2; ++k)
        sum += sp_tiles_sample(&d.moment[k].tiles, d.moment[k].phi, SP_AT_CELLS, d.moment[k].m.band,
                               x, NULL);
    assert_true(0.5f * sum > 0.5f * d.voxel);
    bulk_drop_close(&d);
}

/// At the time of a moment nothing is advected: sampled values are the stored ones, to rounding.
static void sample_at_a_moment_equals_the_moment(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    bulk_drop d = flying(8.0);
    assert_ok(bulk_drop_open(&d, &host, ERR));
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 40; ++i) {
            const sp_bulk_moment *m = &d.moment[k].m;
            const double c = d.from[0] + (k ? 8.0 * h : 0.0);
            const double x = c + (0.21 * i - 4.0) * h, y = d.from[1] + 0.7 * h, z = d.from[2];
            float u[3], phi, slope[3], want_slope[3];
            uint8_t mask;
            const sp_bulk_query q = {.n = 1,
                                     .x = &x,
                                     .y = &y,
                                     .z = &z,
                                     .u = {&u[0], &u[1], &u[2]},
                                     .phi = &phi,
                                     .gradient = {&slope[0], &slope[1], &slope[2]},
                                     .mask = &mask};
            assert_ok(sp_bulk_sample(&d.bulk, &host, m->time, &q, ERR));
            const float p[3] = {(float)(x - m->origin[0]), (float)(y - m->origin[1]),
                                (float)(z - m->origin[2])};
            const float want =
                sp_tiles_sample(m->tiles, m->phi, SP_AT_CELLS, m->band, p, want_slope);
            assert_true(fabsf(phi - want) < 1e-5f * d.voxel);
            for (int a = 0; a < 3; ++a)
                assert_true(fabsf(slope[a] - want_slope[a]) < 1e-4f);
            assert_true(fabsf(u[0] - (float)d.velocity[0]) < 1e-5f && u[1] == 0.0f);
            assert_int_equal(mask, 0);
        }
    bulk_drop_close(&d);
}

/// The gradient equals the difference of samples a millionth of a voxel apart.
static void gradient_is_the_derivative_of_the_sampled_distance(void **state)
{
    (void)state;
    bulk_drop d = flying(0.0); // at rest, so that nothing is advected
    assert_ok(bulk_drop_open(&d, HOST, ERR));
    for (int i = 0; i < 30; ++i) {
        const double step = 0.01 * h, at[3] = {d.from[0] + (0.17 * i - 2.5) * h,
                                               d.from[1] + 0.33 * h, d.from[2] - 0.6 * h};
        double x[4], y[4], z[4];
        float phi[4], slope[3][4];
        for (int k = 0; k < 4; ++k) {
            x[k] = at[0] + (k == 1 ? step : 0.0);
            y[k] = at[1] + (k == 2 ? step : 0.0);
            z[k] = at[2] + (k == 3 ? step : 0.0);
        }
        const sp_bulk_query q = {
            .n = 4, .x = x, .y = y, .z = z, .phi = phi, .gradient = {slope[0], slope[1], slope[2]}};
        assert_ok(sp_bulk_sample(&d.bulk, HOST, 0.3 * d.seconds, &q, ERR));
        for (int a = 0; a < 3; ++a) {
            // along an axis the interpolant is linear until the next cell, where the slope changes
            const double difference = (double)(phi[a + 1] - phi[0]) / step;
            const bool same_cell = slope[a][a + 1] == slope[a][0];
            if (same_cell) assert_true(fabs(difference - (double)slope[a][0]) < 1e-3);
        }
    }
    bulk_drop_close(&d);
}

static void samples_outside_and_without_data_are_flagged(void **state)
{
    (void)state;
    bulk_drop d = flying(0.0);
    assert_ok(bulk_drop_open(&d, HOST, ERR));
    const double x[3] = {d.from[0], d.from[0] + 100.0, (double)NAN}, y[3] = {d.from[1]},
                 z[3] = {d.from[2]};
    float phi[3], aeration[3], u[3][3];
    uint8_t mask[3];
    const sp_bulk_query q = {.n = 3,
                             .x = x,
                             .y = y,
                             .z = z,
                             .u = {u[0], u[1], u[2]},
                             .phi = phi,
                             .aeration = aeration,
                             .mask = mask};
    assert_ok(sp_bulk_sample(&d.bulk, HOST, 0.5 * d.seconds, &q, ERR));
    assert_int_equal(mask[0], 0);
    assert_int_equal(mask[1], SP_BULK_OUTSIDE);
    assert_int_equal(mask[2], SP_BULK_OUTSIDE);
    assert_true(phi[1] == d.moment[0].m.band && aeration[0] == 0.0f && u[0][1] == 0.0f);
    // The first moment has no data at all: samples use the second one alone.
    sp_tile_mask *nothing = calloc(d.moment[0].tiles.count, sizeof *nothing);
    assert_non_null(nothing);
    memset(nothing, 0xff, d.moment[0].tiles.count * sizeof *nothing);
    d.moment[0].m.no_data = (const sp_tile_mask *)nothing;
    assert_ok(sp_bulk_sample(&d.bulk, HOST, 0.5 * d.seconds, &q, ERR));
    assert_int_equal(mask[0], 0);
    assert_ok(sp_bulk_sample(&d.bulk, HOST, 0.0, &q, ERR));
    assert_int_equal(mask[0], SP_BULK_NO_DATA);
    d.moment[1].m.no_data =
        (const sp_tile_mask *)nothing; // at rest, so both moments have the same tiles
    assert_ok(sp_bulk_sample(&d.bulk, HOST, 0.5 * d.seconds, &q, ERR));
    assert_int_equal(mask[0], SP_BULK_NO_DATA);
    free(nothing);
    bulk_drop_close(&d);
}

static void times_outside_the_known_range_are_refused(void **state)
{
    (void)state;
    bulk_drop d = flying(8.0);
    const sp_bulk_query q = {0};
    assert_ok(bulk_drop_open(&d, HOST, ERR));
    assert_fails(sp_bulk_sample(&d.bulk, HOST, -0.1, &q, ERR), SP_BAD_INPUT,
                 "it is known from 0 to 0.0416667 s");
    assert_int_equal(sp_bulk_sample(&d.bulk, HOST, (double)NAN, &q, ERR), SP_BAD_INPUT);
    bulk_drop_close(&d);
    sp_bulk_close(&(sp_bulk){0});
}

enum { MANY = 4000 };
static void samples_do_not_depend_on_threads(void **state)
{
    (void)state;
    static double x[3][MANY];
    static float phi[3][MANY], u[3][MANY];
    for (int n = 1; n <= 3; ++n) {
        const sp_host host = sp_host_default(n);
        bulk_drop d = flying(7.0);
        assert_ok(bulk_drop_open(&d, &host, ERR));
        for (uint32_t i = 0; i < MANY; ++i)
            for (int k = 0; k < 3; ++k)
                x[k][i] =
                    d.from[k] + h * (20.0 * (double)sp_unit(sp_random(1, 2, i, 0, 0).x[k]) - 6.0);
        const sp_bulk_query q = {
            .n = MANY, .x = x[0], .y = x[1], .z = x[2], .phi = phi[n - 1], .u = {u[n - 1]}};
        assert_ok(sp_bulk_sample(&d.bulk, &host, 0.7 * d.seconds, &q, ERR));
        bulk_drop_close(&d);
        assert_memory_equal(phi[n - 1], phi[0], sizeof phi[0]);
        assert_memory_equal(u[n - 1], u[0], sizeof u[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flying_drop_keeps_its_place_and_size_between_moments),
        cmocka_unit_test(blending_without_moving_loses_the_drop),
        cmocka_unit_test(sample_at_a_moment_equals_the_moment),
        cmocka_unit_test(gradient_is_the_derivative_of_the_sampled_distance),
        cmocka_unit_test(samples_outside_and_without_data_are_flagged),
        cmocka_unit_test(times_outside_the_known_range_are_refused),
        cmocka_unit_test(samples_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
