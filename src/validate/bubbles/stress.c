// SPDX-License-Identifier: Apache-2.0
/// Input at the limits of what is allowed: nothing becomes infinite, no speed exceeds what forces can give.
#include "validate/bubbles/proofs.h"

/// A case, and how fast its particles and water may be, m/s.
typedef struct extreme {
    const char *name;
    void (*make)(bubbles_case *c);
    int frames;
    double most;
    const char *why;
} extreme;

static const float frame = 1.0f / 24.0f; // s

static void make_domain(bubbles_case *c)
{
    bubbles_case_domain(c, 0.01f, (double)frame, (const int[3]){-24, 0, -24},
                        (const int[3]){24, 64, 24});
    c->def.substeps_max = 64;
}

/// Faces are filled ten times over; 1:1000, one substep a frame at least.
static void make_overfull(bubbles_case *c)
{
    make_domain(c);
    bubbles_case_cloud(c, (sp_box_def){{-0.08f, 0.1f, -0.08f}, {0.08f, 0.26f, 0.08f}}, 0.01f, 0.0f);
    c->emitter.spacing = 0.75f;
}

/// A large bubble of air in water with its tension, in the longest substeps.
static void make_large(bubbles_case *c)
{
    make_domain(c);
    bubbles_case_hero(c, true);
    c->def.substeps_max = 1;
    bubbles_case_ball(c, (const double[3]){0.0, 16.0, 0.0}, 8.0);
}

/// Radii over four decades: 10 micrometres to 10 voxels.
static void make_sizes(bubbles_case *c)
{
    make_domain(c);
    bubbles_case_cloud(c, (sp_box_def){{-0.1f, 0.1f, -0.1f}, {0.1f, 0.3f, 0.1f}}, 1e-5f, 0.0f);
    c->emitter.radius_max = 0.1f;
    c->emitter.radius_power = 1.0f;
    c->emitter.mode = SP_BUBBLES_RATE;
    c->emitter.rate = 4000.0f;
}

/// A million bubbles of 50 micrometres within one voxel.
static void make_crowd(bubbles_case *c)
{
    make_domain(c);
    bubbles_case_cloud(c, (sp_box_def){{0.001f, 0.101f, 0.001f}, {0.009f, 0.109f, 0.009f}}, 5e-5f,
                       0.0f);
    c->emitter.spacing = 0.008f;
}

/// A plate sweeps through a cloud at 20 m/s.
static void make_plate(bubbles_case *c)
{
    make_domain(c);
    bubbles_case_cloud(c, (sp_box_def){{-0.1f, 0.1f, -0.1f}, {0.1f, 0.3f, 0.1f}}, 0.002f, 0.05f);
    sp_collider_def *plate =
        proof_box(&c->scene, (sp_box_def){{-1.9f, 0.05f, -0.1f}, {-1.86f, 0.35f, 0.1f}});
    proof_move(&c->scene, plate, (const float[3]){20.0f, 0.0f, 0.0f});
}

/// Air flows into a closed box, whose water has nowhere to go.
static void make_sealed(bubbles_case *c)
{
    make_domain(c);
    bubbles_case_cloud(c, (sp_box_def){{-0.03f, 0.1f, -0.03f}, {0.03f, 0.14f, 0.03f}}, 0.0f, 0.0f);
    c->emitter.sizes = SP_BUBBLES_SURFACING;
    c->emitter.mode = SP_BUBBLES_FLOW;
    c->emitter.velocity[1] = 0.5f;
    sp_collider_def *box =
        proof_box(&c->scene, (sp_box_def){{-0.14f, 0.045f, -0.14f}, {0.14f, 0.355f, 0.14f}});
    box->inside_out = true;
}

static const extreme cases[] = {
    {"faces filled ten times", make_overfull, 8, 20.0,
     "buoyancy gives 2 g t = 6.5 m/s; what blows up passes three times that at once"},
    {"a plate at 20 m/s", make_plate, 4, 60.0,
     "water around a plate's edge is faster than the plate, two to three times on a grid"},
};

/// The first takes time. The second misses its bound: it stays finite, but substeps_max 1 forbids shorter substeps,
/// and one of 1/24 s throws particles.
static const extreme long_cases[] = {
    {"a million bubbles in a voxel", make_crowd, 8, 20.0, "as above"},
    {"1:1000, substeps of 1/24 s", make_large, 8, 20.0,
     "buoyancy gives 2 g t = 6.5 m/s; what blows up passes three times that at once"},
    {"radii from 10 um to 10 voxels", make_sizes, 8, 20.0, "the same, also in the first substep"},
    {"air into a sealed box", make_sealed, 8, 20.0, "the same"},
};

static sp_status prove_extreme(sp_check_report *report, const extreme *e, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    double most = 0.0;
    e->make(&c);
    SP_TRY(bubbles_case_open(&c, report->host, &s, err));
    sp_status status = SP_OK;
    for (int n = 0; n < e->frames && status == SP_OK; ++n) {
        status = bubbles_case_run(s, c.dt, 1, err);
        most = fmax(most, fmax(bubbles_swarm_of(s).fastest, s->water_speed));
    }
    const sp_bubbles_figures f = sp_bubbles_look(s);
    bubbles_close(s);
    SP_TRY(status);
    sp_at_most(report, sp_label(report, "fastest, m/s, %s", e->name), most, e->most, e->why);
    sp_exact(report, sp_label(report, "particles lost without a count, %s", e->name),
             (double)f.emitted - (double)(f.particles + f.left + f.inside), 0,
             "each leaves, is removed in a solid, or is there");
    return SP_OK;
}

sp_status bubbles_prove_stress(sp_check_report *report, sp_error *err)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        SP_TRY(prove_extreme(report, &cases[k], err));
    return SP_OK;
}

sp_status bubbles_prove_stress_long(sp_check_report *report, sp_error *err)
{
    for (size_t k = 0; k < sizeof long_cases / sizeof *long_cases; ++k)
        SP_TRY(prove_extreme(report, &long_cases[k], err));
    return SP_OK;
}
