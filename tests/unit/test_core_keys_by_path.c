// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// A def filled by key paths equals the def filled in C, and bad paths and values are refused by
/// name.
#include "test_pond.h"

#include <string.h>

static sp_host host;
static sp_pond_def def;
static sp_fill fill;

static int begin(void **state)
{
    (void)state;
    host = sp_host_default(1);
    def = sp_pond_defaults();
    fill = (sp_fill){.host = &host, .keys = &sp_pond_keys, .def = &def};
    return 0;
}

static int end(void **state)
{
    (void)state;
    sp_fill_close(&fill);
    return 0;
}

static void paths_lead_into_lists_and_options(void **state)
{
    (void)state;
    assert_ok(sp_fill_number(&fill, "nx", 32, ERR));
    assert_ok(sp_fill_number(&fill, "coalescence", 0, ERR));
    assert_ok(sp_fill_word(&fill, "vortex_model", "paper", ERR));
    assert_ok(sp_fill_list(&fill, "heaters", 2, ERR));
    assert_ok(sp_fill_number(&fill, "heaters[1].rate", 55, ERR));
    assert_ok(sp_fill_option(&fill, "heaters[1].path", ERR));
    assert_ok(sp_fill_option(&fill, "heaters[1].path.circle", ERR));
    assert_ok(sp_fill_number(&fill, "heaters[1].path.circle.period", -3, ERR));
    assert_ok(sp_fill_list(&fill, "input", 1, ERR));
    assert_ok(sp_fill_word(&fill, "input[0].key", "foam_life", ERR));
    assert_true(def.nx == 32 && !def.coalescence && def.vortex_model == SP_POND_PAPER);
    assert_true(def.heater_count == 2 && def.heaters[1].rate == 55.0f && def.heaters[0].on);
    assert_true(def.heaters[0].path == NULL && def.heaters[1].path->circle->period == -3.0f);
    assert_string_equal(def.input[0].key, "foam_life");
}

static void words_are_single_or_in_fours(void **state)
{
    (void)state;
    assert_ok(sp_fill_word(&fill, "boundary", "open", ERR));
    assert_ok(sp_fill_word(&fill, "boundary[2]", "reflect", ERR));
    const int expected[] = {SP_POND_OPEN, SP_POND_OPEN, SP_POND_REFLECT, SP_POND_OPEN};
    assert_memory_equal(def.boundary, expected, sizeof expected);
}

static void heights_are_a_number_or_rows(void **state)
{
    (void)state;
    assert_ok(sp_fill_number(&fill, "ground", 0.05, ERR));
    assert_true(def.ground.constant == 0.05f && !def.ground.values);
    float *values = sp_fill_heights(&fill, "ground", 3, 2, NULL);
    assert_non_null(values);
    values[5] = 0.1f;
    assert_true(def.ground.values[5] == 0.1f && def.ground.width == 3 && def.ground.height == 2);
}

static void bad_paths_and_values_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *path, *says;
        double value;
    } numbers[] = {
        {"foam_lif", "pond.foam_lif: unknown key; did you mean foam_life?", 1},
        {"foam_life", "pond.foam_life: 0 s; expected 0.05 to 60", 0},
        {"nx", "expected a whole number", 30.5},
        {"nx.ny", "no such entry", 1},
        {"heaters[0].rate", "no such entry", 1},
        {"heaters.rate", "no such entry", 1},
        {"heaters", "does not take a number", 1},
        {"vortex_model", "does not take a number", 1},
        {"nx[0]", "does not take a number", 9},
        {"", "not the path of a key", 1},
        {"..", "not the path of a key", 1},
        {"heaters[", "not the path of a key", 1},
        {"heaters[99999999999]", "not the path of a key", 1},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        assert_fails(sp_fill_number(&fill, numbers[k].path, numbers[k].value, ERR), SP_BAD_INPUT,
                     numbers[k].says);
    assert_fails(sp_fill_word(&fill, "vortex_model", "papre", ERR), SP_BAD_INPUT,
                 "expected bounded or paper");
    assert_fails(sp_fill_word(&fill, "boundary[4]", "open", ERR), SP_BAD_INPUT, "no such entry");
    assert_fails(sp_fill_word(&fill, "nx", "many", ERR), SP_BAD_INPUT, "does not take a word");
    assert_fails(sp_fill_list(&fill, "heaters", 9, ERR), SP_BAD_INPUT,
                 "9 entries; expected 0 to 8");
    assert_fails(sp_fill_list(&fill, "nx", 1, ERR), SP_BAD_INPUT, "is not a list");
    assert_fails(sp_fill_option(&fill, "heaters", ERR), SP_BAD_INPUT, "is not an object");
    assert_null(sp_fill_heights(&fill, "ground", 0, 3, ERR));
    assert_null(sp_fill_heights(&fill, "nx", 3, 3, ERR));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_lead_into_lists_and_options, begin, end),
        cmocka_unit_test_setup_teardown(words_are_single_or_in_fours, begin, end),
        cmocka_unit_test_setup_teardown(heights_are_a_number_or_rows, begin, end),
        cmocka_unit_test_setup_teardown(bad_paths_and_values_are_refused_by_name, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
