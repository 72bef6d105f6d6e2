// SPDX-License-Identifier: Apache-2.0
/// Surface tension: forces on a bubble add up to nothing, a ball has the pressure 2 sigma/R, keeps its
/// volume and hardly stirs.
#include "validate/bubbles/proofs.h"

/// ---- Sums of forces ----------------------------------------------------------------------------

typedef struct force_sums {
    double net;       ///< of faces, largest of three axes, over the sum of sizes
    double exchanged; ///< on particles plus on the rest of faces, likewise
} force_sums;

/// `clamped`: what particles do not take of a face (share of fill) is the share of water; else it is
/// what lacks of a whole fill (erratum E6), negative on overfull faces.
static force_sums sum_forces(const bubbles *s, bool clamped)
{
    const double h = (double)s->grid.voxel, voxel = h * h * h;
    force_sums sums = {0};
    for (int a = 0; a < 3; ++a) {
        double net = 0.0, rest = 0.0, size = 0.0, air = 0.0;
        for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n) {
            const double f = voxel * (double)s->grid.force[a][n];
            const double filled = (double)(clamped ? s->grid.share[a][n] : s->grid.fill[a][n]);
            net += f;
            rest += (1.0 - filled) * f;
            size += fabs(f);
        }
        for (size_t i = 0; i < s->particles.set.count; ++i)
            air += (double)bubbles_volume(s->particles.radius[i]) * (double)s->at.force[a][i];
        sums.net = fmax(sums.net, fabs(net) / size);
        sums.exchanged = fmax(sums.exchanged, fabs(air + rest) / size);
    }
    return sums;
}

static sp_status forces_of(bool clamped, const sp_host *host, force_sums *out, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    sp_scratch_mark mark;
    bubbles_case_domain(&c, 0.00125f, 1.0 / 1440.0, (const int[3]){-16, -16, -16},
                        (const int[3]){16, 16, 16});
    bubbles_case_hero(&c, false);
    c.def.tension.coefficient = 0.07f;
    c.def.tension.clamp_on_particles = clamped;
    bubbles_case_ball(&c, (const double[3]){0}, 4.0);
    c.emitter.jitter = 1.0f;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    const sp_status status = bubbles_case_prepare(s, c.dt, &mark, err);
    if (status == SP_OK) {
        *out = sum_forces(s, clamped);
        sp_scratch_rewind(&s->scratch, mark);
    }
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_forces(sp_check_report *report, sp_error *err)
{
    force_sums f;
    SP_TRY(forces_of(false, report->host, &f, err));
    sp_at_most(report, "net force on a jittered ball", f.net, 1e-6,
               "over the sum of sizes; its mean is taken off each pocket");
    sp_at_most(report, "on particles and on the rest of faces", f.exchanged, 1e-6,
               "the same; particles take the fill's part of a face, unclamped (erratum E6)");
    SP_TRY(forces_of(true, report->host, &f, err));
    sp_at_most(report, "on particles and on water, clamp_on_particles", f.exchanged, 1e-6,
               "the same as WSB25 prints it: particles take the share's part");
    return SP_OK;
}

/// ---- A ball without gravity --------------------------------------------------------------------

/// A ball of particles (radius in voxels) and its surroundings.
static void make_ball(bubbles_case *c, double radius, bool light)
{
    bubbles_case_domain(c, 0.00125f, 1.0 / 1440.0, (const int[3]){-24, -24, -24},
                        (const int[3]){24, 24, 24});
    bubbles_case_hero(c, light);
    c->def.pic = 0.0f;
    c->scene.world.gravity[1] = 0.0f;
    bubbles_case_ball(c, (const double[3]){0}, radius);
}

typedef struct pressures {
    double inside, outside; ///< Pa; within half a radius of the middle; 1.5 to 2 radii away
} pressures;

static pressures press(const bubbles *s, double radius)
{
    const bubbles_grid *g = &s->grid;
    const double scale = (double)s->def.density * (double)g->voxel / s->last_dt;
    double sum[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    for (size_t t = 0; t < g->tiles.count; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const float x[3] = {(float)(n & 7) + 0.5f, (float)(n >> 3 & 7) + 0.5f,
                                (float)(n >> 6) + 0.5f};
            double p[3];
            bubbles_point(g, t, x, p);
            const double d = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / radius;
            if (d > 2.0 || (d > 0.5 && d < 1.5)) continue;
            sum[d > 1.0] += scale * (double)g->q[t * SP_TILE_VOXELS + (size_t)n];
            count[d > 1.0] += 1.0;
        }
    return (pressures){sum[0] / count[0], sum[1] / count[1]};
}

typedef struct ball_run {
    double start, end;        ///< m; R_e
    double least, most, mean; ///< pressure over 2 sigma/R_e, of all substeps
    double rms;               ///< m/s; of particles, at the end
    double after_25;          ///< R_e over that at the start after 25 substeps
} ball_run;

static sp_status run_ball(bubbles_case *c, int steps, const sp_host *host, ball_run *out,
                          sp_error *err)
{
    const double sigma = (double)c->def.tension.coefficient;
    bubbles *s;
    SP_TRY(bubbles_case_open(c, host, &s, err));
    *out = (ball_run){.least = 1e9, .start = bubbles_ball_radius(bubbles_air(s))};
    sp_status status = SP_OK;
    for (int n = 1; n <= steps && status == SP_OK; ++n) {
        status = bubbles_case_run(s, c->dt, 1, err);
        const double radius = bubbles_ball_radius(bubbles_air(s));
        const pressures p = press(s, radius);
        const double ratio = (p.inside - p.outside) * radius / (2.0 * sigma);
        out->least = fmin(out->least, ratio);
        out->most = fmax(out->most, ratio);
        out->mean += ratio / steps;
        out->end = radius;
        if (n == 25) out->after_25 = radius / out->start;
    }
    out->rms = bubbles_swarm_of(s).rms;
    bubbles_close(s);
    return status;
}

static void put_pressure(sp_check_report *report, const char *name, const ball_run *run)
{
    static const char *const why = "over 2 sigma/R_e (Laplace), R_e of the sum of shares";
    sp_relative(report, sp_label(report, "largest pressure in 40 substeps, %s", name), run->most,
                1.0, 0.08, why);
    sp_relative(report, sp_label(report, "least pressure in 40 substeps, %s", name), run->least,
                1.0, 0.08, why);
}

sp_status bubbles_prove_ball(sp_check_report *report, sp_error *err)
{
    bubbles_case c;
    ball_run run;
    make_ball(&c, 6.0, false);
    c.def.volume_gain =
        0.0f; // its divergence changes from substep to substep, which takes pressure
    SP_TRY(run_ball(&c, 40, report->host, &run, err));
    put_pressure(report, "R = 6, 1:10", &run);
    make_ball(&c, 6.0, false);
    SP_TRY(run_ball(&c, 40, report->host, &run, err));
    sp_relative(report, "mean pressure with volume_gain", run.mean, 1.0, 0.08,
                "the same; it pulls and pushes, but not on average");
    sp_reported(report, "the largest", run.most,
                "a substep in which cells become deep or are no more");
    sp_relative(report, "radius after 25 substeps over that before, R = 6, 1:10", run.after_25, 1.0,
                0.05, "nothing moves it");
    make_ball(&c, 4.0, false);
    SP_TRY(run_ball(&c, 20, report->host, &run, err));
    const double radius = run.start;
    sp_at_most(report, "rms velocity after 20 substeps, R = 4, 1:10, m/s", run.rms,
               0.25 * sqrt(0.0072 / (10.0 * radius)),
               "a quarter of sqrt(sigma/(rho_w R_e)); prototype: 0.045");
    return SP_OK;
}

/// Air in water, and what the printed form and noise control do.
sp_status bubbles_prove_ball_long(sp_check_report *report, sp_error *err)
{
    bubbles_case c;
    ball_run run;
    make_ball(&c, 4.0, true);
    c.def.volume_gain = 0.0f;
    SP_TRY(run_ball(&c, 40, report->host, &run, err));
    put_pressure(report, "R = 4, 1:1000", &run);
    make_ball(&c, 4.0, false);
    c.def.volume_gain = 0.0f;
    SP_TRY(run_ball(&c, 40, report->host, &run, err));
    put_pressure(report, "R = 4, 1:10", &run);
    sp_reported(report, "R_e after 40 substeps over that before, R = 4", run.end / run.start,
                "prototype: 1.015");
    sp_reported(report, "rms velocity after 40 substeps, R = 4, m/s", run.rms, "prototype: 0.063");
    static const float pic[] = {0.05f, 0.2f};
    static const char *const why[] = {"prototype: 0.040", "prototype: 0.021"};
    for (int k = 0; k < 2; ++k) {
        make_ball(&c, 4.0, false);
        c.def.pic = pic[k];
        SP_TRY(run_ball(&c, 40, report->host, &run, err));
        sp_reported(report, sp_label(report, "the same with pic %g, m/s", (double)pic[k]), run.rms,
                    why[k]);
    }
    make_ball(&c, 4.0, false);
    c.def.tension.curvature_passes = 0;
    SP_TRY(run_ball(&c, 20, report->host, &run, err));
    sp_reported(report, "rms velocity after 20 substeps with curvature_passes 0, m/s", run.rms,
                "prototype: 0.22");
    make_ball(&c, 4.0, false);
    c.def.tension.clamp_on_particles = true;
    SP_TRY(run_ball(&c, 40, report->host, &run, err));
    sp_reported(report, "R_e after 40 substeps with clamp_on_particles", run.end / run.start,
                "prototype: 1.31; over that before (erratum E6)");
    return SP_OK;
}
