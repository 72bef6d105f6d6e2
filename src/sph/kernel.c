// SPDX-License-Identifier: Apache-2.0
/// The kernels in double precision, and PCISPH's factor on a perfect lattice.
#include "sph/internal.h"

double sph_kernel(double r, double h)
{
    const double s = 8.0 / (SP_PI_D * h * h * h), q = r / h;
    if (q <= 0.5) return s * (6.0 * q * q * q - 6.0 * q * q + 1.0);
    return q < 1.0 ? 2.0 * s * (1.0 - q) * (1.0 - q) * (1.0 - q) : 0.0;
}

double sph_kernel_slope(double r, double h)
{
    const double s = 48.0 / (SP_PI_D * h * h * h * h), q = r / h;
    if (q <= 0.5) return s * q * (3.0 * q - 2.0);
    return q < 1.0 ? -s * (1.0 - q) * (1.0 - q) : 0.0;
}

double sph_spiky_slope(double r, double h)
{
    const double s = 45.0 / (SP_PI_D * h * h * h * h), q = r / h;
    return q < 1.0 ? -s * (1.0 - q) * (1.0 - q) : 0.0;
}

/// The points of a cubic lattice of spacing 1 within the support, except the origin.
enum { REACH = 3, POINTS = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };
typedef struct lattice {
    int count;
    double x[POINTS][3];
    double slope[POINTS], pressure[POINTS]; ///< W'/r, and that of the pressure force
} lattice;

static void fill_lattice(lattice *l, double ratio, bool spiky)
{
    l->count = 0;
    for (int i = -REACH; i <= REACH; ++i)
        for (int j = -REACH; j <= REACH; ++j)
            for (int k = -REACH; k <= REACH; ++k) {
                const double r = sqrt((double)(i * i + j * j + k * k));
                if (r == 0.0 || r >= ratio) continue;
                l->x[l->count][0] = i;
                l->x[l->count][1] = j;
                l->x[l->count][2] = k;
                l->slope[l->count] = sph_kernel_slope(r, ratio) / r;
                l->pressure[l->count] = spiky ? sph_spiky_slope(r, ratio) / r : l->slope[l->count];
                ++l->count;
            }
}

/// Q = sum grad W . grad S over the lattice; the sum of the gradients alone is zero.
static double lattice_q(const lattice *l)
{
    double q = 0.0;
    for (int n = 0; n < l->count; ++n) {
        const double *x = l->x[n];
        q += l->slope[n] * l->pressure[n] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    return q;
}

double sph_factor(double ratio, bool spiky)
{
    lattice l;
    fill_lattice(&l, ratio, spiky);
    return 1.0 / (2.0 * lattice_q(&l)); // V0 = 1 and dt = 1 in units of the spacing
}

enum { STEPS = 40 }; // of each component of a wave vector from 0 to half a turn per spacing

/// A pressure wave p = cos(k.x) changes the density by -g_W(k).g_S(k) p, g = sum grad sin(k.x). The wave
/// vector is in steps; sine[m] is the sine of m steps.
static double response(const lattice *l, const double sine[2 * STEPS], const int k[3])
{
    double gw[3] = {0}, gs[3] = {0};
    for (int n = 0; n < l->count; ++n) {
        const double *x = l->x[n];
        const int phase = (k[0] * (int)x[0] + k[1] * (int)x[1] + k[2] * (int)x[2]) % (2 * STEPS);
        const double wave = sine[phase < 0 ? phase + 2 * STEPS : phase];
        for (int c = 0; c < 3; ++c) {
            gw[c] += l->slope[n] * x[c] * wave;
            gs[c] += l->pressure[n] * x[c] * wave;
        }
    }
    return gw[0] * gs[0] + gw[1] * gs[1] + gw[2] * gs[2];
}

double sph_factor_eigenvalue(double ratio, bool spiky)
{
    lattice l;
    double sine[2 * STEPS], cosine, most = 0.0;
    fill_lattice(&l, ratio, spiky);
    for (int m = 0; m < 2 * STEPS; ++m)
        sp_sincos_turns(0.5 * m / STEPS, &sine[m], &cosine);
    for (int i = 0; i <= STEPS; ++i) // the maximum is flat
        for (int j = 0; j <= i; ++j)
            for (int n = 0; n <= j; ++n) {
                const double here = response(&l, sine, (const int[3]){i, j, n});
                if (here > most) most = here;
            }
    return most / (2.0 * lattice_q(&l));
}
