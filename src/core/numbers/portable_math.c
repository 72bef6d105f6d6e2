// SPDX-License-Identifier: Apache-2.0
/// exp, log, sin, cos, angles and cube root with the same bits on every machine.
#include "core/numbers/portable_math.h"

#include "core/numbers/vectors.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t to_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// x = n ln2 + r with |r| <= ln2/2; exp(r) by its Taylor polynomial of degree 7 in double, where the
// remainder (0.3466^8/8! = 5e-9) is below float rounding.
float sp_expf(float x)
{
    if (!(x > -87.0f)) return x < 0.0f ? 0.0f : x; // underflow gives 0, NaN stays NaN
    if (x > 88.7f) return INFINITY;
    const double n = floor((double)x * 1.4426950408889634 + 0.5);
    const double r = (double)x - n * 0.6931471805599453;
    const double p =
        1.0 +
        r * (1.0 + r * (1.0 / 2 +
                        r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 +
                                                            r * (1.0 / 720 + r * (1.0 / 5040)))))));
    // 2^n in two halves, so that no intermediate result overflows
    const int whole = (int)n, half = whole / 2;
    return (float)(p * (double)from_bits((uint32_t)(127 + half) << 23) *
                   (double)from_bits((uint32_t)(127 + whole - half) << 23));
}

// x = 2^n m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh s, s = (m-1)/(m+1), |s| < 0.172, where six
// terms of the series leave 2 s^13/13 = 2e-11.
float sp_logf(float x)
{
    if (!(x > 0.0f)) return x == 0.0f ? -INFINITY : NAN;
    if (isinf(x)) return x;
    int n = 0;
    if (x < 0x1p-126f) { // subnormal
        x *= 0x1p24f;
        n = -24;
    }
    uint32_t bits = to_bits(x);
    n += (int)(bits >> 23) - 127;
    double m = (double)from_bits((bits & 0x7fffffu) | 0x3f800000u);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++n;
    }
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    const double series =
        1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11)))));
    return (float)((double)n * 0.6931471805599453 + 2.0 * s * series);
}

// The angle is reduced by quarter turns in double. The rest is at most pi/4, where Taylor
// polynomials of degree 9 and 10 are accurate to 2e-9.
static double sine_kernel(double r)
{
    const double q = r * r;
    return r * (1.0 + q * (-1.0 / 6 + q * (1.0 / 120 + q * (-1.0 / 5040 + q * (1.0 / 362880)))));
}

static double cosine_kernel(double r)
{
    const double q = r * r;
    return 1.0 + q * (-1.0 / 2 +
                      q * (1.0 / 24 + q * (-1.0 / 720 + q * (1.0 / 40320 - q * (1.0 / 3628800)))));
}

static float turned(float x, int64_t quarter)
{
    const double n = floor((double)x * 0.6366197723675814 + 0.5);
    const double r = (double)x - n * 1.5707963267948966;
    quarter += (int64_t)n;
    const double value = (quarter & 1) ? cosine_kernel(r) : sine_kernel(r);
    return (float)((quarter & 2) ? -value : value);
}

float sp_sinf(float x)
{
    return fabsf(x) < 1e9f ? turned(x, 0) : 0.0f * x; // NaN for infinities, as sin
}

float sp_cosf(float x)
{
    return fabsf(x) < 1e9f ? turned(x, 1) : 0.0f * x + 1.0f;
}

// Dividing the exponent by three gives a start within 6 %; four Newton steps reduce the error to
// 1e-16.
double sp_cbrt(double x)
{
    if (!(x > 0.0)) return 0.0;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + 0x2a9f7893782da1ceu;
    double y;
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 4; ++i)
        y = (2.0 * y + x / (y * y)) * (1.0 / 3.0);
    return y;
}

float sp_powf(float x, float y)
{
    return sp_expf(y * sp_logf(x));
}

// Sine and cosine for angles up to an eighth of a turn; the series are accurate to the last bit of
// a double there.
static void small_sincos(double angle, double *sine, double *cosine)
{
    const double x2 = angle * angle;
    double s = 0.0, c = 0.0;
    for (int k = 17; k >= 3; k -= 2) {
        s = (1.0 + s) * (-x2 / (double)(k * (k - 1)));
        c = (1.0 + c) * (-x2 / (double)((k - 1) * (k - 2)));
    }
    *sine = angle + angle * s;
    *cosine = 1.0 + c;
}

void sp_sincos_turns(double turns, double *sine, double *cosine)
{
    const double within = turns - floor(turns); // exact
    const double quarter = floor(4.0 * within + 0.5);
    double s, c;
    small_sincos(2.0 * SP_PI_D * (within - 0.25 * quarter), &s, &c);
    const int k = (int)quarter & 3;
    *sine = k == 0 ? s : k == 1 ? c : k == 2 ? -s : -c;
    *cosine = k == 0 ? c : k == 1 ? -s : k == 2 ? -c : s;
}

// atan of x in [0, 1]: the angle is halved three times to below 0.1, then the series is used.
static double small_atan(double x)
{
    for (int k = 0; k < 3; ++k)
        x = x / (1.0 + sqrt(1.0 + x * x));
    const double x2 = x * x;
    double sum = 0.0;
    for (int k = 17; k >= 1; k -= 2)
        sum = 1.0 / (double)k - x2 * sum;
    return 8.0 * x * sum;
}

double sp_atan2_turns(double y, double x)
{
    const double along = fabs(x), up = fabs(y);
    double angle = up <= along ? (along > 0.0 ? small_atan(up / along) : 0.0)
                               : 0.5 * SP_PI_D - small_atan(along / up);
    if (x < 0.0) angle = SP_PI_D - angle;
    return copysign(angle, y) / (2.0 * SP_PI_D);
}
