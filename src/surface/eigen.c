// SPDX-License-Identifier: Apache-2.0
/// Eigenvalues of symmetric 3x3 matrices by Jacobi's rotations (1846), in double.
#include "surface/internal.h"

enum { SWEEPS = 8 };

/// Turns rows and columns p and q so that a[p][q] vanishes.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0) return;
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    const int r = 3 - p - q;
    const double arp = a[r][p], arq = a[r][q], apq = a[p][q];
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = a[q][p] = 0.0;
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int k = 0; k < 3; ++k) {
        const double vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

static void swap_columns(double value[3], double v[3][3], int p, int q)
{
    if (value[p] >= value[q]) return; // equal ones stay: the sort is stable
    const double kept = value[p];
    value[p] = value[q];
    value[q] = kept;
    for (int k = 0; k < 3; ++k) {
        const double column = v[k][p];
        v[k][p] = v[k][q];
        v[k][q] = column;
    }
}

void surface_eigen(const double c[6], double value[3], double vector[3][3])
{
    double a[3][3] = {{c[0], c[3], c[4]}, {c[3], c[1], c[5]}, {c[4], c[5], c[2]}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            vector[i][j] = i == j;
    const double size = fabs(c[0]) + fabs(c[1]) + fabs(c[2]);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        const double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        // Convergence is quadratic: what is left turns vectors by 1e-8 and changes values by 1e-16.
        if (off <= 1e-8 * size) break;
        rotate(a, vector, 0, 1);
        rotate(a, vector, 0, 2);
        rotate(a, vector, 1, 2);
    }
    for (int k = 0; k < 3; ++k)
        value[k] = a[k][k];
    swap_columns(value, vector, 0, 1);
    swap_columns(value, vector, 1, 2);
    swap_columns(value, vector, 0, 1);
}
