// SPDX-License-Identifier: Apache-2.0
// links: flow poisson shapes tiles frame core
/// Extrapolation of velocity beyond the water and into solids.
#include "flow/flow.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { TILES = 12 };

/// A box of 2 x 3 x 2 tiles of open water.
typedef struct water {
    const sp_host *host;
    sp_tiles tiles;
    float *u[3];
    sp_tile_mask *known[3];
    uint32_t row[TILES];
    sp_flow_solids solids;
    sp_scratch scratch;
} water;

static void open_water(water *w, const sp_host *host)
{
    int32_t at[TILES][3];
    *w = (water){.host = host};
    for (int i = 0; i < TILES; ++i) {
        at[i][0] = i % 2;
        at[i][1] = i / 2 % 3;
        at[i][2] = i / 6;
        w->row[i] = SP_FLOW_TILE_OPEN;
    }
    w->solids.row = w->row;
    assert_true(sp_scratch_open(&w->scratch, host, 0));
    assert_ok(sp_tiles_open(&w->tiles, host, 1.0f, (const int32_t(*)[3])at, TILES, ERR));
    for (int a = 0; a < 3; ++a) {
        w->u[a] = sp_tiles_field(&w->tiles, 0.0f);
        w->known[a] = sp_allocate(host, TILES, sizeof *w->known[a]);
        assert_true(w->u[a] && w->known[a]);
    }
}

static void close_water(water *w)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(w->host, w->u[a]);
        sp_release(w->host, w->known[a]);
    }
    sp_scratch_close(&w->scratch);
    sp_tiles_close(&w->tiles);
}

static float field_at(int axis, double x, double y, double z)
{
    return (float)(axis == 0   ? 0.3 * y - 0.1 * x
                   : axis == 1 ? 0.2 * y + 0.05 * z
                               : 0.1 * x + 0.4 * y);
}

/// Faces below row 12 are known; a linear field is extrapolated linearly, to rounding.
static void first_extrapolated_layer_continues_linear_fields(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_flow_line line = {1, INFINITY, INFINITY};
    water w;
    open_water(&w, &host);
    for (size_t t = 0; t < TILES; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            for (int a = 0; a < 3; ++a) {
                const int32_t *at = w.tiles.at[t];
                const int x = 8 * at[0] + (n & 7), y = 8 * at[1] + (n >> 3 & 7),
                          z = 8 * at[2] + (n >> 6);
                if (y >= 12) continue;
                w.u[a][t * SP_TILE_VOXELS + (size_t)n] = field_at(a, x, y, z);
                sp_tile_mask_add(w.known[a][t], n);
            }
    assert_ok(
        sp_flow_extrapolate_linear(&w.tiles, &w.solids, &line, w.u, w.known, &w.scratch, ERR));
    for (int32_t n = 0; n < 256; ++n)
        for (int a = 0; a < 3; ++a) {
            const int32_t x = n % 16, z = n / 16;
            const float u = sp_tiles_value(&w.tiles, w.u[a], (int32_t[3]){x, 12, z}, 0.0f);
            const float beyond = sp_tiles_value(&w.tiles, w.u[a], (int32_t[3]){x, 13, z}, 0.0f);
            assert_true(fabsf(u - field_at(a, x, 12, z)) < 1e-5f);
            assert_true(beyond == 0.0f);
        }
    close_water(&w);
}

/// A wall across y that moves along x with 2 m/s and has a slip of one half: closed faces have the
/// wall's velocity across it, and along it the mean of the wall's and the water's.
static void closed_faces_move_with_the_solid(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    water w;
    open_water(&w, &host);
    sp_solid_tile *wall = sp_allocate(&host, 1, sizeof *wall);
    assert_non_null(wall);
    for (int c = 0; c < SP_TILE_CORNERS; ++c)
        wall->psi[c] = (float)(c / 9 % 9) - 9.0f; // all of the tile is behind the wall
    for (int a = 0; a < 3; ++a)
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            wall->velocity[a][n] = a == 0 ? 2.0f : 0.0f;
            wall->slip[a][n] = 0.5f;
        }
    for (size_t t = 0; t < TILES; ++t)
        w.row[t] = w.tiles.at[t][1] == 0 ? 0 : SP_FLOW_TILE_OPEN;
    w.solids.tile = wall;
    w.solids.rows = 1;
    for (size_t i = 0; i < TILES * SP_TILE_VOXELS; ++i) {
        w.u[0][i] = 4.0f;
        w.u[1][i] = -1.0f;
    }
    assert_ok(sp_flow_constrain(&w.tiles, &w.solids, w.u, &w.scratch, ERR));
    const int32_t behind[3] = {4, 4, 4}, open[3] = {4, 12, 4};
    assert_true(sp_tiles_value(&w.tiles, w.u[0], behind, 0.0f) == 3.0f);
    assert_true(sp_tiles_value(&w.tiles, w.u[1], behind, 9.0f) == 0.0f);
    assert_true(sp_tiles_value(&w.tiles, w.u[0], open, 0.0f) == 4.0f);
    assert_true(sp_tiles_value(&w.tiles, w.u[1], open, 0.0f) == -1.0f);
    sp_release(&host, wall);
    close_water(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_extrapolated_layer_continues_linear_fields),
        cmocka_unit_test(closed_faces_move_with_the_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
