// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_PORTABLE_MATH_H
#define SP_CORE_NUMBERS_PORTABLE_MATH_H

/// exp, log, sin, cos, angles and cube root from + - * / and sqrt alone. libm differs between machines and
/// browsers, and the state of a simulation must not. Accurate to a few units in the last place.

float sp_expf(float x); ///< 0 below -87, +inf above 88.7
float sp_logf(float x); ///< for x > 0
float sp_sinf(float x); ///< accurate for |x| up to about 1e4
float sp_cosf(float x);
double sp_cbrt(double x);        ///< for x >= 0
float sp_powf(float x, float y); ///< exp(y log x), for x > 0

/// Angles in double are in turns, because reducing turns is exact; the error is at most 1e-15.
void sp_sincos_turns(double turns, double *sine, double *cosine);
double sp_atan2_turns(double y, double x); ///< of the point (x, y), from -1/2 to 1/2; 0 for (0, 0)

#endif
