// SPDX-License-Identifier: Apache-2.0
/// Eigenvalues of symmetric 3x3 matrices by Jacobi rotations (1846), in double, eight matrices at a
/// time. Every matrix takes the same number of sweeps, so that a result does not depend on the
/// other lanes. Convergence is quadratic; after five sweeps the error is far below 1e-8.
#include "surface/internal.h"

enum { SWEEPS = 5, LANES = SURFACE_EIGEN };

/// Matrices as xx yy zz xy xz yz and their eigenvectors, row by row.
typedef struct batch {
    double a[6][LANES];
    double v[9][LANES];
} batch;

/// Rotates axes p and q so that the entry between them vanishes. `pq`, `rp` and `rq` are the
/// indices of matrix entries; r is the third axis.
static void rotate(batch *b, int p, int q, int pq, int rp, int rq)
{
    double *restrict app = b->a[p], *restrict aqq = b->a[q], *restrict apq = b->a[pq];
    double *restrict arp = b->a[rp], *restrict arq = b->a[rq];
    double c[LANES], s[LANES];
    SP_VECTOR_LOOP
    for (int l = 0; l < LANES; ++l) {
        const double gap = aqq[l] - app[l], twice = 2.0 * apq[l];
        const double root = fabs(gap) + sqrt(gap * gap + twice * twice);
        const double t = (gap < 0.0 ? -twice : twice) / (root + 1e-300); // 0 if apq is 0
        c[l] = 1.0 / sqrt(t * t + 1.0);
        s[l] = t * c[l];
        app[l] -= t * apq[l];
        aqq[l] += t * apq[l];
        apq[l] = 0.0;
        const double to_p = arp[l], to_q = arq[l];
        arp[l] = c[l] * to_p - s[l] * to_q;
        arq[l] = s[l] * to_p + c[l] * to_q;
    }
    for (int k = 0; k < 3; ++k) {
        double *restrict vp = b->v[3 * k + p], *restrict vq = b->v[3 * k + q];
        SP_VECTOR_LOOP
        for (int l = 0; l < LANES; ++l) {
            const double to_p = vp[l], to_q = vq[l];
            vp[l] = c[l] * to_p - s[l] * to_q;
            vq[l] = s[l] * to_p + c[l] * to_q;
        }
    }
}

static void swap_columns(surface_axes *e, int p, int q)
{
    if (e->value[p] >= e->value[q]) return; // a stable sort
    const double kept = e->value[p];
    e->value[p] = e->value[q];
    e->value[q] = kept;
    for (int k = 0; k < 3; ++k) {
        const double column = e->vector[k][p];
        e->vector[k][p] = e->vector[k][q];
        e->vector[k][q] = column;
    }
}

void surface_eigen_many(size_t n, const surface_moments *m, surface_axes *out)
{
    SP_ASSERT(n <= LANES);
    batch b = {0};
    for (size_t l = 0; l < n; ++l) {
        for (int e = 0; e < 6; ++e)
            b.a[e][l] = m[l].c[e];
        for (int k = 0; k < 3; ++k)
            b.v[4 * k][l] = 1.0;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        rotate(&b, 0, 1, 3, 4, 5);
        rotate(&b, 0, 2, 4, 3, 5);
        rotate(&b, 1, 2, 5, 3, 4);
    }
    for (size_t l = 0; l < n; ++l) {
        for (int k = 0; k < 3; ++k) {
            out[l].value[k] = b.a[k][l];
            for (int i = 0; i < 3; ++i)
                out[l].vector[i][k] = b.v[3 * i + k][l];
        }
        swap_columns(&out[l], 0, 1);
        swap_columns(&out[l], 1, 2);
        swap_columns(&out[l], 0, 1);
    }
}
