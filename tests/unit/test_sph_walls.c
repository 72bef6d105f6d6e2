// SPDX-License-Identifier: Apache-2.0
// links: validate sph shapes tiles particles frame core
/// Walls of the particle solver: volumes, motion, and that no particle crosses them.
#include "test_sph_around.h"
#include "validate/sph/proofs.h"

/// Middle of a plane at spacing d with h = 2d: 0.7 / (W(0) + 4 W(d) + 4 W(sqrt(2) d)) = 0.999 d^3.
/// At the rim neighbours are missing and the cap holds d^3.
static void volume_of_a_wall_replaces_the_missing_layer(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_plane_def floor_plane = {{0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    const sp_collider_def colliders[] = {{.name = "floor", .shape.plane = &floor_plane}};
    const sp_domain_def domain = {{-0.4f, -0.4f, -0.4f}, {0.4f, 0.4f, 0.4f}};
    const sp_world_def world = {.domain = &domain, .colliders = colliders, .collider_count = 1};
    sph s;
    open_around(&s, &host, &world, 0.02f);
    const double whole = pow((double)s.d, 3.0);
    assert_int_equal(s.walls.count, 41 * 41);
    size_t inner = 0;
    for (size_t i = 0; i < s.walls.count; ++i) {
        const double v = (double)s.walls.volume[i];
        assert_true(v <= whole * (1.0 + 1e-6));
        if (fabsf(s.walls.x[0][i]) > 0.35f || fabsf(s.walls.x[2][i]) > 0.35f) continue;
        ++inner;
        assert_true(fabs(v / whole - 0.999) < 0.002); // the table has three digits
    }
    assert_true(inner > 1000);
    close_around(&s);
}

/// ---- No crossing -------------------------------------------------------------------------------

/// Distance of a point to the solid at the end of a step.
static double clearance(const sph *s, double t, const float x[3])
{
    const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
    return sp_shape_distance(s->solid[0], t, p, NULL);
}

static bool in_hollow(const sp_shape *hollow, double t, const float x[3])
{
    const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
    return sp_shape_distance(hollow, t, p, NULL) < 0.0;
}

/// Height of a point above the rim of a tank, m, in the tank's frame.
static double above_rim(const sp_shape *hollow, double t, const float x[3])
{
    double low[3], high[3], body[3];
    const sph_pose pose = sph_pose_at(hollow, t);
    sp_shape *still;
    const sp_collider_def def = {.shape = sp_shape_def_of(hollow)->shape};
    assert_ok(sp_shape_open(&def, NULL, HOST, &still, ERR));
    sp_shape_bounds(still, 0.0, low, high);
    sp_shape_close(still);
    sph_into_body(&pose, x, body);
    return body[1] - high[1];
}

/// The first pair of random points, from n on, whose first point is outside the solid at the start.
static uint64_t draw_way(const sph *s, uint64_t n, float margin, double reach, float from[3],
                         float to[3])
{
    for (;; n += 2) {
        double a[3], b[3];
        shape_sample_point(n, a);
        shape_sample_point(n + 1, b);
        for (int k = 0; k < 3; ++k) {
            from[k] = (float)a[k];
            to[k] = (float)(a[k] + reach * b[k]);
        }
        if (clearance(s, s->time, from) >= (double)margin) return n + 2;
    }
}

/// Random paths against one solid, short and long. They end a margin away from it; paths that begin
/// in a closed hollow end in it, and paths that begin outside end outside. A tank without lid may
/// be left and entered, but only by paths with one end above the rim.
static void throw_at(const shape_sample *sample, const sp_motion_def *motion, uint64_t ways)
{
    const sp_host host = sp_host_default(2);
    sp_collider_def collider = sample->def;
    if (motion) collider.motion = *motion;
    const sp_domain_def domain = {{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}};
    const sp_world_def world = {.domain = &domain, .colliders = &collider, .collider_count = 1};
    sp_collider_def inside = {.shape = collider.shape, .motion = collider.motion};
    const float margin = 0.01f;
    const bool lid = collider.open == SP_OPEN_NOWHERE;
    sp_shape *hollow;
    sph s;
    open_around(&s, &host, &world, 0.1f);
    assert_ok(sp_shape_open(&inside, NULL, &host, &hollow, ERR));
    uint64_t n = 0, moved = 0, worst = 0;
    for (uint64_t i = 0; i < ways; ++i) {
        float from[3], x[3], normal[3] = {0};
        s.time = motion ? 0.45 + 0.01 * (double)(i % 10) : 0.0;
        const double t = motion ? s.time + 0.002 : 0.0;
        if (motion && i % 2) sph_update_poses(&s, t);
        n = draw_way(&s, n, margin, i % 3 ? 0.05 : 1.0, from, x);
        moved += sph_keep_out(&s, t, from, x, margin, normal);
        // Near an acute corner there is no place with the full margin.
        worst += clearance(&s, t, x) < 0.9 * (double)margin;
        assert_true(clearance(&s, t, x) > 0.0);
        if (!collider.inside_out || in_hollow(hollow, s.time, from) == in_hollow(hollow, t, x))
            continue;
        assert_false(lid);
        assert_true(above_rim(hollow, s.time, from) > 0.0 || above_rim(hollow, t, x) > 0.0);
    }
    assert_true(moved > ways / 200 && moved < ways);
    assert_true(worst < ways / 1000);
    sp_shape_close(hollow);
    close_around(&s);
}

static void particles_never_cross_walls(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_sample_count; ++i) {
        throw_at(&shape_samples[i], NULL, 6000);
        throw_at(&shape_samples[i], &shape_sample_motion, 2000);
    }
}

/// A wall a hundredth of the margin thick: the path counts, not only its end.
static void thin_wall_stops_particles(void **state)
{
    (void)state;
    static const sp_sphere_def ball = {{0.0f, 0.0f, 0.0f}, 0.7f};
    static const sp_box_def box = {{-0.6f, -0.5f, -0.4f}, {0.5f, 0.7f, 0.3f}};
    const shape_sample thin[] = {
        {"ball", {.shape.sphere = &ball, .inside_out = true, .thickness = 1e-4f}, 0, true},
        {"box", {.shape.box = &box, .inside_out = true, .thickness = 1e-4f}, 0, false},
    };
    for (size_t i = 0; i < 2; ++i) {
        throw_at(&thin[i], NULL, 6000);
        throw_at(&thin[i], &shape_sample_motion, 2000);
    }
}

/// A path through the wall below the rim is stopped, one over the rim and down outside is free, and
/// one onto the rim is lifted.
static void a_tank_ends_at_its_rim(void **state)
{
    (void)state;
    const sp_box_def box = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    const sp_collider_def tank = {
        .shape.box = &box, .inside_out = true, .thickness = 0.1f, .open = SP_OPEN_TOP};
    const sp_world_def world = {.colliders = &tank, .collider_count = 1};
    const struct {
        float from[3], to[3], end[3];
    } ways[] = {
        {{0.9f, 0.5f, 0.5f}, {1.3f, 0.6f, 0.5f}, {0.99f, 0.6f, 0.5f}},
        {{0.9f, 0.5f, 0.5f}, {1.9f, 1.2f, 0.5f}, {0.99f, 1.2f, 0.5f}},
        {{0.9f, 0.9f, 0.5f}, {0.95f, 1.3f, 0.5f}, {0.95f, 1.3f, 0.5f}},
        {{0.9f, 0.9f, 0.5f}, {1.2f, 1.9f, 0.5f}, {1.2f, 1.9f, 0.5f}},
        {{0.9f, 1.1f, 0.5f}, {1.2f, 1.1f, 0.5f}, {1.2f, 1.1f, 0.5f}},
        {{1.05f, 1.1f, 0.5f}, {1.05f, 0.9f, 0.5f}, {1.05f, 1.01f, 0.5f}},
        {{0.5f, 0.1f, 0.5f}, {-0.3f, -0.4f, 1.7f}, {0.01f, 0.01f, 0.99f}},
        {{1.2f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}, {1.11f, 0.5f, 0.5f}},
    };
    sph s;
    open_around(&s, HOST, &world, 0.04f);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        float x[3], normal[3];
        memcpy(x, ways[i].to, sizeof x);
        const bool moved = sph_keep_out(&s, 0.0, ways[i].from, x, 0.01f, normal);
        assert_int_equal(moved, memcmp(ways[i].to, ways[i].end, sizeof x) != 0);
        for (int k = 0; k < 3; ++k)
            assert_true(fabsf(x[k] - ways[i].end[k]) < 1e-5f);
    }
    close_around(&s);
}

/// Between two solids a particle ends outside both.
static void particle_in_a_wedge_ends_outside_both_solids(void **state)
{
    (void)state;
    const sp_plane_def planes[] = {{{0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}},
                                   {{0.0f, 0.0f, 0.0f}, {1.0f, 0.2f, 0.0f}}};
    const sp_collider_def colliders[] = {{.shape.plane = &planes[0]}, {.shape.plane = &planes[1]}};
    const sp_domain_def domain = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    const sp_world_def world = {.domain = &domain, .colliders = colliders, .collider_count = 2};
    sph s;
    open_around(&s, HOST, &world, 0.04f);
    const float from[3] = {0.3f, 0.3f, 0.0f};
    for (uint64_t i = 0; i < 1000; ++i) {
        float x[3], normal[3];
        for (uint32_t k = 0; k < 3; ++k)
            x[k] = (float)shape_sample_unit(i, k) - 0.5f;
        sph_keep_out(&s, 0.0, from, x, 0.01f, normal);
        const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
        for (size_t k = 0; k < 2; ++k)
            assert_true(sp_shape_distance(s.solid[k], 0.0, p, NULL) > 0.0095);
    }
    close_around(&s);
}

/// ---- Moving ------------------------------------------------------------------------------------

/// Wall points move with their body, and so do their cells.
static void walls_move_with_their_bodies(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sp_collider_def collider = shape_samples[0].def;
    collider.motion = shape_sample_motion;
    const sp_world_def world = {.colliders = &collider, .collider_count = 1};
    sp_lattice lattice;
    sph s;
    open_around(&s, &host, &world, 0.1f);
    sp_lattice_shape(&lattice, 3, (float[3]){-3, -3, -3}, (float[3]){3, 3, 3}, s.h,
                     SP_LATTICE_MOST);
    assert_true(s.walls.moving);
    for (double t = 0.0; t < 2.5; t += 0.3) {
        assert_ok(sph_walls_place(&s, t, ERR));
        assert_ok(sph_walls_sort(&s, &lattice, ERR));
        for (size_t k = 0; k < s.walls.count; ++k) {
            const float *at = s.walls.at + 4 * k;
            double v[3];
            const double p[3] = {(double)at[0], (double)at[1], (double)at[2]};
            assert_true(fabs(sp_shape_distance(s.solid[0], t, p, NULL)) < 1e-6);
            sp_shape_velocity(s.solid[0], t, p, v);
            assert_true(sqrt(sp_dot3(v, v)) <= s.walls.speed * (1.0 + 1e-6));
            assert_true(at[3] == s.walls.volume[s.walls.cells.order[k]]);
            for (int c = 0; c < 3; ++c)
                assert_true(p[c] >= (double)s.walls.low[c] && p[c] <= (double)s.walls.high[c]);
        }
    }
    close_around(&s);
}

/// Resting walls are sorted once for each lattice.
static void resting_walls_are_sorted_once(void **state)
{
    (void)state;
    const sp_world_def world = {.colliders = &shape_samples[0].def, .collider_count = 1};
    sp_lattice lattice;
    sph s;
    open_around(&s, HOST, &world, 0.1f);
    sp_lattice_shape(&lattice, 3, (float[3]){-3, -3, -3}, (float[3]){3, 3, 3}, s.h,
                     SP_LATTICE_MOST);
    assert_ok(sph_walls_sort(&s, &lattice, ERR));
    s.walls.at[0] = 42.0f; // stays if nothing is sorted
    assert_ok(sph_walls_place(&s, 1.0, ERR));
    assert_ok(sph_walls_sort(&s, &lattice, ERR));
    assert_true(s.walls.at[0] == 42.0f);
    sp_lattice_shape(&lattice, 3, (float[3]){-2, -3, -3}, (float[3]){3, 3, 3}, s.h,
                     SP_LATTICE_MOST);
    assert_ok(sph_walls_sort(&s, &lattice, ERR));
    assert_true(s.walls.at[0] != 42.0f);
    close_around(&s);
}

/// A tank without thickness is solid everywhere outside, so a particle thrown over its rim lands on
/// it and rests a margin above.
static void particle_over_an_infinite_rim_lands_on_it(void **state)
{
    (void)state;
    sph_case c;
    sph *s;
    sph_case_tank(&c, 0.4f, 0.3f, 0.4f, 0.02f);
    c.def.air.enabled = false;
    assert_ok(sph_case_open(&c, HOST, &s, ERR));
    const size_t thrown = sph_case_add(s, &s->liquid, 0.2f, 0.28f, 0.2f, ERR);
    s->liquid.v[0][thrown] = 1.5f;
    s->liquid.v[1][thrown] = 1.5f;
    assert_ok(sph_case_run(s, 0.6, ERR));
    assert_int_equal(s->liquid.set.count, 1);
    assert_true(s->liquid.x[0][0] > 0.45f);
    assert_true(fabsf(s->liquid.x[1][0] - (0.3f + SPH_MARGIN * s->d)) < 0.1f * s->d);
    assert_true(fabsf(s->liquid.v[1][0]) < 0.05f);
    sph_close(s);
}

/// Force of one, two or three walls on a particle at this distance from them, along the first.
static double push_of_walls(const sph *s, int walls, float away)
{
    const double near = (double)away, middle = 0.2,
                 x[3] = {near, walls > 1 ? near : middle, walls > 2 ? near : middle};
    double push = 0.0;
    for (size_t b = 0; b < s->walls.count; ++b) {
        const double to[3] = {x[0] - (double)s->walls.x[0][b], x[1] - (double)s->walls.x[1][b],
                              x[2] - (double)s->walls.x[2][b]};
        const double r = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        if (r >= (double)s->h) continue;
        push -= (double)s->walls.volume[b] * sph_kernel_slope(r, (double)s->h) * to[0] / r;
    }
    return push;
}

/// At the margin walls push away, also in edges and corners. Nearer than 0.26 spacings to an edge
/// and 0.40 to a corner they pull, so a smaller margin would trap particles there.
static void corners_push_outward_at_the_margin(void **state)
{
    (void)state;
    const sp_box_def box = {{0.0f, 0.0f, 0.0f}, {0.4f, 0.4f, 0.4f}};
    const sp_collider_def tank = {.shape.box = &box, .inside_out = true};
    const sp_world_def world = {.colliders = &tank, .collider_count = 1};
    sph s;
    open_around(&s, HOST, &world, 0.02f);
    for (int walls = 1; walls <= 3; ++walls)
        assert_true(push_of_walls(&s, walls, SPH_MARGIN * s.d) > 0.0);
    assert_true(push_of_walls(&s, 2, 0.2f * s.d) < 0.0);
    assert_true(push_of_walls(&s, 3, 0.35f * s.d) < 0.0);
    close_around(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_of_a_wall_replaces_the_missing_layer),
        cmocka_unit_test(particles_never_cross_walls),
        cmocka_unit_test(thin_wall_stops_particles),
        cmocka_unit_test(a_tank_ends_at_its_rim),
        cmocka_unit_test(particle_in_a_wedge_ends_outside_both_solids),
        cmocka_unit_test(walls_move_with_their_bodies),
        cmocka_unit_test(resting_walls_are_sorted_once),
        cmocka_unit_test(particle_over_an_infinite_rim_lands_on_it),
        cmocka_unit_test(corners_push_outward_at_the_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
