// SPDX-License-Identifier: Apache-2.0
// links: tiles core
/// Extrapolation of values into unknown voxels.
#include "scarce_host.h"
#include "testing.h"
#include "tiles/mac.h"

#include <stdlib.h>
#include <string.h>

enum { TILES = 40 };

static uint32_t dice(size_t i, int axis, uint32_t sides)
{
    return sp_random(8, 2, i, 0, 0).x[axis] % sides;
}

typedef struct field {
    sp_tiles tiles;
    float *values;
    sp_tile_mask *known;
} field;

static bool is_known(const sp_tile_mask *known, const int32_t v[3], const sp_tiles *tiles)
{
    const uint32_t t =
        sp_tiles_find(tiles, (int32_t[3]){sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])});
    return t != SP_NO_TILE && (known[t][v[2] & 7] >> ((v[0] & 7) + 8 * (v[1] & 7)) & 1);
}

static void voxel_of(const sp_tiles *tiles, size_t i, int32_t v[3])
{
    const int32_t *at = tiles->at[i / SP_TILE_VOXELS];
    v[0] = 8 * at[0] + (int32_t)(i % 8);
    v[1] = 8 * at[1] + (int32_t)(i / 8 % 8);
    v[2] = 8 * at[2] + (int32_t)(i / 64 % 8);
}

/// Random tiles with about one voxel in `rare` known; the others hold 77, which must never be used.
static sp_status make(field *f, const sp_host *host, const int32_t period[3], uint32_t rare,
                      sp_error *err)
{
    *f = (field){0};
    int32_t at[TILES][3];
    for (size_t i = 0; i < TILES; ++i)
        for (int a = 0; a < 3; ++a)
            at[i][a] = (int32_t)dice(i, a, 6) - 3;
    SP_TRY(
        sp_tiles_open_periodic(&f->tiles, host, 1.0f, period, (const int32_t(*)[3])at, TILES, err));
    f->values = sp_tiles_field(&f->tiles, 77.0f);
    f->known = sp_allocate(host, f->tiles.count, sizeof *f->known);
    if (!f->values || !f->known) return sp_fail(err, SP_NO_MEMORY, "no memory for the test");
    for (size_t i = 0; i < f->tiles.count * SP_TILE_VOXELS; ++i) {
        if (dice(i, 3, rare) != 0) continue;
        f->values[i] = sp_unit(sp_random(8, 3, i, 0, 0).x[0]) - 0.5f;
        f->known[i / SP_TILE_VOXELS][i / 64 % 8] |= (uint64_t)1 << i % 64;
    }
    return SP_OK;
}

static field made(const sp_host *host, const int32_t period[3], uint32_t rare)
{
    field f;
    assert_ok(make(&f, host, period, rare, ERR));
    return f;
}

static void drop(field *f)
{
    if (f->tiles.host) {
        sp_release(f->tiles.host, f->values);
        sp_release(f->tiles.host, f->known);
    }
    sp_tiles_close(&f->tiles);
}

/// Reference: one layer, voxel by voxel, from copies of the layer before.
static void spread_slowly(field *f)
{
    const size_t n = f->tiles.count * SP_TILE_VOXELS;
    float *old = malloc(n * sizeof *old);
    sp_tile_mask *known = malloc(f->tiles.count * sizeof *known);
    memcpy(old, f->values, n * sizeof *old);
    memcpy(known, f->known, f->tiles.count * sizeof *known);
    for (size_t i = 0; i < n; ++i) {
        int32_t v[3];
        voxel_of(&f->tiles, i, v);
        if (is_known((const sp_tile_mask *)known, v, &f->tiles)) continue;
        float sum = 0.0f, count = 0.0f;
        for (int side = 0; side < 6; ++side) {
            int32_t w[3] = {v[0], v[1], v[2]};
            w[side / 2] += side % 2 ? 1 : -1;
            if (!is_known((const sp_tile_mask *)known, w, &f->tiles)) continue;
            sum += sp_tiles_value(&f->tiles, old, w, 0.0f);
            count += 1.0f;
        }
        if (count == 0.0f) continue;
        f->values[i] = sum / count;
        f->known[i / SP_TILE_VOXELS][i / 64 % 8] |= (uint64_t)1 << i % 64;
    }
    free(old);
    free(known);
}

static void assert_same(const field *a, const field *b)
{
    assert_memory_equal(a->known, b->known, a->tiles.count * sizeof *a->known);
    assert_memory_equal(a->values, b->values, a->tiles.count * SP_TILE_VOXELS * sizeof *a->values);
}

static const int32_t periods[][3] = {{0, 0, 0}, {6, 0, 2}, {5, 0, 1}, {3, 7, 4}};
enum { SPACES = sizeof periods / sizeof *periods };

/// Sums are in the same order, so values are equal bit for bit, on any number of threads.
static void layers_equal_a_plain_reference(void **state)
{
    (void)state;
    for (int s = 0; s < SPACES; ++s)
        for (int layers = 0; layers <= 4; ++layers) {
            const sp_host one = sp_host_default(1), many = sp_host_default(1 + s);
            field slow = made(&one, periods[s], 300), fast = made(&many, periods[s], 300);
            for (int layer = 0; layer < layers; ++layer)
                spread_slowly(&slow);
            assert_ok(sp_tiles_extrapolate(&fast.tiles, fast.values, fast.known, layers, ERR));
            assert_same(&fast, &slow);
            drop(&slow);
            drop(&fast);
        }
}

static void three_components_at_once_equal_each_alone(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int s = 0; s < SPACES; ++s) {
        field alone[3], joint[3];
        for (uint32_t c = 0; c < 3; ++c) {
            alone[c] = made(&host, periods[s], 1 + 40 * c); // the first is known everywhere
            joint[c] = made(&host, periods[s], 1 + 40 * c);
            assert_ok(
                sp_tiles_extrapolate(&alone[c].tiles, alone[c].values, alone[c].known, 3, ERR));
        }
        float *u[3] = {joint[0].values, joint[1].values, joint[2].values};
        sp_tile_mask *known[3] = {joint[0].known, joint[1].known, joint[2].known};
        assert_ok(sp_tiles_extrapolate_faces(&joint[0].tiles, u, known, 3, ERR));
        for (int c = 0; c < 3; ++c) {
            assert_same(&joint[c], &alone[c]);
            drop(&alone[c]);
            drop(&joint[c]);
        }
    }
}

/// A mean stays within the range of its values: from values in +-1/2 nothing larger results, and
/// unknown voxels keep their value.
static void values_stay_between_known_ones(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    field f = made(&host, periods[0], 100);
    assert_ok(sp_tiles_extrapolate(&f.tiles, f.values, f.known, 2, ERR));
    for (size_t i = 0; i < f.tiles.count * SP_TILE_VOXELS; ++i) {
        const bool known = f.known[i / SP_TILE_VOXELS][i / 64 % 8] >> i % 64 & 1;
        assert_true(known ? fabsf(f.values[i]) <= 0.5f : f.values[i] == 77.0f);
    }
    drop(&f);
}

static sp_status make_and_spread(const sp_host *host, sp_error *err)
{
    field f;
    sp_status status = make(&f, host, periods[1], 50, err);
    if (status == SP_OK) status = sp_tiles_extrapolate(&f.tiles, f.values, f.known, 2, err);
    drop(&f);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_equal_a_plain_reference),
        cmocka_unit_test(three_components_at_once_equal_each_alone),
        cmocka_unit_test(values_stay_between_known_ones),
        test_failing_allocations(make_and_spread, 1, 8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
