// SPDX-License-Identifier: Apache-2.0
/// Numbers, sizes and places of new bubbles: given voxels that want air, deep in still water.
#include "validate/foam/proofs.h"
#include "validate/whitewater/emission_case.h"
#include "validate/whitewater/proofs.h"

#include <stdlib.h>
#include <string.h>

/// Still water below y = 100 m, which answers by itself: aeration is off, and given voxels stay.
typedef struct still_case {
    foam_surface surface;
    sp_bulk bulk;
    emission_case c;
} still_case;

static void clear_still(still_case *s, const sp_host *host)
{
    s->surface = (foam_surface){.kind = FOAM_PLANE};
    s->bulk = foam_surface_bulk(&s->surface);
    emission_case_clear(&s->c, &s->bulk, host);
    s->c.def.radius_min = 0.0005f;
    s->c.def.radius_max = 0.005f;
}

enum { SIDE = 22 }; ///< 10648 voxels

/// One step of a second in which each voxel below y = 0 wants `share` of itself as air.
static sp_status let_in(still_case *s, int32_t side, double voxel, double share, sp_error *err)
{
    SP_TRY(emission_case_begin(&s->c, err));
    SP_TRY(emission_case_cells(&s->c, side, voxel, share * voxel * voxel * voxel, err));
    s->c.emission->held.origin[1] = -1000.0;
    return emission_case_step(&s->c, 1.0, err);
}

/// ---- T5: volume --------------------------------------------------------------------------------

/// <V> and <V^2> of radii with a density of r^-3, m3 and m6.
static void moments_of(double a, double b, double *mean, double *square)
{
    const double ball = 4.0 / 3.0 * SP_PI_D;
    *mean = ball * 2.0 * a * a * b * b / (a + b);
    *square = ball * ball * 0.5 * (pow(b, 4.0) - pow(a, 4.0)) / (1.0 / (a * a) - 1.0 / (b * b));
}

static sp_status prove_mode(sp_check_report *report, int mode, double voxel, sp_error *err)
{
    static const char *const names[] = {"poisson", "fill", "accept"};
    const double share = 0.05, wanted = share * pow(voxel, 3.0) * SIDE * SIDE * SIDE;
    double mean, square;
    still_case s;
    clear_still(&s, report->host);
    s.c.def.mode = mode;
    s.c.def.budget = 100000000;
    moments_of(0.0005, 0.005, &mean, &square);
    sp_status status = let_in(&s, SIDE, voxel, share, err);
    const double spread = 3.0 * sqrt(square / (mean * wanted)),
                 excess = 0.5 * square / mean / (share * pow(voxel, 3.0)),
                 ratio = emission_case_volume(&s.c, WHITEWATER_BUBBLES) / wanted;
    if (status == SP_OK && mode != SP_EMISSION_FILL)
        sp_within(report,
                  sp_label(report, "air let in over air asked for, %s, voxels of %g cm",
                           names[mode], 100.0 * voxel),
                  ratio, 1.0, spread, "three standard deviations of the sum of random bubbles");
    else if (status == SP_OK && excess < 0.05)
        sp_within(report,
                  sp_label(report, "the same, %s as printed, voxels of %g cm", names[mode],
                           100.0 * voxel),
                  ratio, 1.0 + excess, spread, "the last bubble of a voxel exceeds by <V^2>/2<V>");
    else if (status == SP_OK)
        sp_reported(report,
                    sp_label(report, "the same, %s as printed, voxels of %g cm", names[mode],
                             100.0 * voxel),
                    ratio, "a prototype had 2.24 at 1 cm and 1.19 at 2 cm");
    emission_case_close(&s.c);
    return status;
}

/// Mean and variance of numbers for one mean.
static void prove_poisson(sp_check_report *report, double mean)
{
    enum { DRAWS = 100000 };
    double sum = 0.0, square = 0.0;
    for (uint64_t i = 0; i < DRAWS; ++i) {
        const double n = emission_poisson(7, i, 0, mean);
        sum += n;
        square += (n - mean) * (n - mean);
    }
    sp_relative(report, sp_label(report, "mean of 1e5 numbers for a mean of %g, ratio", mean),
                sum / DRAWS / mean, 1.0, 4.0 / sqrt(DRAWS * mean), "four standard deviations");
    sp_relative(report, sp_label(report, "their variance over the mean, for %g", mean),
                square / DRAWS / mean, 1.0, 4.0 * sqrt((2.0 + 1.0 / mean) / DRAWS),
                "four standard deviations: the variance of Poisson's is its mean");
}

sp_status whitewater_prove_emitted_volume(sp_check_report *report, sp_error *err)
{
    static const double means[] = {0.03, 3.0, 8.0, 30.0, 1000.0};
    for (size_t k = 0; k < sizeof means / sizeof *means; ++k)
        prove_poisson(report, means[k]);
    SP_TRY(prove_mode(report, SP_EMISSION_POISSON, 0.01, err));
    SP_TRY(prove_mode(report, SP_EMISSION_POISSON, 0.05, err));
    SP_TRY(prove_mode(report, SP_EMISSION_ACCEPT, 0.01, err));
    SP_TRY(prove_mode(report, SP_EMISSION_FILL, 0.01, err));
    return prove_mode(report, SP_EMISSION_FILL, 0.05, err);
}

/// ---- T6: radii ---------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The largest distance between the shares of radii below r, measured and of the density r^-3.
static double kolmogorov(float *r, size_t n, double a, double b)
{
    double most = 0.0;
    qsort(r, n, sizeof *r, compare);
    for (size_t i = 0; i < n; ++i) {
        const double x = (double)r[i],
                     below = (1.0 / (a * a) - 1.0 / (x * x)) / (1.0 / (a * a) - 1.0 / (b * b));
        most = fmax(most, fmax(fabs(below - (double)i / (double)n),
                               fabs(below - (double)(i + 1) / (double)n)));
    }
    return most;
}

sp_status whitewater_prove_emitted_radii(sp_check_report *report, sp_error *err)
{
    still_case s;
    clear_still(&s, report->host);
    sp_status status = let_in(&s, SIDE, 0.0125, 0.05, err);
    if (status == SP_OK) {
        const size_t n = s.c.set[WHITEWATER_BUBBLES].set.count;
        const double root = sqrt((double)n);
        sp_at_least(report, "bubbles", (double)n, 1e5, "enough to tell 0.5 % apart");
        sp_at_most(report,
                   "largest distance of the distribution of radii, times the root of their number",
                   root * kolmogorov(s.c.set[WHITEWATER_BUBBLES].radius, n, 0.0005, 0.005), 1.63,
                   "Kolmogorov and Smirnov: exceeded once in a hundred samples of the right "
                   "distribution");
    }
    emission_case_close(&s.c);
    return status;
}

/// ---- T7: places --------------------------------------------------------------------------------

static sp_status prove_spline(sp_check_report *report, int32_t spline, sp_error *err)
{
    still_case s;
    double square[3] = {0}, mean = 0.0;
    clear_still(&s, report->host);
    s.c.def.spline = spline;
    sp_status status = let_in(&s, 1, 1.0, 0.0005, err); // one voxel, some 5e4 bubbles
    const whitewater_set *b = &s.c.set[WHITEWATER_BUBBLES];
    const double n = (double)b->set.count;
    for (size_t i = 0; i < b->set.count; ++i)
        for (int a = 0; a < 3; ++a) {
            const double away = b->x[a][i] - s.c.emission->held.origin[a] - 0.5;
            square[a] += away * away / n;
            mean += away / (3.0 * n);
        }
    if (status == SP_OK) {
        const double spread = sqrt(spline / 12.0);
        sp_within(report, sp_label(report, "mean place, voxels, k = %d", spline), mean, 0.0,
                  4.0 * spread / sqrt(3.0 * n), "four standard deviations");
        for (int a = 0; a < 3; ++a)
            sp_relative(report,
                        sp_label(report, "spread along %c, voxels, k = %d", "xyz"[a], spline),
                        sqrt(square[a]), spread, 0.01, "the root of k/12; noise is 0.3 %");
    }
    emission_case_close(&s.c);
    return status;
}

sp_status whitewater_prove_emitted_places(sp_check_report *report, sp_error *err)
{
    for (int32_t k = 1; k <= 3; ++k)
        SP_TRY(prove_spline(report, k, err));
    return SP_OK;
}

/// ---- The budget --------------------------------------------------------------------------------

/// Thirty steps, in which ten times as many bubbles come as there is room for, and of which a tenth
/// bursts in each.
static sp_status crowd(sp_check_report *report, uint64_t budget, sp_error *err)
{
    still_case s;
    size_t most = 0;
    double number = 1.0;
    clear_still(&s, report->host);
    s.c.def.budget = budget;
    sp_status status = let_in(&s, SIDE, 0.02, 0.025, err);
    for (int k = 0; k < 30 && status == SP_OK; ++k) {
        whitewater_set *b = &s.c.set[WHITEWATER_BUBBLES];
        most = b->set.count > most ? b->set.count : most;
        number = fmax(number, (double)s.c.figures.number);
        b->set.count -= b->set.count / 10;
        status = emission_case_step(&s.c, 1.0, err);
    }
    if (status == SP_OK) {
        sp_at_most(report, sp_label(report, "most particles with a budget of %g", (double)budget),
                   (double)most, (double)budget, "the budget");
        sp_at_least(report, "of these, at the end", (double)s.c.set[WHITEWATER_BUBBLES].set.count,
                    0.8 * (double)budget, "a steady inflow fills most of the room");
        const double ratio = s.c.ledger.volume[WHITEWATER_EMITTED_BUBBLES] / s.c.wanted;
        if (budget >= 10000) // fewer, larger particles make too much noise to tell
            sp_relative(report, "air let in over air asked for", ratio, 1.0,
                        4.0 * sqrt(8.0 * number * s.c.emission->sizes.volume / s.c.wanted),
                        "four standard deviations of bubbles that count several times");
        sp_reported(report, "bubbles a particle stands for at most", number, "");
    }
    emission_case_close(&s.c);
    return status;
}

/// As printed every voxel gets at least one particle, more than there is room for.
static sp_status overcrowd(sp_check_report *report, sp_error *err)
{
    still_case s;
    clear_still(&s, report->host);
    s.c.def.budget = 1000;
    s.c.def.mode = SP_EMISSION_FILL;
    const sp_status status = let_in(&s, SIDE, 0.02, 0.025, err);
    if (status == SP_OK) {
        sp_exact(report,
                 "particles where each of 10648 voxels wants one and there is room for 1000",
                 (double)s.c.set[WHITEWATER_BUBBLES].set.count, 1000.0, "the budget");
        sp_relative(report, "air of these over the air that was drawn",
                    emission_case_volume(&s.c, WHITEWATER_BUBBLES) /
                        s.c.ledger.volume[WHITEWATER_EMITTED_BUBBLES],
                    1.0, 1e-5, "they stand for those that are left out");
    }
    emission_case_close(&s.c);
    return status;
}

/// What is inferred from a voxel.
static void prove_sizes(sp_check_report *report, double voxel)
{
    sp_emission_def def;
    sp_keys_defaults(&sp_emission_keys, &def);
    const emission_sizes s = emission_sizes_of(&def, voxel);
    sp_within(report, sp_label(report, "particles in an aerated voxel of %g m", voxel),
              0.5 * pow(voxel, 3.0) / (s.volume * s.number), 149.0, 1.0,
              "0.5 over the mean volume of balls of 1/20 to 1/5 voxel");
    sp_at_most(report, "their largest radius, m", s.max, fmin(0.2 * voxel, 0.02) * (1.0 + 1e-9),
               "a fifth of the voxel, and 2 cm, beyond which bubbles break up");
}

sp_status whitewater_prove_emission_budget(sp_check_report *report, sp_error *err)
{
    static const double voxels[] = {1e-4, 0.02, 0.1, 10.0}; // domains of 1 cm to 1 km
    for (size_t k = 0; k < sizeof voxels / sizeof *voxels; ++k)
        prove_sizes(report, voxels[k]);
    SP_TRY(overcrowd(report, err));
    SP_TRY(crowd(report, 20000, err));
    return crowd(report, 100, err);
}

/// ---- Sources -----------------------------------------------------------------------------------

static sp_status run_source(still_case *s, sp_emission_source_def *source, double seconds,
                            int steps, sp_error *err)
{
    s->c.def.sources = source;
    s->c.def.source_count = 1;
    SP_TRY(emission_case_begin(&s->c, err));
    for (int k = 0; k < steps; ++k)
        SP_TRY(emission_case_step(&s->c, seconds / steps, err));
    return SP_OK;
}

static double farthest_from_surface(const whitewater_set *f)
{
    double most = 0.0;
    for (size_t i = 0; i < f->set.count; ++i)
        most = fmax(most, fabs(f->x[1][i]));
    return most;
}

sp_status whitewater_prove_sources(sp_check_report *report, sp_error *err)
{
    const sp_box_def box = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    sp_emission_source_def source = {.shape = {.box = &box}, .stop = 0.75f};
    still_case s;
    sp_status status = SP_OK;
    for (int kind = 0; kind < WHITEWATER_KINDS && status == SP_OK; ++kind) {
        clear_still(&s, report->host);
        source.kind = kind;
        source.rate = 1000.0f;
        source.air = 0.0f;
        status = run_source(&s, &source, 1.5, 17, err);
        const whitewater_set *to = &s.c.set[kind];
        if (status == SP_OK)
            sp_exact(report,
                     sp_label(report, "particles of kind %d after 0.75 s of 1000 a second", kind),
                     (double)to->set.count, 750.0, "its rate, half of the time");
        if (status == SP_OK && kind == SP_SOURCE_FOAM)
            sp_at_most(report, "foam off the surface, m", farthest_from_surface(to), 1e-4,
                       "a fiftieth of the radius");
        emission_case_close(&s.c);
    }
    if (status != SP_OK) return status;
    clear_still(&s, report->host);
    source.kind = SP_SOURCE_BUBBLES;
    source.rate = 0.0f;
    source.air = 0.001f;
    status = run_source(&s, &source, 1.5, 17, err);
    if (status == SP_OK)
        sp_relative(report, "air of a source of a litre a second, litres after 0.75 s",
                    1e3 * emission_case_volume(&s.c, WHITEWATER_BUBBLES), 0.75, 0.05,
                    "7.9e4 bubbles whose volumes spread by 4 give 1.4 %");
    emission_case_close(&s.c);
    return status;
}
