// SPDX-License-Identifier: Apache-2.0
// links: validate liquid poisson bulk shapes particles tiles frame core
/// The memory estimate of a scene against the memory that it takes.
#include "testing.h"
#include "validate/liquid/proofs.h"

/// Runs a case with frames and checkpoints. Returns the peak of memory in use, bytes.
static double taken_by(liquid_case *c, double seconds)
{
    const sp_host inner = sp_host_default(1);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &inner, 0);
    liquid *s;
    assert_ok(liquid_case_open(c, &host, &s, ERR));
    for (int k = 0; k <= 24.0 * seconds; ++k) {
        sp_frame frame = {0};
        sp_blob state = {.host = &host};
        if (k > 0) assert_ok(sp_liquid_solver.step(s, k / 24.0, ERR));
        assert_ok(sp_liquid_solver.publish(s, &frame, ERR));
        assert_ok(sp_liquid_solver.save(s, &state, ERR));
        assert_int_equal(state.size, state.capacity); // no spare memory was allocated
        sp_blob_close(&state);
    }
    sp_liquid_solver.close(s);
    assert_int_equal(atomic_load(&budget.used), 0);
    return (double)atomic_load(&budget.peak);
}

static double estimate_of(const liquid_case *c, double seconds)
{
    const sp_setup setup = {.def = &c->def, .world = &c->scene.world, .seconds = seconds};
    return liquid_estimate(&setup);
}

/// A column of water, a third of the tank, that falls and splashes at the other end.
static void make_dam(liquid_case *c, int voxels)
{
    const float h = 1.0f / (float)voxels;
    liquid_case_domain(c, SP_LIQUID_FLIP, 1.0f, 0.5f, 0.5f, h);
    c->def.aeration = true;
    proof_fill(&c->scene, (sp_box_def){.max = {0.34f, 0.4f, 0.5f}});
}

/// 12 MB are resident before anything is opened and are not counted here; 8 MB are for what does
/// not grow with the water.
static void memory_use_stays_below_the_estimate(void **state)
{
    (void)state;
    static const struct {
        int method, narrow_band;
    } rows[] = {{SP_LIQUID_FLIP, 4}, {SP_LIQUID_APIC, 0}, {SP_LIQUID_EULERIAN, 0}};
    const double seconds = 0.5, program = 12e6, fixed = 8e6;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        liquid_case c;
        make_dam(&c, 32);
        c.def.method = rows[i].method;
        c.def.narrow_band = rows[i].narrow_band;
        const double taken = taken_by(&c, seconds), said = estimate_of(&c, seconds) - program;
        print_message("method %d: %.1f MB taken, %.1f MB said\n", c.def.method, 1e-6 * taken,
                      1e-6 * said);
        assert_true(taken < said);
        assert_true(said < 2.0 * taken + fixed); // nor far too large: it decides what is refused
    }
}

/// Ground below a height field of water does not count as water.
static void estimate_counts_water_above_the_ground_only(void **state)
{
    (void)state;
    static float floor_of_it[4] = {0.3f, 0.3f, 0.3f, 0.3f}, level[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    liquid_case c;
    liquid_case_domain(&c, SP_LIQUID_FLIP, 1.0f, 1.0f, 1.0f, 0.05f);
    const sp_heightfield_def ground = {.heights = {.values = floor_of_it, .width = 2, .height = 2},
                                       .min = {0, 0, 0},
                                       .max = {1, 1, 1}};
    sp_heightfield_def water = ground;
    water.heights.values = level;
    const sp_emitter_def fill = {.mode = SP_EMIT_FILL, .shape = {.heightfield = &water}};
    const sp_collider_def valley = {.shape = {.heightfield = &ground}};
    c.scene.world.emitters = &fill;
    c.scene.world.colliders = &valley;
    c.scene.world.emitter_count = c.scene.world.collider_count = 1;
    const sp_setup setup = {.def = &c.def, .world = &c.scene.world};
    // 20 x 20 columns of four voxels; heights are floats, exact to 1e-7 of them
    assert_true(fabs(liquid_water_cells(&setup) / 1600.0 - 1.0) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_use_stays_below_the_estimate),
        cmocka_unit_test(estimate_counts_water_above_the_ground_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
