// SPDX-License-Identifier: Apache-2.0
// links: sph shapes particles tiles frame core
/// Foam at the surface, trapped air and seeders.
#include "logging_host.h"
#include "test_sph_tank.h"

static sp_host host;
static const float still[3];

/// ---- Foam --------------------------------------------------------------------------------------

/// n air particles in a row, `gap` spacings apart, and no water.
static void put_row(sph *s, size_t n, float gap)
{
    for (size_t i = 0; i < n; ++i) {
        const float x[3] = {gap * s->d * (float)i - 0.9f, 0.0f, 0.0f};
        put(s, &s->air, x, still, 0);
    }
}

/// Sets the surroundings of an air particle.
static void set_surroundings(sph *s, size_t place, float phi, bool covered)
{
    s->air_data.phi[place] = phi;
    s->air_data.covered[place] = covered;
}

static void foam_step(sph *s, double dt)
{
    sph_foam(s, dt);
    ++s->steps;
}

static bool floats(const sph *s, size_t i)
{
    return s->air.tag[i] & SPH_FOAM;
}

/// Little water, or none above, turns air into foam; more water and some above turns it back.
static void foam_has_hysteresis(void **state)
{
    (void)state;
    static const struct {
        bool was;
        float phi;
        bool covered, is;
    } rows[] = {
        {false, 0.49f, true, true}, {false, 0.51f, true, false}, {false, 0.9f, false, true},
        {true, 0.51f, true, true},  {true, 0.64f, true, true},   {true, 0.66f, true, false},
        {true, 0.66f, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sph s;
        open_tank(&s, &host);
        put_row(&s, 1, 3.0f);
        arrange_tank(&s);
        s.air.tag[0] = rows[i].was ? SPH_FOAM | 7u << SPH_SOURCE_SHIFT : 7u << SPH_SOURCE_SHIFT;
        s.air.life[0] = rows[i].was ? 1.0f : NAN;
        set_surroundings(&s, 0, rows[i].phi, rows[i].covered);
        foam_step(&s, 0.001);
        assert_int_equal(floats(&s, 0), rows[i].is);
        assert_int_equal(s.air.tag[0] >> SPH_SOURCE_SHIFT, 7);
        close_tank(&s);
    }
}

/// Without gravity there is no above, so a particle in water is covered everywhere.
static void foam_without_gravity_depends_on_the_fraction_only(void **state)
{
    (void)state;
    sph s;
    const float top[3] = {0.0f, 0.07f, 0.0f}; // half a spacing above the last of 7 layers
    for (int gravity = 0; gravity < 2; ++gravity) {
        open_tank(&s, &host);
        s.gravity[1] = gravity ? -9.81f : 0.0f;
        put_lattice(&s, &s.liquid, 7, 0.0f, 0.0f);
        put(&s, &s.air, top, still, 0);
        arrange_tank(&s);
        assert_int_equal(s.air_data.covered[0], !gravity);
        close_tank(&s);
    }
}

/// The lifetime of foam runs while the particle floats, stops below the surface, and is drawn only
/// once.
static void foam_lifetime_runs_only_while_floating(void **state)
{
    (void)state;
    sph s;
    open_tank(&s, &host);
    put_row(&s, 1, 3.0f);
    arrange_tank(&s);
    set_surroundings(&s, 0, 0.9f, true);
    foam_step(&s, 0.01);
    assert_true(isnan(s.air.life[0]));
    set_surroundings(&s, 0, 0.2f, true);
    foam_step(&s, 0.01);
    const float life = s.air.life[0];
    assert_true(life >= 0.0f && life < 2.0f * s.def.foam.float_time);
    assert_true(s.air.group_age[0] == 0.0f);
    foam_step(&s, 0.01);
    assert_true(fabsf(s.air.life[0] - (life - 0.01f)) < 1e-6f);
    set_surroundings(&s, 0, 0.9f, true);
    foam_step(&s, 0.01);
    assert_true(fabsf(s.air.life[0] - (life - 0.01f)) < 1e-6f);
    set_surroundings(&s, 0, 0.2f, true);
    foam_step(&s, 0.01);
    assert_true(fabsf(s.air.life[0] - (life - 0.02f)) < 1e-6f);
    close_tank(&s);
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// Lifetimes of isolated particles are uniform from 0 to 2 t_f (Kolmogorov and Smirnov: sqrt(n) D >
/// 1.63 for one seed in a hundred).
static void foam_lifetimes_are_uniform(void **state)
{
    (void)state;
    enum { N = 2000 };
    for (int share = SP_SPH_SHARE_GROUP; share <= SP_SPH_SHARE_OFF; ++share) {
        sph s;
        double most = 0.0, mean = 0.0;
        open_tank(&s, &host);
        s.def.foam.share = share;
        put_row(&s, N, 3.0f);
        arrange_tank(&s);
        foam_step(&s, 0.001); // no water at all: everything is foam
        qsort(s.air.life, N, sizeof(float), ascending);
        for (int i = 0; i < N; ++i) {
            const double u = (double)s.air.life[i] / 1.4;
            most = fmax(most, fmax(fabs(u - i / (double)N), fabs(u - (i + 1) / (double)N)));
            mean += (double)s.air.life[i] / N;
        }
        assert_true(most * sqrt(N) < 1.63);
        assert_true(fabs(mean - 0.7) < 0.03); // 3 standard deviations of a mean of 2000
        close_tank(&s);
    }
}

/// Particles that become foam together, or next to a young group, burst together; an old group
/// takes no new ones.
static void foam_groups_share_one_lifetime(void **state)
{
    (void)state;
    sph s;
    open_tank(&s, &host);
    put_row(&s, 6, 1.5f); // neighbours only to the left and right
    arrange_tank(&s);
    for (size_t k = 0; k < 6; ++k) {
        assert_int_equal(s.air.cells.order[k], k);
        set_surroundings(&s, k, k < 2 || k == 5 ? 0.2f : 0.9f, true);
    }
    foam_step(&s, 0.1); // 0 and 1 turn together, 5 apart from them
    assert_true(s.air.life[0] == s.air.life[1] && s.air.life[0] != s.air.life[5]);
    set_surroundings(&s, 2, 0.2f, true);
    foam_step(&s, 0.1); // 2 joins a group that is 0 s old
    assert_true(s.air.life[2] == s.air.life[1] && s.air.group_age[2] == s.air.group_age[1]);
    foam_step(&s, 0.1);
    set_surroundings(&s, 3, 0.2f, true);
    foam_step(&s, 0.1); // the group is 0.2 s old: 3 begins its own
    assert_true(s.air.life[3] != s.air.life[2] && s.air.group_age[3] == 0.0f);
    close_tank(&s);
}

/// The paper's rule: the shortest lifetime spreads by one neighbour a step.
static void paper_rule_takes_the_shortest_lifetime(void **state)
{
    (void)state;
    sph s;
    open_tank(&s, &host);
    s.def.foam.share = SP_SPH_SHARE_PAPER;
    put_row(&s, 5, 1.5f);
    arrange_tank(&s);
    for (size_t i = 0; i < 5; ++i) {
        s.air.tag[i] = SPH_FOAM;
        s.air.life[i] = i == 0 ? 1.0f : 100.0f;
    }
    for (size_t step = 1; step < 5; ++step) {
        foam_step(&s, 0.001);
        for (size_t i = 0; i < 5; ++i)
            assert_int_equal(s.air.life[i] < 50.0f, i <= step);
    }
    close_tank(&s);
}

/// Time without water counts while a particle falls; water resets it.
static void time_without_water_counts_while_falling(void **state)
{
    (void)state;
    sph s;
    open_tank(&s, &host);
    put_row(&s, 1, 3.0f);
    arrange_tank(&s);
    static const struct {
        float v, phi, alone;
    } rows[] = {{-1.0f, 0.0f, 0.5f}, {1.0f, 0.0f, 0.5f}, {-1.0f, 0.0f, 1.0f}, {-1.0f, 0.01f, 0.0f}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        s.air.v[1][0] = rows[i].v;
        set_surroundings(&s, 0, rows[i].phi, false);
        foam_step(&s, 0.5);
        assert_true(s.air.alone[0] == rows[i].alone);
    }
    close_tank(&s);
}

/// ---- Trapped air -------------------------------------------------------------------------------

enum { GOOD = SPH_SURFACE | 3u << SPH_AGE_SHIFT };

typedef struct wave {
    float speed, vdiff;
    uint32_t tag;
    int air; ///< particles of air next to it
    bool makes;
} wave;

/// One particle of water for each row, out of each other's support, with ascending or descending
/// ids.
static void put_waves(sph *s, const wave *rows, size_t n, bool backwards)
{
    for (size_t k = 0; k < n; ++k) {
        const size_t i = backwards ? n - 1 - k : k;
        const float x[3] = {0.1f * (float)i - 0.9f, 0.0f, 0.0f}, v[3] = {0.0f, rows[i].speed, 0.0f};
        put(s, &s->liquid, x, v, rows[i].tag | (uint32_t)(i + 1) << SPH_SOURCE_SHIFT);
    }
    for (size_t i = 0; i < n; ++i)
        for (int a = 0; a < rows[i].air; ++a) {
            const float x[3] = {0.1f * (float)i - 0.9f + 0.01f * (float)(a + 1), 0.0f, 0.0f};
            put(s, &s->air, x, still, 0);
        }
    arrange_tank(s);
    for (size_t k = 0; k < n; ++k) { // as sph_density and sph_liquid_forces would leave them
        const size_t p = s->liquid.cells.order[k], i = backwards ? n - 1 - p : p;
        const uint32_t tag = s->liquid.tag[p];
        memcpy(s->liquid.vel + 4 * k + 3, &tag, sizeof tag);
        s->liquid.ahead[4 * k + 3] = rows[i].vdiff;
    }
}

static const wave waves[] = {
    {4.0f, 0.9f, GOOD, 0, true},
    {2.9f, 0.9f, GOOD, 0, false},                                // slow
    {4.0f, 0.29f, GOOD, 0, false},                               // flat
    {4.0f, 0.9f, GOOD | SPH_PINNED, 0, false},                   // in a pipe
    {4.0f, 0.9f, SPH_SURFACE | 2u << SPH_AGE_SHIFT, 0, false},   // new
    {4.0f, 0.9f, 3u << SPH_AGE_SHIFT, 0, false},                 // deep
    {4.0f, 0.95f, GOOD, 3, true},                                // room for a fourth
    {4.0f, 0.85f, GOOD, 3, false},                               // no room
    {-5.0f, 0.31f, SPH_SURFACE | 255u << SPH_AGE_SHIFT, 0, true} // any direction
};
enum { WAVES = sizeof waves / sizeof *waves };

/// Each condition alone prevents new air. New air is in the order of its parents' ids, whatever
/// their places, and counts for the emitter of its parent.
static void trapped_air_follows_its_rules(void **state)
{
    (void)state;
    for (int backwards = 0; backwards < 2; ++backwards) {
        sph s;
        sph_emitter emitter[WAVES] = {0};
        open_tank(&s, &host);
        s.emitter = emitter;
        s.emitters = WAVES;
        put_waves(&s, waves, WAVES, backwards);
        size_t made = s.air.set.count;
        uint64_t id = s.next_id;
        assert_ok(sph_trap_air(&s, 0.001, ERR));
        for (size_t p = 0; p < WAVES; ++p) {
            const size_t i = backwards ? WAVES - 1 - p : p;
            assert_int_equal(emitter[i].air, waves[i].makes);
            if (!waves[i].makes) continue;
            double r2 = 0.0;
            for (int c = 0; c < 3; ++c) {
                const double off = (double)s.air.x[c][made] - (double)s.liquid.x[c][p];
                r2 += off * off;
                assert_true(s.air.v[c][made] == s.liquid.v[c][p]);
            }
            assert_true(r2 > 0.0 && sqrt(r2) <= 0.25 * (double)s.d * (1.0 + 1e-5));
            assert_int_equal(s.air.tag[made], (i + 1) << SPH_SOURCE_SHIFT);
            assert_true(isnan(s.air.life[made]));
            assert_int_equal(s.air.id[made++], id++);
        }
        assert_int_equal(s.air.set.count, made);
        assert_int_equal(s.figures.created, 3);
        close_tank(&s);
    }
}

/// The limit holds for trapped and for seeded air, the smallest ids come first, and it is logged
/// once.
static void air_count_is_limited(void **state)
{
    (void)state;
    const sp_host loud = logging_host(host.threads);
    sp_sph_seeder_def seeder = {.max = {0.1f, 0.1f, 0.1f}, .rate = 1e4f, .stop = 10.0f};
    sph s;
    open_tank(&s, &loud);
    s.def.trapped.max_air = 8; // six are there, three more would be made
    s.seeder = &seeder;
    s.def.seeder_count = 1;
    put_waves(&s, waves, WAVES, false);
    assert_ok(sph_trap_air(&s, 0.001, ERR));
    assert_int_equal(s.air.set.count, 8);
    assert_int_equal(s.air.tag[6] >> SPH_SOURCE_SHIFT, 1);
    assert_int_equal(s.air.tag[7] >> SPH_SOURCE_SHIFT, 7);
    assert_ok(sph_trap_air(&s, 0.001, ERR));
    assert_ok(sph_seed_air(&s, 0.01, ERR));
    assert_int_equal(s.air.set.count, 8);
    assert_int_equal(s.figures.created, 2);
    assert_int_equal(s.figures.seeded, 0);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "air particle limit 8 reached"));
    close_tank(&s);
}

/// The rule "rate" acts as often as its probability says: 4 standard deviations of 4096 trials.
static void trapping_rate_is_a_probability(void **state)
{
    (void)state;
    sph s;
    open_tank(&s, &host);
    s.def.trapped.rule = SP_SPH_RATE;
    put_lattice(&s, &s.liquid, 16, 0.0f, 0.0f);
    arrange_tank(&s);
    for (size_t k = 0; k < s.liquid.set.count; ++k) {
        const uint32_t tag = GOOD;
        s.liquid.vel[4 * k] = 4.0f;
        memcpy(s.liquid.vel + 4 * k + 3, &tag, sizeof tag);
        s.liquid.ahead[4 * k + 3] = 0.6f;
    }
    assert_ok(sph_trap_air(&s, 0.002, ERR));
    const double p = 1.0 - exp(-0.002 * 200.0 * 2.0), n = 4096.0;
    assert_true(fabs((double)s.figures.created - n * p) < 4.0 * sqrt(n * p * (1.0 - p)));
    close_tank(&s);
}

/// ---- Seeders -----------------------------------------------------------------------------------

/// As many particles as the rate says between start and stop, for any step, all in the box.
static void seeders_follow_their_rate_for_any_step(void **state)
{
    (void)state;
    static const double steps[] = {0.0007, 0.01, 0.3};
    sp_sph_seeder_def seeder = {
        .min = {0.1f, 0.2f, 0.3f}, .max = {0.2f, 0.2f, 0.5f}, .rate = 100.0f, .start = 0.5f};
    seeder.stop = 1.25f;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        sph s;
        open_tank(&s, &host);
        s.seeder = &seeder;
        s.def.seeder_count = 1;
        for (; s.time < 2.0; s.time += steps[i], ++s.steps)
            assert_ok(sph_seed_air(&s, steps[i], ERR));
        assert_int_equal(s.air.set.count, 75);
        assert_int_equal(s.figures.seeded, 75);
        for (size_t k = 0; k < 75; ++k)
            for (int c = 0; c < 3; ++c)
                assert_true(s.air.x[c][k] >= seeder.min[c] && s.air.x[c][k] <= seeder.max[c] &&
                            s.air.v[c][k] == 0.0f);
        close_tank(&s);
    }
}

int main(void)
{
    host = sp_host_default(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foam_has_hysteresis),
        cmocka_unit_test(foam_without_gravity_depends_on_the_fraction_only),
        cmocka_unit_test(foam_lifetime_runs_only_while_floating),
        cmocka_unit_test(foam_lifetimes_are_uniform),
        cmocka_unit_test(foam_groups_share_one_lifetime),
        cmocka_unit_test(paper_rule_takes_the_shortest_lifetime),
        cmocka_unit_test(time_without_water_counts_while_falling),
        cmocka_unit_test(trapped_air_follows_its_rules),
        cmocka_unit_test(air_count_is_limited),
        cmocka_unit_test(trapping_rate_is_a_probability),
        cmocka_unit_test(seeders_follow_their_rate_for_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
