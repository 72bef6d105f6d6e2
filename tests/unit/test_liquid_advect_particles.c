// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "scarce_host.h"
#include "test_liquid_moving.h"

#include <stdlib.h>

static const moving_def box = {.method = SP_LIQUID_FLIP,
                               .voxel = 0.1f,
                               .cfl = 2.0f,
                               .pic_rate = 0.6f,
                               .low = {-1, -1, -1},
                               .high = {2, 2, 2},
                               .count = moving_two};

static void opened(liquid *s, const sp_host *host, const moving_def *d)
{
    assert_ok(moving_open(s, host, d, ERR));
}

/// Particles all of whose faces exist: outside the tiles the velocity is 0 and no field is linear.
static bool is_inside(const double x[3], double margin)
{
    for (int a = 0; a < 3; ++a)
        if (x[a] < -8.0 + margin || x[a] > 16.0 - margin) return false;
    return true;
}

/// ---- Velocities from the grid (L2) -------------------------------------------------------------

/// m/s; slopes are in 1/s times voxels of 0.1 m.
static const double slope[3][3] = {{0.2, -0.1, 0.05}, {0.15, -0.3, 0.1}, {-0.05, 0.25, 0.1}};

static double linear(int a, const double x[3])
{
    return 1.5 - a + slope[a][0] * x[0] + slope[a][1] * x[1] + slope[a][2] * x[2];
}
static double linear_less(int a, const double x[3])
{
    return 0.5 * linear(a, x) - 0.3 * a;
}

/// Trilinear interpolation is exact for linear fields, so what is left is rounding: seven steps of
/// 1e-7 of the largest corner, 10 m/s. A wrong half voxel misses by 0.02.
static void flip_adds_the_change_and_a_share_of_the_grid_velocity(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const double dt = 0.05, r = 1.0 - 0.6 * dt;
    liquid s;
    opened(&s, &host, &box);
    moving_set(&s, s.grid.u, linear);
    moving_set(&s, s.grid.u_unforced, linear_less);
    const size_t n = s.particles.set.count;
    float *old[3];
    for (int a = 0; a < 3; ++a) {
        old[a] = malloc(n * sizeof(float));
        memcpy(old[a], s.particles.v[a], n * sizeof(float));
    }
    water_gather(&s, s.grid.u, dt);
    size_t checked = 0;
    for (size_t i = 0; i < n; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        if (!is_inside(x, 1.0)) continue;
        ++checked;
        for (int a = 0; a < 3; ++a) {
            const double u = linear(a, x), before = linear_less(a, x);
            const double want = r * ((double)old[a][i] + u - before) + (1.0 - r) * u;
            assert_true(fabs((double)s.particles.v[a][i] - want) < 1e-5);
        }
    }
    assert_true(checked > 10000);
    for (int a = 0; a < 3; ++a)
        free(old[a]);
    moving_close(&s);
}

/// Puts a third of the particles on the edges of their tiles, in all combinations of axes.
static void put_on_edges(liquid *s)
{
    static const float edges[] = {0x1.fffffep+2f, 7.7f, SP_POINT_LAST, 0.0f, 7.9999f};
    for (size_t i = 0; i < s->particles.set.count; i += 3)
        for (int a = 0, k = (int)(i % 125); a < 3; ++a, k /= 5)
            s->particles.x[a][i] = edges[k % 5];
}

/// Work memory keeps what another tile or thread left there. At the last float below 8 velocities were
/// interpolated from beyond the patch: two runs of a million particles had different hashes.
static void velocities_on_the_edges_of_tiles_do_not_depend_on_work_memory(void **state)
{
    (void)state;
    static const float left_there[] = {0.0f, 1e3f, NAN};
    const sp_host host = sp_host_default(1);
    uint64_t hash[2][3] = {0};
    for (int k = 0; k < 3; ++k) {
        liquid s;
        opened(&s, &host, &box);
        moving_set(&s, s.grid.u, linear);
        put_on_edges(&s);
        const size_t bytes = s.particles.set.count * sizeof(float);
        for (size_t i = 0; i < s.particles.work_size; ++i)
            s.particles.work[i] = left_there[k];
        water_gather(&s, s.grid.u, 0.05);
        for (int a = 0; a < 3; ++a)
            hash[0][k] ^= sp_hash((uint64_t)a, s.particles.v[a], bytes);
        for (size_t i = 0; i < s.particles.work_size; ++i)
            s.particles.work[i] = left_there[k];
        put_on_edges(&s);
        water_advect(&s, s.grid.u, 0.05);
        for (int a = 0; a < 3; ++a)
            hash[1][k] ^= sp_hash((uint64_t)a, s.particles.x[a], bytes);
        moving_close(&s);
    }
    for (int what = 0; what < 2; ++what)
        for (int k = 1; k < 3; ++k)
            assert_int_equal(hash[what][k], hash[what][0]);
}

/// With a rate of 1/dt nothing is left of a particle's own velocity.
static void full_pic_rate_leaves_only_the_grid_velocity(void **state)
{
    (void)state;
    moving_def d = box;
    d.pic_rate = 24.0f;
    liquid s;
    opened(&s, HOST, &d);
    moving_set(&s, s.grid.u, linear);
    moving_set(&s, s.grid.u_unforced, linear_less);
    water_gather(&s, s.grid.u, 0.1); // beyond 1/rate: the share kept is 0, not negative
    for (size_t i = 0; i < s.particles.set.count; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        for (int a = 0; is_inside(x, 1.0) && a < 3; ++a)
            assert_true(fabs((double)s.particles.v[a][i] - linear(a, x)) < 1e-5);
    }
    moving_close(&s);
}

/// APIC particles in a box that have gathered a field.
static void gather_affine(liquid *s, const sp_host *host, moving_velocity *field)
{
    moving_def d = box;
    d.method = SP_LIQUID_APIC;
    opened(s, host, &d);
    moving_set(s, s->grid.u, field);
    water_gather(s, s->grid.u, 0.01);
}

/// C is the field's own gradient. Differences of corners of up to 10 m/s round to 1e-6, over a
/// voxel of 0.1 m to 1e-5 1/s.
static void apic_reproduces_linear_fields_and_their_gradient(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    gather_affine(&s, &host, linear);
    for (size_t i = 0; i < s.particles.set.count; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        for (int a = 0; is_inside(x, 1.0) && a < 3; ++a) {
            assert_true(fabs((double)s.particles.v[a][i] - linear(a, x)) < 1e-5);
            for (int b = 0; b < 3; ++b)
                assert_true(fabs((double)s.particles.c[3 * a + b][i] - 10.0 * slope[a][b]) < 5e-5);
        }
    }
    moving_close(&s);
}

/// Reference: eight corners by look-up, in double, for a field that is rough from face to face.
static double rough(int a, const double x[3])
{
    return sin(12.9898 * x[0] + 78.233 * x[1] + 37.719 * x[2] + a);
}

static double by_hand(const liquid *s, int a, const double x[3])
{
    double sum = 0.0;
    for (int c = 0; c < 8; ++c) {
        int32_t at[3];
        double w = 1.0;
        for (int b = 0; b < 3; ++b) {
            const double place = x[b] - (a == b ? 0.0 : 0.5), f = place - floor(place);
            const int up = c >> b & 1;
            at[b] = (int32_t)floor(place) + up;
            w *= up ? f : 1.0 - f;
        }
        sum += w * (double)sp_tiles_value(&s->grid.tiles, s->grid.u[a], at, 0.0f);
    }
    return sum;
}

static void gather_is_the_sum_over_eight_faces(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    gather_affine(&s, &host, rough);
    for (size_t i = 0; i < s.particles.set.count; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        for (int a = 0; a < 3; ++a) // fractions are exact in double, corners are at most 1
            assert_true(fabs((double)s.particles.v[a][i] - by_hand(&s, a, x)) < 2e-6);
    }
    moving_close(&s);
}

/// ---- Advection (L8) ----------------------------------------------------------------------------

/// A turn around the z axis through (4, 4): 1 rad/s. Linear in space, so only time has an error.
static double turning(int a, const double x[3])
{
    return 0.1 * (a == 0 ? -(x[1] - 4.0) : a == 1 ? x[0] - 4.0 : 0.0);
}

/// Largest distance, in voxels, from the exact place after one radian in `steps` steps. Nothing is
/// sorted, so positions stay relative to one tile.
static double turn_error(const sp_host *host, int steps)
{
    moving_def d = box;
    d.cfl = 6.0f;
    liquid s;
    opened(&s, host, &d);
    moving_set(&s, s.grid.u, turning);
    const int32_t middle[3] = {0, 0, 0};
    const size_t t = sp_tiles_find(&s.grid.tiles, middle);
    const float start[3] = {4.0f, 7.5f, 4.0f};
    const size_t p = s.particles.start[t];
    for (int a = 0; a < 3; ++a)
        s.particles.x[a][p] = start[a];
    for (int k = 0; k < steps; ++k)
        water_advect(&s, s.grid.u, 1.0 / steps);
    const double want[2] = {4.0 - 3.5 * sin(1.0), 4.0 + 3.5 * cos(1.0)};
    const double error =
        hypot((double)s.particles.x[0][p] - want[0], (double)s.particles.x[1][p] - want[1]);
    moving_close(&s);
    return error;
}

/// Third order: halving the step divides the error by eight. At 8 steps it is 3.5*(1/8)^3/24 =
/// 3e-4 voxels, a thousand times rounding.
static void advection_is_third_order_in_time(void **state)
{
    (void)state;
    const double coarse = turn_error(HOST, 2), middle = turn_error(HOST, 4),
                 fine = turn_error(HOST, 8);
    assert_true(coarse / middle > 7.0 && coarse / middle < 9.0);
    assert_true(middle / fine > 7.0 && middle / fine < 9.0);
    assert_true(fine < 3e-4 * 1.1);
}

static double flying(int a, const double x[3])
{
    (void)x;
    return a == 0 ? 1e6 : a == 1 ? -1e6 : (double)NAN;
}

/// No particle is lost at any speed, not even at NaN: travel is limited to cfl + 1 voxels.
static void travel_is_limited_to_the_cfl_plus_one_voxel(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (float cfl = 0.5f; cfl < 9.0f; cfl += 2.5f) {
        moving_def d = box;
        d.cfl = cfl;
        liquid s;
        opened(&s, &host, &d);
        moving_set(&s, s.grid.u, flying);
        const float most = fminf(cfl + 1.0f, 7.0f);
        const size_t n = s.particles.set.count;
        float *old[3];
        for (int a = 0; a < 3; ++a) {
            old[a] = malloc(n * sizeof(float));
            memcpy(old[a], s.particles.x[a], n * sizeof(float));
        }
        water_advect(&s, s.grid.u, 0.01);
        double furthest = 0.0;
        for (size_t i = 0; i < n; ++i)
            for (int a = 0; a < 3; ++a) {
                const double way = fabs((double)(s.particles.x[a][i] - old[a][i]));
                assert_true(way <= (double)most + 1e-5);
                furthest = fmax(furthest, way);
            }
        assert_true(furthest > (double)most - 1e-5);
        for (int a = 0; a < 3; ++a)
            free(old[a]);
        moving_close(&s);
    }
}

/// Of divergence, and zero at x = 4 voxels: particles leave it.
static double apart(int a, const double x[3])
{
    return a == 0 ? 0.3 * (x[0] - 4.0) : 0.0;
}
static double along_y(int a, const double x[3])
{
    (void)x;
    return a == 1 ? 1.5 : 0.0;
}

/// The flow that keeps the volume moves each particle by its value where the particle was, a voxel
/// at most; only then does the particle travel.
static void particles_spread_before_they_travel(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const double dt = 0.1, per_voxel = dt / 0.1;
    liquid s;
    opened(&s, &host, &box);
    moving_set(&s, s.grid.spread, apart);
    moving_set(&s, s.grid.u, along_y);
    const size_t n = s.particles.set.count;
    double(*old)[3] = malloc(n * sizeof *old), most = 0.0;
    for (size_t i = 0; i < n; ++i)
        (void)water_place(&s, i, old[i]);
    water_advect(&s, s.grid.u, dt);
    for (size_t i = 0; i < n; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        if (!is_inside(old[i], 3.0)) continue;
        const double by = fmin(fmax(0.3 * (old[i][0] - 4.0) * per_voxel, -1.0), 1.0);
        assert_true(fabs(x[0] - old[i][0] - by) < 1e-5);
        assert_true(fabs(x[1] - old[i][1] - 1.5 * per_voxel) < 1e-5);
        most = fmax(most, fabs(by));
    }
    assert_true(most == 1.0);
    free(old);
    moving_close(&s);
}

static double steady(int a, const double x[3])
{
    (void)x;
    return a == 0 ? 0.7 : a == 1 ? -1.3 : 0.4;
}

/// A million tiles from the origin particles move exactly as near it, because positions are
/// relative to tiles.
static void accuracy_does_not_depend_on_distance_from_the_origin(void **state)
{
    (void)state;
    moving_def near = box, far = box;
    for (int a = 0; a < 3; ++a) {
        far.low[a] += 1 << 19;
        far.high[a] += 1 << 19;
    }
    liquid s, t;
    opened(&s, HOST, &near);
    opened(&t, HOST, &far);
    assert_int_equal(s.particles.set.count, t.particles.set.count);
    for (int a = 0; a < 3; ++a) {
        moving_set(&s, s.grid.u, steady);
        moving_set(&t, t.grid.u, steady);
    }
    for (int k = 0; k < 3; ++k) {
        water_advect(&s, s.grid.u, 0.03);
        water_advect(&t, t.grid.u, 0.03);
        assert_ok(water_sort(&s, &s.grid.tiles, ERR));
        assert_ok(water_sort(&t, &t.grid.tiles, ERR));
        assert_int_equal(s.particles.set.count, t.particles.set.count);
        for (int a = 0; a < 3; ++a)
            assert_memory_equal(s.particles.x[a], t.particles.x[a],
                                s.particles.set.count * sizeof(float));
    }
    moving_close(&s);
    moving_close(&t);
}

static double around_and_around(int a, const double x[3])
{
    (void)x;
    return a == 0 ? 1.5 : a == 1 ? 0.5 : 1.0;
}

/// Space repeats after 24, 8 and 16 voxels. Sixteen steps of 1.5, 0.5 and 1 voxels bring every
/// particle back: sixteen roundings of about 1e-6 voxels. None is lost.
static void particles_return_after_one_period(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const moving_def d = {.voxel = 0.125f, .cfl = 2.0f, .high = {3, 1, 2}, .count = moving_two};
    liquid s;
    opened(&s, &host, &d);
    sp_tiles plain = s.grid.tiles;
    assert_ok(sp_tiles_open_periodic(&s.grid.tiles, &host, d.voxel, d.high,
                                     (const int32_t(*)[3])plain.at, plain.count, ERR));
    sp_tiles_close(&plain);
    moving_set(&s, s.grid.u, around_and_around);
    const size_t n = s.particles.set.count;
    double(*old)[3] = malloc(n * sizeof *old);
    for (size_t i = 0; i < n; ++i)
        (void)water_place(&s, i, old[s.particles.id[i]]);
    for (int k = 0; k < 16; ++k) {
        water_advect(&s, s.grid.u, 0.125);
        assert_ok(water_sort(&s, &s.grid.tiles, ERR));
        assert_int_equal(s.particles.set.count, n);
    }
    for (size_t i = 0; i < n; ++i) {
        double x[3];
        (void)water_place(&s, i, x);
        for (int a = 0; a < 3; ++a) { // rounding may leave one on the other side of the seam
            const double way = x[a] - old[s.particles.id[i]][a];
            assert_true(fabs(remainder(way, 8.0 * d.high[a])) < 1e-4);
        }
    }
    free(old);
    moving_close(&s);
}

static uint64_t state_hash(const liquid *s)
{
    uint64_t h = 0;
    for (int c = 0; c < s->particles.set.column_count; ++c)
        h = sp_hash(h, s->particles.set.data[c],
                    s->particles.set.count * (s->particles.set.def[c].kind == SP_U64
                                                  ? sizeof(uint64_t)
                                                  : sizeof(float)));
    return h;
}

static double waving(int a, const double x[3])
{
    return 2.0 * sin(0.3 * x[(a + 1) % 3] + a) + 0.5 * cos(0.7 * x[a]);
}

static void steps_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    for (int method = SP_LIQUID_FLIP; method <= SP_LIQUID_APIC; ++method) {
        uint64_t hash[4];
        for (int k = 0; k < 4; ++k) {
            const sp_host host = sp_host_default(threads[k]);
            moving_def d = box;
            d.method = method;
            liquid s;
            opened(&s, &host, &d);
            moving_set(&s, s.grid.u, waving);
            for (int step = 0; step < 3; ++step) {
                water_advect(&s, s.grid.u, 0.05);
                assert_ok(water_sort(&s, &s.grid.tiles, ERR));
                water_gather(&s, s.grid.u, 0.05);
            }
            hash[k] = state_hash(&s);
            assert_true(s.figures.left > 0 && s.particles.set.count > 10000);
            assert_true(k == 0 || hash[k] == hash[0]);
            moving_close(&s);
        }
    }
}

/// ---- Memory ------------------------------------------------------------------------------------

static sp_status move_once(const sp_host *host, sp_error *err)
{
    moving_def d = box;
    d.method = SP_LIQUID_APIC;
    liquid s;
    sp_status st = moving_open(&s, host, &d, err);
    if (st == SP_OK) {
        water_advect(&s, s.grid.u, 0.01);
        const size_t n = s.particles.set.count;
        const float first = s.particles.x[0][0];
        st = water_sort(&s, &s.grid.tiles, err);
        if (st != SP_OK) { // unchanged
            assert_int_equal(s.particles.set.count, n);
            assert_true(s.particles.x[0][0] == first);
        }
    }
    moving_close(&s);
    return st;
}

/// Without memory for the speeds of tiles, all patches are as wide as a step may need.
static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    scarce_fail_most(move_once, 1, 20, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flip_adds_the_change_and_a_share_of_the_grid_velocity),
        cmocka_unit_test(velocities_on_the_edges_of_tiles_do_not_depend_on_work_memory),
        cmocka_unit_test(full_pic_rate_leaves_only_the_grid_velocity),
        cmocka_unit_test(apic_reproduces_linear_fields_and_their_gradient),
        cmocka_unit_test(gather_is_the_sum_over_eight_faces),
        cmocka_unit_test(advection_is_third_order_in_time),
        cmocka_unit_test(travel_is_limited_to_the_cfl_plus_one_voxel),
        cmocka_unit_test(particles_spread_before_they_travel),
        cmocka_unit_test(accuracy_does_not_depend_on_distance_from_the_origin),
        cmocka_unit_test(particles_return_after_one_period),
        cmocka_unit_test(steps_do_not_depend_on_threads),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
