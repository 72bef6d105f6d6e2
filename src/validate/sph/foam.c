// SPDX-License-Identifier: Apache-2.0
/// How long foam lives: alone, and where bubbles keep arriving.
#include "validate/sph/bubbles.h"

/// ---- Alone ------------------------------------------------------------------------------------

/// Kolmogorov-Smirnov distance between when n particles burst and a uniform law. Lives begin with
/// the end of the first step.
static sp_status burst_alone(sp_check_report *report, sph *s, int n, sp_error *err)
{
    const double t_f = (double)s->def.foam.float_time, dt = 2e-3;
    const int steps = (int)(2.0 * t_f / dt) + 2; // one more: lives are counted down in float
    double distance = 0.0, mean = 0.0;
    uint64_t before = 0;
    for (int k = 0; k <= steps; ++k) {
        SP_TRY(sp_sph_step(s, dt, err));
        const uint64_t burst = sp_sph_last(s).burst;
        mean += (double)(burst - before) / n * (k - 0.5) * dt;
        distance = fmax(distance, fabs((double)burst / n - fmin(1.0, dt * k / (2.0 * t_f))));
        before = burst;
    }
    sp_exact(report, "foam that has burst after 2 t_f", (double)before, n, "nobody lives longer");
    sp_relative(report, "mean life, s", mean, t_f, 0.05, "four deviations of the mean of 2000");
    sp_at_most(report, "distance to a uniform law times sqrt(n)", distance * sqrt(n), 1.63,
               "Kolmogorov-Smirnov, p > 0.01");
    return SP_OK;
}

/// Without water all air is foam at once, and without gravity it stays where it is.
sp_status sph_prove_foam_life(sp_check_report *report, sp_error *err)
{
    enum { SIDE = 13, COUNT = 2000 };
    sph_case c;
    sph *s;
    sph_case_nothing(&c, 0.02f);
    c.scene.world.gravity[1] = 0.0f;
    c.def.foam.float_time = 0.7f;
    SP_TRY(sph_case_open(&c, report->host, &s, err));
    const float gap = 2.5f * s->d; // no two are neighbours
    sp_status status = SP_OK;
    for (int i = 0; i < COUNT && status == SP_OK; ++i)
        if (sph_case_add(s, &s->air, gap * (float)(i % SIDE), gap * (float)(i / SIDE % SIDE),
                         gap * (float)(i / SIDE / SIDE), err) == SIZE_MAX)
            status = SP_NO_MEMORY;
    if (status == SP_OK) status = burst_alone(report, s, COUNT, err);
    sph_close(s);
    return status;
}

/// ---- Together ---------------------------------------------------------------------------------

enum { SHARES = 3, TICKS = 80, COLUMNS = 1 + SHARES };
static const int shares[SHARES] = {SP_SPH_SHARE_GROUP, SP_SPH_SHARE_OFF, SP_SPH_SHARE_PAPER};

/// Foam on 0.3 x 0.3 m of water that 150 bubbles a second reach, every 0.05 s.
static sp_status count_foam(const sp_host *host, int share, double (*curve)[COLUMNS], int column,
                            sp_error *err)
{
    sph_case c;
    sph *s;
    sph_case_tank(&c, 0.3f, 0.5f, 0.3f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.3f, 0.16f, 0.3f}});
    sph_case_seed(&c, (sp_box_def){{0.03f, 0.08f, 0.03f}, {0.27f, 0.1f, 0.27f}}, 150.0f);
    c.def.trapped.enabled = false;
    c.def.foam.float_time = 0.7f;
    c.def.foam.share = share;
    SP_TRY(sph_case_open(&c, host, &s, err));
    sp_status status = SP_OK;
    for (int k = 0; k < TICKS && status == SP_OK; ++k) {
        curve[k][0] = 0.05 * (k + 1);
        status = sph_case_run(s, curve[k][0], err);
        curve[k][column] = (double)sp_sph_look(s).foam;
    }
    sph_close(s);
    return status;
}

/// Over the last second.
static double mean_of(double (*curve)[COLUMNS], int column)
{
    double sum = 0.0;
    for (int k = TICKS - 20; k < TICKS; ++k)
        sum += curve[k][column] / 20.0;
    return sum;
}

sp_status sph_prove_foam_count(sp_check_report *report, sp_error *err)
{
    double curve[TICKS][COLUMNS];
    for (int k = 0; k < SHARES; ++k)
        SP_TRY(count_foam(report->host, shares[k], curve, k + 1, err));
    sp_relative(report, "foam, share \"group\"", mean_of(curve, 1), 105.0, 0.2,
                "150 a second that live 0.7 s on average");
    sp_relative(report, "foam, share \"off\"", mean_of(curve, 2), 105.0, 0.2, "the same");
    sp_at_most(report, "foam, share \"paper\"", mean_of(curve, 3), 40.0,
               "the shortest life around spreads through a raft");
    sp_check_curve(report, "foam_count", "time_s,group,off,paper", curve[0], TICKS);
    return SP_OK;
}
