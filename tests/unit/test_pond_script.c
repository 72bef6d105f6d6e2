// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// A session recorded as the input of a def replays bit for bit. Also objects that change while the
/// pond runs: growing obstacles, switched heaters, values of one nozzle or of all.
#include "test_pond.h"

#include <string.h>

enum { FRAMES = 80 };

static const sp_pond_nozzle new_nozzle = {.x = 0.21f,
                                          .y = 0.13f,
                                          .rate = 40,
                                          .radius = 0.004f,
                                          .spread = 0.2f,
                                          .speed = 0.1f,
                                          .on = true};

/// One command of each kind, in the order of steps.
static const sp_pond_input session[] = {
    {.step = 0, .act = SP_POND_SET, .key = "nozzles.rate", .value = 30},
    {.step = 3, .act = SP_POND_ADD_NOZZLE, .nozzle = &new_nozzle},
    {.step = 5, .act = SP_POND_MOVE_HEATER, .x = 0.1f, .y = 0.4f},
    {.step = 5, .act = SP_POND_SET, .key = "heaters[0].bubble_radius", .value = 0.005},
    {.step = 9, .act = SP_POND_MOVE_OBSTACLE, .x = 0.3f, .y = 0.2f},
    {.step = 20, .act = SP_POND_SET, .key = "foam_life", .value = 3},
    {.step = 20, .act = SP_POND_MOVE_NOZZLE, .index = 1, .x = 0.05f, .y = 0.05f},
    {.step = 25, .act = SP_POND_SET, .key = "obstacles[0].shape", .value = SP_POND_BOX},
    {.step = 30, .act = SP_POND_SPLASH, .x = 0.2f, .y = 0.2f, .value = 1e-5},
    {.step = 44, .act = SP_POND_REMOVE_NOZZLE, .index = 0},
    {.step = 50, .act = SP_POND_TAP, .x = 0.25f, .y = 0.3f, .value = 0.05},
    {.step = 60, .act = SP_POND_SET, .key = "heaters.on", .value = 0},
};
enum { DONE = sizeof session / sizeof *session };

/// The call that has the same effect as an input.
static sp_status do_it(sp_pond *pond, const sp_pond_input *in, sp_error *err)
{
    switch ((sp_pond_act)in->act) {
    case SP_POND_SET:
        return sp_pond_set(pond, in->key, in->value, err);
    case SP_POND_MOVE_HEATER:
    case SP_POND_MOVE_OBSTACLE:
    case SP_POND_MOVE_NOZZLE:
        return sp_pond_move(pond, (sp_pond_thing)(in->act - SP_POND_MOVE_HEATER), (size_t)in->index,
                            in->x, in->y, err);
    case SP_POND_ADD_NOZZLE:
        return sp_pond_add_nozzle(pond, in->nozzle, err);
    case SP_POND_REMOVE_NOZZLE:
        return sp_pond_remove_nozzle(pond, (size_t)in->index, err);
    case SP_POND_TAP:
        return sp_pond_tap(pond, in->x, in->y, (float)in->value, err);
    case SP_POND_SPLASH:
        return sp_pond_splash(pond, in->x, in->y, (float)in->value, err);
    }
    return SP_BAD_INPUT;
}

static void a_recorded_session_replays_bit_for_bit(void **state)
{
    (void)state;
    sp_pond_def def = small_busy();
    sp_pond *live = open_pond(&def, NULL), *idle = open_pond(&def, NULL);
    def.input = session;
    def.input_count = DONE;
    sp_pond *replay = open_pond(&def, NULL);
    size_t next = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (; next < DONE && session[next].step == frame; ++next) {
            if (do_it(live, &session[next], ERR) != SP_OK) fail_msg("%zu: %s", next, ERR->text);
        }
        step_frames(live, 1);
        step_frames(replay, 1);
        step_frames(idle, 1);
        // the input of the def is not part of the hash
        assert_int_equal(sp_pond_hash(live), sp_pond_hash(replay));
    }
    assert_int_equal(next, DONE);
    assert_true(sp_pond_hash(live) != sp_pond_hash(idle));
    assert_ok(sp_pond_reset(replay, ERR)); // a reset after the replay works
    sp_pond_close(live);
    sp_pond_close(replay);
    sp_pond_close(idle);
}

static void replay_continues_from_a_saved_state(void **state)
{
    (void)state;
    sp_pond_def def = small_busy();
    def.input = session;
    def.input_count = DONE;
    sp_pond *whole = open_pond(&def, NULL), *resumed = open_pond(&def, NULL);
    static char bytes[1 << 22];
    for (int frame = 0; frame < FRAMES; ++frame) {
        if (frame == 29) { // a box is growing, and the splash is still to come
            const size_t size = sp_pond_save(whole, bytes, sizeof bytes);
            assert_true(size <= sizeof bytes);
            assert_ok(sp_pond_load(resumed, bytes, size, ERR));
        }
        step_frames(whole, 1);
        if (frame >= 29) step_frames(resumed, 1);
    }
    assert_int_equal(sp_pond_hash(whole), sp_pond_hash(resumed));
    sp_pond_close(whole);
    sp_pond_close(resumed);
}

static void refused(sp_pond_input input, const char *says)
{
    const sp_pond_input list[] = {{.step = 3, .act = SP_POND_TAP}, input};
    sp_pond_def def = small_busy();
    def.input = list;
    def.input_count = 2;
    sp_pond *pond;
    assert_int_equal(sp_pond_open(&def, NULL, &pond, ERR), SP_BAD_INPUT);
    assert_null(pond);
    if (!strstr(ERR->text, "pond.input[1]") || !strstr(ERR->text, says))
        fail_msg("\"%s\" does not say pond.input[1] and \"%s\"", ERR->text, says);
}

static void invalid_input_is_refused_at_open(void **state)
{
    (void)state;
    refused((sp_pond_input){.step = 2, .act = SP_POND_TAP}, "expected at least 3");
    refused((sp_pond_input){.step = 4, .act = 99}, "act");
    refused((sp_pond_input){.step = 4, .act = SP_POND_TAP, .value = -1}, "expected at least 0");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SPLASH, .value = 1e6}, "the pond's water");
    refused((sp_pond_input){.step = 4, .act = SP_POND_MOVE_HEATER, .index = 7}, "with this index");
    refused((sp_pond_input){.step = 4, .act = SP_POND_ADD_NOZZLE}, "no nozzle");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET}, "no key");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET, .key = "nx", .value = 9},
            "cannot change");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET, .key = "foam_lif", .value = 9},
            "foam_life");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET, .key = "nozzles[x].on"},
            "expected nozzles.key");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET, .key = "heaters[4].on"},
            "there are 1 heaters");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET, .key = "nozzles.rate", .value = -1},
            "0 to 10000");
    refused((sp_pond_input){.step = 4, .act = SP_POND_SET, .key = "obstacles[0].shape", .value = 4},
            "none");
}

static double number(const sp_pond *pond, const char *key)
{
    double value = -1.0;
    assert_ok(sp_pond_get(pond, key, &value, ERR));
    return value;
}

static void keys_set_one_nozzle_or_all(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, NULL);
    assert_true(pond->nozzle_count > 2);
    const double before = number(pond, "nozzles[1].rate");
    assert_ok(sp_pond_set(pond, "nozzles[2].rate", 12.5, ERR));
    assert_true(number(pond, "nozzles[2].rate") == before); // acts in the next step
    step_frames(pond, 1);
    assert_true(number(pond, "nozzles[2].rate") == 12.5 &&
                number(pond, "nozzles[1].rate") == before);
    assert_ok(sp_pond_set(pond, "nozzles.rate", 3.0, ERR));
    step_frames(pond, 1);
    assert_true(number(pond, "nozzles[2].rate") == 3.0 && number(pond, "nozzles.rate") == 3.0);
    double value;
    assert_int_equal(sp_pond_get(pond, "nozzles[30000].rate", &value, ERR), SP_BAD_INPUT);
    assert_int_equal(sp_pond_set(pond, "nozzles[30000].rate", 1, ERR), SP_BAD_INPUT);
    sp_pond_close(pond);
}

static void heater_that_is_off_makes_no_bubbles(void **state)
{
    (void)state;
    const sp_pond_heater heater = {
        .x = 0.1f, .y = 0.1f, .radius = 0.05f, .rate = 500, .bubble_radius = 0.003f};
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 20;
    def.heaters = &heater;
    def.heater_count = 1;
    sp_pond *pond = open_pond(&def, NULL);
    step_frames(pond, 10);
    assert_int_equal(pond->bubbles.set.count, 0);
    assert_ok(sp_pond_set(pond, "heaters[0].on", 1, ERR));
    step_frames(pond, 10);
    assert_true(pond->bubbles.set.count > 40); // 500/s for a sixth of a second
    sp_pond_close(pond);
}

/// A cylinder grows in 0.3 s where there was none, lifts the ground to just above the water, and
/// sinks again; no water is lost.
static void an_obstacle_grows_and_sinks(void **state)
{
    (void)state;
    const sp_pond_obstacle none = {
        .shape = SP_POND_NONE, .x = 0.2f, .y = 0.2f, .size = 0.04f, .length = 0.08f};
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 40;
    def.obstacles = &none;
    def.obstacle_count = 1;
    sp_pond *pond = open_pond(&def, NULL);
    const int64_t water = sp_pond_statistics(pond).water_quanta;
    const pond_water *w = &pond->water;
    const size_t middle = pond_cell(w, 20, 20);
    step_frames(pond, 5);
    assert_int_equal(w->b[middle], 0);
    assert_true(w->level_ground);
    assert_int_equal(sp_pond_draw_things(pond)->obstacles[7], SP_POND_NONE);

    assert_ok(sp_pond_set(pond, "obstacles[0].shape", SP_POND_CYLINDER, ERR));
    step_frames(pond, 9); // half of 0.3 s
    const float half = sp_pond_draw_things(pond)->obstacles[2];
    assert_true(half > 0.4f * 0.22f && half < 0.6f * 0.22f);
    step_frames(pond, 10);
    assert_float_equal((float)w->b[middle] * w->quantum, 1.1f * def.rest_level, 1e-3f);
    assert_int_equal(sp_pond_draw_things(pond)->obstacles[7], SP_POND_CYLINDER);

    assert_ok(sp_pond_set(pond, "obstacles[0].shape", SP_POND_NONE, ERR));
    step_frames(pond, 20);
    for (size_t c = 0; c < w->cells; ++c)
        assert_int_equal(w->b[c], 0);
    assert_true(w->level_ground);
    assert_int_equal(sp_pond_statistics(pond).water_quanta, water);
    sp_pond_close(pond);
}

static void view_shows_floor_heaters_and_obstacles(void **state)
{
    (void)state;
    static const float ground[] = {0.0f, 0.1f};
    sp_pond_def def = small_busy();
    def.rest_level = 0.2f;
    def.ground = (sp_heights){.values = ground, .width = 2, .height = 1};
    sp_pond *pond = open_pond(&def, NULL);
    const pond_obstacle *o = &pond->obstacles[0];
    assert_ok(sp_pond_move(pond, SP_POND_HEATER, 0, o->x, o->y, ERR));
    step_frames(pond, 1);
    const sp_pond_view *v = sp_pond_draw_things(pond);
    assert_int_equal(v->nozzle_count, pond->nozzle_count);
    assert_float_equal(v->nozzles[0], pond->nozzles[0].def.x, 0.0f);
    assert_true(v->nozzles[3] == 1.0f);
    assert_float_equal(v->heaters[0], pond->heaters[0].x, 0.0f);
    assert_float_equal(v->obstacles[3], pond->obstacles[0].def.size, 0.0f);
    assert_true(v->heaters[2] <= 0.1f); // the floor's height, also under an obstacle
    assert_true(number(pond, "heaters[0].x") ==
                (double)v->heaters[0]); // the current position, not the initial one
    // two values, a quarter in from each side: a slope between them, level outside
    const float *row = v->ground + 5 * (size_t)v->width;
    assert_float_equal(row[0], 0.0f, 1e-6f);
    assert_float_equal(row[v->width / 2], 0.05f, 2e-3f);
    assert_float_equal(row[v->width - 1], 0.1f, 1e-6f);
    sp_pond_close(pond);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorded_session_replays_bit_for_bit),
        cmocka_unit_test(replay_continues_from_a_saved_state),
        cmocka_unit_test(invalid_input_is_refused_at_open),
        cmocka_unit_test(keys_set_one_nozzle_or_all),
        cmocka_unit_test(heater_that_is_off_makes_no_bubbles),
        cmocka_unit_test(an_obstacle_grows_and_sinks),
        cmocka_unit_test(view_shows_floor_heaters_and_obstacles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
