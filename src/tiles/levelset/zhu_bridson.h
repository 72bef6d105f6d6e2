// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_LEVELSET_ZHU_BRIDSON_H
#define SP_TILES_LEVELSET_ZHU_BRIDSON_H

/// Level set of liquid from particles (Zhu and Bridson 2005). With d_p = x_p - x and
/// k = (1 - d^2/R^2)^3,
///
///     mean d = sum k d_p / sum k,      phi = |mean d| - f r.
///
/// Between two particles that separate, the mean jumps from one to the other and phi makes false
/// liquid; its derivative is large there (Solenthaler, Schlaefli and Pajarola 2007). With
/// q = 1 - d^2/R^2,
///
///     d(mean)_a/dx_b = 6/(R^2 sum k) * sum q^2 d_b (d_a - (mean d)_a)
///
/// and the radius fades, f = 1 - (1 - g)^3 with g = (2 - e)/(2 - 0.4), as the largest eigenvalue e
/// goes from 0.4 to 2. The matrix is symmetric except for the term with the mean, and mean d is
/// nearly parallel to sum q^2 d. e is that of the symmetric part, whose largest eigenvalue is no
/// less than the real part of any eigenvalue of the matrix.
///
/// This file has the sums that are needed, and a cell's phi from them; d is in voxels.

#include "tiles/internal.h"

/// Sums of k, of k*d, of q^2*d and of q^2*d*d.
enum {
    SP_MEAN_K,
    SP_MEAN_KX,
    SP_MEAN_KY,
    SP_MEAN_KZ,
    SP_MEAN_QX,
    SP_MEAN_QY,
    SP_MEAN_QZ,
    SP_MEAN_XX,
    SP_MEAN_YY,
    SP_MEAN_ZZ,
    SP_MEAN_XY,
    SP_MEAN_YZ,
    SP_MEAN_ZX,
    SP_MEAN_SUMS
};

/// The largest eigenvalue of a symmetric matrix. Let m be a third of the trace and write the matrix
/// as m + p*B with tr(B^2) = 6; its eigenvalues are m + p*t with t^3 - 3t = det B. The largest t is
/// in [1, 2]. t = 1 + sqrt((2 + det B)/3) is above it, and Newton's method converges from there;
/// three steps give 1e-4.
static inline float sp_largest_eigenvalue(float xx, float yy, float zz, float xy, float yz,
                                          float zx)
{
    const float m = (xx + yy + zz) * (1.0f / 3.0f);
    const float a = xx - m, b = yy - m, c = zz - m;
    const float p2 = (a * a + b * b + c * c + 2.0f * (xy * xy + yz * yz + zx * zx)) * (1.0f / 6.0f);
    const float p = sqrtf(p2);
    const float det = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx);
    const float cubed = sp_most(p2 * p, 1e-30f);
    const float right = sp_least(sp_most(det / cubed, -2.0f), 2.0f);
    float t = 1.0f + sqrtf((2.0f + right) * (1.0f / 3.0f)) + 1e-4f; // avoids double root t = 1
    for (int n = 0; n < 3; ++n)
        t -= (t * (t * t - 3.0f) - right) / (3.0f * (t * t - 1.0f));
    return m + p * t;
}

/// |mean d| - f r of one cell, lane l of its pair of rows. n points at the mean would have the sum
/// n k(mean d). Where sum k is less than that for n = `min_points`, the radius shrinks with the
/// square root of the ratio (min_points 0: never). (A limit on sum k alone would treat cells high
/// above a flat surface, where sum k is small, as isolated, and the surface would be too low by up
/// to 0.01 voxel.)
static inline float sp_mean_distance(float (*s)[SP_LANES], int l, float scale, float radius,
                                     float min_points)
{
    const float per_k = 1.0f / sp_most(s[SP_MEAN_K][l], 1e-20f);
    const float mx = s[SP_MEAN_KX][l] * per_k, my = s[SP_MEAN_KY][l] * per_k,
                mz = s[SP_MEAN_KZ][l] * per_k;
    const float f = scale * per_k;
    const float e = sp_largest_eigenvalue(
        f * (s[SP_MEAN_XX][l] - mx * s[SP_MEAN_QX][l]),
        f * (s[SP_MEAN_YY][l] - my * s[SP_MEAN_QY][l]),
        f * (s[SP_MEAN_ZZ][l] - mz * s[SP_MEAN_QZ][l]),
        f * (s[SP_MEAN_XY][l] - 0.5f * (mx * s[SP_MEAN_QY][l] + my * s[SP_MEAN_QX][l])),
        f * (s[SP_MEAN_YZ][l] - 0.5f * (my * s[SP_MEAN_QZ][l] + mz * s[SP_MEAN_QY][l])),
        f * (s[SP_MEAN_ZX][l] - 0.5f * (mz * s[SP_MEAN_QX][l] + mx * s[SP_MEAN_QZ][l])));
    const float left = sp_least(sp_most((e - 0.4f) * (1.0f / 1.6f), 0.0f), 1.0f); // 1 - g
    const float square = mx * mx + my * my + mz * mz;
    const float q = sp_most(1.0f - scale * (1.0f / 6.0f) * square, 0.0f),
                few = min_points * q * q * q;
    const float share = s[SP_MEAN_K][l] < few ? sqrtf(s[SP_MEAN_K][l] / few) : 1.0f;
    return sqrtf(square) - share * radius * (1.0f - left * left * left);
}

#endif
