// SPDX-License-Identifier: Apache-2.0
// links: flow poisson shapes tiles frame core
/// The pressure equation from face coefficients, right side and fixed cells.
#include "flow/flow.h"
#include "testing.h"

#include <math.h>
#include <string.h>

/// A box of tiles with the fields of an equation.
typedef struct box {
    const sp_host *host;
    sp_tiles tiles;
    int32_t n; ///< voxels along an edge
    float *level, *fixed, *jump, *source, *x, *beta[3], *u[3];
    sp_tile_mask *touched[3];
    sp_scratch scratch;
    sp_poisson *poisson;
} box;

static void open_box(box *b, const sp_host *host, const int32_t size[3])
{
    int32_t at[64][3];
    size_t count = 0;
    *b = (box){.host = host, .n = 8 * size[0]};
    for (int32_t i = 0; i < size[0] * size[1] * size[2]; ++i, ++count) {
        at[i][0] = i % size[0];
        at[i][1] = i / size[0] % size[1];
        at[i][2] = i / size[0] / size[1];
    }
    assert_true(sp_scratch_open(&b->scratch, host, 0));
    assert_ok(sp_tiles_open(&b->tiles, host, 1.0f, (const int32_t(*)[3])at, count, ERR));
    float **fields[11] = {&b->level,   &b->fixed,   &b->jump, &b->source, &b->x,   &b->beta[0],
                          &b->beta[1], &b->beta[2], &b->u[0], &b->u[1],   &b->u[2]};
    for (int f = 0; f < 11; ++f)
        assert_non_null(*fields[f] = sp_tiles_field(&b->tiles, f == 0 ? -1.0f : 0.0f));
    for (int a = 0; a < 3; ++a)
        assert_non_null(b->touched[a] = sp_allocate(host, count, sizeof *b->touched[a]));
    sp_poisson_def def = sp_poisson_defaults();
    def.tolerance = 1e-9;
    def.precision = SP_POISSON_DOUBLE;
    def.max_iterations = 200;
    assert_ok(sp_poisson_open(&def, host, &b->poisson, ERR));
}

static void close_box(box *b)
{
    float *fields[11] = {b->level,   b->fixed,   b->jump, b->source, b->x,   b->beta[0],
                         b->beta[1], b->beta[2], b->u[0], b->u[1],   b->u[2]};
    for (int f = 0; f < 11; ++f)
        sp_release(b->host, fields[f]);
    for (int a = 0; a < 3; ++a)
        sp_release(b->host, b->touched[a]);
    sp_poisson_close(b->poisson);
    sp_scratch_close(&b->scratch);
    sp_tiles_close(&b->tiles);
}

/// The voxel that value i belongs to.
static void voxel_of(const box *b, size_t i, int32_t v[3])
{
    const int32_t *at = b->tiles.at[i / SP_TILE_VOXELS];
    const int32_t in[3] = {(int32_t)(i & 7), (int32_t)(i >> 3 & 7), (int32_t)(i >> 6 & 7)};
    for (int a = 0; a < 3; ++a)
        v[a] = 8 * at[a] + in[a];
}

static void solve(box *b, const sp_flow_equation *e, sp_flow_system *system)
{
    sp_poisson_report report;
    assert_ok(sp_flow_system_make(e, &b->scratch, system, ERR));
    assert_ok(sp_flow_system_solve(system, b->poisson, b->x, &report, ERR));
    assert_true(report.converged);
}

/// ---- Second order ------------------------------------------------------------------------------

static const double pi = 3.14159265358979;

/// In a box of edge 1: the exact solution, and the coefficient, which varies by a factor of five.
static double answer(const double p[3])
{
    return sin(pi * p[0]) * cos(2.0 * p[1]) * exp(p[2]);
}
static double coefficient(const double p[3])
{
    return 1.5 + sin(2.0 * p[0] + p[1]) * cos(3.0 * p[2]);
}

/// div(coefficient grad answer), derived by hand.
static double right_side(const double p[3])
{
    const double s = sin(pi * p[0]), c = cos(2.0 * p[1]), e = exp(p[2]);
    const double gradient[3] = {pi * cos(pi * p[0]) * c * e, -2.0 * s * sin(2.0 * p[1]) * e,
                                s * c * e};
    const double laplacian = (-pi * pi - 4.0 + 1.0) * s * c * e;
    const double phase = 2.0 * p[0] + p[1], wave = cos(3.0 * p[2]);
    const double slope[3] = {2.0 * cos(phase) * wave, cos(phase) * wave,
                             -3.0 * sin(phase) * sin(3.0 * p[2])};
    return coefficient(p) * laplacian + slope[0] * gradient[0] + slope[1] * gradient[1] +
           slope[2] * gradient[2];
}

/// Largest error with n tiles along an edge. The outermost voxels are fixed cells.
static double error_of(const sp_host *host, int32_t n)
{
    box b;
    open_box(&b, host, (int32_t[3]){n, n, n});
    const double h = 1.0 / b.n;
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i) {
        int32_t v[3];
        voxel_of(&b, i, v);
        const double p[3] = {h * (v[0] + 0.5), h * (v[1] + 0.5), h * (v[2] + 0.5)};
        bool rim = false;
        for (int a = 0; a < 3; ++a) {
            double face[3] = {p[0], p[1], p[2]};
            face[a] -= 0.5 * h;
            b.beta[a][i] = (float)coefficient(face);
            rim |= v[a] == 0 || v[a] == b.n - 1;
        }
        if (rim) b.level[i] = 0.0f;
        b.fixed[i] = (float)answer(p);
        b.source[i] = (float)(-h * h * right_side(p));
    }
    const sp_flow_equation e = {.tiles = &b.tiles,
                                .level = b.level,
                                .level_outside = INFINITY,
                                .fixed = b.fixed,
                                .beta = {b.beta[0], b.beta[1], b.beta[2]},
                                .source = b.source};
    sp_flow_system system;
    solve(&b, &e, &system);
    double most = 0.0;
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i)
        if (b.level[i] < 0.0f) most = fmax(most, fabs((double)(b.x[i] - b.fixed[i])));
    close_box(&b);
    return most;
}

/// Halving the voxel divides the error by four; 3.5 leaves room for the border, which moves by half
/// a voxel.
static void pressure_error_is_second_order(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const double coarse = error_of(&host, 1), middle = error_of(&host, 2),
                 fine = error_of(&host, 4);
    assert_true(coarse > 1e-4);
    assert_true(coarse / middle > 3.0);
    assert_true(middle / fine > 3.5);
}

/// ---- Fixed cells -------------------------------------------------------------------------------

/// In a closed box without sources x equals the value of the one fixed cell.
static void one_fixed_cell_determines_a_closed_box(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    box b;
    open_box(&b, &host, (int32_t[3]){2, 1, 1});
    b.level[777] = 0.0f;
    b.fixed[777] = 3.0f;
    const sp_flow_equation e = {
        .tiles = &b.tiles, .level = b.level, .level_outside = INFINITY, .fixed = b.fixed};
    sp_flow_system system;
    solve(&b, &e, &system);
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i)
        assert_true(i == 777 || fabsf(b.x[i] - 3.0f) < 1e-5f);
    close_box(&b);
}

/// A flux of 1 m/s along x ends at a surface a quarter of a voxel beyond the last centre: x falls
/// by 1 a voxel, and by 1/4 to the surface, where it is 3 + 2 (0.5 + (1.5 - 0.5)/4) = 4.5.
/// Subtracting the gradient from u removes the flux.
static void pressure_is_right_for_a_surface_between_two_cells(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    box b;
    open_box(&b, &host, (int32_t[3]){2, 1, 1});
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i) {
        int32_t v[3];
        voxel_of(&b, i, v);
        b.level[i] = v[0] == 12 ? 3.0f : v[0] > 12 ? INFINITY : -1.0f; // theta = 1/4
        b.fixed[i] = 3.0f;
        b.jump[i] = v[0] == 12 ? 1.5f : 0.5f;
        b.source[i] = v[0] == 0 ? 1.0f : 0.0f;
    }
    const sp_flow_equation e = {.tiles = &b.tiles,
                                .level = b.level,
                                .level_outside = INFINITY,
                                .fixed = b.fixed,
                                .jump = b.jump,
                                .jump_scale = 2.0f,
                                .source = b.source};
    sp_flow_system system;
    solve(&b, &e, &system);
    sp_flow_subtract_gradient(&system, b.x, NULL, b.u, b.touched);
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i) {
        int32_t v[3];
        voxel_of(&b, i, v);
        const bool inside = v[0] >= 1 && v[0] <= 12;
        if (v[0] < 12) assert_true(fabsf(b.x[i] - (4.75f + (float)(11 - v[0]))) < 1e-4f);
        assert_int_equal(sp_tile_mask_has(b.touched[0][i / SP_TILE_VOXELS], i % SP_TILE_VOXELS),
                         inside);
        assert_true(fabsf(b.u[0][i] - (inside ? 1.0f : 0.0f)) < 1e-4f);
    }
    close_box(&b);
}

/// ---- Velocity ----------------------------------------------------------------------------------

static double largest_divergence(const sp_flow_equation *e)
{
    float out[SP_TILE_VOXELS];
    double most = 0.0;
    for (size_t t = 0; t < e->tiles->count; ++t) {
        sp_flow_divergence(e, (uint32_t)t, out);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            most = fmax(most, (double)fabsf(out[n]));
    }
    return most;
}

/// For any u and beta, u minus beta times the gradient has no divergence.
static void pressure_gradient_removes_divergence(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    box b;
    open_box(&b, &host, (int32_t[3]){2, 2, 2});
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i) {
        const sp_random4 one = sp_random(3, 1, i, 0, 0), two = sp_random(3, 2, i, 0, 0);
        int32_t v[3];
        voxel_of(&b, i, v);
        b.level[i] = v[1] == 15 ? 0.0f : -1.0f;
        for (int a = 0; a < 3; ++a) {
            b.beta[a][i] = v[a] == 0 ? 0.0f : 0.1f + 10.0f * sp_unit(one.x[a]);
            b.u[a][i] = v[a] == 0 ? 0.0f : sp_unit(two.x[a]) - 0.5f;
        }
    }
    const sp_flow_equation e = {.tiles = &b.tiles,
                                .level = b.level,
                                .level_outside = INFINITY,
                                .beta = {b.beta[0], b.beta[1], b.beta[2]},
                                .flux = {b.u[0], b.u[1], b.u[2]}};
    const float *const beta[3] = {b.beta[0], b.beta[1], b.beta[2]};
    sp_flow_system system;
    solve(&b, &e, &system);
    assert_true(largest_divergence(&e) > 1.0);
    sp_flow_subtract_gradient(&system, b.x, beta, b.u, b.touched);
    assert_true(largest_divergence(&e) < 1e-4);
    close_box(&b);
}

/// ---- Tiles whose faces all have beta = 1 --------------------------------------------------------

/// 36 tiles; beta differs from 1 only in the last layer. Marking the others as plain leaves one tile
/// without coefficients, and the solution the same to the solver's tolerance.
static void tiles_with_beta_one_need_no_coefficients(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static float first[36 * SP_TILE_VOXELS];
    uint8_t one[36];
    box b;
    open_box(&b, &host, (int32_t[3]){4, 3, 3});
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i) {
        int32_t v[3];
        voxel_of(&b, i, v);
        b.source[i] = sp_unit(sp_random(5, 1, i, 0, 0).x[0]) - 0.5f;
        for (int a = 0; a < 3; ++a)
            b.beta[a][i] = v[0] >= 26 ? 3.0f : 1.0f;
    }
    sp_flow_equation e = {.tiles = &b.tiles,
                          .level = b.level,
                          .level_outside = 0.0f,
                          .beta = {b.beta[0], b.beta[1], b.beta[2]},
                          .beta_outside = 1.0f,
                          .source = b.source};
    sp_flow_system with, without;
    solve(&b, &e, &with);
    memcpy(first, b.x, sizeof first);
    memset(b.x, 0, sizeof first);
    for (size_t t = 0; t < b.tiles.count; ++t)
        one[t] = b.tiles.at[t][0] < 3;
    e.beta_is_one = one;
    solve(&b, &e, &without);
    assert_int_equal(with.rows, 36);
    assert_int_equal(without.rows, 35);
    for (size_t i = 0; i < b.tiles.count * SP_TILE_VOXELS; ++i)
        assert_true(fabsf(b.x[i] - first[i]) < 1e-6f);
    close_box(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_error_is_second_order),
        cmocka_unit_test(one_fixed_cell_determines_a_closed_box),
        cmocka_unit_test(pressure_is_right_for_a_surface_between_two_cells),
        cmocka_unit_test(pressure_gradient_removes_divergence),
        cmocka_unit_test(tiles_with_beta_one_need_no_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
