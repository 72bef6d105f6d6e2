// SPDX-License-Identifier: Apache-2.0
/// How bubbles rise in guided water: alone (T2), in clouds (T3), and where the water falls.
#include "validate/whitewater/guided.h"
#include "validate/whitewater/proofs.h"

/// ---- A lone bubble -----------------------------------------------------------------------------

static sp_status speed_of(const sp_host *host, float r, int coupling, int up, double *speed,
                          sp_error *err)
{
    guided_case c;
    const double dt = 1.0 / 72.0;
    SP_TRY(guided_case_open(&c, 1, r, 20.0f * r, host, err));
    c.def.coupling = coupling;
    c.def.max_fraction = 0.0f;
    c.world.gravity[1] = 0.0f;
    c.world.gravity[up] = -9.81f;
    sp_status status = guided_case_again(&c, err);
    if (status == SP_OK) status = guided_case_run(&c, 0.25, dt, err);
    const double from = guided_case_mean(&c, up);
    if (status == SP_OK) status = guided_case_run(&c, 0.5, dt, err);
    *speed = (guided_case_mean(&c, up) - from) / 0.5;
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_speed(sp_check_report *report, sp_error *err)
{
    static const struct {
        float radius;
        double speed;
    } rows[] = {{0.0005f, 0.1029}, {0.001f, 0.1558}, {0.005f, 0.3603}};
    static const struct {
        const char *name;
        int coupling;
    } schemes[] = {{"stabilized", SP_BUBBLES_STABILIZED},
                   {"stabilized_paper", SP_BUBBLES_STABILIZED_PAPER},
                   {"inertia_aware", SP_BUBBLES_INERTIA_AWARE},
                   {"inertia_aware_restated", SP_BUBBLES_INERTIA_AWARE_RESTATED},
                   {"inertia_unaware", SP_BUBBLES_INERTIA_UNAWARE}};
    double speed;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        SP_TRY(speed_of(report->host, rows[k].radius, SP_BUBBLES_STABILIZED, 1, &speed, err));
        sp_relative(
            report,
            sp_label(report, "speed of a bubble of %g mm, m/s", 1e3 * (double)rows[k].radius),
            speed, rows[k].speed, 0.01,
            "1 %: drag balances buoyancy, voxels of 20 radii hardly follow");
    }
    for (size_t k = 1; k < sizeof schemes / sizeof *schemes; ++k) {
        SP_TRY(speed_of(report->host, 0.001f, schemes[k].coupling, 1, &speed, err));
        sp_relative(report, sp_label(report, "speed of a bubble of 1 mm, m/s, %s", schemes[k].name),
                    speed, 0.1558, 0.01, "the same balance");
    }
    SP_TRY(speed_of(report->host, 0.001f, SP_BUBBLES_STABILIZED, 2, &speed, err));
    sp_relative(report, "speed of a bubble of 1 mm, m/s, gravity along z", speed, 0.1558, 0.01,
                "no axis is special");
    return SP_OK;
}

/// ---- Driven water ------------------------------------------------------------------------------

/// The speed at which drag holds a bubble where the pressure falls by so much of the water's weight.
static double slip_speed(double r, double times)
{
    const double a = 0.5 * SP_PI_D * 1000.0 * r * r, b = 6.0 * SP_PI_D * 1e-3 * r;
    const double lift = times * 4.0 / 3.0 * SP_PI_D * r * r * r * 999.0 * 9.81;
    return (sqrt(b * b + 4.0 * a * lift) - b) / (2.0 * a);
}

/// The bubble's velocity less the water's after a quarter of a second.
static sp_status slip_in(const sp_host *host, const double driven[3], double slip[3], sp_error *err)
{
    guided_case c;
    SP_TRY(guided_case_open(&c, 1, 0.001f, 0.02f, host, err));
    c.water.kind = GUIDED_DRIVEN;
    memcpy(c.water.driven, driven, sizeof c.water.driven);
    const sp_status status = guided_case_run(&c, 0.25, 1.0 / 72.0, err);
    for (int a = 0; a < 3; ++a)
        slip[a] = (double)c.p.v[a][0] - driven[a] * c.t;
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_fall(sp_check_report *report, sp_error *err)
{
    static const double fall[3] = {0.0, -9.81, 0.0}, brake[3] = {0.0, 9.81, 0.0},
                        aside[3] = {9.81, 0.0, 0.0};
    double slip[3];
    SP_TRY(slip_in(report->host, fall, slip, err));
    sp_at_most(report, "slip of a bubble in water that falls freely, m/s", fabs(slip[1]), 1e-4,
               "the water has no pressure gradient, so there is no buoyancy; 0.156 at rest");
    SP_TRY(slip_in(report->host, brake, slip, err));
    sp_relative(report, "slip in water that rises faster by g every second, m/s", slip[1],
                slip_speed(0.001, 2.0), 0.01, "the pressure falls twice as fast as at rest");
    SP_TRY(slip_in(report->host, aside, slip, err));
    sp_relative(report, "slip along and across in water driven aside by g, ratio",
                slip[0] / slip[1], 1.0, 0.01, "its pressure falls evenly along both");
    return SP_OK;
}

/// ---- Clouds ------------------------------------------------------------------------------------

typedef struct cloud {
    size_t bubbles;
    int32_t newton, padding;
    float number;
} cloud;

static sp_status rise_of(const sp_host *host, const cloud *k, double *rise, sp_error *err)
{
    guided_case c;
    SP_TRY(guided_case_open(&c, k->bubbles, 0.001f, 0.01f, host, err));
    c.def.newton = k->newton;
    c.def.padding = k->padding;
    c.number[0] = k->number;
    if (k->bubbles > 1) guided_case_scatter(&c, 0.05, 1);
    const double from = guided_case_mean(&c, 1);
    sp_status status = guided_case_again(&c, err);
    if (status == SP_OK) status = guided_case_run(&c, 0.5, 1.0 / 72.0, err);
    *rise = guided_case_mean(&c, 1) - from;
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_cloud(sp_check_report *report, sp_error *err)
{
    static const double share[] = {0.005, 0.02, 0.05};
    static const cloud one = {1, 1, 1, 1e-6f}; // too little air to move any water
    double alone, rise, before = 1.0;
    SP_TRY(rise_of(report->host, &one, &alone, err));
    for (size_t k = 0; k < sizeof share / sizeof *share; ++k) {
        const cloud some = {(size_t)lround(share[k] * 125000.0), 1, 1, 1.0f};
        SP_TRY(rise_of(report->host, &some, &rise, err));
        sp_at_least(report,
                    sp_label(report,
                             "rise in 0.5 s of a ball with %g %% of air over a lone bubble's",
                             100.0 * share[k]),
                    rise / alone, k == 2 ? 1.3 : before,
                    k == 2 ? "the cloud as a whole rises, sqrt(share g R) = 0.16 m/s"
                           : "more air pulls more water along");
        before = fmax(before, rise / alone);
    }
    const cloud thorough = {6250, 3, 1, 1.0f}, wide = {6250, 1, 3, 1.0f};
    SP_TRY(rise_of(report->host, &thorough, &rise, err));
    sp_reported(report, "the last with three iterations", rise / alone, "the default is one");
    SP_TRY(rise_of(report->host, &wide, &rise, err));
    sp_reported(report, "the last with padding of three tiles", rise / alone,
                "the default of one tile puts walls nearer");
    return SP_OK;
}

/// ---- Many in one -------------------------------------------------------------------------------

/// 100 places with 8 bubbles each, as 800 particles or as 100.
static sp_status rise_of_groups(const sp_host *host, size_t each, double *rise, sp_error *err)
{
    enum { PLACES = 100, GROUP = 8 };
    guided_case c;
    SP_TRY(guided_case_open(&c, PLACES * each, 0.002f, 0.01f, host, err));
    guided_case_scatter(&c, 0.04, 1);
    for (size_t i = 0; i < c.p.count; ++i) {
        c.number[i] = (float)(GROUP / each);
        for (int a = 0; a < 3; ++a)
            c.p.x[a][i] = c.p.x[a][i % PLACES];
    }
    const double from = guided_case_mean(&c, 1);
    const sp_status status = guided_case_run(&c, 0.25, 1.0 / 72.0, err);
    *rise = guided_case_mean(&c, 1) - from;
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_number(sp_check_report *report, sp_error *err)
{
    double one, many, alone;
    SP_TRY(rise_of_groups(report->host, 1, &one, err));
    SP_TRY(rise_of_groups(report->host, 8, &many, err));
    sp_relative(report, "rise of particles of 8 bubbles each, over that of 8 particles", one / many,
                1.0, 1e-3,
                "the same volumes, masses and forces on the grid; the solver's tolerance");
    SP_TRY(speed_of(report->host, 0.002f, SP_BUBBLES_STABILIZED, 1, &alone, err));
    sp_at_least(report, "their speed over that of a lone bubble", one / (0.25 * alone), 1.05,
                "they pull the water along");
    return SP_OK;
}

/// ---- Momentum ----------------------------------------------------------------------------------

/// Of the guided water along y, kg m/s: water's share of each face that lies between two cells, and bubbles.
static double momentum_of(const guided_case *c)
{
    const sp_guided_water w = sp_guided_now(c->guided);
    const double h = (double)c->def.voxel, cell = 1000.0 * h * h * h;
    double sum = 0.0;
    for (size_t t = 0; t < w.tiles->count; ++t) {
        const bool lowest = w.tiles->around[t][SP_TILES_SELF - 3] == SP_NO_TILE;
        for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
            const size_t at = t * SP_TILE_VOXELS + n;
            if (lowest && (n >> 3 & 7) == 0) continue;
            sum += cell * (double)w.u[1][at] * (w.busy[t] ? 1.0 - (double)w.share[1][at] : 1.0);
        }
    }
    for (size_t i = 0; i < c->p.count; ++i)
        sum += (double)bubbles_volume(c->radius[i]) * (double)c->p.v[1][i];
    return sum;
}

/// The border above and below has no pressure of its own, and the one aside pushes aside only. So the momentum
/// upward of all that is between is the bubbles' buoyancy times the time.
sp_status whitewater_prove_guided_momentum(sp_check_report *report, sp_error *err)
{
    guided_case c;
    const double dt = 1.0 / 240.0;
    SP_TRY(guided_case_open(&c, 500, 0.001f, 0.01f, report->host, err));
    c.def.padding = 3;
    c.def.newton = 3;
    c.def.tolerance = 1e-6;
    guided_case_scatter(&c, 0.05, 1);
    sp_status status = guided_case_again(&c, err);
    if (status == SP_OK) status = guided_case_run(&c, 12 * dt, dt, err);
    const double momentum = momentum_of(&c), air = 500.0 * (double)bubbles_volume(0.001f);
    guided_case_close(&c);
    SP_TRY(status);
    sp_within(report, "momentum of water and bubbles over buoyancy times time",
              momentum / (air * 999.0 * 9.81 * 12.0 * dt), 1.0, 0.02,
              "2 %: advection does not conserve momentum to the last digit");
    return SP_OK;
}
