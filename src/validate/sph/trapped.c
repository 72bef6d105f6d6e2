// SPDX-License-Identifier: Apache-2.0
/// Trapped air: faster jets make more of it, shorter steps as much, higher thresholds less.
#include "validate/sph/bubbles.h"

/// ---- A pour -----------------------------------------------------------------------------------

/// Air made within half a second by a jet of 3 m/s that falls 0.5 m into 0.2 m of water.
static sp_status pour(const sp_host *host, float v_diff, float v_min, double *made, sp_error *err)
{
    sph_case c;
    sph *s;
    sph_case_tank(&c, 0.42f, 0.9f, 0.42f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.42f, 0.22f, 0.42f}});
    proof_jet(&c.scene, (const float[3]){0.21f, 0.7f, 0.21f}, (const float[3]){0.0f, -1.0f, 0.0f},
              0.06f, 3.0f);
    c.def.trapped.v_diff = v_diff;
    c.def.trapped.v_min = v_min;
    SP_TRY(sph_case_open(&c, host, &s, err));
    const sp_status status = sph_case_run(s, 0.5, err);
    *made = (double)sp_sph_last(s).created;
    sph_close(s);
    return status;
}

sp_status sph_prove_pour(sp_check_report *report, sp_error *err)
{
    double made, wider, higher, faster;
    SP_TRY(pour(report->host, 0.3f, 3.0f, &made, err));
    SP_TRY(pour(report->host, 0.6f, 3.0f, &wider, err));
    SP_TRY(pour(report->host, 0.3f, 4.0f, &higher, err));
    SP_TRY(pour(report->host, 0.3f, 6.0f, &faster, err));
    sp_at_least(report, "air made by a pour in 0.5 s, particles", made, 100.0, "some hundreds");
    sp_at_most(report, "with v_t doubled, particles", wider, made - 1.0, "fewer");
    sp_at_most(report, "with v_min 4 instead of 3 m/s, particles", higher, made - 1.0, "fewer");
    sp_at_most(report, "with v_min doubled, particles", faster, higher - 1.0,
               "fewer still: nothing falls as fast");
    return SP_OK;
}

/// ---- Length of steps --------------------------------------------------------------------------

static sp_status jet(const sp_host *host, double dt_max, double *made, sp_error *err)
{
    sph_case c;
    sph *s;
    sph_case_tank(&c, 0.82f, 0.5f, 0.34f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.82f, 0.32f, 0.34f}});
    proof_jet(&c.scene, (const float[3]){0.1f, 0.16f, 0.17f}, (const float[3]){1.0f, 0.0f, 0.0f},
              0.04f, 7.0f);
    c.def.trapped.v_diff = 0.75f;
    c.def.trapped.v_min = 3.5f;
    c.def.trapped.surface_only = false;
    c.def.dt_max = dt_max;
    SP_TRY(sph_case_open(&c, host, &s, err));
    const sp_status status = sph_case_run(s, 0.3, err);
    *made = (double)sp_sph_last(s).created;
    sph_close(s);
    return status;
}

sp_status sph_prove_jet_steps(sp_check_report *report, sp_error *err)
{
    double coarse, fine;
    SP_TRY(jet(report->host, 2e-3, &coarse, err));
    SP_TRY(jet(report->host, 5e-4, &fine, err));
    sp_relative(report, "air of a 7 m/s jet in 0.3 s, dt_max 2 ms against 0.5 ms", coarse, fine,
                0.2, "the rule saturates: it asks for a number of air particles, not for a rate");
    return SP_OK;
}

/// ---- Three inflows ----------------------------------------------------------------------------

enum { PIPES = 3, TICKS = 20, COLUMNS = 1 + PIPES };

/// Scene sph/inflows, with walls that no splash gets over. Every tick, air made so far by each
/// pipe's water.
static sp_status watch_inflows(sph *s, double (*curve)[COLUMNS], sph_ledger *ledger, sp_error *err)
{
    for (int k = 0; k < TICKS; ++k) {
        curve[k][0] = 0.1 * (k + 1);
        SP_TRY(sph_case_run(s, curve[k][0], err));
        SP_TRY(sph_ledger_look(ledger, s, err));
        for (int i = 0; i < PIPES; ++i)
            curve[k][1 + i] = (double)s->emitter[i].air;
    }
    return SP_OK;
}

static void judge_inflows(sp_check_report *report, double (*curve)[COLUMNS])
{
    const double *end = curve[TICKS - 1];
    int disorder = 0;
    for (int k = 0; k < TICKS; ++k)
        disorder += !(curve[k][3] > curve[k][2] && curve[k][2] > curve[k][1]);
    sp_exact(report, "times of 20 at which a slower pipe has made more", disorder, 0.0,
             "9 m/s makes more than 7, and 7 more than 5.5, every 0.1 s");
    sp_at_least(report, "air of the 9 m/s pipe over that of 5.5 m/s, 2 s", end[3] / end[1], 1.5,
                "air scales with the difference of velocities");
    sp_at_least(report, "air of the 7 m/s pipe over that of 5.5 m/s, 2 s", end[2] / end[1], 1.0,
                "in between");
    sp_check_curve(report, "inflows", "time_s,made_5.5,made_7,made_9", curve[0], TICKS);
}

sp_status sph_prove_inflows(sp_check_report *report, sp_error *err)
{
    static const float z[PIPES] = {0.2f, 0.46f, 0.7f}, speed[PIPES] = {5.5f, 7.0f, 9.0f};
    sph_case c;
    sph *s;
    sph_ledger ledger;
    double curve[TICKS][COLUMNS];
    sph_case_tank(&c, 1.22f, 2.0f, 0.92f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {1.22f, 0.52f, 0.92f}});
    for (int i = 0; i < PIPES; ++i)
        proof_jet(&c.scene, (const float[3]){0.1f, 0.16f, z[i]}, (const float[3]){1.0f, 0.0f, 0.0f},
                  0.04f, speed[i]);
    c.def.trapped.v_diff = 0.75f;
    c.def.trapped.v_min = 3.5f;
    c.def.trapped.surface_only = false;
    SP_TRY(sph_case_open(&c, report->host, &s, err));
    sp_status status = sph_ledger_open(&ledger, s, &c.tank, err);
    if (status == SP_OK) status = watch_inflows(s, curve, &ledger, err);
    if (status == SP_OK) {
        judge_inflows(report, curve);
        sph_ledger_put(&ledger, report);
    }
    sph_ledger_close(&ledger);
    sph_close(s);
    return status;
}
