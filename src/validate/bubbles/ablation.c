// SPDX-License-Identifier: Apache-2.0
/// What parts of surface tension are for (WSB25 figure 10): without the fraction filter single particles
/// stick in the water in the paper, because the force on their own cell is as strong as buoyancy; without
/// the force applied again at faces a bubble's shape falls apart. Ours does neither. (Without the filter none stick
/// here either: a bubble of this size loses single particles, which are pockets of their own then, but they
/// rise.)
#include "validate/bubbles/proofs.h"

static const double fps = 48.0, until = 0.4; // 1/s, s

typedef struct variant {
    const char *name, *file;
    bool filter, reapply;
} variant;

typedef struct outcome {
    double stuck;  ///< particles
    double spread; ///< root mean square distance from the middle over that at the start
    double air;    ///< over that at the start
    size_t pockets;
} outcome;

/// The scene sizes.json with one bubble of 8 mm, 6.4 voxels.
static void make_bubble(bubbles_case *c, const variant *v)
{
    bubbles_case_domain(c, 0.00125f, 1.0 / fps, (const int[3]){-40, 0, -40},
                        (const int[3]){40, 320, 40});
    bubbles_case_hero(c, false);
    c->def.substeps = 30;
    c->def.substeps_max = 64;
    c->def.tension.filter = v->filter;
    c->def.tension.reapply = v->reapply;
    if (!v->filter) c->def.tension.pocket_min_voxels = 0;
    bubbles_case_ball(c, (const double[3]){0.0, 24.0, 0.0}, 6.4);
}

static double spread_of(const bubbles *s)
{
    const bubbles_swarm w = bubbles_swarm_of(s);
    return sqrt(w.spread[0] + w.spread[1] + w.spread[2]);
}

/// Particles that rose by less than a fifth of what one alone would in the last tenth of a second.
static double count_stuck(const bubbles_track *from, const bubbles_track *to, double seconds)
{
    double stuck = 0.0;
    for (size_t i = 0; i < from->room; ++i) {
        const double alone = bubbles_terminal_speed((double)to->radius[i], 10.0, 1.0);
        stuck += to->x[i][1] - from->x[i][1] < 0.2 * alone * seconds;
    }
    return stuck;
}

static sp_status watch(bubbles *s, outcome *out, sp_error *err)
{
    bubbles_track from, to;
    const double last = 5.0 / fps;
    const size_t room = s->particles.set.count;
    const double start = spread_of(s), air = bubbles_air(s);
    while (s->time < until - last - 1e-9)
        SP_TRY(sp_bubbles_frame(s, s->time + 1.0 / fps, NULL, NULL, err));
    SP_TRY(bubbles_track_open(&from, s, room, err));
    sp_status status = SP_OK;
    for (int n = 0; n < 5 && status == SP_OK; ++n)
        status = sp_bubbles_frame(s, s->time + 1.0 / fps, NULL, NULL, err);
    if (status == SP_OK) status = bubbles_track_open(&to, s, room, err);
    if (status == SP_OK) {
        const sp_bubbles_figures f = sp_bubbles_look(s);
        *out = (outcome){count_stuck(&from, &to, last), spread_of(s) / start, f.air_volume / air,
                         f.pockets};
        bubbles_track_close(&to);
    }
    bubbles_track_close(&from);
    return status;
}

static sp_status run_variant(const variant *v, const sp_host *host, outcome *out, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    make_bubble(&c, v);
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    const sp_status status = watch(s, out, err);
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_ablation(sp_check_report *report, sp_error *err)
{
    static const variant variants[] = {
        {"ours", "ours", true, true},
        {"without the filter", "no_filter", false, true},
        {"without the force again at faces", "no_reapply", true, false}};
    outcome o[3];
    for (int k = 0; k < 3; ++k) {
        SP_TRY(run_variant(&variants[k], report->host, &o[k], err));
        sp_reported(report, sp_label(report, "pockets after 0.4 s, %s", variants[k].name),
                    (double)o[k].pockets, "1: whole");
        sp_reported(report, sp_label(report, "air over that at the start, %s", variants[k].name),
                    o[k].air, "");
        sp_reported(report, sp_label(report, "spread over that at the start, %s", variants[k].name),
                    o[k].spread, "root mean square distance from the middle");
    }
    sp_exact(report, "particles that stick, ours", o[0].stuck, 0,
             "of those that rise by less than a fifth of what one alone does");
    sp_at_least(report, "particles that stick without the filter", o[1].stuck, 1.0,
                "the paper's figure shows some in the bubble's trail");
    sp_at_least(report, "spread without the force again at faces, over ours",
                o[2].spread / o[0].spread, 1.2, "the paper's figure shows the shape torn");
    sp_within(report, "air of ours over that at the start", o[0].air, 1.0, 0.08,
              "it keeps its shape, so also its volume");
    sp_at_most(
        report, "air without the force again at faces, over ours", o[2].air / o[0].air, 0.8,
        "particles are pressed together and the pressure does not resist: the shape is lost");
    sp_at_most(report, "spread of ours over that at the start", o[0].spread, 1.5,
               "a ball that flattens to a cap of the same volume has 1.2");
    return SP_OK;
}
