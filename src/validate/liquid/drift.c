// SPDX-License-Identifier: Apache-2.0
/// How much volume and how many particles a dam break gains or loses while it sloshes, without and
/// with volume_correction.
#include "validate/liquid/proofs.h"

typedef struct drift {
    double most, least;             ///< of volume over that at the start
    double crowd_most, crowd_least; ///< of particles over those at the start
    double fastest;                 ///< m/s
    double energy;                  ///< most of kinetic and potential over that at the start
    double start_energy;
    size_t start_particles;
} drift;

static double energy_of(const sp_liquid_figures *f)
{
    return f->kinetic + f->potential;
}

static void look_at(drift *d, liquid *s)
{
    const sp_liquid_figures f = sp_liquid_look(s);
    const double volume = f.volume / s->figures.start_volume;
    const double crowd = (double)f.particles / (double)d->start_particles;
    d->most = fmax(d->most, volume);
    d->least = fmin(d->least, volume);
    d->crowd_most = fmax(d->crowd_most, crowd);
    d->crowd_least = fmin(d->crowd_least, crowd);
    d->energy = fmax(d->energy, energy_of(&f) / d->start_energy);
}

static void note_speed(void *arg, liquid *s)
{
    drift *d = arg;
    d->fastest = fmax(d->fastest, s->figures.speed);
}

/// A column collapses in a tank 1.2 m long and so high that no drop leaves it.
typedef struct sloshing {
    int32_t size[3]; ///< voxels
    int method, band;
    float correction; ///< volume_correction
    double seconds;
} sloshing;

static sp_status slosh(sp_check_report *report, const sloshing *how, drift *d, sp_error *err)
{
    liquid_case c;
    liquid *s;
    const float h = 1.2f / (float)how->size[0];
    liquid_case_domain(&c, how->method, 1.2f, h * (float)how->size[1], h * (float)how->size[2], h);
    c.def.narrow_band = how->band;
    c.def.volume_correction = how->correction;
    proof_fill(&c.scene, (sp_box_def){.max = {0.3f, 0.45f, h * (float)how->size[2]}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_liquid_figures f = sp_liquid_look(s);
    *d = (drift){.most = 1.0, .least = 1.0, .crowd_most = 1.0, .crowd_least = 1.0};
    d->start_energy = energy_of(&f);
    d->start_particles = f.particles;
    enum { MOST = 256 };
    double rows[MOST][3];
    size_t n = 0;
    sp_status status = SP_OK;
    for (int frame = 1; frame <= (int)(24.0 * how->seconds + 0.5) && status == SP_OK; ++frame) {
        status = liquid_case_watch(s, frame / 24.0, note_speed, d, err);
        look_at(d, s);
        const sp_liquid_figures now = sp_liquid_look(s);
        if (n == MOST) continue;
        rows[n][0] = s->time;
        rows[n][1] = 100.0 * (now.volume / s->figures.start_volume - 1.0);
        rows[n++][2] = (double)now.particles / (double)d->start_particles;
    }
    sp_check_curve(report, how->band > 0 ? "drift_band" : "drift",
                   "time_s,volume_percent,particles", rows[0], n);
    liquid_close(s);
    return status;
}

/// How far volume and the number of particles may drift, and why so far.
typedef struct allowance {
    double volume, particles;
    const char *why;
} allowance;

static sp_status prove_slosh(sp_check_report *report, const int32_t size[3], double seconds,
                             allowance may, sp_error *err)
{
    const double fall = sqrt(2.0 * 9.81 * 1.2 * size[1] / size[0]);
    static const char *const names[2] = {"all particles", "narrow band"};
    for (int k = 0; k < 2; ++k) {
        drift d;
        const sloshing how = {{size[0], size[1], size[2]}, SP_LIQUID_FLIP, 4 * k, 0.0f, seconds};
        SP_TRY(slosh(report, &how, &d, err));
        sp_within(report,
                  sp_label(report, "most volume in %g s over the start's, %s", seconds, names[k]),
                  d.most, 1.0, may.volume, may.why);
        sp_within(report,
                  sp_label(report, "least volume in %g s over the start's, %s", seconds, names[k]),
                  d.least, 1.0, may.volume, may.why);
        if (k == 0) {
            sp_within(report, "most particles over the start's", d.crowd_most, 1.0, may.particles,
                      may.why);
            sp_within(report, "fewest particles over the start's", d.crowd_least, 1.0,
                      may.particles, may.why);
        }
        sp_at_most(report, sp_label(report, "fastest water, m/s, %s", names[k]), d.fastest,
                   2.0 * fall,
                   "twice what falls from the tank's top: splashes focus, nothing else is faster");
        sp_at_most(report, sp_label(report, "most energy over the start's, %s", names[k]), d.energy,
                   1.05, "what falls gains none");
    }
    return SP_OK;
}

sp_status liquid_prove_drift(sp_check_report *report, sp_error *err)
{
    return prove_slosh(report, (const int32_t[3]){48, 64, 8}, 2.0,
                       (allowance){0.03, 0.005, "drift is not to be seen"}, err);
}

sp_status liquid_prove_drift_long(sp_check_report *report, sp_error *err)
{
    return prove_slosh(report, (const int32_t[3]){96, 128, 48}, 10.0,
                       (allowance){0.03, 0.005, "drift is not to be seen"}, err);
}

/// With volume_correction, which moves the surface until the volume is right.
static sp_status prove_hold(sp_check_report *report, const int32_t size[3], double seconds,
                            size_t count, sp_error *err)
{
    static const struct {
        const char *name;
        int method, band;
        double tolerance;
        const char *why;
    } rows[] = {{"flip", SP_LIQUID_FLIP, 0, 0.005, "what is moved back each step"},
                {"flip, narrow band", SP_LIQUID_FLIP, 4, 0.005, "what is moved back each step"},
                {"eulerian", SP_LIQUID_EULERIAN, 0, 0.01, "thin sheets are lost first"}};
    for (size_t k = 0; k < count; ++k) {
        const sloshing how = {
            {size[0], size[1], size[2]}, rows[k].method, rows[k].band, 1.0f, seconds};
        drift d;
        SP_TRY(slosh(report, &how, &d, err));
        sp_within(
            report,
            sp_label(report, "most volume in %g s, volume_correction, %s", seconds, rows[k].name),
            d.most, 1.0, rows[k].tolerance, rows[k].why);
        sp_within(
            report,
            sp_label(report, "least volume in %g s, volume_correction, %s", seconds, rows[k].name),
            d.least, 1.0, rows[k].tolerance, rows[k].why);
        sp_at_most(
            report,
            sp_label(report, "most energy in %g s, volume_correction, %s", seconds, rows[k].name),
            d.energy, 1.05, "volume that is put back must not drive the slosh");
    }
    return SP_OK;
}

sp_status liquid_prove_hold(sp_check_report *report, sp_error *err)
{
    return prove_hold(report, (const int32_t[3]){48, 64, 8}, 2.0, 2, err);
}

/// Also without particles.
sp_status liquid_prove_hold_long(sp_check_report *report, sp_error *err)
{
    return prove_hold(report, (const int32_t[3]){64, 85, 32}, 10.0, 3, err);
}

/// Water without particles and without volume_correction, 64 voxels along the tank.
sp_status liquid_prove_drift_eulerian(sp_check_report *report, sp_error *err)
{
    const sloshing how = {{64, 85, 32}, SP_LIQUID_EULERIAN, 0, 0.0f, 4.0};
    drift d;
    SP_TRY(slosh(report, &how, &d, err));
    sp_at_most(report, "volume gained or lost in 4 s, a second, eulerian",
               fmax(d.most - 1.0, 1.0 - d.least) / how.seconds, 0.05,
               "64 voxels along the tank: thin sheets are lost on any grid");
    sp_at_most(report, "most energy over the start's, eulerian", d.energy, 1.05,
               "what falls gains none");
    return SP_OK;
}
