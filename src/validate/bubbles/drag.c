// SPDX-License-Identifier: Apache-2.0
/// Bubbles that rise: one by one at the speed where drag balances buoyancy, a cloud the faster the
/// denser it is, and a few in one voxel, which surface tension must not hold back.
#include "validate/bubbles/proofs.h"

/// ---- One bubble --------------------------------------------------------------------------------

typedef struct rise {
    double absolute, relative; ///< m/s; mean of the last half second
} rise;

static sp_status watch_rise(bubbles *s, double dt, rise *out, sp_error *err)
{
    const int steps = 96, last = 48;
    *out = (rise){0};
    for (int n = 1; n <= steps; ++n) {
        double u[3];
        SP_TRY(bubbles_case_run(s, dt, 1, err));
        SP_TRY(bubbles_water_at(s, u, err));
        if (n <= steps - last) continue;
        const double v = bubbles_swarm_of(s).velocity[1];
        out->absolute += v / last;
        out->relative += (v - u[1]) / last;
    }
    return SP_OK;
}

/// A bubble rises for a second in water of voxels of 1 cm. `place`: within the voxel where it begins.
static sp_status rise_of(double r, int coupling, const double place[3], const sp_host *host,
                         rise *out, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    bubbles_case_domain(&c, 0.01f, 1.0 / 96.0, (const int[3]){-20, -20, -20},
                        (const int[3]){20, 100, 20});
    bubbles_case_plain(&c);
    c.def.coupling = coupling;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    sp_status status = bubbles_case_add(s, place, (const float[3]){0}, (float)r, 0.0f, err);
    if (status == SP_OK) status = watch_rise(s, c.dt, out, err);
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_terminal(sp_check_report *report, sp_error *err)
{
    static const double radii[] = {0.0005, 0.001, 0.002, 0.003, 0.005};
    static const double absolute[] = {0.01, 0.01, 0.02, 0.04, 0.07};
    static const double edge[3] = {0.0, 0.5, 0.0}, middle[3] = {0.5, 0.5, 0.5};
    enum { COUNT = sizeof radii / sizeof *radii };
    double curve[COUNT][4];
    rise by = {0};
    for (int k = 0; k < COUNT; ++k) {
        const double expected = bubbles_terminal_speed(radii[k], 1000.0, 1.0);
        SP_TRY(rise_of(radii[k], SP_BUBBLES_STABILIZED, edge, report->host, &by, err));
        curve[k][0] = radii[k];
        curve[k][1] = expected;
        curve[k][2] = by.relative;
        curve[k][3] = by.absolute;
        sp_relative(report,
                    sp_label(report, "speed through the water, r = %g mm, m/s", 1e3 * radii[k]),
                    by.relative, expected, 0.02, "drag balances buoyancy; the wake is in the grid");
        sp_relative(report, sp_label(report, "speed, r = %g mm, m/s", 1e3 * radii[k]), by.absolute,
                    expected, absolute[k],
                    "the same; the bubble drags its own voxel along, more so when it is large");
    }
    sp_check_curve(report, "terminal_speed", "radius_m,theory_m_s,through_water_m_s,absolute_m_s",
                   curve[0], COUNT);
    SP_TRY(rise_of(radii[COUNT - 1], SP_BUBBLES_STABILIZED, middle, report->host, &by, err));
    sp_reported(report, "speed, r = 5 mm, along the middle of voxels, m/s", by.absolute,
                "above along their edges");
    SP_TRY(rise_of(radii[COUNT - 1], SP_BUBBLES_STABILIZED_PAPER, edge, report->host, &by, err));
    sp_reported(report, "speed, r = 5 mm, as WSB25 prints it, m/s", by.absolute,
                "22 % off in the prototype");
    return SP_OK;
}

/// ---- A cloud -----------------------------------------------------------------------------------

typedef struct climb {
    double height;  ///< m; mean, in half a second
    double fastest; ///< m/s; largest mean velocity on the way
} climb;

/// A cube of 16 cm of bubbles of 4 mm, at random places.
static sp_status climb_of(float fraction, int coupling, const sp_host *host, climb *out,
                          sp_error *err)
{
    const sp_box_def box = {{-0.08f, -0.08f, -0.08f}, {0.08f, 0.08f, 0.08f}};
    bubbles_case c;
    bubbles *s;
    bubbles_case_domain(&c, 0.02f, 1.0 / 48.0, (const int[3]){-16, -16, -16},
                        (const int[3]){16, 50, 16});
    bubbles_case_plain(&c);
    bubbles_case_cloud(&c, box, 0.004f, fraction);
    c.def.coupling = coupling;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    const double start = bubbles_swarm_of(s).place[1];
    sp_status status = SP_OK;
    *out = (climb){0};
    for (int n = 0; n < 24 && status == SP_OK; ++n) {
        status = bubbles_case_run(s, c.dt, 1, err);
        const bubbles_swarm swarm = bubbles_swarm_of(s);
        out->height = swarm.place[1] - start;
        out->fastest = fmax(out->fastest, swarm.velocity[1]);
    }
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_rise(sp_check_report *report, sp_error *err)
{
    static const double fraction[] = {0.01, 0.05, 0.2}, expected[] = {0.162, 0.183, 0.240};
    climb by[3];
    for (int k = 0; k < 3; ++k) {
        SP_TRY(climb_of((float)fraction[k], SP_BUBBLES_STABILIZED, report->host, &by[k], err));
        sp_relative(report, sp_label(report, "rise of a cloud in 0.5 s, share %g, m", fraction[k]),
                    by[k].height, expected[k], 0.15,
                    "prototype, in a box as high as the cloud needs");
        sp_reported(report, sp_label(report, "its largest mean speed, m/s"), by[k].fastest,
                    "alone 0.322");
    }
    sp_at_least(report, "rise with a share of 0.05 over that with 0.01",
                by[1].height / by[0].height, 1.0,
                "the denser the faster: a cloud draws water along");
    sp_at_least(report, "rise with a share of 0.2 over that with 0.05", by[2].height / by[1].height,
                1.0, "the same");
    return SP_OK;
}

/// What the printed scheme makes of the densest cloud. It may fail altogether.
sp_status bubbles_prove_rise_paper(sp_check_report *report, sp_error *err)
{
    climb by = {0};
    sp_error own = {0};
    const sp_status status = climb_of(0.2f, SP_BUBBLES_STABILIZED_PAPER, report->host, &by, &own);
    if (status == SP_NO_MEMORY) {
        *err = own;
        return status;
    }
    sp_reported(report, "largest mean speed, share 0.2, as WSB25 prints it, m/s", by.fastest,
                "above 300 in the prototype: it blows up");
    return SP_OK;
}

/// ---- A few in one voxel ------------------------------------------------------------------------

/// Eight particles of a large bubble, half a voxel apart about a corner of voxels, rise for 0.03 s.
static sp_status rise_of_eight(double sigma, int pocket_min, const sp_host *host, double *height,
                               sp_error *err)
{
    const double h = 0.00125;
    bubbles_case c;
    bubbles *s;
    bubbles_case_domain(&c, (float)h, 1.0 / 1440.0, (const int[3]){-16, -16, -16},
                        (const int[3]){16, 48, 16});
    bubbles_case_hero(&c, false);
    c.def.pic = 0.0f;
    c.def.tension.coefficient = (float)sigma;
    c.def.tension.pocket_min_voxels = pocket_min;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    sp_status status = SP_OK;
    for (int k = 0; k < 8 && status == SP_OK; ++k) {
        const double at[3] = {k & 1 ? 0.25 : -0.25, k & 2 ? 0.25 : -0.25, k & 4 ? 0.25 : -0.25};
        status = bubbles_case_add(s, at, (const float[3]){0}, (float)(sqrt(0.75) * h), 0.0f, err);
    }
    if (status == SP_OK) status = bubbles_case_run(s, c.dt, 43, err);
    *height = bubbles_swarm_of(s).place[1];
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_eight(sp_check_report *report, sp_error *err)
{
    double with, without, all;
    SP_TRY(rise_of_eight(0.0072, 24, report->host, &with, err));
    SP_TRY(rise_of_eight(0.0, 24, report->host, &without, err));
    SP_TRY(rise_of_eight(0.0072, 0, report->host, &all, err));
    sp_at_least(report, "rise of 8 particles in 0.03 s, m", with, 3.5e-3,
                "prototype: 4.51 mm; surface tension must not hold them");
    sp_exact(report, "the same less that without surface tension, m", with - without, 0.0,
             "a pocket of less than 24 voxels feels none");
    sp_reported(report, "rise where every pocket feels surface tension, m", all,
                "prototype: 0.58 mm, they stick");
    return SP_OK;
}
