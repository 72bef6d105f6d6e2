// SPDX-License-Identifier: Apache-2.0
/// Forces on air: momentum, bounds of the buoyancy, and a clump that holds together.
#include "validate/sph/bubbles.h"

/// ---- Momentum ---------------------------------------------------------------------------------

typedef struct motion {
    double momentum[3], all; ///< kg m/s; all: sum of m |v|, what a loss is measured by
} motion;

/// In double, particle by particle: the solver's own figures are rounded to 1e-6 m/s each, which is
/// as much as still water here may gain.
static motion measure_motion(const sph *s)
{
    motion m = {0};
    const sph_phase *const phases[2] = {&s->liquid, &s->air};
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < phases[k]->set.count; ++i) {
            const double mass = (double)phases[k]->mass;
            double v2 = 0.0;
            for (int c = 0; c < 3; ++c) {
                const double v = (double)phases[k]->v[c][i];
                m.momentum[c] += mass * v;
                v2 += v * v;
            }
            m.all += mass * sqrt(v2);
        }
    return m;
}

/// Runs a drop with a swarm of 60 in it that moves, and puts how much momentum changed.
static sp_status drift(sp_check_report *report, sph *s, const char *what, sp_error *err)
{
    sph_swarm swarm;
    SP_TRY(sph_swarm_add(s, (const float[3]){0.1f, 0.1f, 0.1f}, 60, &swarm, err));
    for (size_t i = 0; i < s->air.set.count; ++i) {
        s->air.v[0][i] = 2.0f;
        s->air.v[2][i] = -1.0f;
    }
    const motion before = measure_motion(s);
    double worst = 0.0;
    for (int k = 1; k <= 20; ++k) {
        SP_TRY(sph_case_run(s, 0.015 * k, err));
        const motion now = measure_motion(s);
        for (int c = 0; c < 3; ++c)
            worst = fmax(worst, fabs(now.momentum[c] - before.momentum[c]) / before.all);
    }
    sp_at_most(report, what, worst, 1e-4, "all forces in pairs; what is left is rounding");
    return SP_OK;
}

/// Still water first: the momentum of air, a thousandth of the mass, would be too small beside that
/// of moving water.
static sp_status still_drop(sp_check_report *report, sph *s, sp_error *err)
{
    return drift(report, s, "momentum lost in 0.3 s, air moves in still water", err);
}

static sp_status moving_drop(sp_check_report *report, sph *s, sp_error *err)
{
    for (size_t i = 0; i < s->liquid.set.count; ++i)
        for (int c = 0; c < 3; ++c)
            s->liquid.v[c][i] = sp_unit(sp_random(1, 98, s->liquid.id[i], 0, 0).x[c]) - 0.3f;
    return drift(report, s, "momentum lost in 0.3 s, water is shaken too", err);
}

sp_status sph_prove_air_momentum(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph_case_nothing(&c, 0.02f);
    c.scene.world.gravity[1] = 0.0f;
    c.def.air.coupling = SP_SPH_COUPLING_SYMMETRIC;
    c.def.trapped.enabled = false;
    c.def.foam.float_time = 100.0f; // none bursts: that would take momentum along
    proof_fill(&c.scene, (sp_box_def){.max = {0.2f, 0.2f, 0.2f}});
    SP_TRY(sph_case_prove(report, &c, still_drop, err));
    return sph_case_prove(report, &c, moving_drop, err);
}

/// ---- Buoyancy ---------------------------------------------------------------------------------

/// Lift without weight of the air particle with this id in the last step, m/s2.
static double lift(const sph *s, uint64_t id)
{
    for (size_t k = 0; k < s->air.cells.count; ++k)
        if (s->air.id[s->air.cells.order[k]] == id)
            return (double)s->air.a[1][k] - (double)s->gravity[1];
    return (double)NAN;
}

static sp_status measure_lift(sp_check_report *report, sph *s, sp_error *err)
{
    sph_swarm lone, many;
    SP_TRY(sph_swarm_add(s, (const float[3]){0.06f, 0.2f, 0.06f}, 1, &lone, err));
    SP_TRY(sph_swarm_add(s, (const float[3]){0.2f, 0.2f, 0.2f}, 125, &many, err));
    SP_TRY(sp_sph_step(s, 1e-3, err));
    const double least = (double)s->def.air.buoyancy_min * 9.81,
                 most = least * (double)s->def.air.buoyancy_max;
    sp_relative(report, "lift of a lone particle, m/s2", lift(s, lone.first), least, 1e-4,
                "k_b g with B(0) = 1");
    double largest = 0.0;
    for (uint64_t i = 0; i < many.count; ++i)
        largest = fmax(largest, lift(s, many.first + i));
    sp_at_most(report, "largest lift in a ball of 125, m/s2", largest, most, "k_b k_max g");
    sp_at_least(report, "the same over k_b k_max g", largest / most, 0.9,
                "with 20 neighbours exp(-0.1 n) leaves less than 12 % out");
    return SP_OK;
}

sp_status sph_prove_buoyancy(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph_case_tank(&c, 0.3f, 0.5f, 0.3f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.3f, 0.3f, 0.3f}});
    c.def.air.drag_air = 0.0f;
    c.def.air.cohesion = c.def.air.core = 0.0f;
    return sph_case_prove(report, &c, measure_lift, err);
}

/// ---- A clump ----------------------------------------------------------------------------------

static sp_status hold_together(sp_check_report *report, sph *s, sp_error *err)
{
    sph_swarm clump;
    SP_TRY(sph_swarm_add(s, (const float[3]){0.15f, 0.15f, 0.15f}, 125, &clump, err));
    SP_TRY(sph_case_run(s, 2.4, err));
    const sph_swarm_look look = sph_swarm_at(s, clump);
    const double d = (double)s->d;
    double rho = 0.0;
    for (size_t k = 0; k < s->air.cells.count; ++k)
        rho += (double)s->air.rho[k] / (double)s->air.cells.count;
    sp_exact(report, "particles left of a clump of 125", (double)look.count, 125.0,
             "nothing bursts under water");
    sp_within(report, "mean density after 2.4 s, kg/m3", rho, 0.97, 0.05,
              "0.92 to 1.02: the rim lacks neighbours");
    sp_relative(report, "radius of gyration, spacings", look.spread / d, 2.403, 0.06,
                "a ball of the same volume");
    sp_at_least(report, "smallest distance of two, spacings", look.nearest / d, 0.4,
                "spiky gradient and core keep pairs apart");
    sp_at_most(report, "iterations of the air's pressure", s->figures.air_iterations, 5.0,
               "3 are the least");
    return SP_OK;
}

sp_status sph_prove_clump(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph_case_tank(&c, 0.3f, 0.3f, 0.3f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.3f, 0.3f, 0.3f}});
    c.scene.world.gravity[1] = 0.0f;
    c.def.air.cohesion = 60.0f;
    return sph_case_prove(report, &c, hold_together, err);
}
