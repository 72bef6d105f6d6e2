// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// Commands to a running pond, and its events and samples.
#include "test_pond.h"
#include "validation.h"

#include <float.h>
#include <math.h>
#include <string.h>

static sp_pond *still_pond(void)
{
    sp_pond_def def = pond_proof_basin(20, 30, 0.01f, 0.1f);
    def.dt_frame = 1.0f / 60.0f;
    return open_pond(&def, NULL);
}

static void nan_and_infinity_are_refused_and_change_nothing(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, NULL), *untouched = open_pond(&def, NULL);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; ++k) {
        const float x = bad[k];
        const sp_pond_nozzle nozzle = {.x = x, .y = 0.1f, .rate = 1.0f, .radius = 0.004f};
        assert_fails(sp_pond_tap(pond, x, 0.1f, 0.1f, ERR), SP_BAD_INPUT, "non-finite");
        assert_fails(sp_pond_tap(pond, 0.1f, x, 0.1f, ERR), SP_BAD_INPUT, "non-finite");
        assert_fails(sp_pond_tap(pond, 0.1f, 0.1f, x, ERR), SP_BAD_INPUT, "non-finite");
        assert_fails(sp_pond_splash(pond, x, 0.1f, 1e-6f, ERR), SP_BAD_INPUT, "non-finite");
        assert_fails(sp_pond_splash(pond, 0.1f, 0.1f, x, ERR), SP_BAD_INPUT, "pond");
        assert_fails(sp_pond_move(pond, SP_POND_OBSTACLE, 0, x, 0.1f, ERR), SP_BAD_INPUT,
                     "non-finite");
        assert_fails(sp_pond_add_nozzle(pond, &nozzle, ERR), SP_BAD_INPUT, "pond.nozzles[new].x");
        assert_fails(sp_pond_set(pond, "gravity", (double)x, ERR), SP_BAD_INPUT,
                     "expected 0.1 to 50");
    }
    assert_int_equal(pond->command_count, 0);
    step_frames(pond, 2);
    step_frames(untouched, 2);
    assert_int_equal(sp_pond_hash(pond), sp_pond_hash(untouched));
    sp_pond_close(pond);
    sp_pond_close(untouched);
}

static void unknown_things_and_keys_are_refused(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    assert_fails(sp_pond_move(pond, SP_POND_OBSTACLE, 0, 0.1f, 0.1f, ERR), SP_BAD_INPUT,
                 "with this index");
    assert_fails(sp_pond_move(pond, SP_POND_HEATER, 0, 0.1f, 0.1f, ERR), SP_BAD_INPUT,
                 "with this index");
    assert_fails(sp_pond_move(pond, SP_POND_NOZZLE, 0, 0.1f, 0.1f, ERR), SP_BAD_INPUT,
                 "with this index");
    assert_fails(sp_pond_move(pond, (sp_pond_thing)9, 0, 0.1f, 0.1f, ERR), SP_BAD_INPUT,
                 "with this index");
    assert_fails(sp_pond_remove_nozzle(pond, 0, ERR), SP_BAD_INPUT, "no nozzle 0");
    assert_fails(sp_pond_set(pond, "foam_live", 1.0, ERR), SP_BAD_INPUT, "unknown");
    assert_fails(sp_pond_set(pond, "nx", 20.0, ERR), SP_BAD_INPUT, "pond.nx: cannot change");
    assert_fails(sp_pond_set(pond, "foam_life", 61.0, ERR), SP_BAD_INPUT, "expected 0.05 to 60");
    assert_fails(sp_pond_splash(pond, 0.1f, 0.1f, -1e-6f, ERR), SP_BAD_INPUT, "expected");
    assert_fails(sp_pond_tap(pond, 0.1f, 0.1f, -0.1f, ERR), SP_BAD_INPUT, "expected");
    sp_pond_close(pond);
}

/// A splash larger than the pond cannot be taken from its water.
static void a_splash_larger_than_the_pond_is_refused_or_harmless(void **state)
{
    (void)state;
    static const float volumes[] = {1e-3f, 1.0f, 1e3f, 1e6f, 1e10f, 1e20f, FLT_MAX};
    for (size_t k = 0; k < sizeof volumes / sizeof *volumes; ++k) {
        sp_pond *pond = still_pond();
        const int64_t before = pond_proof_water(pond);
        if (sp_pond_splash(pond, 0.1f, 0.1f, volumes[k], ERR) == SP_OK) step_frames(pond, 5);
        assert_int_equal(pond_proof_water(pond), before);
        for (size_t c = 0; c < pond->water.cells; ++c)
            assert_true(pond->water.q[c] >= 0);
        sp_pond_close(pond);
    }
}

static void full_command_queue_is_refused(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    for (int k = 0; k < 1024; ++k)
        assert_ok(sp_pond_splash(pond, 0.1f, 0.1f, 1e-9f, ERR));
    assert_fails(sp_pond_splash(pond, 0.1f, 0.1f, 1e-9f, ERR), SP_FULL,
                 "1024 input calls are waiting");
    step_frames(pond, 1);
    assert_ok(sp_pond_splash(pond, 0.1f, 0.1f, 1e-9f, ERR));
    sp_pond_close(pond);
}

static void stepping_back_in_time_is_refused(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    step_frames(pond, 6);
    const uint64_t hash = sp_pond_hash(pond);
    assert_fails(sp_pond_step(pond, 0.05, ERR), SP_BAD_INPUT,
                 "expected a time that is not in the past");
    assert_fails(sp_pond_step(pond, (double)NAN, ERR), SP_BAD_INPUT, "expected");
    assert_ok(sp_pond_step(pond, pond->time, ERR)); // a step of zero length is allowed
    assert_int_equal(sp_pond_hash(pond), hash);
    sp_pond_close(pond);
}

static void a_live_key_acts_from_the_next_step_on(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, NULL);
    assert_ok(sp_pond_set(pond, "foam_probability", 0.0, ERR));
    assert_ok(sp_pond_set(pond, "coalescence", 0.0, ERR));
    assert_true(pond->def.foam_probability > 0.0f && pond->def.coalescence); // only queued so far
    size_t events = 0, breaks = 0;
    for (int k = 0; k < 60; ++k) {
        step_frames(pond, 1);
        const sp_pond_event *list = sp_pond_events(pond, &events);
        for (size_t e = 0; e < events; ++e) {
            assert_int_equal(list[e].kind, SP_POND_BREAK); // no merging and no foam
            ++breaks;
        }
    }
    assert_true(breaks > 20);
    assert_int_equal(sp_pond_statistics(pond).foam, 0);
    sp_pond_close(pond);
}

static void nozzles_are_added_and_removed(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    const sp_pond_nozzle nozzle = {
        .x = 0.05f, .y = 0.05f, .rate = 60.0f, .radius = 0.003f, .on = true};
    sp_pond_nozzle other = nozzle;
    other.x = 0.15f;
    assert_ok(sp_pond_add_nozzle(pond, &nozzle, ERR));
    assert_ok(sp_pond_add_nozzle(pond, &other, ERR));
    step_frames(pond, 6);
    assert_int_equal(sp_pond_statistics(pond).nozzles, 2);
    assert_true(sp_pond_statistics(pond).bubbles >= 4);
    assert_ok(sp_pond_remove_nozzle(pond, 0, ERR));
    assert_int_equal(sp_pond_remove_nozzle(pond, 1, NULL), SP_BAD_INPUT); // one nozzle will be left
    step_frames(pond, 1);
    assert_int_equal(sp_pond_statistics(pond).nozzles, 1);
    assert_true(pond->nozzles[0].def.x == 0.15f); // the other nozzle is unchanged
    assert_ok(sp_pond_remove_nozzle(pond, 0, ERR));
    step_frames(pond, 1);
    const double let_in = sp_pond_statistics(pond).gas_in_m3;
    step_frames(pond, 30);
    assert_true(sp_pond_statistics(pond).gas_in_m3 == let_in);
    sp_pond_close(pond);
}

static void too_many_nozzles_are_refused(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    const sp_pond_nozzle nozzle = {.x = 0.1f, .y = 0.1f, .rate = 0.0f, .radius = 0.003f};
    int added = 0;
    while (added < 1000 && sp_pond_add_nozzle(pond, &nozzle, ERR) == SP_OK)
        ++added;
    assert_int_equal(added, 256); // capacity is 256 more than at open
    assert_non_null(strstr(ERR->text, "room for 256 nozzles"));
    sp_pond_close(pond);
}

/// Events of bubbles that break, merge and pop have positions on the pond.
static void events_report_positions_on_the_pond(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, NULL);
    size_t kinds[3] = {0};
    for (int k = 0; k < 120; ++k) {
        step_frames(pond, 1);
        size_t count;
        const sp_pond_event *events = sp_pond_events(pond, &count);
        for (size_t e = 0; e < count; ++e) {
            ++kinds[events[e].kind];
            assert_true(events[e].x >= 0.0f && events[e].x <= 0.5f);
            assert_true(events[e].y >= 0.0f && events[e].y <= 0.6f);
            assert_true(events[e].z > -0.01f && events[e].z < 0.2f);
            assert_true(events[e].radius > 9e-5f && events[e].radius < 0.05f);
        }
    }
    assert_true(kinds[SP_POND_POP] > 10 && kinds[SP_POND_MERGE] > 10 && kinds[SP_POND_BREAK] > 10);
    sp_pond_close(pond);
}

static void a_tap_pops_foam_or_pokes_water(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    pond_proof_add_foam(pond, 0.05f, 0.05f, 0.1f, 0.004f);
    pond_proof_add_foam(pond, 0.15f, 0.25f, 0.1f, 0.004f);
    assert_ok(sp_pond_tap(pond, 0.05f, 0.05f, 0.02f, ERR));
    step_frames(pond, 1);
    size_t count;
    const sp_pond_event *events = sp_pond_events(pond, &count);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, SP_POND_POP);
    assert_int_equal(pond->foam.set.count, 1);
    sp_pond *other = still_pond();
    assert_ok(sp_pond_tap(other, 0.1f, 0.1f, 0.01f, ERR));
    step_frames(other, 1);
    sp_pond_events(other, &count);
    assert_int_equal(count, 0);
    assert_true(other->water.speed_max > 0.01f); // a ring wave started
    sp_pond_close(pond);
    sp_pond_close(other);
}

static void samples_of_still_water_are_still(void **state)
{
    (void)state;
    sp_pond_def def = pond_proof_basin(20, 30, 0.01f, 0.1f);
    def.ground.constant = 0.02f;
    sp_pond *pond = open_pond(&def, NULL);
    step_frames(pond, 3);
    static const float xy[] = {0.1f, 0.1f, 0.0f, 0.0f, 0.2f, 0.3f, -5.0f, 7.0f, 0.1234f, 0.2f};
    sp_pond_flow flow[5];
    sp_pond_sample(pond, 5, xy, flow);
    for (size_t k = 0; k < 5; ++k) { // the level is a float of 0.1 m: 1e-8 is its last digit
        assert_float_equal(flow[k].level, 0.1f, 1e-7f);
        assert_float_equal(flow[k].depth, 0.08f, 1e-7f);
        assert_true(flow[k].vx == 0.0f && flow[k].vy == 0.0f && flow[k].vz == 0.0f);
    }
    sp_pond_close(pond);
}

static void still_water_is_drawn_flat(void **state)
{
    (void)state;
    sp_pond *pond = still_pond();
    const sp_pond_view *v = sp_pond_draw(pond);
    assert_int_equal(v->version, SP_POND_VIEW_VERSION);
    assert_int_equal(v->width, 21);
    assert_int_equal(v->height, 31);
    for (size_t k = 0; k < (size_t)v->width * v->height; ++k) {
        static const int8_t up[4] = {0, 0, 127, 127};
        assert_float_equal(v->level[k], 0.1f, 1e-7f);
        assert_memory_equal(v->normal + 4 * k, up, 4);
    }
    sp_pond_close(pond);
}

static void random_commands_do_not_break_a_small_pond(void **state)
{
    (void)state;
    if (!SANITIZED) skip();
    sp_check_report report = {.host = HOST, .row = print_missed_row};
    assert_ok(pond_prove_fuzz(&report, ERR));
    assert_int_equal(report.missed, 0);
}

/// Half of the heater's disc is land. Bubbles that start there are lost and must not stop the
/// others.
static void heater_across_the_shore_still_makes_bubbles(void **state)
{
    (void)state;
    static const float ground[] = {0.0f, 0.0f, 0.4f, 0.4f};
    const sp_pond_heater heater = {
        .x = 0.2f, .y = 0.2f, .radius = 0.1f, .rate = 200, .on = true, .bubble_radius = 0.003f};
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 40;
    def.ground = (sp_heights){.values = ground, .width = 4, .height = 1};
    def.heaters = &heater;
    def.heater_count = 1;
    sp_pond *pond = open_pond(&def, HOST);
    for (int frame = 1; frame <= 120; ++frame)
        assert_ok(sp_pond_step(pond, frame / 60.0, ERR));
    // 400 are due; far fewer than half would mean that a lost bubble stops the others
    assert_true(pond->next_id > 300);
    assert_true(pond->gas_in > 100 * pond_volume(0.0015f));
    sp_pond_close(pond);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_and_infinity_are_refused_and_change_nothing),
        cmocka_unit_test(unknown_things_and_keys_are_refused),
        cmocka_unit_test(a_splash_larger_than_the_pond_is_refused_or_harmless),
        cmocka_unit_test(full_command_queue_is_refused),
        cmocka_unit_test(stepping_back_in_time_is_refused),
        cmocka_unit_test(a_live_key_acts_from_the_next_step_on),
        cmocka_unit_test(nozzles_are_added_and_removed),
        cmocka_unit_test(too_many_nozzles_are_refused),
        cmocka_unit_test(events_report_positions_on_the_pond),
        cmocka_unit_test(a_tap_pops_foam_or_pokes_water),
        cmocka_unit_test(samples_of_still_water_are_still),
        cmocka_unit_test(still_water_is_drawn_flat),
        cmocka_unit_test(random_commands_do_not_break_a_small_pond),
        cmocka_unit_test(heater_across_the_shore_still_makes_bubbles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
