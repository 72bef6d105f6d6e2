// SPDX-License-Identifier: Apache-2.0
// links: tiles core
/// Patches (a tile and its halo as one block), and samples of them.
#include "testing.h"
#include "tiles/patch.h"

#include <stdlib.h>
#include <string.h>

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(21, 4, i, 0, 0).x[axis]);
}

enum { TILES = 30 };

static sp_tiles opened(const sp_host *host, const int32_t period[3])
{
    int32_t at[TILES][3];
    for (size_t i = 0; i < TILES; ++i)
        for (int a = 0; a < 3; ++a)
            at[i][a] = (int32_t)(3.0f * unit(i, a)) - 1;
    sp_tiles tiles;
    assert_ok(
        sp_tiles_open_periodic(&tiles, host, 1.0f, period, (const int32_t(*)[3])at, TILES, ERR));
    return tiles;
}

static float *noise(const sp_tiles *tiles)
{
    float *values = sp_tiles_field(tiles, 0.0f);
    for (size_t i = 0; i < tiles->count * SP_TILE_VOXELS; ++i)
        values[i] = unit(i, 3);
    return values;
}

/// Reference: each value by look-up. Some tiles exist and some do not.
static void patch_equals_look_up(void **state)
{
    (void)state;
    static const int32_t periods[][3] = {{0, 0, 0}, {2, 0, 3}};
    float *patch = malloc(SP_PATCH_MOST * sizeof *patch);
    for (int p = 0; p < 2; ++p)
        for (int pad = 1; pad <= SP_PATCH_PAD; ++pad) {
            sp_tiles tiles = opened(HOST, periods[p]);
            float *values = noise(&tiles);
            const uint32_t t = (uint32_t)pad % (uint32_t)tiles.count;
            sp_tiles_patch(&tiles, values, t, pad, -3.0f, patch);
            const int edge = sp_patch_edge(pad);
            for (int n = 0; n < edge * edge * edge; ++n) {
                const int32_t v[3] = {8 * tiles.at[t][0] + n % edge - pad,
                                      8 * tiles.at[t][1] + n / edge % edge - pad,
                                      8 * tiles.at[t][2] + n / edge / edge - pad};
                assert_true(patch[n] == sp_tiles_value(&tiles, values, v, -3.0f));
            }
            sp_release(HOST, values);
            sp_tiles_close(&tiles);
        }
    free(patch);
}

/// Both interpolate in floats, by the same formula out of fractions that are rounded once: two
/// units in the last place of values below 1.
static void samples_of_a_patch_equal_those_of_the_field(void **state)
{
    (void)state;
    const int pad = 4, edge = sp_patch_edge(pad);
    sp_tiles tiles = opened(HOST, (int32_t[3]){0, 0, 0});
    float *values = noise(&tiles), *patch = malloc(SP_PATCH_MOST * sizeof *patch);
    const uint32_t t = 3;
    sp_tiles_patch(&tiles, values, t, pad, 0.0f, patch);
    for (size_t i = 0; i < 64; ++i) {
        float x[3][SP_PART], out[SP_PART];
        for (int l = 0; l < SP_PART; ++l)
            for (int a = 0; a < 3; ++a)
                x[a][l] = (float)(edge - 1) * unit(i * SP_PART + (size_t)l, a);
        const sp_patch_spot spot = sp_patch_find(edge, edge * edge, sp_part_load(x[0]),
                                                 sp_part_load(x[1]), sp_part_load(x[2]));
        sp_part_store(out, sp_patch_sample(patch, edge, edge * edge, spot));
        for (int l = 0; l < SP_PART; ++l) {
            float p[3]; // the patch's first value is a cell's centre
            for (int a = 0; a < 3; ++a)
                p[a] = (float)(8 * tiles.at[t][a] - pad) + 0.5f + x[a][l];
            const float expected = sp_tiles_sample(&tiles, values, SP_AT_CELLS, 0.0f, p, NULL);
            assert_true(fabsf(out[l] - expected) < 4e-6f); // p rounds to 1e-6 voxel
        }
    }
    sp_release(HOST, values);
    free(patch);
    sp_tiles_close(&tiles);
}

static void pairs_hold_two_adjacent_values(void **state)
{
    (void)state;
    float base[64];
    sp_flags at;
    for (int i = 0; i < 64; ++i)
        base[i] = unit((size_t)i, 0);
    for (int l = 0; l < SP_PART; ++l)
        at[l] = (int32_t)(63.0f * unit((size_t)l, 1));
    sp_part a, b;
    sp_patch_take_pair(base, at, &a, &b);
    const sp_part single = sp_patch_take(base, at);
    for (int l = 0; l < SP_PART; ++l) {
        assert_true(a[l] == base[at[l]] && single[l] == a[l]);
        assert_true(b[l] == base[at[l] + 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch_equals_look_up),
        cmocka_unit_test(samples_of_a_patch_equal_those_of_the_field),
        cmocka_unit_test(pairs_hold_two_adjacent_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
