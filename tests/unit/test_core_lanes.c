// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/numbers/lanes.h"
#include "core/numbers/random.h"
#include "testing.h"

#include <math.h>

/// Rows of sixteen numbers, from tiny to huge, of both signs, with zeros, infinities and NaN.
static void row_of(uint64_t row, float *x)
{
    static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 1e-40f};
    for (uint32_t l = 0; l < SP_LANES; ++l) {
        const sp_random4 r = sp_random(3, 1, row, l, 0);
        x[l] = r.x[2] % 5 == 0
                   ? special[r.x[3] % 8]
                   : (sp_unit(r.x[0]) - 0.5f) * powf(10.0f, 40.0f * sp_unit(r.x[1]) - 20.0f);
    }
}

static void assert_same_bits(const float *got, const float *expected)
{
    for (int l = 0; l < SP_LANES; ++l)
        if (!(isnan(got[l]) && isnan(expected[l]))) // the payload of a NaN is not specified
            assert_memory_equal(&got[l], &expected[l], sizeof(float));
}

/// The scalar twins, by the rule of x86: NaN in either gives b.
static float lesser(float a, float b)
{
    return a < b ? a : b;
}
static float greater(float a, float b)
{
    return a > b ? a : b;
}

static void min_max_sqrt_and_select_equal_their_scalar_twins(void **state)
{
    (void)state;
    for (uint64_t row = 0; row < 500; ++row) {
        float a[SP_LANES], b[SP_LANES], low[SP_LANES], high[SP_LANES], root[SP_LANES],
            chosen[SP_LANES], kept[SP_LANES];
        row_of(2 * row, a);
        row_of(2 * row + 1, b);
        float lows[SP_LANES], highs[SP_LANES], roots[SP_LANES], chosens[SP_LANES], kepts[SP_LANES];
        for (size_t at = 0; at < SP_LANES; at += SP_PART) {
            const sp_part va = sp_part_load(a + at), vb = sp_part_load(b + at);
            sp_part_store(lows + at, sp_part_min(va, vb));
            sp_part_store(highs + at, sp_part_max(va, vb));
            sp_part_store(roots + at, sp_part_sqrt(sp_part_max(va, -va)));
            sp_part_store(chosens + at, sp_part_select(va < vb, vb, va));
            sp_part_store(kepts + at, sp_part_keep(va < vb, va));
        }
        for (int l = 0; l < SP_LANES; ++l) {
            low[l] = lesser(a[l], b[l]);
            high[l] = greater(a[l], b[l]);
            root[l] = sqrtf(greater(a[l], -a[l]));
            chosen[l] = a[l] < b[l] ? b[l] : a[l];
            kept[l] = a[l] < b[l] ? a[l] : 0.0f;
        }
        assert_same_bits(lows, low);
        assert_same_bits(highs, high);
        assert_same_bits(roots, root);
        assert_same_bits(chosens, chosen);
        assert_same_bits(kepts, kept);
        sp_f16_store(lows, sp_f16_min(sp_f16_load(a), sp_f16_load(b)));
        sp_f16_store(highs, sp_f16_max(sp_f16_load(a), sp_f16_load(b)));
        assert_same_bits(lows, low);
        assert_same_bits(highs, high);
    }
}

/// The fixed tree written out: 16 to 8 to 4 to 2 to 1, lower half plus upper half.
static float sum_by_hand(const float x[SP_LANES])
{
    float e[8], q[4];
    for (int l = 0; l < 8; ++l)
        e[l] = x[l] + x[l + 8];
    for (int l = 0; l < 4; ++l)
        q[l] = e[l] + e[l + 4];
    return (q[0] + q[2]) + (q[1] + q[3]);
}

static float uneven(uint64_t row, uint32_t k)
{
    return (sp_unit(sp_random(4, 2, row, k, 0).x[0]) - 0.5f) * powf(10.0f, (float)(k % 7));
}

static void lane_sum_uses_the_fixed_tree(void **state)
{
    (void)state;
    for (uint64_t row = 0; row < 200; ++row) {
        float x[SP_LANES];
        for (uint32_t l = 0; l < SP_LANES; ++l)
            x[l] = uneven(row, l);
        const float expected = sum_by_hand(x), sum = sp_f16_sum(sp_f16_load(x));
        assert_memory_equal(&sum, &expected, sizeof sum);
    }
}

/// Entry k of a list belongs to lane k mod 16, however many lanes a part has.
static void partial_vectors_add_to_the_lane_of_each_entry(void **state)
{
    (void)state;
    enum { ENTRIES = 5 * SP_LANES };
    for (uint64_t row = 0; row < 50; ++row) {
        float x[ENTRIES], lanes[SP_LANES] = {0};
        for (uint32_t k = 0; k < ENTRIES; ++k) {
            x[k] = uneven(row, k);
            lanes[k % SP_LANES] += x[k];
        }
        sp_lanes sum = {0};
        for (size_t k = 0; k < ENTRIES; k += SP_PART)
            sp_lanes_add(&sum, k, sp_part_load(x + k));
        float got[SP_LANES];
        sp_f16_store(got, sum.all);
        assert_same_bits(got, lanes);
        const float expected = sum_by_hand(lanes), closed = sp_lanes_sum(sum);
        assert_memory_equal(&closed, &expected, sizeof closed);
    }
}

static void any_sees_a_single_lane(void **state)
{
    (void)state;
    assert_false(sp_flags_any((sp_flags){0}));
    for (int l = 0; l < SP_PART; ++l) {
        sp_flags mask = {0};
        mask[l] = -1;
        assert_true(sp_flags_any(mask));
    }
}

static void fill_sets_every_lane_and_padding_the_rest(void **state)
{
    (void)state;
    static const float values[] = {2.5f, 0.0f, -0.0f, INFINITY};
    for (size_t v = 0; v < sizeof values / sizeof *values; ++v) {
        float expected[SP_LANES], got[SP_LANES];
        for (int l = 0; l < SP_LANES; ++l)
            expected[l] = values[v];
        sp_f16_store(got, sp_f16_all(values[v]));
        assert_same_bits(got, expected);
        for (size_t at = 0; at < SP_LANES; at += SP_PART)
            sp_part_store(got + at, sp_part_all(values[v]));
        assert_same_bits(got, expected);
    }
    const sp_i16 fives = sp_i16_all(5);
    for (int l = 0; l < SP_LANES; ++l)
        assert_int_equal(fives[l], 5);
    assert_int_equal(sp_pad16(0), 0);
    assert_int_equal(sp_pad16(1), 16);
    assert_int_equal(sp_pad16(16), 16);
    assert_int_equal(sp_pad16(17), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(min_max_sqrt_and_select_equal_their_scalar_twins),
        cmocka_unit_test(lane_sum_uses_the_fixed_tree),
        cmocka_unit_test(partial_vectors_add_to_the_lane_of_each_entry),
        cmocka_unit_test(any_sees_a_single_lane),
        cmocka_unit_test(fill_sets_every_lane_and_padding_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
