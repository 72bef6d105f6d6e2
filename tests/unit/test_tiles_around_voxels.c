// SPDX-License-Identifier: Apache-2.0
// links: tiles core
/// The topology around water, compared with a search of every tile for every wet voxel.
#include "scarce_host.h"
#include "testing.h"
#include "tiles/mac.h"

#include <stdlib.h>
#include <string.h>

enum { TILES = 24, WET = 20, RANGE = 4 };

static uint32_t dice(size_t i, int axis, uint32_t sides)
{
    return sp_random(3, 9, i, 0, 0).x[axis] % sides;
}

typedef struct water {
    sp_tiles tiles;
    sp_tile_mask *wet;
    uint32_t *reach;
    int32_t voxel[WET][3];
} water;

static sp_status pour(water *w, const sp_host *host, const int32_t period[3], sp_error *err)
{
    *w = (water){0};
    int32_t at[TILES][3];
    for (size_t i = 0; i < TILES; ++i)
        for (int a = 0; a < 3; ++a)
            at[i][a] = (int32_t)dice(i, a, 2 * RANGE) - RANGE;
    SP_TRY(
        sp_tiles_open_periodic(&w->tiles, host, 1.0f, period, (const int32_t(*)[3])at, TILES, err));
    w->wet = sp_allocate(host, w->tiles.count, sizeof *w->wet);
    w->reach = sp_allocate(host, w->tiles.count, sizeof *w->reach);
    if (!w->wet || !w->reach) return sp_fail(err, SP_NO_MEMORY, "no memory for the test");
    for (size_t i = 0; i < WET; ++i) {
        const uint32_t t = dice(i, 3, (uint32_t)w->tiles.count);
        int32_t in[3];
        for (int a = 0; a < 3; ++a) {
            in[a] = (int32_t)dice(100 + i, a, 8);
            w->voxel[i][a] = 8 * w->tiles.at[t][a] + in[a];
        }
        w->wet[t][in[2]] |= (uint64_t)1 << (in[0] + 8 * in[1]);
    }
    return SP_OK;
}

static void drain(water *w)
{
    const sp_host *host = w->tiles.host;
    if (host) {
        sp_release(host, w->wet);
        sp_release(host, w->reach);
    }
    sp_tiles_close(&w->tiles);
}

/// Voxels between a voxel and a tile along an axis, with wrapping.
static int32_t apart(int32_t voxel, int32_t tile, int32_t period)
{
    int32_t least = INT32_MAX;
    for (int32_t turn = -12; turn <= 12; ++turn) {
        const int32_t first = 8 * (tile + turn * period), last = first + 7;
        const int32_t d = voxel < first ? first - voxel : voxel > last ? voxel - last : 0;
        if (d < least) least = d;
    }
    return least;
}

static bool comes_near(const water *w, const int32_t tile[3], int voxels)
{
    for (size_t i = 0; i < WET; ++i) {
        int32_t most = 0;
        for (int a = 0; a < 3; ++a) {
            const int32_t d = apart(w->voxel[i][a], tile[a], w->tiles.period[a]);
            if (d > most) most = d;
        }
        if (most <= voxels) return true;
    }
    return false;
}

static const int32_t low[3] = {-4, -5, -6}, high[3] = {4, 5, 3};

static bool in_box(const int32_t tile[3], const int32_t period[3])
{
    for (int a = 0; a < 3; ++a) {
        const int32_t first = period[a] ? 0 : low[a], last = period[a] ? period[a] - 1 : high[a];
        if (tile[a] < first || tile[a] > last) return false;
    }
    return true;
}

static void tiles_near_water_equal_brute_force(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const int32_t periods[][3] = {{0, 0, 0}, {3, 0, 2}, {1, 5, 0}};
    static const int voxels[] = {0, 1, 3, 7, 8, 9, 13};
    for (int p = 0; p < 3; ++p)
        for (size_t v = 0; v < sizeof voxels / sizeof *voxels; ++v) {
            water w;
            sp_tiles out;
            assert_ok(pour(&w, &host, periods[p], ERR));
            assert_ok(sp_tiles_near(&out, &w.tiles, (const sp_tile_mask *)w.wet, NULL, voxels[v],
                                    low, high, ERR));
            assert_true(sp_tiles_is_valid(&out));
            size_t expected = 0;
            for (int32_t n = 0; n < 15 * 15 * 15; ++n) {
                const int32_t at[3] = {n % 15 - 7, n / 15 % 15 - 7, n / 225 - 7};
                if (!in_box(at, periods[p])) continue;
                const bool wanted = comes_near(&w, at, voxels[v]);
                assert_int_equal(sp_tiles_find(&out, at) != SP_NO_TILE, wanted);
                expected += wanted;
            }
            assert_int_equal(out.count, expected);
            sp_tiles_close(&out);
            drain(&w);
        }
}

static void tiles_reached_by_particles_are_included(void **state)
{
    (void)state;
    water w;
    sp_tiles out;
    assert_ok(pour(&w, HOST, (int32_t[3]){4, 0, 0}, ERR));
    memset(w.wet, 0, w.tiles.count * sizeof *w.wet);
    for (size_t t = 0; t < w.tiles.count; ++t)
        w.reach[t] = 1u << dice(t, 2, SP_TILES_AROUND);
    const int32_t far[2][3] = {{-9, -9, -9}, {9, 9, 9}};
    assert_ok(sp_tiles_near(&out, &w.tiles, (const sp_tile_mask *)w.wet, w.reach, 4, far[0], far[1],
                            ERR));
    for (size_t t = 0; t < w.tiles.count; ++t) {
        const int n = (int)dice(t, 2, SP_TILES_AROUND);
        assert_true(sp_tiles_find(&out, (int32_t[3]){w.tiles.at[t][0] + n % 3 - 1,
                                                     w.tiles.at[t][1] + n / 3 % 3 - 1,
                                                     w.tiles.at[t][2] + n / 9 - 1}) != SP_NO_TILE);
    }
    assert_true(out.count <= w.tiles.count);
    sp_tiles_close(&out);
    drain(&w);
}

static void full_tiles_without_margin_give_the_same_topology(void **state)
{
    (void)state;
    water w;
    sp_tiles out, wide;
    const int32_t far[2][3] = {{-9, -9, -9}, {9, 9, 9}};
    assert_ok(pour(&w, HOST, (int32_t[3]){0, 0, 0}, ERR));
    assert_ok(sp_tiles_near(&out, &w.tiles, NULL, NULL, 0, far[0], far[1], ERR));
    assert_true(sp_tiles_is_valid(&out));
    assert_true(sp_tiles_same(&out, &w.tiles));
    sp_tiles_close(&out);
    assert_ok(sp_tiles_near(&out, &w.tiles, NULL, NULL, 1, far[0], far[1], ERR));
    assert_ok(sp_tiles_dilate(&wide, &w.tiles, 1, ERR));
    assert_true(sp_tiles_same(&out, &wide));
    assert_false(sp_tiles_same(&out, &w.tiles));
    sp_tiles_close(&out);
    sp_tiles_close(&wide);
    drain(&w);
    assert_ok(sp_tiles_near(&out, &w.tiles, NULL, NULL, 1, far[0], far[1], ERR));
    assert_int_equal(out.count, 0); // around nothing
}

static sp_status pour_and_look(const sp_host *host, sp_error *err)
{
    water w;
    sp_tiles out = {0};
    sp_status status = pour(&w, host, (int32_t[3]){0, 4, 0}, err);
    if (status == SP_OK)
        status =
            sp_tiles_near(&out, &w.tiles, (const sp_tile_mask *)w.wet, NULL, 10, low, high, err);
    sp_tiles_close(&out);
    drain(&w);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_near_water_equal_brute_force),
        cmocka_unit_test(tiles_reached_by_particles_are_included),
        cmocka_unit_test(full_tiles_without_margin_give_the_same_topology),
        test_failing_allocations(pour_and_look, 1, 12),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
