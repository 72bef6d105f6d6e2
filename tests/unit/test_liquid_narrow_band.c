// SPDX-License-Identifier: Apache-2.0
// links: liquid poisson bulk shapes particles tiles frame core
/// Particles near the surface, the grid below: a pool 20.3 voxels deep in a box of 2 x 4 x 2 tiles.
#include "liquid/internal.h"
#include "testing.h"

#include <string.h>

static const float voxel = 0.25f, surface = 20.3f; // the second in voxels
enum { BAND = 4 };

typedef struct pool {
    liquid s;
    float *u[3], *phi; ///< advected on the grid
} pool;

static float height_of(const liquid *s, size_t i)
{
    return 8.0f * (float)s->grid.tiles.at[i / SP_TILE_VOXELS][1] + (float)(i / 8 % 8) + 0.5f;
}

static float cut(const liquid *s, float phi)
{
    return fmaxf(-s->grid.band, fminf(s->grid.band, phi * voxel));
}

/// Particles down to BAND voxels with u = 1; the grid has u = 3 and the level set of the pool.
static pool filled(const sp_host *host)
{
    pool p = {.s = {.host = host, .grid = {.voxel = voxel, .band = BAND * voxel}}};
    liquid *s = &p.s;
    s->def.narrow_band = BAND;
    int32_t at[16][3];
    for (int i = 0; i < 16; ++i) {
        at[i][0] = i % 2;
        at[i][1] = i / 2 % 4;
        at[i][2] = i / 8;
    }
    assert_true(sp_scratch_open(&s->scratch, host, 0));
    assert_ok(sp_tiles_open(&s->grid.tiles, host, voxel, (const int32_t(*)[3])at, 16, ERR));
    for (int a = 0; a < 3; ++a) {
        s->grid.u[a] = sp_tiles_field(&s->grid.tiles, 0.0f);
        s->grid.known[a] = sp_allocate(host, s->grid.tiles.count, sizeof *s->grid.known[a]);
        p.u[a] = s->grid.u_advected[a] = sp_tiles_field(&s->grid.tiles, 3.0f);
    }
    s->grid.phi = sp_tiles_field(&s->grid.tiles, 0.0f);
    p.phi = s->grid.phi_advected = sp_tiles_field(&s->grid.tiles, 0.0f);
    for (size_t i = 0; i < s->grid.tiles.count * SP_TILE_VOXELS; ++i) {
        const float above = height_of(s, i) - surface;
        p.phi[i] = cut(s, above);
        s->grid.phi[i] = cut(s, fmaxf(above, -above - (float)BAND)); // two surfaces
        for (int a = 0; a < 3; ++a) {
            const float face = above - (a == 1 ? 0.5f : 0.0f);
            if (face > 0.5f || face < -(float)BAND) continue;
            s->grid.u[a][i] = 1.0f;
            s->grid.known[a][i / SP_TILE_VOXELS][i / 64 % 8] |= (uint64_t)1 << i % 64;
        }
    }
    return p;
}

static void drain(pool *p)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(p->s.host, p->s.grid.u[a]);
        sp_release(p->s.host, p->s.grid.known[a]);
        sp_release(p->s.host, p->u[a]);
    }
    sp_release(p->s.host, p->s.grid.phi);
    sp_release(p->s.host, p->phi);
    sp_scratch_close(&p->s.scratch);
    sp_tiles_close(&p->s.grid.tiles);
}

/// The level set of the particles has a second surface at the bottom of the band. The combined
/// level set has none, and its zero equals that of the particles bit for bit.
static void combined_level_set_has_no_surface_inside_the_water(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    pool p = filled(&host);
    liquid_blend_band(&p.s.grid, BAND);
    for (size_t i = 0; i < p.s.grid.tiles.count * SP_TILE_VOXELS; ++i) {
        const float above = height_of(&p.s, i) - surface;
        assert_int_equal(p.s.grid.phi[i] < 0.0f, above < 0.0f);
        if (fabsf(above) < 1.5f) assert_true(p.s.grid.phi[i] == cut(&p.s, above));
    }
    drain(&p);
}

/// u goes from 1 to 3 with the weight of the grid, (depth - 5/2)/(3/2) clamped to 0 and 1. In air
/// it is the particles' velocity, below all particles it is 3. The depth of a face is the mean of
/// its two cells'.
static void velocity_blends_linearly_from_particles_to_grid(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    pool p = filled(&host);
    liquid_blend_band(&p.s.grid, BAND);
    for (size_t i = 0; i < p.s.grid.tiles.count * SP_TILE_VOXELS; ++i)
        for (int a = 0; a < 3; ++a) {
            const float cell = fminf(surface - height_of(&p.s, i), BAND);
            const float below = fminf(cell + 1.0f, BAND);
            const float depth = a == 1 ? 0.5f * (cell + below) : cell;
            if (a == 0 && (i & 7) == 0 && p.s.grid.tiles.at[i / SP_TILE_VOXELS][0] == 0) continue;
            if (a == 1 && height_of(&p.s, i) < 1.0f) continue; // outside the tiles is air
            if (a == 2 && i / 64 % 8 == 0 && p.s.grid.tiles.at[i / SP_TILE_VOXELS][2] == 0)
                continue;
            const bool below_all = surface - height_of(&p.s, i) + (a == 1 ? 0.5f : 0.0f) > BAND;
            const float grid = below_all ? 1.0f : fmaxf(0.0f, fminf(1.0f, (depth - 2.5f) / 1.5f));
            const bool known = p.s.grid.known[a][i / SP_TILE_VOXELS][i / 64 % 8] >> i % 64 & 1;
            assert_int_equal(known, depth > -0.5f);
            if (known) assert_true(fabsf(p.s.grid.u[a][i] - (1.0f + 2.0f * grid)) < 1e-5f);
        }
    drain(&p);
}

/// The pool as it is before a step, all of it moving by 1.6 voxels along each axis.
static pool moving(const sp_host *host, float level)
{
    pool p = filled(host);
    for (size_t i = 0; i < p.s.grid.tiles.count * SP_TILE_VOXELS; ++i) {
        p.s.grid.phi[i] = cut(&p.s, height_of(&p.s, i) - level);
        for (int a = 0; a < 3; ++a)
            p.s.grid.u[a][i] = 1.0f;
    }
    for (int a = 0; a < 3; ++a)
        memset(p.s.grid.known[a], 0xff, p.s.grid.tiles.count * sizeof *p.s.grid.known[a]);
    return p;
}

/// Half a voxel or more below the surface after the step, values equal those of advecting
/// everything. Elsewhere they are equal or marked as unknown; far above the surface they are
/// unknown.
static void advecting_deep_water_alone_equals_advecting_all(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    pool p = moving(&host, surface), whole = moving(&host, surface);
    assert_ok(liquid_advect_deep(&p.s.grid, BAND, p.s.grid.u, 0.4, &p.s.scratch, ERR));
    const sp_flow_advection all = liquid_advection(&whole.s.grid, whole.s.grid.u);
    assert_ok(sp_flow_advect(&all, 0.4, whole.u, whole.phi, &whole.s.scratch, ERR));
    for (size_t i = 0; i < p.s.grid.tiles.count * SP_TILE_VOXELS; ++i) {
        const bool wet = whole.phi[i]<-0.5f * voxel, far = height_of(&p.s, i)> surface + 5.0f;
        assert_true((p.phi[i] == whole.phi[i] && !far) || (p.phi[i] == p.s.grid.band && !wet));
        for (int a = 0; a < 3; ++a)
            assert_true((p.u[a][i] == whole.u[a][i] && !far) || (p.u[a][i] == 0.0f && !wet));
    }
    drain(&p);
    drain(&whole);
}

/// Water 2 voxels deep is full of particles, so nothing is advected on the grid.
static void shallow_water_needs_no_grid_advection(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    pool p = moving(&host, 2.0f);
    assert_ok(liquid_advect_deep(&p.s.grid, BAND, p.s.grid.u, 0.4, &p.s.scratch, ERR));
    for (size_t i = 0; i < p.s.grid.tiles.count * SP_TILE_VOXELS; ++i)
        assert_true(p.phi[i] == p.s.grid.band && p.u[1][i] == 0.0f);
    drain(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combined_level_set_has_no_surface_inside_the_water),
        cmocka_unit_test(velocity_blends_linearly_from_particles_to_grid),
        cmocka_unit_test(advecting_deep_water_alone_equals_advecting_all),
        cmocka_unit_test(shallow_water_needs_no_grid_advection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
