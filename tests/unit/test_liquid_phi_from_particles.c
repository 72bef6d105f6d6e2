// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "scarce_host.h"
#include "test_liquid_water.h"

#include <stdlib.h>

static const int32_t low[3] = {-1, -1, -1}, high[3] = {3, 2, 2};

static int blob(const int32_t v[3])
{
    const int x = v[0] - 7, y = v[1] - 3, z = v[2] - 4;
    if (x * x + y * y + z * z > 64 || x * x + z * z < 6) return 0;
    return 1 + abs(v[0] * 7 + v[1] * 13 + v[2] * 29) % 12;
}

static void open_blob(liquid *s, const sp_host *host)
{
    assert_ok(water_open(s, host, 0.1f, low, high, ERR));
    assert_ok(water_fill(s, blob, false, ERR));
}

/// Whether a cell and the 26 around it hold no particles.
static bool is_alone(const liquid *s, size_t cell)
{
    const int32_t *tile = s->grid.tiles.at[cell / SP_TILE_VOXELS];
    const int32_t v = (int32_t)(cell % SP_TILE_VOXELS);
    bool alone = true;
    for (int32_t n = 0; n < 27; ++n)
        alone &= blob((int32_t[3]){8 * tile[0] + v % 8 + n % 3 - 1,
                                   8 * tile[1] + v / 8 % 8 + n / 3 % 3 - 1,
                                   8 * tile[2] + v / 64 + n / 9 - 1}) == 0;
    return alone;
}

/// The same particles as plain points, which sums them in another way. Positions as floats carry
/// 1e-7 m here, and sums of hundreds of weights round to 1e-6; the derivative that fades the radius
/// is a difference of them: 1e-3 of a voxel. Cells without particles in and around them are air; in
/// a cavity the mean would say otherwise, because particles are on all sides.
static void sorted_particles_give_the_surface_of_plain_points(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    open_blob(&s, &host);
    const size_t n = s.particles.set.count, cells = s.grid.tiles.count * SP_TILE_VOXELS;
    float *p[3], *phi = sp_tiles_field(&s.grid.tiles, 0.0f);
    for (int a = 0; a < 3; ++a)
        p[a] = calloc(n, sizeof *p[a]);
    for (size_t i = 0; i < n; ++i) {
        double at[3];
        (void)water_place(&s, i, at);
        for (int a = 0; a < 3; ++a)
            p[a][i] = (float)(at[a] * (double)s.grid.voxel);
    }
    const sp_sorted_points points = {.start = s.particles.start,
                                     .x = {s.particles.x[0], s.particles.x[1], s.particles.x[2]}};
    const float support = 2.0f * s.grid.voxel, radius = 0.45f * s.grid.voxel;
    assert_ok(sp_levelset_sorted(&s.grid.tiles, &points, support, radius, s.grid.band, s.grid.phi,
                                 &s.scratch, ERR));
    assert_ok(sp_levelset_particles(&s.grid.tiles, n, p[0], p[1], p[2], support, radius,
                                    s.grid.band, phi, ERR));
    size_t some = 0;
    for (size_t i = 0; i < cells; ++i) {
        if (is_alone(&s, i))
            assert_true(s.grid.phi[i] == s.grid.band);
        else
            assert_true(fabsf(phi[i] - s.grid.phi[i]) < 1e-3f * s.grid.voxel);
        some += s.grid.phi[i] < s.grid.band && s.grid.phi[i] != -radius;
    }
    assert_true(some > 1000);
    for (int a = 0; a < 3; ++a)
        free(p[a]);
    sp_release(&host, phi);
    water_close(&s);
}

static int pool(const int32_t v[3])
{
    return v[1] >= 0 && v[1] < 6 ? 8 : 0;
}

/// Particles are at the top only. Where the advected phi is deep, cells get -radius; all others
/// keep their value.
static void deep_cells_are_not_evaluated(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    assert_ok(water_open(&s, &host, 0.1f, low, high, ERR));
    assert_ok(water_fill(&s, pool, false, ERR));
    const size_t cells = s.grid.tiles.count * SP_TILE_VOXELS;
    float *all = sp_tiles_field(&s.grid.tiles, 0.0f);
    assert_ok(water_surface(&s, ERR));
    memcpy(all, s.grid.phi, cells * sizeof *all);
    s.def.narrow_band = 6;
    s.grid.phi_advected = sp_tiles_field(&s.grid.tiles, 0.0f);
    for (size_t n = 0; n < cells; ++n)
        s.grid.phi_advected[n] = s.grid.voxel * (float)(8 * s.grid.tiles.at[n / SP_TILE_VOXELS][1] +
                                                        (int)(n / 8 % 8) - 5);
    assert_ok(water_surface(&s, ERR));
    size_t spared = 0;
    for (size_t n = 0; n < cells; ++n) {
        spared += s.grid.phi[n] != all[n];
        if (s.grid.phi[n] != all[n])
            assert_true(s.grid.phi_advected[n] < -s.grid.voxel &&
                        s.grid.phi[n] == -liquid_particle_radius(&s.def));
    }
    assert_true(spared > 500);
    sp_release(&host, s.grid.phi_advected);
    sp_release(&host, all);
    water_close(&s);
}

/// A pool on a solid floor that passes through the middle of voxels. The pool fills all tiles to
/// the sides: only its top is a surface, and cells next to the floor are deep.
static void walls_are_not_surfaces(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    assert_ok(water_open(&s, &host, 0.1f, low, high, ERR));
    assert_ok(water_fill(&s, pool, false, ERR));
    uint32_t *rows = calloc(s.grid.tiles.count, sizeof *rows);
    sp_solid_tile *cut = calloc(1, sizeof *cut);
    for (int n = 0; n < SP_TILE_CORNERS; ++n) // of the tiles at y = 0: half a voxel of solid
        cut->psi[n] = s.grid.voxel * ((float)(n / 9 % 9) - 0.4f);
    for (size_t t = 0; t < s.grid.tiles.count; ++t)
        rows[t] = s.grid.tiles.at[t][1] < 0    ? SP_FLOW_TILE_SOLID
                  : s.grid.tiles.at[t][1] == 0 ? 0
                                               : SP_FLOW_TILE_OPEN;
    s.solids = (sp_flow_solids){.row = rows, .tile = cut};
    assert_ok(water_surface(&s, ERR));
    for (int32_t y = 0; y < 5; ++y)
        assert_true(sp_tiles_value(&s.grid.tiles, s.grid.phi, (int32_t[3]){4, y, 4}, s.grid.band) ==
                    -liquid_particle_radius(&s.def));
    assert_true(sp_tiles_value(&s.grid.tiles, s.grid.phi, (int32_t[3]){4, 6, 4}, s.grid.band) >
                0.0f);
    s.solids = (sp_flow_solids){0};
    free(rows);
    free(cut);
    water_close(&s);
}

/// ---- Volume ------------------------------------------------------------------------------------

typedef struct ball {
    double centre[3], radius; ///< m
} ball;

static bool in_ball(const void *arg, const double p[3])
{
    const ball *b = arg;
    double square = 0.0;
    for (int a = 0; a < 3; ++a)
        square += (p[a] - b->centre[a]) * (p[a] - b->centre[a]);
    return square < b->radius * b->radius;
}

/// Volume of a seeded ball by its surface, over its own volume.
static double volume_of(const ball *b, int32_t per_cell, uint64_t seed)
{
    const sp_host host = sp_host_default(2);
    liquid s;
    uint64_t count = 0;
    assert_ok(water_open(&s, &host, 1.0f, (int32_t[3]){0, 0, 0}, (int32_t[3]){4, 4, 4}, ERR));
    s.def.particles_per_cell = per_cell;
    s.seed = seed;
    assert_ok(liquid_particles_open(&s.particles, &s.def, s.grid.tiles.count, s.host, ERR));
    sp_tile_mask *all = malloc(s.grid.tiles.count * sizeof *all);
    memset(all, 0xff, s.grid.tiles.count * sizeof *all);
    assert_ok(water_seed(&s, (const sp_tile_mask *)all, (float[3]){0}, in_ball, b, &count, ERR));
    assert_ok(water_surface(&s, ERR));
    liquid_phi_correct(&s.grid, &s.def);
    assert_ok(sp_levelset_redistance(&s.grid.tiles, s.grid.phi, s.grid.band, ERR));
    const double volume = sp_levelset_volume(&s.grid.tiles, s.grid.phi);
    free(all);
    water_close(&s);
    return volume / (4.0 / 3.0 * SP_PI_D * pow(b->radius, 3.0));
}

/// Balls of radius 8 voxels have their volume within 0.5 %, wherever their centre is in a voxel.
/// One particle a voxel makes 2145 of them, a number with a deviation of 0.5 %: four of those.
static void a_seeded_ball_has_its_volume(void **state)
{
    (void)state;
    static const struct {
        int32_t per_cell;
        double off;
    } rows[] = {{1, 0.02}, {8, 0.005}, {27, 0.005}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n)
        for (uint64_t i = 0; i < 5; ++i) {
            ball b = {.radius = 8.0};
            for (int a = 0; a < 3; ++a)
                b.centre[a] = 16.0 + (double)water_unit(i, 50, a) - 0.5;
            assert_true(fabs(volume_of(&b, rows[n].per_cell, i) - 1.0) < rows[n].off);
        }
}

static uint64_t hash_of_surface(const sp_host *host)
{
    liquid s;
    open_blob(&s, host);
    assert_ok(water_surface(&s, ERR));
    const uint64_t hash =
        sp_hash(0, s.grid.phi, s.grid.tiles.count * SP_TILE_VOXELS * sizeof(float));
    water_close(&s);
    return hash;
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    water_same_on_threads(hash_of_surface);
}

static sp_status surface_alone(const sp_host *host, sp_error *err)
{
    liquid s;
    sp_status status = water_open(&s, host, 0.1f, low, high, err);
    if (status == SP_OK) status = water_fill(&s, blob, false, err);
    if (status == SP_OK) status = water_surface(&s, err);
    water_close(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_particles_give_the_surface_of_plain_points),
        cmocka_unit_test(deep_cells_are_not_evaluated),
        cmocka_unit_test(walls_are_not_surfaces),
        cmocka_unit_test(a_seeded_ball_has_its_volume),
        cmocka_unit_test(results_do_not_depend_on_threads),
        test_failing_allocations(surface_alone, 1, 10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
