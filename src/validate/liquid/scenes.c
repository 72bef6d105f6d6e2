// SPDX-License-Identifier: Apache-2.0
/// Ten seconds of the scenes dam_break and drop, with short and long steps and with voxels half as
/// wide: no run fails or changes its volume, and times of impact and energies hardly depend on the
/// choice.
#include "validate/liquid/proofs.h"

static const double fps = 24.0;
enum { FRAMES = 240, RUNS = 4 }; ///< 10 s

/// ---- The scenes --------------------------------------------------------------------------------

void liquid_make_dam_break(liquid_case *c, float voxel)
{
    liquid_case_domain(c, SP_LIQUID_FLIP, 1.6f, 0.8f, 0.8f, voxel);
    proof_box(&c->scene, (sp_box_def){{1.05f, 0.0f, 0.3f}, {1.2f, 0.6f, 0.5f}});
    proof_fill(&c->scene, (sp_box_def){.max = {0.45f, 0.6f, 0.8f}});
}

void liquid_make_drop(liquid_case *c, float voxel)
{
    liquid_case_domain(c, SP_LIQUID_FLIP, 1.0f, 1.0f, 1.0f, voxel);
    proof_fill(&c->scene, (sp_box_def){.max = {1.0f, 0.3f, 1.0f}});
    proof_fill_ball(&c->scene, (sp_sphere_def){{0.5f, 0.62f, 0.5f}, 0.13f})->velocity[1] = -2.0f;
}

/// How far water has come along the floor in the domain's middle, m.
static double find_front(const liquid *s)
{
    int32_t at[3];
    for (int a = 0; a < 3; ++a) {
        const double p[3] = {0.5 * (double)s->grid.voxel, 0.5 * (double)s->grid.voxel, 0.4};
        at[a] = (int32_t)floor((p[a] - s->grid.origin[a]) / (double)s->grid.voxel);
    }
    const int32_t first = at[0];
    float here, before = -s->grid.voxel;
    while ((here = sp_tiles_value(&s->grid.tiles, s->grid.phi, at, s->grid.band)) < 0.0f) {
        before = here;
        ++at[0];
    }
    return (double)s->grid.voxel *
           ((double)(at[0] - first) + (double)(before / (before - here)) - 0.5);
}

/// ---- A run -------------------------------------------------------------------------------------

typedef struct history {
    double energy[FRAMES + 1]; ///< J, at frames
    double most, least;        ///< volume over what should be there
    double impact;             ///< s: when the front is at the pillar, or kinetic energy is largest
    double front, time, kinetic; ///< of the substep before; the most so far
} history;

/// The front passes a line before the pillar.
static void note_front(void *arg, liquid *s)
{
    history *h = arg;
    const double line = 1.0, front = find_front(s);
    if (h->impact == 0.0 && front >= line)
        h->impact = h->time + (s->time - h->time) * (line - h->front) / (front - h->front);
    h->front = front;
    h->time = s->time;
}

/// The impact of a falling body is when its kinetic energy is largest.
static void note_kinetic(void *arg, liquid *s)
{
    history *h = arg;
    if (s->time > 0.3) return;
    const double kinetic = sp_liquid_look(s).kinetic;
    if (kinetic > h->kinetic) h->impact = s->time;
    h->kinetic = fmax(h->kinetic, kinetic);
}

static void note_frame(history *h, int frame, liquid *s)
{
    const sp_liquid_figures f = sp_liquid_look(s);
    const double share = f.volume / f.wanted_volume;
    h->energy[frame] = f.kinetic + f.potential;
    h->most = fmax(h->most, share);
    h->least = fmin(h->least, share);
}

static sp_status follow(const sp_host *host, liquid_case *c, sp_liquid_seen *note, history *h,
                        sp_error *err)
{
    liquid *s;
    *h = (history){.most = 1.0, .least = 1.0};
    SP_TRY(liquid_case_open(c, host, &s, err));
    sp_status status = SP_OK;
    note_frame(h, 0, s);
    for (int frame = 1; frame <= FRAMES && status == SP_OK; ++frame) {
        status = liquid_case_watch(s, frame / fps, note, h, err);
        note_frame(h, frame, s);
    }
    liquid_close(s);
    return status;
}

/// ---- The proof ---------------------------------------------------------------------------------

static double worst_energy(const history *a, const history *b)
{
    double worst = 0.0;
    for (int i = 0; i <= FRAMES; ++i)
        worst = fmax(worst, fabs(a->energy[i] / b->energy[i] - 1.0));
    return worst;
}

typedef struct scene {
    const char *name;
    void (*make)(liquid_case *c, float voxel);
    float voxel;
    sp_liquid_seen *note;
} scene;

static void judge(sp_check_report *report, const scene *e, const history h[RUNS])
{
    static const char *const names[RUNS] = {"cfl 1", "cfl 2", "cfl 5", "cfl 2, half the voxel"};
    for (int r = 0; r < RUNS; ++r) {
        sp_within(report, sp_label(report, "%s: most volume in 10 s, %s", e->name, names[r]),
                  h[r].most, 1.0, 0.03, "drift is not to be seen");
        sp_within(report, sp_label(report, "%s: least volume in 10 s, %s", e->name, names[r]),
                  h[r].least, 1.0, 0.03, "drift is not to be seen");
    }
    sp_relative(report, sp_label(report, "%s: impact, s, voxel against half the voxel", e->name),
                h[1].impact, h[3].impact, 0.05, "shots are set up with coarse water");
    sp_at_most(report, sp_label(report, "%s: energy, voxel against half the voxel, share", e->name),
               worst_energy(&h[1], &h[3]), 0.05,
               "at every frame; shots are set up with coarse water");
    double rows[FRAMES + 1][1 + RUNS];
    for (int i = 0; i <= FRAMES; ++i) {
        rows[i][0] = i / fps;
        for (int r = 0; r < RUNS; ++r)
            rows[i][1 + r] = h[r].energy[i];
    }
    sp_check_curve(report, sp_label(report, "energy_%s", e->name),
                   "time_s,J_cfl_1,J_cfl_2,J_cfl_5,J_half_voxel", rows[0], FRAMES + 1);
}

static sp_status prove_scene(sp_check_report *report, const scene *e, sp_error *err)
{
    static const float cfl[RUNS] = {1.0f, 2.0f, 5.0f, 2.0f};
    history h[RUNS];
    for (int r = 0; r < RUNS; ++r) {
        liquid_case c;
        e->make(&c, r < RUNS - 1 ? e->voxel : 0.5f * e->voxel);
        c.def.cfl = cfl[r];
        SP_TRY(follow(report->host, &c, e->note, &h[r], err));
    }
    judge(report, e, h);
    return SP_OK;
}

sp_status liquid_prove_dam_runs(sp_check_report *report, sp_error *err)
{
    const scene e = {"dam_break", liquid_make_dam_break, 1.0f / 60.0f, note_front};
    return prove_scene(report, &e, err);
}

sp_status liquid_prove_drop_runs(sp_check_report *report, sp_error *err)
{
    const scene e = {"drop", liquid_make_drop, 1.0f / 64.0f, note_kinetic};
    return prove_scene(report, &e, err);
}
