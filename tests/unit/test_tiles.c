// SPDX-License-Identifier: Apache-2.0
// links: tiles core
#include "scarce_host.h"
#include "testing.h"
#include "tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(11, 3, i, 0, 0).x[axis]);
}

/// n coordinates within +-range, many of them repeated.
static int32_t (*scattered(size_t n, int32_t range))[3]
{
    int32_t(*at)[3] = malloc(n * sizeof *at);
    for (size_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a)
            at[i][a] = (int32_t)floorf((2.0f * unit(i, a) - 1.0f) * (float)range);
    return at;
}

static sp_tiles opened(const sp_host *host, float voxel, const int32_t (*at)[3], size_t n)
{
    sp_tiles tiles;
    assert_ok(sp_tiles_open(&tiles, host, voxel, at, n, ERR));
    return tiles;
}

/// ---- Topology ----------------------------------------------------------------------------------

static void tiles_are_unique_and_in_morton_order(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const size_t n = 5000;
    int32_t(*at)[3] = scattered(n, 6);
    sp_tiles tiles = opened(&host, 0.1f, (const int32_t(*)[3])at, n);
    assert_true(sp_tiles_is_valid(&tiles));
    bool wanted[12][12][12] = {0};
    size_t different = 0;
    for (size_t i = 0; i < n; ++i) {
        bool *w = &wanted[at[i][0] + 6][at[i][1] + 6][at[i][2] + 6];
        different += !*w;
        *w = true;
        const uint32_t t = sp_tiles_find(&tiles, at[i]);
        assert_true(t != SP_NO_TILE);
        assert_memory_equal(tiles.at[t], at[i], sizeof *at);
    }
    assert_int_equal(tiles.count, different);
    for (size_t t = 1; t < tiles.count; ++t)
        assert_true(sp_tiles_morton(tiles.at[t - 1]) < sp_tiles_morton(tiles.at[t]));
    free(at);
    sp_tiles_close(&tiles);
}

/// Reference: compares every pair of tiles.
static void neighbours_equal_brute_force(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int32_t(*at)[3] = scattered(150, 4);
    sp_tiles tiles = opened(&host, 1.0f, (const int32_t(*)[3])at, 150);
    for (size_t t = 0; t < tiles.count; ++t)
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            uint32_t expected = SP_NO_TILE;
            for (size_t u = 0; u < tiles.count; ++u)
                if (tiles.at[u][0] - tiles.at[t][0] == n % 3 - 1 &&
                    tiles.at[u][1] - tiles.at[t][1] == n / 3 % 3 - 1 &&
                    tiles.at[u][2] - tiles.at[t][2] == n / 9 - 1)
                    expected = (uint32_t)u;
            assert_int_equal(tiles.around[t][n], expected);
        }
    free(at);
    sp_tiles_close(&tiles);
}

static void coordinates_up_to_the_limit_are_accepted(void **state)
{
    (void)state;
    const int32_t ends[][3] = {
        {SP_TILES_REACH, -SP_TILES_REACH, 0}, {-SP_TILES_REACH, 0, SP_TILES_REACH}, {0, 0, 0}};
    sp_tiles tiles = opened(HOST, 1.0f, ends, 3);
    for (int i = 0; i < 3; ++i)
        assert_true(sp_tiles_find(&tiles, ends[i]) != SP_NO_TILE);
    sp_tiles_close(&tiles);
    const int32_t beyond[][3] = {{0, 0, 0}, {0, SP_TILES_REACH + 1, 0}};
    assert_fails(sp_tiles_open(&tiles, HOST, 1.0f, beyond, 2, ERR), SP_BAD_INPUT, "tile 1 ");
    assert_null(tiles.at);
    assert_int_equal(sp_tiles_open(&tiles, HOST, NAN, beyond, 1, ERR), SP_BAD_INPUT);
    assert_int_equal(sp_tiles_open(&tiles, HOST, 0.0f, beyond, 1, ERR), SP_BAD_INPUT);
    sp_tiles_close(&tiles); // zeroed tiles may be closed
}

static void empty_topology_is_valid(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sp_tiles tiles = opened(&host, 1.0f, NULL, 0), more;
    assert_true(sp_tiles_is_valid(&tiles));
    assert_int_equal(sp_tiles_find(&tiles, (int32_t[3]){0, 0, 0}), SP_NO_TILE);
    float *field = sp_tiles_field(&tiles, 1.0f);
    assert_non_null(field);
    assert_true(sp_tiles_sample(&tiles, field, SP_AT_CELLS, 7.0f, (float[3]){0}, NULL) == 7.0f);
    assert_ok(sp_tiles_dilate(&more, &tiles, 2, ERR));
    assert_int_equal(more.count, 0);
    sp_release(&host, field);
    sp_tiles_close(&more);
    sp_tiles_close(&tiles);
    assert_ok(sp_tiles_dilate(&more, &tiles, 2, ERR)); // of zeroed tiles
}

/// Reference: tests every tile of a box around all points against every point's cube.
static void cover_equals_brute_force(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    enum { N = 60 };
    const float voxel = 0.25f, reach = 0.6f, edge = 2.0f;
    float x[N], y[N], z[N], radius[N];
    for (size_t i = 0; i < N; ++i) {
        x[i] = 8.0f * unit(i, 0) - 4.0f;
        y[i] = 8.0f * unit(i, 1) - 4.0f;
        z[i] = 8.0f * unit(i, 2) - 4.0f;
        radius[i] = 2.0f * unit(i, 3);
    }
    sp_tiles tiles;
    assert_ok(sp_tiles_cover(&tiles, &host, voxel, N, x, y, z, radius, reach, ERR));
    assert_true(sp_tiles_is_valid(&tiles));
    for (int32_t k = -5; k <= 5; ++k)
        for (int32_t j = -5; j <= 5; ++j)
            for (int32_t i = -5; i <= 5; ++i) {
                bool wanted = false;
                for (size_t p = 0; p < N; ++p) {
                    const float r = reach + radius[p];
                    wanted |= x[p] + r >= (float)i * edge && x[p] - r < (float)(i + 1) * edge &&
                              y[p] + r >= (float)j * edge && y[p] - r < (float)(j + 1) * edge &&
                              z[p] + r >= (float)k * edge && z[p] - r < (float)(k + 1) * edge;
                }
                const uint32_t t = sp_tiles_find(&tiles, (int32_t[3]){i, j, k});
                assert_int_equal(t != SP_NO_TILE, wanted);
            }
    sp_tiles_close(&tiles);
}

static void points_out_of_range_are_named(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f};
    for (int b = 0; b < 4; ++b) {
        const float x[] = {0.0f, 1.0f, bad[b]}, zero[3] = {0};
        sp_tiles tiles;
        assert_fails(sp_tiles_cover(&tiles, HOST, 0.1f, 3, x, zero, zero, NULL, 0.1f, ERR),
                     SP_BAD_INPUT, "point 2 ");
        assert_null(tiles.at);
    }
    const float at = 0.0f, huge = 50000.0f; // 125,000 tiles along each axis
    sp_tiles tiles;
    assert_int_equal(sp_tiles_cover(&tiles, HOST, 0.1f, 1, &at, &at, &at, &huge, 0.1f, ERR),
                     SP_BAD_INPUT);
}

static void dilating_adds_the_rings_around(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int32_t(*at)[3] = scattered(40, 6);
    sp_tiles tiles = opened(&host, 1.0f, (const int32_t(*)[3])at, 40), wide;
    for (int rings = 0; rings <= 2; ++rings) {
        assert_ok(sp_tiles_dilate(&wide, &tiles, rings, ERR));
        size_t expected = 0;
        for (int32_t n = 0; n < 17 * 17 * 17; ++n) {
            const int32_t p[3] = {n % 17 - 8, n / 17 % 17 - 8, n / 289 - 8};
            bool wanted = false;
            for (size_t t = 0; t < tiles.count; ++t)
                wanted |= abs(tiles.at[t][0] - p[0]) <= rings &&
                          abs(tiles.at[t][1] - p[1]) <= rings &&
                          abs(tiles.at[t][2] - p[2]) <= rings;
            assert_int_equal(sp_tiles_find(&wide, p) != SP_NO_TILE, wanted);
            expected += wanted;
        }
        assert_int_equal(wide.count, expected);
        sp_tiles_close(&wide);
    }
    free(at);
    sp_tiles_close(&tiles);
}

static void topology_does_not_depend_on_threads(void **state)
{
    (void)state;
    enum { N = 20000 };
    static float x[N], y[N], z[N];
    for (size_t i = 0; i < N; ++i) {
        x[i] = 20.0f * unit(i, 0) - 10.0f;
        y[i] = 20.0f * unit(i, 1) - 10.0f;
        z[i] = 20.0f * unit(i, 2) - 10.0f;
    }
    static const int threads[] = {1, 2, 3, 5};
    sp_tiles first = {0};
    sp_host hosts[4];
    for (int k = 0; k < 4; ++k) {
        hosts[k] = sp_host_default(threads[k]);
        sp_tiles tiles;
        assert_ok(sp_tiles_cover(&tiles, &hosts[k], 0.1f, N, x, y, z, NULL, 0.3f, ERR));
        if (k == 0) {
            first = tiles;
            continue;
        }
        assert_int_equal(tiles.count, first.count);
        assert_memory_equal(tiles.at, first.at, first.count * sizeof *first.at);
        assert_memory_equal(tiles.around, first.around, first.count * sizeof *first.around);
        sp_tiles_close(&tiles);
    }
    sp_tiles_close(&first);
}

/// ---- Fields ------------------------------------------------------------------------------------

/// A field whose values identify their voxel: each voxel within 64 of zero has its own integer,
/// exact in a float.
static float signature(const int32_t v[3])
{
    return (float)(v[0] + 64) + 128.0f * (float)(v[1] + 64) + 16384.0f * (float)(v[2] + 64);
}

static void voxel_of(const sp_tiles *tiles, size_t t, int i, int32_t v[3])
{
    v[0] = 8 * tiles->at[t][0] + i % 8;
    v[1] = 8 * tiles->at[t][1] + i / 8 % 8;
    v[2] = 8 * tiles->at[t][2] + i / 64;
}

static float *signed_field(const sp_tiles *tiles)
{
    float *field = sp_tiles_field(tiles, 0.0f);
    for (size_t t = 0; t < tiles->count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            int32_t v[3];
            voxel_of(tiles, t, i, v);
            field[t * SP_TILE_VOXELS + (size_t)i] = signature(v);
        }
    return field;
}

static void values_keep_their_place_in_a_new_topology(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int32_t(*before)[3] = scattered(60, 3), (*after)[3] = scattered(90, 3);
    sp_tiles from = opened(&host, 1.0f, (const int32_t(*)[3])before, 60);
    sp_tiles to = opened(&host, 1.0f, (const int32_t(*)[3])after + 30, 60);
    float *old = signed_field(&from), *values = sp_tiles_field(&to, 3.0f);
    sp_tiles_carry(&from, old, &to, values, -1.0f);
    for (size_t t = 0; t < to.count; ++t)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            int32_t v[3];
            voxel_of(&to, t, i, v);
            const bool there = sp_tiles_find(&from, to.at[t]) != SP_NO_TILE;
            assert_true(sp_tiles_value(&to, values, v, 0.0f) == (there ? signature(v) : -1.0f));
        }
    free(before);
    free(after);
    sp_release(&host, old);
    sp_release(&host, values);
    sp_tiles_close(&from);
    sp_tiles_close(&to);
}

static void blocks_and_shifts_equal_look_up(void **state)
{
    (void)state;
    int32_t(*at)[3] = scattered(40, 3);
    sp_tiles tiles = opened(HOST, 1.0f, (const int32_t(*)[3])at, 40);
    float *field = signed_field(&tiles), block[SP_TILE_BLOCK], shifted[SP_TILE_VOXELS];
    for (uint32_t t = 0; t < tiles.count; ++t) {
        sp_tiles_block(&tiles, field, t, -5.0f, block);
        for (int n = 0; n < SP_TILE_BLOCK; ++n) {
            const int32_t v[3] = {8 * tiles.at[t][0] + n % 10 - 1,
                                  8 * tiles.at[t][1] + n / 10 % 10 - 1,
                                  8 * tiles.at[t][2] + n / 100 - 1};
            assert_true(block[n] == sp_tiles_value(&tiles, field, v, -5.0f));
        }
        for (int step = -2; step <= 2; ++step)
            for (int axis = 0; axis < 3 && step; ++axis) {
                sp_tiles_shift(&tiles, field, t, axis, step, -5.0f, shifted);
                for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                    int32_t v[3];
                    voxel_of(&tiles, t, i, v);
                    v[axis] += step;
                    assert_true(shifted[i] == sp_tiles_value(&tiles, field, v, -5.0f));
                }
            }
    }
    free(at);
    sp_release(HOST, field);
    sp_tiles_close(&tiles);
}

/// Trilinear interpolation reproduces linear fields, and its derivative their slope. The tolerances
/// are the rounding of values of up to about 30 (2e-6 each), and for slopes the rounding of their
/// differences over a voxel of 0.25.
static void sampling_is_exact_for_linear_fields(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const float voxel = 0.25f, slope[3] = {0.7f, -1.3f, 2.1f};
    const int32_t corner[][3] = {{-2, -2, -2}};
    sp_tiles one = opened(&host, voxel, corner, 1), tiles;
    assert_ok(sp_tiles_dilate(&tiles, &one, 2, ERR)); // tiles -4 ... 0
    static const float shift[4][3] = {
        {0.5f, 0.5f, 0.5f}, {0.0f, 0.5f, 0.5f}, {0.5f, 0.0f, 0.5f}, {0.5f, 0.5f, 0.0f}};
    enum { N = 4000 };
    static float x[N], y[N], z[N], out[N], gradient[N][3];
    for (int where = SP_AT_CELLS; where <= SP_AT_FACES_Z; ++where) {
        float *field = sp_tiles_field(&tiles, 0.0f);
        for (size_t t = 0; t < tiles.count; ++t)
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                int32_t v[3];
                voxel_of(&tiles, t, i, v);
                float value = 0.4f;
                for (int a = 0; a < 3; ++a)
                    value += slope[a] * ((float)v[a] + shift[where][a]) * voxel;
                field[t * SP_TILE_VOXELS + (size_t)i] = value;
            }
        for (size_t i = 0; i < N; ++i) { // within the samples of voxels -32 ... 7
            x[i] = -7.8f + 9.4f * unit(i, 0);
            y[i] = -7.8f + 9.4f * unit(i, 1);
            z[i] = -7.8f + 9.4f * unit(i, 2);
        }
        sp_tiles_sample_many(&tiles, field, (sp_tile_place_kind)where, 0.0f, N, x, y, z, out,
                             gradient);
        for (size_t i = 0; i < N; ++i) {
            const float exact = 0.4f + slope[0] * x[i] + slope[1] * y[i] + slope[2] * z[i];
            assert_true(fabsf(out[i] - exact) < 2e-5f);
            for (int a = 0; a < 3; ++a)
                assert_true(fabsf(gradient[i][a] - slope[a]) < 1e-4f);
            const float p[3] = {x[i], y[i], z[i]};
            assert_true(out[i] ==
                        sp_tiles_sample(&tiles, field, (sp_tile_place_kind)where, 0.0f, p, NULL));
        }
        sp_release(&host, field);
    }
    sp_tiles_close(&one);
    sp_tiles_close(&tiles);
}

/// The gradient against differences of the interpolant within a cell, where it is a polynomial:
/// central differences along an axis are exact then, and rounding over 1e-2 voxel leaves 1e-3 of
/// the values.
static void gradient_is_that_of_the_interpolant(void **state)
{
    (void)state;
    int32_t(*at)[3] = scattered(20, 2);
    sp_tiles tiles = opened(HOST, 1.0f, (const int32_t(*)[3])at, 20);
    float *field = sp_tiles_field(&tiles, 0.0f);
    for (size_t i = 0; i < tiles.count * SP_TILE_VOXELS; ++i)
        field[i] = unit(i, 0);
    for (size_t i = 0; i < 2000; ++i) {
        float p[3], g[3];
        for (int a = 0; a < 3; ++a) // between samples, at least 0.05 away from each
            p[a] = floorf(32.0f * unit(i, a) - 16.0f) + 0.55f + 0.9f * unit(i + 5000, a);
        sp_tiles_sample(&tiles, field, SP_AT_CELLS, 0.5f, p, g);
        for (int a = 0; a < 3; ++a) {
            float low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};
            low[a] -= 0.01f;
            high[a] += 0.01f;
            const float step = high[a] - low[a];
            const float difference =
                (sp_tiles_sample(&tiles, field, SP_AT_CELLS, 0.5f, high, NULL) -
                 sp_tiles_sample(&tiles, field, SP_AT_CELLS, 0.5f, low, NULL)) /
                step;
            assert_true(fabsf(difference - g[a]) < 1e-3f);
        }
    }
    float g[3] = {1, 1, 1};
    assert_true(sp_tiles_sample(&tiles, field, SP_AT_CELLS, 0.5f, (float[3]){NAN, 0, 0}, g) ==
                0.5f);
    assert_true(g[0] == 0.0f && g[1] == 0.0f && g[2] == 0.0f);
    assert_true(sp_tiles_sample(&tiles, field, SP_AT_CELLS, 0.5f, (float[3]){0, 1e30f, 0}, g) ==
                0.5f);
    free(at);
    sp_release(HOST, field);
    sp_tiles_close(&tiles);
}

/// ---- Frames ------------------------------------------------------------------------------------

static void field_round_trip_through_a_frame(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int32_t(*at)[3] = scattered(30, 4);
    sp_tiles tiles = opened(&host, 0.5f, (const int32_t(*)[3])at, 30);
    for (int components = 1; components <= 3; ++components) {
        float *values[3];
        for (int c = 0; c < 3; ++c) {
            values[c] = signed_field(&tiles);
            for (size_t i = 0; i < tiles.count * SP_TILE_VOXELS; ++i)
                values[c][i] += (float)c;
        }
        float *together = malloc(tiles.count * SP_TILE_VOXELS * 3 * sizeof *together);
        for (size_t i = 0; i < tiles.count * SP_TILE_VOXELS * (size_t)components; ++i)
            together[i] = values[i % (size_t)components][i / (size_t)components];
        const sp_field field = {.name = "velocity",
                                .layout = SP_FIELD_TILES,
                                .components = components,
                                .values = together,
                                .tiles = tiles.at[0],
                                .tile_count = tiles.count};
        sp_tiles back;
        float *read[3];
        assert_ok(sp_tiles_from_field(&back, &host, 0.5f, &field, read, ERR));
        assert_int_equal(back.count, tiles.count);
        assert_memory_equal(back.at, tiles.at, tiles.count * sizeof *tiles.at);
        for (int c = 0; c < 3; ++c) {
            if (c < components)
                assert_memory_equal(read[c], values[c], tiles.count * SP_TILE_VOXELS * 4);
            else
                assert_null(read[c]);
            sp_release(&host, read[c]);
            sp_release(&host, values[c]);
        }
        free(together);
        sp_tiles_close(&back);
    }
    free(at);
    sp_tiles_close(&tiles);
}

static void damaged_fields_are_refused(void **state)
{
    (void)state;
    static float values[2 * SP_TILE_VOXELS];
    static const int32_t sorted[] = {0, 0, 0, 1, 0, 0}, reversed[] = {1, 0, 0, 0, 0, 0},
                         twice[] = {1, 0, 0, 1, 0, 0}, far[] = {0, 0, 0, 0, 0, 1 << 20};
    const sp_field good = {.name = "surface",
                           .layout = SP_FIELD_TILES,
                           .components = 1,
                           .values = values,
                           .tiles = sorted,
                           .tile_count = 2};
    sp_field bad[6] = {good, good, good, good, good, good};
    bad[0].tiles = reversed;
    bad[1].tiles = twice;
    bad[2].tiles = far;
    bad[3].components = 4;
    bad[4].layout = SP_FIELD_PLANE;
    bad[5].values = NULL;
    static const char *const words[] = {"Morton",     "twice", "within",
                                        "components", "tiles", "without"};
    sp_tiles tiles;
    float *read[3];
    for (int b = 0; b < 6; ++b) {
        assert_fails(sp_tiles_from_field(&tiles, HOST, 1.0f, &bad[b], read, ERR), SP_DAMAGED,
                     words[b]);
        assert_non_null(strstr(ERR->text, "surface"));
        assert_null(tiles.at);
        assert_null(read[0]);
    }
    assert_ok(sp_tiles_from_field(&tiles, HOST, 1.0f, &good, read, ERR));
    sp_release(HOST, read[0]);
    sp_tiles_close(&tiles);
}

/// ---- Memory ------------------------------------------------------------------------------------

static sp_status everything(const sp_host *host, sp_error *err)
{
    static const float x[] = {0.0f, 3.0f}, r[] = {0.5f, 0.1f};
    sp_tiles tiles, wide;
    SP_TRY(sp_tiles_cover(&tiles, host, 0.1f, 2, x, x, x, r, 0.2f, err));
    sp_status status = sp_tiles_dilate(&wide, &tiles, 1, err);
    float *together = status == SP_OK ? sp_tiles_field(&wide, 2.0f) : NULL;
    if (status == SP_OK && !together) status = sp_fail(err, SP_NO_MEMORY, "no memory for the test");
    if (status == SP_OK) {
        const sp_field field = {.name = "surface",
                                .layout = SP_FIELD_TILES,
                                .components = 1,
                                .values = together,
                                .tiles = wide.at[0],
                                .tile_count = wide.count};
        sp_tiles back;
        float *read[3];
        status = sp_tiles_from_field(&back, host, 0.1f, &field, read, err);
        sp_release(host, read[0]);
        sp_tiles_close(&back);
    }
    sp_release(host, together);
    sp_tiles_close(&wide);
    sp_tiles_close(&tiles);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_unique_and_in_morton_order),
        cmocka_unit_test(neighbours_equal_brute_force),
        cmocka_unit_test(coordinates_up_to_the_limit_are_accepted),
        cmocka_unit_test(empty_topology_is_valid),
        cmocka_unit_test(cover_equals_brute_force),
        cmocka_unit_test(points_out_of_range_are_named),
        cmocka_unit_test(dilating_adds_the_rings_around),
        cmocka_unit_test(topology_does_not_depend_on_threads),
        cmocka_unit_test(values_keep_their_place_in_a_new_topology),
        cmocka_unit_test(blocks_and_shifts_equal_look_up),
        cmocka_unit_test(sampling_is_exact_for_linear_fields),
        cmocka_unit_test(gradient_is_that_of_the_interpolant),
        cmocka_unit_test(field_round_trip_through_a_frame),
        cmocka_unit_test(damaged_fields_are_refused),
        test_failing_allocations(everything, 1, 10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
