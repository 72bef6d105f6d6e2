// SPDX-License-Identifier: Apache-2.0
// links: tiles core
#include "scarce_host.h"
#include "testing.h"
#include "tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

/// ---- Bodies with known distances, all lengths in voxels ----------------------------------------

typedef double body(const double p[3], double r);

static double ball(const double p[3], double r)
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - r;
}
static double torus(const double p[3], double r) ///< tube of r/2 around a circle of r
{
    const double q = sqrt(p[0] * p[0] + p[2] * p[2]) - r;
    return sqrt(q * q + p[1] * p[1]) - 0.5 * r;
}
static double box(const double p[3], double r)
{
    double outside = 0.0, inside = -HUGE_VAL;
    for (int a = 0; a < 3; ++a) {
        const double q = fabs(p[a]) - r;
        if (q > 0.0) outside += q * q;
        if (q > inside) inside = q;
    }
    return inside > 0.0 ? sqrt(outside) : inside;
}
static double plane(const double p[3], double r)
{
    (void)r;
    return (2.0 * p[0] - 3.0 * p[1] + 6.0 * p[2]) / 7.0;
}

/// A ball with a slot as wide as a third of its diameter that ends beyond its middle: convex and
/// concave corners.
static double slotted_ball(const double p[3], double r)
{
    return fmax(ball(p, r), fmin(r / 3.0 - fabs(p[0]), r / 2.0 - p[1]));
}

/// A field on all tiles that a cube of 2r + band around the body touches.
typedef struct grid {
    sp_tiles tiles;
    float *phi;
    double *exact; ///< in voxels
    double center[3];
} grid;

static void position(const grid *g, size_t t, int i, double p[3])
{
    p[0] = 8.0 * g->tiles.at[t][0] + i % 8 + 0.5 - g->center[0];
    p[1] = 8.0 * g->tiles.at[t][1] + i / 8 % 8 + 0.5 - g->center[1];
    p[2] = 8.0 * g->tiles.at[t][2] + i / 64 + 0.5 - g->center[2];
}

static grid make_grid(const sp_host *host, float voxel, body *shape, double r, double reach)
{
    grid g = {.center = {0.31, -1.17, 0.43}}; // no symmetry
    const float at[3] = {(float)g.center[0] * voxel, (float)g.center[1] * voxel,
                         (float)g.center[2] * voxel};
    assert_ok(sp_tiles_cover(&g.tiles, host, voxel, 1, at, at + 1, at + 2, NULL,
                             (float)reach * voxel, ERR));
    g.phi = sp_tiles_field(&g.tiles, 0.0f);
    g.exact = malloc(g.tiles.count * SP_TILE_VOXELS * sizeof *g.exact);
    for (size_t t = 0; t < g.tiles.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            double p[3];
            position(&g, t, i, p);
            const size_t n = t * SP_TILE_VOXELS + (size_t)i;
            g.exact[n] = shape(p, r);
            g.phi[n] = (float)g.exact[n] * voxel;
        }
    return g;
}

static void close_grid(grid *g)
{
    sp_release(g->tiles.host, g->phi);
    free(g->exact);
    sp_tiles_close(&g->tiles);
}

static void redistance(grid *g, float band)
{
    assert_ok(sp_levelset_redistance(&g->tiles, g->phi, band * g->tiles.voxel, ERR));
}

/// Farthest from the exact distance (voxels) among cells nearer than `near` to the surface.
static double worst_error(const grid *g, double near)
{
    double worst = 0.0;
    for (size_t n = 0; n < g->tiles.count * SP_TILE_VOXELS; ++n)
        if (fabs(g->exact[n]) < near)
            worst = fmax(worst, fabs((double)(g->phi[n] / g->tiles.voxel) - g->exact[n]));
    return worst;
}

/// Largest | |grad phi| - 1 | by central differences among those cells.
static double worst_slope(const grid *g, double near)
{
    double worst = 0.0;
    float b[SP_TILE_BLOCK];
    for (uint32_t t = 0; t < g->tiles.count; ++t) {
        sp_tiles_block(&g->tiles, g->phi, t, 0.0f, b);
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            if (fabs(g->exact[t * SP_TILE_VOXELS + (size_t)i]) >= near) continue;
            const float *c = b + i % 8 + 1 + 10 * (i / 8 % 8 + 1) + 100 * (i / 64 + 1);
            const double x = (double)(c[1] - c[-1]), y = (double)(c[10] - c[-10]),
                         z = (double)(c[100] - c[-100]);
            const double slope = sqrt(x * x + y * y + z * z) / (2.0 * (double)g->tiles.voxel);
            worst = fmax(worst, fabs(slope - 1.0));
        }
    }
    return worst;
}

/// Largest movement of a crossing along an axis between two fields, in voxels; 1 when one is lost.
static double worst_crossing(const sp_tiles *tiles, const float *before, const float *after)
{
    double worst = 0.0;
    float a[SP_TILE_VOXELS], b[SP_TILE_VOXELS];
    for (uint32_t t = 0; t < tiles->count; ++t)
        for (int axis = 0; axis < 3; ++axis) {
            sp_tiles_shift(tiles, before, t, axis, 1, 1.0f, a);
            sp_tiles_shift(tiles, after, t, axis, 1, 1.0f, b);
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                const float p = before[t * SP_TILE_VOXELS + (size_t)i],
                            q = after[t * SP_TILE_VOXELS + (size_t)i];
                if ((p < 0.0f) == (a[i] < 0.0f)) continue;
                const double moved = (q < 0.0f) == (b[i] < 0.0f)
                                         ? 1.0
                                         : fabs((double)(p / (p - a[i]) - q / (q - b[i])));
                worst = fmax(worst, moved);
            }
        }
    return worst;
}

/// ---- Accuracy ----------------------------------------------------------------------------------

/// Second order in 1/r: seeds by central differences, the rest by three-point upwind differences.
/// The header promises a slope within 5 %. Halving the voxel gains a factor of 4 in distance, less
/// the thousandth of a voxel at which passes stop: 2.5 or more.
static void a_ball_and_a_torus_become_distances(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const struct {
        body *shape;
        double smallest, limit;
    } rows[] = {{ball, 8.0, 0.03}, {torus, 14.0, 0.06}};
    for (size_t n = 0; n < 2; ++n) {
        double last = HUGE_VAL;
        for (int k = 0; k < (n == 0 ? 3 : 2); ++k) {
            const double r = rows[n].smallest * (k + 1);
            grid g = make_grid(&host, 0.01f, rows[n].shape, r, 1.6 * r + 4.0);
            redistance(&g, 3.0f);
            const double error = worst_error(&g, 2.0);
            assert_true(worst_slope(&g, 1.9) < 0.05);
            assert_true(error < rows[n].limit * (rows[n].smallest / r));
            assert_true(error < (k == 1 ? last / 2.5 : last));
            last = error;
            close_grid(&g);
        }
    }
}

/// The scheme's differences are exact for linear fields; 1e-3 voxel is where passes stop.
static void a_tilted_plane_is_exact(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    grid g = make_grid(&host, 0.01f, plane, 0.0, 30.0);
    for (size_t n = 0; n < g.tiles.count * SP_TILE_VOXELS; ++n)
        g.phi[n] *= 40.0f; // any multiple of a distance
    redistance(&g, 4.0f);
    double worst = 0.0;
    for (size_t t = 0; t < g.tiles.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            double p[3];
            position(&g, t, i, p);
            const size_t n = t * SP_TILE_VOXELS + (size_t)i;
            // near the rim the foot of the perpendicular may lie outside all tiles
            if (fabs(p[0]) > 20.0 || fabs(p[1]) > 20.0 || fabs(p[2]) > 20.0) continue;
            const double exact = fmax(-4.0, fmin(4.0, g.exact[n]));
            worst = fmax(worst, fabs((double)(g.phi[n] / 0.01f) - exact));
        }
    assert_true(worst < 2e-3);
    close_grid(&g);
}

/// Over the faces the distance is exact. Around an edge the sampled surface is rounded by up to a
/// cell, and so is the distance.
static void a_box_is_exact_over_its_faces(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const double r = 10.3;
    grid g = make_grid(&host, 0.02f, box, r, 16.0);
    redistance(&g, 4.0f);
    for (size_t t = 0; t < g.tiles.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            double p[3], side[3];
            position(&g, t, i, p);
            const size_t n = t * SP_TILE_VOXELS + (size_t)i;
            for (int a = 0; a < 3; ++a)
                side[a] = fabs(p[a]) - r;
            const double error =
                fabs((double)(g.phi[n] / 0.02f) - fmax(-4.0, fmin(4.0, g.exact[n])));
            int near = 0;
            for (int a = 0; a < 3; ++a)
                near += side[a] > -5.5;
            if (near <= 1) assert_true(error < 2e-3);
            assert_true(error < 1.1);
            assert_int_equal(g.phi[n] < 0.0f, g.exact[n] < 0.0);
        }
    close_grid(&g);
}

/// phi*(1 + phi/2r)*3 has the same zero and is not a distance. Crossings move by the curvature of
/// the field along the surface, 0.11/r, about which two adjacent cells disagree. For a distance
/// they stay, except for rounding and second-order error.
static void redistancing_keeps_the_zero_crossings(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const double radii[] = {8.0, 14.0};
    for (size_t k = 0; k < 2; ++k) {
        const double r = radii[k];
        grid g = make_grid(&host, 0.01f, ball, r, r + 4.0);
        const size_t bytes = g.tiles.count * SP_TILE_VOXELS * sizeof *g.phi;
        float *before = malloc(bytes);
        memcpy(before, g.phi, bytes);
        redistance(&g, 3.0f);
        assert_true(worst_crossing(&g.tiles, before, g.phi) < 2e-3);
        for (size_t n = 0; n < g.tiles.count * SP_TILE_VOXELS; ++n)
            g.phi[n] = (float)(g.exact[n] * (1.0 + g.exact[n] / (2.0 * r)) * 3.0);
        memcpy(before, g.phi, bytes);
        redistance(&g, 3.0f);
        assert_true(worst_crossing(&g.tiles, before, g.phi) < 0.12 / r);
        // again: a distance does not change
        memcpy(before, g.phi, bytes);
        redistance(&g, 3.0f);
        assert_true(worst_crossing(&g.tiles, before, g.phi) < 2e-3);
        free(before);
        close_grid(&g);
    }
}

/// Solvers redistance each step, so a small movement of the surface adds up a thousand times. A
/// thousandth of the volume is a movement of 0.002 to 0.003 voxels. Equal bits give equal bits, so
/// the test ends once nothing changes.
static void thousand_redistancings_keep_the_volume(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static body *const shapes[] = {ball, torus, box, slotted_ball};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        grid g = make_grid(&host, 0.1f, shapes[k], 7.3, 1.6 * 7.3 + 3.0);
        const size_t bytes = g.tiles.count * SP_TILE_VOXELS * sizeof *g.phi;
        float *before = malloc(bytes);
        redistance(&g, 3.0f);
        const double first = sp_levelset_volume(&g.tiles, g.phi);
        bool same = false;
        for (int n = 0; n < 1000 && !same; ++n) {
            memcpy(before, g.phi, bytes);
            assert_ok(sp_levelset_refresh(&g.tiles, g.phi, 0.3f, ERR));
            same = memcmp(before, g.phi, bytes) == 0;
        }
        assert_true(fabs(sp_levelset_volume(&g.tiles, g.phi) / first - 1.0) < 1e-3);
        free(before);
        close_grid(&g);
    }
}

/// The depth of a point inside two overlapping spheres along x. The nearest point of the boundary
/// is straight out on either sphere, if it is outside the other sphere, or on the circle where they
/// intersect.
static double depth_of_pair(const double p[3], double apart, double r)
{
    const double rho = sqrt(p[1] * p[1] + p[2] * p[2]), ring = sqrt(r * r - apart * apart);
    double depth = sqrt(p[0] * p[0] + (rho - ring) * (rho - ring));
    for (int side = -1; side <= 1; side += 2) {
        const double x = p[0] - apart * side, length = sqrt(x * x + rho * rho);
        if (side * (apart * side + r * x / length) >= 0.0) depth = fmin(depth, r - length);
    }
    return depth;
}

/// For a union of overlapping spheres the minimum is a distance outside and only a bound inside: 4
/// midway between these two, where the depth is 7.5. The circle where they intersect is a crease,
/// resolved to a fraction of a cell, and the scheme is first order where distances from all of the
/// circle meet: half a voxel at worst, nothing on average.
static void inside_of_a_union_gets_its_true_depth(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float x[] = {-5.0f, 5.0f}, yz[] = {0.2f, 0.2f}, r = 9.0f, band = 12.0f;
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, &host, 1.0f, 2, x, yz, yz, NULL, r + band, ERR));
    float *phi = sp_tiles_field(&tiles, 0.0f);
    assert_ok(sp_levelset_spheres(&tiles, 2, x, yz, yz, NULL, r, band, phi, ERR));
    assert_ok(sp_levelset_redistance(&tiles, phi, band, ERR));
    double sum = 0.0, count = 0.0, deepest = 0.0;
    for (size_t t = 0; t < tiles.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            const double depth = -(double)phi[t * SP_TILE_VOXELS + (size_t)i];
            const double p[3] = {8.0 * tiles.at[t][0] + i % 8 + 0.5,
                                 8.0 * tiles.at[t][1] + i / 8 % 8 + 0.3,
                                 8.0 * tiles.at[t][2] + i / 64 + 0.3};
            if (depth <= 0.0) continue;
            const double error = depth - depth_of_pair(p, 5.0, 9.0);
            assert_true(fabs(error) < 0.5);
            sum += error;
            count += 1.0;
            if (fabs(p[0]) < 1.0) deepest = fmax(deepest, depth);
        }
    assert_true(fabs(sum / count) < 0.05);
    assert_true(deepest > 6.5);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

static void the_unit_of_length_does_not_matter(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    grid coarse = make_grid(&host, 1024.0f, torus, 9.0, 18.0);
    grid fine = make_grid(&host, 1.0f / 1024.0f, torus, 9.0, 18.0);
    redistance(&coarse, 3.0f);
    redistance(&fine, 3.0f);
    assert_int_equal(coarse.tiles.count, fine.tiles.count);
    for (size_t n = 0; n < fine.tiles.count * SP_TILE_VOXELS; ++n) // powers of two: no rounding
        assert_true(fine.phi[n] * 1048576.0f == coarse.phi[n]);
    close_grid(&coarse);
    close_grid(&fine);
}

/// ---- Signs and the band ------------------------------------------------------------------------

static void values_end_at_the_band_and_keep_their_sign(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    grid g = make_grid(&host, 0.01f, ball, 22.0, 30.0);
    redistance(&g, 3.0f);
    const float band = 3.0f * 0.01f;
    for (size_t n = 0; n < g.tiles.count * SP_TILE_VOXELS; ++n) {
        assert_int_equal(g.phi[n] < 0.0f, g.exact[n] < 0.0);
        assert_true(fabsf(g.phi[n]) <= band);
        if (fabs(g.exact[n]) > 3.2) assert_true(fabsf(g.phi[n]) == band);
    }
    close_grid(&g);
}

static void a_field_without_a_surface_is_all_band(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const int32_t at[][3] = {{0, 0, 0}, {1, 0, 0}, {-3, 2, 7}};
    sp_tiles tiles;
    assert_ok(sp_tiles_open(&tiles, &host, 0.1f, at, 3, ERR));
    static const float values[] = {0.03f, -0.02f, 0.0f, -70.0f};
    for (int v = 0; v < 4; ++v) {
        float *phi = sp_tiles_field(&tiles, values[v]);
        assert_ok(sp_levelset_redistance(&tiles, phi, 0.3f, ERR));
        for (size_t n = 0; n < tiles.count * SP_TILE_VOXELS; ++n)
            assert_true(phi[n] == (values[v] < 0.0f ? -0.3f : 0.3f));
        sp_release(&host, phi);
    }
    sp_tiles_close(&tiles);
}

/// A shell of tiles around a large ball: there are no tiles inside its inner border, and no surface
/// either.
static void missing_tiles_are_not_a_surface(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    grid full = make_grid(&host, 0.01f, ball, 26.0, 30.0);
    int32_t(*at)[3] = malloc(full.tiles.count * sizeof *at);
    size_t kept = 0;
    for (size_t t = 0; t < full.tiles.count; ++t) {
        bool near = false;
        for (size_t i = 0; i < SP_TILE_VOXELS; ++i)
            near |= fabs(full.exact[t * SP_TILE_VOXELS + i]) < 4.0;
        if (near) memcpy(at[kept++], full.tiles.at[t], sizeof *at);
    }
    assert_true(kept < full.tiles.count);
    sp_tiles shell;
    assert_ok(sp_tiles_open(&shell, &host, 0.01f, (const int32_t(*)[3])at, kept, ERR));
    float *phi = sp_tiles_field(&shell, 0.0f), *whole = sp_tiles_field(&shell, 0.0f);
    sp_tiles_carry(&full.tiles, full.phi, &shell, phi, 0.0f);
    redistance(&full, 3.0f);
    sp_tiles_carry(&full.tiles, full.phi, &shell, whole, 0.0f);
    assert_ok(sp_levelset_redistance(&shell, phi, 0.03f, ERR));
    for (size_t n = 0; n < kept * SP_TILE_VOXELS; ++n)
        assert_true(fabsf(phi[n] - whole[n]) < 0.02f * 0.01f); // one order less at the rim
    sp_release(&host, phi);
    sp_release(&host, whole);
    free(at);
    sp_tiles_close(&shell);
    close_grid(&full);
}

static void a_value_that_is_not_finite_is_named(void **state)
{
    (void)state;
    const int32_t at[][3] = {{0, 0, 0}, {-1, 2, 3}};
    sp_tiles tiles;
    assert_ok(sp_tiles_open(&tiles, HOST, 0.1f, at, 2, ERR));
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; ++b) {
        float *phi = sp_tiles_field(&tiles, 1.0f);
        phi[sp_tiles_find(&tiles, at[1]) * SP_TILE_VOXELS + 1 + 8 * 2 + 64 * 3] = bad[b];
        assert_fails(sp_levelset_redistance(&tiles, phi, 0.3f, ERR), SP_DIVERGED, "(-7, 18, 27)");
        assert_true(phi[0] == 1.0f); // unchanged
        sp_release(HOST, phi);
    }
    sp_tiles_close(&tiles);
}

/// ---- Threads and memory ------------------------------------------------------------------------

static void distances_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    float *first = NULL;
    for (int k = 0; k < 4; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        grid g = make_grid(&host, 0.01f, torus, 11.0, 21.0);
        for (size_t n = 0; n < g.tiles.count * SP_TILE_VOXELS; ++n)
            g.phi[n] += 0.004f * (sp_unit(sp_random(1, 2, n, 0, 0).x[0]) - 0.5f);
        redistance(&g, 3.0f);
        const size_t bytes = g.tiles.count * SP_TILE_VOXELS * sizeof *g.phi;
        if (!first) {
            first = malloc(bytes);
            memcpy(first, g.phi, bytes);
        }
        assert_memory_equal(first, g.phi, bytes);
        close_grid(&g);
    }
    free(first);
}

static grid scarce_grid;
static sp_status redistance_scarcely(const sp_host *host, sp_error *err)
{
    sp_tiles tiles = scarce_grid.tiles; // the same topology with a host that runs out of memory
    tiles.host = host;
    return sp_levelset_redistance(&tiles, scarce_grid.phi, 0.3f, err);
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    const sp_host plain = sp_host_default(1);
    scarce_grid = make_grid(&plain, 0.1f, ball, 4.0, 6.0);
    scarce_fail_each(redistance_scarcely, 1, 1);
    close_grid(&scarce_grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_and_a_torus_become_distances),
        cmocka_unit_test(a_tilted_plane_is_exact),
        cmocka_unit_test(a_box_is_exact_over_its_faces),
        cmocka_unit_test(redistancing_keeps_the_zero_crossings),
        cmocka_unit_test(thousand_redistancings_keep_the_volume),
        cmocka_unit_test(inside_of_a_union_gets_its_true_depth),
        cmocka_unit_test(the_unit_of_length_does_not_matter),
        cmocka_unit_test(values_end_at_the_band_and_keep_their_sign),
        cmocka_unit_test(a_field_without_a_surface_is_all_band),
        cmocka_unit_test(missing_tiles_are_not_a_surface),
        cmocka_unit_test(a_value_that_is_not_finite_is_named),
        cmocka_unit_test(distances_do_not_depend_on_threads),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
