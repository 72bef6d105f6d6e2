// SPDX-License-Identifier: Apache-2.0
/// Water and solids: a piston pushes what it sweeps, water turns in a drum, particles stay outside.
#include "validate/liquid/proofs.h"

/// ---- A piston ----------------------------------------------------------------------------------

static const double piston = 0.137; // m/s: voxels are cut at many places

typedef struct fluxes {
    double height; ///< m: of the section
    double worst;  ///< mean velocity through it over the piston's, less 1
} fluxes;

static void note_flux(void *arg, liquid *s)
{
    fluxes *f = arg;
    double sum = 0.0, count = 0.0;
    for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);) {
        if (fabs(v.p[1] - f->height) > 0.5 * (double)s->grid.voxel) continue;
        sum += (double)s->grid.u[1][v.at];
        count += 1.0;
    }
    f->worst = fmax(f->worst, fabs(sum / count / piston - 1.0));
}

static sp_status push_up(sp_check_report *report, const char *name, int method, sp_error *err)
{
    const float edge = 0.12f, h = 0.01f;
    liquid_case c;
    liquid *s;
    fluxes f = {.height = 0.155};
    liquid_case_domain(&c, method, edge, 0.4f, edge, h);
    proof_fill(&c.scene, (sp_box_def){.max = {edge, 0.22f, edge}});
    sp_collider_def *body =
        proof_box(&c.scene, (sp_box_def){{-0.1f, -0.5f, -0.1f}, {0.3f, 0.042f, 0.3f}});
    proof_move(&c.scene, body, (const float[3]){0.0f, (float)piston, 0.0f});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    // The first step advects the water with the initial velocity, which is 0.
    sp_status status = liquid_case_watch(s, 1.0 / 24.0, note_flux, &f, err);
    const double before = sp_liquid_look(s).volume;
    if (status == SP_OK) status = liquid_case_watch(s, 0.5, note_flux, &f, err);
    const double volume = sp_liquid_look(s).volume / before;
    liquid_close(s);
    SP_TRY(status);
    sp_at_most(report, sp_label(report, "flux above a piston off its speed, share, %s", name),
               f.worst, 1e-3, "what its faces push is exactly the volume it sweeps");
    sp_relative(report, sp_label(report, "water above it after 0.5 s over that before, %s", name),
                volume, 1.0, 0.01,
                "a tenth of a voxel of 18: where particles or the grid see the surface");
    return SP_OK;
}

sp_status liquid_prove_piston(sp_check_report *report, sp_error *err)
{
    SP_TRY(push_up(report, "eulerian", SP_LIQUID_EULERIAN, err));
    return push_up(report, "flip", SP_LIQUID_FLIP, err);
}

/// ---- A drum ------------------------------------------------------------------------------------

/// Water in rigid rotation in a round drum with free slip never stops. A scheme that advects and
/// then projects keeps cos(w dt) of the rotation in a substep unless it corrects this (Zehnder et
/// al. 2018): 0.65 after two turns here.

static const float drum_center[3] = {0.5f, 0.5f, 0.125f};
static const double turns_per_second = 1.0;

static double spin_of(const double p[3], int axis)
{
    const double w = 2.0 * SP_PI_D * turns_per_second;
    return axis == 0   ? -w * (p[1] - (double)drum_center[1])
           : axis == 1 ? w * (p[0] - (double)drum_center[0])
                       : 0.0;
}

/// Sets all water into rigid rotation.
static void set_spinning(liquid *s)
{
    const double w = 2.0 * SP_PI_D * turns_per_second, h = (double)s->grid.voxel;
    liquid_particles *q = &s->particles;
    for (size_t t = 0; t < s->grid.tiles.count; ++t) {
        for (int a = 0; a < 3; ++a)
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                double p[3];
                liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
                p[a] -= 0.5 * h;
                s->grid.u[a][t * SP_TILE_VOXELS + (size_t)n] = (float)spin_of(p, a);
            }
        for (uint32_t i = q->start[t]; i < q->start[t + 1]; ++i)
            for (int a = 0; a < 3; ++a) {
                double p[3];
                for (int b = 0; b < 3; ++b)
                    p[b] =
                        s->grid.origin[b] + h * (8.0 * s->grid.tiles.at[t][b] + (double)q->x[b][i]);
                q->v[a][i] = (float)spin_of(p, a);
                for (int b = 0; b < 3 && q->c[0]; ++b)
                    q->c[3 * a + b][i] = (float)(a == 0 && b == 1   ? -w
                                                 : a == 1 && b == 0 ? w
                                                                    : 0.0);
            }
    }
    s->figures.speed = w * 0.5;
}

/// Of the water on the grid about the drum's axis; all voxels whose centre is in the drum.
static double angular_momentum(const liquid *s, double radius)
{
    double sum = 0.0;
    for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);) {
        double u[3];
        const double x = v.p[0] - (double)drum_center[0], y = v.p[1] - (double)drum_center[1];
        if (x * x + y * y > radius * radius) continue;
        liquid_velocity_of(s, v.at, u);
        sum += x * u[1] - y * u[0];
    }
    return sum;
}

/// Angular momentum after two turns over that before.
static sp_status turn_twice(sp_check_report *report, int method, float pic_rate, float radius,
                            double *left, sp_error *err)
{
    const float h = 1.0f / 32.0f;
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, method, 1.0f, 1.0f, 8.0f * h, h);
    c.scene.world.gravity[1] = 0.0f;
    c.def.pic_rate = pic_rate;
    c.def.narrow_band = 0;
    proof_drum(&c.scene, drum_center, radius, 4.0f);
    proof_fill(&c.scene, (sp_box_def){.max = {1.0f, 1.0f, 8.0f * h}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    set_spinning(s);
    const double before = angular_momentum(s, (double)radius);
    const sp_status status = liquid_case_run(s, 2.0 / turns_per_second, err);
    *left = angular_momentum(s, (double)radius) / before;
    liquid_close(s);
    return status;
}

sp_status liquid_prove_drum(sp_check_report *report, sp_error *err)
{
    static const float radii[2] = {0.45f, 0.49f};
    double left;
    for (int k = 0; k < 2; ++k) { // the walls cut different voxels
        SP_TRY(turn_twice(report, SP_LIQUID_APIC, 0.0f, radii[k], &left, err));
        sp_at_least(report,
                    sp_label(report, "angular momentum left after two turns, drum of %.2f m, apic",
                             (double)radii[k]),
                    left, 0.98, "eddies must last; transfers, walls and steps take no more");
    }
    SP_TRY(turn_twice(report, SP_LIQUID_FLIP, 1e6f, radii[0], &left, err));
    sp_at_most(report, "the same, pic", left, 0.6,
               "so that the check can tell: pic forgets how water turns about voxels");
    return SP_OK;
}

/// Flip loses about a third of the rotation to splitting, which only apic corrects (substeps in
/// pairs).
sp_status liquid_prove_drum_flip(sp_check_report *report, sp_error *err)
{
    double left;
    SP_TRY(turn_twice(report, SP_LIQUID_FLIP, 0.6f, 0.45f, &left, err));
    sp_at_least(report, "angular momentum left after two turns, drum of 0.45 m, flip", left, 0.97,
                "as apic, but for what 0.6/s of pic take");
    return SP_OK;
}

/// ---- Outside -----------------------------------------------------------------------------------

/// Distance to solids as the water sees it, voxels: linear between corners of voxels.
static double psi_at(const liquid *s, size_t t, const double x[3])
{
    const uint32_t row = s->solids.row[t];
    if (row >= SP_FLOW_TILE_SOLID) return row == SP_FLOW_TILE_SOLID ? -1.0 : 1.0;
    double sum = 0.0;
    int at[3];
    for (int a = 0; a < 3; ++a)
        at[a] = x[a] < 7.0 ? (int)x[a] : 7;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1.0;
        int place = 0;
        static const int step[3] = {1, 9, 81};
        for (int a = 0; a < 3; ++a) {
            const int up = corner >> a & 1;
            const double f = x[a] - at[a];
            weight *= up ? f : 1.0 - f;
            place += step[a] * (at[a] + up);
        }
        sum += weight * (double)s->solids.tile[row].psi[place];
    }
    return sum / (double)s->grid.voxel;
}

size_t liquid_count_inside(const liquid *s, double *deepest)
{
    const liquid_particles *q = &s->particles;
    size_t inside = 0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (uint32_t i = q->start[t]; i < q->start[t + 1]; ++i) {
            const double x[3] = {(double)q->x[0][i], (double)q->x[1][i], (double)q->x[2][i]};
            double p[3];
            for (int b = 0; b < 3; ++b)
                p[b] = s->grid.origin[b] +
                       (double)s->grid.voxel * (8.0 * s->grid.tiles.at[t][b] + x[b]);
            const double d =
                sp_solids_distance(s->solids.bodies, p, NULL, NULL) / (double)s->grid.voxel;
            *deepest = fmax(*deepest, -d);
            inside += psi_at(s, t, x) < 0.0 || d < 0.0;
        }
    return inside;
}

sp_status liquid_prove_outside(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    liquid *s;
    sp_spin_def spin = {.center = {0.16f, 0.1f, 0.08f}, .axis = {0.2f, 0.1f, 1.0f}, .rpm = 90.0f};
    liquid_case_domain(&c, SP_LIQUID_FLIP, 0.32f, 0.4f, 0.16f, 0.01f);
    proof_fill(&c.scene, (sp_box_def){.max = {0.32f, 0.12f, 0.16f}});
    proof_box(&c.scene, (sp_box_def){{0.06f, 0.07f, 0.05f}, {0.26f, 0.13f, 0.11f}})->motion.spin =
        &spin;
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    sp_status status = SP_OK;
    size_t inside = 0;
    double deepest = 0.0;
    for (int frame = 1; frame <= 24 && status == SP_OK; ++frame) {
        status = liquid_case_run(s, frame / 24.0, err);
        inside += liquid_count_inside(s, &deepest);
    }
    const double stuck = (double)s->figures.stuck / (double)s->particles.set.count;
    liquid_close(s);
    SP_TRY(status);
    sp_exact(report, "particles inside a box that turns, over 24 frames", (double)inside, 0,
             "each is pushed out at the end of its way");
    sp_exact(report, "how deep the deepest is in the body itself, voxels", deepest, 0,
             "its edges count too, which corners of voxels cut off by a third of a voxel");
    sp_at_most(report, "particles that had to be deleted, share of all", stuck, 0.01,
               "three tries get nearly all of them out");
    return SP_OK;
}
