// SPDX-License-Identifier: Apache-2.0
/// The formulas of the spectrum by themselves.
#include "validate/ocean/proofs.h"

/// The integral of D over all directions: Simpson's rule in w, theta = pi (1 - w^6), for |cos(theta/2)|^(2s) has a
/// cusp at pi where s is small.
static double integral_of(const ocean_sea *sea, double rate)
{
    enum { STEPS = 2000 };
    double sum = 0.0;
    for (int n = 1; n <= STEPS; ++n) {
        const double w = (double)n / STEPS, weight = n == STEPS ? 1.0 : n % 2 ? 4.0 : 2.0;
        sum += weight * 6.0 * SP_PI_D * pow(w, 5.0) *
               ocean_spread(sea, rate, cos(SP_PI_D * (1.0 - pow(w, 6.0))));
    }
    return 2.0 * sum / (3.0 * STEPS);
}

/// Its largest error, over frequencies around the peak.
static double spreading_error(const ocean_sea *sea)
{
    double worst = 0.0;
    for (double x = 0.4; x < 8.0; x *= 1.1)
        worst = fmax(worst, fabs(integral_of(sea, x * sea->peak) - 1.0));
    return worst;
}

sp_status ocean_prove_spreading(sp_check_report *report, sp_error *err)
{
    static const char *const names[] = {"Hasselmann", "Mitsuyasu", "Donelan and Banner"};
    static const double swells[] = {0.0, 0.5, 1.0};
    (void)err;
    for (int kind = 0; kind < 3; ++kind)
        for (int n = 0; n < 3; ++n) {
            sp_ocean_def def = ocean_case_def();
            def.spreading = kind;
            def.swell = swells[n];
            const ocean_sea sea = ocean_sea_of(&def);
            sp_at_most(report,
                       sp_label(report, "error of the integral of D, %s, swell %g", names[kind],
                                swells[n]),
                       spreading_error(&sea), 1e-4, "D shares out energy; powers are floats");
        }
    for (double s = 0.01; s < 200.0; s *= 30.0)
        sp_relative(report, sp_label(report, "Q(s) at s = %.3g", s), ocean_spread_scale(s),
                    exp(lgamma(s + 1.0) - lgamma(s + 0.5)) / (2.0 * sqrt(SP_PI_D)), 1e-7,
                    "by the C library's lgamma; the series leaves out 1e-8");
    return SP_OK;
}

/// Period at the largest energy, s.
static double period_of(const ocean_sea *sea)
{
    double best = 0.0, most = 0.0;
    for (double rate = 0.2; rate < 6.0; rate *= 1.0002) {
        const double energy = ocean_energy(sea, rate);
        if (energy <= most) continue;
        most = energy;
        best = rate;
    }
    return 2.0 * SP_PI_D / best;
}

sp_status ocean_prove_height(sp_check_report *report, sp_error *err)
{
    static const struct {
        double wind, fetch, depth, height, period;
    } seas[] = {
        {10, 50e3, 1e4, 1.454, 4.95}, {10, 50e3, 5, 1.057, 0}, {15, 100e3, 1e4, 3.064, 7.13}};
    (void)err;
    for (size_t n = 0; n < sizeof seas / sizeof *seas; ++n) {
        sp_ocean_def def = ocean_case_def();
        def.wind = seas[n].wind;
        def.fetch = seas[n].fetch;
        def.depth = seas[n].depth;
        const ocean_sea sea = ocean_sea_of(&def);
        sp_relative(report,
                    sp_label(report, "wave height, wind %g m/s over %g km, depth %g m, m", def.wind,
                             1e-3 * def.fetch, def.depth),
                    4.0 * sqrt(ocean_variance(&sea, 0.0, 1e6)), seas[n].height, 1e-3,
                    "integrals made apart from this program, of four digits");
        if (seas[n].period > 0.0)
            sp_relative(report, sp_label(report, "period at the peak, wind %g m/s, s", def.wind),
                        period_of(&sea), seas[n].period, 2e-3, "the same, of three digits");
    }
    return SP_OK;
}

/// Frequencies against the C library's tanh, group velocities against differences, and the inverse.
sp_status ocean_prove_rates(sp_check_report *report, sp_error *err)
{
    static const double depth[] = {1e4, 20.0, 0.5};
    (void)err;
    for (int n = 0; n < 6; ++n) {
        sp_ocean_def def = ocean_case_def();
        def.depth = depth[n % 3];
        def.capillary = n >= 3;
        const ocean_sea sea = ocean_sea_of(&def);
        double rate_off = 0.0, slope_off = 0.0, back_off = 0.0;
        for (double k = 0.003; k < 3000.0; k *= 1.3) {
            const double tension = n >= 3 ? 0.074 / 1000.0 : 0.0,
                         wanted = sqrt((9.81 * k + tension * k * k * k) * tanh(k * def.depth));
            double slope;
            const double rate = ocean_rate(&sea, k, &slope), step = 0.02 * k;
            const double wide =
                (ocean_rate(&sea, k + step, NULL) - ocean_rate(&sea, k - step, NULL)) / (2 * step);
            rate_off = fmax(rate_off, fabs(rate / wanted - 1.0));
            slope_off = fmax(slope_off, fabs(slope / wide - 1.0));
            back_off = fmax(back_off, fabs(ocean_wave_number(&sea, rate) / k - 1.0));
        }
        const char *kind = n >= 3 ? ", with tension" : "";
        sp_at_most(report, sp_label(report, "error of frequency, depth %g m%s", def.depth, kind),
                   rate_off, 1e-6, "exponentials are floats");
        sp_at_most(report,
                   sp_label(report, "error of group velocity, depth %g m%s", def.depth, kind),
                   slope_off, 1e-3, "differences over 4 % of k leave 3e-4 at most");
        sp_at_most(report, sp_label(report, "error of the inverse, depth %g m%s", def.depth, kind),
                   back_off, 1e-6, "bisection; errors of frequency are at most doubled");
    }
    return SP_OK;
}
