// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "scarce_host.h"
#include "test_liquid_water.h"

#include <stdlib.h>

enum { SIDE = 32, FIRST = -8 }; // dense reference: voxels -8 ... 23 along each axis
static const int32_t low[3] = {-1, -1, -1}, high[3] = {3, 2, 2};

/// A blob with rows of every kind, across tiles, one voxel away from the border.
static int blob(const int32_t v[3])
{
    const int x = v[0] - 7, y = v[1] - 3, z = v[2] - 4;
    if (x * x + y * y + z * z > 81) return 0;
    return abs(v[0] * 7 + v[1] * 13 + v[2] * 29) % 12;
}

/// ---- Reference: every particle adds to its eight faces, dense, in double -----------------------

typedef struct dense {
    double weight[3][SIDE][SIDE][SIDE], value[3][SIDE][SIDE][SIDE]; ///< z, y, x
} dense;

static void give(dense *d, int a, const liquid *s, size_t n, const double at[3])
{
    double f[3];
    int corner[3];
    for (int b = 0; b < 3; ++b) {
        const double x = at[b] - (b == a ? 0.0 : 0.5) - FIRST;
        corner[b] = (int)floor(x);
        f[b] = x - floor(x);
    }
    for (int c = 0; c < 8; ++c) {
        double w = 1.0, u = (double)s->particles.v[a][n];
        for (int b = 0; b < 3; ++b) {
            const int up = c >> b & 1;
            w *= up ? f[b] : 1.0 - f[b];
            if (s->particles.c[0])
                u += (double)s->particles.c[3 * a + b][n] * (double)s->grid.voxel * (up - f[b]);
        }
        const int i = corner[0] + (c & 1), j = corner[1] + (c >> 1 & 1), k = corner[2] + (c >> 2);
        d->weight[a][k][j][i] += w;
        d->value[a][k][j][i] += w * u;
    }
}

static dense *scatter(const liquid *s)
{
    dense *d = calloc(1, sizeof *d);
    assert_non_null(d);
    for (size_t n = 0; n < s->particles.set.count; ++n) {
        double at[3];
        (void)water_place(s, n, at);
        for (int a = 0; a < 3; ++a)
            give(d, a, s, n, at);
    }
    return d;
}

static void dense_place(const liquid *s, size_t t, int v, int at[3])
{
    at[0] = 8 * s->grid.tiles.at[t][0] + v % 8 - FIRST;
    at[1] = 8 * s->grid.tiles.at[t][1] + v / 8 % 8 - FIRST;
    at[2] = 8 * s->grid.tiles.at[t][2] + v / 64 - FIRST;
}

static bool is_known(const liquid *s, int a, size_t t, int v)
{
    return s->grid.known[a][t][v / 64] >> (v % 64) & 1;
}

/// ---- Tests -------------------------------------------------------------------------------------

static void open_blob(liquid *s, const sp_host *host, bool affine)
{
    assert_ok(water_open(s, host, 0.1f, low, high, ERR));
    assert_ok(water_fill(s, blob, affine, ERR));
}

/// Sums of some sixty floats of about 1 round to 1e-6 of the weight, and so does a velocity where
/// the weight is large. Where few particles make it small, terms do not cancel either, because
/// weights are positive. C adds up to 0.4 m/s across a voxel. 1e-5 leaves room for ten of those.
static void splat_is_the_sum_over_all_particles(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int affine = 0; affine < 2; ++affine) {
        liquid s;
        open_blob(&s, &host, affine);
        assert_ok(water_splat(&s, ERR));
        dense *d = scatter(&s);
        for (int a = 0; a < 3; ++a)
            for (size_t t = 0; t < s.grid.tiles.count; ++t)
                for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                    int at[3];
                    dense_place(&s, t, v, at);
                    const double w = d->weight[a][at[2]][at[1]][at[0]];
                    const double want = d->value[a][at[2]][at[1]][at[0]] / w;
                    const double u = (double)s.grid.u[a][t * SP_TILE_VOXELS + (size_t)v];
                    if (fabs(w - 1e-6) > 1e-9) assert_int_equal(is_known(&s, a, t, v), w > 1e-6);
                    if (is_known(&s, a, t, v))
                        assert_true(fabs(u - want) < 1e-5);
                    else
                        assert_true(u == 0.0);
                }
        free(d);
        water_close(&s);
    }
}

static double linear(int a, const double at[3], const double c[9])
{
    return 0.25 * (a + 1) + c[3 * a] * at[0] + c[3 * a + 1] * at[1] + c[3 * a + 2] * at[2];
}

/// Particles with u = u0 + C x and with C give exactly that on every face, for any weights: each
/// term of the mean is u at the face. Without C only a constant is reproduced. Values are up to 5
/// m/s, rounded once a particle: 1e-5.
static void linear_velocities_are_reproduced_exactly(void **state)
{
    (void)state;
    const double slopes[2][9] = {{0.0}, {1.0, -2.0, 0.5, 0.25, 1.5, -1.0, 3.0, 0.75, -2.5}};
    for (int affine = 0; affine < 2; ++affine) {
        liquid s;
        open_blob(&s, HOST, affine);
        for (size_t n = 0; n < s.particles.set.count; ++n) {
            double at[3];
            (void)water_place(&s, n, at);
            for (int b = 0; b < 3; ++b)
                at[b] *= (double)s.grid.voxel;
            for (int c = 0; affine && c < 9; ++c)
                s.particles.c[c][n] = (float)slopes[affine][c];
            for (int a = 0; a < 3; ++a)
                s.particles.v[a][n] = (float)linear(a, at, slopes[affine]);
        }
        assert_ok(water_splat(&s, ERR));
        for (int a = 0; a < 3; ++a)
            for (size_t t = 0; t < s.grid.tiles.count; ++t)
                for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                    if (!is_known(&s, a, t, v)) continue;
                    const int in[3] = {v % 8, v / 8 % 8, v / 64};
                    double at[3];
                    for (int b = 0; b < 3; ++b)
                        at[b] = (double)s.grid.voxel *
                                (8 * s.grid.tiles.at[t][b] + in[b] + (b == a ? 0.0 : 0.5));
                    const double u = (double)s.grid.u[a][t * SP_TILE_VOXELS + (size_t)v];
                    assert_true(fabs(u - linear(a, at, slopes[affine])) < 1e-5);
                }
        water_close(&s);
    }
}

/// Weights of a particle sum to 1, so the sum of m u over faces is the sum of v over particles.
/// Velocities are within +-1/2, each rounded to 1e-7, and every face to 1e-6. A wrong weight of one
/// face in a thousand would exceed 1e-6 a particle by far.
static void momentum_is_conserved(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    open_blob(&s, &host, false);
    assert_ok(water_splat(&s, ERR));
    dense *d = scatter(&s);
    const size_t count = s.particles.set.count;
    for (int a = 0; a < 3; ++a) {
        double faces = 0.0, particles = 0.0, weight = 0.0;
        for (size_t n = 0; n < count; ++n)
            particles += (double)s.particles.v[a][n];
        for (size_t t = 0; t < s.grid.tiles.count; ++t)
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                int at[3];
                dense_place(&s, t, v, at);
                const double w = d->weight[a][at[2]][at[1]][at[0]];
                weight += w;
                faces += w * (double)s.grid.u[a][t * SP_TILE_VOXELS + (size_t)v];
            }
        assert_true(fabs(weight / (double)count - 1.0) < 1e-12);
        assert_true(fabs(faces - particles) < 1e-6 * (double)count);
    }
    free(d);
    water_close(&s);
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    for (int affine = 0; affine < 2; ++affine) {
        uint64_t hash[4];
        for (int n = 0; n < 4; ++n) {
            const sp_host host = sp_host_default(threads[n]);
            liquid s;
            open_blob(&s, &host, affine);
            assert_ok(water_splat(&s, ERR));
            hash[n] = 0;
            for (int a = 0; a < 3; ++a) {
                hash[n] = sp_hash(hash[n], s.grid.u[a],
                                  s.grid.tiles.count * SP_TILE_VOXELS * sizeof(float));
                hash[n] =
                    sp_hash(hash[n], s.grid.known[a], s.grid.tiles.count * sizeof *s.grid.known[a]);
            }
            assert_true(hash[n] == hash[0]);
            water_close(&s);
        }
    }
}

static int one_in_a_corner(const int32_t v[3])
{
    return v[0] == 7 && v[1] == 3 && v[2] == 3;
}

/// One tile that is its own neighbour along x: its last voxel contributes to its first face.
static void splat_wraps_around_a_periodic_domain(void **state)
{
    (void)state;
    liquid s;
    assert_ok(water_open(&s, HOST, 1.0f, (int32_t[3]){0, 0, 0}, (int32_t[3]){1, 1, 1}, ERR));
    s.grid.tiles.around[0][SP_TILES_SELF - 1] = s.grid.tiles.around[0][SP_TILES_SELF + 1] = 0;
    assert_ok(water_fill(&s, one_in_a_corner, false, ERR));
    s.particles.x[0][0] = 7.75f;
    assert_ok(water_splat(&s, ERR));
    for (int a = 0; a < 3; ++a) {
        const int v = (int)sp_tile_place(0, 3, 3);
        assert_true(is_known(&s, a, 0, v) && is_known(&s, a, 0, v + 7));
        assert_true(fabsf(s.grid.u[a][v] - s.particles.v[a][0]) < 1e-6f); // w*v/w
    }
    water_close(&s);
}

static sp_status splat_alone(const sp_host *host, sp_error *err)
{
    liquid s;
    sp_status status = water_open(&s, host, 0.1f, low, high, err);
    if (status == SP_OK) status = water_fill(&s, blob, false, err);
    if (status == SP_OK) status = water_splat(&s, err);
    water_close(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splat_is_the_sum_over_all_particles),
        cmocka_unit_test(linear_velocities_are_reproduced_exactly),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(splat_wraps_around_a_periodic_domain),
        test_failing_allocations(splat_alone, 1, 10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
