// SPDX-License-Identifier: Apache-2.0
/// Inflow and outflow: emitters add velocity times area, open sides equalise levels.
#include "validate/liquid/proofs.h"

/// ---- Emitters ----------------------------------------------------------------------------------

static const float flow_h = 0.01f, flow_speed = 0.4f;

/// A tank with its emitter under water at the left wall, so that water enters only.
static void make_filling(liquid_case *c, int method)
{
    liquid_case_domain(c, method, 0.32f, 0.4f, 0.24f, flow_h);
    proof_fill(&c->scene, (sp_box_def){.max = {0.32f, 0.2f, 0.24f}});
}

static void add_jet(liquid_case *c)
{
    proof_jet(&c->scene, (const float[3]){0.05f, 0.1f, 0.12f}, (const float[3]){1.0f, 0.0f, 0.0f},
              0.06f, flow_speed)
        ->pipe_length = 0.1f;
}

/// Inflow, m3/s, measured by the surface and by particles.
typedef struct inflow {
    double surface, particles;
} inflow;

/// The first 0.125 s, in which the flow starts, are not measured.
static sp_status measure_inflow(sp_check_report *report, liquid_case *c, double until, inflow *rate,
                                sp_error *err)
{
    const double from = 0.125, each = pow((double)flow_h, 3.0) / c->def.particles_per_cell;
    liquid *s;
    SP_TRY(liquid_case_open(c, report->host, &s, err));
    sp_status status = liquid_case_run(s, from, err);
    const sp_liquid_figures before = sp_liquid_look(s);
    if (status == SP_OK) status = liquid_case_run(s, until, err);
    const sp_liquid_figures after = sp_liquid_look(s);
    rate->surface = (after.volume - before.volume) / (until - from);
    rate->particles = each * (double)(after.emitted - before.emitted) / (until - from);
    liquid_close(s);
    return status;
}

static void make_box(liquid_case *c, int method, int narrow_band)
{
    make_filling(c, method);
    c->def.narrow_band = narrow_band;
    proof_flow(&c->scene, (sp_box_def){{-0.1f, 0.04f, 0.08f}, {0.04f, 0.12f, 0.18f}},
               (const float[3]){flow_speed, 0.0f, 0.0f});
}

static void judge_box(sp_check_report *report, const char *name, double rate, double tolerance,
                      const char *why)
{
    sp_relative(report, sp_label(report, "inflow of a box, m3/s, %s", name), rate,
                (double)flow_speed * 0.08 * 0.1, tolerance, why);
}

static const char *const exact = "velocity times area: its faces are not for pressure to change";

static sp_status prove_jet(sp_check_report *report, const char *name, int method, sp_error *err)
{
    liquid_case c;
    inflow rate;
    make_filling(&c, method);
    add_jet(&c);
    SP_TRY(measure_inflow(report, &c, 0.75, &rate, err));
    sp_relative(report, sp_label(report, "inflow of a jet, m3/s, %s", name), rate.surface,
                (double)flow_speed * SP_PI_D * 0.06 * 0.06, 0.03,
                "its disc is made of voxels whose centres are in it, 6 to a radius");
    return SP_OK;
}

sp_status liquid_prove_flow(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    inflow rate;
    make_box(&c, SP_LIQUID_EULERIAN, 0);
    SP_TRY(measure_inflow(report, &c, 0.75, &rate, err));
    judge_box(report, "eulerian", rate.surface, 0.01, exact);
    make_box(&c, SP_LIQUID_FLIP, 0);
    SP_TRY(measure_inflow(report, &c, 0.75, &rate, err));
    judge_box(report, "flip, by particles", rate.particles, 0.01, exact);
    SP_TRY(prove_jet(report, "eulerian", SP_LIQUID_EULERIAN, err));
    return prove_jet(report, "flip", SP_LIQUID_FLIP, err);
}

sp_status liquid_prove_flow_long(sp_check_report *report, sp_error *err)
{
    static const char *const names[2][2] = {
        {"flip", "flip, by particles"}, {"flip, narrow band", "flip, narrow band, by particles"}};
    for (int k = 0; k < 2; ++k) {
        liquid_case c;
        inflow rate;
        make_box(&c, SP_LIQUID_FLIP, 4 * k);
        SP_TRY(measure_inflow(report, &c, 3.0, &rate, err));
        judge_box(report, names[k][0], rate.surface, 0.02,
                  "particles tell where the surface is to a tenth of a voxel, at the beginning and "
                  "at the end: 0.8 % each of what comes in between");
        judge_box(report, names[k][1], rate.particles, 0.01, exact);
    }
    return SP_OK;
}

/// ---- Open sides --------------------------------------------------------------------------------

/// Volume of the water within the domain, m3; what lies beyond an open side is not counted.
static double volume_inside(const liquid *s)
{
    double sum = 0.0;
    for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);)
        sum += liquid_share(s, v.at);
    return sum * pow((double)s->grid.voxel, 3.0);
}

/// What a tank beside still water of 0.15 m has come to, over the last of some seconds.
typedef struct evened {
    double level; ///< mean, m
    size_t stray; ///< most particles at once that are two voxels above that water: drops
} evened;

static size_t count_stray(const liquid *s)
{
    const liquid_particles *q = &s->particles;
    const double top = (0.15 - s->grid.origin[1]) / (double)s->grid.voxel + 2.0;
    size_t stray = 0;
    for (size_t t = 0; t < s->grid.tiles.count && liquid_has_particles(&s->def); ++t)
        for (uint32_t i = q->start[t]; i < q->start[t + 1]; ++i)
            stray += 8.0 * s->grid.tiles.at[t][1] + (double)q->x[1][i] > top;
    return stray;
}

static sp_status even_out(sp_check_report *report, int method, float start, double seconds,
                          evened *out, sp_error *err)
{
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, method, 0.4f, 0.32f, 0.08f, 0.01f);
    c.def.sides.right = SP_LIQUID_OPEN;
    c.def.sides.level = 0.15f;
    if (start > 0.0f) proof_fill(&c.scene, (sp_box_def){.max = {0.5f, start, 0.08f}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    sp_status status = SP_OK;
    double sum = 0.0;
    enum { LOOKS = 24 }; // over the last second, because waves remain
    out->stray = 0;
    for (int i = 1; i <= LOOKS && status == SP_OK; ++i) {
        status = liquid_case_run(s, seconds - 1.0 + (double)i / LOOKS, err);
        sum += volume_inside(s) / (0.4 * 0.08);
        const size_t stray = count_stray(s);
        out->stray = stray > out->stray ? stray : out->stray;
    }
    out->level = sum / LOOKS;
    liquid_close(s);
    return status;
}

sp_status liquid_prove_level(sp_check_report *report, sp_error *err)
{
    evened end;
    SP_TRY(even_out(report, SP_LIQUID_EULERIAN, 0.15f, 1.5, &end, err));
    sp_within(report, "level beside still water as high, m, eulerian", end.level, 0.15, 0.001,
              "pressures are equal on both sides");
    return SP_OK;
}

/// Water and what left of it, over the start's, after a second. `open`: a side without walls, from
/// which half of the water runs out; else a dam break that spills over the rim.
static sp_status let_out(sp_check_report *report, int method, bool open, double *whole,
                         double *energy, sp_error *err)
{
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, method, 0.64f, 0.24f, 0.16f, 0.01f);
    if (open) c.def.sides.right = SP_LIQUID_OPEN;
    proof_fill(&c.scene, (sp_box_def){.max = {open ? 0.64f : 0.24f, 0.23f, 0.16f}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_liquid_figures start = sp_liquid_look(s);
    const sp_status status = liquid_case_run(s, 1.0, err);
    const sp_liquid_figures end = sp_liquid_look(s);
    *whole = (end.volume + end.left_volume) / start.volume;
    *energy = (end.kinetic + end.potential + end.left_energy) / (start.kinetic + start.potential);
    liquid_close(s);
    return status;
}

sp_status liquid_prove_outflow(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *name;
        int method;
        bool open;
    } rows[] = {{"over the rim, flip", SP_LIQUID_FLIP, false},
                {"by a side, flip", SP_LIQUID_FLIP, true},
                {"by a side, eulerian", SP_LIQUID_EULERIAN, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        double whole, energy;
        SP_TRY(let_out(report, rows[i].method, rows[i].open, &whole, &energy, err));
        sp_within(report,
                  sp_label(report, "water and what left %s, over the start's", rows[i].name), whole,
                  1.0, 0.03, "as for the drift of a dam break: nothing is lost uncounted");
        sp_at_most(report, sp_label(report, "energy, with what left %s", rows[i].name), energy,
                   1.02, "water that falls gains none; the volume of spray is off by 2 %");
    }
    return SP_OK;
}

sp_status liquid_prove_level_long(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *name;
        int method;
        float start;
    } rows[] = {{"eulerian, from above", SP_LIQUID_EULERIAN, 0.2f},
                {"eulerian, from below", SP_LIQUID_EULERIAN, 0.1f},
                {"flip, from the same", SP_LIQUID_FLIP, 0.15f},
                {"flip, from above", SP_LIQUID_FLIP, 0.2f},
                {"flip, from below", SP_LIQUID_FLIP, 0.1f},
                {"eulerian, from an empty tank", SP_LIQUID_EULERIAN, 0.0f},
                {"flip, from an empty tank", SP_LIQUID_FLIP, 0.0f}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        evened end;
        SP_TRY(even_out(report, rows[i].method, rows[i].start, 4.0, &end, err));
        sp_within(
            report, sp_label(report, "level beside still water of 0.15 m, m, %s", rows[i].name),
            end.level, 0.15, 0.01, "a voxel: the side's pressure is that of the level outside");
        if (rows[i].start == 0.15f)
            sp_exact(report, "particles two voxels above it, of water that began as high",
                     (double)end.stray, 0, "an open side throws no drops along its rim");
    }
    return SP_OK;
}
