// SPDX-License-Identifier: Apache-2.0
/// Bubbles in still water: how fast they rise, whether they hold together, merge, and stay at the
/// surface.
#include "validate/sph/bubbles.h"

/// A tank of 12 x 12 spacings with 20 layers of water, and a long life for foam.
static const float side = 0.26f, depth = 0.42f;

static void still_tank(sph_case *c)
{
    sph_case_tank(c, side, 0.8f, side, 0.02f);
    proof_fill(&c->scene, (sp_box_def){.max = {side, depth, side}});
    c->def.trapped.enabled = false;
    c->def.foam.float_time = 100.0f;
}

/// ---- Speeds -----------------------------------------------------------------------------------

typedef struct rise {
    double speed;  ///< m/s, from 0.12 m up to three spacings below the surface
    double spread; ///< largest radius of gyration on the way, spacings
} rise;

/// Mean upward velocity of the water around a swarm, m/s.
static double water_around(const sph *s, const sph_swarm_look *look)
{
    double sum = 0.0, weight = 0.0;
    for (size_t i = 0; i < s->liquid.set.count; ++i) {
        double r2 = 0.0;
        for (int c = 0; c < 3; ++c) {
            const double x = (double)s->liquid.x[c][i] - look->center[c];
            r2 += x * x;
        }
        const double w = sph_kernel(sqrt(r2), 2.0 * (double)s->h);
        sum += w * (double)s->liquid.v[1][i];
        weight += w;
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

/// Follows a swarm and averages its speed relative to the water around it.
static sp_status watch_rise(sph *s, sph_swarm swarm, rise *out, sp_error *err)
{
    const double begin = 0.12, end = (double)depth - 4.0 * (double)s->d, tick = 0.01;
    double sum = 0.0;
    int ticks = 0;
    *out = (rise){0};
    for (int k = 1; k < 500; ++k) {
        SP_TRY(sph_case_run(s, tick * k, err));
        const sph_swarm_look look = sph_swarm_at(s, swarm);
        if (look.top > end) break;
        out->spread = fmax(out->spread, look.spread / (double)s->d);
        if (look.center[1] < begin) continue;
        sum += look.velocity[1] - water_around(s, &look);
        ++ticks;
    }
    out->speed = ticks > 0 ? sum / ticks : (double)NAN;
    return SP_OK;
}

/// One bubble of n in the tank's middle, off the axes of the water's lattice.
static sp_status rise_of(size_t n, const sp_host *host, rise *out, sp_error *err)
{
    sph_case c;
    sph *s;
    sph_swarm swarm;
    still_tank(&c);
    SP_TRY(sph_case_open(&c, host, &s, err));
    sp_status status = sph_swarm_add(s, (const float[3]){0.127f, 0.09f, 0.134f}, n, &swarm, err);
    if (status == SP_OK) status = watch_rise(s, swarm, out, err);
    sph_close(s);
    return status;
}

sp_status sph_prove_rise(sp_check_report *report, sp_error *err)
{
    static const size_t sizes[] = {1, 5, 10, 30, 60, 125};
    enum { COUNT = sizeof sizes / sizeof *sizes, THIRTY = 3 };
    rise by[COUNT];
    double curve[COUNT][2];
    for (int k = 0; k < COUNT; ++k) {
        SP_TRY(rise_of(sizes[k], report->host, &by[k], err));
        curve[k][0] = (double)sizes[k];
        curve[k][1] = by[k].speed;
    }
    sp_relative(report, "rise speed of a lone particle, m/s", by[0].speed, 0.191, 0.3,
                "(k_b - 1) g/lambda; lambda differs by 20 % from place to place");
    sp_at_least(report, "speed of 30 particles over that of one", by[THIRTY].speed / by[0].speed,
                3.0, "B(n) grows from 1 to 6");
    sp_at_most(report, "largest radius of gyration of the 30, spacings", by[THIRTY].spread, 2.0,
               "a ball of 30 has 1.49: it stays one bubble");
    sp_check_curve(report, "rise_speed", "particles,speed_m_s", curve[0], COUNT);
    return SP_OK;
}

/// ---- Merging ----------------------------------------------------------------------------------

static sp_status merge(sp_check_report *report, sph *s, sp_error *err)
{
    enum { SIZE = 20 };
    int32_t bubble[2 * SIZE];
    sph_swarm swarm;
    // 20 particles fill a ball of 1.7 spacings' radius; gaps are between surfaces
    const float apart = (1.7f + 0.75f) * s->d;
    SP_TRY(sph_swarm_add(s, (const float[3]){0.13f - apart, 0.1f, 0.13f}, SIZE, &swarm, err));
    SP_TRY(sph_swarm_add(s, (const float[3]){0.13f + apart, 0.1f, 0.13f}, SIZE, &swarm, err));
    sp_exact(report, "bubbles at the start", (double)sph_find_bubbles(s, true, bubble), 2.0,
             "two balls of 20, 1.5 spacings apart");
    double t = 0.0;
    while (t < 3.0 && sph_find_bubbles(s, true, bubble) > 1) {
        t += 0.02;
        SP_TRY(sph_case_run(s, t, err));
    }
    sp_exact(report, "bubbles in the end", (double)sph_find_bubbles(s, true, bubble), 1.0,
             "links shorter than h");
    sp_at_most(report, "time until they are one, s", t, 3.0, "cohesion");
    return SP_OK;
}

sp_status sph_prove_merge(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph *s;
    still_tank(&c);
    SP_TRY(sph_case_open(&c, report->host, &s, err));
    const sp_status status = merge(report, s, err);
    sph_close(s);
    return status;
}

/// ---- At the surface ---------------------------------------------------------------------------

/// Whether no water is within h of the swarm's particles.
static bool without_water(const sph *s, sph_swarm swarm)
{
    for (size_t k = 0; k < s->air.cells.count; ++k)
        if (s->air.id[s->air.cells.order[k]] - swarm.first < swarm.count &&
            s->air_data.phi[k] > 0.0f)
            return false;
    return true;
}

static sp_status float_up(sp_check_report *report, sph *s, size_t n, sp_error *err)
{
    sph_swarm swarm;
    double highest = 0.0, away = 0.0, longest = 0.0, arrived = 1e9;
    size_t floating = 0;
    const double tick = 0.005;
    const float surface = depth - s->d; // the uppermost layer
    SP_TRY(sph_swarm_add(s, (const float[3]){0.127f, surface - 0.1f, 0.134f}, n, &swarm, err));
    for (int k = 1; k <= 300; ++k) {
        SP_TRY(sph_case_run(s, tick * k, err));
        const sph_swarm_look look = sph_swarm_at(s, swarm);
        if (look.foam > 0) arrived = fmin(arrived, tick * k);
        floating = look.foam;
        highest = fmax(highest, look.top - (double)surface);
        away = without_water(s, swarm) ? away + tick : 0.0;
        longest = fmax(longest, away);
    }
    sp_at_most(report, n == 1 ? "one particle: arrives after, s" : "30: arrive after, s", arrived,
               1.0, "0.1 m at 0.1 m/s at least");
    sp_exact(report, "particles that float after 1.5 s", (double)floating, (double)n, "all");
    sp_at_most(report, "highest point above the surface, h", highest / (double)s->h, 2.0,
               "foam has weight where it has lost the water");
    sp_at_most(report, "longest time without water, s", longest, 0.3, "it falls back");
    return SP_OK;
}

sp_status sph_prove_surface(sp_check_report *report, sp_error *err)
{
    static const size_t sizes[] = {1, 30};
    sph_case c;
    still_tank(&c);
    for (int k = 0; k < 2; ++k) {
        sph *s;
        SP_TRY(sph_case_open(&c, report->host, &s, err));
        const sp_status status = float_up(report, s, sizes[k], err);
        sph_close(s);
        SP_TRY(status);
    }
    return SP_OK;
}
