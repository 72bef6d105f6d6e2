// SPDX-License-Identifier: Apache-2.0
// links: scene pond
/// Ground heights from pictures and numbers.
#include "test_scene.h"

#include <math.h>

static sp_status open_ground(const char *file, sp_scene **scene, sp_error *err)
{
    static sp_host host;
    host = sp_host_default(1);
    char text[256];
    snprintf(text, sizeof text,
             "{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"ground\": \"%s\",\n"
             "\"ground_scale\": 0.5 } }",
             file);
    return open_text(text, NULL, &host, scene, err);
}

/// Gray 51, 102 and 255 of 255 are 0.2, 0.4 and 1, times the scale 0.5. The black row is at the top
/// of the picture, so it is at large y and comes last. The only error is the rounding of floats.
static void a_picture_is_read_from_above_and_scaled(void **state)
{
    (void)state;
    static const char *const files[] = {"ramp.pgm", "ramp_text.pgm", "ramp.png"};
    static const float expected[] = {0.1f, 0.2f, 0.5f, 0.0f, 0.0f, 0.0f};
    for (int f = 0; f < 3; ++f) {
        sp_scene *scene;
        const sp_status st = open_ground(files[f], &scene, ERR);
        if (st == SP_UNSUPPORTED) continue;
        assert_ok(st);
        const sp_heights *ground = &pond_of(scene)->ground;
        assert_true(ground->width == 3 && ground->height == 2);
        for (int i = 0; i < 6; ++i)
            assert_true(fabsf(ground->values[i] - expected[i]) < 1e-7f);
        assert_string_equal(strrchr(ground->file, '/') + 1, files[f]);
        sp_scene_close(scene);
    }
}

/// 13107 and 26214 of 65535 are one and two fifths; eight bits could not represent them this
/// precisely.
static void sixteen_bit_heights_keep_their_precision(void **state)
{
    (void)state;
    static const char *const files[] = {"ramp16.pgm", "ramp16.png"};
    static const float expected[] = {0.2f, 0.5f, 0.0f, 0.1f};
    for (int f = 0; f < 2; ++f) {
        sp_scene *scene;
        const sp_status st = open_ground(files[f], &scene, ERR);
        if (st == SP_UNSUPPORTED) continue;
        assert_ok(st);
        for (int i = 0; i < 4; ++i)
            assert_true(fabsf(pond_of(scene)->ground.values[i] - expected[i]) < 1e-7f);
        sp_scene_close(scene);
    }
}

static void coloured_picture_uses_the_mean_of_its_channels(void **state)
{
    (void)state;
    sp_scene *scene;
    const sp_status st = open_ground("rgb.png", &scene, ERR);
    if (st == SP_UNSUPPORTED) skip();
    assert_ok(st);
    assert_true(fabsf(pond_of(scene)->ground.values[0] - 0.1f) < 1e-7f);
    assert_true(fabsf(pond_of(scene)->ground.values[1] - 0.5f) < 1e-7f);
    sp_scene_close(scene);
}

static void a_picture_resolves_to_rows_of_numbers(void **state)
{
    (void)state;
    sp_scene *scene;
    assert_ok(open_ground("ramp.pgm", &scene, ERR));
    char *text;
    assert_ok(sp_scene_resolved(scene, &text, ERR));
    assert_non_null(strstr(text, "[0.1, 0.2, 0.5],\n      [0, 0, 0]\n"));
    assert_null(strstr(text, "ramp.pgm"));
    sp_release(scene->host, text);
    sp_scene_close(scene);
}

static void a_broken_picture_is_refused_with_its_name(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"huge.pgm", "9999999 x 9999999 samples; expected"},
        {"short.pgm", "cut short"},
        {"huge.png", "a broken PNG"},
        {"short.png", "a broken PNG"},
        {"empty.png", "67 bytes cannot hold 4000 x 4000 pixels"},
        {"nowhere.png", "No such file or directory"},
        {"../scenes", "Is a directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene *scene;
        const sp_status st = open_ground(rows[i][0], &scene, ERR);
        if (st == SP_UNSUPPORTED) continue;
        assert_int_not_equal(st, SP_OK);
        assert_null(scene);
        if (!strstr(ERR->text, rows[i][0]) || !strstr(ERR->text, rows[i][1]) ||
            strncmp(ERR->text, "scenes/test.json:1: pond.ground: ", 33) != 0)
            fail_msg("\"%s\"", ERR->text);
    }
}

/// A picture whose header claims a huge size is refused before any allocation.
static void huge_picture_is_refused_before_allocating(void **state)
{
    (void)state;
    static const char *const files[] = {"huge.pgm", "huge.png", "empty.png"};
    for (int f = 0; f < 3; ++f) {
        const sp_host inner = sp_host_default(1);
        sp_budget budget;
        const sp_host host = sp_budget_host(&budget, &inner, 0);
        char text[128];
        snprintf(text, sizeof text,
                 "{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"ground\": \"%s\" } }",
                 files[f]);
        sp_scene *scene;
        assert_int_not_equal(open_text(text, NULL, &host, &scene, ERR), SP_OK);
        assert_true(atomic_load(&budget.peak) < 1u << 20);
        assert_int_equal(atomic_load(&budget.used), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_read_from_above_and_scaled),
        cmocka_unit_test(sixteen_bit_heights_keep_their_precision),
        cmocka_unit_test(coloured_picture_uses_the_mean_of_its_channels),
        cmocka_unit_test(a_picture_resolves_to_rows_of_numbers),
        cmocka_unit_test(a_broken_picture_is_refused_with_its_name),
        cmocka_unit_test(huge_picture_is_refused_before_allocating),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
