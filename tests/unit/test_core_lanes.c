// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/lanes.h"
#include "core/random.h"
#include "testing.h"

#include <math.h>

/// Sixteen numbers a row, from tiny to huge with both signs, zeros, infinities and NaN among them.
static sp_f16 row_of(uint64_t row, float *x)
{
    static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 1e-40f};
    for (uint32_t l = 0; l < SP_LANES; ++l) {
        const sp_random4 r = sp_random(3, 1, row, l, 0);
        x[l] = r.x[2] % 5 == 0
                   ? special[r.x[3] % 8]
                   : (sp_unit(r.x[0]) - 0.5f) * powf(10.0f, 40.0f * sp_unit(r.x[1]) - 20.0f);
    }
    return sp_f16_load(x);
}

static void assert_same_bits(sp_f16 got, const float *expected)
{
    float x[SP_LANES];
    sp_f16_store(x, got);
    for (int l = 0; l < SP_LANES; ++l)
        if (!(isnan(x[l]) && isnan(expected[l]))) // a NaN's payload is nobody's promise
            assert_memory_equal(&x[l], &expected[l], sizeof(float));
}

static void min_max_sqrt_and_select_equal_their_scalar_twins(void **state)
{
    (void)state;
    for (uint64_t row = 0; row < 500; ++row) {
        float a[SP_LANES], b[SP_LANES], low[SP_LANES], high[SP_LANES], root[SP_LANES],
            chosen[SP_LANES], kept[SP_LANES];
        const sp_f16 va = row_of(2 * row, a), vb = row_of(2 * row + 1, b);
        const sp_i16 mask = va < vb;
        for (int l = 0; l < SP_LANES; ++l) {
            low[l] = a[l] < b[l] ? a[l] : b[l];
            high[l] = a[l] > b[l] ? a[l] : b[l];
            root[l] = sqrtf(fabsf(a[l]));
            chosen[l] = a[l] < b[l] ? b[l] : a[l];
            kept[l] = a[l] < b[l] ? a[l] : 0.0f;
        }
        assert_same_bits(sp_f16_min(va, vb), low);
        assert_same_bits(sp_f16_max(va, vb), high);
        assert_same_bits(sp_f16_select(mask, vb, va), chosen);
        assert_same_bits(sp_f16_keep(mask, va), kept);
        for (int l = 0; l < SP_LANES; ++l)
            a[l] = fabsf(a[l]);
        assert_same_bits(sp_f16_sqrt(sp_f16_load(a)), root);
    }
}

/// 16 to 8 to 4 to 2 to 1, lower half plus upper half, written out.
static void the_sum_closes_by_the_fixed_tree(void **state)
{
    (void)state;
    for (uint64_t row = 0; row < 200; ++row) {
        float x[SP_LANES];
        for (uint32_t l = 0; l < SP_LANES; ++l)
            x[l] = (sp_unit(sp_random(4, 2, row, l, 0).x[0]) - 0.5f) * powf(10.0f, (float)(l % 7));
        float e[8], q[4];
        for (int l = 0; l < 8; ++l)
            e[l] = x[l] + x[l + 8];
        for (int l = 0; l < 4; ++l)
            q[l] = e[l] + e[l + 4];
        const float expected = (q[0] + q[2]) + (q[1] + q[3]);
        const float sum = sp_f16_sum(sp_f16_load(x));
        assert_memory_equal(&sum, &expected, sizeof sum);
    }
}

static void any_sees_a_single_lane(void **state)
{
    (void)state;
    assert_false(sp_i16_any(sp_i16_all(0)));
    for (int l = 0; l < SP_LANES; ++l) {
        int32_t mask[SP_LANES] = {0};
        mask[l] = -1;
        assert_true(sp_i16_any(sp_i16_load(mask)));
    }
}

static void counting_filling_and_padding(void **state)
{
    (void)state;
    int32_t count[SP_LANES];
    sp_i16_store(count, sp_i16_count() + sp_i16_all(5));
    for (int l = 0; l < SP_LANES; ++l)
        assert_int_equal(count[l], l + 5);
    float all[SP_LANES];
    sp_f16_store(all, sp_f16_all(2.5f));
    for (int l = 0; l < SP_LANES; ++l)
        assert_true(all[l] == 2.5f);
    assert_int_equal(sp_pad16(0), 0);
    assert_int_equal(sp_pad16(1), 16);
    assert_int_equal(sp_pad16(16), 16);
    assert_int_equal(sp_pad16(17), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(min_max_sqrt_and_select_equal_their_scalar_twins),
        cmocka_unit_test(the_sum_closes_by_the_fixed_tree),
        cmocka_unit_test(any_sees_a_single_lane),
        cmocka_unit_test(counting_filling_and_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
