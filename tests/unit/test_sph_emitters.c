// SPDX-License-Identifier: Apache-2.0
// links: validate sph shapes tiles particles frame core
/// Sources and sinks of the particle solver: lattices, pipes, sinks.
#include "logging_host.h"
#include "scarce_host.h"
#include "test_sph_around.h"

/// Moves particles at constant velocity: emitters need nothing else from a step.
static void fly(sph *s, double dt)
{
    sph_phase *p = &s->liquid;
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < p->set.count; ++i)
            p->x[k][i] += (float)dt * p->v[k][i];
    assert_ok(sph_emit(s, dt, ERR));
    s->time += dt;
}

static const sp_emitter_def jet = {.name = "jet",
                                   .mode = SP_EMIT_JET,
                                   .center = {0.3f, 0.2f, -0.1f},
                                   .direction = {2.0f, 1.0f, -0.5f},
                                   .radius = 0.05f,
                                   .speed = 5.5f,
                                   .start = 0.01f,
                                   .stop = INFINITY,
                                   .ramp = 0.05f,
                                   .pipe_length = -1.0f};

/// ---- Pipes -------------------------------------------------------------------------------------

/// One layer of the disc for every spacing that the emitter has travelled; layers in the pipe are a
/// spacing apart, and particles that have not passed the mouth are pinned.
static void an_emitter_pushes_a_layer_every_spacing(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_world_def world = {.emitters = &jet, .emitter_count = 1};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    const sph_emitter *e = &s.emitter[0];
    assert_int_equal(e->points, 21); // points of a square lattice within 2.5 spacings
    assert_true(e->pipe == s.h && !e->submerged);
    double way = 0.0;
    for (int step = 0; step < 200; ++step) {
        const double dt = 0.0002 * (1 + step % 7);
        way += (double)sph_emitter_speed(e, s.time) * dt;
        fly(&s, dt);
        assert_int_equal(s.liquid.set.count, e->points * (size_t)(way / (double)s.d));
        for (size_t i = 0; i < s.liquid.set.count; ++i) {
            const float x[3] = {s.liquid.x[0][i], s.liquid.x[1][i], s.liquid.x[2][i]};
            const double along = sph_pipe_along(e, x);
            assert_int_equal(!!(s.liquid.tag[i] & SPH_PINNED), along < 0.0);
            assert_int_equal(s.liquid.tag[i] >> SPH_SOURCE_SHIFT, 1);
            const size_t before = i >= e->points ? i - e->points : i;
            if (before == i || !(s.liquid.tag[before] & SPH_PINNED)) continue;
            const float y[3] = {s.liquid.x[0][before], s.liquid.x[1][before],
                                s.liquid.x[2][before]};
            const double gap = sph_pipe_along(e, y) - along;
            assert_true(fabs(gap / (double)s.d - 1.0) < 1e-3); // rounding of a hundred steps
        }
    }
    assert_true(way > 0.4);
    assert_int_equal(s.figures.emitted, s.liquid.set.count);
    assert_int_equal(s.figures.skipped, 0);
    close_around(&s);
}

static void speed_rises_over_the_ramp_and_ends_at_stop(void **state)
{
    (void)state;
    sp_emitter_def def = jet;
    def.stop = 0.2f;
    const sp_world_def world = {.emitters = &def, .emitter_count = 1};
    sph s;
    open_around(&s, HOST, &world, 0.02f);
    const sph_emitter *e = &s.emitter[0];
    assert_true(sph_emitter_speed(e, 0.0) == 0.0f);
    assert_true(fabsf(sph_emitter_speed(e, 0.035) - 2.75f) < 1e-4f);
    assert_true(sph_emitter_speed(e, 0.1) == 5.5f);
    assert_true(sph_emitter_speed(e, 0.21) == 0.0f);
    assert_true(sph_emitters_fastest(&s, 0.005) == 0.0f); // it starts later
    assert_true(sph_emitters_fastest(&s, 0.02) == 5.5f);  // the full speed, not that of the ramp
    while (s.time < 0.25)
        fly(&s, 0.001);
    const size_t count = s.liquid.set.count;
    for (size_t i = 0; i < count; ++i)
        assert_false(s.liquid.tag[i] & SPH_PINNED);
    fly(&s, 0.01);
    assert_int_equal(s.liquid.set.count, count);
    assert_true(sph_emitters_fastest(&s, 1.0) == 0.0f);
    close_around(&s);
}

static bool any_near(const float *const x[3], size_t n, const float p[3], float reach)
{
    for (size_t i = 0; i < n; ++i) {
        const sp_vec3 to = {x[0][i] - p[0], x[1][i] - p[1], x[2][i] - p[2]};
        if (sp_dot(to, to) < reach * reach) return true;
    }
    return false;
}

/// Around every particle of a pipe, all eight neighbours in its layer are water or wall.
static void shell_of_a_pipe_has_no_gaps(void **state)
{
    (void)state;
    const float radii[] = {0.005f, 0.02f, 0.04f, 0.05f, 0.11f};
    for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
        sp_emitter_def def = jet;
        def.radius = radii[r];
        const sp_world_def world = {.emitters = &def, .emitter_count = 1};
        sph s;
        open_around(&s, HOST, &world, 0.02f);
        const sph_emitter *e = &s.emitter[0];
        const float *const walls[3] = {s.walls.x[0], s.walls.x[1], s.walls.x[2]};
        for (size_t ring = 0; ring < 3; ++ring)
            for (size_t k = 0; k < e->points; ++k)
                for (int side = 0; side < 9; ++side) {
                    float x[3];
                    const float a = s.d * (float)(side % 3 - 1), b = s.d * (float)(side / 3 - 1);
                    sph_pipe_point(e, k, (double)ring * (double)s.d, x);
                    for (int c = 0; c < 3; ++c)
                        x[c] += a * e->across[0][c] + b * e->across[1][c];
                    bool found = any_near(walls, s.walls.count, x, 1e-3f * s.d);
                    for (size_t j = 0; j < e->points && !found; ++j) {
                        float y[3];
                        sph_pipe_point(e, j, (double)ring * (double)s.d, y);
                        const sp_vec3 to = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
                        found = sp_length(to) < 1e-3f * s.d;
                    }
                    assert_true(found);
                }
        close_around(&s);
    }
}

static const sp_box_def pool = {{0.0f, 0.0f, 0.0f}, {0.6f, 0.4f, 0.4f}};
static const sp_box_def pool_water = {{0.0f, 0.0f, 0.0f}, {0.6f, 0.3f, 0.4f}};
static const sp_collider_def basin = {
    .name = "basin", .shape.box = &pool, .inside_out = true, .open = SP_OPEN_TOP};

/// A pipe through the wall and one in the water, half a spacing off its lattice: both start full,
/// walls do not block them, and no water is nearer than 0.9 d to them.
static void pipes_under_water_start_full(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_emitter_def emitters[] = {
        {.mode = SP_EMIT_FILL, .shape.box = &pool_water},
        {.mode = SP_EMIT_JET,
         .center = {0.0f, 0.16f, 0.1f},
         .direction = {1, 0, 0},
         .radius = 0.04f,
         .speed = 5.0f,
         .stop = INFINITY,
         .pipe_length = -1.0f},
        {.mode = SP_EMIT_JET,
         .center = {0.3f, 0.15f, 0.27f},
         .direction = {1, 0, 0},
         .radius = 0.04f,
         .speed = 5.0f,
         .stop = INFINITY,
         .pipe_length = 0.1f},
    };
    const sp_world_def world = {
        .colliders = &basin, .collider_count = 1, .emitters = emitters, .emitter_count = 3};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    assert_true(s.emitter[0].submerged && s.emitter[0].pipe == 3.0f * s.h);
    const size_t pinned = 13 * (6 + 5); // 3h and 0.1 m of layers
    const float *const x[3] = {s.liquid.x[0], s.liquid.x[1], s.liquid.x[2]};
    const float *const walls[3] = {s.walls.x[0], s.walls.x[1], s.walls.x[2]};
    for (size_t i = 0; i < s.liquid.set.count; ++i) {
        const float p[3] = {x[0][i], x[1][i], x[2][i]};
        assert_int_equal(!!(s.liquid.tag[i] & SPH_PINNED), i < pinned);
        assert_false(any_near(walls, s.walls.count, p, 0.49f * s.d));
        if (i < pinned) continue;
        assert_false(any_near(walls, s.walls.count, p, 0.899f * s.d));
        assert_false(any_near(x, pinned, p, 0.899f * s.d));
    }
    close_around(&s);
}

/// Water in front of a whole layer blocks it; this is logged after a while.
static void blocked_emitter_skips_layers_and_logs(void **state)
{
    (void)state;
    const sp_host host = logging_host(1);
    sp_emitter_def def = jet;
    def.ramp = def.start = 0.0f;
    const sp_world_def world = {.emitters = &def, .emitter_count = 1};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    const sph_emitter *e = &s.emitter[0];
    assert_ok(sph_phase_reserve(&s.liquid, 64, ERR));
    for (size_t k = 0; k < e->points; ++k) {
        float x[3];
        sph_pipe_point(e, k, 0.0, x);
        sph_phase_add(&s, &s.liquid, x, (float[3]){0}, 0);
    }
    clear_log();
    const double dt = (double)s.d / (double)def.speed * 1.0001; // a layer a step, next to the inlet
    for (int step = 0; step < 40; ++step)
        fly(&s, dt);
    assert_int_equal(s.liquid.set.count, e->points);
    assert_int_equal(s.figures.skipped, 40 * e->points);
    assert_string_equal(last_warning, "sph: emitter \"jet\" is blocked (100 % of points skipped)");
    close_around(&s);
}

/// ---- Initial water -----------------------------------------------------------------------------

static size_t fill_count(const sp_world_def *world, float d)
{
    const sp_host host = sp_host_default(2);
    sph s;
    open_around(&s, &host, world, d);
    const size_t count = s.liquid.set.count;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < s.solids; ++k) {
            const double p[3] = {(double)s.liquid.x[0][i], (double)s.liquid.x[1][i],
                                 (double)s.liquid.x[2][i]};
            assert_true(sp_shape_distance(s.solid[k], 0.0, p, NULL) > 0.998 * (double)d);
        }
    close_around(&s);
    return count;
}

/// A box of n spacings holds n - 1 layers along each axis, with or without walls around it.
static void boxes_hold_whole_layers(void **state)
{
    (void)state;
    const sp_box_def hall = {{-1.0f, 0.0f, -0.5f}, {1.0f, 2.0f, 0.5f}};
    const sp_box_def block = {{-1.0f, 0.0f, -0.5f}, {0.0f, 1.0f, 0.5f}};
    const sp_collider_def tank = {.shape.box = &hall, .inside_out = true, .open = SP_OPEN_TOP};
    const sp_emitter_def water = {.mode = SP_EMIT_FILL, .shape.box = &block};
    const sp_world_def world = {
        .colliders = &tank, .collider_count = 1, .emitters = &water, .emitter_count = 1};
    const sp_world_def nothing = {.emitters = &water, .emitter_count = 1};
    assert_int_equal(fill_count(&world, 1.0f / 38.0f), 50653);
    assert_int_equal(fill_count(&world, 1.0f / 54.0f), 148877);
    assert_int_equal(fill_count(&world, 1.0f / 80.0f), 493039);
    assert_int_equal(fill_count(&nothing, 1.0f / 38.0f), 50653);
    assert_int_equal(fill_count(&world, 0.03f), 33 * 33 * 32); // the far wall is at 33.3 spacings
}

/// Two overlapping fills have the particles of their union where their lattices agree; elsewhere no
/// two particles are nearer than 0.9 d.
static void fills_never_overlap(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_box_def left = {{0.0f, 0.0f, 0.0f}, {0.3f, 0.2f, 0.2f}};
    const sp_box_def right = {{0.2f, 0.0f, 0.0f}, {0.6f, 0.2f, 0.2f}};
    const sp_sphere_def ball = {{0.301f, 0.211f, 0.203f}, 0.1f};
    const sp_emitter_def emitters[] = {
        {.mode = SP_EMIT_FILL, .shape.box = &left},
        {.mode = SP_EMIT_FILL, .shape.box = &right, .velocity = {1, 2, 3}},
        {.mode = SP_EMIT_FILL, .shape.sphere = &ball}};
    sp_world_def world = {
        .colliders = &basin, .collider_count = 1, .emitters = emitters, .emitter_count = 2};
    assert_int_equal(fill_count(&world, 0.02f), 29 * 9 * 9);
    world = (sp_world_def){.emitters = emitters, .emitter_count = 3};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    const float *const x[3] = {s.liquid.x[0], s.liquid.x[1], s.liquid.x[2]};
    for (size_t i = 1; i < s.liquid.set.count; ++i) {
        const float p[3] = {x[0][i], x[1][i], x[2][i]};
        assert_false(any_near(x, i, p, 0.899f * s.d));
    }
    assert_true(s.liquid.set.count > 29 * 9 * 9 + 200);
    assert_true(s.liquid.v[1][14 * 9 * 9] == 2.0f); // the first of the second fill
    close_around(&s);
}

/// A plane as a fill means water up to this height, if a container or a domain bounds it.
static void unbounded_fills_need_a_container_or_domain(void **state)
{
    (void)state;
    const sp_plane_def level = {{0.0f, 0.21f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    const sp_emitter_def water = {.name = "w", .mode = SP_EMIT_FILL, .shape.plane = &level};
    sp_world_def world = {
        .colliders = &basin, .collider_count = 1, .emitters = &water, .emitter_count = 1};
    assert_int_equal(fill_count(&world, 0.02f), 29 * 10 * 19);
    world = (sp_world_def){.emitters = &water, .emitter_count = 1};
    sph s;
    open_around(&s, HOST, &(sp_world_def){0}, 0.02f);
    assert_fails(sph_fill(&s, &world, ERR), SP_BAD_INPUT, "emitter \"w\": fills an infinite shape");
    close_around(&s);
}

/// ---- Removal -----------------------------------------------------------------------------------

static sph_phase *some_line(sph *s, sph_phase *phase, size_t n)
{
    assert_ok(sph_phase_reserve(phase, n, ERR));
    for (size_t i = 0; i < n; ++i)
        sph_phase_add(s, phase, (float[3]){0.01f * (float)i, 0.0f, 0.0f}, (float[3]){0}, 0);
    return phase;
}

static void removal_counts_and_keeps_order(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(3);
    const sp_domain_def domain = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
    const sp_box_def drain = {{0.095f, -0.1f, -0.1f}, {0.195f, 0.1f, 0.1f}};
    const sp_collider_def sink = {.shape.box = &drain};
    const sp_world_def world = {.domain = &domain};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    s.sink = sp_allocate(&host, 1, sizeof(sp_shape *));
    assert_ok(sp_shape_open(&sink, NULL, &host, &s.sink[0], ERR));
    s.sinks = 1;
    sph_phase *air = some_line(&s, &s.air, 50), *water = some_line(&s, &s.liquid, 110);
    air->life[3] = 0.0f;
    air->life[4] = 1.0f;
    air->alone[30] = 2.1f;
    air->x[1][31] = NAN; // another stage reports it; it is not removed here
    water->tag[105] |= SPH_PINNED;
    assert_ok(sph_remove(&s, 0.001, ERR));
    assert_int_equal(s.figures.burst, 1);
    assert_int_equal(s.figures.vented, 1);
    assert_int_equal(s.figures.drained, 20);
    assert_int_equal(s.figures.left, 8); // 101 to 109 are outside, but one is still in a pipe
    assert_int_equal(air->set.count, 50 - 1 - 1 - 10);
    assert_int_equal(water->set.count, 110 - 10 - 8);
    const sph_phase *phases[2] = {air, water};
    for (int p = 0; p < 2; ++p)
        for (size_t i = 1; i < phases[p]->set.count; ++i)
            assert_true(phases[p]->id[i] > phases[p]->id[i - 1]);
    close_around(&s);
}

/// One line a second, and none when nothing leaves.
static void leaks_are_logged_once_per_second(void **state)
{
    (void)state;
    const sp_host host = logging_host(1);
    const sp_domain_def domain = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
    const sp_world_def world = {.domain = &domain, .colliders = &basin, .collider_count = 1};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    int lines = 0;
    for (int step = 0; step < 35; ++step) {
        assert_ok(sph_phase_reserve(&s.liquid, 1, ERR));
        if (step >= 5 && step < 25)
            sph_phase_add(&s, &s.liquid, (float[3]){2, 0, 0}, (float[3]){0}, 0);
        clear_log();
        assert_ok(sph_remove(&s, 0.1, ERR));
        s.time += 0.1;
        lines += last_warning[0] != 0;
        if (lines == 1 && last_warning[0])
            assert_string_equal(last_warning,
                                "sph: 11 particles left the domain in the last second; the "
                                "collider \"basin\" may have holes wider than 0.02 m");
    }
    assert_int_equal(s.figures.left, 20);
    assert_int_equal(lines, 2);
    close_around(&s);
}

static sp_status open_and_close(const sp_host *host, sp_error *err)
{
    const sp_sphere_def ball = {{0.3f, 0.1f, 0.2f}, 0.05f};
    const sp_collider_def colliders[] = {basin, {.shape.sphere = &ball}};
    const sp_emitter_def emitters[] = {{.mode = SP_EMIT_FILL, .shape.box = &pool_water}, jet};
    const sp_world_def world = {
        .colliders = colliders, .collider_count = 2, .emitters = emitters, .emitter_count = 2};
    sph s;
    const sp_status status = try_open_around(&s, host, &world, 0.04f, err);
    close_around(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_emitter_pushes_a_layer_every_spacing),
        cmocka_unit_test(speed_rises_over_the_ramp_and_ends_at_stop),
        cmocka_unit_test(shell_of_a_pipe_has_no_gaps),
        cmocka_unit_test(pipes_under_water_start_full),
        cmocka_unit_test(blocked_emitter_skips_layers_and_logs),
        cmocka_unit_test(boxes_hold_whole_layers),
        cmocka_unit_test(fills_never_overlap),
        cmocka_unit_test(unbounded_fills_need_a_container_or_domain),
        cmocka_unit_test(removal_counts_and_keeps_order),
        cmocka_unit_test(leaks_are_logged_once_per_second),
        test_failing_allocations(open_and_close, 1, 50),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
