// SPDX-License-Identifier: Apache-2.0
// links: tiles core
/// Topologies of periodic space: along x after 5 tiles, along z after 2 or 1, never along y.
#include "scarce_host.h"
#include "testing.h"
#include "tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(5, 1, i, 0, 0).x[axis]);
}

enum { TILES = 30 };
static const int32_t periods[][3] = {{5, 0, 2}, {4, 0, 0}, {0, 3, 1}, {1, 1, 1}};
enum { SPACES = sizeof periods / sizeof *periods };

static sp_tiles opened(const sp_host *host, const int32_t period[3])
{
    int32_t at[TILES][3];
    for (size_t i = 0; i < TILES; ++i)
        for (int a = 0; a < 3; ++a)
            at[i][a] = (int32_t)(20.0f * unit(i, a)) - 10;
    sp_tiles tiles;
    assert_ok(
        sp_tiles_open_periodic(&tiles, host, 0.5f, period, (const int32_t(*)[3])at, TILES, ERR));
    return tiles;
}

/// Whether two coordinates are the same place.
static bool meet(int32_t a, int32_t b, int32_t period)
{
    return period ? (a - b) % period == 0 : a == b;
}

static bool same_place(const int32_t a[3], const int32_t b[3], const int32_t period[3])
{
    return meet(a[0], b[0], period[0]) && meet(a[1], b[1], period[1]) &&
           meet(a[2], b[2], period[2]);
}

/// Reference: compares every pair of tiles.
static void neighbours_wrap_around(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int s = 0; s < SPACES; ++s) {
        const int32_t *period = periods[s];
        sp_tiles tiles = opened(&host, period);
        assert_true(sp_tiles_is_valid(&tiles));
        for (size_t t = 0; t < tiles.count; ++t)
            for (int n = 0; n < SP_TILES_AROUND; ++n) {
                const int32_t at[3] = {tiles.at[t][0] + n % 3 - 1, tiles.at[t][1] + n / 3 % 3 - 1,
                                       tiles.at[t][2] + n / 9 - 1};
                uint32_t expected = SP_NO_TILE;
                for (uint32_t u = 0; u < tiles.count; ++u)
                    if (same_place(tiles.at[u], at, period)) expected = u;
                assert_int_equal(tiles.around[t][n], expected);
                assert_int_equal(sp_tiles_find(&tiles, at), expected);
            }
        sp_tiles_close(&tiles);
    }
}

static void coordinates_are_kept_within_one_period(void **state)
{
    (void)state;
    for (int s = 0; s < SPACES; ++s) {
        sp_tiles tiles = opened(HOST, periods[s]);
        for (size_t t = 0; t < tiles.count; ++t)
            for (int a = 0; a < 3; ++a)
                assert_true(periods[s][a] == 0 ||
                            (tiles.at[t][a] >= 0 && tiles.at[t][a] < periods[s][a]));
        sp_tiles_close(&tiles);
    }
}

static void dilation_wraps_around(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int s = 0; s < SPACES; ++s) {
        sp_tiles tiles = opened(&host, periods[s]), wide;
        assert_ok(sp_tiles_dilate(&wide, &tiles, 1, ERR));
        assert_memory_equal(wide.period, periods[s], sizeof wide.period);
        assert_true(sp_tiles_is_valid(&wide));
        for (size_t t = 0; t < tiles.count; ++t)
            for (int n = 0; n < SP_TILES_AROUND; ++n)
                assert_true(sp_tiles_find(&wide, (int32_t[3]){tiles.at[t][0] + n % 3 - 1,
                                                              tiles.at[t][1] + n / 3 % 3 - 1,
                                                              tiles.at[t][2] + n / 9 - 1}) !=
                            SP_NO_TILE);
        for (size_t t = 0; t < wide.count; ++t) { // and no others: each is next to a tile
            bool near = false;
            for (int n = 0; n < SP_TILES_AROUND; ++n)
                near |=
                    sp_tiles_find(&tiles, (int32_t[3]){wide.at[t][0] + n % 3 - 1,
                                                       wide.at[t][1] + n / 3 % 3 - 1,
                                                       wide.at[t][2] + n / 9 - 1}) != SP_NO_TILE;
            assert_true(near);
        }
        sp_tiles_close(&wide);
        sp_tiles_close(&tiles);
    }
}

/// Samples of a periodic field are periodic.
static void samples_repeat_after_a_period(void **state)
{
    (void)state;
    for (int s = 0; s < SPACES; ++s) {
        sp_tiles tiles = opened(HOST, periods[s]);
        float *values = sp_tiles_field(&tiles, 0.0f);
        for (size_t i = 0; i < tiles.count * SP_TILE_VOXELS; ++i)
            values[i] = unit(i, 3);
        for (size_t i = 0; i < 300; ++i) {
            float p[3], q[3];
            for (int a = 0; a < 3; ++a) {
                p[a] = 16.0f * unit(i, a) - 8.0f;
                q[a] = p[a] + 4.0f * (float)periods[s][a];
            }
            const float here = sp_tiles_sample(&tiles, values, SP_AT_FACES_X, -1.0f, p, NULL);
            const float there = sp_tiles_sample(&tiles, values, SP_AT_FACES_X, -1.0f, q, NULL);
            // p + period rounds to 1e-6 m; values differ by at most 2 over a voxel of 0.5 m
            assert_true(fabsf(here - there) < 3e-5f);
        }
        sp_release(HOST, values);
        sp_tiles_close(&tiles);
    }
}

static void a_period_out_of_range_is_refused(void **state)
{
    (void)state;
    sp_tiles tiles;
    const int32_t at[1][3] = {{0, 0, 0}}, bad[2][3] = {{0, -1, 0}, {0, 0, SP_TILES_REACH + 1}};
    assert_fails(sp_tiles_open_periodic(&tiles, HOST, 1.0f, bad[0], at, 1, ERR), SP_BAD_INPUT,
                 "along y");
    assert_int_equal(sp_tiles_open_periodic(&tiles, HOST, 1.0f, bad[1], at, 1, ERR), SP_BAD_INPUT);
    assert_null(tiles.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_wrap_around),
        cmocka_unit_test(coordinates_are_kept_within_one_period),
        cmocka_unit_test(dilation_wraps_around),
        cmocka_unit_test(samples_repeat_after_a_period),
        cmocka_unit_test(a_period_out_of_range_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
