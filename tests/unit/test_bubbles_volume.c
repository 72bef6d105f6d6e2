// SPDX-License-Identifier: Apache-2.0
// links: bubbles
/// The divergence that keeps the volume of large bubbles.
#include "test_bubbles_pool.h"

static const double dt = 1.0 / 1440.0;

/// Sources less than 3 voxels from the centre and more than `gap` from the plane x = 0, over the
/// largest there can be: the range.
static void find_sources(pool *p, double gap, double range[2])
{
    const double most = 0.2 * 0.5 * (double)p->s.grid.voxel / dt;
    range[0] = (double)INFINITY;
    range[1] = -(double)INFINITY;
    assert_ok(bubbles_volume_source(&p->s, dt, ERR));
    assert_true(p->s.figures.deep > 200);
    for (size_t i = 0; i < values_of(p); ++i) {
        double x[3];
        place_of(p, i, -1, x);
        if (length(x, (double[3]){0}) > 3.0 || fabs(x[0]) < gap) continue;
        range[0] = fmin(range[0], (double)p->s.grid.source[i] / most);
        range[1] = fmax(range[1], (double)p->s.grid.source[i] / most);
    }
}

static bool are_all(const double range[2], double value)
{
    return fabs(range[0] - value) < 1e-5 && fabs(range[1] - value) < 1e-5; // rounding
}

/// A lattice of half a voxel has c = 1 inside. Without six of ten particles c is about 0.4, and
/// with twice as many it is 2: the largest rates, inwards and outwards.
static void thinned_air_converges_and_crowded_air_spreads(void **state)
{
    (void)state;
    static const double expected[3] = {0.0, -1.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        pool p;
        double range[2];
        open_pool(&p, 2, box_low, box_high, 0, NULL);
        add_ball(&p, (double[3]){0}, 6.0, 0.0f, i == 1 ? 0.6f : 0.0f);
        if (i == 2) add_ball(&p, (double[3]){0}, 6.0, 0.0f, 0.0f);
        fill_from_particles(&p);
        find_sources(&p, 0.0, range);
        assert_true(are_all(range, expected[i]));
        close_pool(&p);
    }
}

/// Keeps particles of one size on either side of the plane x = 0.
static void part_sizes(pool *p)
{
    const size_t all = p->n;
    p->n = 0;
    for (size_t i = 0; i < all; ++i) {
        const bool large = p->s.particles.radius[i] > 0.5f * p->s.grid.voxel;
        if ((p->x[i][0] > 0.0) != large) continue;
        memcpy(p->x[p->n], p->x[i], sizeof *p->x);
        p->s.particles.place[p->n] = p->s.particles.place[i];
        p->s.particles.radius[p->n++] = p->s.particles.radius[i];
    }
    p->s.particles.set.count = p->n;
}

/// Particles of two sizes and spacings, first all in one place (c = 2), then side by side (c = 1
/// but for a voxel between them).
static void each_particle_stands_for_its_place_in_the_lattice(void **state)
{
    (void)state;
    pool p;
    double range[2];
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){0}, 6.0, 0.0f, 0.0f);
    for (int n = 0; n < 36 * 36 * 36; ++n)
        add_particle(
            &p,
            (double[3]){(n % 36 - 17.5) / 3.0, (n / 36 % 36 - 17.5) / 3.0, (n / 1296 - 17.5) / 3.0},
            cbrtf(3.0f / (4.0f * SP_PI)) / 3.0f * p.s.grid.voxel);
    fill_from_particles(&p);
    find_sources(&p, 0.0, range);
    assert_true(are_all(range, 1.0));
    part_sizes(&p);
    fill_from_particles(&p);
    find_sources(&p, 1.0, range);
    assert_true(are_all(range, 0.0));
    close_pool(&p);
}

/// Bubbles at random places overlap by chance, not by design: four times too many of them spread. In a
/// lattice they are meant to.
static void bubbles_at_random_places_stand_for_their_own_volume(void **state)
{
    (void)state;
    pool p;
    double range[2];
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){0}, 6.0, 0.0f, 0.0f);
    for (size_t i = 0; i < p.n; ++i) // 0.52 voxels of volume, eight in each voxel
        p.s.particles.radius[i] = 0.5f * p.s.grid.voxel;
    fill_from_particles(&p);
    find_sources(&p, 0.0, range);
    assert_true(are_all(range, 0.0));
    p.s.places = false;
    find_sources(&p, 0.0, range);
    assert_true(are_all(range, 1.0));
    close_pool(&p);
}

static void no_source_without_deep_cells(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, box_low, box_high, 0, NULL);
    add_ball(&p, (double[3]){0.0, 0.0, 0.0}, 1.2, 0.0f, 0.0f);
    fill_from_particles(&p);
    assert_ok(bubbles_volume_source(&p.s, dt, ERR));
    assert_int_equal(p.s.figures.deep, 0);
    add_ball(&p, (double[3]){0.0, 0.0, 0.0}, 5.0, 0.0f, 0.0f);
    fill_from_particles(&p);
    p.s.def.tension.coefficient = 0.0f; // deep cells do not need it
    assert_ok(bubbles_volume_source(&p.s, dt, ERR));
    assert_true(p.s.figures.deep > 100);
    p.s.def.volume_gain = 0.0f;
    assert_ok(bubbles_volume_source(&p.s, dt, ERR));
    assert_int_equal(p.s.figures.deep, 0);
    close_pool(&p);
}

static void no_source_where_nothing_can_flow_out(void **state)
{
    (void)state;
    pool p;
    open_pool(&p, 2, (int32_t[3]){0}, (int32_t[3]){3, 3, 3}, 0, (int32_t[3]){4, 4, 4});
    add_ball(&p, (double[3]){16.0, 16.0, 16.0}, 5.0, 0.0f, 0.5f);
    fill_from_particles(&p);
    assert_ok(bubbles_volume_source(&p.s, dt, ERR));
    assert_int_equal(p.s.figures.deep, 0);
    close_pool(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinned_air_converges_and_crowded_air_spreads),
        cmocka_unit_test(each_particle_stands_for_its_place_in_the_lattice),
        cmocka_unit_test(bubbles_at_random_places_stand_for_their_own_volume),
        cmocka_unit_test(no_source_without_deep_cells),
        cmocka_unit_test(no_source_where_nothing_can_flow_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
