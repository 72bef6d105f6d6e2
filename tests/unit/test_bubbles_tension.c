// SPDX-License-Identifier: Apache-2.0
// links: bubbles
/// Surface tension on faces and particles, and pockets of air.
#include "scarce_host.h"
#include "test_bubbles_dense.h"

/// ---- Against the reference ---------------------------------------------------------------------

/// Shares at random: full in some regions, single faces in others, with gaps between.
static void fill_at_random(pool *p)
{
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < values_of(p); ++i) {
            double x[3];
            place_of(p, i, axis, x);
            const double wave =
                sin(0.45 * x[0] + 1.0) * cos(0.4 * x[1]) + sin(0.5 * x[2] - 0.2 * x[0]);
            const float some = unit_noise((uint32_t)i, 7u + (uint32_t)axis);
            const float chance = wave > 0.3 ? 0.95f : wave > -0.2 ? 0.45f : 0.08f;
            p->s.grid.fill[axis][i] =
                some < chance ? 0.05f + 1.1f * unit_noise((uint32_t)i, 11u + (uint32_t)axis) : 0.0f;
        }
    clamp_fill(p);
}

/// Rounding of float: n and H have errors of a few 1e-8, and kappa divides by |n| of 1e-3 and more,
/// so kappa errs by up to 1e-4 per voxel where its weight is 1, and f by that times sigma/h^2.
static void compare_forces(pool *p)
{
    const double scale =
        (double)p->s.def.tension.coefficient / ((double)p->s.grid.voxel * (double)p->s.grid.voxel);
    dense *d = zeros(1, sizeof *d);
    open_dense(d, p);
    dense_phi(d);
    dense_curvature(d);
    dense_pockets(d);
    dense_forces(d);
    assert_ok(bubbles_tension(&p->s, ERR));
    size_t felt = 0, large = 0;
    for (size_t c = 0; c < d->count; ++c)
        for (int axis = 0; axis < 3 && d->at[c] >= 0; ++axis) {
            const double f = (double)p->s.grid.force[axis][d->at[c]];
            felt += f != 0.0;
            assert_true(fabs(f - d->force[axis][c]) < 2e-4 * scale);
            assert_true(f == 0.0 || p->s.grid.busy[d->at[c] / SP_TILE_VOXELS]);
        }
    for (int32_t i = 0; i < d->pockets; ++i)
        large += d->volume[i] >= (double)p->s.def.tension.pocket_min_voxels;
    assert_true(felt > 1000);
    assert_int_equal(p->s.figures.pockets, large);
    close_dense(d);
    free(d);
}

static void forces_equal_those_on_a_dense_grid(void **state)
{
    (void)state;
    static const sp_bubbles_tension_def defs[] = {
        {.filter = true, .drift = true, .curvature_passes = 1, .pocket_min_voxels = 24},
        {.filter = true, .drift = false, .curvature_passes = 0, .pocket_min_voxels = 0},
        {.filter = false, .drift = true, .curvature_passes = 3, .pocket_min_voxels = 2},
        {.filter = true,
         .drift = true,
         .curvature_passes = 2,
         .curvature_weight = SP_BUBBLES_CURVATURE_MEAN},
    };
    for (size_t i = 0; i < sizeof defs / sizeof *defs; ++i) {
        pool p;
        open_pool(&p, 2, box_low, (int32_t[3]){1, 0, 1}, i % 2 ? 5 : 0, NULL);
        p.s.def.tension = defs[i];
        p.s.def.tension.coefficient = 0.0072f;
        fill_at_random(&p);
        compare_forces(&p);
        close_pool(&p);
    }
}

static void pockets_equal_a_flood_fill(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, (int32_t[3]){1, 0, 1}, 5, NULL);
    fill_at_random(&p);
    dense *d = zeros(1, sizeof *d);
    open_dense(d, &p);
    dense_pockets(d);
    bubbles_air air;
    bubbles_pockets pockets;
    const sp_scratch_mark mark = sp_scratch_here(&p.s.scratch);
    assert_ok(bubbles_find_air(&p.s, &air, ERR));
    assert_ok(bubbles_find_pockets(&p.s, &air, &pockets, ERR));
    assert_true(pockets.count > 20);
    assert_int_equal(pockets.count, d->pockets);
    for (size_t c = 0; c < d->count; ++c) {
        if (d->at[c] < 0) continue;
        const uint32_t row = air.row[d->at[c] / SP_TILE_VOXELS];
        const uint32_t found =
            row == BUBBLES_NO_ROW
                ? BUBBLES_NO_POCKET
                : bubbles_pocket_of(&pockets, row, (int)(d->at[c] % SP_TILE_VOXELS));
        assert_int_equal((int32_t)found, d->pocket[c]);
    }
    for (size_t i = 0; i < pockets.count; ++i)
        assert_true(fabs(pockets.volume[i] - d->volume[i]) <= 1e-9 * d->volume[i]);
    sp_scratch_rewind(&p.s.scratch, mark);
    close_dense(d);
    free(d);
    close_pool(&p);
}

/// ---- Physics -----------------------------------------------------------------------------------

/// Curvature at the surface of a smooth ball against 2/r: largest relative error.
static double curvature_error(double radius, int32_t tiles)
{
    pool p;
    const double centre[3] = {0.3, -0.2, 0.1};
    open_pool(&p, 2, (int32_t[3]){-tiles, -tiles, -tiles},
              (int32_t[3]){tiles - 1, tiles - 1, tiles - 1}, 0, NULL);
    fill_smooth_ball(&p, centre, radius, 0.5 * radius);
    tension_work w = {.s = &p.s};
    const sp_scratch_mark mark = sp_scratch_here(&p.s.scratch);
    assert_ok(bubbles_find_air(&p.s, &w.air, ERR));
    assert_ok(bubbles_find_curvature(&w, ERR));
    double most = 0.0;
    for (size_t i = 0; i < values_of(&p); ++i) {
        const uint32_t row = w.air.row[i / SP_TILE_VOXELS];
        double x[3];
        place_of(&p, i, -1, x);
        const double r = length(x, centre);
        if (row == BUBBLES_NO_ROW || fabs(r - radius) > 1.0) continue;
        const size_t at = (size_t)row * SP_TILE_VOXELS + i % SP_TILE_VOXELS;
        const double kappa = (double)(w.curvature[at] / w.weight[at]);
        most = fmax(most, fabs(0.5 * kappa * r - 1.0));
    }
    sp_scratch_rewind(&p.s.scratch, mark);
    close_pool(&p);
    return most;
}

/// Differences, means over faces and smoothing are of second order: half the voxel, a quarter of
/// the error. 3.3 leaves room for terms of higher order. The share falls within 4 voxels of the
/// smaller ball's surface, so its error is of the order of 1/4^2.
static void curvature_is_second_order(void **state)
{
    (void)state;
    const double coarse = curvature_error(8.0, 2), fine = curvature_error(16.0, 4);
    print_message("curvature error, radius 8 and 16 voxels: %.4f, %.4f\n", coarse, fine);
    assert_true(coarse < 0.08);
    assert_true(coarse / fine > 3.3);
}

/// Sum of f h from outside to the centre, mean of six lines, over 2 sigma/R.
static double pressure_inside(const pool *p, double radius)
{
    double sum = 0.0;
    const int32_t edge = (int32_t)(2.0 * radius);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t i = -edge + 1; i <= edge; ++i) {
            int32_t v[3] = {0};
            v[axis] = i;
            const float f = sp_tiles_value(&p->s.grid.tiles, p->s.grid.force[axis], v, 0.0f);
            sum += (i <= 0 ? 1.0 : -1.0) * (double)f / 6.0;
        }
    const double h = (double)p->s.grid.voxel;
    return sum * h / (2.0 * (double)p->s.def.tension.coefficient / (radius * h));
}

/// The largest force away from the centre, over the largest force.
static double outward(const pool *p, const double centre[3])
{
    double most = 0.0, out = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < values_of(p); ++i) {
            double x[3];
            place_of(p, i, axis, x);
            const double f = (double)p->s.grid.force[axis][i];
            most = fmax(most, fabs(f));
            out = fmax(out, f * (x[axis] - centre[axis]) / length(x, centre));
        }
    assert_true(most > 0.0);
    return out / most;
}

/// The error of the pressure in a smooth ball whose share falls over half its radius either way.
static double pressure_error(double radius, int32_t tiles)
{
    pool p;
    const double centre[3] = {0.5, 0.5, 0.5};
    open_pool(&p, 2, (int32_t[3]){-tiles, -tiles, -tiles},
              (int32_t[3]){tiles - 1, tiles - 1, tiles - 1}, 0, NULL);
    fill_smooth_ball(&p, centre, radius, 0.5 * radius);
    assert_ok(bubbles_tension(&p.s, ERR));
    double exact = 0.0; // mean of R/r, weighted with the slope of the share: 140 e^3 (1 - e)^3
    for (int i = 0; i < 1000; ++i) {
        const double e = (i + 0.5) / 1000.0, slope = e * (1.0 - e);
        exact += 0.14 * slope * slope * slope / (1.0 + (0.5 - e));
    }
    const double error = pressure_inside(&p, radius) / exact - 1.0;
    assert_true(outward(&p, centre) < 1e-5); // rounding
    close_pool(&p);
    return fabs(error);
}

/// Along a line into a ball, f h adds up to sigma times the mean of 2/r over the share, and f
/// points inwards everywhere. The error is that of the curvature, of second order.
static void pressure_in_a_smooth_ball_is_that_of_laplace(void **state)
{
    (void)state;
    const double coarse = pressure_error(8.0, 2), fine = pressure_error(16.0, 4);
    print_message("pressure error, radius 8 and 16 voxels: %.4f, %.4f\n", coarse, fine);
    assert_true(coarse < 0.08);
    assert_true(coarse / fine > 3.3);
}

/// In a ball of particles, the mean of the pressure inside by the virial theorem: the sum of -f.x
/// h^3 is 3 V (2 sigma/R), with the volume V and radius R of the shares. The surface is uneven by a
/// fraction of a voxel (its area is larger than that of a ball), and curvature at a radius of 7
/// voxels errs by some per cent: 5 %.
static void pressure_in_a_ball_of_particles_is_that_of_laplace(void **state)
{
    (void)state;
    pool p;
    const double centre[3] = {0.3, 0.1, -0.4};
    double volume = 0.0, virial = 0.0;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, centre, 6.0, 0.5f, 0.0f);
    fill_from_particles(&p);
    assert_ok(bubbles_tension(&p.s, ERR));
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < values_of(&p); ++i) {
            double x[3];
            place_of(&p, i, axis, x);
            volume += (double)p.s.grid.share[axis][i] / 3.0;
            virial -= (double)p.s.grid.force[axis][i] * (x[axis] - centre[axis]);
        }
    const double radius = cbrt(volume * 3.0 / (4.0 * 3.14159265358979)), // voxels
        h = (double)p.s.grid.voxel,
                 laplace = 2.0 * (double)p.s.def.tension.coefficient / radius / h;
    const double ratio = virial * h / (3.0 * volume) / laplace;
    print_message("particles: radius %.3f, pressure over that of Laplace %.4f\n", radius, ratio);
    assert_int_equal(p.s.figures.pockets, 1);
    assert_true(fabs(ratio - 1.0) < 0.05);
    close_pool(&p);
}

/// f is rounded to float once more after the mean is subtracted, at random: 1e-7 of each face.
static void forces_on_a_pocket_add_up_to_nothing(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){-8.2, -8.9, -7.6}, 4.0, 1.0f, 0.0f);
    add_ball(&p, (double[3]){8.1, 7.7, 8.3}, 5.0, 1.0f, 0.0f);
    fill_from_particles(&p);
    for (int with_drift = 1; with_drift >= 0; --with_drift) {
        double sum[2][3] = {{0}}, size[2] = {0};
        p.s.def.tension.drift = with_drift;
        assert_ok(bubbles_tension(&p.s, ERR));
        assert_int_equal(p.s.figures.pockets, 2);
        for (int axis = 0; axis < 3; ++axis)
            for (size_t i = 0; i < values_of(&p); ++i) {
                double x[3];
                place_of(&p, i, axis, x);
                sum[x[0] > 0.0][axis] += (double)p.s.grid.force[axis][i];
                size[x[0] > 0.0] += fabs((double)p.s.grid.force[axis][i]);
            }
        for (int b = 0; b < 2; ++b)
            for (int axis = 0; axis < 3; ++axis)
                assert_true((fabs(sum[b][axis]) < 1e-6 * size[b]) == with_drift);
    }
    close_pool(&p);
}

/// As printed in (46), particles and the water's share of the faces together feel no net force
/// (appendix C). Sums of floats: 1e-6.
static void particles_and_water_together_feel_no_net_force(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){0.7, 0.1, -0.4}, 5.0, 1.0f, 0.0f);
    fill_from_particles(&p);
    p.s.def.tension.clamp_on_particles = true;
    assert_ok(bubbles_tension(&p.s, ERR));
    const double volume = (double)bubbles_volume(surfacing_in(&p) / p.s.grid.voxel);
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < p.n; ++i)
            sum += volume * (double)p.s.at.force[axis][i];
        for (size_t i = 0; i < values_of(&p); ++i) {
            const double f = (double)p.s.grid.force[axis][i];
            sum += (1.0 - (double)p.s.grid.share[axis][i]) * f;
            size += fabs(f);
        }
        assert_true(fabs(sum) < 2e-6 * size);
    }
    close_pool(&p);
}

/// ---- Filter and small pockets ------------------------------------------------------------------

static double largest_force(const pool *p)
{
    float most = 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < values_of(p); ++i)
            most = fmaxf(most, fabsf(p->s.grid.force[axis][i]));
        for (size_t i = 0; i < p->n; ++i)
            most = fmaxf(most, fabsf(p->s.at.force[axis][i]));
    }
    return (double)most;
}

static void one_cell_of_air_feels_no_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 40; ++i) {
        pool p;
        double x[3];
        open_pool(&p, 1, (int32_t[3]){-1, -1, -1}, (int32_t[3]){0, 0, 0}, 0, NULL);
        for (int a = 0; a < 3; ++a) // some on faces, edges and centres of voxels
            x[a] = i < 27 ? 0.5 * (double)(i /
                                           (a == 0   ? 1u
                                            : a == 1 ? 3u
                                                     : 9u) %
                                           3)
                          : 2.0 * (double)unit_noise(i, (uint32_t)a) - 1.0;
        add_particle(&p, x, surfacing_in(&p));
        add_particle(&p, x, surfacing_in(&p));
        fill_from_particles(&p);
        p.s.def.tension.pocket_min_voxels = 0;
        assert_ok(bubbles_tension(&p.s, ERR));
        const bool on_faces = i < 27 && (i % 3 != 1 || i / 3 % 3 != 1 || i / 9 != 1);
        if (!on_faces) assert_true(largest_force(&p) == 0.0);
        p.s.def.tension.filter = false;
        assert_ok(bubbles_tension(&p.s, ERR));
        assert_true(largest_force(&p) > 0.0);
        close_pool(&p);
    }
}

static void filter_leaves_a_ball_alone(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){0.7, 0.1, -0.4}, 4.0, 1.0f, 0.0f);
    fill_from_particles(&p);
    float *with = malloc(values_of(&p) * sizeof *with);
    for (int axis = 0; axis < 3; ++axis) {
        p.s.def.tension.filter = true;
        assert_ok(bubbles_tension(&p.s, ERR));
        memcpy(with, p.s.grid.force[axis], values_of(&p) * sizeof *with);
        p.s.def.tension.filter = false;
        assert_ok(bubbles_tension(&p.s, ERR));
        assert_memory_equal(with, p.s.grid.force[axis], values_of(&p) * sizeof *with);
    }
    assert_true(largest_force(&p) > 0.0);
    free(with);
    close_pool(&p);
}

/// Eight particles around a node have 13 voxels of air, a ball of three voxels' radius some 200.
static void small_pockets_feel_no_force(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    for (int n = 0; n < 8; ++n)
        add_particle(&p,
                     (double[3]){-8.0 + 0.5 * (n & 1) - 0.25, 0.5 * (n >> 1 & 1) - 0.25,
                                 0.5 * (n >> 2) - 0.25},
                     surfacing_in(&p));
    add_ball(&p, (double[3]){8.0, 0.0, 0.0}, 3.0, 0.5f, 0.0f);
    fill_from_particles(&p);
    for (int all = 0; all < 2; ++all) {
        double most[2] = {0};
        p.s.def.tension.pocket_min_voxels = all ? 0 : 24;
        assert_ok(bubbles_tension(&p.s, ERR));
        for (int axis = 0; axis < 3; ++axis)
            for (size_t i = 0; i < values_of(&p); ++i) {
                double x[3];
                place_of(&p, i, axis, x);
                double *m = &most[x[0] > 0.0];
                *m = fmax(*m, fabs((double)p.s.grid.force[axis][i]));
            }
        assert_int_equal(p.s.figures.pockets, all ? 2 : 1);
        assert_true((most[0] > 0.0) == all);
        assert_true(most[1] > 0.0);
    }
    close_pool(&p);
}

static void without_tension_there_are_no_forces(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){0.7, 0.1, -0.4}, 3.0, 0.5f, 0.0f);
    fill_from_particles(&p);
    for (size_t i = 0; i < p.n; ++i)
        p.s.at.force[1][i] = NAN;
    p.s.def.tension.coefficient = 0.0f;
    assert_ok(bubbles_tension(&p.s, ERR));
    for (size_t i = 0; i < values_of(&p); ++i)
        if (p.s.grid.busy[i / SP_TILE_VOXELS]) assert_true(p.s.grid.force[1][i] == 0.0f);
    for (size_t i = 0; i < p.n; ++i)
        assert_true(p.s.at.force[1][i] == 0.0f);
    p.s.def.tension.coefficient = 0.0072f;
    p.s.def.tension.pocket_min_voxels = 1000000;
    assert_ok(bubbles_tension(&p.s, ERR));
    assert_true(largest_force(&p) == 0.0);
    assert_int_equal(p.s.figures.pockets, 0);
    close_pool(&p);
}

/// ---- Solids ------------------------------------------------------------------------------------

/// A ball that is half in a solid tile: the faces in there feel nothing, and the sum is still 0.
static void closed_faces_feel_no_force(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){8.3, 3.2, 4.4}, 5.0, 1.0f, 0.0f);
    fill_from_particles(&p);
    uint32_t *row = malloc(p.s.grid.tiles.count * sizeof *row);
    for (size_t t = 0; t < p.s.grid.tiles.count; ++t)
        row[t] = p.s.grid.tiles.at[t][0] == 1 ? SP_FLOW_TILE_SOLID : SP_FLOW_TILE_OPEN;
    p.s.solids.row = row;
    p.s.has_solids = true;
    assert_ok(bubbles_tension(&p.s, ERR));
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < values_of(&p); ++i) {
            const double f = (double)p.s.grid.force[axis][i];
            if (row[i / SP_TILE_VOXELS] == SP_FLOW_TILE_SOLID) assert_true(f == 0.0);
            sum += f;
            size += fabs(f);
        }
        assert_true(size > 0.0 && fabs(sum) < 1e-6 * size);
    }
    free(row);
    close_pool(&p);
}

/// ---- Threads, periods --------------------------------------------------------------------------

static void forces_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; ++threads) {
        pool p;
        open_pool(&p, threads, box_low, box_high, 0, NULL);
        add_ball(&p, (double[3]){0.7, 0.1, -0.4}, 6.0, 1.0f, 0.3f);
        fill_from_particles(&p);
        assert_ok(bubbles_tension(&p.s, ERR));
        assert_ok(bubbles_volume_source(&p.s, 1.0 / 1440.0, ERR));
        assert_true(p.s.figures.deep > 100);
        uint64_t h = sp_hash(0, p.s.grid.source, values_of(&p) * sizeof(float));
        h = sp_hash(h, p.s.grid.busy, p.s.grid.tiles.count);
        for (int axis = 0; axis < 3; ++axis) {
            h = sp_hash(h, p.s.grid.force[axis], values_of(&p) * sizeof(float));
            h = sp_hash(h, p.s.at.force[axis], p.n * sizeof(float));
        }
        hash[threads - 1] = h;
        close_pool(&p);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

/// A ball over the edge of a periodic space is one pocket, and feels what it feels elsewhere. Sums
/// are added in another order, hence 1e-5.
static void pockets_continue_across_a_period(void **state)
{
    (void)state;
    const int32_t period[3] = {4, 4, 4}, low[3] = {0}, high[3] = {3, 3, 3};
    pool p, other;
    open_pool(&p, 2, low, high, 0, period);
    open_pool(&other, 2, low, high, 0, period);
    fill_smooth_ball(&p, (double[3]){16.2, 15.7, 16.4}, 7.0, 2.0);
    for (size_t i = 0; i < values_of(&p); ++i) { // by half the space
        const int32_t *at = p.s.grid.tiles.at[i / SP_TILE_VOXELS];
        const uint32_t there =
            sp_tiles_find(&p.s.grid.tiles, (int32_t[3]){at[0] + 2, at[1] + 2, at[2] + 2});
        for (int a = 0; a < 3; ++a)
            other.s.grid.fill[a][there * SP_TILE_VOXELS + i % SP_TILE_VOXELS] = p.s.grid.fill[a][i];
    }
    clamp_fill(&other);
    assert_ok(bubbles_tension(&p.s, ERR));
    assert_ok(bubbles_tension(&other.s, ERR));
    assert_int_equal(other.s.figures.pockets, 1);
    const double most = largest_force(&p);
    for (size_t i = 0; i < values_of(&p); ++i) {
        const int32_t *at = p.s.grid.tiles.at[i / SP_TILE_VOXELS];
        const uint32_t there =
            sp_tiles_find(&p.s.grid.tiles, (int32_t[3]){at[0] + 2, at[1] + 2, at[2] + 2});
        for (int a = 0; a < 3; ++a)
            assert_true(
                fabs((double)(p.s.grid.force[a][i] -
                              other.s.grid.force[a][there * SP_TILE_VOXELS + i % SP_TILE_VOXELS])) <
                1e-5 * most);
    }
    close_pool(&p);
    close_pool(&other);
}

/// ---- Memory ------------------------------------------------------------------------------------

/// All memory is from the scratch.
static sp_status run_in(const sp_host *host, sp_error *err)
{
    pool p;
    open_pool(&p, 1, (int32_t[3]){-1, -1, -1}, (int32_t[3]){0, 0, 0}, 0, NULL);
    p.s.def.tension.clamp_on_particles = true;
    add_ball(&p, (double[3]){0}, 4.0, 0.0f, 0.0f);
    add_particle(&p, (double[3]){0}, 0.1f * p.s.grid.voxel);
    add_particle(&p, (double[3]){5.5, 5.5, 5.5}, 0.3f * p.s.grid.voxel);
    fill_from_particles(&p);
    sp_scratch_close(&p.s.scratch);
    sp_status status = sp_scratch_open(&p.s.scratch, host, 0)
                           ? bubbles_tension(&p.s, err)
                           : sp_fail(err, SP_NO_MEMORY, "test: no memory");
    if (status == SP_OK) status = bubbles_volume_source(&p.s, 1e-3, err);
    if (status == SP_OK) assert_true(p.s.figures.pockets == 1 && p.s.figures.deep > 0);
    assert_true(p.s.scratch.used == 0 && p.s.scratch.borrowed == NULL);
    close_pool(&p);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_equal_those_on_a_dense_grid),
        cmocka_unit_test(pockets_equal_a_flood_fill),
        cmocka_unit_test(curvature_is_second_order),
        cmocka_unit_test(pressure_in_a_smooth_ball_is_that_of_laplace),
        cmocka_unit_test(pressure_in_a_ball_of_particles_is_that_of_laplace),
        cmocka_unit_test(forces_on_a_pocket_add_up_to_nothing),
        cmocka_unit_test(particles_and_water_together_feel_no_net_force),
        cmocka_unit_test(one_cell_of_air_feels_no_force),
        cmocka_unit_test(filter_leaves_a_ball_alone),
        cmocka_unit_test(small_pockets_feel_no_force),
        cmocka_unit_test(without_tension_there_are_no_forces),
        cmocka_unit_test(closed_faces_feel_no_force),
        cmocka_unit_test(forces_do_not_depend_on_threads),
        cmocka_unit_test(pockets_continue_across_a_period),
        test_failing_allocations(.scenario = run_in, .threads = 1, .least = 50),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
