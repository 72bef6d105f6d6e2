// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// Results are equal on any number of threads, after save and load, after a reset, and with another
/// pond in the same process.
#include "test_pond.h"

#include <stdlib.h>

/// Enough bubbles and foam that every loop uses several threads, and water in several bands of
/// rows.
static uint64_t hash_of_crowd(int threads)
{
    enum { BUBBLES = 12000, FOAM = 12000 };
    sp_pond_def def = pond_proof_busy(96, 144);
    def.max_bubbles = BUBBLES + 2000;
    def.max_foam = FOAM + 4000;
    def.max_ghosts = 6000;
    def.tracers = 5000;
    const sp_host host = sp_host_default(threads);
    sp_pond *pond = open_pond(&def, &host);
    for (uint64_t n = 0; n < BUBBLES; ++n)
        pond_add_bubble(pond, 0.96f * (float)pond_proof_unit(30, n, 0),
                        1.44f * (float)pond_proof_unit(30, n, 1),
                        0.25f * (float)pond_proof_unit(30, n, 2), 0.002f, 0.1f);
    for (uint64_t n = 0; n < FOAM; ++n)
        pond_proof_add_foam(pond, 0.96f * (float)pond_proof_unit(31, n, 0),
                            1.44f * (float)pond_proof_unit(31, n, 1), 0.25f, 0.003f);
    step_frames(pond, 8);                        // each set is put into the order of space once
    assert_true(pond->bubbles.set.count > 8000); // enough for several threads
    assert_true(pond->foam.set.count > 10000 && pond->ghosts.set.count > 0);
    const sp_pond_view *v = sp_pond_draw(pond);
    uint64_t hash = sp_pond_hash(pond);
    hash = sp_hash(hash, v->level, (size_t)v->width * v->height * sizeof *v->level);
    hash = sp_hash(hash, v->normal, (size_t)v->width * v->height * 4);
    sp_pond_close(pond);
    return hash;
}

static void state_and_view_are_equal_on_1_2_3_and_5_threads(void **state)
{
    (void)state;
    const uint64_t one = hash_of_crowd(1);
    assert_int_equal(hash_of_crowd(2), one);
    assert_int_equal(hash_of_crowd(3), one);
    assert_int_equal(hash_of_crowd(5), one);
}

/// Commands given before the save; load must restore their effects.
static void give_commands(sp_pond *pond)
{
    const sp_pond_nozzle nozzle = {
        .x = 0.1f, .y = 0.5f, .rate = 50.0f, .radius = 0.003f, .spread = 0.1f, .on = true};
    assert_ok(sp_pond_add_nozzle(pond, &nozzle, ERR));
    assert_ok(sp_pond_remove_nozzle(pond, 3, ERR));
    assert_ok(sp_pond_set(pond, "foam_tension", 0.7, ERR));
    assert_ok(sp_pond_move(pond, SP_POND_OBSTACLE, 0, 0.1f, 0.1f, ERR));
    assert_ok(sp_pond_move(pond, SP_POND_HEATER, 0, 0.3f, 0.4f, ERR));
    assert_ok(sp_pond_splash(pond, 0.2f, 0.2f, 1e-5f, ERR));
}

static void loaded_pond_continues_bit_for_bit(void **state)
{
    (void)state;
    sp_pond_def def = small_busy();
    def.boundary[1] = SP_POND_OPEN;
    sp_pond *pond = open_pond(&def, NULL);
    step_frames(pond, 30);
    give_commands(pond);
    step_frames(pond, 5); // the obstacle is still moving
    const size_t bytes = sp_pond_save(pond, NULL, 0);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_int_equal(sp_pond_save(pond, saved, bytes - 1),
                     bytes); // buffer too small: returns the size only
    assert_int_equal(sp_pond_save(pond, saved, bytes), bytes);
    sp_pond *other = open_pond(&def, NULL);
    step_frames(other, 7); // load overwrites this state
    assert_ok(sp_pond_load(other, saved, bytes, ERR));
    assert_int_equal(sp_pond_hash(other), sp_pond_hash(pond));
    step_frames(pond, 40);
    step_frames(other, 40);
    assert_int_equal(sp_pond_hash(other), sp_pond_hash(pond));
    assert_int_equal(sp_pond_statistics(other).water_quanta, sp_pond_statistics(pond).water_quanta);
    free(saved);
    sp_pond_close(pond);
    sp_pond_close(other);
}

static void reset_returns_to_the_first_hash(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, NULL);
    const uint64_t first = sp_pond_hash(pond);
    step_frames(pond, 40);
    const uint64_t later = sp_pond_hash(pond);
    assert_true(later != first);
    assert_ok(sp_pond_move(pond, SP_POND_OBSTACLE, 0, 0.1f, 0.1f, ERR));
    step_frames(pond, 5);
    assert_ok(sp_pond_splash(pond, 0.2f, 0.2f, 1e-5f, ERR)); // dropped by the reset
    assert_ok(sp_pond_reset(pond, ERR));
    assert_int_equal(sp_pond_hash(pond), first);
    step_frames(pond, 40);
    assert_int_equal(sp_pond_hash(pond), later);
    sp_pond_close(pond);
}

static uint64_t hash_alone(const sp_pond_def *def)
{
    sp_pond *pond = open_pond(def, NULL);
    step_frames(pond, 30);
    const uint64_t hash = sp_pond_hash(pond);
    sp_pond_close(pond);
    return hash;
}

static void two_ponds_do_not_disturb_each_other(void **state)
{
    (void)state;
    const sp_pond_def one = small_busy();
    sp_pond_def two = small_busy();
    two.seed = 2;
    two.nx = 40;
    sp_pond *first = open_pond(&one, NULL), *second = open_pond(&two, NULL);
    for (int k = 0; k < 30; ++k) {
        step_frames(first, 1);
        step_frames(second, 1);
    }
    assert_int_equal(sp_pond_hash(first), hash_alone(&one));
    assert_int_equal(sp_pond_hash(second), hash_alone(&two));
    sp_pond_close(first);
    sp_pond_close(second);
}

static void another_seed_gives_another_hash(void **state)
{
    (void)state;
    sp_pond_def def = small_busy();
    const uint64_t one = hash_alone(&def);
    def.seed = 2;
    assert_true(hash_alone(&def) != one);
}

static void drawing_does_not_change_the_state(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, NULL);
    for (int k = 0; k < 30; ++k) {
        step_frames(pond, 1);
        sp_pond_draw(pond);
    }
    assert_int_equal(sp_pond_hash(pond), hash_alone(&def));
    sp_pond_close(pond);
}

/// A long step is divided into equal ones no longer than dt_frame, so one step over three frames
/// equals three steps.
static void one_step_over_three_frames_equals_three_steps(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    sp_pond *one = open_pond(&def, NULL), *three = open_pond(&def, NULL);
    assert_ok(sp_pond_step(one, 3.0 / 60.0, ERR));
    for (int k = 1; k <= 3; ++k)
        assert_ok(sp_pond_step(three, 3.0 / 60.0 * (k / 3.0), ERR));
    assert_int_equal(sp_pond_statistics(one).frame, 3);
    assert_int_equal(sp_pond_hash(one), sp_pond_hash(three));
    sp_pond_close(one);
    sp_pond_close(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_and_view_are_equal_on_1_2_3_and_5_threads),
        cmocka_unit_test(loaded_pond_continues_bit_for_bit),
        cmocka_unit_test(reset_returns_to_the_first_hash),
        cmocka_unit_test(two_ponds_do_not_disturb_each_other),
        cmocka_unit_test(another_seed_gives_another_hash),
        cmocka_unit_test(drawing_does_not_change_the_state),
        cmocka_unit_test(one_step_over_three_frames_equals_three_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
