// SPDX-License-Identifier: Apache-2.0
// links: tiles core
#include "scarce_host.h"
#include "testing.h"
#include "tiles/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(5, 10, i / 4, (uint32_t)axis, 0).x[i % 4]);
}

/// Balls of up to `largest` radius in a box of 2 m about a point off the origin; whole numbers of
/// them, from 0 to 9.
enum { N = 300 };
typedef struct cloud {
    float position[3 * N], radius[N], number[N], velocity[3 * N];
} cloud;

static sp_density_points scatter(cloud *c, float largest)
{
    for (size_t i = 0; i < N; ++i) {
        for (size_t a = 0; a < 3; ++a) {
            c->position[3 * i + a] = 2.0f * unit(i, (int)a) - 1.3f;
            c->velocity[3 * i + a] = unit(i, 3 + (int)a) - 0.5f;
        }
        c->radius[i] = largest * unit(i, 6);
        c->number[i] = floorf(10.0f * unit(i, 7));
    }
    return (sp_density_points){N, c->position, c->radius, c->number, c->velocity};
}

static double volume_of(const sp_density_points *p, size_t i)
{
    return (p->number ? (double)p->number[i] : 1.0) * 4.0 / 3.0 * SP_PI_D *
           pow((double)p->radius[i], 3.0);
}

/// ---- The laws ----------------------------------------------------------------------------------

/// The weights of a ball sum to 1 in double; each voxel is rounded to a float once, by at most
/// 6e-8 of itself.
static void sums_are_the_volume_and_the_momentum_of_the_particles(void **state)
{
    (void)state;
    static const float largest[] = {0.001f, 0.05f, 0.2f, 0.6f}; // voxels of 0.05 m: 1 to 13 wide
    for (size_t n = 0; n < sizeof largest / sizeof *largest; ++n) {
        cloud c;
        const sp_density_points points = scatter(&c, largest[n]);
        sp_density d;
        assert_ok(sp_density_open(&d, HOST, 0.05, &points, ERR));
        double volume = 0.0, sum = 0.0, flux[3] = {0.0}, flow[3] = {0.0}, size = 0.0;
        for (size_t i = 0; i < N; ++i) {
            volume += volume_of(&points, i);
            for (size_t a = 0; a < 3; ++a) {
                flux[a] += volume_of(&points, i) * (double)c.velocity[3 * i + a];
                size += volume_of(&points, i) * fabs((double)c.velocity[3 * i + a]);
            }
        }
        for (size_t v = 0; v < d.tiles.count * SP_TILE_VOXELS; ++v) {
            sum += (double)d.share[v] * 0.05 * 0.05 * 0.05;
            for (size_t a = 0; a < 3; ++a)
                flow[a] += (double)d.share[v] * (double)d.velocity[3 * v + a] * 0.05 * 0.05 * 0.05;
        }
        assert_true(fabs(sum / volume - 1.0) < 1e-6);
        for (size_t a = 0; a < 3; ++a)
            assert_true(fabs(flow[a] - flux[a]) < 1e-6 * size);
        sp_density_close(&d);
    }
}

/// The cubic B-spline by its recursion from the box (de Boor 1978), on knots -2, -1, 0, 1, 2.
static double spline(int order, double x)
{
    if (order == 0) return x >= -0.5 && x < 0.5 ? 1.0 : 0.0;
    const double half = 0.5 * (order + 1);
    return ((half + x) * spline(order - 1, x + 0.5) + (half - x) * spline(order - 1, x - 0.5)) /
           order;
}

/// Share of a voxel: all particles, no tiles. Widths as the file says: at least one voxel, whole, and wide
/// enough that a lone ball fills no voxel more than whole.
static double brute_force(const sp_density_points *p, double h, const int32_t voxel[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < p->count; ++i) {
        double r = (double)p->radius[i] / h, width = 1.0, weight;
        while (4.0 / 3.0 * SP_PI_D * r * r * r * pow(2.0 / 3.0 / width, 3.0) > 1.0)
            width += 1.0;
        weight = 1.0 / (width * width * width);
        for (int a = 0; a < 3; ++a)
            weight *=
                spline(3, (voxel[a] + 0.5 - (double)p->position[3 * i + (size_t)a] / h) / width);
        sum += weight * volume_of(p, i) / (h * h * h);
    }
    return sum;
}

/// Both are sums of doubles but for one rounding to float; 1e-6 of a share of 1 is sixteen of those.
static void shares_equal_brute_force(void **state)
{
    (void)state;
    cloud c;
    const double h = 0.1;
    const sp_density_points points = scatter(&c, 0.2f);
    sp_density d;
    assert_ok(sp_density_open(&d, HOST, h, &points, ERR));
    size_t some = 0;
    for (int32_t n = 0; n < 40 * 40 * 40; ++n) {
        const int32_t voxel[3] = {n % 40 - 23, n / 40 % 40 - 23, n / 1600 - 23};
        const double expected = brute_force(&points, h, voxel);
        const float share = sp_tiles_value(&d.tiles, d.share, voxel, 0.0f);
        assert_true(fabs((double)share - expected) < 1e-6 * fmax(1.0, expected));
        some += expected > 0.0;
    }
    assert_true(some > 10000);
    sp_density_close(&d);
}

static void a_lone_ball_fills_no_voxel_more_than_whole(void **state)
{
    (void)state;
    for (int n = 0; n < 400; ++n) {
        const float position[3] = {0.5f * unit((size_t)n, 0), 0.5f, 0.5f},
                    radius = 0.05f * (float)(n + 1);
        sp_density d;
        const sp_density_points one = {1, position, &radius, NULL, NULL};
        assert_ok(sp_density_open(&d, HOST, 1.0, &one, ERR));
        for (size_t v = 0; v < d.tiles.count * SP_TILE_VOXELS; ++v)
            assert_true(d.share[v] >= 0.0f && d.share[v] <= 1.0f + 1e-6f);
        sp_density_close(&d);
    }
}

/// A square layer of bubbles 1.5 voxels apart: the sum over a column of voxels varies by what the
/// kernel leaves of the lattice's waves, along each of two directions: 2 sinc^4(1/1.5) = 0.058 and
/// 2 sinc^4(2/1.5) = 0.004 of the mean. The trilinear kernel, with sinc^2, gives 0.6.
static void a_layer_of_foam_is_even(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static float position[SIDE * SIDE * 3], radius[SIDE * SIDE];
    for (int n = 0; n < SIDE * SIDE; ++n) {
        position[3 * n] = 1.5f * (float)(n % SIDE - SIDE / 2);
        position[3 * n + 1] = 0.3f;
        position[3 * n + 2] = 1.5f * (float)(n / SIDE - SIDE / 2);
        radius[n] = 0.4f;
    }
    sp_density d;
    const sp_density_points layer = {SIDE * SIDE, position, radius, NULL, NULL};
    assert_ok(sp_density_open(&d, HOST, 1.0, &layer, ERR));
    double least = HUGE_VAL, most = 0.0;
    for (int32_t i = -20; i < 20; ++i)
        for (int32_t k = -20; k < 20; ++k) {
            double column = 0.0;
            for (int32_t j = -4; j < 4; ++j)
                column += (double)sp_tiles_value(&d.tiles, d.share, (int32_t[3]){i, j, k}, 0.0f);
            least = fmin(least, column);
            most = fmax(most, column);
        }
    assert_true((most - least) / (most + least) < 0.125);
    sp_density_close(&d);
}

/// ---- The machine -------------------------------------------------------------------------------

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    cloud c;
    const sp_density_points points = scatter(&c, 0.1f);
    sp_density first;
    assert_ok(sp_density_open(&first, HOST, 0.03, &points, ERR));
    for (int threads = 2; threads <= 5; ++threads) {
        const sp_host host = sp_host_default(threads);
        sp_density d;
        assert_ok(sp_density_open(&d, &host, 0.03, &points, ERR));
        const size_t n = d.tiles.count * SP_TILE_VOXELS * sizeof *d.share;
        assert_true(sp_tiles_same(&d.tiles, &first.tiles));
        assert_memory_equal(d.share, first.share, n);
        assert_memory_equal(d.velocity, first.velocity, 3 * n);
        sp_density_close(&d);
    }
    sp_density_close(&first);
}

static void no_particles_are_no_tiles(void **state)
{
    (void)state;
    sp_density d;
    assert_ok(sp_density_open(&d, HOST, 0.03, &(sp_density_points){0}, ERR));
    assert_int_equal(d.tiles.count, 0);
    sp_density_close(&d);
}

static void bad_particles_are_refused_by_number(void **state)
{
    (void)state;
    cloud c;
    const sp_density_points points = scatter(&c, 0.1f);
    sp_density d;
    assert_fails(sp_density_open(&d, HOST, 0.0, &points, ERR), SP_BAD_INPUT, "voxel of 0");
    c.position[3 * 7 + 1] = NAN;
    assert_fails(sp_density_open(&d, HOST, 0.03, &points, ERR), SP_DAMAGED, "particle 7");
    c.position[3 * 7 + 1] = 0.0f;
    c.radius[8] = 4.0f;
    assert_fails(sp_density_open(&d, HOST, 0.03, &points, ERR), SP_UNSUPPORTED,
                 "larger than 128 voxels");
    c.radius[8] = 0.1f;
    c.number[9] = -1.0f;
    assert_fails(sp_density_open(&d, HOST, 0.03, &points, ERR), SP_DAMAGED, "number -1");
    assert_int_equal(d.tiles.count, 0);
}

static void memory_that_runs_out_is_reported_and_returned(void **state)
{
    (void)state;
    cloud c;
    const sp_density_points points = scatter(&c, 0.1f);
    scarce s;
    sp_host host = scarce_host(&s, 1, 0);
    sp_density d;
    assert_ok(sp_density_open(&d, &host, 0.05, &points, ERR));
    sp_density_close(&d);
    const size_t allocations = s.made;
    assert_true(allocations > 5);
    for (size_t fatal = 1; fatal <= allocations; ++fatal) {
        host = scarce_host(&s, 1, fatal);
        assert_int_equal(sp_density_open(&d, &host, 0.05, &points, ERR), SP_NO_MEMORY);
        assert_null(d.share);
        assert_int_equal(s.alive, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_volume_and_the_momentum_of_the_particles),
        cmocka_unit_test(shares_equal_brute_force),
        cmocka_unit_test(a_lone_ball_fills_no_voxel_more_than_whole),
        cmocka_unit_test(a_layer_of_foam_is_even),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(no_particles_are_no_tiles),
        cmocka_unit_test(bad_particles_are_refused_by_number),
        cmocka_unit_test(memory_that_runs_out_is_reported_and_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
