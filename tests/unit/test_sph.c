// SPDX-License-Identifier: Apache-2.0
// links: validate sph frame
/// The solver from outside: refusals of scenes, memory, threads, and its state.
#include "logging_host.h"
#include "scarce_host.h"
#include "testing.h"
#include "validate/sph/proofs.h"

#include <stdlib.h>

/// A jet from above into a small tank and bubbles from the floor: a scene that uses most features.
static void make_small(sph_case *c)
{
    sph_case_tank(c, 0.18f, 0.4f, 0.18f, 0.02f);
    proof_fill(&c->scene, (sp_box_def){.max = {0.18f, 0.1f, 0.18f}});
    proof_jet(&c->scene, (const float[3]){0.08f, 0.2f, 0.08f}, (const float[3]){0, -1, 0}, 0.03f,
              4.0f);
    sph_case_seed(c, (sp_box_def){{0.04f, 0.02f, 0.04f}, {0.14f, 0.06f, 0.14f}}, 2000.0f);
    c->def.foam.float_time = 0.02f;
    c->scene.emitter[1].ramp = 0.0f;
}

/// ---- Scenes ------------------------------------------------------------------------------------

static void defaults_are_those_of_the_documentation(void **state)
{
    (void)state;
    sp_sph_def d;
    sp_keys_defaults(&sp_sph_keys, &d);
    assert_true(d.spacing == 0.02f && d.support_ratio == 2.0f);
    assert_true(d.density_liquid == 1000.0f && d.density_air == 1.0f);
    assert_int_equal(d.dt_mode, SP_SPH_ADAPTIVE);
    assert_true(d.dt == 0.0015 && d.dt_max == 0.002 && d.dt_min == 1e-6);
    assert_true(d.pressure_momentum == 0.5f && d.eta == 0.01f);
    assert_int_equal(d.pressure_factor, SP_SPH_LATTICE);
    assert_int_equal(d.iteration_target, 12);
    assert_int_equal(d.min_iterations, 3);
    assert_int_equal(d.max_iterations, 30);
    assert_true(d.viscosity == 1.0f && d.surface_tension == 0.0f && d.list_skin == 0.0f);
    assert_int_equal(d.density_correction, SP_SPH_CORRECT_NONE);
    assert_true(d.boundary_volume_scale == 0.7f);
    assert_true(d.air.enabled && d.air.buoyancy_min == 14.0f && d.air.buoyancy_max == 6.0f);
    assert_true(d.air.cohesion == 60.0f && d.air.core == 50.0f && d.air.drag_rate == 22.5f);
    assert_true(d.air.drag_air == 8.0f && d.air.drag_liquid == 3.0f);
    assert_true(d.trapped.enabled && d.trapped.surface_only && d.trapped.v_diff == 0.3f);
    assert_true(d.trapped.v_min == 3.0f && d.trapped.rate == 200.0f);
    assert_int_equal(d.trapped.max_air, 2000000);
    assert_true(d.foam.liquid_fraction == 0.5f && d.foam.float_time == 0.7f);
    assert_int_equal(d.sort_every, 16);
    assert_int_equal(d.seeder_count, 0);
}

static void refused(sph_case *c, const char *text)
{
    c->def.seeders = c->seeder;
    const sp_setup setup = sph_case_setup(c);
    assert_int_equal(sp_sph_solver.check(&setup, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text, text);
}

static void contradictory_scenes_are_refused(void **state)
{
    (void)state;
    sph_case c;
    make_small(&c);
    c.def.min_iterations = 31;
    refused(&c, "sph.min_iterations: 31; expected at most max_iterations, 30");
    make_small(&c);
    c.def.dt_min = 0.5;
    refused(&c, "sph.dt_min: 0.5 s; expected at most dt_max, 0.002 s");
    make_small(&c);
    c.seeder[0].max[1] = 0.0f;
    refused(&c, "sph.seeders[0].max: 0 m along axis 1; expected at least min, 0.02 m");
    make_small(&c);
    c.seeder[0].start = c.seeder[0].stop;
    refused(&c, "sph.seeders[0].stop: 1e+09 s; expected more than start, 1e+09 s");
    make_small(&c);
    c.def.air.enabled = false;
    refused(&c, "sph.seeders: 1; expected none without air.enabled");
    make_small(&c);
    const sp_domain_def domain = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
    c.scene.world.domain = &domain;
    c.scene.emitter[1].center[0] = 3.0f;
    refused(&c, "emitters[1].center: 3 m along axis 0; expected inside the domain, -1 to 1 m");
    make_small(&c);
    const sp_setup good = sph_case_setup(&c);
    assert_ok(sp_sph_solver.check(&good, ERR));
}

/// ---- The start ---------------------------------------------------------------------------------

static void add_lattice(sph *s, float step)
{
    for (int k = 0; k < 216; ++k)
        sph_case_add(s, &s->liquid, step * (float)(k % 6), step * (float)(k / 6 % 6),
                     step * (float)(k / 36), ERR);
}

/// A lattice of 6^3 particles closer than the spacing.
static sp_status check_packed(float step, sp_error *err)
{
    const sp_host host = logging_host(1);
    sph_case c;
    sph *s;
    sph_case_nothing(&c, 0.02f);
    assert_ok(sph_case_open(&c, &host, &s, ERR));
    add_lattice(s, step);
    clear_log();
    const sp_status status = sph_check_start(s, err);
    sph_close(s);
    return status;
}

/// (C) over all pairs: rho_i / sum (m/rho_j) W_ij where that is below 1.
static double corrected_density(const sph_phase *p, size_t i, double h)
{
    double sum = 0.0;
    for (size_t j = 0; j < p->cells.count; ++j) {
        double r2 = 0.0;
        for (size_t c = 0; c < 3; ++c)
            r2 += pow((double)p->at[4 * i + c] - (double)p->at[4 * j + c], 2.0);
        sum += (double)p->mass / (double)p->rho[j] * sph_kernel(sqrt(r2), h);
    }
    return (double)p->rho[i] / fmin(sum, 1.0);
}

/// Forces divide by the fourth number of a place. At the corners of a block of water it is 9 % larger with the
/// correction; in the pressure loop, "output" leaves densities as they are.
static void density_correction_acts_on_what_forces_divide_by(void **state)
{
    (void)state;
    for (int word = SP_SPH_CORRECT_NONE; word <= SP_SPH_CORRECT_SOLVER; ++word) {
        sph_case c;
        sph *s;
        double most = 0.0;
        sph_case_nothing(&c, 0.02f);
        c.def.density_correction = word;
        assert_ok(sph_case_open(&c, HOST, &s, ERR));
        add_lattice(s, 0.02f);
        assert_ok(sph_check_start(s, ERR));
        const sph_phase *p = &s->liquid;
        for (size_t k = 0; k < 216; ++k) {
            const double rho = (double)p->rho[k], shown = (double)p->at[4 * k + 3];
            const double expected =
                word == SP_SPH_CORRECT_NONE ? rho : corrected_density(p, k, (double)s->h);
            assert_true(fabs(shown / expected - 1.0) < 1e-5); // floats of some 40 terms
            most = fmax(most, shown / rho);
        }
        assert_true(word == SP_SPH_CORRECT_NONE ? most == 1.0 : most > 1.05);
        sph_close(s);
    }
}

static void compressed_start_is_refused_or_logged(void **state)
{
    (void)state;
    assert_ok(check_packed(0.02f, ERR));
    assert_string_equal(last_warning, "");
    assert_ok(check_packed(0.0198f, ERR)); // 3 % denser
    assert_memory_equal(last_warning, "sph: initial liquid is compressed by 3.", 39);
    assert_fails(check_packed(0.019f, ERR), SP_BAD_INPUT,
                 "sph: initial liquid is compressed by 1"); // 17 %
    assert_non_null(strstr(ERR->text, "keep one spacing (0.02 m) to colliders or lower "
                                      "boundary_volume_scale"));
}

static void fixed_step_too_long_for_a_jet_is_logged(void **state)
{
    (void)state;
    const sp_host host = logging_host(1);
    sph_case c;
    sph *s;
    make_small(&c);
    c.scene.emitter[1].name = "jet_3";
    c.scene.emitter[1].speed = 9.0f;
    c.def.dt_mode = SP_SPH_FIXED;
    c.def.dt = 0.002;
    clear_log();
    assert_ok(sph_case_open(&c, &host, &s, ERR));
    sph_close(s);
    assert_string_equal(last_warning,
                        "sph: dt 0.002 s is too long for emitter \"jet_3\" (9 m/s): at most "
                        "0.00178 s at spacing 0.02 m");
}

static void opens_not(sph_case *c, sp_status why, const char *text)
{
    sph *s;
    assert_int_equal(sph_case_open(c, HOST, &s, ERR), why);
    assert_string_equal(ERR->text, text);
}

static void a_jet_into_a_wall_is_refused(void **state)
{
    (void)state;
    sph_case c;
    sph_case_tank(&c, 0.42f, 0.6f, 0.42f, 0.02f);
    c.scene.solid[0].thickness = 0.02f;
    sp_emitter_def *jet = proof_jet(&c.scene, (const float[3]){0.42f, 0.3f, 0.21f},
                                    (const float[3]){1.0f, 0.0f, 0.0f}, 0.04f, 3.0f);
    jet->name = "hose";
    opens_not(&c, SP_BAD_INPUT,
              "emitter \"hose\": the mouth opens into collider \"tank\"; move center or turn "
              "direction");
}

/// Two jets in one place give each particle a twin; one after the other they do not meet, nor side by side.
static void jets_that_overlap_are_refused(void **state)
{
    (void)state;
    static const struct {
        float x, start;
        bool meet;
    } rows[] = {{0.1f, 0.0f, true}, {0.12f, 0.0f, true}, {0.2f, 0.0f, false}, {0.1f, 1.0f, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sph_case c;
        sph *s;
        sph_case_nothing(&c, 0.02f);
        proof_jet(&c.scene, (const float[3]){0.1f, 0.3f, 0.1f}, (const float[3]){0, -1, 0}, 0.04f,
                  3.0f);
        c.scene.emitter[0].name = "first";
        c.scene.emitter[0].stop = 1.0f;
        sp_emitter_def *other = proof_jet(&c.scene, (const float[3]){rows[i].x, 0.31f, 0.1f},
                                          (const float[3]){0, -1, 0}, 0.04f, 3.0f);
        other->name = "second";
        other->start = rows[i].start;
        if (rows[i].meet) {
            assert_fails(sph_case_open(&c, HOST, &s, ERR), SP_BAD_INPUT,
                         "its mouth lies in the pipe of emitter");
        } else {
            assert_ok(sph_case_open(&c, HOST, &s, ERR));
            sph_close(s);
        }
    }
}

static void water_beyond_float_precision_is_refused(void **state)
{
    (void)state;
    sph_case c;
    sph_case_nothing(&c, 0.02f);
    proof_fill(&c.scene, (sp_box_def){{5000.0f, 0.0f, 0.0f}, {5000.1f, 0.1f, 0.1f}});
    sph *s;
    assert_fails(sph_case_open(&c, HOST, &s, ERR), SP_BAD_INPUT,
                 "expected within 1.68e+03 m of the origin at spacing");
}

/// Steps of ten milliseconds for particles that collide at two centimetres: logged once, counted,
/// and in the end the run fails.
static void far_too_long_fixed_steps_end_the_run(void **state)
{
    (void)state;
    const sp_host host = logging_host(1);
    sph_case c;
    sph *s;
    sph_case_tank(&c, 0.42f, 0.6f, 0.42f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.42f, 0.22f, 0.42f}});
    c.def.dt_mode = SP_SPH_FIXED;
    c.def.dt = 0.04;
    assert_ok(sph_case_open(&c, &host, &s, ERR));
    clear_log();
    assert_fails(sph_case_run(s, 4.0, ERR), SP_DIVERGED, "shorten sph.dt");
    assert_non_null(strstr(last_warning, "shorten sph.dt or set dt_mode to \"adaptive\""));
    assert_true(s->figures.failures >= 10);
    sph_close(s);
}

/// 13 steps of 0.7 ms end 2e-18 s before 9.1 ms. A step of that length moved water by a share of its
/// spacing, too: drops flew apart at 1e6 m/s.
static void fixed_steps_leave_no_step_of_rounding_length(void **state)
{
    (void)state;
    static const double ends[] = {0.0091, 0.00945, 0.01}; // the last two steps share what is left
    static const uint64_t steps[] = {13, 14, 15};
    for (size_t k = 0; k < 3; ++k) {
        sph_case c;
        sph *s;
        make_small(&c);
        c.def.dt_mode = SP_SPH_FIXED;
        c.def.dt = 0.0007;
        assert_ok(sph_case_open(&c, HOST, &s, ERR));
        double shortest = 1.0;
        uint64_t n = 0;
        for (; s->time < ends[k] && n < 100; ++n) {
            const double before = s->time;
            assert_ok(sp_sph_step(s, ends[k] - before, ERR));
            shortest = fmin(shortest, s->time - before);
        }
        assert_int_equal(n, steps[k]);
        assert_true(shortest > 0.00034);
        sph_close(s);
    }
}

/// A step that needs less than dt_min is a failure, even though it converges: ten in a row end the
/// run. Otherwise it would never end.
static void steps_below_dt_min_end_the_run(void **state)
{
    (void)state;
    sph_case c;
    sph *s;
    sph_case_tank(&c, 0.42f, 0.6f, 0.42f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.42f, 0.22f, 0.42f}});
    c.def.dt_min = c.def.dt_max = 0.02;
    assert_ok(sph_case_open(&c, HOST, &s, ERR));
    assert_fails(sph_case_run(s, 4.0, ERR), SP_DIVERGED, "10 steps in a row did not converge");
    assert_true(s->figures.failures < 10); // most steps did converge
    sph_close(s);
}

static void scene_without_water_runs(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sph_case c;
    sph *s;
    sp_frame frame = {0};
    sph_case_nothing(&c, 0.02f);
    assert_ok(sph_case_open(&c, &host, &s, ERR));
    assert_ok(sph_case_run(s, 0.01, ERR));
    assert_ok(sp_sph_solver.publish(s, &frame, ERR));
    assert_int_equal(sp_sph_look(s).liquid, 0);
    sph_close(s);
}

/// ---- Memory ------------------------------------------------------------------------------------

static sp_status whole_life(const sp_host *host, sp_error *err)
{
    sph_case c;
    sph *s = NULL;
    sp_frame frame = {0};
    sp_blob blob = {.host = host};
    make_small(&c);
    sp_status status = sph_case_open(&c, host, &s, err);
    if (status == SP_OK) status = sph_case_run(s, 0.03, err);
    if (status == SP_OK) status = sp_sph_solver.publish(s, &frame, err);
    if (status == SP_OK) status = sp_sph_solver.save(s, &blob, err);
    if (status == SP_OK) status = sp_sph_solver.restore(s, &blob, err);
    sp_blob_close(&blob);
    sph_close(s);
    return status;
}

/// ---- Determinism -------------------------------------------------------------------------------

static uint64_t hash_of(sph *s)
{
    sp_frame frame = {0};
    assert_ok(sp_sph_solver.publish(s, &frame, ERR));
    return frame.hash;
}

static void hash_does_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    uint64_t first = 0;
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        sph_case c;
        sph *s;
        make_small(&c);
        c.def.sort_every = k % 2 ? 1 : 16;
        assert_ok(sph_case_open(&c, &host, &s, ERR));
        assert_ok(sph_case_run(s, 0.1, ERR));
        const uint64_t hash = hash_of(s);
        if (k == 0) first = hash;
        assert_int_equal(hash, first);
        assert_true(sp_sph_look(s).air > 0 && sp_sph_look(s).emitted > 50);
        sph_close(s);
    }
}

static void restored_run_continues_bit_for_bit(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sp_blob blob = {.host = &host};
    sph_case c;
    sph *s, *other;
    make_small(&c);
    assert_ok(sph_case_open(&c, &host, &s, ERR));
    assert_ok(sph_case_open(&c, &host, &other, ERR));
    assert_ok(sph_case_run(s, 0.05, ERR));
    assert_ok(sp_sph_solver.save(s, &blob, ERR));
    assert_ok(sp_sph_solver.restore(other, &blob, ERR));
    assert_int_equal(hash_of(s), hash_of(other));
    assert_ok(sph_case_run(s, 0.1, ERR));
    assert_ok(sph_case_run(other, 0.1, ERR));
    assert_int_equal(hash_of(s), hash_of(other));
    sp_blob_close(&blob);
    sph_close(s);
    sph_close(other);
}

static void truncated_state_is_refused(void **state)
{
    (void)state;
    sp_blob blob = {.host = HOST};
    sph_case c;
    sph *s;
    make_small(&c);
    assert_ok(sph_case_open(&c, HOST, &s, ERR));
    assert_ok(sph_case_run(s, 0.03, ERR));
    assert_ok(sp_sph_solver.save(s, &blob, ERR));
    const size_t whole = blob.size;
    for (size_t k = 0; k < 40; ++k) {
        blob.size = k < 39 ? whole * k / 39 : whole - 1;
        blob.at = 0;
        blob.failed = false;
        assert_int_equal(sp_sph_solver.restore(s, &blob, ERR), SP_DAMAGED);
        assert_string_equal(ERR->text, "sph: the saved state is too short");
    }
    blob.size = whole;
    blob.at = 0;
    blob.failed = false;
    assert_ok(sp_sph_solver.restore(s, &blob, ERR));
    sp_blob_close(&blob);
    sph_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_documentation),
        cmocka_unit_test(contradictory_scenes_are_refused),
        cmocka_unit_test(compressed_start_is_refused_or_logged),
        cmocka_unit_test(density_correction_acts_on_what_forces_divide_by),
        cmocka_unit_test(fixed_step_too_long_for_a_jet_is_logged),
        cmocka_unit_test(a_jet_into_a_wall_is_refused),
        cmocka_unit_test(jets_that_overlap_are_refused),
        cmocka_unit_test(water_beyond_float_precision_is_refused),
        cmocka_unit_test(far_too_long_fixed_steps_end_the_run),
        cmocka_unit_test(fixed_steps_leave_no_step_of_rounding_length),
        cmocka_unit_test(steps_below_dt_min_end_the_run),
        cmocka_unit_test(scene_without_water_runs),
        test_failing_allocations(whole_life, 1, 50),
        cmocka_unit_test(hash_does_not_depend_on_threads),
        cmocka_unit_test(restored_run_continues_bit_for_bit),
        cmocka_unit_test(truncated_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
