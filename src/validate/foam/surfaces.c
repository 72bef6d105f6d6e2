// SPDX-License-Identifier: Apache-2.0
/// Foam on surfaces that move: it stays on them, keeps its speed, follows waves, and knows a surface that is gone.
#include "validate/foam/proofs.h"

/// ---- Staying on waves --------------------------------------------------------------------------

/// The share of particles farther than 0.1 mm from a wave after a step, and Newton steps a particle and step.
static sp_status ride(double amplitude, double wavelength, double dt, const sp_host *host,
                      double *off, double *steps, sp_error *err)
{
    enum { COUNT = 2000, FRAMES = 48 };
    foam_case c;
    double far = 0.0, tried = 0.0;
    SP_TRY(foam_case_open(&c, COUNT, 0.005f, host, err));
    c.surface = (foam_surface){.kind = FOAM_WAVE, .amplitude = amplitude, .wavelength = wavelength};
    c.def.cohesion = c.def.stiffness = c.def.viscosity = 0.0f;
    c.def.cfl = 2.0f;
    c.def.max_substeps = 1;
    c.world.gravity[1] = -9.81f;
    sp_status status = foam_case_again(&c, err);
    for (size_t i = 0; i < COUNT; ++i) {
        double gradient[3], u[3], p[3] = {wavelength * (double)i / COUNT, 0.0, 0.0};
        p[1] = amplitude * cos(foam_wave_number(&c.surface) * p[0]);
        foam_surface_at(&c.surface, p, gradient, u);
        for (int a = 0; a < 3; ++a) {
            c.p.x[a][i] = p[a] + (a == 2 ? 0.1 * (double)(i % 50) : 0.0);
            c.p.v[a][i] = (float)u[a];
        }
    }
    for (int n = 0; n < FRAMES && status == SP_OK; ++n) {
        status = foam_case_run(&c, dt, dt, err);
        tried += (double)c.figures.corrections;
        c.surface.t = c.t;
        for (size_t i = 0; i < COUNT; ++i) {
            double gradient[3], u[3];
            const double p[3] = {c.p.x[0][i], c.p.x[1][i], c.p.x[2][i]};
            far += !(fabs(foam_surface_at(&c.surface, p, gradient, u)) <= 1e-4);
        }
    }
    *off = far / (COUNT * FRAMES);
    *steps = tried / (COUNT * FRAMES);
    foam_case_close(&c);
    return status;
}

sp_status foam_prove_waves(sp_check_report *report, sp_error *err)
{
    static const double waves[][2] = {{0.1, 2.0}, {0.3, 10.0}, {2.0, 40.0}}, rates[] = {24.0, 96.0};
    for (size_t w = 0; w < sizeof waves / sizeof *waves; ++w)
        for (size_t r = 0; r < sizeof rates / sizeof *rates; ++r) {
            double off, steps;
            SP_TRY(ride(waves[w][0], waves[w][1], 1.0 / rates[r], report->host, &off, &steps, err));
            sp_at_most(report,
                       sp_label(report, "share off by 0.1 mm, wave %g m of %g m, %g steps a second",
                                waves[w][0], waves[w][1], rates[r]),
                       off, 0.001, "Newton's steps converge but where the surface folds");
            sp_at_most(report,
                       sp_label(report, "Newton steps, wave %g m of %g m, %g steps a second",
                                waves[w][0], waves[w][1], rates[r]),
                       steps, 3.0, "they begin where the water carries the particle");
        }
    return SP_OK;
}

/// ---- Speed -------------------------------------------------------------------------------------

/// One particle at 1 m/s around a body at rest: how far its speed strays.
static sp_status orbit(const double axes[3], double seconds, double dt, const sp_host *host,
                       double *off, sp_error *err)
{
    foam_case c;
    SP_TRY(foam_case_open(&c, 1, 0.005f, host, err));
    c.surface.kind = FOAM_ELLIPSOID;
    sp_copy3(c.surface.axes, axes);
    c.def.surface_drag = 0.0f;
    c.def.tolerance = 1e-7f;
    c.def.max_substeps = 1;
    c.p.x[0][0] = axes[0];
    c.p.v[1][0] = 0.8f;
    c.p.v[2][0] = 0.6f;
    sp_status status = foam_case_again(&c, err);
    *off = 0.0;
    while (c.t < seconds && status == SP_OK) {
        status = foam_case_run(&c, dt, dt, err);
        *off = fmax(*off, fabs((double)c.p.speed[0] - 1.0));
    }
    foam_case_close(&c);
    return status;
}

sp_status foam_prove_orbit(sp_check_report *report, sp_error *err)
{
    double off;
    SP_TRY(orbit((const double[3]){1.0, 1.0, 1.0}, 8.0 * SP_PI_D, 1.0 / 24.0, report->host, &off,
                 err));
    sp_at_most(report, "speed lost or gained in four turns around a sphere", off, 1e-6,
               "nothing acts along the surface; speeds are floats");
    SP_TRY(orbit((const double[3]){1.0, 0.7, 0.5}, 20.0, 1.0 / 24.0, report->host, &off, err));
    sp_at_most(report, "the same in 20 s on an ellipsoid", off, 1e-3, "the same");
    return SP_OK;
}

/// ---- Following a wave --------------------------------------------------------------------------

/// The amplitude of a motion of one period: a fit of sine, cosine, offset and drift.
static double amplitude_of(const double *x, size_t n)
{
    double best[2] = {0}, drift = x[n] - x[0];
    for (size_t i = 0; i < n; ++i) {
        const double phase = 2.0 * SP_PI_D * (double)i / (double)n,
                     still = x[i] - drift * (double)i / (double)n;
        best[0] += 2.0 / (double)n * still * cos(phase);
        best[1] += 2.0 / (double)n * still * sin(phase);
    }
    return hypot(best[0], best[1]);
}

/// Foam on a gentle wave goes around with the water, for its own weight along the surface is the water's
/// acceleration there.
sp_status foam_prove_follow(sp_check_report *report, sp_error *err)
{
    enum { PERIOD = 240, PERIODS = 3 };
    double x[PERIOD + 1];
    foam_case c;
    SP_TRY(foam_case_open(&c, 1, 0.005f, report->host, err));
    c.surface = (foam_surface){.kind = FOAM_WAVE, .amplitude = 0.02, .wavelength = 10.0};
    c.world.gravity[1] = -9.81f;
    c.p.x[1][0] = c.surface.amplitude;
    const double w = foam_wave_rate(&c.surface), dt = 2.0 * SP_PI_D / w / PERIOD;
    c.p.v[0][0] = (float)(c.surface.amplitude * w);
    sp_status status = SP_OK;
    for (int n = 0; n <= PERIOD * PERIODS && status == SP_OK; ++n) {
        if (n >= PERIOD * (PERIODS - 1)) x[n - PERIOD * (PERIODS - 1)] = c.p.x[0][0];
        status = foam_case_run(&c, dt, dt, err);
    }
    foam_case_close(&c);
    SP_TRY(status);
    sp_within(report, "way to and fro on a wave of 2 cm and 10 m, over that of the water",
              amplitude_of(x, PERIOD) / 0.02, 1.0, 0.02, "to first order the same equation");
    return SP_OK;
}

/// ---- A surface that is gone --------------------------------------------------------------------

/// The water's level drops by 1 m within a step: foam is lost there, and does not jump.
sp_status foam_prove_gap(sp_check_report *report, sp_error *err)
{
    enum { COUNT = 100 };
    foam_case c;
    double jump = 0.0, lost = 0.0;
    SP_TRY(foam_case_open(&c, COUNT, 0.002f, report->host, err));
    foam_case_scatter(&c, 0.3, 5);
    c.surface = (foam_surface){.kind = FOAM_STEP, .amplitude = 1.0};
    const sp_status status = foam_case_run(&c, 1.0 / 24.0, 1.0 / 24.0, err);
    for (size_t i = 0; i < COUNT; ++i) {
        jump = fmax(jump, fabs(c.p.x[1][i]));
        lost += c.p.lost[i];
    }
    foam_case_close(&c);
    SP_TRY(status);
    sp_at_most(report, "jump where the surface drops by 1 m at once, m", jump, 0.1,
               "not farther than max_correction");
    sp_exact(report, "particles that are told to be lost there", lost, COUNT, "all of them");
    return SP_OK;
}
