// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "test_liquid_water.h"

/// Distance to a surface, voxels, at a place in voxels.
typedef double shape(const double p[3]);

static double slope(const double p[3]) // a plane
{
    return (2.0 * p[0] + 6.0 * p[1] - 3.0 * p[2]) / 7.0 - 11.3;
}

static double ball(const double p[3])
{
    const double x = p[0] - 16.2, y = p[1] - 15.7, z = p[2] - 16.4;
    return sqrt(x * x + y * y + z * z) - 8.0;
}

static double sheet(const double p[3]) // a voxel thick
{
    return fabs(p[1] - 16.3) - 0.5;
}

static double drop(const double p[3])
{
    const double x = p[0] - 16.4, y = p[1] - 16.6, z = p[2] - 16.5;
    return sqrt(x * x + y * y + z * z) - 1.2;
}

/// Voxels are 1 m wide. phi is the distance to the shape plus `rough` times noise; phi_advected is
/// +band everywhere.
static void open_shape(liquid *s, const sp_host *host, shape *what, double rough)
{
    assert_ok(water_open(s, host, 1.0f, (int32_t[3]){0, 0, 0}, (int32_t[3]){4, 4, 4}, ERR));
    s->def.narrow_band = 4;
    s->grid.band = 5.0f;
    s->grid.store.spare = sp_tiles_field(&s->grid.tiles, 0.0f);
    s->grid.phi_advected = sp_tiles_field(&s->grid.tiles, s->grid.band);
    assert_non_null(s->grid.store.spare);
    assert_non_null(s->grid.phi_advected);
    for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n) {
        double p[3];
        liquid_voxel_center(&s->grid, (uint32_t)(n / SP_TILE_VOXELS), (int)(n % SP_TILE_VOXELS), p);
        const double noise = rough * (2.0 * (double)water_unit(n, 3, 0) - 1.0);
        s->grid.phi[n] = fminf(fmaxf((float)(what(p) + noise), -s->grid.band), s->grid.band);
    }
}

static void close_shape(liquid *s)
{
    sp_release(s->host, s->grid.store.spare);
    sp_release(s->host, s->grid.phi_advected);
    water_close(s);
}

typedef struct off {
    double most, rms;
} off;

/// Error of phi within a voxel of the shape, away from the border of the tiles.
static off look(const liquid *s, shape *what)
{
    off o = {0};
    double count = 0.0;
    for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n) {
        double p[3];
        bool inside = true;
        liquid_voxel_center(&s->grid, (uint32_t)(n / SP_TILE_VOXELS), (int)(n % SP_TILE_VOXELS), p);
        for (int a = 0; a < 3; ++a)
            inside &= p[a] > 5.0 && p[a] < 27.0;
        if (!inside || fabs(what(p)) > 1.0) continue;
        const double by = fabs((double)s->grid.phi[n] - what(p));
        o.most = fmax(o.most, by);
        o.rms += by * by;
        count += 1.0;
    }
    assert_true(count > 10.0);
    o.rms = sqrt(o.rms / count);
    return o;
}

static off smoothed(shape *what, double rough)
{
    const sp_host host = sp_host_default(2);
    liquid s;
    open_shape(&s, &host, what, rough);
    assert_ok(liquid_phi_smooth(&s.grid, &s.solids, 0.01, &s.scratch, ERR));
    const off o = look(&s, what);
    close_shape(&s);
    return o;
}

/// A plane is kept except where the band cuts off the corners of the fit. The error of the fit is
/// 1.3 times the fourth derivative along an axis, which is 3/R^3 across a ball: 0.008 voxel for
/// each of two axes at R = 8.
static void smoothing_keeps_planes_and_balls(void **state)
{
    (void)state;
    assert_true(smoothed(slope, 0.0).most < 0.005);
    assert_true(smoothed(ball, 0.0).most < 0.02);
}

/// The squares of the weights sum to 0.255 along an axis, so noise that is independent from voxel
/// to voxel is reduced to 0.255^(3/2) = 0.13, or 0.2 with the fade.
static void smoothing_removes_noise(void **state)
{
    (void)state;
    const double rms = 0.15 / sqrt(3.0); // of uniform noise up to 0.15
    assert_true(smoothed(slope, 0.15).rms < 0.2 * rms);
}

/// Parabolas do not fit a sheet or a drop and would remove them, so these are not smoothed.
static void smoothing_keeps_thin_sheets_and_small_drops(void **state)
{
    (void)state;
    shape *const shapes[2] = {sheet, drop};
    for (int k = 0; k < 2; ++k) {
        liquid s;
        open_shape(&s, HOST, shapes[k], 0.0);
        const double before = sp_levelset_volume(&s.grid.tiles, s.grid.phi);
        assert_ok(liquid_phi_smooth(&s.grid, &s.solids, 0.01, &s.scratch, ERR));
        assert_true(fabs(sp_levelset_volume(&s.grid.tiles, s.grid.phi) / before - 1.0) < 0.01);
        close_shape(&s);
    }
}

/// If the advected phi and the particles' phi differ by a quarter of a voxel, exp(-dt/0.2 s) of the
/// difference is kept; if by more than a half, nothing. (A plane is kept to 0.005.)
static void carried_phi_fades_where_particles_disagree(void **state)
{
    (void)state;
    const struct {
        double by, left;
    } rows[2] = {{0.2, exp(-0.5)}, {0.6, 0.0}};
    for (int k = 0; k < 2; ++k) {
        liquid s;
        open_shape(&s, HOST, slope, 0.0);
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n)
            s.grid.phi_advected[n] = s.grid.phi[n] + (float)rows[k].by;
        assert_ok(liquid_phi_smooth(&s.grid, &s.solids, 0.1, &s.scratch, ERR));
        assert_true(fabs(look(&s, slope).most - rows[k].by * rows[k].left) < 0.005);
        close_shape(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_keeps_planes_and_balls),
        cmocka_unit_test(smoothing_removes_noise),
        cmocka_unit_test(smoothing_keeps_thin_sheets_and_small_drops),
        cmocka_unit_test(carried_phi_fades_where_particles_disagree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
