// SPDX-License-Identifier: Apache-2.0
/// The pressure solve in scenes: how many iterations it takes.
#include "validate/liquid/proofs.h"

typedef struct worst {
    int iterations;
    double sum; ///< of iterations
    int steps;
} worst;

static void note(void *arg, liquid *s)
{
    worst *w = arg;
    w->iterations = s->figures.iterations > w->iterations ? s->figures.iterations : w->iterations;
    w->sum += s->figures.iterations;
    ++w->steps;
}

/// A ball of water falls into a tank of `cells` voxels a side.
static sp_status drop(sp_check_report *report, int cells, double tolerance, worst *w, sp_error *err)
{
    liquid_case c;
    liquid *s;
    const float h = 1.0f / (float)cells;
    liquid_case_domain(&c, SP_LIQUID_FLIP, 1.0f, 1.0f, 1.0f, h);
    proof_fill(&c.scene, (sp_box_def){.max = {1.0f, 0.35f, 1.0f}});
    proof_fill_ball(&c.scene, (sp_sphere_def){{0.5f, 0.52f, 0.5f}, 0.15f});
    c.def.pressure.tolerance = tolerance;
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    *w = (worst){0};
    const sp_status status = liquid_case_watch(s, 0.25, note, w, err);
    liquid_close(s);
    return status;
}

sp_status liquid_prove_iterations(sp_check_report *report, sp_error *err)
{
    worst w;
    const char *why = "multigrid's count hardly depends on the scene, nor on the number of voxels";
    SP_TRY(drop(report, 48, 1e-5, &w, err));
    sp_at_most(report, "most iterations to 1e-5, a ball falls into a tank", w.iterations, 14, why);
    SP_TRY(drop(report, 48, 1e-6, &w, err));
    sp_at_most(report, "most iterations to 1e-6", w.iterations, 18, why);
    return SP_OK;
}
