// SPDX-License-Identifier: Apache-2.0
// links: validate pond frame
/// Memory of the pond: it is all allocated at open, it matches the estimate, and failures leak
/// nothing.
#include "scarce_host.h"
#include "solver/solver.h"
#include "test_pond.h"

#include <string.h>

/// Opens the solver as a program would, steps, publishes, saves and restores.
static sp_status whole_life(const sp_host *host, sp_error *err)
{
    sp_pond_def def = small_busy();
    def.max_bubbles = def.max_foam = 64;
    void *solver = NULL;
    sp_frame frame = {0};
    sp_blob blob = {.host = host};
    const sp_setup setup = {.def = &def, .seed = 7};
    sp_status status = sp_pond_solver.open(&setup, host, &solver, err);
    if (status == SP_OK) status = sp_pond_solver.step(solver, 0.1, err);
    if (status == SP_OK) status = sp_pond_solver.publish(solver, &frame, err);
    if (status == SP_OK) status = sp_pond_solver.save(solver, &blob, err);
    if (status == SP_OK) status = sp_pond_solver.restore(solver, &blob, err);
    sp_blob_close(&blob);
    sp_pond_solver.close(solver);
    return status;
}

static void nothing_is_allocated_after_open(void **state)
{
    (void)state;
    sp_budget budget;
    const sp_host ordinary = sp_host_default(2), host = sp_budget_host(&budget, &ordinary, 0);
    const sp_pond_def def = small_busy();
    sp_pond *pond = open_pond(&def, &host);
    const size_t allocations = budget.allocations, used = budget.used;
    for (int k = 0; k < 200; ++k) {
        const sp_pond_nozzle nozzle = {
            .x = 0.1f, .y = 0.1f, .rate = 5.0f, .radius = 0.003f, .on = true};
        assert_ok(sp_pond_tap(pond, 0.01f * (float)(k % 50), 0.3f, 0.02f, ERR));
        assert_ok(sp_pond_splash(pond, 0.2f, 0.3f, 1e-6f, ERR));
        assert_ok(sp_pond_add_nozzle(pond, &nozzle, ERR));
        assert_ok(sp_pond_set(pond, "gravity", 9.0 + 0.01 * k, ERR));
        step_frames(pond, 1);
        assert_true(sp_pond_draw(pond)->level != NULL);
    }
    assert_true(pond->foam.set.count > 50); // every stage had something to do
    assert_ok(sp_pond_reset(pond, ERR));
    assert_int_equal(budget.allocations, allocations);
    assert_int_equal(budget.used, used);
    sp_pond_close(pond);
    assert_int_equal(budget.used, 0);
}

static sp_pond_def tiny(void)
{
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 8;
    def.max_bubbles = def.max_foam = def.max_ghosts = 32;
    return def;
}

static sp_pond_def full_of_bubbles(void)
{
    sp_pond_def def = sp_pond_defaults();
    def.max_bubbles = 50000;
    def.max_ghosts = 20000;
    return def;
}

static sp_pond_def full_of_foam(void)
{
    sp_pond_def def = sp_pond_defaults();
    def.max_foam = 100000;
    return def;
}

static sp_pond_def wide(void)
{
    sp_pond_def def = sp_pond_defaults();
    def.nx = 300;
    def.ny = 500;
    def.render_scale = 4;
    def.tracers = 20000;
    return def;
}

/// The estimate decides whether a scene is refused. It is never less than the allocation, and not
/// so much more that a scene that fits is refused.
static void estimate_matches_the_bytes_open_takes(void **state)
{
    (void)state;
    sp_pond_def (*const makers[])(void) = {tiny,         small_busy, sp_pond_defaults,
                                           full_of_foam, wide,       full_of_bubbles};
    for (size_t k = 0; k < sizeof makers / sizeof *makers; ++k) {
        sp_budget budget;
        const sp_host ordinary = sp_host_default(1), host = sp_budget_host(&budget, &ordinary, 0);
        const sp_pond_def def = makers[k]();
        sp_pond *pond = open_pond(&def, &host);
        const double taken = (double)budget.used, announced = (double)sp_pond_bytes(&def);
        if (!(announced >= taken && announced <= 1.35 * taken))
            fail_msg("def %zu: announced %.0f bytes, took %.0f", k, announced, taken);
        sp_pond_close(pond);
    }
}

static void too_small_budget_is_reported_in_one_sentence(void **state)
{
    (void)state;
    sp_budget budget;
    const sp_pond_def def = sp_pond_defaults();
    const sp_host ordinary = sp_host_default(1),
                  host = sp_budget_host(&budget, &ordinary, sp_pond_bytes(&def) / 2);
    sp_pond *pond;
    assert_int_equal(sp_pond_open(&def, &host, &pond, ERR), SP_NO_MEMORY);
    assert_null(pond);
    assert_int_equal(budget.used, 0);
    assert_non_null(strstr(ERR->text, "pond"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_failing_allocations(whole_life, 1, 50),
        cmocka_unit_test(nothing_is_allocated_after_open),
        cmocka_unit_test(estimate_matches_the_bytes_open_takes),
        cmocka_unit_test(too_small_budget_is_reported_in_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
