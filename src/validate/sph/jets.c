// SPDX-License-Identifier: Apache-2.0
/// Fast water: jets under water, a pour, a jet against a wall. It stays in the tank and is hardly
/// compressed.
#include "validate/sph/proofs.h"

#include <stdio.h>

static void put_flow(sp_check_report *report, const char *name, const sph_watch *w)
{
    sp_at_most(report, sp_label(report, "%s: share of steps above 1.5 %%", name),
               (double)w->above / (double)w->steps, 0.02,
               "small scenes showed 0.1 to 1 % of steps; the loop aims at 1 %");
    sp_at_most(report, sp_label(report, "%s: largest compression", name), w->worst, 0.03,
               "small scenes showed 1.2 to 2.2 %");
}

/// An impact may compress single steps by more than 3 %, a flow may not.
static sp_status watch_jet(sp_check_report *report, const char *name, sph_case *c, double until,
                           bool impact, sp_error *err)
{
    sph *s;
    sph_watch w = {0};
    SP_TRY(sph_case_open(c, report->host, &s, err));
    const sp_status status = sph_case_watch(s, until, &w, err);
    if (status == SP_OK) {
        if (!impact) put_flow(report, name, &w);
        sp_at_most(report, sp_label(report, "%s: steps above 3 %% in a row", name),
                   (double)w.longest, 1, "a step that errs is corrected by the next");
        sp_exact(report, sp_label(report, "%s: particles outside the tank", name),
                 (double)sph_case_lost(c, s), 0,
                 "the safety net at the walls, not their particles, stops leaks");
        if (impact)
            sp_reported(report, sp_label(report, "%s: largest compression", name), w.worst,
                        "an impact compresses for a step");
        sp_reported(report, sp_label(report, "%s: caught by the safety net, a step", name),
                    (double)s->figures.clamped / (double)w.steps, "of all particles");
    }
    sph_close(s);
    return status;
}

/// A pipe of 4 cm through the side of a tank with 0.3 m of water.
static void make_jet(sph_case *c, float speed)
{
    sph_case_tank(c, 0.82f, 5.0f, 0.34f, 0.02f); // 9 m/s can rise 4.1 m
    proof_fill(&c->scene, (sp_box_def){.max = {0.82f, 0.32f, 0.34f}});
    proof_jet(&c->scene, (const float[3]){0.14f, 0.16f, 0.16f}, (const float[3]){1, 0, 0}, 0.04f,
              speed);
    c->def.trapped.surface_only = false;
    c->def.trapped.v_diff = 0.75f;
    c->def.trapped.v_min = 3.5f;
}

sp_status sph_prove_jet(sp_check_report *report, sp_error *err)
{
    sph_case c;
    make_jet(&c, 9.0f);
    return watch_jet(report, "9 m/s, 0.1 s", &c, 0.1, false, err);
}

static void make_pour(sph_case *c)
{
    sph_case_tank(c, 0.42f, 2.0f, 0.42f, 0.02f);
    proof_fill(&c->scene, (sp_box_def){.max = {0.42f, 0.22f, 0.42f}});
    proof_jet(&c->scene, (const float[3]){0.2f, 0.7f, 0.2f}, (const float[3]){0, -1, 0}, 0.06f,
              3.0f);
}

/// Through the air, straight at a wall.
static void make_wall(sph_case *c)
{
    sph_case_tank(c, 0.62f, 5.0f, 0.42f, 0.02f);
    proof_jet(&c->scene, (const float[3]){0.2f, 0.3f, 0.2f}, (const float[3]){1, 0, 0}, 0.04f,
              9.0f);
}

sp_status sph_prove_jets(sp_check_report *report, sp_error *err)
{
    static const float speeds[] = {5.5f, 7.0f, 9.0f};
    sph_case c;
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k) {
        char name[32];
        snprintf(name, sizeof name, "%g m/s", (double)speeds[k]);
        make_jet(&c, speeds[k]);
        SP_TRY(watch_jet(report, name, &c, 0.5, false, err));
    }
    make_pour(&c);
    SP_TRY(watch_jet(report, "pour", &c, 1.0, false, err));
    make_wall(&c);
    return watch_jet(report, "9 m/s at a wall", &c, 0.5, true, err);
}
