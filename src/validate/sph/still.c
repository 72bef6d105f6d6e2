// SPDX-License-Identifier: Apache-2.0
/// Water at rest, 0.4 m deep: start, pressure, speed, compression; and 2 m deep: iterations.
#include "validate/sph/proofs.h"

enum { LAYERS = 20 };

/// Straight line through pressure over height, and means layer by layer.
typedef struct profile {
    double n, y, p, yy, yp;
    double layer_n[LAYERS], layer_y[LAYERS], layer_p[LAYERS];
    double fastest; ///< rms speed, largest of all steps, m/s
} profile;

static void add_particle(profile *f, double d, double y, double p)
{
    const double depth = LAYERS * d;
    const int layer = (int)fmin(fmax(y / d - 0.5, 0.0), LAYERS - 1);
    f->layer_n[layer] += 1.0;
    f->layer_y[layer] += y;
    f->layer_p[layer] += p;
    if (y < 2.5 * d || y > 0.85 * depth) return;
    f->n += 1.0;
    f->y += y;
    f->p += p;
    f->yy += y * y;
    f->yp += y * p;
}

/// Pressures are still where the step left them. Walls push once where a neighbour would push twice
/// (P), so a particle beside one needs twice the pressure: sides are left out as the floor is.
static void add_step(profile *f, const sph *s, double side)
{
    const sph_phase *w = &s->liquid;
    const double d = (double)s->d, low = 2.5 * d, high = side - 2.5 * d;
    for (size_t k = 0; k < w->cells.count; ++k) {
        const double x = (double)w->at[4 * k], z = (double)w->at[4 * k + 2];
        if (x > low && x < high && z > low && z < high)
            add_particle(f, d, (double)w->at[4 * k + 1], (double)w->at[4 * k + 3]);
    }
}

static double rms_speed(const sph *s)
{
    return sqrt(2.0 * sp_sph_look(s).kinetic /
                ((double)s->liquid.mass * (double)s->liquid.set.count));
}

static double slope(const profile *f)
{
    return (f->n * f->yp - f->y * f->p) / (f->n * f->yy - f->y * f->y);
}

/// The surface is half a spacing above the highest layer that is there.
static void draw_profile(sp_check_report *report, const profile *f, const sph *s)
{
    double rows[LAYERS][3], top = 0.0;
    size_t n = 0;
    for (int k = 0; k < LAYERS; ++k) {
        if (!(f->layer_n[k] > 0.0)) continue;
        rows[n][0] = f->layer_y[k] / f->layer_n[k];
        rows[n][1] = f->layer_p[k] / f->layer_n[k];
        top = rows[n++][0] + 0.5 * (double)s->d;
    }
    for (size_t k = 0; k < n; ++k)
        rows[k][2] = 9810.0 * (top - rows[k][0]);
    sp_check_curve(report, "hydrostatics", "height_m,pressure_Pa,rho_g_depth_Pa", rows[0], n);
}

/// When pressures and speeds are looked at, s.
typedef struct times {
    double from, still, until;
} times;

/// Densest particle of the start, kg/m3.
static double densest(const sph *s)
{
    float most = 0.0f;
    for (size_t k = 0; k < s->liquid.cells.count; ++k)
        most = fmaxf(most, s->liquid.rho[k]);
    return (double)most;
}

static sp_status rest(sp_check_report *report, sph *s, double side, times t, sp_error *err)
{
    sph_watch watch = {0};
    profile f = {0};
    const double start = densest(s);
    SP_TRY(sph_case_step(s, t.until, &watch, err));
    sp_at_most(report, "densest particle of the start, kg/m3", start, 1001.0,
               "walls stand for the layers that the lattice lacks (B1)");
    sp_exact(report, "iterations of the first step", s->figures.iterations, 3,
             "nothing to correct: the least there are");
    while (s->time < t.until * (1.0 - 1e-12)) {
        SP_TRY(sph_case_step(s, t.until, &watch, err));
        if (s->time > t.from) add_step(&f, s, side);
        if (s->time > t.still) f.fastest = fmax(f.fastest, rms_speed(s));
    }
    sp_relative(report, "dp/dy, Pa/m", slope(&f), -9810.0, 0.05,
                "rho g, over 2.5 d to 0.85 of the depth, 2.5 d from the sides: beside walls it is "
                "twice as much");
    sp_at_most(report, "rms speed at rest, largest of all steps, m/s", f.fastest, 0.02,
               "what pressure that is only known to eta shakes; 0.5 % of the fall's speed");
    sp_at_most(report, "largest compression of any step", watch.worst, 0.015,
               "the loop ends at 1 %, and the lists of the next step see half as much again");
    sp_at_most(report, "iterations a step",
               (double)s->figures.total_iterations / (double)watch.steps, 12.0,
               "as many as an adaptive step would bear");
    draw_profile(report, &f, s);
    return SP_OK;
}

/// Columns n wide, at the step of 1.5 ms.
static sp_status prove_still(sp_check_report *report, int n, times t, sp_error *err)
{
    const float d = 0.02f, side = d * (float)(n + 1), depth = d * (LAYERS + 1);
    sph_case c;
    sph *s;
    sph_case_tank(&c, side, 0.6f, side, d);
    proof_fill(&c.scene, (sp_box_def){.max = {side, depth, side}});
    c.def.dt_mode = SP_SPH_FIXED;
    c.def.air.enabled = false;
    SP_TRY(sph_case_open(&c, report->host, &s, err));
    const sp_status status = rest(report, s, (double)side, t, err);
    sp_exact(report, "particles outside the tank", (double)sph_case_lost(&c, s), 0,
             "none may leave");
    sph_close(s);
    return status;
}

sp_status sph_prove_still(sp_check_report *report, sp_error *err)
{
    return prove_still(report, 8, (times){1.0, 1.5, 2.0}, err);
}

sp_status sph_prove_still_long(sp_check_report *report, sp_error *err)
{
    return prove_still(report, LAYERS, (times){1.5, 2.0, 3.0}, err);
}

/// ---- Deep water -------------------------------------------------------------------------------

/// What 0.4 s of a column 2 m deep took and left.
typedef struct deep_run {
    double iterations; ///< a step
    double mean;       ///< largest mean compression of the last 0.1 s
    double kinetic;    ///< J
} deep_run;

static sp_status run_deep(const sp_host *host, float start, deep_run *out, sp_error *err)
{
    const float d = 0.02f, side = 9.0f * d, depth = 101.0f * d;
    sph_case c;
    sph *s;
    sph_watch settling = {0}, watch = {0};
    sph_case_tank(&c, side, depth + 0.2f, side, d);
    proof_fill(&c.scene, (sp_box_def){.max = {side, depth, side}});
    c.def.dt_mode = SP_SPH_FIXED;
    c.def.air.enabled = false;
    c.def.pressure_start = start;
    SP_TRY(sph_case_open(&c, host, &s, err));
    sp_status status = sph_case_watch(s, 0.3, &settling, err);
    if (status == SP_OK) status = sph_case_watch(s, 0.4, &watch, err);
    *out = (deep_run){.iterations = (double)s->figures.total_iterations /
                                    (double)(settling.steps + watch.steps),
                      .mean = watch.worst_mean,
                      .kinetic = sp_sph_look(s).kinetic};
    sph_close(s);
    return status;
}

sp_status sph_prove_deep(sp_check_report *report, sp_error *err)
{
    deep_run cold, warm;
    SP_TRY(run_deep(report->host, 0.0f, &cold, err));
    SP_TRY(run_deep(report->host, 0.6f, &warm, err));
    sp_reported(report, "iterations a step from pressures of 0", cold.iterations,
                "a hundred layers are fifty supports, and a loop has thirty iterations");
    sp_at_most(report, "from usual pressures", warm.iterations, 0.75 * cold.iterations,
               "0.6 of the way is behind them; the first steps have no usual pressures");
    sp_at_most(report, "mean compression, 0.3 to 0.4 s", warm.mean, 0.001,
               "eta_mean, and a tenth for the fresh lists of the next step");
    sp_at_most(report, "kinetic energy left after 0.4 s, J", warm.kinetic, 1.5 * cold.kinetic,
               "a start must not stir: noise that is carried along grows");
    return SP_OK;
}
