// SPDX-License-Identifier: Apache-2.0
/// A standing wave as long as its tank, 1 m, over 0.5 m of water. Small waves have
///
///     w^2 = g k tanh(k h),   k = 2 pi/m,   a period of 0.8018 s,
///
/// and keep their height, as there is no viscosity: any loss is numerical.
#include "validate/liquid/proofs.h"

static const double deep = 0.5, height = 0.01, wavenumber = 2.0 * SP_PI_D; // m, m, 1/m

static double period_of_waves(void)
{
    return 2.0 * SP_PI_D / sqrt(9.81 * wavenumber * tanh(wavenumber * deep));
}

/// ---- The scene ---------------------------------------------------------------------------------

enum { SAMPLES = 257 }; ///< of the surface at the start, straight in between

static void make_wave(liquid_case *c, int cells, int method, float values[2 * SAMPLES])
{
    const float h = 1.0f / (float)cells, depth = 8.0f * h;
    liquid_case_domain(c, method, 1.0f, 0.75f, depth, h);
    for (int i = 0; i < 2 * SAMPLES; ++i)
        values[i] = (float)(0.5 + 0.5 * cos(wavenumber * (i % SAMPLES) / (SAMPLES - 1.0)));
    const sp_heightfield_def wave = {
        .heights = {.values = values, .width = SAMPLES, .height = 2},
        .min = {0.0f, (float)(deep - height), 0.0f},
        .max = {1.0f, (float)(deep + height), depth},
        .depth = 1.0f, // it reaches down to the floor
    };
    proof_fill_heights(&c->scene, wave);
}

/// Height of the surface's component of this wavelength, m: twice the mean of the surface's height
/// times cos(k x), over all columns of voxels.
static double find_height(const liquid *s)
{
    const double h = (double)s->grid.voxel;
    double sum = 0.0;
    for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);)
        sum += liquid_share(s, v.at) * cos(wavenumber * v.p[0]);
    return 2.0 * sum * h * h / 8.0; // a voxel's height, its width of 1 m, one of 8 rows across
}

/// ---- Swings ------------------------------------------------------------------------------------

typedef struct swings {
    double period; ///< s, between the first and the last time that it goes through zero upward
    double left;   ///< the last swing's size over the first one's
} swings;

enum { PER_PERIOD = 40, MOST_PERIODS = 10, MOST_ROWS = PER_PERIOD * MOST_PERIODS + 1 };

static swings analyse(const double (*row)[2], int rows)
{
    double first = 0.0, last = 0.0, begin = 0.0, end = 0.0;
    int crossings = 0;
    for (int i = 1; i < rows; ++i) {
        if (i <= PER_PERIOD) begin = fmax(begin, fabs(row[i][1]));
        if (i > rows - 1 - PER_PERIOD) end = fmax(end, fabs(row[i][1]));
        if (!(row[i - 1][1] < 0.0 && row[i][1] >= 0.0)) continue;
        last = row[i - 1][0] +
               (row[i][0] - row[i - 1][0]) * row[i - 1][1] / (row[i - 1][1] - row[i][1]);
        if (crossings++ == 0) first = last;
    }
    return (swings){crossings > 1 ? (last - first) / (crossings - 1) : (double)NAN, end / begin};
}

static sp_status swing(sp_check_report *report, const char *name, int cells, int method,
                       int periods, swings *out, sp_error *err)
{
    liquid_case c;
    liquid *s;
    float values[2 * SAMPLES];
    double row[MOST_ROWS][2];
    make_wave(&c, cells, method, values);
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    sp_status status = SP_OK;
    int rows = 0;
    for (; rows <= PER_PERIOD * periods && status == SP_OK; ++rows) {
        const double t = period_of_waves() * rows / PER_PERIOD;
        status = liquid_case_run(s, t, err);
        row[rows][0] = t;
        row[rows][1] = find_height(s);
    }
    liquid_close(s);
    SP_TRY(status);
    sp_check_curve(report, sp_label(report, "wave_%s_%d", name, cells), "time_s,height_m", row[0],
                   (size_t)rows);
    *out = analyse((const double(*)[2])row, rows);
    return SP_OK;
}

typedef struct method_row {
    const char *name;
    int method;
    double left; ///< after ten periods, at least
} method_row;

static sp_status prove_waves(sp_check_report *report, int cells, int periods, double tolerance,
                             double power, const char *why, sp_error *err)
{
    static const method_row methods[3] = {{"flip", SP_LIQUID_FLIP, 0.7},
                                          {"apic", SP_LIQUID_APIC, 0.6},
                                          {"eulerian", SP_LIQUID_EULERIAN, 0.6}};
    for (int m = 0; m < 3; ++m) {
        swings w;
        SP_TRY(swing(report, methods[m].name, cells, methods[m].method, periods, &w, err));
        sp_relative(report,
                    sp_label(report, "period, s, %d voxels long, %s", cells, methods[m].name),
                    w.period, period_of_waves(), tolerance, why);
        sp_at_least(report,
                    sp_label(report, "height left after %d periods, %s", periods, methods[m].name),
                    w.left, pow(methods[m].left, power), "waves that cross a scene must arrive");
    }
    return SP_OK;
}

sp_status liquid_prove_wave(sp_check_report *report, sp_error *err)
{
    return prove_waves(report, 32, 2, 0.02, 0.2,
                       "twice what 64 voxels are asked for: first order at worst", err);
}

sp_status liquid_prove_wave_long(sp_check_report *report, sp_error *err)
{
    return prove_waves(report, 64, 10, 0.01, 1.0, "what a picture needs", err);
}
