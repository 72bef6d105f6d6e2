// SPDX-License-Identifier: Apache-2.0
/// Fast bodies, bodies that sweep through others, and water that cannot get away.
#include "validate/liquid/proofs.h"

static const double g = 9.81; // m/s2

/// Largest values of a run.
typedef struct stirring {
    double fastest; ///< m/s, of particles and of the grid
    double removed; ///< m3/s, the most
} stirring;

static void note_speed(void *arg, liquid *s)
{
    stirring *w = arg;
    const liquid_particles *p = &s->particles;
    for (size_t i = 0; i < p->set.count; ++i) {
        double square = 0.0;
        for (int a = 0; a < 3; ++a)
            square += (double)p->v[a][i] * (double)p->v[a][i];
        w->fastest = fmax(w->fastest, sqrt(square));
    }
    w->fastest = fmax(w->fastest, s->figures.speed);
    w->removed = fmax(w->removed, fabs(s->figures.removed));
}

/// Runs a case and counts the particles inside of solids, over all frames.
static sp_status stir(sp_check_report *report, liquid_case *c, double until, stirring *w,
                      size_t *inside, sp_error *err)
{
    liquid *s;
    double deepest = 0.0;
    *inside = 0;
    SP_TRY(liquid_case_open(c, report->host, &s, err));
    sp_status status = SP_OK;
    for (int frame = 1; frame <= 24.0 * until && status == SP_OK; ++frame) {
        status = liquid_case_watch(s, frame / 24.0, note_speed, w, err);
        *inside += liquid_count_inside(s, &deepest);
    }
    liquid_close(s);
    return status;
}

/// ---- A blade on a hub --------------------------------------------------------------------------

/// The blade is half in the water. At the hub voxels contain both bodies, of which only one moves.
static sp_status beat(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    stirring w = {0};
    size_t inside;
    const double tip = 8.0 * SP_PI_D * hypot(0.19, 0.06);
    sp_spin_def spin = {.center = {0.3f, 0.3f, 0.25f}, .axis = {0.57f, 0.0f, 0.82f}, .rpm = 240.0f};
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.6f, 0.6f, 0.5f, 0.02f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.6f, 0.3f, 0.5f}});
    proof_drum(&c.scene, spin.center, 0.05f, 0.16f)->inside_out = false;
    proof_box(&c.scene, (sp_box_def){{0.284f, 0.11f, 0.19f}, {0.316f, 0.49f, 0.31f}})->motion.spin =
        &spin;
    SP_TRY(stir(report, &c, 0.75, &w, &inside, err));
    sp_at_most(report, "fastest water beside a blade whose tip does 5 m/s, m/s", w.fastest,
               2.0 * tip + sqrt(2.0 * g * 0.6),
               "twice the tip's, as from a wall that is hit, and a fall of the domain's height");
    sp_exact(report, "particles inside of it, over 18 frames", (double)inside, 0,
             "each is pushed out at the end of its way");
    return SP_OK;
}

/// ---- Through the ground ------------------------------------------------------------------------

/// A block moves down into a sloping floor and passes a wall at a distance of a third of a voxel.
/// At 1 m/s the water can follow it; a faster block leaves a cavity, which collapses.
static sp_status grind(sp_check_report *report, float speed, double until, sp_error *err)
{
    liquid_case c;
    stirring w = {0};
    size_t inside;
    const float velocity[3] = {-0.8f * speed, -0.6f * speed, 0.0f};
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.8f, 0.6f, 0.4f, 0.02f);
    c.def.narrow_band = 0;
    proof_fill(&c.scene, (sp_box_def){.max = {0.8f, 0.4f, 0.4f}});
    proof_plane(&c.scene, (sp_plane_def){{0.4f, 0.107f, 0.2f}, {0.35f, 1.0f, 0.1f}});
    proof_box(&c.scene, (sp_box_def){{0.1f, 0.1f, 0.293f}, {0.13f, 0.5f, 0.35f}});
    sp_collider_def *body =
        proof_box(&c.scene, (sp_box_def){{0.45f, 0.25f, 0.15f}, {0.65f, 0.35f, 0.287f}});
    proof_move(&c.scene, body, velocity);
    SP_TRY(stir(report, &c, until, &w, &inside, err));
    sp_at_most(report,
               sp_label(report, "fastest water while a block of %g m/s goes into the ground, m/s",
                        (double)speed),
               w.fastest, 4.0 * (double)speed + sqrt(2.0 * g * 0.6),
               "a gap that is open by a quarter takes four times what it is pushed by");
    sp_exact(report, "particles inside of it or the ground, over all frames", (double)inside, 0,
             "each is pushed out at the end of its way");
    return SP_OK;
}

/// ---- Nowhere to go -----------------------------------------------------------------------------

/// A piston moves into a room that is full and closed.
static sp_status trap(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    stirring w = {0};
    size_t inside;
    const double speed = 0.5, area = 0.2 * 0.2;
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.32f, 0.2f, 0.2f, 0.02f);
    c.def.sides.top = SP_LIQUID_WALL;
    proof_fill(&c.scene, (sp_box_def){.max = {0.32f, 0.2f, 0.2f}});
    sp_collider_def *body =
        proof_box(&c.scene, (sp_box_def){{-1.0f, -1.0f, -1.0f}, {0.05f, 1.0f, 1.0f}});
    proof_move(&c.scene, body, (const float[3]){(float)speed, 0.0f, 0.0f});
    SP_TRY(stir(report, &c, 0.25, &w, &inside, err));
    sp_relative(report, "taken off a closed room that a piston enters, m3/s", w.removed,
                speed * area, 1e-3, "speed times area: water cannot give way");
    sp_at_most(report, "fastest water in it, m/s", w.fastest, 2.0 * speed,
               "nothing is driven but by the piston");
    return SP_OK;
}

sp_status liquid_prove_bodies(sp_check_report *report, sp_error *err)
{
    SP_TRY(beat(report, err));
    SP_TRY(grind(report, 1.0f, 0.75, err));
    return trap(report, err);
}

sp_status liquid_prove_bodies_fast(sp_check_report *report, sp_error *err)
{
    return grind(report, 3.0f, 0.25, err);
}
