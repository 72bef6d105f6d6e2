// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "scarce_host.h"
#include "test_liquid_water.h"

static const int32_t low[3] = {0, 0, 0}, high[3] = {2, 3, 1};
static const float level = 14.3f; // voxels; water is below this height

/// From no particles to far too many.
static int uneven(const int32_t v[3])
{
    const int many = abs(v[0] * 7 + v[1] * 13 + v[2] * 29) % 11;
    return (float)v[1] > level ? 0 : many < 5 ? many : many < 9 ? 4 * (many - 4) : 33;
}

static int even(const int32_t v[3])
{
    return (float)v[1] + 0.5f < level ? 8 : 0;
}

/// phi of a flat surface, and a velocity that depends on the place.
static void set_grid(liquid *s)
{
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const float y = (float)(8 * s->grid.tiles.at[t][1] + v / 8 % 8) + 0.5f;
            const size_t n = t * SP_TILE_VOXELS + (size_t)v;
            s->grid.phi[n] = fmaxf(-s->grid.band, fminf(s->grid.band, s->grid.voxel * (y - level)));
            s->grid.u[1][n] = 3.0f;
        }
}

static sp_status open_water(liquid *s, const sp_host *host, water_count *count, sp_error *err)
{
    SP_TRY(water_open(s, host, 0.5f, low, high, err));
    SP_TRY(water_fill(s, count, false, err));
    set_grid(s);
    return SP_OK;
}

/// Whether a place is at the border of all tiles, where phi and u are unknown on the far side.
static bool at_the_edge(const double at[3])
{
    bool edge = false;
    for (int a = 0; a < 3; ++a)
        edge |= at[a] < 8 * low[a] + 1 || at[a] > 8 * high[a] - 1;
    return edge;
}

static bool edge_voxel(const liquid *s, size_t n)
{
    const int32_t *tile = s->grid.tiles.at[n / SP_TILE_VOXELS];
    return at_the_edge((double[3]){8 * tile[0] + (double)(n % 8) + 0.5,
                                   8 * tile[1] + (double)(n / 8 % 8) + 0.5,
                                   8 * tile[2] + (double)(n % SP_TILE_VOXELS / 64) + 0.5});
}

/// Numbers of particles by voxel, all tiles.
static uint32_t *count_all(const liquid *s)
{
    uint32_t *count = calloc(s->grid.tiles.count * SP_TILE_VOXELS, sizeof *count);
    assert_non_null(count);
    for (size_t t = 0; t < s->grid.tiles.count; ++t) {
        liquid_voxels first;
        liquid_voxels_of(&s->particles, t, first);
        for (int v = 0; v < SP_TILE_VOXELS; ++v)
            count[t * SP_TILE_VOXELS + (size_t)v] = first[v + 1] - first[v];
    }
    return count;
}

/// Voxels with fewer than `few` particles (less at the surface) may gain, those with more than
/// `most` may lose, up to these limits; all others keep their number. *lack and *spare are the
/// differences that remain.
static void check_bounds(const liquid *s, const uint32_t *before, const uint32_t *after,
                         uint32_t few, uint32_t most, uint64_t *lack, uint64_t *spare)
{
    *lack = *spare = 0;
    for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n) {
        const uint32_t b = before[n], a = after[n];
        const bool deep = s->grid.phi[n] < -s->grid.voxel, wet = s->grid.phi[n] < 0.0f;
        if (deep && b > most)
            assert_true(a <= b && a >= most);
        else
            assert_true(a >= b && (a == b || (wet && a <= few)));
        if (edge_voxel(s, n) || !deep) continue;
        *lack += a < few ? few - a : 0;
        *spare += a > most ? a - most : 0;
    }
}

/// Particles are added only for others that were removed, and the rest is owed. If more are owed,
/// every voxel that lacks particles gets them and none loses any; if too many were added, the
/// reverse.
static void reseeding_conserves_the_particle_count(void **state)
{
    (void)state;
    static const struct {
        int32_t per_cell;
        uint32_t few, most, lowered;
    } rows[] = {{1, 1, 3, 2}, {8, 4, 13, 10}, {27, 14, 41, 34}};
    const sp_host host = sp_host_default(2);
    for (size_t r = 0; r < 3 * sizeof rows / sizeof *rows; ++r) {
        liquid s;
        const int64_t owed = ((int64_t)(r % 3) - 1) * 8000000;
        const uint32_t few = rows[r / 3].few;
        const uint32_t most = owed < 0 ? rows[r / 3].lowered : rows[r / 3].most;
        assert_ok(open_water(&s, &host, uneven, ERR));
        s.def.particles_per_cell = rows[r / 3].per_cell;
        s.balance.debt_eighths = owed;
        uint32_t *before = count_all(&s);
        const size_t count = s.particles.set.count;
        assert_ok(water_reseed(&s, ERR));
        water_check(&s);
        uint32_t *after = count_all(&s);
        uint64_t lack, spare;
        check_bounds(&s, before, after, few, most, &lack, &spare);
        assert_true((int64_t)count * 8 + owed ==
                    (int64_t)s.particles.set.count * 8 + s.balance.debt_eighths);
        assert_true(s.particles.set.count + s.figures.thinned == count + s.figures.seeded);
        if (owed > 0) assert_true(lack == 0 && s.figures.thinned == 0);
        if (owed < 0) assert_true(spare == 0 && s.figures.seeded == 0);
        // particles that find no place at the surface stay owed for later
        if (owed == 0) assert_true(s.figures.seeded <= s.figures.thinned && (!lack || !spare));
        free(before);
        free(after);
        water_close(&s);
    }
}

/// Particles that stay are unchanged and in order; removed ones had larger ids than those that
/// stayed in their voxel. New ones have the velocity of the grid and keep a radius away from the
/// surface.
static void newest_particles_are_removed_first(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid was, s;
    assert_ok(open_water(&was, &host, uneven, ERR));
    assert_ok(open_water(&s, &host, uneven, ERR));
    const uint64_t old = s.particles.next_id;
    assert_ok(water_reseed(&s, ERR));
    size_t n = 0;
    for (size_t p = 0; p < s.particles.set.count; ++p) {
        double at[3];
        (void)water_place(&s, p, at);
        if (s.particles.id[p] >= old) {
            assert_true(fabsf(s.particles.v[1][p] - 3.0f) < 1e-5f || at_the_edge(at));
            assert_true(at[1] <
                        (double)(level - liquid_particle_radius(&s.def) / s.grid.voxel) + 1e-4);
            continue;
        }
        for (; was.particles.id[n] != s.particles.id[p]; ++n) {
            double gone[3]; // ids of a voxel ascend, so the next that is left is in another one
            (void)water_place(&was, n, gone);
            assert_true(floor(gone[0]) != floor(at[0]) || floor(gone[1]) != floor(at[1]) ||
                        floor(gone[2]) != floor(at[2]));
        }
        for (int a = 0; a < 3; ++a) {
            assert_true(was.particles.x[a][n] == s.particles.x[a][p]);
            assert_true(was.particles.v[a][n] == s.particles.v[a][p]);
        }
        ++n;
    }
    water_close(&was);
    water_close(&s);
}

static double nearest_other(const liquid *s, uint64_t but, uint64_t before, const double x[3])
{
    double nearest = 1e9;
    for (size_t p = 0; p < s->particles.set.count; ++p) {
        double at[3], square = 0.0;
        if (s->particles.id[p] == but || s->particles.id[p] >= before) continue;
        (void)water_place(s, p, at);
        for (int a = 0; a < 3; ++a)
            square += (at[a] - x[a]) * (at[a] - x[a]);
        nearest = fmin(nearest, sqrt(square));
    }
    return nearest;
}

static int one_voxel_short(const int32_t v[3])
{
    return v[0] == 8 && v[1] == 7 && v[2] == 3 ? 3 : v[1] < 14 ? 6 : 0;
}

/// Brute force: of the six random places of the new particle, the other five are nearer to some
/// particle. The voxel lies at the edge of two tiles.
static void new_particles_take_the_best_of_six_positions(void **state)
{
    (void)state;
    liquid s;
    assert_ok(open_water(&s, HOST, one_voxel_short, ERR));
    s.balance.debt_eighths = 8;
    const uint64_t old = s.particles.next_id;
    assert_ok(water_reseed(&s, ERR));
    size_t newcomers = 0;
    for (size_t p = 0; p < s.particles.set.count; ++p) {
        const uint64_t id = s.particles.id[p];
        double at[3], best = -1.0;
        if (id < old) continue;
        ++newcomers;
        (void)water_place(&s, p, at);
        for (uint32_t c = 0; c < 6; ++c) {
            const sp_random4 random = sp_random(s.seed, LIQUID_RANDOM_RESEED, id, 0, c);
            double x[3];
            for (int a = 0; a < 3; ++a)
                x[a] = floor(at[a]) + (double)(0.999f * sp_unit(random.x[a]));
            best = fmax(best, nearest_other(&s, id, old, x));
        }
        assert_true(fabs(nearest_other(&s, id, old, at) - best) < 1e-5);
    }
    assert_int_equal(newcomers, 1);
    water_close(&s);
}

static void evenly_seeded_water_is_not_changed(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    assert_ok(open_water(&s, &host, even, ERR));
    const uint64_t before = water_hash(&s);
    assert_ok(water_reseed(&s, ERR));
    assert_true(water_hash(&s) == before);
    assert_true(s.figures.seeded == 0 && s.figures.thinned == 0);
    water_close(&s);
}

static int sheet(const int32_t v[3])
{
    return v[1] == 12 || v[1] < 4 ? 8 : 0;
}

/// A band of three voxels: below 3.5 voxels no particles are left, voxels down to 3 are filled, and
/// particles that were there stay. The bound of phi (4 voxels) allows a band of 4. No new particle
/// is removed again.
static void reseeding_keeps_the_narrow_band(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int32_t band = 3; band <= 4; ++band) {
        liquid s;
        assert_ok(open_water(&s, &host, sheet, ERR));
        s.def.narrow_band = band;
        assert_ok(water_reseed(&s, ERR));
        water_check(&s);
        uint32_t *after = count_all(&s);
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n) {
            const float depth = -s.grid.phi[n] / s.grid.voxel;
            if (depth > 1.0f && depth < (float)band - 0.01f && !edge_voxel(&s, n))
                assert_int_equal(after[n], 8);
            if (depth > fminf((float)band + 0.5f, 3.999f)) assert_int_equal(after[n], 0);
        }
        const uint64_t thinned = s.figures.thinned;
        assert_ok(water_reseed(&s, ERR));
        assert_true(s.figures.thinned == thinned);
        free(after);
        water_close(&s);
    }
}

static int none(const int32_t v[3])
{
    (void)v;
    return 0;
}

/// A wall through voxels: nothing is seeded in it. Voxels that are three quarters solid get a
/// quarter of the usual number, or none where all six places were solid.
static void nothing_is_reseeded_in_solids(void **state)
{
    (void)state;
    liquid s;
    assert_ok(open_water(&s, HOST, none, ERR));
    const size_t tiles = s.grid.tiles.count;
    uint32_t *rows = calloc(tiles, sizeof *rows); // all tiles are cut alike
    sp_solid_tile *cut = calloc(1, sizeof *cut);
    sp_flow_escape *escape = calloc(1, sizeof *escape);
    for (int n = 0; n < SP_TILE_CORNERS; ++n)
        cut->psi[n] =
            s.grid.voxel * fminf((float)(n % 9), (float)(n / 9 % 9)) - 0.5f * s.grid.voxel;
    s.solids = (sp_flow_solids){.row = rows, .tile = cut, .escape = escape};
    s.balance.debt_eighths = 8000000;
    assert_ok(water_reseed(&s, ERR));
    assert_true(s.figures.seeded > 0);
    for (size_t p = 0; p < s.particles.set.count; ++p)
        assert_true(s.particles.x[0][p] >= 0.499f && s.particles.x[1][p] >= 0.499f);
    uint32_t *after = count_all(&s);
    for (size_t n = 0; n < tiles * SP_TILE_VOXELS; ++n) {
        const int cut_by = (n % 8 == 0) + (n / 8 % 8 == 0);
        assert_true(after[n] <= 4u >> cut_by);
        if (s.grid.phi[n] < -s.grid.voxel && cut_by == 0 && !edge_voxel(&s, n))
            assert_int_equal(after[n], 4);
    }
    free(after);
    free(rows);
    free(cut);
    free(escape);
    s.solids = (sp_flow_solids){0};
    water_close(&s);
}

static uint64_t hash_of_reseeded(const sp_host *host)
{
    liquid s;
    assert_ok(open_water(&s, host, uneven, ERR));
    assert_ok(water_reseed(&s, ERR));
    const uint64_t hash = water_hash(&s);
    water_close(&s);
    return hash;
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    water_same_on_threads(hash_of_reseeded);
}

static sp_status reseed_alone(const sp_host *host, sp_error *err)
{
    liquid s;
    sp_status status = open_water(&s, host, uneven, err);
    if (status == SP_OK) status = water_reseed(&s, err);
    water_close(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reseeding_conserves_the_particle_count),
        cmocka_unit_test(newest_particles_are_removed_first),
        cmocka_unit_test(new_particles_take_the_best_of_six_positions),
        cmocka_unit_test(evenly_seeded_water_is_not_changed),
        cmocka_unit_test(reseeding_keeps_the_narrow_band),
        cmocka_unit_test(nothing_is_reseeded_in_solids),
        cmocka_unit_test(results_do_not_depend_on_threads),
        test_failing_allocations(reseed_alone, 1, 20),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
