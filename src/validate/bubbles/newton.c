// SPDX-License-Identifier: Apache-2.0
/// How the velocities of a bubble and its water settle over Newton iterations: a bubble in the middle
/// of a voxel, which fills 0.9 of the faces above and below, begins with 1 m/s upwards (WFS22 figure
/// 7). A run with n iterations ends with the n-th iterate, so each is a run from the same start.
#include "validate/bubbles/proofs.h"

typedef struct start {
    int coupling, compliance, init;
    double theta;
} start;

static const start unaware = {.coupling = SP_BUBBLES_INERTIA_UNAWARE, // so theta counts as 0
                              .init = SP_BUBBLES_PRESSURE_ZERO,
                              .theta = 0.5},
                   aware = {.coupling = SP_BUBBLES_INERTIA_AWARE,
                            .init = SP_BUBBLES_PRESSURE_ZERO,
                            .theta = 1.0},
                   ours = {.coupling = SP_BUBBLES_STABILIZED},
                   stiff = {.coupling = SP_BUBBLES_STABILIZED,
                            .compliance = SP_BUBBLES_COMPLIANCE_ONE},
                   paper = {.coupling = SP_BUBBLES_STABILIZED_PAPER};

typedef struct iterate {
    double bubble, water; ///< m/s; water where the bubble is
    double change;        ///< m/s; of the bubble in the last iteration
} iterate;

static sp_status iterate_to(start from, int newton, const sp_host *host, iterate *out,
                            sp_error *err)
{
    const double h = 0.00625, r = 0.004716, place[3] = {12.5, 12.5, 12.5};
    bubbles_case c;
    bubbles *s;
    double u[3] = {0};
    bubbles_case_domain(&c, (float)h, 1.0 / 24.0, (const int[3]){0}, (const int[3]){32, 32, 32});
    bubbles_case_plain(&c);
    c.def.coupling = from.coupling;
    c.def.compliance = from.compliance;
    c.def.pressure.init = from.init;
    c.def.theta = (float)from.theta;
    c.def.newton = newton;
    if (from.coupling >= SP_BUBBLES_INERTIA_AWARE) c.def.max_fraction = 0.9f;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    sp_status status = bubbles_case_add(s, place, (const float[3]){0, 1, 0}, (float)r, 0.0f, err);
    if (status == SP_OK) status = bubbles_case_run(s, c.dt, 1, err);
    if (status == SP_OK) status = bubbles_water_at(s, u, err);
    *out = (iterate){bubbles_swarm_of(s).velocity[1], u[1], s->bubble_change};
    bubbles_close(s);
    return status;
}

/// ---- The schemes of WFS22 ----------------------------------------------------------------------

typedef struct settling {
    const char *name;
    const start *from;
    double first[4]; ///< m/s; iterates 1 to 4
    bool settles;
} settling;

static const settling settlings[] = {
    {"theta = 0", &unaware, {0.499, 4.434, 1.969, 0.716}, false},
    {"theta = 1", &aware, {0.499, 0.504, 0.261, 0.277}, true},
};

static sp_status settle(sp_check_report *report, const settling *e, sp_error *err)
{
    iterate by;
    for (int n = 1; n <= 4; ++n) {
        SP_TRY(iterate_to(*e->from, n, report->host, &by, err));
        sp_relative(report, sp_label(report, "iterate %d of the bubble, m/s, %s", n, e->name),
                    by.bubble, e->first[n - 1], 0.05, "prototype");
    }
    SP_TRY(iterate_to(*e->from, 160, report->host, &by, err));
    const char *label = sp_label(report, "its change in iteration 160, m/s, %s", e->name);
    if (e->settles)
        sp_at_most(report, label, by.change, 0.01, "it settles (WFS22 figure 7)");
    else
        sp_at_least(report, label, by.change, 0.3, "it never settles (WFS22 figure 7)");
    return SP_OK;
}

sp_status bubbles_prove_settling(sp_check_report *report, sp_error *err)
{
    for (size_t k = 0; k < sizeof settlings / sizeof *settlings; ++k)
        SP_TRY(settle(report, &settlings[k], err));
    return SP_OK;
}

/// ---- Ours --------------------------------------------------------------------------------------

/// The iterates of all schemes, for a plot.
static sp_status draw(sp_check_report *report, sp_error *err)
{
    static const start *const schemes[] = {&ours, &stiff, &paper, &unaware, &aware};
    static const int newton[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 96, 160};
    enum { COUNT = sizeof newton / sizeof *newton };
    double curve[COUNT][6];
    for (int n = 0; n < COUNT && report->curve; ++n)
        for (int k = 0; k < 5; ++k) {
            iterate by;
            SP_TRY(iterate_to(*schemes[k], newton[n], report->host, &by, err));
            curve[n][0] = newton[n];
            curve[n][k + 1] = by.bubble;
        }
    if (report->curve)
        sp_check_curve(report, "newton",
                       "iterations,stabilized,compliance_one,stabilized_paper,theta_0,theta_1",
                       curve[0], COUNT);
    return SP_OK;
}

sp_status bubbles_prove_newton(sp_check_report *report, sp_error *err)
{
    static const int newton[] = {1, 2, 3, 4, 8};
    static const double expected[] = {1.109, 1.057, 1.170, 1.207, 1.1990};
    iterate by;
    for (int k = 0; k < 5; ++k) {
        SP_TRY(iterate_to(ours, newton[k], report->host, &by, err));
        sp_relative(report, sp_label(report, "iterate %d of the bubble, m/s", newton[k]), by.bubble,
                    expected[k], 0.05, "prototype");
    }
    SP_TRY(iterate_to(ours, 12, report->host, &by, err));
    sp_relative(report, "iterate 12 of the bubble, m/s", by.bubble, 1.19909, 1e-3,
                "prototype: the limit");
    sp_relative(report, "iterate 12 of the water around it, m/s", by.water, 0.63833, 1e-3,
                "prototype: the limit");
    SP_TRY(iterate_to(paper, 12, report->host, &by, err));
    sp_reported(report, "iterate 12 as WSB25 prints it, m/s", by.bubble, "prototype: 13.9");
    SP_TRY(iterate_to(stiff, 12, report->host, &by, err));
    sp_reported(report, "iterate 12 with compliance one, m/s", by.bubble, "prototype: 3.9");
    return draw(report, err);
}

sp_status bubbles_prove_newton_long(sp_check_report *report, sp_error *err)
{
    iterate by;
    SP_TRY(iterate_to(stiff, 320, report->host, &by, err));
    sp_relative(report, "iterate 320 with compliance one, m/s", by.bubble, 1.21, 0.05,
                "prototype: the same limit, far more slowly");
    return SP_OK;
}
