// SPDX-License-Identifier: Apache-2.0
/// Proofs about foam (P16 - P24): it clusters without drifting, and it floats.
#include "validate/pond/proofs.h"

enum { FOAM = 400 };

/// Bubbles of 5 mm on average with a spread of 25 %, at random in a square of 0.3 m.
static void scatter_foam(sp_pond *pond, float corner)
{
    const float level = (float)pond->water.rest * pond->water.quantum, mean = 0.005f;
    double sum = 0.0;
    for (uint64_t n = 0; n < FOAM; ++n) {
        const double a = 1.0 - pond_proof_unit(20, n, 2), b = pond_proof_unit(20, n, 3);
        const double normal = sqrt(-2.0 * log(a)) * cos(2.0 * SP_PI_D * b);
        const float r = mean * sp_clamp(1.0f + 0.25f * (float)normal, 0.3f, 2.0f);
        const float room = 0.3f - 2.0f * r;
        pond_proof_add_foam(pond, corner + r + room * (float)pond_proof_unit(20, n, 0),
                            corner + r + room * (float)pond_proof_unit(20, n, 1), level, r);
        sum += 2.0 * (double)r;
    }
    pond->size_now = pond->foam_size = (float)(sum / FOAM);
}

typedef struct cluster {
    double neighbours;       ///< mean number within 1.15 (r_i + r_j)
    double closest;          ///< smallest d/(r_i + r_j)
    double drift[2], jitter; ///< m/s: mean velocity; rms speed, both horizontal
} cluster;

static cluster measure_foam(const pond_foam *f)
{
    const size_t n = f->set.count;
    cluster c = {.closest = HUGE_VAL};
    for (size_t i = 0; i < n; ++i) {
        const double ux = (double)f->ux[i], uy = (double)f->uy[i];
        c.drift[0] += ux / (double)n;
        c.drift[1] += uy / (double)n;
        c.jitter += (ux * ux + uy * uy) / (double)n;
        for (size_t j = 0; j < n; ++j) {
            if (i == j) continue;
            const double x = (double)(f->px[i] - f->px[j]), y = (double)(f->py[i] - f->py[j]),
                         z = (double)(f->pz[i] - f->pz[j]);
            const double touch = (double)(f->r[i] + f->r[j]);
            const double near = sqrt(x * x + y * y + z * z) / touch;
            c.neighbours += (near < 1.15) / (double)n;
            c.closest = near < c.closest ? near : c.closest;
        }
    }
    c.jitter = sqrt(c.jitter);
    return c;
}

/// 4 s of foam on still water in steps of 1/120 s, all of it in one plane: with foam_sink at its
/// default, bubbles of different size float at different depths, and from 0.5 m/s^2 on they stack
/// (5.4 neighbours instead of 4.8). `walls` is whether its square is the pond's.
static sp_status settle(sp_check_report *report, float tension, bool walls, cluster *out,
                        sp_error *err)
{
    sp_pond_def def = pond_proof_basin(walls ? 30 : 60, walls ? 30 : 60, 0.01f, 0.2f);
    def.foam_tension = tension;
    def.wall_adhesion = 0.0f;
    def.foam_sink = 0.0f;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    scatter_foam(pond, walls ? 0.0f : 0.15f);
    for (int k = 0; k < 480; ++k)
        pond_step_foam(pond, 1.0f / 120.0f);
    *out = measure_foam(&pond->foam);
    sp_pond_close(pond);
    return SP_OK;
}

static double length(const double v[2])
{
    return sqrt(v[0] * v[0] + v[1] * v[1]);
}

sp_status pond_prove_foam_clustering(sp_check_report *report, sp_error *err)
{
    static const float tensions[] = {0.0f, 0.05f, 0.2f, 0.5f};
    static const double neighbours[] = {1.6, 4.0, 4.4, 4.8};
    double before = 0.0;
    for (size_t k = 0; k < 4; ++k) {
        cluster c;
        SP_TRY(settle(report, tensions[k], true, &c, err));
        sp_within(report, sp_label(report, "neighbours at tension %g m/s^2", (double)tensions[k]),
                  c.neighbours, neighbours[k], 0.3,
                  "400 bubbles on 0.3 m, 4 s; other starts differ by 0.12");
        if (k > 0)
            sp_at_least(report, "more neighbours than at the tension before, by",
                        c.neighbours - before, 0.12, "more than other starts differ by");
        sp_at_least(
            report,
            sp_label(report, "closest pair over r_i + r_j, tension %g", (double)tensions[k]),
            c.closest, 0.75,
            "contact (P18) keeps bubbles apart; without it they fall into each other");
        sp_at_most(report,
                   sp_label(report, "drift of the whole, tension %g, m/s", (double)tensions[k]),
                   length(c.drift), 3e-4, "pair forces cancel; what is left comes from the walls");
        before = c.neighbours;
    }
    return SP_OK;
}

sp_status pond_prove_foam_momentum(sp_check_report *report, sp_error *err)
{
    cluster c;
    SP_TRY(settle(report, 0.2f, false, &c, err));
    sp_at_most(report, "drift away from walls, m/s", length(c.drift), 1e-6,
               "every pair force is there twice with opposite signs, to float rounding");
    sp_at_most(report, "rms speed that is left after 4 s, m/s", c.jitter, 0.01,
               "a cluster comes to rest");
    return SP_OK;
}

/// ---- Forces ------------------------------------------------------------------------------------

/// What P16 - P20 need, in double.
typedef struct foam_law {
    double h, rest, volume, sound, stiffness, tension, viscosity;
} foam_law;

static double poly6(double h, double d)
{
    const double left = h * h - d * d;
    return d < h ? 315.0 / (64.0 * SP_PI_D * pow(h, 9.0)) * left * left * left : 0.0;
}

static foam_law make_law(const sp_pond *pond)
{
    foam_law l = {.h = 2.0 * (double)pond->size_now, .sound = (double)pond->def.foam_sound};
    const double spacing = 0.9 * (double)pond->size_now;
    for (int row = -5; row <= 5; ++row) // the hexagonal layer at rest
        for (int column = -5; column <= 5; ++column)
            l.rest += poly6(l.h, spacing * hypot(column + 0.5 * row, sqrt(0.75) * row));
    l.volume = 1.0 / l.rest;
    l.stiffness = (double)pond->def.foam_stiffness;
    l.tension = (double)pond->def.foam_tension;
    l.viscosity = 0.1 * l.sound * l.h;
    return l;
}

static double between(const pond_foam *f, size_t i, size_t j)
{
    const double x = (double)f->px[i] - (double)f->px[j], y = (double)f->py[i] - (double)f->py[j],
                 z = (double)f->pz[i] - (double)f->pz[j];
    return sqrt(x * x + y * y + z * z);
}

static double pressure(const foam_law *l, const pond_foam *f, size_t i)
{
    double n = 0.0;
    for (size_t j = 0; j < f->set.count; ++j)
        n += poly6(l->h, between(f, i, j));
    return n > l->rest ? l->sound * l->sound * (n / l->rest - 1.0) : 0.0;
}

/// P17 - P20 between two bubbles: push along the line from j to i, and how strongly they rub.
static void pair_law(const foam_law *l, double d, double touch, double pressures, double *push,
                     double *rub)
{
    const double near = d < l->h ? l->h - d : 0.0;
    const double spiky = 45.0 / (SP_PI_D * pow(l->h, 6.0)) * l->volume;
    *push = 0.5 * pressures * spiky * near * near;
    if (d < touch) *push += l->stiffness * (1.0 - d / touch);
    if (d > touch && d < l->h) *push -= l->tension * sin(SP_PI_D * (d - touch) / (l->h - touch));
    *rub = l->viscosity * spiky * near;
}

/// Horizontal acceleration of bubble i, partner by partner.
static void accelerate(const foam_law *l, const pond_foam *f, const double *pressures, size_t i,
                       double a[2])
{
    a[0] = a[1] = 0.0;
    for (size_t j = 0; j < f->set.count; ++j) {
        const double d = between(f, i, j);
        if (i == j || d <= 0.0) continue;
        double push, rub;
        pair_law(l, d, 0.9 * ((double)f->r[i] + (double)f->r[j]), pressures[i] + pressures[j],
                 &push, &rub);
        a[0] += push * (double)(f->px[i] - f->px[j]) / d + rub * (double)(f->ux[j] - f->ux[i]);
        a[1] += push * (double)(f->py[i] - f->py[j]) / d + rub * (double)(f->uy[j] - f->uy[i]);
    }
}

/// Largest error of the accelerations that one short step shows, over the largest of them.
static double worst_force(sp_pond *pond)
{
    const float dt = 1e-3f;
    pond_foam *f = &pond->foam;
    const foam_law law = make_law(pond);
    const double drag = 1.0 + (double)dt / (double)pond->def.foam_drag_time;
    double pressures[FOAM], exact[FOAM][2], before[FOAM][2], worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < FOAM; ++i) {
        before[i][0] = (double)(f->ux[i] = 0.2f * (float)pond_proof_unit(21, i, 0) - 0.1f);
        before[i][1] = (double)(f->uy[i] = 0.2f * (float)pond_proof_unit(21, i, 1) - 0.1f);
        pressures[i] = pressure(&law, f, i);
    }
    for (size_t i = 0; i < FOAM; ++i)
        accelerate(&law, f, pressures, i, exact[i]);
    pond_step_foam(pond, dt);
    for (size_t i = 0; i < FOAM; ++i)
        for (int c = 0; c < 2; ++c) {
            const double after = (double)(c ? f->uy[i] : f->ux[i]);
            const double a = (after * drag - before[i][c]) / (double)dt;
            worst = fabs(a - exact[i][c]) > worst ? fabs(a - exact[i][c]) : worst;
            largest = fabs(exact[i][c]) > largest ? fabs(exact[i][c]) : largest;
        }
    return worst / largest;
}

sp_status pond_prove_foam_forces(sp_check_report *report, sp_error *err)
{
    sp_pond_def def = pond_proof_basin(60, 60, 0.01f, 0.2f);
    def.foam_sink = 0.0f;
    def.foam_tension = 1.0f;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    scatter_foam(pond, 0.15f);
    sp_at_most(report, "pair sums against one by one, over the largest", worst_force(pond), 1e-4,
               "P16 - P20 in double; ours are float, and the sine is off by 3e-5 at its ends");
    for (size_t i = 0; i < FOAM; i += 20)
        pond->foam.r[i] *= 3.0f;
    sp_at_most(report, "the same with every twentieth bubble three times as large",
               worst_force(pond), 1e-4, "contacts that reach beyond the support of the sums");
    sp_pond_close(pond);
    return SP_OK;
}

/// ---- Floating ----------------------------------------------------------------------------------

static double off_level(const sp_pond *pond) ///< rms of z - z*, m
{
    const pond_foam *f = &pond->foam;
    double sum = 0.0;
    for (size_t i = 0; i < f->set.count; ++i) {
        const double target = (double)pond_level_at(&pond->water, f->px[i], f->py[i]) -
                              (double)pond->def.foam_sink * (double)f->r[i];
        const double off = (double)f->pz[i] - target;
        sum += off * off;
    }
    return sqrt(sum / (double)f->set.count);
}

/// 200 bubbles of 4 mm that do not touch, `above` m over where they float.
static void lay_foam(sp_pond *pond, float above)
{
    for (int k = 0; k < 200; ++k) {
        const float x = 0.02f + 0.033f * (float)(k % 20), y = 0.02f + 0.018f * (float)(k / 20);
        const float level = pond_level_at(&pond->water, x, y);
        pond_proof_add_foam(pond, x, y, level - pond->def.foam_sink * 0.004f + above, 0.004f);
    }
    pond->foam_size = 0.008f;
}

static sp_status ride(sp_check_report *report, double *rms, sp_error *err)
{
    sp_pond_def def = pond_proof_basin(66, 20, 0.01f, 0.2f);
    def.dt_frame = 1.0f / 60.0f;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    pond_water *w = &pond->water;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const double up = 0.005 * cos(SP_PI_D * ((double)i + 0.5) / 66.0);
            const size_t c = pond_cell(w, i, j);
            w->q[c] += (int32_t)(up / (double)w->quantum);
            w->eta_before[c] = w->q[c] + w->b[c];
        }
    lay_foam(pond, 0.0f);
    double sum = 0.0;
    sp_status status = SP_OK;
    for (int frame = 1; frame <= 120 && status == SP_OK; ++frame) {
        status = sp_pond_step(pond, frame / 60.0, err);
        const double off = off_level(pond);
        if (frame > 60) sum += off * off / 60.0;
    }
    *rms = sqrt(sum);
    sp_pond_close(pond);
    return status;
}

sp_status pond_prove_foam_floats(sp_check_report *report, sp_error *err)
{
    double rms;
    SP_TRY(ride(report, &rms, err));
    sp_at_most(report, "rms off the surface over a wave's amplitude", rms / 0.005, 0.1,
               "P22 follows the surface's own speed; without that it is 0.27 (wave of 0.94 s)");
    const sp_pond_def def = pond_proof_basin(66, 20, 0.01f, 0.2f);
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    lay_foam(pond, 0.01f);
    pond->size_now = 0.008f;
    for (int k = 0; k < 36; ++k)
        pond_step_foam(pond, 1.0f / 120.0f);
    sp_at_most(report, "share of an offset left after 0.3 s", off_level(pond) / 0.01, 0.01,
               "ten float times: critically damped, (1 + t/tau) exp(-t/tau) = 5e-4");
    sp_pond_close(pond);
    return SP_OK;
}
