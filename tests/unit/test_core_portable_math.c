// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/numbers/portable_math.h"
#include "core/numbers/vectors.h"
#include "testing.h"

#include <float.h>
#include <math.h>

/// How far a float is from the true value, in units of its own last place.
static double ulps(float got, double exact)
{
    const double last = (double)(nextafterf(fabsf(got), INFINITY) - fabsf(got));
    return fabs((double)got - exact) / last;
}

// Rounding to float costs half a unit; the polynomials' remainders (5e-9 at most, against a unit of
// at least 6e-8) cost less than a tenth more. The double libm beside it is exact at this scale.
static const double rounding = 0.6;

static void exp_is_right_to_the_last_place(void **state)
{
    (void)state;
    for (float x = -86.9f; x < 88.6f; x += 0.00371f)
        assert_true(ulps(sp_expf(x), exp((double)x)) <= rounding);
    assert_true(sp_expf(0.0f) == 1.0f);
    assert_true(sp_expf(-200.0f) == 0.0f && sp_expf(-INFINITY) == 0.0f);
    assert_true(isinf(sp_expf(200.0f)) && isinf(sp_expf(INFINITY)));
    assert_true(isnan(sp_expf(NAN)));
}

static void log_is_right_to_the_last_place(void **state)
{
    (void)state;
    for (float x = 1e-44f; x < 1e38f; x *= 1.00713f) {
        assert_true(ulps(sp_logf(x), log((double)x)) <= rounding);
        if (x < 1e-40f) x += 1e-44f; // among subnormals the factor alone would not move x
    }
    for (float x = 0.5f; x < 2.0f; x += 1e-5f) // where the answer passes through zero
        assert_true(ulps(sp_logf(x), log((double)x)) <= rounding);
    assert_true(sp_logf(1.0f) == 0.0f);
    assert_true(sp_logf(0.0f) == -INFINITY && sp_logf(INFINITY) == INFINITY);
    assert_true(isnan(sp_logf(-1.0f)) && isnan(sp_logf(NAN)));
}

/// Besides rounding there is the error of the quarter turns: up to 6400 of them are subtracted with
/// a pi/2 that is off by 6e-17 and a product that rounds at 1e-12.
static void assert_sine_like(float got, double exact)
{
    const double last = (double)(nextafterf(fabsf(got), INFINITY) - fabsf(got));
    assert_true(fabs((double)got - exact) <= rounding * last + 2e-12);
}

static void sine_and_cosine_are_right_to_the_last_place(void **state)
{
    (void)state;
    for (float x = -1e4f; x <= 1e4f; x += 0.0973f) {
        assert_sine_like(sp_sinf(x), sin((double)x));
        assert_sine_like(sp_cosf(x), cos((double)x));
    }
    for (float x = -4.0f; x <= 4.0f; x += 1e-4f) {
        assert_sine_like(sp_sinf(x), sin((double)x));
        assert_sine_like(sp_cosf(x), cos((double)x));
    }
    assert_true(sp_sinf(0.0f) == 0.0f && sp_cosf(0.0f) == 1.0f);
    assert_true(isnan(sp_sinf(INFINITY)) && isnan(sp_cosf(-INFINITY)) && isnan(sp_sinf(NAN)));
}

/// Four Newton steps from 6 % leave no truncation error; three operations round, so three units.
static void cube_roots_cube_back(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.37) {
        const double exact = cbrt(x);
        assert_true(fabs(sp_cbrt(x) - exact) <= 3.0 * DBL_EPSILON * exact);
    }
    assert_true(sp_cbrt(0.0) == 0.0);
    assert_true(fabs(sp_cbrt(27.0) - 3.0) <= 3.0 * DBL_EPSILON * 3.0);
}

/// y*log x is rounded twice as a float before exp, and exp turns an absolute error e into a
/// relative one: |y log x| * 2^-23 beside the last rounding.
static void power_error_is_bounded_by_its_exponent(void **state)
{
    (void)state;
    for (float y = -3.0f; y <= 3.0f; y += 0.37f)
        for (float x = 1e-6f; x < 1e6f; x *= 1.13f) {
            const double exact = pow((double)x, (double)y);
            if (exact < 1e-37 || exact > 3e38) continue;
            const double allowed = (fabs((double)y * log((double)x)) + 1.0) * 0x1p-23;
            assert_true(fabs((double)sp_powf(x, y) / exact - 1.0) <= allowed);
        }
}

static void sine_and_cosine_of_turns_agree_with_libm(void **state)
{
    (void)state;
    for (int i = -4000; i <= 4000; ++i) {
        const double turns =
            i / 977.0; // libm gets a rounded product: 4 turns times 2^-53 times 2 pi
        double s, c;
        sp_sincos_turns(turns, &s, &c);
        assert_true(fabs(s - sin(2.0 * SP_PI_D * turns)) < 4e-15);
        assert_true(fabs(c - cos(2.0 * SP_PI_D * turns)) < 4e-15);
    }
    for (int quarter = -8; quarter <= 8; ++quarter) { // exactly, unlike radians
        double s, c;
        sp_sincos_turns(0.25 * quarter, &s, &c);
        assert_true(s * c == 0.0 && fabs(s + c) == 1.0);
    }
}

static void angle_of_a_point_agrees_with_libm(void **state)
{
    (void)state;
    for (int i = -1000; i <= 1000; ++i)
        for (double r = 1e-9; r < 1e10; r *= 1e3) {
            const double angle = SP_PI_D * i / 1000.0, y = r * sin(angle), x = r * cos(angle);
            assert_true(fabs(sp_atan2_turns(y, x) - atan2(y, x) / (2.0 * SP_PI_D)) < 1e-15);
        }
    assert_true(sp_atan2_turns(0.0, 0.0) == 0.0);
    assert_true(sp_atan2_turns(0.0, -1.0) == 0.5 && sp_atan2_turns(-0.0, -1.0) == -0.5);
    assert_true(sp_atan2_turns(2.0, 0.0) == 0.25 && sp_atan2_turns(-2.0, 0.0) == -0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_right_to_the_last_place),
        cmocka_unit_test(log_is_right_to_the_last_place),
        cmocka_unit_test(sine_and_cosine_are_right_to_the_last_place),
        cmocka_unit_test(cube_roots_cube_back),
        cmocka_unit_test(power_error_is_bounded_by_its_exponent),
        cmocka_unit_test(sine_and_cosine_of_turns_agree_with_libm),
        cmocka_unit_test(angle_of_a_point_agrees_with_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
