// SPDX-License-Identifier: Apache-2.0
/// Kernel, densities and PCISPH's factor on a lattice: numbers that are known exactly.
#include "validate/sph/proofs.h"

sp_status sph_prove_kernel(sp_check_report *report, sp_error *err)
{
    enum { STEPS = 100 }; // of half the cube's side: 200^3 points in all, an octant is enough
    (void)err;
    const double h = 0.04;
    double integral = 0.0, worst = 0.0;
    for (int i = 0; i < STEPS; ++i)
        for (int j = 0; j < STEPS; ++j)
            for (int k = 0; k < STEPS; ++k) {
                const double x = (i + 0.5) * h / STEPS, y = (j + 0.5) * h / STEPS,
                             z = (k + 0.5) * h / STEPS;
                integral += sph_kernel(sqrt(x * x + y * y + z * z), h);
            }
    integral *= 8.0 * h * h * h / STEPS / STEPS / STEPS;
    sp_within(report, "integral of W", integral, 1.0, 1e-3, "midpoints of 200^3 cubes");
    sp_within(report, "W(0) d^3", sph_kernel(0.0, h) * 8e-6, 0.318310, 1e-6,
              "8/(pi h^3) d^3 with h = 2d is 1/pi");
    for (int i = 1; i < 1000; ++i) {
        const double r = 1e-3 * i * h, e = 1e-5 * h;
        if (fabs(r - 0.5 * h) < 2.0 * e) continue; // the third derivative jumps there
        const double slope = (sph_kernel(r + e, h) - sph_kernel(r - e, h)) / (2.0 * e),
                     exact = sph_kernel_slope(r, h);
        worst = fmax(worst, fabs(slope - exact) / fabs(exact));
    }
    sp_at_most(report, "W' against differences of W, relative", worst, 1e-4,
               "second order in a step of 1e-5 h, over W' that falls to 1e-6 at the rim");
    return SP_OK;
}

sp_status sph_prove_factor(sp_check_report *report, sp_error *err)
{
    (void)err;
    static const struct {
        double ratio, most;
    } lattice[] = {{2.0, 1.409}, {2.2, 1.645}, {2.4, 1.972}, {2.6, 2.45}, {3.0, 3.73}};
    sp_within(report, "delta dt^2/d^2 of water", sph_factor(2.0, false), 1.17691, 1e-4,
              "a sum over 32 lattice points");
    sp_within(report, "delta dt^2/d^2 of air", sph_factor(2.0, true), 1.25537, 1e-4,
              "the same with the spiky gradient");
    for (size_t i = 0; i < sizeof lattice / sizeof *lattice; ++i)
        sp_relative(report, "largest eigenvalue of delta B, h/d = 2 to 3",
                    sph_factor_eigenvalue(lattice[i].ratio, false), lattice[i].most, 3e-3,
                    "three digits are known; waves are sampled in steps of pi/40");
    sp_relative(report, "largest eigenvalue of air's, h/d = 2", sph_factor_eigenvalue(2.0, true),
                1.410, 3e-3, "as above");
    return SP_OK;
}
