// SPDX-License-Identifier: Apache-2.0
/// Rotations as quaternions and matrices, with the same bits on every machine. Angles are in turns.
#include "shapes/internal.h"

void shape_quaternion(const double axis[3], double turns, double q[4])
{
    double s;
    sp_sincos_turns(0.5 * turns, &s, &q[0]);
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
