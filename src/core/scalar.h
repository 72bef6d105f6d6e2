// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_SCALAR_H
#define SP_CORE_SCALAR_H

#include <stdint.h>
#include <string.h>

/// exp, log, sin, cos and cube root from + - * / and sqrt alone, because libm differs between machines
/// and browsers and our states must not. Accurate to a few units in the last place.

float sp_expf(float x); ///< 0 below -87, +inf above 88.7
float sp_logf(float x); ///< for x > 0
float sp_sinf(float x); ///< good for |x| up to about 1e4
float sp_cosf(float x);
double sp_cbrt(double x);        ///< for x >= 0
float sp_powf(float x, float y); ///< exp(y log x), for x > 0

/// exp for loops: no branches, so compilers vectorise it; x is clamped to [-87, 0]. n halvings and a
/// polynomial of degree 6 on |r| <= ln2/2, good to 3e-7.
static inline float sp_fade(float x)
{
    x = x > -87.0f ? x : -87.0f;
    x = x < 0.0f ? x : 0.0f;
    const int32_t n =
        (int32_t)(x * 1.44269504f - 0.5f); // truncation toward zero rounds a negative number
    const float r = (x - (float)n * 0.693145752f) - (float)n * 1.42860677e-6f;
    const float p =
        1.0f +
        r * (1.0f +
             r * (0.5f + r * (0.166666672f +
                              r * (0.0416666679f + r * (0.00833333377f + r * 0.00138888892f)))));
    const int32_t bits = (n + 127) * (1 << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

#endif
