// SPDX-License-Identifier: Apache-2.0
/// A column of water twice as high as wide collapses in a channel (Martin and Moyce 1952): how fast
/// its front runs, that it gains no energy, how much it is compressed; then larger ones for longer.
#include "validate/cases.h"
#include "validate/martin_moyce.h"
#include "validate/sph/proofs.h"

enum { MOST_ROWS = 4096 };
/// The judged points of Martin and Moyce: T = 1.83, 2.51 and 3.11. Their water started late, so
/// that ours is farther ahead at earlier times.
static bool is_judged(size_t k)
{
    return k == 5 || k == 9 || k == 13;
}

static const double width = 0.4, height = 0.8; // m, of the column

/// ---- Watching ---------------------------------------------------------------------------------

typedef struct fall {
    sph_watch watch;
    double start, least; ///< J: energy at the start, least so far
    double gain;         ///< most above the least, share of the start
    double lead;         ///< most that the front was ahead of Ritter's, m
    double (*row)[4];    ///< of the curve of compression
    size_t rows;
} fall;

static double energy(const sph *s)
{
    const sp_sph_figures f = sp_sph_look(s);
    return f.kinetic + f.potential;
}

static sp_status begin_fall(fall *f, const sph *s, sp_error *err)
{
    *f = (fall){.lead = -HUGE_VAL};
    f->start = f->least = energy(s);
    f->row = sp_allocate(s->host, MOST_ROWS, sizeof *f->row);
    return f->row ? SP_OK : sp_fail(err, SP_NO_MEMORY, "sph: no memory for a curve");
}

/// The front across the channel: of strips one spacing wide, the median of the foremost particles.
static double find_front(const sph *s, double depth)
{
    enum { STRIPS = 64 };
    double most[STRIPS] = {0};
    const int strips = (int)(depth / (double)s->d + 0.5);
    for (size_t i = 0; i < s->liquid.set.count; ++i) {
        const int k = (int)((double)s->liquid.x[2][i] / (double)s->d - 0.5);
        if (k >= 0 && k < strips) most[k] = fmax(most[k], (double)s->liquid.x[0][i]);
    }
    return proof_median(most, (size_t)strips);
}

static sp_status fall_until(fall *f, sph *s, double until, sp_error *err)
{
    while (s->time < until * (1.0 - 1e-12)) {
        SP_TRY(sph_case_step(s, until, &f->watch, err));
        const sp_sph_figures now = sp_sph_last(s);
        const double e = energy(s);
        f->gain = fmax(f->gain, (e - f->least) / f->start);
        f->least = fmin(f->least, e);
        if (f->rows == MOST_ROWS) continue;
        double *row = f->row[f->rows++];
        row[0] = now.time;
        row[1] = 100.0 * now.compression;
        row[2] = 100.0 * now.compression_mean;
        row[3] = e / f->start;
    }
    return SP_OK;
}

static void put_fall(sp_check_report *report, const fall *f, const sph_case *c, const sph *s)
{
    sp_at_most(report, "energy gained back at any time, share of the start", f->gain, 2e-4,
               "kinetic and potential: pressure may give back what it took, known to eta");
    sp_at_most(report, "steps compressed by more than 3 % in a row", (double)f->watch.longest, 1,
               "a step that errs is corrected by the next");
    sp_at_most(report, "share of steps compressed by more than 1.5 %",
               (double)f->watch.above / (double)f->watch.steps, 0.02, "the bound of jets");
    sp_exact(report, "steps that did not converge", (double)s->figures.failures, 0,
             "after four halvings of the step");
    sp_exact(report, "particles outside the tank", (double)sph_case_lost(c, s), 0,
             "none may leave");
}

/// ---- The front --------------------------------------------------------------------------------

static void draw_front(double row[4], double t, double z, double known)
{
    const double unit = sqrt(2.0 * 9.81 / width);
    row[0] = t;
    row[1] = z;
    row[2] = known;
    row[3] = 1.0 + 2.0 * t / unit * sqrt(9.81 * height) / width;
}

/// Stops at every tenth of the time's unit and at every published point.
static sp_status follow_front(sp_check_report *report, fall *f, sph *s, sp_error *err)
{
    const double unit = sqrt(2.0 * 9.81 / width), tenth = 0.1;
    double rows[64][4];
    size_t n = 0;
    int step = 0;
    for (size_t k = 0; k < SP_MARTIN_MOYCE_POINTS;) {
        const sp_martin_moyce_point *point = &sp_martin_moyce[k];
        const bool known = point->time <= step * tenth;
        const double t = known ? point->time : step * tenth;
        SP_TRY(fall_until(f, s, t / unit, err));
        const double z = find_front(s, 0.3) / width;
        draw_front(rows[n++], t, z, known ? point->front : (double)NAN);
        f->lead = fmax(f->lead, width * (z - rows[n - 1][3]));
        if (known && is_judged(k)) {
            sp_relative(report, sp_label(report, "front over width at T = %g", t), z, point->front,
                        0.15, "Martin and Moyce 1952 for n^2 = 2, as later papers quote it");
        }
        known ? ++k : (size_t)++step;
    }
    sp_at_most(report, "front ahead of Ritter's, m", f->lead, 0.0,
               "no front is faster than 2 sqrt(g H)");
    sp_check_curve(report, "dam_front", "T,Z,Z_published,Z_ritter", rows[0], n);
    return SP_OK;
}

static void make_dam(sph_case *c)
{
    const float d = 0.02f;
    sph_case_tank(c, 2.4f, 4.0f, 0.3f + d, d); // high enough for what splashes up the far wall
    proof_fill(&c->scene, (sp_box_def){.max = {0.4f + d, 0.8f + d, 0.3f + d}});
    c->def.air.enabled = false;
}

sp_status sph_prove_dam(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph *s;
    fall f;
    make_dam(&c);
    SP_TRY(sph_case_open(&c, report->host, &s, err));
    sp_status status = begin_fall(&f, s, err);
    if (status == SP_OK) status = follow_front(report, &f, s, err);
    if (status == SP_OK) put_fall(report, &f, &c, s);
    sp_release(report->host, f.row);
    sph_close(s);
    return status;
}

/// ---- Longer -----------------------------------------------------------------------------------

static sp_status fall_two_seconds(sp_check_report *report, sph_case *c, const char *curve,
                                  sp_error *err)
{
    sph *s;
    fall f;
    SP_TRY(sph_case_open(c, report->host, &s, err));
    sp_status status = begin_fall(&f, s, err);
    if (status == SP_OK) status = fall_until(&f, s, 2.0, err);
    if (status == SP_OK) {
        put_fall(report, &f, c, s);
        sp_check_curve(report, curve, "time_s,largest_percent,mean_percent,energy_share", f.row[0],
                       f.rows);
    }
    sp_release(report->host, f.row);
    sph_close(s);
    return status;
}

sp_status sph_prove_dam_long(sp_check_report *report, sp_error *err)
{
    sph_case c;
    make_dam(&c);
    return fall_two_seconds(report, &c, "dam_compression", err);
}

sp_status sph_prove_dam_large(sp_check_report *report, sp_error *err)
{
    sph_case c;
    sph_case_tank(&c, 2.0f, 6.0f, 1.0f, 1.0f / 54.0f); // a cubic metre, 149 thousand particles
    proof_fill(&c.scene, (sp_box_def){.max = {1.0f, 1.0f, 1.0f}});
    c.def.air.enabled = false;
    SP_TRY(fall_two_seconds(report, &c, "dam_adaptive", err));
    c.def.dt_mode = SP_SPH_FIXED;
    c.def.dt = 0.0007;
    return fall_two_seconds(report, &c, "dam_fixed", err);
}
