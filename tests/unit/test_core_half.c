// SPDX-License-Identifier: Apache-2.0
// links: core
/// Half precision: exact in one direction, rounded to nearest in the other.
#include "core/numbers/half.h"
#include "core/numbers/random.h"
#include "testing.h"

#include <math.h>

/// Sign, exponent and fraction as IEEE 754 defines them.
static double value_of(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -size : size;
}

static void every_finite_half_becomes_its_number_and_comes_back(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 0x10000; ++half) {
        const float x = sp_float_of_half((uint16_t)half);
        if ((half & 0x7c00) == 0x7c00) {
            assert_true(half & 0x3ff ? isnan(x) : isinf(x));
            continue;
        }
        assert_true((double)x == value_of((uint16_t)half));
        assert_int_equal(sp_half_of_float(x), half); // also the sign of zero
    }
}

/// Between two neighbours the nearer one is taken, and in the middle the even one.
static void numbers_between_two_halves_go_to_the_nearer(void **state)
{
    (void)state;
    for (uint16_t half = 0; half < 0x7bff; ++half) {
        const float low = sp_float_of_half(half), high = sp_float_of_half((uint16_t)(half + 1)),
                    middle = 0.5f * (low + high); // exact: a float has 13 bits more
        assert_int_equal(sp_half_of_float(nextafterf(middle, low)), half);
        assert_int_equal(sp_half_of_float(middle), half + (half & 1));
        assert_int_equal(sp_half_of_float(nextafterf(middle, high)), half + 1);
        assert_int_equal(sp_half_of_float(-nextafterf(middle, high)), (half + 1) | 0x8000);
    }
}

/// 2^-11 of the value, and 2^-25 below 2^-14, where halves are 2^-24 apart.
static void arrays_are_rounded_within_the_bound_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 300000 };
    static float from[N], back[N];
    static uint16_t halves[2][N];
    for (uint32_t i = 0; i < N; ++i) {
        const sp_random4 r = sp_random(1, 2, i, 0, 0);
        from[i] = ldexpf(2.0f * sp_unit(r.x[0]) - 1.0f, (int)(r.x[1] % 45) - 30) * 1.99f;
    }
    assert_true(sp_halves_fit(N, from));
    for (int threads = 1; threads <= 2; ++threads) {
        const sp_host host = sp_host_default(threads);
        sp_halves_of_floats(&host, N, from, halves[threads - 1]);
        sp_floats_of_halves(&host, N, halves[threads - 1], back);
        for (size_t i = 0; i < N; ++i) {
            const double bound = fmax(0x1p-11 * fabs((double)from[i]), 0x1p-25);
            assert_true(fabs((double)back[i] - (double)from[i]) <= bound);
        }
    }
    assert_memory_equal(halves[0], halves[1], sizeof halves[0]);
}

static void numbers_beyond_the_largest_half_do_not_fit(void **state)
{
    (void)state;
    static const float beyond[] = {65505.0f, -65505.0f, INFINITY, NAN};
    float x[] = {1.0f, 65504.0f, -65504.0f, 0.0f, 1e-30f};
    assert_true(sp_halves_fit(5, x) && sp_halves_fit(0, x));
    for (size_t i = 0; i < 4; ++i) {
        x[3] = beyond[i];
        assert_false(sp_halves_fit(5, x));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_finite_half_becomes_its_number_and_comes_back),
        cmocka_unit_test(numbers_between_two_halves_go_to_the_nearer),
        cmocka_unit_test(arrays_are_rounded_within_the_bound_on_any_number_of_threads),
        cmocka_unit_test(numbers_beyond_the_largest_half_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
