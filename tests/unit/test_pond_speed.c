// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// What makes large ponds fast: almost all work is in parallel loops, large sets are kept in the order of
/// space, and rows of calm water are not slowed down by an obstacle in other rows.
#include "test_pond.h"

#include <time.h>

/// ---- Parallel ----------------------------------------------------------------------------------

/// Runs parallel loops in the calling thread and measures its time in them. CPU time, so that other
/// programs do not matter.
typedef struct stopwatch {
    sp_host inner;
    double inside;
} stopwatch;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *watch_allocate(void *user, size_t bytes)
{
    stopwatch *w = user;
    return w->inner.allocate(w->inner.user, bytes);
}

static void watch_release(void *user, void *memory, size_t bytes)
{
    stopwatch *w = user;
    w->inner.release(w->inner.user, memory, bytes);
}

static void watch_parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    stopwatch *w = user;
    const double begun = cpu_seconds();
    for (size_t i = 0; i < n; ++i)
        body(arg, i);
    w->inside += cpu_seconds() - begun;
}

/// 20,000 bubbles and 50,000 foam bubbles on 512 x 512 cells, as in scenes/pond/stress_512.json.
static sp_pond *open_crowd(const sp_host *host)
{
    enum { BUBBLES = 20000, FOAM = 50000 };
    static const sp_pond_nozzle_field field = {.columns = 64,
                                               .rows = 64,
                                               .scattered = true,
                                               .rate = 8.0f,
                                               .radius = 0.004f,
                                               .spread = 0.25f,
                                               .jitter = 0.015f,
                                               .speed = 0.1f};
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 512;
    def.rest_level = 0.25f;
    def.render_scale = 1;
    def.foam_probability = 0.8f;
    def.max_bubbles = 30000;
    def.max_foam = 75000;
    def.max_ghosts = 20000;
    def.nozzle_fields = &field;
    def.nozzle_field_count = 1;
    sp_pond *pond = open_pond(&def, host);
    for (uint64_t n = 0; n < BUBBLES; ++n)
        pond_add_bubble(pond, 5.12f * (float)pond_proof_unit(40, n, 0),
                        5.12f * (float)pond_proof_unit(40, n, 1),
                        0.15f + 0.1f * (float)pond_proof_unit(40, n, 2), 0.004f, 0.1f);
    for (uint64_t n = 0; n < FOAM; ++n) {
        const size_t k =
            pond_proof_add_foam(pond, 5.12f * (float)pond_proof_unit(41, n, 0),
                                5.12f * (float)pond_proof_unit(41, n, 1), 0.25f, 0.004f);
        pond->foam.left[k] = 0.2f + 4.0f * (float)pond_proof_unit(41, n, 2);
    }
    return pond;
}

/// The share s of work outside of parallel loops limits n threads to 1/(s + (1 - s)/n) times the speed
/// of one: 1.7 times on two threads needs 0.18 at most; 0.12 leaves room for waking threads.
static void most_work_is_in_parallel_loops(void **state)
{
    (void)state;
    enum { FIRST = 7, COUNTED = 8 };
    stopwatch watch = {.inner = sp_host_default(1)};
    const sp_host host = {.struct_size = sizeof host,
                          .user = &watch,
                          .allocate = watch_allocate,
                          .release = watch_release,
                          .parallel_for = watch_parallel_for,
                          .threads = 2};
    sp_pond *pond = open_crowd(&host);
    step_frames(pond, FIRST); // all sets are in order now
    watch.inside = 0.0;
    const double begun = cpu_seconds();
    for (int k = 0; k < COUNTED; ++k) {
        step_frames(pond, 1);
        sp_pond_draw(pond);
    }
    const double all = cpu_seconds() - begun, serial = 1.0 - watch.inside / all;
    print_message("%.1f %% of %.1f ms a frame is serial\n", 100.0 * serial, 1e3 * all / COUNTED);
    assert_true(serial < 0.12);
    sp_pond_close(pond);
}

/// ---- The order of space ------------------------------------------------------------------------

/// Mean distance in y of successive particles, in widths of the pond. It is 1/3 in random order.
static double mean_jump(const float *y, size_t n, float width)
{
    double sum = 0.0;
    for (size_t i = 1; i < n; ++i)
        sum += fabs((double)y[i] - (double)y[i - 1]);
    return sum / ((double)n * (double)width);
}

static void large_sets_are_kept_in_the_order_of_space(void **state)
{
    (void)state;
    sp_pond *pond = open_crowd(NULL);
    assert_true(mean_jump(pond->bubbles.py, pond->bubbles.set.count, 5.12f) > 0.3);
    step_frames(pond, 20);
    assert_true(pond->ghosts.set.count > 4096);
    assert_true(mean_jump(pond->bubbles.py, pond->bubbles.set.count, 5.12f) < 0.1);
    assert_true(mean_jump(pond->ghosts.cy, pond->ghosts.set.count, 5.12f) < 0.1);
    assert_true(mean_jump(pond->foam.py, pond->foam.set.count, 5.12f) < 0.1);
    sp_pond_close(pond);
}

/// ---- Obstacles ---------------------------------------------------------------------------------

/// Marks every row as one with a high step in its ground, so that none counts as calm.
static void disturb_all_rows(sp_pond *pond)
{
    pond_obstruct_rows(&pond->water, 0, pond->water.ny, true);
}

/// The rules for thin water change nothing in rows that count as calm, with an obstacle and bubbles.
static void calm_rows_have_the_bits_of_the_full_rules(void **state)
{
    (void)state;
    sp_pond_def def = pond_proof_busy(50, 150); // two bands
    def.rest_level = 0.08f;
    sp_pond *calm = open_pond(&def, NULL), *full = open_pond(&def, NULL);
    size_t rows = 0;
    for (int k = 0; k < 60; ++k) {
        disturb_all_rows(full);
        step_frames(calm, 1);
        step_frames(full, 1);
        for (int32_t j = 0; j < 150; ++j)
            rows += calm->water.rows.calm[j] != POND_WILD;
        assert_int_equal(sp_pond_hash(calm), sp_pond_hash(full));
    }
    assert_true(rows > 60 * 90); // most rows were calm
    sp_pond_close(calm);
    sp_pond_close(full);
}

/// The film on an obstacle runs off at more than a metre a second. It is thin, so waves on it are slow. The flow
/// of the deep water around the obstacle needs one sub-step more, the film would need four or five more.
static void an_obstacle_needs_one_substep_more_than_calm_water(void **state)
{
    (void)state;
    sp_pond_def def = pond_proof_busy(50, 80);
    sp_pond *with = open_pond(&def, NULL);
    def.obstacle_count = 0;
    sp_pond *without = open_pond(&def, NULL);
    double more = 0.0;
    for (int k = 0; k < 240; ++k) {
        step_frames(with, 1);
        step_frames(without, 1);
        more += (double)sp_pond_statistics(with).substeps - sp_pond_statistics(without).substeps;
    }
    print_message("%.2f sub-steps a frame more\n", more / 240.0);
    assert_true(more / 240.0 < 1.5);
    sp_pond_close(with);
    sp_pond_close(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_work_is_in_parallel_loops),
        cmocka_unit_test(large_sets_are_kept_in_the_order_of_space),
        cmocka_unit_test(calm_rows_have_the_bits_of_the_full_rules),
        cmocka_unit_test(an_obstacle_needs_one_substep_more_than_calm_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
