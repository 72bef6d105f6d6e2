// SPDX-License-Identifier: Apache-2.0
// links: solver core
/// The driver of solvers, with a small solver.
#include "scarce_host.h"
#include "solver/driver.h"
#include "testing.h"

#include <string.h>

/// Particles that take a random step each frame. The def sets the step at which an event happens
/// (0: never).
typedef struct walk_def {
    uint64_t nan_at, fail_at, stop_at; ///< a NaN appears; the step fails; it is cancelled
    bool bad_name;
    double bytes; ///< memory estimate
} walk_def;

enum { WALKERS = 3 };
typedef struct walk_state {
    uint64_t steps;
    double time;
    float x[WALKERS][3];
} walk_state;

typedef struct walk {
    const sp_host *host;
    walk_def def;
    walk_state s;
    uint64_t id[WALKERS];
    sp_column columns[2];
    sp_set set;
    int published; ///< how often
} walk;

static walk *opened; ///< the last one opened

static double walk_estimate(const sp_setup *setup)
{
    return ((const walk_def *)setup->def)->bytes;
}

static sp_status walk_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    *out = NULL;
    walk *w = sp_allocate(host, 1, sizeof *w);
    if (!w) return sp_fail(err, SP_NO_MEMORY, "walk: no memory");
    *w = (walk){.host = host, .def = *(const walk_def *)setup->def, .id = {5, 7, 9}};
    *out = opened = w;
    return SP_OK;
}

static void walk_close(void *solver)
{
    walk *w = solver;
    if (w) sp_release(w->host, w);
}

static sp_status walk_step(void *solver, double t_end, sp_error *err)
{
    walk *w = solver;
    const uint64_t n = ++w->s.steps;
    if (n == w->def.fail_at) return sp_fail(err, SP_DIVERGED, "walk: told to fail");
    if (n == w->def.stop_at) return sp_fail(err, SP_CANCELLED, "walk: stopped half way");
    for (int i = 0; i < WALKERS; ++i)
        for (int a = 0; a < 3; ++a)
            w->s.x[i][a] += sp_unit(sp_random(1, 1, w->id[i], (uint32_t)n, 0).x[a]);
    if (n == w->def.nan_at) w->s.x[1][2] = NAN;
    w->s.time = t_end;
    return SP_OK;
}

static sp_status walk_publish(void *solver, sp_frame *frame, sp_error *err)
{
    walk *w = solver;
    (void)err;
    ++w->published;
    w->columns[0] = (sp_column){"position", SP_F32, 3, w->s.x};
    w->columns[1] = (sp_column){"id", SP_U64, 1, w->id};
    w->set = (sp_set){w->def.bad_name ? "a/b" : "sand", WALKERS, w->columns, 2};
    frame->time = w->s.time + 1e-9; // the driver sets the exact time
    frame->hash = sp_hash(0, &w->s, sizeof w->s);
    frame->sets = &w->set;
    frame->set_count = 1;
    return SP_OK;
}

static sp_status walk_save(const void *solver, sp_blob *blob, sp_error *err)
{
    (void)err;
    sp_blob_put(blob, &((const walk *)solver)->s, sizeof(walk_state));
    return SP_OK;
}

static sp_status walk_restore(void *solver, sp_blob *blob, sp_error *err)
{
    (void)err;
    sp_blob_get(blob, &((walk *)solver)->s, sizeof(walk_state));
    return SP_OK;
}

static const sp_solver_type walk_type = {
    .name = "walk",
    .grain = "walk.walkers",
    .estimate = walk_estimate,
    .open = walk_open,
    .step = walk_step,
    .publish = walk_publish,
    .save = walk_save,
    .restore = walk_restore,
    .close = walk_close,
};

static sp_driver *open_walk(const walk_def *wishes, sp_watch watch, const sp_host *host)
{
    const sp_driver_def def = {.type = &walk_type, .setup.def = wishes, .fps = 24, .watch = watch};
    sp_driver *driver;
    assert_ok(sp_driver_open(&def, host, &driver, ERR));
    return driver;
}

static void step_to(sp_driver *driver, uint64_t frame)
{
    while (sp_driver_reached(driver) < frame)
        assert_ok(sp_driver_step(driver, ERR));
}

static const sp_frame *frame_of(sp_driver *driver)
{
    const sp_frame *frame;
    assert_ok(sp_driver_frame(driver, &frame, ERR));
    return frame;
}

static const sp_watch never = {0};

static void frames_are_at_k_over_fps_and_published_once(void **state)
{
    (void)state;
    sp_driver *driver = open_walk(&(walk_def){0}, never, HOST);
    assert_true(frame_of(driver)->frame == 0 && frame_of(driver)->time == 0.0);
    for (uint64_t k = 1; k <= 50; ++k) {
        step_to(driver, k);
        const sp_frame *frame = frame_of(driver);
        assert_ptr_equal(frame, frame_of(driver));
        assert_true(frame->frame == k && frame->fps == 24.0);
        assert_true(frame->time == (double)k / 24.0 && opened->s.time == (double)k / 24.0);
        assert_true(sp_driver_time(driver) == (double)k / 24.0);
    }
    assert_int_equal(opened->s.steps, 50);
    assert_int_equal(opened->published, 51);
    char note[40];
    sp_driver_note(driver, note, sizeof note);
    assert_string_equal(note, "3 sand");
    step_to(driver, 60); // no sp_driver_frame(), so nothing is published
    assert_int_equal(opened->published, 51);
    sp_driver_close(driver);
    sp_driver_close(NULL);
}

static void nan_is_named_and_ends_the_driver(void **state)
{
    (void)state;
    sp_driver *driver = open_walk(&(walk_def){.nan_at = 4}, never, HOST);
    const sp_frame *frame;
    step_to(driver, 4);
    assert_int_equal(sp_driver_frame(driver, &frame, ERR), SP_DIVERGED);
    assert_null(frame);
    assert_string_equal(ERR->text, "frame 4: sand 7 has a position that is not finite");
    assert_true(sp_driver_failed(driver));
    assert_int_equal(sp_driver_frame(driver, &frame, ERR), SP_DIVERGED); // fails again
    assert_int_equal(sp_driver_step(driver, ERR), SP_DIVERGED);
    assert_string_equal(ERR->text, "the simulation failed at frame 4 and cannot go on");
    sp_blob blob = {.host = HOST};
    assert_int_equal(sp_driver_save(driver, &blob, ERR), SP_DIVERGED);
    assert_ok(sp_driver_look(driver, &frame, ERR)); // for the crash report
    assert_true(frame->frame == 4 && frame->time == 4.0 / 24.0);
    assert_int_equal(opened->published, 1);
    sp_driver_close(driver);
}

static void failed_step_ends_the_driver_and_can_be_inspected(void **state)
{
    (void)state;
    sp_driver *driver = open_walk(&(walk_def){.fail_at = 3}, never, HOST);
    const sp_frame *frame;
    step_to(driver, 2);
    assert_int_equal(sp_driver_step(driver, ERR), SP_DIVERGED);
    assert_string_equal(ERR->text, "walk: told to fail");
    assert_int_equal(sp_driver_step(driver, ERR), SP_DIVERGED);
    assert_string_equal(ERR->text, "the simulation failed at frame 3 and cannot go on");
    assert_int_equal(opened->s.steps, 3); // it was not stepped again
    assert_ok(sp_driver_look(driver, &frame, ERR));
    assert_true(frame->frame == 3 && frame->time == 3.0 / 24.0);
    assert_ok(sp_driver_frame(driver, &frame, ERR));
    assert_true(frame->frame == 2);
    sp_driver_close(driver);
}

static void a_frame_with_a_bad_name_is_refused(void **state)
{
    (void)state;
    sp_driver *driver = open_walk(&(walk_def){.bad_name = true}, never, HOST);
    const sp_frame *frame;
    assert_fails(sp_driver_frame(driver, &frame, ERR), SP_BAD_INPUT, "\"a/b\"");
    assert_true(sp_driver_failed(driver));
    sp_driver_close(driver);
}

static bool count_down(void *user, double time)
{
    (void)time;
    return (*(int *)user)-- == 0;
}

static void cancelled_driver_continues_on_the_next_call(void **state)
{
    (void)state;
    int left = 5;
    sp_driver *driver = open_walk(&(walk_def){0}, (sp_watch){count_down, &left}, HOST);
    step_to(driver, 5);
    assert_int_equal(sp_driver_step(driver, ERR), SP_CANCELLED);
    assert_string_equal(ERR->text, "stopped after frame 5");
    assert_false(sp_driver_failed(driver));
    assert_int_equal(opened->s.steps, 5);
    step_to(driver, 6); // the callback returns false again
    sp_driver_close(driver);
}

static void solver_cancelled_within_a_step_cannot_continue(void **state)
{
    (void)state;
    sp_driver *driver = open_walk(&(walk_def){.stop_at = 2}, never, HOST);
    step_to(driver, 1);
    assert_int_equal(sp_driver_step(driver, ERR), SP_CANCELLED);
    assert_true(sp_driver_failed(driver));
    sp_driver_close(driver);
}

static void more_memory_than_allowed_is_refused_before_the_solver_opens(void **state)
{
    (void)state;
    const walk_def wishes = {.bytes = 3e9};
    sp_driver_def def = {.type = &walk_type, .setup.def = &wishes, .fps = 24, .memory = 2e9};
    sp_driver *driver;
    opened = NULL;
    assert_int_equal(sp_driver_open(&def, HOST, &driver, ERR), SP_BAD_INPUT);
    assert_null(driver);
    assert_null(opened);
    assert_string_equal(ERR->text, "walk: about 3.0 GB of memory; expected at most 2.0 GB: "
                                   "change walk.walkers or --memory");
    const double allowed[] = {3e9, 0.0}; // 0: no limit
    for (int i = 0; i < 2; ++i) {
        def.memory = allowed[i];
        assert_ok(sp_driver_open(&def, HOST, &driver, ERR));
        sp_driver_close(driver);
    }
    assert_true(sp_memory_limit(5e9) == 5e9);
    assert_true(sp_memory_limit(0.0) > 1e8); // of this machine
}

static void restored_state_continues_bit_for_bit(void **state)
{
    (void)state;
    sp_driver *first = open_walk(&(walk_def){0}, never, HOST);
    sp_blob blob = {.host = HOST};
    step_to(first, 7);
    assert_ok(sp_driver_save(first, &blob, ERR));
    step_to(first, 20);
    sp_driver *second = open_walk(&(walk_def){0}, never, HOST);
    assert_int_equal(frame_of(second)->frame, 0);
    assert_ok(sp_driver_restore(second, 7, &blob, ERR));
    assert_int_equal(frame_of(second)->frame, 7);
    step_to(second, 20);
    assert_int_equal(opened->s.steps, 20);
    const sp_frame *a = frame_of(first), *b = frame_of(second);
    assert_true(a->hash == b->hash && a->time == b->time && a->frame == b->frame);
    sp_driver_close(first);
    sp_driver_close(second);
    sp_blob_close(&blob);
}

static void a_state_of_another_length_is_refused(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; ++longer) {
        sp_driver *driver = open_walk(&(walk_def){0}, never, HOST);
        sp_blob blob = {.host = HOST};
        assert_ok(sp_driver_save(driver, &blob, ERR));
        sp_blob_put(&blob, "more", 4);
        if (!longer) blob.size -= 5;
        assert_int_equal(sp_driver_restore(driver, 3, &blob, ERR), SP_DAMAGED);
        assert_true(sp_driver_failed(driver));
        sp_driver_close(driver);
        sp_blob_close(&blob);
    }
}

static sp_status whole_life(const sp_host *host, sp_error *err)
{
    const walk_def wishes = {0};
    const sp_driver_def def = {.type = &walk_type, .setup.def = &wishes, .fps = 24};
    sp_driver *driver;
    const sp_frame *frame;
    sp_blob blob = {.host = host};
    SP_TRY(sp_driver_open(&def, host, &driver, err));
    sp_status status = sp_driver_step(driver, err);
    if (status == SP_OK) status = sp_driver_frame(driver, &frame, err);
    if (status == SP_OK) status = sp_driver_save(driver, &blob, err);
    if (status == SP_OK) status = sp_driver_restore(driver, 1, &blob, err);
    sp_blob_close(&blob);
    sp_driver_close(driver);
    return status;
}

static void blob_returns_the_bytes_put_into_it(void **state)
{
    (void)state;
    sp_blob blob = {.host = HOST};
    for (uint32_t i = 0; i < 1000; ++i)
        sp_blob_put(&blob, &i, sizeof i);
    assert_false(blob.failed);
    assert_int_equal(blob.size, 4000);
    uint32_t got = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        sp_blob_get(&blob, &got, sizeof got);
        assert_int_equal(got, i);
    }
    assert_false(blob.failed);
    sp_blob_get(&blob, &got, sizeof got);
    assert_true(blob.failed);
    assert_int_equal(got, 0);
    sp_blob_close(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_at_k_over_fps_and_published_once),
        cmocka_unit_test(nan_is_named_and_ends_the_driver),
        cmocka_unit_test(failed_step_ends_the_driver_and_can_be_inspected),
        cmocka_unit_test(a_frame_with_a_bad_name_is_refused),
        cmocka_unit_test(cancelled_driver_continues_on_the_next_call),
        cmocka_unit_test(solver_cancelled_within_a_step_cannot_continue),
        cmocka_unit_test(more_memory_than_allowed_is_refused_before_the_solver_opens),
        cmocka_unit_test(restored_state_continues_bit_for_bit),
        cmocka_unit_test(a_state_of_another_length_is_refused),
        test_failing_allocations(whole_life, 1, 3),
        cmocka_unit_test(blob_returns_the_bytes_put_into_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
