// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/keys/keys.h"
#include "testing.h"

#include <math.h>
#include <string.h>

typedef struct jet {
    float rate;
} jet;

typedef struct light {
    float power;
} light;

typedef struct basin {
    int32_t cells;
    float edge;
    double level;
    uint64_t seed;
    bool open;
    int side;
    int walls[4];
    float wind[3], down[3];
    sp_heights ground;
    const char *title;
    light sun;
    const light *lamp;
    const jet *jets;
    size_t jet_count;
} basin;

static const char *const sides[] = {"reflect", "open", NULL};
static const sp_key jet_keys[] = {
    {.name = "rate",
     .type = SP_KEY_F32,
     .offset = offsetof(jet, rate),
     .unit = "1/s",
     .value = 3,
     .max = 100},
};
static const sp_keys jets = {"jet", jet_keys, 1, sizeof(jet)};
static const sp_key light_keys[] = {
    {.name = "power",
     .type = SP_KEY_F32,
     .offset = offsetof(light, power),
     .unit = "W",
     .value = 60,
     .max = 1000},
};
static const sp_keys lights = {"light", light_keys, 1, sizeof(light)};
static const sp_key basin_keys[] = {
    {.name = "cells",
     .type = SP_KEY_I32,
     .offset = offsetof(basin, cells),
     .value = 50,
     .min = 4,
     .max = 4096},
    {.name = "edge",
     .type = SP_KEY_F32,
     .offset = offsetof(basin, edge),
     .unit = "m",
     .value = (double)NAN,
     .min = 0.001,
     .max = 10},
    {.name = "level",
     .type = SP_KEY_F64,
     .offset = offsetof(basin, level),
     .unit = "m",
     .value = 0.25,
     .max = (double)INFINITY},
    {.name = "seed", .type = SP_KEY_U64, .offset = offsetof(basin, seed), .value = 7, .max = 9e15},
    {.name = "open", .type = SP_KEY_BOOL, .offset = offsetof(basin, open), .value = 1, .max = 1},
    {.name = "side",
     .type = SP_KEY_CHOICE,
     .offset = offsetof(basin, side),
     .value = 1,
     .max = 1,
     .choices = sides},
    {.name = "walls",
     .type = SP_KEY_CHOICES,
     .offset = offsetof(basin, walls),
     .value = 1,
     .max = 1,
     .choices = sides},
    {.name = "wind",
     .type = SP_KEY_VEC3,
     .offset = offsetof(basin, wind),
     .unit = "m/s",
     .value = 0.5,
     .min = -9,
     .max = 9},
    {.name = "down",
     .type = SP_KEY_VEC3,
     .offset = offsetof(basin, down),
     .vector = (const float[]){0.0f, -1.0f, 0.5f},
     .min = -1,
     .max = 1},
    {.name = "ground",
     .type = SP_KEY_HEIGHTS,
     .offset = offsetof(basin, ground),
     .unit = "m",
     .value = -1,
     .min = -100,
     .max = 100},
    {.name = "title", .type = SP_KEY_TEXT, .offset = offsetof(basin, title)},
    {.name = "sun", .type = SP_KEY_OBJECT, .offset = offsetof(basin, sun), .items = &lights},
    {.name = "lamp", .type = SP_KEY_OPTION, .offset = offsetof(basin, lamp), .items = &lights},
    {.name = "jets",
     .type = SP_KEY_LIST,
     .offset = offsetof(basin, jets),
     .count_offset = offsetof(basin, jet_count),
     .max = 2,
     .items = &jets},
};
static const sp_keys keys = {"basin", basin_keys, sizeof basin_keys / sizeof *basin_keys,
                             sizeof(basin)};

static basin good(void)
{
    basin b;
    sp_keys_defaults(&keys, &b);
    b.edge = 0.01f;
    return b;
}

static void defaults_fill_every_kind_of_field(void **state)
{
    (void)state;
    basin b;
    memset(&b, 0xaa, sizeof b);
    sp_keys_defaults(&keys, &b);
    assert_int_equal(b.cells, 50);
    assert_true(isnan(b.edge)); // required: there is no default
    assert_true(b.level == 0.25 && b.seed == 7 && b.open && b.side == 1);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(b.walls[i], 1);
    assert_true(b.wind[0] == 0.5f && b.wind[2] == 0.5f && b.ground.constant == -1.0f);
    assert_true(b.down[0] == 0.0f && b.down[1] == -1.0f && b.down[2] == 0.5f);
    assert_true(b.sun.power == 60.0f);
    assert_true(!b.title && !b.lamp && !b.jets && b.jet_count == 0 && !b.ground.values);
}

static void numbers_are_read_and_written_by_key(void **state)
{
    (void)state;
    basin b = good();
    static const char *const names[] = {"cells", "edge", "level", "seed", "open", "side"};
    static const double values[] = {12, 0.5, 1e-3, 99, 0, 0};
    for (size_t i = 0; i < 6; ++i) {
        const sp_key *key = sp_keys_find(&keys, names[i]);
        assert_true(sp_key_is_number(key));
        sp_key_set_number(key, &b, values[i]);
        assert_true(sp_key_get_number(key, &b) == values[i]);
    }
    assert_false(sp_key_is_number(sp_keys_find(&keys, "wind")));
    assert_true(isnan(sp_key_get_number(sp_keys_find(&keys, "wind"), &b)));
    assert_null(sp_keys_find(&keys, "edges"));
}

static void assert_refused(const basin *b, const char *sentence)
{
    assert_int_equal(sp_keys_check(&keys, b, "basin", ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text, sentence);
}

static void values_in_range_pass(void **state)
{
    (void)state;
    static const jet two[] = {{0.0f}, {100.0f}};
    static const light lamp = {1000.0f};
    static const float rows[] = {-100.0f, 100.0f, 0.0f, 1.0f};
    basin b = good();
    b.jets = two;
    b.jet_count = 2;
    b.lamp = &lamp;
    b.ground = (sp_heights){.values = rows, .width = 2, .height = 2};
    assert_ok(sp_keys_check(&keys, &b, "basin", ERR));
}

static void a_refusal_names_path_value_and_what_is_allowed(void **state)
{
    (void)state;
    basin b = good();
    b.edge = NAN;
    assert_refused(&b, "basin.edge: missing; expected 0.001 to 10 m");
    b = good();
    b.edge = 12.0f;
    assert_refused(&b, "basin.edge: 12 m; expected 0.001 to 10");
    b = good();
    b.cells = 3;
    assert_refused(&b, "basin.cells: 3; expected 4 to 4096");
    b = good();
    b.level = (double)NAN;
    assert_refused(&b, "basin.level: nan m; expected at least 0");
    b = good();
    b.wind[1] = -10.0f;
    assert_refused(&b, "basin.wind: -10 m/s; expected -9 to 9");
    b = good();
    b.sun.power = -1.0f;
    assert_refused(&b, "basin.sun.power: -1 W; expected 0 to 1000");
}

static void lists_options_and_ground_are_checked_inside(void **state)
{
    (void)state;
    static const jet three[] = {{1.0f}, {-4.0f}, {1.0f}};
    static const light lamp = {2000.0f};
    static const float rows[] = {0.0f, 101.0f};
    basin b = good();
    b.jets = three;
    b.jet_count = 2;
    assert_refused(&b, "basin.jets[1].rate: -4 1/s; expected 0 to 100");
    b.jet_count = 3;
    assert_refused(&b, "basin.jets: 3 entries; expected 0 to 2");
    b = good();
    b.lamp = &lamp;
    assert_refused(&b, "basin.lamp.power: 2000 W; expected 0 to 1000");
    b = good();
    b.ground = (sp_heights){.values = rows, .width = 2, .height = 1};
    assert_refused(&b, "basin.ground: 101 m; expected -100 to 100");
}

/// A def filled in code holds a number where a scene holds a word; a number without a word is
/// refused.
static void a_choice_without_a_word_is_refused(void **state)
{
    (void)state;
    basin b = good();
    b.side = 2;
    assert_refused(&b, "basin.side: 2; expected reflect or open");
    b.side = -1;
    assert_refused(&b, "basin.side: -1; expected reflect or open");
    b = good();
    b.walls[3] = 5;
    assert_refused(&b, "basin.walls: 5; expected reflect or open");
}

static void misspelt_word_gets_a_suggestion(void **state)
{
    (void)state;
    assert_string_equal(sp_keys_nearest(&keys, "egde"), "edge");
    assert_string_equal(sp_keys_nearest(&keys, "titel"), "title");
    assert_string_equal(sp_keys_nearest(&keys, "cell"), "cells");
    assert_null(sp_keys_nearest(&keys, "quaternion"));
    assert_string_equal(sp_word_nearest(sides, "reflcet"), "reflect");
    assert_null(sp_word_nearest(sides, "periodic"));
    char endless[500];
    memset(endless, 'e', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(sp_keys_nearest(&keys, endless));
}

static void list_of_allowed_values_is_cut_to_fit(void **state)
{
    (void)state;
    char text[8];
    sp_key_allowed(sp_keys_find(&keys, "side"), text, sizeof text);
    assert_string_equal(text, "reflect");
    sp_key_allowed(sp_keys_find(&keys, "open"), text, sizeof text);
    assert_string_equal(text, "true or");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_every_kind_of_field),
        cmocka_unit_test(numbers_are_read_and_written_by_key),
        cmocka_unit_test(values_in_range_pass),
        cmocka_unit_test(a_refusal_names_path_value_and_what_is_allowed),
        cmocka_unit_test(lists_options_and_ground_are_checked_inside),
        cmocka_unit_test(a_choice_without_a_word_is_refused),
        cmocka_unit_test(misspelt_word_gets_a_suggestion),
        cmocka_unit_test(list_of_allowed_values_is_cut_to_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
