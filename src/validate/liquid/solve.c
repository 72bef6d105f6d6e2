// SPDX-License-Identifier: Apache-2.0
/// The pressure solve in scenes: what divergence it leaves, and in how many iterations.
#include "validate/liquid/proofs.h"

/// ---- Divergence --------------------------------------------------------------------------------

typedef struct worst {
    double divergence;
    double removed; ///< m3/s
    int iterations;
    double sum; ///< of iterations
    int steps;
} worst;

static void note(void *arg, liquid *s)
{
    worst *w = arg;
    w->divergence = fmax(w->divergence, s->figures.divergence);
    w->removed = fmax(w->removed, fabs(s->figures.removed));
    w->iterations = s->figures.iterations > w->iterations ? s->figures.iterations : w->iterations;
    w->sum += s->figures.iterations;
    ++w->steps;
}

/// A box turns in water over a sloping floor while another box moves through it.
static void make_stirred(liquid_case *c, sp_spin_def *spin)
{
    liquid_case_domain(c, SP_LIQUID_FLIP, 0.48f, 0.4f, 0.16f, 0.01f);
    proof_fill(&c->scene, (sp_box_def){.max = {0.48f, 0.21f, 0.16f}});
    proof_plane(&c->scene, (sp_plane_def){{0.0f, 0.02f, 0.0f}, {-0.17364818f, 0.98480775f, 0.0f}});
    *spin =
        (sp_spin_def){.center = {0.15f, 0.15f, 0.08f}, .axis = {0.0f, 0.3f, 1.0f}, .rpm = 60.0f};
    proof_box(&c->scene, (sp_box_def){{0.07f, 0.13f, 0.04f}, {0.23f, 0.17f, 0.12f}})->motion.spin =
        spin;
    sp_collider_def *drawn =
        proof_box(&c->scene, (sp_box_def){{0.33f, 0.15f, 0.05f}, {0.38f, 0.3f, 0.11f}});
    proof_move(&c->scene, drawn, (const float[3]){0.1f, 0.02f, 0.0f});
}

sp_status liquid_prove_divergence(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    liquid *s;
    sp_spin_def spin;
    worst w = {0};
    make_stirred(&c, &spin);
    c.def.pressure.tolerance = 1e-6;
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_watch(s, 0.5, note, &w, err);
    liquid_close(s);
    SP_TRY(status);
    sp_at_most(report, "largest |div| dx/|u| after a solve to 1e-6", w.divergence, 1e-5,
               "cut voxels, bodies that move: fluxes through solids count at their own velocity");
    sp_at_most(report, "most iterations of it", w.iterations, 18, "as for water without solids");
    return SP_OK;
}

/// ---- Iterations --------------------------------------------------------------------------------

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
    sp_at_most(report, "largest |div| dx/|u| at that", w.divergence, 1e-5,
               "the solver's tolerance, and rounding");
    return SP_OK;
}
