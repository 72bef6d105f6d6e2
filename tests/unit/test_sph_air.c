// SPDX-License-Identifier: Apache-2.0
// links: sph shapes particles tiles frame core
/// Forces between air and air, and between air and water.
#include "scarce_host.h"
#include "test_sph_tank.h"

static sp_host host;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// ---- Reference: every sum pair by pair, in double ----------------------------------------------

/// x_a - x_b and its length.
static double apart(const float *a, const float *b, double x[3])
{
    for (int c = 0; c < 3; ++c)
        x[c] = (double)a[c] - (double)b[c];
    return sqrt(dot(x, x));
}

static uint32_t count_air(const sph *s, size_t k)
{
    uint32_t n = 0;
    double x[3];
    for (size_t j = 0; j < s->air.set.count; ++j)
        n += j != k && apart(s->air.at + 4 * k, s->air.at + 4 * j, x) < (double)s->h;
    return n;
}

static uint32_t count_most(const sph *s, size_t k)
{
    uint32_t n = count_air(s, k);
    double x[3];
    if (s->def.air.buoyancy_count == SP_SPH_COUNT_OWN) return n;
    for (size_t j = 0; j < s->air.set.count; ++j)
        if (apart(s->air.at + 4 * k, s->air.at + 4 * j, x) < (double)s->h) {
            const uint32_t other = count_air(s, j);
            n = other > n ? other : n;
        }
    return n;
}

static double fraction(const sph *s, size_t k, bool *above)
{
    double sum = 0.0, x[3];
    *above = false;
    for (size_t j = 0; j < s->liquid.set.count; ++j) {
        const double r = apart(s->liquid.at + 4 * j, s->air.at + 4 * k, x);
        if (r >= (double)s->h) continue;
        sum += sph_kernel(r, (double)s->h);
        *above |= x[1] > 0.1 * (double)s->h; // gravity points along -y
    }
    return sum * pow((double)s->d, 3.0);
}

/// Gravity, (10') and (11').
static void lift_and_cohesion(const sph *s, size_t k, double a[3])
{
    const sp_sph_air_def *def = &s->def.air;
    const float *own = s->air.at + 4 * k;
    const double most = (double)def->buoyancy_max, d = (double)s->d;
    const bool foam = sph_tag(&s->air, k) & SPH_FOAM;
    const double lift = foam ? (s->air_data.phi[k] > 0.0f ? 1.0 : 0.0)
                             : (double)def->buoyancy_min *
                                   (most - (most - 1.0) * exp(-0.1 * (double)count_most(s, k)));
    for (int c = 0; c < 3; ++c)
        a[c] = (1.0 - lift) * (double)s->gravity[c];
    for (size_t j = 0; j < s->air.set.count; ++j) {
        double x[3];
        const float *other = s->air.at + 4 * j;
        const double r = apart(own, other, x), fade = fmin(fmax(2.0 * (r / d - 0.5), 0.0), 1.0);
        if (j == k || r >= (double)s->h) continue;
        const double pull = (double)def->cohesion * 0.04 / (double)s->h * fade *
                            ((double)own[3] + (double)other[3]) / 2.0;
        const double push = r < 0.5 * d ? (double)def->core * (1.0 - 2.0 * r / d) / r : 0.0;
        for (int c = 0; c < 3; ++c)
            a[c] += (push - pull) * x[c];
    }
}

/// C_ij of (13'), without k_i; 0 for pairs that do not count.
static double pair_drag(const sph *s, const float *own, const float *v, const float *other,
                        const float *u, double other_mass, double x[3])
{
    const double h = (double)s->h, r = apart(own, other, x);
    const double away[3] = {(double)v[0] - (double)u[0], (double)v[1] - (double)u[1],
                            (double)v[2] - (double)u[2]};
    const int pairs = s->def.air.drag_pairs;
    if (r >= h || (pairs == SP_SPH_PAIRS_APPROACHING && dot(away, x) >= 0.0) ||
        (pairs == SP_SPH_PAIRS_SEPARATING && dot(away, x) <= 0.0))
        return 0.0;
    return other_mass * h * h * (double)s->def.air.drag_rate / ((double)own[3] + (double)other[3]) /
           (r * r + 0.01 * h * h) * (-sph_kernel_slope(r, h) / r);
}

static void gauss(double m[3][4], double x[3])
{
    for (int p = 0; p < 3; ++p)
        for (int r = 0; r < 3; ++r)
            for (int c = 3; r != p && c >= p; --c)
                m[r][c] -= m[p][c] * m[r][p] / m[p][p];
    for (int c = 0; c < 3; ++c)
        x[c] = m[c][3] / m[c][c];
}

/// v~ by (I + dt M) v~ = v + dt (a + b).
static void braked(const sph *s, size_t k, double dt, const double a[3], double out[3])
{
    const float *v = s->air.vel + 4 * k;
    double m[3][4] = {{0}};
    for (int c = 0; c < 3; ++c) {
        m[c][c] = 1.0;
        m[c][3] = (double)v[c] + dt * a[c];
    }
    for (size_t j = 0; j < s->liquid.set.count; ++j) {
        const float *u = s->liquid.vel + 4 * j;
        const double stream[3] = {(double)u[0], (double)u[1], (double)u[2]};
        double x[3];
        const double c =
            (double)s->def.air.drag_air * dt *
            pair_drag(s, s->air.at + 4 * k, v, s->liquid.at + 4 * j, u, (double)s->liquid.mass, x);
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column)
                m[row][column] += c * x[row] * x[column];
            m[row][3] += c * dot(x, stream) * x[row];
        }
    }
    gauss(m, out);
}

/// (13') on the water, with the air's new velocities.
static void reaction(const sph *s, size_t k, const double (*v_air)[3], double a[3])
{
    const sp_sph_air_def *def = &s->def.air;
    const float *v = s->liquid.vel + 4 * k;
    a[0] = a[1] = a[2] = 0.0;
    for (size_t j = 0; j < s->air.set.count; ++j) {
        double x[3], strength = (double)def->drag_air;
        double c = pair_drag(s, s->liquid.at + 4 * k, v, s->air.at + 4 * j, s->air.vel + 4 * j,
                             (double)s->air.mass, x);
        if (c == 0.0) continue;
        const double away[3] = {(double)v[0] - v_air[j][0], (double)v[1] - v_air[j][1],
                                (double)v[2] - v_air[j][2]};
        if (def->coupling == SP_SPH_COUPLING_PAPER) strength = (double)def->drag_liquid;
        if (def->coupling == SP_SPH_COUPLING_ARCHIMEDES)
            strength *=
                1000.0 / ((double)def->buoyancy_min * (double)s->air_data.buoyancy[j] - 1.0);
        for (int axis = 0; axis < 3; ++axis)
            a[axis] -= strength * c * dot(away, x) * x[axis];
    }
}

/// Largest difference of accelerations from the reference, over the largest acceleration.
typedef struct deviation {
    double most, largest;
} deviation;

static void compare(deviation *d, float *const a[3], size_t k, const double twin[3])
{
    for (int c = 0; c < 3; ++c) {
        d->most = fmax(d->most, fabs((double)a[c][k] - twin[c]));
        d->largest = fmax(d->largest, fabs(twin[c]));
    }
}

static void check_counts(const sph *s, size_t k)
{
    bool above;
    const double phi = fraction(s, k, &above);
    assert_int_equal(s->air_data.count[k], count_air(s, k));
    const float most = s->def.air.buoyancy_max,
                lift = most - (most - 1.0f) * sp_expf(-0.1f * (float)count_most(s, k));
    assert_true(s->air_data.buoyancy[k] == lift);
    assert_true(fabs((double)s->air_data.phi[k] - phi) < 2e-6);
    assert_int_equal(s->air_data.covered[k], above);
}

/// A cloud of air, some of it foam, half of it in water that moves at random.
static void fill_cloud(sph *s, int water, int air)
{
    put_lattice(s, &s->liquid, water, 0.3f, 1.0f);
    put_lattice(s, &s->air, air, 0.6f, 1.0f);
    for (size_t i = 0; i < s->air.set.count; ++i) {
        s->air.x[1][i] += 0.4f * (float)water * s->d;
        s->air.tag[i] = i % 5 == 0 ? SPH_FOAM : 0;
    }
}

typedef struct variant {
    int pairs, coupling, count;
    float skin;
} variant;

/// Sums of floats are off by some 1e-7 of the largest acceleration (1.5e-7 when this was written);
/// a wrong factor anywhere misses by 1e-2.
static void forces_match_pairwise_sums_in_double(void **state)
{
    (void)state;
    static const variant all[] = {
        {SP_SPH_PAIRS_BOTH, SP_SPH_COUPLING_PAPER, SP_SPH_COUNT_MAX, 0.0f},
        {SP_SPH_PAIRS_BOTH, SP_SPH_COUPLING_ARCHIMEDES, SP_SPH_COUNT_OWN, 0.2f},
        {SP_SPH_PAIRS_APPROACHING, SP_SPH_COUPLING_SYMMETRIC, SP_SPH_COUNT_MAX, 0.2f},
        {SP_SPH_PAIRS_SEPARATING, SP_SPH_COUPLING_PAPER, SP_SPH_COUNT_OWN, 0.0f},
    };
    const double dt = 0.0015;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        static double v_air[1000][3];
        sph s;
        deviation air = {0}, water = {0};
        open_tank(&s, &host);
        s.def.air.drag_pairs = all[i].pairs;
        s.def.air.coupling = all[i].coupling;
        s.def.air.buoyancy_count = all[i].count;
        s.def.list_skin = all[i].skin;
        fill_cloud(&s, 9, 6);
        arrange_tank(&s);
        sph_air_forces(&s, dt);
        sph_reaction(&s, dt);
        for (size_t k = 0; k < s.air.set.count; ++k) {
            double a[3];
            check_counts(&s, k);
            lift_and_cohesion(&s, k, a);
            braked(&s, k, dt, a, v_air[k]);
            for (int c = 0; c < 3; ++c)
                a[c] = (v_air[k][c] - (double)s.air.vel[4 * k + (size_t)c]) / dt;
            compare(&air, s.air.a, k, a);
        }
        for (size_t k = 0; k < s.liquid.set.count; ++k) {
            double a[3];
            reaction(&s, k, (const double(*)[3])v_air, a);
            compare(&water, s.liquid.a, k, a);
        }
        assert_true(air.largest > 100.0 && air.most < 1e-6 * air.largest);
        assert_true(water.largest > 0.1 && water.most < 1e-6 * water.largest);
        close_tank(&s);
    }
}

/// ---- Bounds and conservation -------------------------------------------------------------------

/// (10'): a lone bubble is lifted by k_b g, and none by more than k_max times that. exp is good to
/// a few 1e-7, so 1e-5 would show any other formula.
static void buoyancy_keeps_its_bounds(void **state)
{
    (void)state;
    sph s;
    const float at[3] = {0.5f, 0.0f, 0.0f}, still[3] = {0};
    open_tank(&s, &host);
    s.def.air.cohesion = s.def.air.core = 0.0f;
    put_lattice(&s, &s.air, 6, 0.0f, 0.0f);
    const uint64_t lone = s.next_id;
    put(&s, &s.air, at, still, 0);
    arrange_tank(&s);
    sph_air_forces(&s, 0.0015);
    float most = 0.0f;
    for (size_t k = 0; k < s.air.set.count; ++k) {
        const float lift = s.air.a[1][k] + 9.81f;
        most = fmaxf(most, lift);
        if (s.air.id[s.air.cells.order[k]] == lone)
            assert_true(fabsf(lift / (14.0f * 9.81f) - 1.0f) < 1e-5f);
    }
    assert_true(most < 14.0f * 6.0f * 9.81f && most > 0.9f * 14.0f * 6.0f * 9.81f);
    close_tank(&s);
}

/// Without gravity and with equal drag, air gains what water loses, whichever pairs count. The two
/// forces of a pair are rounded apart by some 1e-7, and a sum over all of them stays below 1e-6 of
/// their size.
static void symmetric_forces_conserve_momentum(void **state)
{
    (void)state;
    for (int pairs = SP_SPH_PAIRS_BOTH; pairs <= SP_SPH_PAIRS_SEPARATING; ++pairs) {
        sph s;
        double sum[3] = {0}, size = 0.0;
        open_tank(&s, &host);
        s.gravity[1] = 0.0f;
        s.def.air.coupling = SP_SPH_COUPLING_SYMMETRIC;
        s.def.air.drag_pairs = pairs;
        fill_cloud(&s, 9, 6);
        arrange_tank(&s);
        sph_air_forces(&s, 0.0015);
        sph_reaction(&s, 0.0015);
        const sph_phase *const phases[2] = {&s.air, &s.liquid};
        for (int p = 0; p < 2; ++p)
            for (size_t k = 0; k < phases[p]->set.count; ++k)
                for (int c = 0; c < 3; ++c) {
                    const double force = (double)phases[p]->mass * (double)phases[p]->a[c][k];
                    sum[c] += force;
                    size += fabs(force);
                }
        for (int c = 0; c < 3; ++c)
            assert_true(fabs(sum[c]) < 1e-6 * size);
        close_tank(&s);
    }
}

/// Two particles at one point are pushed apart with k_o, in opposite directions along a random
/// line.
static void coincident_air_particles_are_pushed_apart(void **state)
{
    (void)state;
    sph s;
    const float at[3] = {0.1f, 0.2f, 0.3f}, still[3] = {0};
    open_tank(&s, &host);
    s.gravity[1] = 0.0f;
    put(&s, &s.air, at, still, 0);
    put(&s, &s.air, at, still, 0);
    arrange_tank(&s);
    sph_air_forces(&s, 0.0015);
    float size = 0.0f;
    for (int c = 0; c < 3; ++c) {
        assert_true(s.air.a[c][0] == -s.air.a[c][1]);
        size += s.air.a[c][0] * s.air.a[c][0];
    }
    assert_true(fabsf(sqrtf(size) / s.def.air.core - 1.0f) < 1e-5f);
    close_tank(&s);
}

/// One air particle in a lattice of water has the same drag along all axes: backward Euler divides
/// its velocity by 1 + lambda dt, however long the step. lambda is near the 3.72 k_d omega of
/// disordered water, whose spread is 20 %.
static void drag_in_still_water_matches_the_closed_form(void **state)
{
    (void)state;
    static const double steps[] = {1e-5, 1e-3, 1.0};
    double rate = 0.0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        sph s;
        const float at[3] = {0}, v[3] = {0.3f, -0.2f, 0.5f};
        const double dt = steps[i];
        open_tank(&s, &host);
        s.gravity[1] = 0.0f;
        put_lattice(&s, &s.liquid, 8, 0.0f, 0.0f);
        put(&s, &s.air, at, v, 0);
        arrange_tank(&s);
        sph_air_forces(&s, dt);
        for (int c = 0; c < 3; ++c) {
            const double now = (double)v[c] + dt * (double)s.air.a[c][0];
            if (i == 0 && c == 0) rate = ((double)v[c] / now - 1.0) / dt;
            assert_true(fabs(now / (double)v[c] - 1.0 / (1.0 + rate * dt)) < 1e-5);
        }
        close_tank(&s);
    }
    assert_true(fabs(rate / (3.72 * 8.0 * 22.5) - 1.0) < 0.2);
}

/// A bubble that rises at its terminal speed, (k_b - 1) g/lambda, is not accelerated.
static void terminal_speed_balances_buoyancy(void **state)
{
    (void)state;
    float v[3] = {0};
    const float at[3] = {0};
    for (int step = 0; step < 200; ++step) {
        sph s;
        open_tank(&s, &host);
        put_lattice(&s, &s.liquid, 6, 0.0f, 0.0f);
        put(&s, &s.air, at, v, 0);
        arrange_tank(&s);
        sph_air_forces(&s, 0.0015);
        v[1] += 0.0015f * s.air.a[1][0];
        if (step == 199) assert_true(fabsf(s.air.a[1][0]) < 1e-3f);
        close_tank(&s);
    }
    assert_true(v[1] > 0.15f && v[1] < 0.25f); // 0.191 m/s with the mean lambda
}

/// ---- Threads -----------------------------------------------------------------------------------

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t expected = 0;
    static const int threads[] = {1, 2, 3, 5};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) {
        const sp_host some = sp_host_default(threads[t]);
        sph s;
        open_tank(&s, &some);
        fill_cloud(&s, 16, 14);
        arrange_tank(&s);
        sph_air_forces(&s, 0.0015);
        sph_reaction(&s, 0.0015);
        uint64_t hash = 0;
        for (int c = 0; c < 3; ++c) {
            hash = sp_hash(hash, s.air.a[c], s.air.set.count * sizeof(float));
            hash = sp_hash(hash, s.liquid.a[c], s.liquid.set.count * sizeof(float));
        }
        if (t == 0) expected = hash;
        assert_true(hash == expected);
        close_tank(&s);
    }
}

/// Whichever allocation fails, nothing leaks and a second try succeeds.
static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    for (size_t fatal = 1; fatal <= 7; ++fatal) {
        scarce count;
        const sp_host poor = scarce_host(&count, 1, fatal);
        sph s = {.host = &poor};
        assert_int_equal(sph_air_reserve(&s, 100, NULL), SP_NO_MEMORY);
        assert_int_equal(count.alive, 0);
        assert_ok(sph_air_reserve(&s, 100, ERR));
        assert_true(sph_air_bytes(&s) > 0);
        sph_air_close(&s);
        assert_int_equal(count.alive, 0);
    }
}

int main(void)
{
    host = sp_host_default(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_match_pairwise_sums_in_double),
        cmocka_unit_test(buoyancy_keeps_its_bounds),
        cmocka_unit_test(symmetric_forces_conserve_momentum),
        cmocka_unit_test(coincident_air_particles_are_pushed_apart),
        cmocka_unit_test(drag_in_still_water_matches_the_closed_form),
        cmocka_unit_test(terminal_speed_balances_buoyancy),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
