// SPDX-License-Identifier: Apache-2.0
// links: still tiles shapes frame core
/// The solver `still`: everything is placed as the scene says, on any number of threads.
#include "scarce_host.h"
#include "still/still.h"
#include "testing.h"

#include <math.h>
#include <string.h>

static const sp_still_hero hero = {.center = {0.02f, 0.05f, 0.0f}, .radius = 0.02f, .flat = 0.3f};
static const sp_still_plume plume = {.from = {-0.04f, 0.01f, 0.0f},
                                     .to = {-0.04f, 0.09f, 0.0f},
                                     .spread_from = 0.004f,
                                     .spread_to = 0.008f,
                                     .count = 2000,
                                     .smallest = 0.0003f,
                                     .largest = 0.002f,
                                     .power = 3.0f,
                                     .rise = 0.2f};
static const sp_still_raft raft = {.center = {0.0f, 0.0f, 0.0f},
                                   .spread = 0.02f,
                                   .count = 400,
                                   .smallest = 0.001f,
                                   .largest = 0.002f,
                                   .power = 2.0f};

static sp_still_def small_tank(void)
{
    sp_still_def def;
    sp_keys_defaults(&sp_still_keys, &def);
    def.voxel = 0.004f;
    const sp_still_water water = {
        .min = {-0.08f, 0.0f, -0.05f}, .max = {0.08f, 0.1f, 0.05f}, .ripple = 0.0f, .wave = 0.1f};
    def.water = water;
    def.heroes = &hero;
    def.plumes = &plume;
    def.rafts = &raft;
    def.hero_count = def.plume_count = def.raft_count = 1;
    return def;
}

static sp_frame publish(const sp_still_def *def, const sp_host *host, void **solver)
{
    sp_frame frame = {.fps = 24.0};
    const sp_setup setup = {.def = def, .seed = 7};
    assert_ok(sp_still_solver.check(&setup, ERR));
    assert_ok(sp_still_solver.open(&setup, host, solver, ERR));
    assert_ok(sp_still_solver.publish(*solver, &frame, ERR));
    assert_ok(sp_frame_check(&frame, ERR));
    assert_ok(sp_frame_check_finite(&frame, ERR));
    return frame;
}

/// Cells cut by a flat face count exactly. The box has its edges and corners rounded over a cell,
/// which is 1 % here.
static void the_water_has_the_volume_of_its_box(void **state)
{
    (void)state;
    const sp_still_def def = small_tank();
    void *solver;
    const sp_frame frame = publish(&def, HOST, &solver);
    assert_string_equal(frame.stats[2].name, "water_m3");
    assert_true(fabs(frame.stats[2].value / (0.16 * 0.1 * 0.1) - 1.0) < 0.01);
    sp_still_solver.close(solver);
}

static void every_bubble_is_in_the_water_and_apart_from_the_large_one(void **state)
{
    (void)state;
    const sp_still_def def = small_tank();
    void *solver;
    const sp_frame frame = publish(&def, HOST, &solver);
    const sp_set *set = sp_frame_set(&frame, "bubbles");
    const float *p = sp_set_column(set, "position")->data, *r = sp_set_column(set, "radius")->data;
    // the large bubble's particles are half a voxel apart: as many as fit its volume, except at its
    // rounded edge
    size_t filled = 0;
    for (size_t i = 0; i < set->count; ++i) {
        assert_true(p[3 * i + 1] > 0.0f && p[3 * i + 1] < 0.1f && fabsf(p[3 * i + 0]) < 0.08f &&
                    fabsf(p[3 * i + 2]) < 0.05f);
        const float dx = p[3 * i + 0] - 0.02f, dy = p[3 * i + 1] - 0.05f, dz = p[3 * i + 2];
        if (sqrtf(dx * dx + dy * dy + dz * dz) < 0.02f && r[i] > 0.00124f && r[i] < 0.00125f)
            ++filled;
    }
    assert_int_equal(filled + 2000, set->count);
    // a ball cut at 0.3 of its height: V = pi h^2 (3R - h)/3 is missing, h = 0.6 R
    const double whole = 4.0 / 3.0 * SP_PI_D * 8e-6, cut = SP_PI_D * 1.44e-4 * (0.06 - 0.012) / 3.0;
    assert_true(fabs((double)filled * 8e-9 / (whole - cut) - 1.0) < 0.08);
    sp_still_solver.close(solver);
}

static void foam_floats_without_overlapping(void **state)
{
    (void)state;
    const sp_still_def def = small_tank();
    void *solver;
    const sp_frame frame = publish(&def, HOST, &solver);
    const sp_set *set = sp_frame_set(&frame, "foam");
    const float *p = sp_set_column(set, "position")->data, *r = sp_set_column(set, "radius")->data;
    assert_true(set->count > 50 && set->count <= 400);
    for (size_t i = 0; i < set->count; ++i) {
        assert_true(fabsf(p[3 * i + 1] - 0.1f) < r[i]);
        for (size_t j = 0; j < i; ++j) {
            const float dx = p[3 * i + 0] - p[3 * j + 0], dz = p[3 * i + 2] - p[3 * j + 2];
            assert_true(sqrtf(dx * dx + dz * dz) >= 0.899f * (r[i] + r[j]));
        }
    }
    sp_still_solver.close(solver);
}

static void frames_do_not_depend_on_threads_or_restoring(void **state)
{
    (void)state;
    const sp_still_def def = small_tank();
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        const sp_host host = sp_host_default(threads);
        void *solver, *again;
        sp_frame frame = publish(&def, &host, &solver);
        if (threads == 1) first = frame.hash;
        assert_true(frame.hash == first);
        sp_blob blob = {.host = &host};
        assert_ok(sp_still_solver.step(solver, 0.5, ERR));
        assert_ok(sp_still_solver.publish(solver, &frame, ERR));
        const uint64_t later = frame.hash;
        assert_ok(sp_still_solver.save(solver, &blob, ERR));
        frame = publish(&def, &host, &again);
        assert_ok(sp_still_solver.restore(again, &blob, ERR));
        assert_ok(sp_still_solver.publish(again, &frame, ERR));
        assert_true(frame.hash == later && later != first && frame.time == 0.5);
        sp_blob_close(&blob);
        sp_still_solver.close(solver);
        sp_still_solver.close(again);
    }
}

static sp_status open_and_close(const sp_host *host, sp_error *err)
{
    const sp_still_def def = small_tank();
    const sp_setup setup = {.def = &def, .seed = 7};
    void *solver;
    const sp_status status = sp_still_solver.open(&setup, host, &solver, err);
    assert_int_equal(status == SP_OK, solver != NULL);
    sp_still_solver.close(solver);
    return status;
}

static void impossible_scenes_are_refused(void **state)
{
    (void)state;
    sp_still_def def = small_tank();
    const sp_setup setup = {.def = &def};
    def.water.max[1] = -1.0f;
    assert_fails(sp_still_solver.check(&setup, ERR), SP_BAD_INPUT, "still.water.max");
    def = small_tank();
    sp_still_plume turned = plume;
    turned.smallest = 0.01f;
    def.plumes = &turned;
    assert_fails(sp_still_solver.check(&setup, ERR), SP_BAD_INPUT, "still.plumes[0].smallest");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_water_has_the_volume_of_its_box),
        cmocka_unit_test(every_bubble_is_in_the_water_and_apart_from_the_large_one),
        cmocka_unit_test(foam_floats_without_overlapping),
        cmocka_unit_test(frames_do_not_depend_on_threads_or_restoring),
        test_failing_allocations(open_and_close, 1, 1),
        cmocka_unit_test(impossible_scenes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
