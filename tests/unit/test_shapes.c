// SPDX-License-Identifier: Apache-2.0
// links: validate shapes tiles frame core
/// Shapes as distances and as moving bodies, and the rows of `spume validate shapes`.
#include "shapes/internal.h"
#include "testing.h"
#include "validate/shapes/proofs.h"
#include "validation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sp_shape *open_shape(const sp_collider_def *def, const sp_host *host)
{
    sp_shape *shape = NULL;
    assert_ok(sp_shape_open(def, NULL, host, &shape, ERR));
    return shape;
}

static void validation_rows_pass(void **state)
{
    (void)state;
    assert_checks_pass(&sp_validate_shapes, 100);
}

/// A pose does not change the shape: d(t, pose(t) q) = d(still, q), and the gradient turns with it.
/// Rounding of a few operations on metres.
static void distances_move_with_the_body(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_sample_count; ++i) {
        sp_collider_def def = shape_samples[i].def;
        sp_shape *still = open_shape(&def, HOST);
        def.motion = shape_sample_motion;
        sp_shape *moving = open_shape(&def, HOST);
        for (uint64_t j = 0; j < 100; ++j) {
            double q[3], p[3], n[3], m[3], turned[3];
            const double t = 2.5 * shape_sample_unit(j, 5) - 0.2;
            const sp_body pose = sp_shape_pose(moving, t);
            shape_sample_point(j, q);
            shape_rotate(pose.rotation, q, p);
            for (int k = 0; k < 3; ++k)
                p[k] += pose.position[k];
            const double here = sp_shape_distance(still, 0.0, q, n);
            assert_true(fabs(sp_shape_distance(moving, t, p, m) - here) < 1e-13);
            shape_rotate(pose.rotation, n, turned);
            assert_true(sp_dot3(turned, m) > 1.0 - 1e-9);
        }
        sp_shape_close(still);
        sp_shape_close(moving);
    }
}

/// Bounds are those of the mesh: never inside it, and no wider than chords cut off a circle, which
/// is edge^2/(8 radius) = 1.3e-4 m of the smallest radius, 0.25 m, plus as much at a rim.
static void bounds_are_tight(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_sample_count; ++i) {
        if (!(shape_samples[i].volume > 0.0)) continue;
        sp_collider_def def = shape_samples[i].def;
        def.motion = shape_sample_motion;
        sp_shape *shape = open_shape(&def, HOST);
        sp_mesh mesh;
        assert_ok(sp_shape_mesh(shape, 0.016f, NULL, 1.0, &mesh, ERR));
        for (int j = 0; j < 10; ++j) {
            const double t = 0.23 * j;
            const sp_body pose = sp_shape_pose(shape, t);
            double low[3], high[3], least[3] = {9, 9, 9}, most[3] = {-9, -9, -9};
            sp_shape_bounds(shape, t, low, high);
            for (size_t v = 0; v < mesh.vertex_count; ++v)
                for (int k = 0; k < 3; ++k) {
                    double x = pose.position[k];
                    for (int c = 0; c < 3; ++c)
                        x += pose.rotation[3 * k + c] * (double)mesh.x[v][c];
                    least[k] = fmin(least[k], x);
                    most[k] = fmax(most[k], x);
                }
            for (int k = 0; k < 3; ++k) {
                assert_true(low[k] <= least[k] + 1e-6 && least[k] < low[k] + 3e-4);
                assert_true(high[k] >= most[k] - 1e-6 && most[k] > high[k] - 3e-4);
            }
        }
        sp_mesh_close(&mesh);
        sp_shape_close(shape);
    }
}

/// Unbounded shapes have infinite bounds along the axes where they do not end.
static void unbounded_shapes_have_infinite_bounds(void **state)
{
    (void)state;
    const sp_plane_def level = {{0, 0.25f, 0}, {0, 2, 0}};
    const sp_box_def hollow = {{0, 0, 0}, {1, 0.5f, 1}};
    sp_collider_def def = {.shape.plane = &level};
    double low[3], high[3];
    sp_shape *shape = open_shape(&def, HOST);
    sp_shape_bounds(shape, 0.0, low, high);
    assert_true(high[1] == 0.25 && isinf(low[1]) && isinf(high[0]) && isinf(low[2]));
    sp_shape_close(shape);
    def = (sp_collider_def){.shape.box = &hollow, .inside_out = true, .open = SP_OPEN_TOP};
    shape = open_shape(&def, HOST);
    sp_shape_bounds(shape, 0.0, low, high);
    assert_true(high[1] == 0.5 && isinf(low[1]) && isinf(high[0]));
    sp_shape_close(shape);
}

/// A tank 1 m wide with walls of 0.1 m and no lid, at places with an obvious answer.
static void distances_of_a_tank_are_exact(void **state)
{
    (void)state;
    const sp_box_def hollow = {{0, 0, 0}, {1, 1, 1}};
    const sp_collider_def def = {
        .shape.box = &hollow, .inside_out = true, .thickness = 0.1f, .open = SP_OPEN_TOP};
    static const struct {
        double p[3], distance;
    } rows[] = {
        {{0.5, 0.3, 0.5}, 0.3},            // above the floor
        {{0.2, 0.5, 0.5}, 0.2},            // beside a wall
        {{0.5, 1.0, 0.9}, 0.1},            // level with the rim
        {{0.9, 1.3, 0.5}, 0.316227766016}, // over the rim: sqrt(0.1^2 + 0.3^2)
        {{0.5, 3.0, 0.5}, 2.061552812809}, // high above: the nearest rim is 0.5 away
        {{1.05, 0.5, 0.5}, -0.05},         // in the middle of a wall
        {{1.05, 0.98, 0.5}, -0.02},        // just below the rim
        {{0.5, -0.03, 0.5}, -0.03},        // in the floor
        {{1.5, 0.5, 0.5}, 0.4},            // outside
        {{1.05, -0.05, 1.05}, -0.05},      // in the lower corner
    };
    sp_shape *shape = open_shape(&def, HOST);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) // 0.1f is 1.5e-9 off
        assert_true(fabs(sp_shape_distance(shape, 0, rows[i].p, NULL) - rows[i].distance) < 4e-9);
    sp_shape_close(shape);
}

/// ---- Motion ------------------------------------------------------------------------------------

static const sp_sphere_def ball = {{0, 0, 0}, 0.5f};

/// 0 to 720 degrees about one axis: after a quarter of the time half a turn is done.
static void rotations_beyond_one_turn_are_kept(void **state)
{
    (void)state;
    const sp_pose_def keys[] = {{.time = 0}, {.time = 4, .axis = {0, 0, 3}, .angle = 720}};
    const sp_collider_def def = {.shape.sphere = &ball, .motion = {.keys = keys, .key_count = 2}};
    sp_shape *shape = open_shape(&def, HOST);
    const sp_body half = sp_shape_pose(shape, 1.0), eighth = sp_shape_pose(shape, 0.25);
    assert_true(fabs(half.rotation[0] + 1.0) < 1e-15 && fabs(half.rotation[1]) < 1e-15);
    assert_true(fabs(eighth.rotation[0] - sqrt(0.5)) < 1e-15);
    assert_true(fabs(eighth.rotation[3] - sqrt(0.5)) < 1e-15); // x goes towards y: right-handed
    sp_shape_close(shape);
}

/// From one axis to another the rotation ends at the key's own, and goes the short way: its rate
/// times the time is at most half a turn.
static void slerp_ends_at_its_keys_by_the_short_way(void **state)
{
    (void)state;
    const sp_pose_def keys[] = {{.time = 0, .axis = {1, 0, 0}, .angle = 300},
                                {.time = 1, .axis = {0, 1, 1}, .angle = -200}};
    sp_collider_def def = {.shape.sphere = &ball, .motion = {.keys = keys, .key_count = 2}};
    sp_shape *shape = open_shape(&def, HOST);
    const sp_body before = sp_shape_pose(shape, 1.0 - 1e-12), after = sp_shape_pose(shape, 1.0);
    for (int k = 0; k < 9; ++k)
        assert_true(fabs(before.rotation[k] - after.rotation[k]) < 1e-11);
    static const double points[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double v[3], sum = 0.0;
    for (int k = 0; k < 3; ++k) { // |omega|^2 is half the sum of |omega x e|^2
        sp_shape_velocity(shape, 0.5, points[k], v);
        sum += 0.5 * sp_dot3(v, v);
    }
    assert_true(sqrt(sum) <= SP_PI_D);
    sp_shape_close(shape);
}

/// A smooth path goes through its keys, has no jump of velocity anywhere, rests before and after,
/// and follows a parabola exactly between inner keys however uneven their times.
static void smooth_paths_have_continuous_velocity(void **state)
{
    (void)state;
    static const float times[] = {0, 1, 1.5f, 3, 3.25f, 5};
    sp_pose_def keys[6] = {0};
    for (int i = 0; i < 6; ++i) {
        keys[i].time = times[i];
        keys[i].position[0] = 0.25f * times[i] * times[i];
        keys[i].position[1] = -times[i];
    }
    sp_collider_def def = {.shape.sphere = &ball,
                           .motion = {.keys = keys, .key_count = 6, .path = SP_PATH_SMOOTH}};
    sp_shape *shape = open_shape(&def, HOST);
    const double zero[3] = {0, 0, 0};
    for (int i = 0; i < 6; ++i) {
        const double t = (double)times[i];
        double before[3], after[3];
        const sp_body pose = sp_shape_pose(shape, t);
        assert_true(fabs(pose.position[0] - (double)keys[i].position[0]) < 1e-15);
        sp_shape_velocity(shape, t - 1e-9, zero, before);
        sp_shape_velocity(shape, t + 1e-9, zero, after);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(before[k] - after[k]) < 1e-7); // accelerations are below 20 m/s^2
    }
    for (double t = 1.0; t <= 3.25; t += 0.0625) {
        const sp_body pose = sp_shape_pose(shape, t);
        assert_true(fabs(pose.position[0] - 0.25 * t * t) < 1e-14);
    }
    sp_shape_close(shape);
}

/// 60 turns a minute about z: after a quarter of a second x points along y, at 2 pi m/s.
static void spin_is_right_handed_turns_a_minute(void **state)
{
    (void)state;
    const sp_spin_def spin = {{1, 0, 0}, {0, 0, 5}, 60};
    const sp_collider_def def = {.shape.sphere = &ball, .motion = {.spin = &spin}};
    sp_shape *shape = open_shape(&def, HOST);
    const sp_body pose = sp_shape_pose(shape, 0.25);
    const double p[3] = {2, 0, 0};
    double v[3];
    assert_true(fabs(pose.rotation[3] - 1.0) < 1e-15);
    assert_true(fabs(pose.position[0] - 1.0) < 1e-15 && fabs(pose.position[1] + 1.0) < 1e-15);
    sp_shape_velocity(shape, 77.0, p, v);
    assert_true(fabs(v[0]) < 1e-14 && fabs(v[1] - 2.0 * SP_PI_D) < 1e-14);
    sp_shape_close(shape);
}

/// ---- Many at once ------------------------------------------------------------------------------

static void batch_queries_equal_single_queries(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double p[N][3];
    static float d[N], n[N][3];
    static const int threads[] = {1, 2, 3, 5};
    for (uint64_t i = 0; i < N; ++i)
        shape_sample_point(i, p[i]);
    for (size_t k = 0; k < 4; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        sp_collider_def def = shape_samples[4].def;
        def.motion = shape_sample_motion;
        sp_shape *shape = open_shape(&def, &host);
        assert_true(sp_shape_moves(shape));
        sp_shape_distances(shape, 0.7, N, (const double(*)[3])p, d, n);
        for (size_t i = 0; i < N; ++i) {
            double m[3];
            assert_true(d[i] == (float)sp_shape_distance(shape, 0.7, p[i], m));
            assert_true(n[i][0] == (float)m[0] && n[i][2] == (float)m[2]);
        }
        sp_shape_close(shape);
    }
}

/// A level set holds the clamped distance at voxel centres, also in tiles far from the surface.
static void level_sets_are_distances_at_centres(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int32_t at[4][3] = {{0, 0, 0}, {-1, 0, 0}, {3, 3, 3}, {-8, 2, 5}};
    static float phi[4 * SP_TILE_VOXELS];
    const sp_tiles tiles = {.host = &host, .voxel = 0.05f, .count = 4, .at = at};
    const double origin[3] = {0.1, -0.2, 0.3};
    const double h = (double)tiles.voxel;
    for (size_t i = 0; i < shape_sample_count; ++i) {
        sp_shape *shape = open_shape(&shape_samples[i].def, &host);
        const shape_moment now = shape_moment_at(shape, 0.0);
        shape_fill_tiles(shape, &now, &tiles, origin, 0.15f, phi);
        for (size_t v = 0; v < 4 * SP_TILE_VOXELS; ++v) {
            const int32_t *tile = at[v / SP_TILE_VOXELS];
            const size_t in = v % SP_TILE_VOXELS;
            const double p[3] = {origin[0] + h * (8 * tile[0] + (double)(in % 8) + 0.5),
                                 origin[1] + h * (8 * tile[1] + (double)(in / 8 % 8) + 0.5),
                                 origin[2] + h * (8 * tile[2] + (double)(in / 64) + 0.5)};
            const double d = sp_shape_distance(shape, 0.0, p, NULL);
            const double expected = fmin(fmax(d, -(double)0.15f), (double)0.15f);
            assert_true(fabs((double)phi[v] - expected) < 1e-7); // half a unit of a float
        }
        sp_shape_close(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validation_rows_pass),
        cmocka_unit_test(distances_move_with_the_body),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(unbounded_shapes_have_infinite_bounds),
        cmocka_unit_test(distances_of_a_tank_are_exact),
        cmocka_unit_test(rotations_beyond_one_turn_are_kept),
        cmocka_unit_test(slerp_ends_at_its_keys_by_the_short_way),
        cmocka_unit_test(smooth_paths_have_continuous_velocity),
        cmocka_unit_test(spin_is_right_handed_turns_a_minute),
        cmocka_unit_test(batch_queries_equal_single_queries),
        cmocka_unit_test(level_sets_are_distances_at_centres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
