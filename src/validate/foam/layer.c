// SPDX-License-Identifier: Apache-2.0
/// The perfect layer: its density and count in closed form, and through the search for neighbours.
#include "foam/kernel.h"
#include "validate/foam/proofs.h"

/// 8/h^3 times the integral of omega over space, by Simpson's rule.
static double integral_of_kernel(void)
{
    enum { STEPS = 4096 };
    double sum = 0.0;
    for (int n = 0; n <= STEPS; ++n) {
        const double q = 2.0 * n / STEPS, weight = n == 0 || n == STEPS ? 1.0 : n % 2 ? 4.0 : 2.0;
        sum += weight * 4.0 * SP_PI_D * q * q * foam_omega_of(q);
    }
    return sum * (2.0 / STEPS) / 3.0; // with |x| = q h/2 the 8 and the h cancel
}

/// Numbers of the layer that follow from sums over it to twelve digits, made apart from this program.
sp_status foam_prove_layer(sp_check_report *report, sp_error *err)
{
    static const double wanted[][2] = {
        {3.0, 0.570645}, {4.0, 0.421476}, {5.0, 0.340294}, {6.0, 0.282631}, {8.0, 0.211585}};
    (void)err;
    sp_within(report, "integral of the kernel over space", integral_of_kernel(), 1.0, 1e-9,
              "it is one; as printed an eighth");
    for (size_t n = 0; n < sizeof wanted / sizeof *wanted; ++n)
        sp_within(report, sp_label(report, "eta of a layer, support %g radii", wanted[n][0]),
                  sp_foam_layer_density(wanted[n][0]), wanted[n][1], 1e-5,
                  "a sum over the lattice");
    sp_relative(report, "neighbours in a layer over beta^2", sp_foam_layer_count(4.0) / 16.0,
                0.9068997, 1e-6, "pi/(2 sqrt 3): the share that touching discs cover");
    return SP_OK;
}

/// A layer of 31 x 31 balls that nearly touch: sigma and the count in its middle.
sp_status foam_prove_neighbours(sp_check_report *report, sp_error *err)
{
    enum { SIDE = 31, MIDDLE = SIDE * (SIDE / 2) + SIDE / 2 };
    const float r = 0.001f;
    foam_case c;
    uint32_t count[SIDE * SIDE];
    SP_TRY(foam_case_open(&c, (size_t)SIDE * SIDE, r, report->host, err));
    foam_case_layer(&c, SIDE, 2.0001 * (double)r);
    sp_status status = sp_foam_neighbours(c.foam, &c.p, count, err);
    if (status == SP_OK) {
        foam_find_density(c.foam);
        size_t place = 0;
        while (c.foam->cells.order[place] != MIDDLE)
            ++place;
        sp_exact(report, "neighbours within four radii", count[MIDDLE], 13.0,
                 "itself, six that touch it, six at 3.46 radii; six more are at 4.0002");
        sp_within(report, "sigma of a perfect layer", (double)c.foam->sorted.sigma[place], 1.0,
                  1e-3, "balls 0.0001 radii apart and sums in float");
    }
    foam_case_close(&c);
    return status;
}
