// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/numbers/exact_sum.h"
#include "core/numbers/random.h"
#include "testing.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 5000 };

/// Doubles of both signs with any exponent but the largest few, so that sums stay finite.
static void wild_numbers(double x[COUNT])
{
    for (uint64_t i = 0; i < COUNT; ++i) {
        const sp_random4 r = sp_random(7, 0, i, 0, 0);
        const double digits = (double)r.x[0] * 0x1p-32 + (double)r.x[1] * 0x1p-64 - 0.5;
        x[i] = ldexp(digits, (int)(r.x[2] % 2060) - 1060);
    }
}

static void assert_same_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%a is not %a", a, b);
}

static void sum_does_not_depend_on_the_order(void **state)
{
    (void)state;
    static double x[COUNT];
    wild_numbers(x);
    const double forward = sp_exact_total(x, COUNT, 1);
    sp_exact_sum backward = {0}, halves[2] = {{{0}, 0.0, 0}, {{0}, 0.0, 0}};
    for (size_t i = COUNT; i-- > 0;)
        sp_exact_add(&backward, x[i]);
    assert_same_bits(sp_exact_round(&backward), forward);
    for (size_t i = 0; i < COUNT; ++i)
        sp_exact_add(&halves[i % 7 == 0], x[i]);
    sp_exact_join(&halves[0], &halves[1]);
    assert_same_bits(sp_exact_round(&halves[0]), forward);
}

/// Every number, its negative, and one number in between: all but that one cancel.
static void opposite_numbers_cancel_exactly(void **state)
{
    (void)state;
    static double x[COUNT];
    wild_numbers(x);
    sp_exact_sum sum = {0};
    for (size_t i = 0; i < COUNT; ++i)
        sp_exact_add(&sum, x[i]);
    sp_exact_add(&sum, 0x1.23456789abcdep-700);
    for (size_t i = 0; i < COUNT; ++i)
        sp_exact_add(&sum, -x[i]);
    assert_same_bits(sp_exact_round(&sum), 0x1.23456789abcdep-700);
}

/// IEEE 754 rounds one addition correctly, and so does the exact sum: a sum of two equals a + b.
static void sum_of_two_equals_ieee_addition(void **state)
{
    (void)state;
    static double x[COUNT];
    wild_numbers(x);
    for (size_t i = 0; i + 1 < COUNT; ++i) {
        // similar exponents, so that both matter
        const double pair[2] = {
            x[i], ldexp(x[i + 1], ilogb(x[i]) - ilogb(x[i + 1]) + (int)(i % 60) - 30)};
        assert_same_bits(sp_exact_total(pair, 2, 1), pair[0] + pair[1]);
    }
}

typedef struct rounding_row {
    double x[3];
    double sum;
} rounding_row;

static void sum_is_rounded_once_and_ties_go_to_even(void **state)
{
    (void)state;
    static const rounding_row rows[] = {
        {{1.0, 0x1p-53, 0.0}, 1.0},                     // tie, down to even
        {{1.0, 0x1p-53, 0x1p-1074}, 1.0 + DBL_EPSILON}, // above the tie by the smallest number
        {{1.0 + DBL_EPSILON, 0x1p-53, 0.0}, 1.0 + 2.0 * DBL_EPSILON}, // tie, up to even
        {{-1.0, -0x1p-53, -0x1p-200}, -1.0 - DBL_EPSILON},
        {{0x1p-1074, 0x1p-1074, 0x1p-1073}, 0x1p-1072}, // subnormal, exact
        {{DBL_MIN, -0x1p-1074, 0.0}, DBL_MIN - 0x1p-1074},
        {{DBL_MAX, -DBL_MAX, 3.0}, 3.0},
        {{DBL_MAX, DBL_MAX, -DBL_MAX}, DBL_MAX}, // a rounded partial sum would be infinite
        {{DBL_MAX, DBL_MAX, 0.0}, (double)INFINITY},
        {{0.0, -0.0, 0.0}, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_same_bits(sp_exact_total(rows[i].x, 3, 1), rows[i].sum);
}

static void infinities_and_nan_are_not_lost(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    assert_true(sp_exact_total((const double[]){1.0, inf, 2.0}, 3, 1) == inf);
    assert_true(sp_exact_total((const double[]){-inf, 1e300}, 2, 1) == -inf);
    assert_true(isnan(sp_exact_total((const double[]){inf, 1.0, -inf}, 3, 1)));
    assert_true(isnan(sp_exact_total((const double[]){1.0, (double)NAN}, 2, 1)));
}

static void stride_skips_values_between(void **state)
{
    (void)state;
    const double x[] = {1.0, 100.0, 2.0, 200.0, 3.0, 300.0};
    assert_true(sp_exact_total(x, 3, 2) == 6.0);
    assert_true(sp_exact_total(x + 1, 3, 2) == 600.0);
    assert_true(sp_exact_total(x, 0, 2) == 0.0);
}

/// Carries are propagated long before the 64 bits of a bin are full. The counter is set ahead,
/// instead of adding 2^30 numbers.
static void carries_do_not_change_the_sum(void **state)
{
    (void)state;
    static double x[COUNT];
    wild_numbers(x);
    sp_exact_sum sum = {0};
    for (size_t i = 0; i < COUNT; ++i) {
        if (i % 10 == 0) sum.added = UINT32_C(1) << 30;
        sp_exact_add(&sum, x[i]);
        assert_true(i % 10 != 0 || sum.added < 10);
    }
    assert_same_bits(sp_exact_round(&sum), sp_exact_total(x, COUNT, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_does_not_depend_on_the_order),
        cmocka_unit_test(opposite_numbers_cancel_exactly),
        cmocka_unit_test(sum_of_two_equals_ieee_addition),
        cmocka_unit_test(sum_is_rounded_once_and_ties_go_to_even),
        cmocka_unit_test(infinities_and_nan_are_not_lost),
        cmocka_unit_test(stride_skips_values_between),
        cmocka_unit_test(carries_do_not_change_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
