// SPDX-License-Identifier: Apache-2.0
/// Bubbles that act on no water, and drops in the air.
#include "validate/whitewater/surface_cases.h"

/// ---- Bubbles -----------------------------------------------------------------------------------

/// The speed that a bubble far below the surface has reached after `seconds`, through the water.
static sp_status rise(double radius, double falls, double seconds, const sp_host *host,
                      double *speed, sp_error *err)
{
    surface_case c;
    uint8_t lost;
    SP_TRY(surface_case_open(&c, host, err));
    c.pool.falls = falls;
    whitewater_set *set = &c.arrivals;
    sp_status status = surface_case_add(&c, set, (const double[3]){0.0, -50.0, 0.0},
                                        (const double[3]){0}, (float)radius, err);
    for (; c.world.t < seconds && status == SP_OK; c.world.t += c.world.dt)
        status = whitewater_move_one_way(&c.world, set, 1.0f, &lost, err);
    if (status == SP_OK) *speed = (double)set->v[1][0] + falls * c.world.t;
    surface_case_close(&c);
    return status;
}

sp_status whitewater_prove_rise(sp_check_report *report, sp_error *err)
{
    static const double wanted[][2] = {{0.0005, 0.1029}, {0.001, 0.1558}, {0.005, 0.3603}};
    double speed;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        SP_TRY(rise(wanted[k][0], 0.0, 2.0, report->host, &speed, err));
        sp_relative(report, sp_label(report, "terminal speed, r = %g mm, m/s", 1e3 * wanted[k][0]),
                    speed, wanted[k][1], 0.01,
                    "where drag balances buoyancy: 6 mu v + rho r v^2/2 = 4/3 r^2 (rho - rho_b) g");
    }
    SP_TRY(rise(0.001, 9.81, 2.0, report->host, &speed, err));
    sp_at_most(
        report, "speed of a bubble through water that falls freely, m/s", fabs(speed), 1e-4,
        "no pressure, no buoyancy; the bulk's velocities are floats: 2e-6 m/s over a step is "
        "an acceleration of 1e-4 g");
    return SP_OK;
}

/// ---- Drops -------------------------------------------------------------------------------------

static sp_status drop_open(surface_case *c, double height, const double v[3], double radius,
                           const sp_host *host, sp_error *err)
{
    SP_TRY(surface_case_open(c, host, err));
    const sp_status status = surface_case_add(
        c, &c->kinds[WHITEWATER_SPRAY], (const double[3]){0.0, height, 0.0}, v, (float)radius, err);
    if (status != SP_OK) surface_case_close(c);
    return status;
}

/// How far from x + v t + g t^2/2 a drop without drag is after a second.
static sp_status arc(const sp_host *host, double *off, sp_error *err)
{
    const double v[3] = {3.0, 6.0, -1.0}, t = 1.0;
    surface_case c;
    SP_TRY(drop_open(&c, 10.0, v, 0.001, host, err));
    c.spray.drag_scale = 0.0f;
    c.world.density_air = 0.0f;
    sp_status status = surface_case_again(&c, err);
    if (status == SP_OK) status = surface_case_run(&c, 72, err);
    *off = 0.0;
    for (int a = 0; a < 3 && status == SP_OK; ++a) {
        const double x =
            (a == 1 ? 10.0 : 0.0) + v[a] * t + 0.5 * (double)c.world.gravity[a] * t * t;
        *off = fmax(*off, fabs(c.kinds[WHITEWATER_SPRAY].x[a][0] - x));
    }
    surface_case_close(&c);
    return status;
}

/// The speed at which a drop falls through air, or with gravity off is carried by the wind.
static sp_status fall(double radius, double wind, const sp_host *host, double *speed, sp_error *err)
{
    surface_case c;
    SP_TRY(drop_open(&c, 500.0, (const double[3]){0}, radius, host, err));
    c.world.wind[0] = (float)wind;
    sp_status status = surface_case_run(&c, 72 * 8, err);
    if (status == SP_OK) *speed = (double)c.kinds[WHITEWATER_SPRAY].v[wind > 0.0 ? 0 : 1][0];
    surface_case_close(&c);
    return status;
}

/// Weight over drag at a speed, with the drag coefficient written out.
static double balance(double radius, double speed)
{
    const double re = 2.0 * radius * 1.2 * speed / 1.81e-5,
                 c = 24.0 / (9.06 * 9.06) * (1.0 + 9.06 / sqrt(re)) * (1.0 + 9.06 / sqrt(re));
    return 4.0 / 3.0 * radius * (1000.0 - 1.2) * 9.81 / (0.5 * c * 1.2 * speed * speed);
}

sp_status whitewater_prove_fly(sp_check_report *report, sp_error *err)
{
    // Gunn and Kinzer (1949), at 20 degrees and 1013 mbar: diameter m, speed m/s
    static const double measured[][2] = {
        {0.0002, 0.72}, {0.0005, 2.06}, {0.001, 4.03}, {0.002, 6.49}};
    double off, speed;
    SP_TRY(arc(report->host, &off, err));
    sp_at_most(report, "a drop off its arc after 1 s without drag, m", off, 1e-5,
               "the mean of both velocities is exact; velocities are floats: 72 roundings of 2e-7");
    for (size_t k = 0; k < sizeof measured / sizeof *measured; ++k) {
        const double radius = 0.5 * measured[k][0];
        SP_TRY(fall(radius, 0.0, report->host, &speed, err));
        sp_relative(report,
                    sp_label(report, "weight over drag of a falling drop of %g mm", 1e3 * radius),
                    balance(radius, -speed), 1.0, 1e-4,
                    "backward Euler has no error at rest; speeds are floats, C_oo has 4 digits");
        sp_relative(report, sp_label(report, "its speed, m/s"), -speed, measured[k][1], 0.07,
                    "measured by Gunn and Kinzer (1949); drag of spheres is known to 7 %");
    }
    SP_TRY(fall(0.0005, 6.0, report->host, &speed, err));
    sp_relative(report, "speed of a drop along a wind of 6 m/s, m/s", speed, 6.0, 0.02,
                "after 8 s, some twenty times what drag takes");
    return SP_OK;
}
