// SPDX-License-Identifier: Apache-2.0
// links: validate ocean bulk core
/// The procedural ocean: its keys, and what it serves as bulk water.
#include "logging_host.h"
#include "ocean/internal.h"
#include "scarce_host.h"
#include "testing.h"
#include "validation.h"

static sp_ocean_def small_sea(void)
{
    sp_ocean_def def;
    sp_keys_defaults(&sp_ocean_keys, &def);
    def.grid = 64;
    return def;
}

/// Skips a test of waves in a build without FFTW.
static void need_fftw(void)
{
    if (sp_ocean_missing()) skip();
}

static void what_keys_do_not_allow_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        double value;
        const char *says;
    } wrong[] = {
        {offsetof(sp_ocean_def, wind), 0.0, "sea.wind: 0 m/s; expected 0.5 to 60"},
        {offsetof(sp_ocean_def, fetch), -1.0, "sea.fetch"},
        {offsetof(sp_ocean_def, depth), (double)NAN, "sea.depth"},
        {offsetof(sp_ocean_def, swell), 1.1, "sea.swell"},
        {offsetof(sp_ocean_def, choppiness), 2.5, "sea.choppiness"},
        {offsetof(sp_ocean_def, whitecap), -0.1, "sea.whitecap"},
        {offsetof(sp_ocean_def, patch), 0.1, "the finest grid has samples"},
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        sp_ocean_def def = small_sea();
        if (strstr(wrong[n].says, "finest")) def.grid = 2048;
        memcpy((char *)&def + wrong[n].offset, &wrong[n].value, sizeof wrong[n].value);
        assert_fails(sp_ocean_check(&def, "sea", ERR), SP_BAD_INPUT, wrong[n].says);
    }
}

static void keys_that_do_not_fit_each_other_are_refused(void **state)
{
    (void)state;
    sp_ocean_def def = small_sea();
    assert_ok(sp_ocean_check(&def, "ocean", ERR));
    def.grid = 300;
    assert_fails(sp_ocean_check(&def, "ocean", ERR), SP_BAD_INPUT,
                 "ocean.grid: 300; expected a power of two");
    def.grid = 128;
    def.cascade_ratio = 8;
    assert_ok(sp_ocean_check(&def, "ocean", ERR));
    def.cascades = 2;
    assert_fails(sp_ocean_check(&def, "ocean", ERR), SP_BAD_INPUT,
                 "ocean.cascade_ratio: 8; expected at most 4 with a grid of 128");
    def.cascade_ratio = 4;
    assert_ok(sp_ocean_check(&def, "ocean", ERR));
    def.high[0] = 10.0f;
    def.high[1] = 1.0f;
    assert_fails(sp_ocean_check(&def, "ocean", ERR), SP_BAD_INPUT, "ocean.low: 0 along z");
    def.high[2] = 10.0f;
    assert_ok(sp_ocean_check(&def, "ocean", ERR));
}

static void a_build_without_fftw_names_what_to_install(void **state)
{
    (void)state;
    const sp_ocean_def def = small_sea();
    sp_bulk bulk;
    if (!sp_ocean_missing()) skip();
    assert_fails(sp_ocean_bulk(&def, 1, HOST, &bulk, ERR), SP_UNSUPPORTED, "install libfftw3-dev");
    sp_bulk_close(&bulk);
}

/// ---- As bulk water -----------------------------------------------------------------------------

static void bounds_are_those_of_the_patch_or_of_the_keys(void **state)
{
    (void)state;
    sp_ocean_def def = small_sea();
    sp_bulk bulk;
    need_fftw();
    def.level = 3.0;
    def.depth = 20.0;
    assert_ok(sp_ocean_bulk(&def, 1, HOST, &bulk, ERR));
    assert_true(bulk.low[0] == 0.0 && bulk.high[0] == 400.0 && bulk.high[2] == 400.0);
    assert_true(bulk.low[1] == -17.0 && bulk.high[1] > 3.0 && bulk.high[1] < 8.0);
    assert_true(bulk.voxel == 6.25f);
    sp_bulk_close(&bulk);
    const float low[3] = {-5, -2, -5}, high[3] = {5, 2, 6};
    memcpy(def.low, low, sizeof low);
    memcpy(def.high, high, sizeof high);
    def.voxel = 0.25;
    assert_ok(sp_ocean_bulk(&def, 1, HOST, &bulk, ERR));
    assert_true(bulk.low[2] == -5.0 && bulk.high[2] == 6.0 && bulk.voxel == 0.25f);
    sp_bulk_close(&bulk);
}

/// Water is below the surface, the distance grows upwards at the rate of its gradient, and points that are no number
/// are outside.
static void distance_is_negative_in_the_water(void **state)
{
    (void)state;
    const sp_ocean_def def = small_sea();
    sp_bulk bulk;
    const double x[4] = {1, 1, 1, (double)NAN}, y[4] = {-30, 30, 30.5, 0}, z[4] = {2, 2, 2, 0};
    float phi[4], up[4], u[4], aeration[4];
    uint8_t mask[4];
    const sp_bulk_query query = {.n = 4,
                                 .x = x,
                                 .y = y,
                                 .z = z,
                                 .u = {NULL, u, NULL},
                                 .phi = phi,
                                 .gradient = {NULL, up, NULL},
                                 .aeration = aeration,
                                 .mask = mask};
    need_fftw();
    assert_ok(sp_ocean_bulk(&def, 1, HOST, &bulk, ERR));
    assert_ok(sp_bulk_sample(&bulk, HOST, 5.0, &query, ERR));
    assert_true(phi[0] < -20.0f && phi[1] > 20.0f && up[0] > 0.5f && up[0] <= 1.0f);
    assert_true(fabsf(phi[2] - phi[1] - 0.5f * up[1]) < 1e-4f);
    assert_true(fabsf(u[0]) < 0.1f && u[1] == u[2] && aeration[0] == 0.0f);
    assert_int_equal(mask[0], 0);
    assert_int_equal(mask[3], SP_BULK_OUTSIDE);
    assert_fails(sp_bulk_sample(&bulk, HOST, 1e12, &query, ERR), SP_BAD_INPUT, "bulk: asked at");
    sp_bulk_close(&bulk);
}

/// A mark in the fields of the first time is still there after the second one, and gone after two others.
static void two_moments_are_kept(void **state)
{
    (void)state;
    const sp_ocean_def def = small_sea();
    sp_bulk bulk;
    need_fftw();
    assert_ok(sp_ocean_bulk(&def, 1, HOST, &bulk, ERR));
    const ocean *o = bulk.user;
    assert_ok(bulk.prepare(bulk.user, 1.0, ERR));
    float *sample = &o->now->plane[0][0][1][0];
    const float was = *sample;
    *sample = 1e6f;
    assert_ok(bulk.prepare(bulk.user, 2.0, ERR));
    assert_ok(bulk.prepare(bulk.user, 1.0, ERR));
    assert_true(o->now->plane[0][0][1][0] == 1e6f);
    assert_ok(bulk.prepare(bulk.user, 3.0, ERR));
    assert_ok(bulk.prepare(bulk.user, 4.0, ERR));
    assert_ok(bulk.prepare(bulk.user, 1.0, ERR));
    assert_true(o->now->plane[0][0][1][0] == was);
    sp_bulk_close(&bulk);
}

static void seeds_give_different_seas(void **state)
{
    (void)state;
    const sp_ocean_def def = small_sea();
    float at[2];
    need_fftw();
    for (uint64_t seed = 0; seed < 2; ++seed) {
        sp_bulk bulk;
        const double x = 10.0, z = 20.0;
        assert_ok(sp_ocean_bulk(&def, seed, HOST, &bulk, ERR));
        assert_ok(bulk.prepare(bulk.user, 1.0, ERR));
        sp_ocean_jacobian(&bulk, &x, &z, &at[seed], 0, 1);
        assert_true(sp_ocean_share_below(&bulk, 10.0f) == 1.0);
        sp_bulk_close(&bulk);
    }
    assert_true(at[0] != at[1]);
}

/// ---- Warnings ----------------------------------------------------------------------------------

static void folds_and_short_patches_are_warned_of(void **state)
{
    (void)state;
    const sp_host host = logging_host(2);
    sp_ocean_def def = small_sea();
    sp_bulk bulk;
    need_fftw();
    assert_ok(sp_ocean_bulk(&def, 1, &host, &bulk, ERR));
    sp_bulk_close(&bulk);
    assert_int_equal(warnings, 0);
    def.patch = 40.0;
    assert_ok(sp_ocean_bulk(&def, 1, &host, &bulk, ERR));
    sp_bulk_close(&bulk);
    assert_non_null(strstr(logged, "ocean patch 40 m holds only part of the 38.2 m peak wave"));
    assert_non_null(strstr(logged, "use patch >= 153 m"));
    clear_log();
    def.patch = 100.0;
    def.grid = 256;
    def.wind = 16.0;
    def.fetch = 5e3;
    def.choppiness = 2.0;
    assert_ok(sp_ocean_bulk(&def, 1, &host, &bulk, ERR));
    const sp_ocean_figures figures = sp_ocean_figures_of(&bulk);
    sp_bulk_close(&bulk);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "ocean folds (J<0) on "));
    assert_non_null(strstr(last_warning, "% of the patch at choppiness 2: using 1."));
    assert_true(figures.choppiness < 2.0 && figures.folded > 0.0);
}

static sp_status open_and_ask(const sp_host *host, sp_error *err)
{
    sp_ocean_def def = small_sea();
    sp_bulk bulk;
    def.grid = 32;
    SP_TRY(sp_ocean_bulk(&def, 1, host, &bulk, err));
    const sp_status status = bulk.prepare(bulk.user, 1.0, err);
    sp_bulk_close(&bulk);
    return status;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    need_fftw();
    scarce_fail_each(open_and_ask, 1, 50);
}

static void checks_pass(void **state)
{
    (void)state;
    assert_checks_pass(&sp_validate_ocean, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_keys_do_not_allow_is_refused),
        cmocka_unit_test(keys_that_do_not_fit_each_other_are_refused),
        cmocka_unit_test(a_build_without_fftw_names_what_to_install),
        cmocka_unit_test(bounds_are_those_of_the_patch_or_of_the_keys),
        cmocka_unit_test(distance_is_negative_in_the_water),
        cmocka_unit_test(two_moments_are_kept),
        cmocka_unit_test(seeds_give_different_seas),
        cmocka_unit_test(folds_and_short_patches_are_warned_of),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(checks_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
