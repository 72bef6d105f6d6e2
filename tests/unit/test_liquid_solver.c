// SPDX-License-Identifier: Apache-2.0
// links: validate liquid poisson bulk shapes particles tiles frame core
/// The whole solver in scenes of a few tiles: refusals, memory, warnings, and truncated states.
#include "logging_host.h"
#include "scarce_host.h"
#include "validate/cases.h"
#include "validate/liquid/proofs.h"

/// A tank of 16 voxels with a flow into it and a body that turns.
static void make_small(liquid_case *c, sp_spin_def *spin)
{
    liquid_case_domain(c, SP_LIQUID_FLIP, 0.16f, 0.16f, 0.08f, 0.01f);
    c->def.aeration = true;
    proof_fill(&c->scene, (sp_box_def){.max = {0.16f, 0.07f, 0.08f}});
    proof_flow(&c->scene, (sp_box_def){{0.0f, 0.09f, 0.02f}, {0.03f, 0.12f, 0.06f}},
               (const float[3]){0.5f, 0.0f, 0.0f});
    *spin = (sp_spin_def){.center = {0.1f, 0.05f, 0.04f}, .axis = {0, 0, 1}, .rpm = 60.0f};
    proof_box(&c->scene, (sp_box_def){{0.07f, 0.04f, 0.02f}, {0.13f, 0.06f, 0.06f}})->motion.spin =
        spin;
}

/// ---- Refusals ----------------------------------------------------------------------------------

static void assert_refused(liquid_case *c, const char *key)
{
    liquid *s;
    assert_fails(liquid_case_open(c, HOST, &s, ERR), SP_BAD_INPUT, key);
    assert_null(s);
}

static void bad_defs_are_refused_by_their_key(void **state)
{
    (void)state;
    liquid_case c;
    sp_spin_def spin;
    make_small(&c, &spin);
    c.def.narrow_band = 2;
    assert_refused(&c, "liquid.narrow_band");
    make_small(&c, &spin);
    c.def.particles_per_cell = 5;
    assert_refused(&c, "liquid.particles_per_cell");
    make_small(&c, &spin);
    c.def.min_steps = 40;
    assert_refused(&c, "liquid.min_steps");
    make_small(&c, &spin);
    c.def.sides.left = SP_LIQUID_PERIODIC;
    assert_refused(&c, "liquid.sides.left");
    make_small(&c, &spin);
    c.def.voxel = 0.012f; // 6 2/3 voxels along z
    c.def.sides.back = c.def.sides.front = SP_LIQUID_PERIODIC;
    assert_refused(&c, "liquid.voxel");
    make_small(&c, &spin);
    c.def.voxel = 1e-8f;
    assert_refused(&c, "liquid.voxel: 1e-08 m over a 0.16 m box needs");
    // No place is a voxel away from both walls.
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.16f, 0.16f, 0.01f, 0.01f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.16f, 0.07f, 0.01f}});
    assert_refused(&c, "liquid.voxel: 0.01 m makes 1 voxels along z of the domain; expected 2 to");
    make_small(&c, &spin);
    c.def.sides.level = 0.05f;
    c.scene.world.gravity[0] = 1.0f;
    assert_refused(&c, "liquid.sides.level: given with gravity [1, ");
    make_small(&c, &spin);
    c.def.sides.level = 0.05f; // the top alone is open
    assert_refused(&c, "liquid.sides.level: 0.05 m, but no open side reaches below it");
    make_small(&c, &spin);
    c.def.sides.level = -0.05f;
    c.def.sides.right = SP_LIQUID_OPEN;
    assert_refused(&c, "liquid.sides.level: -0.05 m, but no open side reaches below it");
    make_small(&c, &spin);
    c.scene.world.emitter_count = 0;
    assert_refused(&c, "emitters");
    make_small(&c, &spin);
    c.scene.world.emitter_count = 1; // the fill alone, and a rock over it
    proof_box(&c.scene, (sp_box_def){{-1, -1, -1}, {1, 0.1f, 1}});
    assert_refused(&c, "emitters[0]");
    make_small(&c, &spin);
    c.def.sides.top = SP_LIQUID_PERIODIC; // top and bottom cannot be periodic
    assert_fails(sp_keys_check(&sp_liquid_keys, &c.def, "liquid", ERR), SP_BAD_INPUT,
                 "liquid.sides.top: 2; expected wall or open");
}

/// ---- The start ---------------------------------------------------------------------------------

/// A tank of any width is filled to the requested height, 7 of 16 voxels. The level is half a voxel
/// away from where phi is read, so only rounding is left.
static void narrow_tanks_begin_full(void **state)
{
    (void)state;
    for (int wide = 2; wide <= 9; ++wide) {
        liquid_case c;
        liquid *s;
        const float z = 0.01f * (float)wide;
        liquid_case_domain(&c, SP_LIQUID_APIC, 0.16f, 0.16f, z, 0.01f);
        proof_fill(&c.scene, (sp_box_def){.max = {0.16f, 0.07f, z}});
        c.def.narrow_band = 4;
        assert_ok(liquid_case_open(&c, HOST, &s, ERR));
        assert_true(fabs(s->figures.start_volume / (0.16 * 0.07 * (double)z) - 1.0) < 1e-4);
        liquid_close(s);
    }
}

/// ---- Warnings ----------------------------------------------------------------------------------

/// One iteration does not suffice. Plain conjugate gradients continue, but cannot reach 1e-12 in
/// floats.
static void unconverged_pressure_is_logged_once_per_frame(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-5, 1e-12};
    const sp_host host = logging_host(1);
    for (int i = 0; i < 2; ++i) {
        liquid_case c;
        sp_spin_def spin;
        liquid *s;
        make_small(&c, &spin);
        c.def.pressure.max_iterations = 1;
        c.def.pressure.tolerance = tolerances[i];
        c.def.min_steps = c.def.max_steps = 4; // ten in a row would end the run
        clear_log();
        assert_ok(liquid_case_open(&c, &host, &s, ERR));
        for (int frame = 1; frame <= 2; ++frame) {
            assert_ok(sp_liquid_solver.step(s, frame / 240.0, ERR));
            assert_int_equal(warnings, frame);
            assert_non_null(strstr(last_warning, "liquid: pressure"));
        }
        sp_liquid_solver.close(s);
    }
}

/// ---- Fills and emitters ------------------------------------------------------------------------

/// A height field is meshed down to a tenth of its width below its heights, but the fill reaches
/// the floor, and it continues beside the given heights.
static void a_height_field_fills_down_to_the_floor(void **state)
{
    (void)state;
    static float flat[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.16f, 0.4f, 0.16f, 0.01f);
    proof_fill_heights(&c.scene,
                       (sp_heightfield_def){.heights = {.width = 2, .height = 2, .values = flat},
                                            .min = {0.04f, 0.28f, 0.04f},
                                            .max = {0.12f, 0.32f, 0.12f}});
    assert_ok(liquid_case_open(&c, HOST, &s, ERR));
    const double full = 0.16 * 0.16 * 0.3;                          // half way between min and max
    assert_true(fabs(s->figures.start_volume / full - 1.0) < 0.01); // a third of a voxel of 30
    liquid_close(s);
}

/// A bank beside the water ends in the topmost voxels of its tiles, with no tiles above. The value
/// assumed for the missing tiles must not look like a slope with water on the bank.
static void dry_bank_stays_dry_where_tiles_end(void **state)
{
    (void)state;
    for (int tenths = 1; tenths <= 9; tenths += 2) {
        liquid_case c;
        liquid *s;
        double top = 0.0;
        liquid_case_domain(&c, SP_LIQUID_FLIP, 0.32f, 0.4f, 0.16f, 0.01f);
        c.def.aeration = true;
        proof_fill(&c.scene, (sp_box_def){.max = {0.16f, 0.06f, 0.16f}});
        proof_box(&c.scene, (sp_box_def){{0.16f, -0.1f, -0.1f},
                                         {0.5f, 0.11f + 0.001f * (float)tenths, 0.3f}});
        assert_ok(liquid_case_open(&c, HOST, &s, ERR));
        assert_ok(liquid_case_run(s, 0.02, ERR));
        for (size_t t = 0; t < s->grid.tiles.count; ++t)
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                double p[3];
                liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
                top = p[0] > 0.16 && p[1] > top ? p[1] : top;
                if (p[1] > 0.08) assert_true(s->grid.phi[t * SP_TILE_VOXELS + (size_t)n] > 0.0f);
            }
        assert_true(top > 0.11 && top < 0.12); // otherwise nothing is tested
        liquid_close(s);
    }
}

/// Water stands on a shelf two voxels above the floor. The slit below it stays dry: neither of its
/// walls connects it to the water.
static void a_slit_behind_a_solid_begins_dry(void **state)
{
    (void)state;
    for (int gap = 3; gap <= 6; ++gap) { // half voxels
        liquid_case c;
        liquid *s;
        const float low = 0.005f * (float)gap, high = low + 0.03f;
        liquid_case_domain(&c, SP_LIQUID_FLIP, 0.16f, 0.32f, 0.16f, 0.01f);
        proof_box(&c.scene, (sp_box_def){{-0.1f, low, -0.1f}, {0.3f, high, 0.3f}});
        proof_fill(&c.scene, (sp_box_def){{0.0f, high, 0.0f}, {0.16f, high + 0.08f, 0.16f}});
        assert_ok(liquid_case_open(&c, HOST, &s, ERR));
        const double full = 0.16 * 0.16 * 0.08;
        assert_true(fabs(s->figures.start_volume / full - 1.0) <
                    0.01); // an eighth of it is a voxel
        liquid_close(s);
    }
}

/// Below the narrow band, particles of an emitter would be dropped in the same step. Its inflow is
/// counted all the same: speed times area, within one particle a step.
static void emitter_below_the_band_seeds_nothing_and_counts_its_inflow(void **state)
{
    (void)state;
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.16f, 0.4f, 0.16f, 0.01f);
    c.def.aeration = true;
    proof_fill(&c.scene, (sp_box_def){.max = {0.16f, 0.24f, 0.16f}});
    proof_flow(&c.scene, (sp_box_def){{-0.1f, 0.04f, 0.04f}, {0.03f, 0.1f, 0.1f}},
               (const float[3]){0.4f, 0.0f, 0.0f})
        ->ramp = 0.0f;
    assert_ok(liquid_case_open(&c, HOST, &s, ERR));
    assert_ok(liquid_case_run(s, 0.25, ERR));
    const sp_liquid_figures f = sp_liquid_look(s);
    const double came = (double)f.emitted * 1e-6 / 8.0, wanted = 0.4 * 0.06 * 0.06 * 0.25;
    assert_true(fabs(came / wanted - 1.0) < 0.02);
    assert_true(f.thinned < f.particles / 10);
    liquid_close(s);
}

/// A closed box full of water cannot take more. All that comes is counted, with and without particles, and the frame
/// says how much of it is lost, once until it doubles.
static void jet_into_a_full_closed_box_says_what_is_lost(void **state)
{
    (void)state;
    static const int methods[] = {SP_LIQUID_FLIP, SP_LIQUID_EULERIAN};
    for (int m = 0; m < 2; ++m) {
        const sp_host host = logging_host(1);
        liquid_case c;
        liquid *s;
        sp_frame frame = {.fps = 24.0};
        liquid_case_domain(&c, methods[m], 0.16f, 0.16f, 0.16f, 0.02f);
        c.def.sides.top = SP_LIQUID_WALL;
        proof_fill(&c.scene, (sp_box_def){.max = {0.16f, 0.16f, 0.16f}});
        proof_flow(&c.scene, (sp_box_def){{-0.1f, 0.04f, 0.04f}, {0.04f, 0.12f, 0.12f}},
                   (const float[3]){50.0f, 0.0f, 0.0f})
            ->ramp = 0.0f;
        assert_ok(liquid_case_open(&c, &host, &s, ERR));
        assert_ok(liquid_publish(s, &frame, ERR));
        assert_null(strstr(logged, "lost"));
        assert_ok(liquid_case_run(s, 0.02, ERR));
        const sp_liquid_figures f = sp_liquid_look(s);
        const double came = 50.0 * 0.08 * 0.08 * 0.02, full = 0.16 * 0.16 * 0.16;
        assert_true(fabs((f.wanted_volume - full) / came - 1.0) < 0.02);
        assert_true(fabs(f.volume / full - 1.0) < 0.02);
        assert_ok(liquid_publish(s, &frame, ERR));
        assert_non_null(strstr(last_warning, "an emitter pours into a space that is full"));
        assert_non_null(strstr(last_warning, "0.0064 m3 of the 0.0105 m3"));
        clear_log();
        assert_ok(liquid_publish(s, &frame, ERR));
        assert_int_equal(warnings, 0);
        liquid_close(s);
    }
}

/// A tank that starts empty has nothing to drift from, so its frame has no drift rather than 0.
static void an_empty_start_has_no_drift(void **state)
{
    (void)state;
    liquid_case c;
    liquid *s;
    sp_frame frame = {.fps = 24.0};
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.16f, 0.16f, 0.16f, 0.02f);
    proof_flow(&c.scene, (sp_box_def){{-0.1f, 0.04f, 0.04f}, {0.04f, 0.12f, 0.12f}},
               (const float[3]){0.5f, 0.0f, 0.0f})
        ->ramp = 0.0f;
    assert_ok(liquid_case_open(&c, HOST, &s, ERR));
    assert_ok(liquid_publish(s, &frame, ERR));
    assert_true(isnan(sp_frame_stat(&frame, "drift")));
    assert_true(sp_frame_stat(&frame, "left_m3") == 0.0);
    assert_ok(liquid_case_run(s, 0.1, ERR));
    assert_ok(liquid_publish(s, &frame, ERR));
    assert_true(fabs(sp_frame_stat(&frame, "drift")) < 0.5);
    liquid_close(s);
}

/// ---- Not a number ------------------------------------------------------------------------------

/// Put a NaN into one field; the table below names the stage that must be reported.
static void spoil_a_particle(liquid *s)
{
    s->particles.v[1][s->particles.set.count / 2] = NAN;
}

static void spoil_pressure(liquid *s) // the initial guess of the solve
{
    for (size_t v = 0; v < s->grid.tiles.count * SP_TILE_VOXELS; ++v)
        if (s->grid.phi[v] < -s->grid.voxel) s->grid.q[v] = NAN;
}

static void nan_is_reported_with_stage_and_voxel(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(liquid *s);
        const char *stage;
    } rows[] = {{spoil_a_particle, "stage 'splat'"}, {spoil_pressure, "stage 'project'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_spin_def spin;
        liquid_case c;
        liquid *s;
        make_small(&c, &spin);
        c.def.narrow_band = 0; // else the particle may be handed to the grid before the check
        assert_ok(liquid_case_open(&c, HOST, &s, ERR));
        assert_ok(liquid_case_run(s, 1.0 / 24.0, ERR));
        rows[i].spoil(s);
        assert_fails(sp_liquid_step(s, 1.0 / 24.0, ERR), SP_DIVERGED, rows[i].stage);
        assert_non_null(strstr(ERR->text, "at voxel ("));
        liquid_close(s);
    }
}

/// ---- Memory ------------------------------------------------------------------------------------

static sp_status open_and_step(const sp_host *host, sp_error *err)
{
    liquid_case c;
    sp_spin_def spin;
    liquid *s;
    make_small(&c, &spin);
    c.def.voxel = 0.02f; // a run for each allocation: eight tiles are enough
    SP_TRY(liquid_case_open(&c, host, &s, err));
    sp_status status = sp_liquid_step(s, 0.01, err);
    uint64_t hash;
    if (status == SP_OK) status = proof_hash(&sp_liquid_solver, s, &hash, err);
    liquid_close(s);
    return status;
}

/// Columns grow by half when they are full; both of the two alternating sets may have grown.
static void particle_capacity_stays_near_the_particle_count(void **state)
{
    (void)state;
    liquid_case c;
    sp_spin_def spin;
    liquid *s;
    make_small(&c, &spin);
    assert_ok(liquid_case_open(&c, HOST, &s, ERR));
    size_t most = s->particles.set.count;
    for (int i = 0; i < 40; ++i) {
        assert_ok(sp_liquid_step(s, 0.01, ERR));
        s->frame_steps = 0;
        const size_t n = s->particles.set.count + s->figures.thinned / (s->steps + 1);
        most = n > most ? n : most;
    }
    assert_true(s->particles.set.capacity <= 3 * most);
    assert_true(s->particles.spare.capacity <= 3 * most);
    liquid_close(s);
}

/// ---- Spray -------------------------------------------------------------------------------------

/// Particles of the set `spray` above a height.
static size_t spray_above(liquid *s, double height)
{
    sp_frame frame = {0};
    size_t n = 0;
    assert_ok(liquid_publish(s, &frame, ERR));
    assert_string_equal(frame.sets[0].name, "spray");
    const float *position = frame.sets[0].columns[0].data;
    for (size_t i = 0; i < frame.sets[0].count; ++i)
        n += s->grid.origin[1] + (double)position[3 * i + 1] > height;
    return n;
}

static bool wet_above(const liquid *s, double height)
{
    for (size_t i = 0; i < s->grid.tiles.count * SP_TILE_VOXELS; ++i) {
        double p[3];
        liquid_voxel_center(&s->grid, (uint32_t)(i / SP_TILE_VOXELS), (int)(i % SP_TILE_VOXELS), p);
        if (s->grid.phi[i] < 0.0f && p[1] > height) return true;
    }
    return false;
}

/// A drop as wide as a voxel falls onto a calm pool. Until it lands every frame shows it, as water
/// or as spray, and the pool has no spray.
static void a_small_drop_never_vanishes_and_calm_water_has_no_spray(void **state)
{
    (void)state;
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.16f, 0.24f, 0.16f, 0.01f);
    c.def.aeration = true;
    proof_fill(&c.scene, (sp_box_def){.max = {0.16f, 0.064f, 0.16f}});
    proof_fill_ball(&c.scene, (sp_sphere_def){{0.083f, 0.221f, 0.078f}, 0.005f});
    assert_ok(liquid_case_open(&c, HOST, &s, ERR));
    while (s->time < 0.12) { // falls 0.07 m
        assert_ok(sp_liquid_step(s, 0.004, ERR));
        s->frame_steps = 0;
        const size_t drop = spray_above(s, 0.1);
        assert_true(drop > 0 || wet_above(s, 0.1));
        assert_int_equal(spray_above(s, 0.0), drop);
    }
    liquid_close(s);
}

/// ---- Saved states ------------------------------------------------------------------------------

static void truncated_state_is_refused(void **state)
{
    (void)state;
    liquid_case c;
    sp_spin_def spin;
    liquid *s;
    sp_blob blob = {.host = HOST};
    make_small(&c, &spin);
    assert_ok(liquid_case_open(&c, HOST, &s, ERR));
    assert_ok(sp_liquid_step(s, 0.01, ERR));
    assert_ok(liquid_save(s, &blob, ERR));
    liquid_close(s);
    const size_t whole = blob.size;
    for (int i = 0; i <= 16; ++i) { // at many places, the last byte among them
        blob.at = 0;
        blob.failed = false;
        blob.size = i < 16 ? whole * (size_t)i / 16 : whole - 1;
        assert_ok(liquid_case_open(&c, HOST, &s, ERR));
        assert_int_equal(liquid_restore(s, &blob, ERR), SP_DAMAGED);
        liquid_close(s);
    }
    blob.size = whole;
    sp_blob_close(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_defs_are_refused_by_their_key),
        cmocka_unit_test(narrow_tanks_begin_full),
        cmocka_unit_test(unconverged_pressure_is_logged_once_per_frame),
        cmocka_unit_test(nan_is_reported_with_stage_and_voxel),
        cmocka_unit_test(a_height_field_fills_down_to_the_floor),
        cmocka_unit_test(dry_bank_stays_dry_where_tiles_end),
        cmocka_unit_test(a_slit_behind_a_solid_begins_dry),
        cmocka_unit_test(emitter_below_the_band_seeds_nothing_and_counts_its_inflow),
        cmocka_unit_test(jet_into_a_full_closed_box_says_what_is_lost),
        cmocka_unit_test(an_empty_start_has_no_drift),
        test_failing_allocations(open_and_step, 1, 40),
        cmocka_unit_test(particle_capacity_stays_near_the_particle_count),
        cmocka_unit_test(a_small_drop_never_vanishes_and_calm_water_has_no_spray),
        cmocka_unit_test(truncated_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
