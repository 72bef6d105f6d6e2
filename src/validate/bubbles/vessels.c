// SPDX-License-Identifier: Apache-2.0
/// The air of a large bubble where its volume is hard to keep: in a sealed box, where no water can leave; while air
/// flows into it; and made of particles of different size.
#include "validate/bubbles/proofs.h"

static const double fps = 48.0, until = 0.4; // 1/s, s

/// The scene hero.json with a bubble of five voxels' radius at 1:10.
static void make_bubble(bubbles_case *c)
{
    bubbles_case_domain(c, 0.00125f, 1.0 / fps, (const int[3]){-32, 0, -32},
                        (const int[3]){32, 240, 32});
    bubbles_case_hero(c, false);
    c->def.substeps = 30;
    c->def.substeps_max = 64;
    bubbles_case_ball(c, (const double[3]){0.0, 20.0, 0.0}, 5.0);
}

static void make_sealed(bubbles_case *c)
{
    make_bubble(c);
    sp_collider_def *box =
        proof_box(&c->scene, (sp_box_def){{-0.02f, 0.008f, -0.02f}, {0.02f, 0.1f, 0.02f}});
    box->inside_out = true;
}

/// Air flows into the middle of the bubble where it begins.
static void make_fed(bubbles_case *c)
{
    make_bubble(c);
    c->emitter.mode = SP_BUBBLES_FLOW;
    c->emitter.velocity[1] = 0.1f;
    c->emitter.stop = 0.1f;
}

/// Radii from half of what faces need to that.
static void make_mixed(bubbles_case *c)
{
    make_bubble(c);
    c->emitter.sizes = SP_BUBBLES_GIVEN;
    c->emitter.radius_min = 0.43f * 0.00125f;
    c->emitter.radius_max = 0.86f * 0.00125f;
    c->emitter.radius_power = 0.0f;
}

typedef struct vessel {
    const char *name;
    void (*make)(bubbles_case *c);
    double tolerance;
    const char *why;
} vessel;

static const vessel vessels[] = {
    {"in a sealed box", make_sealed, 0.08, "as of a bubble in open water"},
    {"while air flows in", make_fed, 0.15,
     "by particle: a ball of four voxels holds a tenth more a particle than one of five"},
    {"of radii that differ by two", make_mixed, 0.08, "as of a bubble of equal particles"},
};

/// Air by particle, over that at the start.
static sp_status follow(const vessel *v, const sp_host *host, double *least, double *most,
                        sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    v->make(&c);
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    const double start = bubbles_air(s) / (double)s->particles.set.count;
    sp_status status = SP_OK;
    *least = *most = 1.0;
    while (s->time < until - 1e-9 && status == SP_OK) {
        status = sp_bubbles_frame(s, s->time + c.dt, NULL, NULL, err);
        const sp_bubbles_figures f = sp_bubbles_look(s);
        const double share = f.air_volume / (double)f.particles / start;
        *least = fmin(*least, share);
        *most = fmax(*most, share);
    }
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_vessels(sp_check_report *report, sp_error *err)
{
    for (size_t k = 0; k < sizeof vessels / sizeof *vessels; ++k) {
        const vessel *v = &vessels[k];
        double least, most;
        SP_TRY(follow(v, report->host, &least, &most, err));
        sp_within(report, sp_label(report, "most air a particle in 0.4 s, %s", v->name), most, 1.0,
                  v->tolerance, v->why);
        sp_within(report, sp_label(report, "least air a particle in 0.4 s, %s", v->name), least,
                  1.0, v->tolerance, v->why);
    }
    return SP_OK;
}
