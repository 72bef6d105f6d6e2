// SPDX-License-Identifier: Apache-2.0
// links: tiles core
#include "scarce_host.h"
#include "testing.h"
#include "tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(5, 9, i, 0, 0).x[axis]);
}

static void cell_centre(const sp_tiles *tiles, size_t t, int i, double p[3])
{
    const double h = (double)tiles->voxel;
    p[0] = (8.0 * tiles->at[t][0] + i % 8 + 0.5) * h;
    p[1] = (8.0 * tiles->at[t][1] + i / 8 % 8 + 0.5) * h;
    p[2] = (8.0 * tiles->at[t][2] + i / 64 + 0.5) * h;
}

enum { N = 200 };
typedef struct cloud {
    float x[N], y[N], z[N], r[N];
} cloud;

static cloud scattered(float size)
{
    cloud c;
    for (size_t i = 0; i < N; ++i) {
        c.x[i] = size * (unit(i, 0) - 0.5f);
        c.y[i] = size * (unit(i, 1) - 0.5f);
        c.z[i] = size * (unit(i, 2) - 0.5f);
        c.r[i] = 0.05f * size * unit(i, 3);
    }
    return c;
}

static sp_tiles covered(const sp_host *host, float voxel, const cloud *c, const float *r,
                        float reach)
{
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, host, voxel, N, c->x, c->y, c->z, r, reach, ERR));
    return tiles;
}

/// ---- Spheres -----------------------------------------------------------------------------------

/// Reference: all spheres for all cells, in double. Floats hold coordinates relative to a tile, up
/// to about 20 voxels, whose squares round to 2e-5; the root of a small square may lose half its
/// digits, but then the cell is deep inside: 1e-4 voxel.
static void distance_to_spheres_equals_brute_force(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float voxel = 0.05f, band = 3.0f * voxel;
    const cloud c = scattered(1.8f);
    for (int equal = 0; equal < 2; ++equal) {
        const float *r = equal ? NULL : c.r;
        sp_tiles tiles = covered(&host, voxel, &c, r, band + (equal ? 0.08f : 0.0f));
        float *phi = sp_tiles_field(&tiles, 7.0f);
        assert_ok(sp_levelset_spheres(&tiles, N, c.x, c.y, c.z, r, 0.08f, band, phi, ERR));
        for (size_t t = 0; t < tiles.count; ++t)
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                double p[3], least = (double)band;
                cell_centre(&tiles, t, i, p);
                for (size_t s = 0; s < N; ++s) {
                    const double x = p[0] - (double)c.x[s], y = p[1] - (double)c.y[s],
                                 z = p[2] - (double)c.z[s];
                    least = fmin(least, sqrt(x * x + y * y + z * z) -
                                            (equal ? (double)0.08f : (double)c.r[s]));
                }
                least = fmax(least, -(double)band);
                const double got = (double)phi[t * SP_TILE_VOXELS + (size_t)i];
                assert_true(fabs(got - least) < 1e-4 * (double)voxel);
            }
        sp_release(&host, phi);
        sp_tiles_close(&tiles);
    }
}

static void large_sphere_is_solid_throughout(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float at = 0.0f, radius = 30.0f, band = 3.0f;
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, &host, 1.0f, 1, &at, &at, &at, NULL, radius + band, ERR));
    float *phi = sp_tiles_field(&tiles, 0.0f);
    assert_ok(sp_levelset_spheres(&tiles, 1, &at, &at, &at, NULL, radius, band, phi, ERR));
    assert_ok(sp_levelset_redistance(&tiles, phi, band, ERR));
    assert_true(sp_tiles_value(&tiles, phi, (int32_t[3]){0, 0, 0}, band) == -band);
    assert_true(sp_tiles_value(&tiles, phi, (int32_t[3]){20, -10, 5}, band) == -band);
    assert_true(sp_tiles_value(&tiles, phi, (int32_t[3]){31, 15, 5}, band) == band);
    const float far = 1e15f; // larger than the range of tiles
    assert_ok(sp_levelset_spheres(&tiles, 1, &far, &at, &at, NULL, 2.0f * far, band, phi, ERR));
    for (size_t n = 0; n < tiles.count * SP_TILE_VOXELS; ++n)
        assert_true(phi[n] == -band);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

static void points_that_are_not_finite_are_named(void **state)
{
    (void)state;
    cloud c = scattered(1.0f);
    sp_tiles tiles = covered(HOST, 0.1f, &c, NULL, 0.1f);
    float *phi = sp_tiles_field(&tiles, 0.0f);
    c.y[17] = NAN;
    assert_fails(sp_levelset_spheres(&tiles, N, c.x, c.y, c.z, NULL, 0.1f, 0.1f, phi, ERR),
                 SP_DIVERGED, "point 17 ");
    assert_int_equal(sp_levelset_particles(&tiles, N, c.x, c.y, c.z, 0.2f, 0.1f, 0.1f, phi, ERR),
                     SP_DIVERGED);
    sp_release(HOST, phi);
    sp_tiles_close(&tiles);
}

/// ---- Particles ---------------------------------------------------------------------------------

/// The weighted mean of particles around p; false when there is none.
static bool mean_at(const cloud *c, const double p[3], double support, double mean[3])
{
    double sum = 0.0;
    mean[0] = mean[1] = mean[2] = 0.0;
    for (size_t i = 0; i < N; ++i) {
        const double at[3] = {(double)c->x[i], (double)c->y[i], (double)c->z[i]};
        double square = 0.0;
        for (int a = 0; a < 3; ++a)
            square += (at[a] - p[a]) * (at[a] - p[a]);
        const double q = fmax(1.0 - square / (support * support), 0.0), w = q * q * q;
        sum += w;
        for (int a = 0; a < 3; ++a)
            mean[a] += w * at[a];
    }
    for (int a = 0; a < 3; ++a)
        mean[a] /= sum;
    return sum > 1e-4;
}

/// The largest eigenvalue of a symmetric matrix. The matrix is shifted so that this eigenvalue also
/// has the largest magnitude, and squared forty times; the result is the projection onto its
/// eigenspace.
static double largest_eigenvalue(double m[3][3])
{
    double size = 1.0, p[3][3];
    for (int n = 0; n < 9; ++n)
        size += fabs(m[n / 3][n % 3]);
    for (int n = 0; n < 9; ++n)
        p[n / 3][n % 3] = m[n / 3][n % 3] + (n / 3 == n % 3 ? size : 0.0);
    for (int round = 0; round < 40; ++round) {
        double square[3][3] = {{0}}, trace = 0.0;
        for (int n = 0; n < 27; ++n)
            square[n / 9][n % 3] += p[n / 9][n / 3 % 3] * p[n / 3 % 3][n % 3];
        for (int a = 0; a < 3; ++a)
            trace += square[a][a];
        for (int n = 0; n < 9; ++n)
            p[n / 3][n % 3] = square[n / 3][n % 3] / trace;
    }
    double value = 0.0; // trace of m times the projection
    for (int n = 0; n < 9; ++n)
        value += m[n / 3][n % 3] * p[n % 3][n / 3];
    return value;
}

static double twin_phi(const cloud *c, const double p[3], double support, double radius)
{
    double mean[3], m[3][3], square = 0.0;
    const double step = 1e-5 * support;
    assert_true(mean_at(c, p, support, mean));
    for (int b = 0; b < 3; ++b) {
        double low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]}, at_low[3], at_high[3];
        low[b] -= step;
        high[b] += step;
        mean_at(c, low, support, at_low);
        mean_at(c, high, support, at_high);
        for (int a = 0; a < 3; ++a)
            m[a][b] = (at_high[a] - at_low[a]) / (2.0 * step);
        square += (mean[b] - p[b]) * (mean[b] - p[b]);
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < a; ++b)
            m[a][b] = m[b][a] = 0.5 * (m[a][b] + m[b][a]);
    const double g = fmin(fmax((2.0 - largest_eigenvalue(m)) / 1.6, 0.0), 1.0);
    return sqrt(square) - radius * (g * g * g - 3.0 * g * g + 3.0 * g);
}

/// Reference: all particles for all cells, the derivative by differences. Where the sum of weights
/// is small floats lose the derivative, which is a difference of sums divided by it: only cells
/// with a weight of at least 1e-4 are compared, to 1e-3 of the radius.
static void particles_are_weighted_as_zhu_and_bridson_do(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float voxel = 0.1f, support = 0.3f, radius = 0.12f, band = 0.3f;
    const cloud c = scattered(1.4f);
    sp_tiles tiles = covered(&host, voxel, &c, NULL, support);
    float *phi = sp_tiles_field(&tiles, 0.0f);
    assert_ok(sp_levelset_particles(&tiles, N, c.x, c.y, c.z, support, radius, band, phi, ERR));
    size_t compared = 0, alone = 0;
    for (size_t t = 0; t < tiles.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; i += 7) {
            double p[3], mean[3];
            cell_centre(&tiles, t, i, p);
            const double got = (double)phi[t * SP_TILE_VOXELS + (size_t)i];
            if (mean_at(&c, p, (double)support, mean)) {
                const double exact =
                    fmin(twin_phi(&c, p, (double)support, (double)radius), (double)band);
                assert_true(fabs(got - exact) < 1e-3 * (double)radius);
                ++compared;
            } else if (isnan(mean[0])) {
                assert_true(got == (double)band);
                ++alone;
            }
        }
    assert_true(compared > 200 && alone > 200);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

static float phi_of_points(size_t n, const float *x, const int32_t voxel[3])
{
    static const float zero[2] = {0.05f, 0.05f};
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, HOST, 0.1f, n, x, zero, zero, NULL, 0.4f, ERR));
    float *phi = sp_tiles_field(&tiles, 0.0f);
    assert_ok(sp_levelset_particles(&tiles, n, x, zero, zero, 0.4f, 0.1f, 0.3f, phi, ERR));
    const float value = sp_tiles_value(&tiles, phi, voxel, 0.3f);
    sp_release(HOST, phi);
    sp_tiles_close(&tiles);
    return value;
}

/// The mean of a single particle is the particle itself. Between two that are almost out of each
/// other's support the mean moves from one to the other within a cell: without the fade there would
/// be liquid, -0.1.
static void a_lone_particle_is_a_ball_and_two_apart_make_no_bridge(void **state)
{
    (void)state;
    const float one[] = {0.05f}, two[] = {-0.27f, 0.37f};
    assert_true(fabsf(phi_of_points(1, one, (int32_t[3]){0, 0, 0}) + 0.1f) < 1e-5f);
    assert_true(fabsf(phi_of_points(1, one, (int32_t[3]){2, 0, 0}) - 0.1f) < 1e-5f);
    assert_true(fabsf(phi_of_points(1, one, (int32_t[3]){-3, 0, 0}) - 0.2f) < 1e-5f);
    assert_true(phi_of_points(2, two, (int32_t[3]){0, 0, 0}) > -1e-6f);
}

/// A block of liquid with a particle in every eighth of a cell: cells surrounded by particles are
/// inside and get -radius. The surface must lie a radius beyond the last particles, minus what the
/// weights pull it in; the test allows half a voxel.
static void a_block_of_particles_is_liquid_throughout(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    enum { EDGE = 24, COUNT = EDGE * EDGE * EDGE };
    static float x[COUNT], y[COUNT], z[COUNT];
    const float voxel = 0.1f, radius = 0.045f, band = 0.3f;
    for (int n = 0; n < COUNT; ++n) { // cells -3 ... 8
        x[n] = voxel * (0.5f * (float)(n % EDGE) - 2.75f);
        y[n] = voxel * (0.5f * (float)(n / EDGE % EDGE) - 2.75f);
        z[n] = voxel * (0.5f * (float)(n / EDGE / EDGE) - 2.75f);
    }
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, &host, voxel, COUNT, x, y, z, NULL, band, ERR));
    float *phi = sp_tiles_field(&tiles, 0.0f);
    assert_ok(sp_levelset_particles(&tiles, COUNT, x, y, z, 0.2f, radius, band, phi, ERR));
    for (int32_t n = 0; n < 20 * 20 * 20; ++n) {
        const int32_t v[3] = {n % 20 - 6, n / 20 % 20 - 6, n / 400 - 6};
        int32_t farthest = -100;
        for (int a = 0; a < 3; ++a) { // cells beyond the sides of the block, 0 for its last
            if (v[a] - 8 > farthest) farthest = v[a] - 8;
            if (-3 - v[a] > farthest) farthest = -3 - v[a];
        }
        const float value = sp_tiles_value(&tiles, phi, v, band);
        if (farthest < 0) assert_true(value == -radius);
        if (farthest == 0) assert_true(value < 0.0f);
        if (farthest > 0) assert_true(value > 0.0f);
    }
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

/// ---- Offsets, smoothing, measures --------------------------------------------------------------

/// A ball of radius r voxels, a distance within +-band.
static sp_tiles make_ball(const sp_host *host, float voxel, double r, double band, float **phi)
{
    const double center[3] = {0.37, -0.21, 1.43};
    const float at[3] = {(float)center[0] * voxel, (float)center[1] * voxel,
                         (float)center[2] * voxel};
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, host, voxel, 1, at, at + 1, at + 2, NULL,
                             (float)(r + band + 4.0) * voxel, ERR));
    *phi = sp_tiles_field(&tiles, 0.0f);
    for (size_t t = 0; t < tiles.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            double p[3], square = 0.0;
            cell_centre(&tiles, t, i, p);
            for (int a = 0; a < 3; ++a)
                square += pow(p[a] / (double)voxel - center[a], 2.0);
            (*phi)[t * SP_TILE_VOXELS + (size_t)i] =
                (float)fmax(-band, fmin(band, sqrt(square) - r)) * voxel;
        }
    return tiles;
}

static double ball_volume(double r)
{
    return 4.0 / 3.0 * SP_PI_D * r * r * r;
}

/// The radius of a ball of the same volume, in voxels.
static double radius_of(const sp_tiles *tiles, const float *phi)
{
    const double h = (double)tiles->voxel;
    return cbrt(sp_levelset_volume(tiles, phi) / (h * h * h) / (4.0 / 3.0 * SP_PI_D));
}

/// With the curvature in a cell taken into account the error is fourth order, about 0.1/r^4, plus
/// the position in the lattice: 4e-4 at r = 6.
static void volume_of_a_ball_is_right(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (double r = 6.0; r < 30.0; r *= 2.0) {
        float *phi;
        sp_tiles tiles = make_ball(&host, 0.02f, r, 3.0, &phi);
        const double exact = ball_volume(r * (double)0.02f);
        assert_true(fabs(sp_levelset_volume(&tiles, phi) / exact - 1.0) < 4e-4 * 36.0 / (r * r));
        sp_release(&host, phi);
        sp_tiles_close(&tiles);
    }
}

/// Redistancing keeps the surface; erosion and dilation move it by the given distance. Crossings
/// may move by a hundredth of a voxel.
static void eroding_and_dilating_change_a_balls_radius(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float voxel = 0.02f;
    const double r = 12.0;
    float *phi;
    sp_tiles tiles = make_ball(&host, voxel, r, 7.0, &phi);
    assert_ok(sp_levelset_redistance(&tiles, phi, 7.0f * voxel, ERR));
    assert_true(fabs(radius_of(&tiles, phi) - r) < 0.01);
    assert_ok(sp_levelset_offset(&tiles, phi, -2.6f * voxel, 6.0f * voxel, ERR));
    assert_true(fabs(radius_of(&tiles, phi) - (r - 2.6)) < 0.02);
    assert_ok(sp_levelset_offset(&tiles, phi, 2.6f * voxel, 3.0f * voxel, ERR));
    assert_true(fabs(radius_of(&tiles, phi) - r) < 0.03);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

/// Central differences of a distance are off by about 1/r^2 of themselves: 2/r within 1 % beyond r
/// = 10.
static void curvature_of_a_ball_is_two_over_its_radius(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float voxel = 0.02f;
    for (double r = 10.0; r < 25.0; r *= 2.0) {
        float *phi;
        sp_tiles tiles = make_ball(&host, voxel, r, 4.0, &phi);
        float *kappa = sp_tiles_field(&tiles, 0.0f);
        sp_levelset_curvature(&tiles, phi, 4.0f * voxel, 1.0f, kappa);
        for (size_t n = 0; n < tiles.count * SP_TILE_VOXELS; ++n) {
            const double d = (double)phi[n] / (double)voxel, k = (double)kappa[n] * (double)voxel;
            assert_true(fabs(k) <= 1.0 + 1e-6);
            if (fabs(d) < 1.0) assert_true(fabs(k * (r + d) / 2.0 - 1.0) < 1.0 / (r * r));
        }
        sp_release(&host, kappa);
        sp_release(&host, phi);
        sp_tiles_close(&tiles);
    }
}

/// Under phi_t = kappa |grad phi| a ball shrinks as r dr = -2 dt; ten passes are dt = h^2. Ripples
/// two voxels long vanish while the ball hardly changes.
static void smoothing_is_curvature_flow(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float voxel = 0.02f, band = 4.0f * voxel;
    const double r = 12.0;
    float *phi;
    sp_tiles tiles = make_ball(&host, voxel, r, 4.0, &phi);
    assert_ok(sp_levelset_smooth(&tiles, phi, band, 10, ERR));
    assert_true(fabs(radius_of(&tiles, phi) - sqrt(r * r - 4.0)) < 0.01);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);

    tiles = make_ball(&host, voxel, r, 4.0, &phi);
    float *smooth = sp_tiles_field(&tiles, 0.0f);
    const size_t cells = tiles.count * SP_TILE_VOXELS;
    memcpy(smooth, phi, cells * sizeof *phi);
    for (size_t n = 0; n < cells; ++n) // a checkerboard
        if (fabsf(phi[n]) < 2.0f * voxel)
            phi[n] += ((n ^ n >> 3 ^ n >> 6) & 1 ? 0.2f : -0.2f) * voxel;
    assert_ok(sp_levelset_smooth(&tiles, phi, band, 10, ERR));
    assert_ok(sp_levelset_smooth(&tiles, smooth, band, 10, ERR));
    for (size_t n = 0; n < cells; ++n)
        if (fabsf(smooth[n]) < 0.9f * voxel) assert_true(fabsf(phi[n] - smooth[n]) < 0.05f * voxel);
    sp_release(&host, smooth);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

/// ---- Threads and memory ------------------------------------------------------------------------

/// All level set functions one after the other, from the same cloud.
static sp_status everything(const sp_tiles *tiles, const cloud *c, float *phi, float *kappa,
                            double *volume)
{
    const float h = tiles->voxel, band = 3.0f * h;
    SP_TRY(sp_levelset_spheres(tiles, N, c->x, c->y, c->z, c->r, 0.0f, band, phi, ERR));
    SP_TRY(sp_levelset_redistance(tiles, phi, band, ERR));
    SP_TRY(sp_levelset_particles(tiles, N, c->x, c->y, c->z, 3.0f * h, h, band, phi, ERR));
    SP_TRY(sp_levelset_offset(tiles, phi, 0.5f * h, band, ERR));
    SP_TRY(sp_levelset_offset(tiles, phi, 0.3f * h, band, ERR));
    SP_TRY(sp_levelset_smooth(tiles, phi, band, 3, ERR));
    sp_levelset_curvature(tiles, phi, band, 1.0f, kappa);
    *volume = sp_levelset_volume(tiles, phi);
    return SP_OK;
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    const cloud c = scattered(1.2f);
    float *first = NULL;
    double first_volume = 0.0;
    for (int k = 0; k < 4; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        sp_tiles tiles = covered(&host, 0.05f, &c, c.r, 0.15f);
        const size_t cells = tiles.count * SP_TILE_VOXELS;
        float *phi = sp_tiles_field(&tiles, 0.0f), *kappa = sp_tiles_field(&tiles, 0.0f);
        double volume;
        assert_ok(everything(&tiles, &c, phi, kappa, &volume));
        assert_true(volume > 0.0);
        if (!first) {
            first = malloc(2 * cells * sizeof *first);
            memcpy(first, phi, cells * sizeof *phi);
            memcpy(first + cells, kappa, cells * sizeof *kappa);
            first_volume = volume;
        }
        assert_memory_equal(first, phi, cells * sizeof *phi);
        assert_memory_equal(first + cells, kappa, cells * sizeof *kappa);
        assert_true(volume == first_volume);
        sp_release(&host, phi);
        sp_release(&host, kappa);
        sp_tiles_close(&tiles);
    }
    free(first);
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    const sp_host plain = sp_host_default(1);
    const cloud c = scattered(0.8f);
    sp_tiles tiles = covered(&plain, 0.1f, &c, c.r, 0.3f);
    float *phi = sp_tiles_field(&tiles, 0.0f), *kappa = sp_tiles_field(&tiles, 0.0f);
    scarce s;
    sp_host host = scarce_host(&s, 1, 0);
    tiles.host = &host;
    double volume;
    assert_ok(everything(&tiles, &c, phi, kappa, &volume));
    const size_t made = s.made;
    for (size_t fatal = 1; fatal <= made; ++fatal) {
        host = scarce_host(&s, 1, fatal);
        assert_int_equal(everything(&tiles, &c, phi, kappa, &volume), SP_NO_MEMORY);
        assert_int_equal(s.alive, 0);
    }
    tiles.host = &plain;
    sp_release(&plain, phi);
    sp_release(&plain, kappa);
    sp_tiles_close(&tiles);
}

static void level_sets_on_no_tiles_do_nothing(void **state)
{
    (void)state;
    const sp_tiles none = {0};
    assert_ok(sp_levelset_redistance(&none, NULL, 1.0f, ERR));
    assert_ok(sp_levelset_smooth(&none, NULL, 1.0f, 2, ERR));
    assert_ok(sp_levelset_offset(&none, NULL, -1.0f, 2.0f, ERR));
    assert_true(sp_levelset_volume(&none, NULL) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_to_spheres_equals_brute_force),
        cmocka_unit_test(large_sphere_is_solid_throughout),
        cmocka_unit_test(points_that_are_not_finite_are_named),
        cmocka_unit_test(particles_are_weighted_as_zhu_and_bridson_do),
        cmocka_unit_test(a_lone_particle_is_a_ball_and_two_apart_make_no_bridge),
        cmocka_unit_test(a_block_of_particles_is_liquid_throughout),
        cmocka_unit_test(volume_of_a_ball_is_right),
        cmocka_unit_test(eroding_and_dilating_change_a_balls_radius),
        cmocka_unit_test(curvature_of_a_ball_is_two_over_its_radius),
        cmocka_unit_test(smoothing_is_curvature_flow),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(level_sets_on_no_tiles_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
