// SPDX-License-Identifier: Apache-2.0
// links: validate whitewater bulk shapes tiles particles core
// Emission refuses what makes no sense, and each of its allocations may fail. What it computes is proven by
// `spume validate whitewater`.
#include "scarce_host.h"
#include "testing.h"
#include "validate/whitewater/emission_case.h"

#include <string.h>

static const sp_box_def box = {{-0.2f, -0.2f, -0.2f}, {0.2f, 0.2f, 0.2f}};
static const sp_emission_source_def source = {
    .shape = {.box = &box}, .kind = SP_SOURCE_FOAM, .rate = 1000.0f, .stop = 1e9f};
static const sp_emission_mask_def mask = {.shape = {.box = &box}, .inside = 0.5f, .outside = 1.0f};

static void list_state(void *state, sp_walk *walk)
{
    whitewater_emission_walk(state, walk);
}

static sp_status restart(emission_case *c, sp_error *err)
{
    sp_blob blob = {.host = c->host};
    sp_blob_save(&blob, list_state, c->emission);
    if (!blob.failed) {
        sp_walk walk = sp_blob_begin(&blob);
        whitewater_emission_walk(c->emission, &walk);
        sp_blob_end(&blob, &walk);
    }
    const sp_status status =
        blob.failed ? sp_fail(err, SP_NO_MEMORY, "no memory to restart") : SP_OK;
    sp_blob_close(&blob);
    return status;
}

/// Two moments with aeration, and a restart.
static sp_status emit(const sp_host *host, sp_error *err)
{
    emission_water water = {.kind = EMISSION_DENTS,
                            .voxel = 0.02f,
                            .half = 1,
                            .deep = 1,
                            .radius = 0.08,
                            .acceleration = {0.0, -20.0, 0.0}};
    emission_case c;
    sp_bulk bulk;
    emission_water_times(&water, 24.0, 4);
    SP_TRY(emission_water_bulk(&water, host, &bulk, err));
    emission_case_clear(&c, &bulk, host);
    c.def.sources = &source;
    c.def.masks = &mask;
    c.def.source_count = c.def.mask_count = 1;
    sp_status status = emission_case_begin(&c, err);
    for (int k = 0; k < 2 && status == SP_OK; ++k)
        status = emission_case_step(&c, 1.0 / 24.0, err);
    if (status == SP_OK) {
        assert_true(c.set[WHITEWATER_BUBBLES].set.count > 0);
        assert_true(c.set[WHITEWATER_FOAM].set.count > 0);
        status = restart(&c, err);
    }
    emission_case_close(&c);
    sp_bulk_close(&bulk);
    return status;
}

static void refuse(const sp_emission_def *def, const sp_aeration_def *aeration, const char *says)
{
    sp_error err;
    assert_int_equal(sp_emission_check(def, aeration, "whitewater", &err), SP_BAD_INPUT);
    assert_non_null(strstr(err.text, says));
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    sp_emission_def def;
    sp_aeration_def aeration;
    sp_emission_source_def both = source;
    sp_keys_defaults(&sp_emission_keys, &def);
    sp_keys_defaults(&sp_aeration_keys, &aeration);
    assert_ok(sp_emission_check(&def, &aeration, "whitewater", ERR));
    aeration.max = 1.0f;
    refuse(&def, &aeration, "whitewater.aeration.min: 1; must be below");
    aeration.max = 30.0f;
    def.radius_max = 0.001f;
    refuse(&def, &aeration, "emission.radius_min");
    def.radius_max = 0.0f;
    both.air = 1.0f;
    def.sources = &both;
    def.source_count = 1;
    refuse(&def, &aeration, "whitewater.emission.sources[0]: both rate and air");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_makes_no_sense),
        test_failing_allocations(emit, 1, 40),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
