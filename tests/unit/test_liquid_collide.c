// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "test_liquid_moving.h"

#include <stdlib.h>

static const moving_def box = {.method = SP_LIQUID_FLIP,
                               .voxel = 0.1f,
                               .cfl = 2.0f,
                               .low = {-1, -1, -1},
                               .high = {2, 2, 2},
                               .count = moving_two};

/// Distance to a solid, voxels, at a place in voxels.
typedef double distance(const double x[3]);

/// Cuts every tile by a solid.
static void open_water(liquid *s, const sp_host *host, const moving_def *d, distance *psi)
{
    assert_ok(moving_open(s, host, d, ERR));
    s->solids.row = calloc(s->grid.tiles.count, sizeof *s->solids.row);
    s->solids.tile = calloc(s->grid.tiles.count, sizeof *s->solids.tile);
    s->solids.escape = calloc(s->grid.tiles.count, sizeof *s->solids.escape);
    for (size_t t = 0; t < s->grid.tiles.count; ++t) {
        s->solids.row[t] = (uint32_t)t;
        for (int c = 0; c < SP_TILE_CORNERS; ++c) {
            const int in[3] = {c % 9, c / 9 % 9, c / 81};
            double x[3];
            for (int a = 0; a < 3; ++a)
                x[a] = 8.0 * s->grid.tiles.at[t][a] + in[a];
            s->solids.tile[t].psi[c] = (float)(psi(x) * (double)s->grid.voxel);
        }
    }
}

static void close_water(liquid *s)
{
    free(s->solids.row);
    free(s->solids.tile);
    free(s->solids.escape);
    moving_close(s);
}

static double plane(const double x[3])
{
    return 0.6 * x[0] + 0.8 * x[1] - 2.3;
}

/// The distance to a plane is linear, so the grid has it exactly and one push is enough: every
/// particle ends a tenth of a voxel away along the normal, up to rounding of coordinates of 8. Only
/// particles pushed beyond the last tile leave the grid.
static void a_plane_pushes_particles_straight_out(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    open_water(&s, &host, &box, plane);
    const size_t n = s.particles.set.count;
    double(*old)[3] = malloc(n * sizeof *old);
    for (size_t i = 0; i < n; ++i)
        (void)water_place(&s, i, old[i]);
    water_advect(&s, s.grid.u, 0.1); // at rest
    size_t pushed = 0;
    for (size_t i = 0; i < n; ++i) {
        const double psi = plane(old[i]), away = psi < 0.1 ? 0.1 - psi : 0.0;
        double x[3], want[3] = {old[i][0] + 0.6 * away, old[i][1] + 0.8 * away, old[i][2]};
        (void)water_place(&s, i, x);
        if (psi < -5.0) continue; // too deep to stay within the tiles around
        pushed += away > 0.0;
        for (int a = 0; a < 3; ++a)
            assert_true(fabs(x[a] - want[a]) < 1e-5);
    }
    assert_true(pushed > 3000);
    assert_int_equal(s.figures.left, 0);
    free(old);
    close_water(&s);
}

static double ball(const double x[3])
{
    return sqrt((x[0] - 4.3) * (x[0] - 4.3) + (x[1] - 3.9) * (x[1] - 3.9) +
                (x[2] - 4.0) * (x[2] - 4.0)) -
           5.0;
}

/// On a grid of one voxel a ball of radius 5 is round within h^2/(8 R)*2 = 0.05 voxels. No particle
/// stays inside, except around the centre, where the gradient vanishes.
static void ball_pushes_all_particles_out(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    open_water(&s, &host, &box, ball);
    water_advect(&s, s.grid.u, 0.1);
    size_t gone = 0;
    for (size_t i = 0; i < s.particles.set.count; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        if (s.particles.id[i] == SP_POINT_GONE)
            ++gone;
        else
            assert_true(ball(x) > 0.05);
    }
    assert_int_equal(gone, s.figures.stuck);
    assert_true(gone < 10);
    close_water(&s);
}

static double inside(const double x[3])
{
    (void)x;
    return -1.0;
}

/// Particles deep in a solid are marked as gone, counted once, and dropped by the sort.
static void particles_deep_in_solids_are_removed_and_counted(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    open_water(&s, &host, &box, inside);
    const size_t n = s.particles.set.count;
    s.particles.id[7] = SP_POINT_GONE; // removed by another stage, which counts it
    water_advect(&s, s.grid.u, 0.1);
    assert_int_equal(s.figures.stuck, n - 1);
    water_advect(&s, s.grid.u, 0.1);
    assert_int_equal(s.figures.stuck, n - 1);
    assert_ok(water_sort(&s, &s.grid.tiles, ERR));
    assert_int_equal(s.particles.set.count, 0);
    assert_int_equal(s.figures.left, 0);
    close_water(&s);
}

static double down(int a, const double x[3])
{
    (void)x;
    return a == 1 ? -2.0 : 0.0;
}

/// Two voxels down in one step. The wall is the plane y = 0, where the tiles end, so only the
/// bodies give its position, not the grid.
static void walls_outside_the_tiles_stop_particles(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    moving_def d = box;
    d.low[1] = 0;
    liquid s;
    open_water(&s, &host, &d, inside);
    for (size_t t = 0; t < s.grid.tiles.count; ++t)
        s.solids.row[t] = SP_FLOW_TILE_OPEN;
    const sp_solids_def def = {.voxel = 0.1f,
                               .low = {-9.0, 0.0, -9.0},
                               .high = {9.0, 9.0, 9.0},
                               .walls = 1 << SP_SIDE_BOTTOM};
    assert_ok(sp_solids_open(&def, &host, &s.solids.bodies, ERR));
    moving_set(&s, s.grid.u, down);
    water_advect(&s, s.grid.u, 0.1);
    assert_int_equal(s.figures.stuck, 0);
    size_t held = 0;
    for (size_t i = 0; i < s.particles.set.count; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        held += fabs(x[1] - 0.1) < 1e-5;
        assert_true(x[1] >= 0.0);
    }
    assert_true(held > 500); // all of a layer of two voxels, a tenth of them from beyond the plane
    sp_solids_close(s.solids.bodies);
    close_water(&s);
}

/// The floor is open at y = 0.05 m, half a voxel, and the right side at 1.2 m; the other sides are
/// walls.
static void open_sides_remove_particles(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    assert_ok(moving_open(&s, &host, &box, ERR));
    s.def.sides = (sp_liquid_sides_def){.bottom = SP_LIQUID_OPEN, .right = SP_LIQUID_OPEN};
    for (int a = 0; a < 3; ++a) {
        s.grid.origin[a] = 100.0;
        s.grid.domain[0][a] = 100.05;
        s.grid.domain[1][a] = 101.2;
    }
    water_advect(&s, s.grid.u, 0.1); // at rest
    uint64_t beyond = 0;
    for (size_t i = 0; i < s.particles.set.count; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        const bool out = x[0] > 12.0 || x[1] < 0.5;
        if (fabs(x[0] - 12.0) < 1e-5 || fabs(x[1] - 0.5) < 1e-5) continue;
        beyond += out;
        assert_int_equal(s.particles.id[i] == SP_POINT_GONE, out);
    }
    assert_true(beyond > 1000);
    assert_int_equal(beyond, s.figures.left);
    moving_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_pushes_particles_straight_out),
        cmocka_unit_test(ball_pushes_all_particles_out),
        cmocka_unit_test(particles_deep_in_solids_are_removed_and_counted),
        cmocka_unit_test(walls_outside_the_tiles_stop_particles),
        cmocka_unit_test(open_sides_remove_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
