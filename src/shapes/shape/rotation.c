// SPDX-License-Identifier: Apache-2.0
/// Angles and rotations from + - * / and sqrt alone: libm differs between machines, and the pose of
/// a body must not. Angles are in turns, because reducing turns is exact.
#include "shapes/internal.h"

#include <math.h>

/// Sine and cosine for angles up to an eighth of a turn; the series are accurate to the last bit of
/// a double there.
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

void shape_sincos(double turns, double *sine, double *cosine)
{
    const double within = turns - floor(turns); // exact
    const double quarter = floor(4.0 * within + 0.5);
    double s, c;
    small_sincos(2.0 * SP_PI_D * (within - 0.25 * quarter), &s, &c);
    const int k = (int)quarter & 3;
    *sine = k == 0 ? s : k == 1 ? c : k == 2 ? -s : -c;
    *cosine = k == 0 ? c : k == 1 ? -s : k == 2 ? -c : s;
}

/// atan of x in [0, 1]: the angle is halved three times to below 0.1, then the series is used.
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

double shape_atan_turns(double y, double x)
{
    const double along = fabs(x);
    double angle = y <= along ? (along > 0.0 ? small_atan(y / along) : 0.0)
                              : 0.5 * SP_PI_D - small_atan(along / y);
    if (x < 0.0) angle = SP_PI_D - angle;
    return angle / (2.0 * SP_PI_D);
}

void shape_quaternion(const double axis[3], double turns, double q[4])
{
    double s;
    shape_sincos(0.5 * turns, &s, &q[0]);
    for (int k = 0; k < 3; ++k)
        q[k + 1] = s * axis[k];
}

void shape_quaternion_product(const double a[4], const double b[4], double ab[4])
{
    double c[3];
    sp_cross3(a + 1, b + 1, c);
    ab[0] = a[0] * b[0] - sp_dot3(a + 1, b + 1);
    for (int k = 0; k < 3; ++k)
        ab[k + 1] = a[0] * b[k + 1] + b[0] * a[k + 1] + c[k];
}

void shape_quaternion_matrix(const double q[4], double m[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1.0 - 2.0 * (y * y + z * z);
    m[1] = 2.0 * (x * y - w * z);
    m[2] = 2.0 * (x * z + w * y);
    m[3] = 2.0 * (x * y + w * z);
    m[4] = 1.0 - 2.0 * (x * x + z * z);
    m[5] = 2.0 * (y * z - w * x);
    m[6] = 2.0 * (x * z - w * y);
    m[7] = 2.0 * (y * z + w * x);
    m[8] = 1.0 - 2.0 * (x * x + y * y);
}
