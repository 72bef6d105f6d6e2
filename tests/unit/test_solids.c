// SPDX-License-Identifier: Apache-2.0
// links: shapes tiles frame core
#include "scarce_host.h"
#include "shapes/solids.h"
#include "testing.h"

#include <math.h>
#include <string.h>

/// cmocka compares only floats.
static void close_to(double a, double b, double tolerance)
{
    assert_true(fabs(a - b) <= tolerance);
}

/// ---- A scene with everything in it -------------------------------------------------------------

static const sp_box_def box = {{-0.31f, 0.12f, -0.21f}, {0.22f, 0.47f, 0.33f}};
static const sp_sphere_def ball = {{0.1f, 0.0f, 0.05f}, 0.23f};
static const sp_torus_def ring = {{0.0f, 0.0f, 0.0f}, {0.2f, 1.0f, 0.1f}, 0.5f, 0.12f};
static const sp_cylinder_def rod = {{-0.8f, -0.8f, 0.6f}, {-0.5f, -0.6f, 0.8f}, 0.13f};
static const sp_cylinder_def pill = {{0.6f, -0.8f, -0.7f}, {0.9f, -0.5f, -0.8f}, 0.1f};
static const sp_pose_def tilt = {.axis = {1, 2, 3}, .angle = 11.0f};
static const sp_pose_def keys[] = {
    {0.0f, {-0.5f, 0.6f, 0.2f}, {0, 0, 1}, 0.0f},
    {2.0f, {0.5f, 0.9f, 0.1f}, {0, 0, 1}, 70.0f},
};
static const sp_spin_def spin = {{0.1f, 0.0f, 0.0f}, {0.3f, 1.0f, 0.0f}, 40.0f};

static const sp_collider_def everything[] = {
    {.name = "box", .shape.box = &box, .slip = 1.0f},
    {.name = "ball", .shape.sphere = &ball, .slip = 0.25f, .motion = {keys, 2, 0, NULL}},
    {.name = "ring", .shape.torus = &ring, .slip = 1.0f, .motion = {.spin = &spin}},
    {.name = "rod", .shape.cylinder = &rod, .slip = 1.0f, .motion = {&tilt, 1, 0, NULL}},
    {.name = "pill", .shape.capsule = &pill, .slip = 1.0f},
};
enum { EVERYTHING = sizeof everything / sizeof *everything };

/// A domain about `center`; all sides but the top are walls.
static sp_solids_def around(const sp_collider_def *colliders, size_t count, const double center[3])
{
    sp_solids_def def = {.colliders = colliders, .count = count, .voxel = 0.05f, .walls = 0x37};
    for (int k = 0; k < 3; ++k) {
        def.low[k] = center[k] - 1.03;
        def.high[k] = center[k] + 1.21;
        def.origin[k] = def.low[k] - 4 * (double)def.voxel;
    }
    return def;
}

static sp_solids *opened(const sp_solids_def *def, const sp_host *host)
{
    sp_solids *solids;
    assert_ok(sp_solids_open(def, host, &solids, ERR));
    return solids;
}

static void corner_of(const sp_solids_def *def, const int32_t at[3], int c, double p[3])
{
    const int place[3] = {c % 9, c / 9 % 9, c / 81};
    for (int k = 0; k < 3; ++k)
        p[k] = def->origin[k] + (double)def->voxel * (8.0 * at[k] + place[k]);
}

/// The union by brute force: every shape and wall in closed form.
static double brute_distance(const sp_solids_def *def, const sp_solids *s, double t,
                             const double p[3], int *who)
{
    double best = HUGE_VAL;
    for (int i = 0; i < 6; ++i) {
        const double d = i % 2 ? def->high[i / 2] - p[i / 2] : p[i / 2] - def->low[i / 2];
        if (!(def->walls >> i & 1) || d >= best) continue;
        best = d;
        *who = SP_SOLID_WALL;
    }
    for (size_t i = 0; i < def->count; ++i) {
        const double d = sp_shape_distance(sp_solids_shape(s, i), t, p, NULL);
        if (d >= best) continue;
        best = d;
        *who = (int)i;
    }
    return best;
}

/// ---- Tiles -------------------------------------------------------------------------------------

static void check_corners(const sp_solids_def *def, const sp_solids *s, double t,
                          const int32_t at[3], sp_solidity what, const sp_solid_tile *tile)
{
    const double snap = 1e-4 * (double)def->voxel;
    for (int c = 0; c < SP_TILE_CORNERS; c += what == SP_TILE_IS_CUT ? 2 : 13) {
        double p[3];
        int who = -1;
        corner_of(def, at, c, p);
        const double d = brute_distance(def, s, t, p, &who);
        const bool sure = fabs(d) > 1.01 * snap;
        if (what == SP_TILE_IS_OPEN && sure) assert_true(d > 0.0);
        if (what == SP_TILE_IS_SOLID && sure) assert_true(d < 0.0);
        if (what != SP_TILE_IS_CUT) continue;
        close_to((double)tile->psi[c], d, sure ? 1e-6 : snap);
        if (tile->who[c] != who) { // two solids are equally near
            const double other =
                tile->who[c] == SP_SOLID_WALL
                    ? d
                    : sp_shape_distance(sp_solids_shape(s, tile->who[c]), t, p, NULL);
            close_to(other, d, 1e-6);
        }
    }
}

/// For every tile in and around the domain, at several times, the lookup agrees with all shapes at
/// all corners. Distances of a few metres are rounded to floats, 2e-7.
static void tile_lookup_equals_brute_force(void **state)
{
    (void)state;
    static const double centers[2][3] = {{0, 0, 0}, {7000.0, -300.0, 12345.6}};
    const sp_host host = sp_host_default(2);
    static sp_solid_tile tile;
    for (int far = 0; far < 2; ++far) { // far away there are only walls
        const sp_solids_def def = around(everything, EVERYTHING, centers[far]);
        sp_solids *s = opened(&def, &host);
        int seen[3] = {0};
        for (int step = 0; step < 3; ++step) {
            const double t = 0.7 * step;
            assert_ok(sp_solids_move(s, t, ERR));
            for (int32_t n = 0; n < 8 * 8 * 8; ++n) {
                const int32_t at[3] = {n % 8 - 1, n / 8 % 8 - 1, n / 64 - 1};
                const sp_solidity what = sp_solids_classify_tile(s, at, &tile);
                ++seen[what];
                check_corners(&def, s, t, at, what, &tile);
            }
        }
        assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
        sp_solids_close(s);
    }
}

/// On a face that is not fully open, velocity and slip are those of the solid nearest to its
/// middle.
static void faces_move_with_the_nearest_solid(void **state)
{
    (void)state;
    const sp_solids_def def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    sp_solids *s = opened(&def, HOST);
    const double t = 0.9, h = (double)def.voxel;
    static sp_solid_tile tile;
    int moving = 0, sticking = 0;
    assert_ok(sp_solids_move(s, t, ERR));
    for (int32_t n = 0; n < 6 * 6 * 6; ++n) {
        const int32_t at[3] = {n % 6, n / 6 % 6, n / 36};
        if (sp_solids_classify_tile(s, at, &tile) != SP_TILE_IS_CUT) continue;
        bool moves = false, sticks = false;
        for (int axis = 0; axis < 3; ++axis)
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                double p[3], v[3] = {0};
                int who = -1;
                corner_of(&def, at, i % 8 + 9 * (i / 8 % 8) + 81 * (i / 64), p);
                p[(axis + 1) % 3] += 0.5 * h;
                p[(axis + 2) % 3] += 0.5 * h;
                moves = moves || tile.velocity[axis][i] != 0.0f;
                sticks = sticks || tile.slip[axis][i] < 1.0f;
                if (tile.open[axis][i] >= 1.0f) continue;
                brute_distance(&def, s, t, p, &who);
                if (who != SP_SOLID_WALL)
                    sp_shape_velocity(sp_solids_shape(s, (size_t)who), t, p, v);
                close_to((double)tile.velocity[axis][i], v[axis], 1e-6);
                assert_true(tile.slip[axis][i] == (who == 1 ? 0.25f : 1.0f));
            }
        assert_true(tile.moves == moves && tile.sticks == sticks);
        moving += moves;
        sticking += sticks;
    }
    assert_true(moving > 5 && sticking > 0);
    sp_solids_close(s);
}

/// Tiles reported as unchanged are identical bit for bit.
static void tiles_reported_unchanged_are_identical(void **state)
{
    (void)state;
    const sp_solids_def def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    sp_solids *s = opened(&def, HOST);
    enum { SIDE = 8, TILES = SIDE * SIDE * SIDE };
    static sp_solid_tile before[TILES], now;
    sp_solidity was[TILES];
    int same = 0;
    for (int32_t n = 0; n < TILES; ++n) {
        const int32_t at[3] = {n % SIDE - 1, n / SIDE % SIDE - 1, n / SIDE / SIDE - 1};
        assert_false(sp_solids_changed(s, at));
        was[n] = sp_solids_classify_tile(s, at, &before[n]);
    }
    assert_ok(sp_solids_move(s, 0.3, ERR));
    for (int32_t n = 0; n < TILES; ++n) {
        const int32_t at[3] = {n % SIDE - 1, n / SIDE % SIDE - 1, n / SIDE / SIDE - 1};
        if (sp_solids_changed(s, at)) continue;
        ++same;
        assert_int_equal(sp_solids_classify_tile(s, at, &now), was[n]);
        if (was[n] != SP_TILE_IS_CUT) continue;
        assert_memory_equal(now.psi, before[n].psi, sizeof now.psi);
        assert_memory_equal(now.open, before[n].open, sizeof now.open);
        for (int axis = 0; axis < 3; ++axis) // open faces have no velocity
            for (int i = 0; i < SP_TILE_VOXELS; ++i)
                if (now.open[axis][i] < 1.0f)
                    assert_true(now.velocity[axis][i] == before[n].velocity[axis][i]);
    }
    assert_true(same > TILES / 2); // most tiles are reused
    sp_solids_close(s);
}

/// Walls on voxel boundaries: everything behind is closed, everything before is open, and the faces
/// in their plane are closed.
static void walls_on_the_grid_are_exact(void **state)
{
    (void)state;
    sp_solids_def def = {.voxel = 0.1f, .walls = 0x3f};
    for (int k = 0; k < 3; ++k) {
        def.origin[k] = 100.7 - 4 * (double)def.voxel;
        def.low[k] = 100.7;
        def.high[k] = 100.7 + 12 * (double)def.voxel;
    }
    sp_solids *s = opened(&def, HOST);
    static sp_solid_tile tile;
    for (int32_t n = 0; n < 8; ++n) {
        const int32_t at[3] = {n & 1, n >> 1 & 1, n >> 2};
        assert_int_equal(sp_solids_classify_tile(s, at, &tile), SP_TILE_IS_CUT);
        assert_false(tile.moves || tile.sticks);
        for (int axis = 0; axis < 3; ++axis)
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                const int g[3] = {8 * at[0] + i % 8, 8 * at[1] + i / 8 % 8, 8 * at[2] + i / 64};
                bool open = true;
                for (int k = 0; k < 3; ++k)
                    open = open && (k == axis ? g[k] > 4 && g[k] < 16 : g[k] >= 4 && g[k] < 16);
                assert_true(tile.open[axis][i] == (open ? 1.0f : 0.0f));
            }
    }
    sp_solids_close(s);
}

/// Containers leave rectangles of a face open: compared with faces sampled 20 x 20 times, off by at
/// most a row of samples along each of four sides. With and without lid and end, with sides on the
/// grid, and alone, so that shares are those of the container.
static void open_shares_of_containers_are_rectangles(void **state)
{
    (void)state;
    enum { FINE = 20 };
    static const sp_box_def tight = {{-0.3f, -0.2f, -0.4f}, {0.3f, 0.4f, 0.2f}};
    static const sp_box_def loose = {{-0.28f, -0.23f, -0.41f}, {0.33f, 0.37f, 0.24f}};
    for (int kind = 0; kind < 8; ++kind) {
        const sp_collider_def tank = {.shape.box = kind & 1 ? &tight : &loose,
                                      .slip = 1.0f,
                                      .inside_out = true,
                                      .open = kind & 2 ? SP_OPEN_TOP : SP_OPEN_NOWHERE,
                                      .thickness = kind & 4 ? 0.13f : 0.0f};
        const sp_solids_def def = {.colliders = &tank,
                                   .count = 1,
                                   .voxel = 0.1f,
                                   .origin = {-0.8, -0.8, -0.8},
                                   .low = {-0.8, -0.8, -0.8},
                                   .high = {0.8, 0.8, 0.8}};
        sp_solids *s = opened(&def, HOST);
        static sp_solid_tile tile;
        for (int32_t n = 0; n < 8; ++n) {
            const int32_t at[3] = {n & 1, n >> 1 & 1, n >> 2};
            assert_int_equal(sp_solids_classify_tile(s, at, &tile), SP_TILE_IS_CUT);
            for (int f = 0; f < 3 * SP_TILE_VOXELS; f += 23) {
                const int axis = f / SP_TILE_VOXELS, i = f % SP_TILE_VOXELS;
                int free = 0;
                for (int m = 0; m < FINE * FINE; ++m) {
                    double p[3];
                    corner_of(&def, at, i % 8 + 9 * (i / 8 % 8) + 81 * (i / 64), p);
                    p[(axis + 1) % 3] += 0.1 * (m % FINE + 0.5) / FINE;
                    p[(axis + 2) % 3] += 0.1 * (m / FINE + 0.5) / FINE;
                    free += sp_solids_distance(s, p, NULL, NULL) > 1e-5;
                }
                const double share = (double)free / (FINE * FINE);
                close_to((double)tile.open[axis][i], share, 4.0 / FINE);
            }
        }
        sp_solids_close(s);
    }
}

/// A box flush with a wall between two corners: only both together close the face.
static void flush_solids_leave_no_gap(void **state)
{
    (void)state;
    static const sp_box_def block = {{0.0f, 0.0f, 0.0f}, {0.45f, 0.3f, 1.0f}};
    const sp_collider_def body = {.shape.box = &block, .slip = 1.0f};
    const sp_solids_def def = {.colliders = &body,
                               .count = 1,
                               .voxel = 0.1f,
                               .walls = 1 << SP_SIDE_RIGHT,
                               .low = {-1, -1, -1},
                               .high = {0.45, 2, 2}};
    sp_solids *s = opened(&def, HOST);
    static sp_solid_tile tile;
    assert_int_equal(sp_solids_classify_tile(s, (const int32_t[3]){0, 0, 0}, &tile),
                     SP_TILE_IS_CUT);
    for (int i = 0; i < SP_TILE_VOXELS; ++i) // below the block's top, at y = 3 voxels
        if (i / 8 % 8 < 3)
            assert_true(tile.open[0][i] == 0.0f && tile.open[1][i] == 0.0f &&
                        tile.open[2][i] == 0.0f);
    sp_solids_close(s);
}

/// ---- Points ------------------------------------------------------------------------------------

static void point_query_uses_the_nearest_shape(void **state)
{
    (void)state;
    const sp_solids_def def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    sp_solids *s = opened(&def, HOST);
    assert_ok(sp_solids_move(s, 1.3, ERR));
    for (size_t i = 0; i < 3000; ++i) {
        double p[3], n[3], q[3], v[3], expected[3] = {0};
        int who = -1, nearest = -1;
        for (int k = 0; k < 3; ++k)
            p[k] = 2.6 * (double)sp_unit(sp_random(3, 8, i, 0, 0).x[k]) - 1.3;
        const double d = sp_solids_distance(s, p, n, &who);
        close_to(d, brute_distance(&def, s, 1.3, p, &nearest), 1e-12);
        assert_int_equal(who, nearest);
        close_to(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-12);
        if (d > 0.0) { // a step of the distance's length against the normal ends on the surface
            for (int k = 0; k < 3; ++k)
                q[k] = p[k] - d * n[k];
            close_to(sp_solids_distance(s, q, NULL, NULL), 0.0, 1e-12);
        }
        sp_solids_velocity(s, who, p, v);
        if (who != SP_SOLID_WALL)
            sp_shape_velocity(sp_solids_shape(s, (size_t)who), 1.3, p, expected);
        for (int k = 0; k < 3; ++k)
            close_to(v[k], expected[k], 1e-12);
    }
    sp_solids_close(s);
}

static void distance_without_solids_is_infinite(void **state)
{
    (void)state;
    sp_solids_def def = around(NULL, 0, (const double[3]){0, 0, 0});
    def.walls = 0;
    sp_solids *s = opened(&def, HOST);
    static sp_solid_tile tile;
    const double p[3] = {0, 0, 0};
    double v[3] = {1, 1, 1};
    int who = 7;
    assert_true(isinf(sp_solids_distance(s, p, NULL, &who)));
    assert_int_equal(who, -1);
    sp_solids_velocity(s, who, p, v);
    assert_true(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0);
    assert_int_equal(sp_solids_classify_tile(s, (const int32_t[3]){0, 0, 0}, &tile),
                     SP_TILE_IS_OPEN);
    assert_false(sp_solids_moving(s));
    assert_true(sp_solids_speed(s) == 0.0);
    sp_solids_close(s);
}

/// The rim of the ring at radius 0.62 m turns at 40/60*2 pi 1/s about an axis 0.1 m beside its
/// middle: no faster than (0.62 + 0.1) omega. The corners of its box are at most sqrt(3) times
/// farther out.
static void the_fastest_speed_bounds_every_point(void **state)
{
    (void)state;
    const sp_solids_def def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    sp_solids *s = opened(&def, HOST);
    const double omega = 40.0 / 60.0 * 2.0 * SP_PI_D, most = sp_solids_speed(s);
    assert_true(sp_solids_moving(s));
    assert_true(most >= 0.62 * omega && most <= sqrt(3.0) * 0.72 * omega);
    for (size_t i = 0; i < 2000; ++i) {
        double p[3], v[3];
        for (int k = 0; k < 3; ++k)
            p[k] = 2.0 * (double)sp_unit(sp_random(3, 9, i, 0, 0).x[k]) - 1.0;
        for (size_t b = 0; b < EVERYTHING; ++b) {
            if (sp_shape_distance(sp_solids_shape(s, b), 0.0, p, NULL) > 0.0) continue;
            sp_shape_velocity(sp_solids_shape(s, b), 0.0, p, v);
            assert_true(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= most * most * (1.0 + 1e-12));
        }
    }
    sp_solids_close(s);
}

/// ---- Refusals and memory -----------------------------------------------------------------------

static void bad_defs_are_refused(void **state)
{
    (void)state;
    sp_solids *s;
    sp_solids_def def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    def.voxel = NAN;
    assert_int_equal(sp_solids_open(&def, HOST, &s, ERR), SP_BAD_INPUT);
    assert_null(s);
    def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    def.low[1] = (double)NAN;
    assert_int_equal(sp_solids_open(&def, HOST, &s, ERR), SP_BAD_INPUT);
    def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    def.origin[2] = HUGE_VAL;
    assert_int_equal(sp_solids_open(&def, HOST, &s, ERR), SP_BAD_INPUT);
    sp_collider_def bad = everything[0];
    const sp_sphere_def no_ball = {{0, 0, 0}, NAN};
    bad.shape = (sp_shape_def){.sphere = &no_ball};
    def = around(&bad, 1, (const double[3]){0, 0, 0});
    assert_int_equal(sp_solids_open(&def, HOST, &s, ERR), SP_BAD_INPUT);
    def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    s = opened(&def, HOST);
    assert_int_equal(sp_solids_move(s, (double)NAN, ERR), SP_BAD_INPUT);
    sp_solids_close(s);
    sp_solids_close(NULL);
}

static sp_status open_all(const sp_host *host, sp_error *err)
{
    const sp_solids_def def = around(everything, EVERYTHING, (const double[3]){0, 0, 0});
    sp_solids *s;
    SP_TRY(sp_solids_open(&def, host, &s, err));
    const sp_status status = sp_solids_move(s, 0.5, err);
    sp_solids_close(s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_lookup_equals_brute_force),
        cmocka_unit_test(faces_move_with_the_nearest_solid),
        cmocka_unit_test(tiles_reported_unchanged_are_identical),
        cmocka_unit_test(walls_on_the_grid_are_exact),
        cmocka_unit_test(open_shares_of_containers_are_rectangles),
        cmocka_unit_test(flush_solids_leave_no_gap),
        cmocka_unit_test(point_query_uses_the_nearest_shape),
        cmocka_unit_test(distance_without_solids_is_infinite),
        cmocka_unit_test(the_fastest_speed_bounds_every_point),
        cmocka_unit_test(bad_defs_are_refused),
        test_failing_allocations(open_all, 1, 10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
