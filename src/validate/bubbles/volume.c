// SPDX-License-Identifier: Apache-2.0
/// Large bubbles of many particles: how well they keep their volume while they rise and when they break
/// up, and how fast caps are.
#include "validate/bubbles/proofs.h"

static const double fps = 48.0;

typedef struct large {
    double radius; ///< voxels
    double sigma;  ///< N/m
    float jitter;
    bool light; ///< 1:1000, else 1:10
} large;

typedef struct history {
    double least, most;   ///< volume of air over that at the start
    double climbed, time; ///< m, s
    double speed, start;  ///< m/s, mean of the last quarter; m3
    size_t pockets;
} history;

enum { FRAMES = 48 };

/// The scene hero.json, with another ball.
static void make_large(bubbles_case *c, const large *e)
{
    bubbles_case_domain(c, 0.00125f, 1.0 / fps, (const int[3]){-48, 0, -48},
                        (const int[3]){48, 720, 48});
    bubbles_case_hero(c, e->light);
    c->def.substeps = 30;
    c->def.substeps_max = 64;
    c->def.tension.coefficient = (float)e->sigma;
    bubbles_case_ball(c, (const double[3]){0.0, 16.0, 0.0}, e->radius);
    c->emitter.jitter = e->jitter;
}

static sp_status follow(sp_check_report *report, const char *name, const large *e, double until,
                        history *h, sp_error *err)
{
    double curve[FRAMES + 2][3], quarter = 0.0;
    bubbles_case c;
    bubbles *s;
    make_large(&c, e);
    SP_TRY(bubbles_case_open(&c, report->host, &s, err));
    const double begin = bubbles_swarm_of(s).place[1];
    *h = (history){.least = 1.0, .most = 1.0, .start = bubbles_air(s)};
    sp_status status = SP_OK;
    size_t n = 0;
    while (s->time < until * (1.0 - 1e-9) && status == SP_OK) {
        status = sp_bubbles_frame(s, fmin(until, s->time + c.dt), NULL, NULL, err);
        const sp_bubbles_figures f = sp_bubbles_look(s);
        const double share = f.air_volume / h->start;
        h->least = fmin(h->least, share);
        h->most = fmax(h->most, share);
        h->pockets = f.pockets;
        h->climbed = bubbles_swarm_of(s).place[1] - begin;
        if (s->time < 0.75 * until) quarter = h->climbed, h->time = s->time;
        curve[n][0] = s->time;
        curve[n][1] = share;
        curve[n++][2] = h->climbed;
    }
    h->speed = (h->climbed - quarter) / (s->time - h->time);
    h->time = s->time;
    bubbles_close(s);
    SP_TRY(status);
    sp_check_curve(report, name, "time_s,air_over_start,rise_m", curve[0], n);
    return SP_OK;
}

/// ---- Rising ------------------------------------------------------------------------------------

sp_status bubbles_prove_volume(sp_check_report *report, sp_error *err)
{
    static const large bubbles_of[] = {{5.0, 0.0072, 0.0f, false},
                                       {5.0, 0.072, 0.0f, true},
                                       {8.0, 0.0072, 0.0f, false},
                                       {8.0, 0.072, 0.0f, true}};
    for (int k = 0; k < 4; ++k) {
        const large *e = &bubbles_of[k];
        const char *ratio = e->light ? "1:1000" : "1:10";
        char name[40];
        history h;
        snprintf(name, sizeof name, "volume_%g_%s", e->radius, e->light ? "1000" : "10");
        SP_TRY(follow(report, name, e, 1.0, &h, err));
        sp_within(report, sp_label(report, "most air in 1 s, R = %g, %s", e->radius, ratio), h.most,
                  1.0, 0.08, "over that at the start: it neither loses nor gains any");
        sp_within(report, sp_label(report, "least air in 1 s, R = %g, %s", e->radius, ratio),
                  h.least, 1.0, 0.08, "the same");
        sp_reported(report, sp_label(report, "its speed in the last quarter, m/s"), h.speed, "");
        sp_reported(report, sp_label(report, "its pockets in the end"), (double)h.pockets,
                    "1: it has not broken up");
    }
    return SP_OK;
}

/// ---- Breaking up -------------------------------------------------------------------------------

sp_status bubbles_prove_breakup(sp_check_report *report, sp_error *err)
{
    static const large bubbles_of[] = {{6.0, 0.0002, 1.0f, false}, {6.0, 0.005, 1.0f, true}};
    for (int k = 0; k < 2; ++k) {
        const large *e = &bubbles_of[k];
        const char *ratio = e->light ? "1:1000" : "1:10";
        char name[40];
        history h;
        snprintf(name, sizeof name, "breakup_%s", e->light ? "1000" : "10");
        SP_TRY(follow(report, name, e, 0.35, &h, err));
        sp_at_most(report, sp_label(report, "most air in 0.35 s while it breaks up, %s", ratio),
                   h.most, 1.5, "over that at the start; a scene may not turn to foam");
        sp_reported(report, sp_label(report, "its pockets in the end"), (double)h.pockets, "");
    }
    return SP_OK;
}

/// ---- Caps --------------------------------------------------------------------------------------

/// Without surface tension a large bubble becomes a cap. Davies and Taylor (1950) measured how fast
/// caps of air in water rise.
sp_status bubbles_prove_cap(sp_check_report *report, sp_error *err)
{
    const large e = {.radius = 8.0};
    history h;
    SP_TRY(follow(report, "cap", &e, 0.2, &h, err));
    const double d = 2.0 * bubbles_ball_radius(h.start);
    sp_reported(report, "speed of a cap over that of Davies and Taylor",
                h.speed / (0.711 * sqrt(9.81 * d * 0.9)),
                "0.711 sqrt(g d (1 - rho_b/rho_w)), from 0.15 to 0.2 s; 0.7 to 1.7 is plausible");
    return SP_OK;
}
