// SPDX-License-Identifier: Apache-2.0
/// Statistics of seas over many seeds: the height and period that the spectrum asks for are those of the waves.
#include "validate/ocean/proofs.h"

enum { SEEDS = 32 };

/// Mean square of the height over the grid's samples, m2.
static double square_of(const ocean *o)
{
    const int32_t n = o->def.grid;
    const double spacing = o->cascade[0].length / n;
    double sum = 0.0;
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < n; ++i) {
            ocean_point p;
            ocean_point_at(o, spacing * i, spacing * j, &p);
            sum += p.y * p.y;
        }
    return sum / ((double)n * n);
}

static sp_status height_over_seeds(sp_check_report *report, const sp_ocean_def *def, double height,
                                   const char *name, sp_error *err)
{
    double sum = 0.0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        sp_bulk bulk;
        SP_TRY(sp_ocean_bulk(def, seed, report->host, &bulk, err));
        const sp_status status = bulk.prepare(bulk.user, 10.0, err);
        if (status == SP_OK) sum += square_of(bulk.user);
        sp_bulk_close(&bulk);
        SP_TRY(status);
    }
    sp_relative(report, name, 4.0 * sqrt(sum / SEEDS), height, 0.02,
                "32 seas of some hundred independent waves each");
    return SP_OK;
}

sp_status ocean_prove_variance(sp_check_report *report, sp_error *err)
{
    sp_ocean_def def = ocean_case_def();
    SP_TRY(height_over_seeds(report, &def, 1.454, "wave height of 32 seas, wind 10 m/s, m", err));
    def.cascades = 2;
    def.grid = 128;
    def.cascade_ratio = 4;
    SP_TRY(height_over_seeds(report, &def, 1.454, "the same in two cascades, m", err));
    def = ocean_case_def();
    def.depth = 5.0;
    SP_TRY(height_over_seeds(report, &def, 1.057, "the same in 5 m of water, m", err));
    def = ocean_case_def();
    def.wind = 15.0;
    def.fetch = 100e3;
    def.patch = 800.0;
    return height_over_seeds(report, &def, 3.064, "wave height of 32 seas, wind 15 m/s, m", err);
}

/// ---- The period --------------------------------------------------------------------------------

enum { SAMPLES = 1024, RATES = 200, PLACES = 4 };
static const double every = 0.5, first_rate = 0.6, rate_step = 0.01; // s, 1/s

/// Adds the squares of the Fourier sums of a record, with a Hann window.
static void add_periodogram(const double *record, double *energy)
{
    for (int r = 0; r < RATES; ++r) {
        const double rate = first_rate + rate_step * r;
        double re = 0.0, im = 0.0;
        for (int n = 0; n < SAMPLES; ++n) {
            const double window = 0.5 - 0.5 * cos(2.0 * SP_PI_D * n / SAMPLES);
            re += window * record[n] * cos(rate * every * n);
            im += window * record[n] * sin(rate * every * n);
        }
        energy[r] += re * re + im * im;
    }
}

static sp_status record_sea(uint64_t seed, const sp_host *host, double *energy, sp_error *err)
{
    static double record[PLACES][SAMPLES];
    sp_ocean_def def = ocean_case_def();
    sp_bulk bulk;
    sp_status status;
    def.grid = 64;
    SP_TRY(sp_ocean_bulk(&def, seed, host, &bulk, err));
    status = SP_OK;
    for (int n = 0; n < SAMPLES && status == SP_OK; ++n) {
        status = bulk.prepare(bulk.user, every * n, err);
        for (int p = 0; p < PLACES && status == SP_OK; ++p) {
            ocean_point point;
            ocean_point_at(bulk.user, 100.0 * p, 73.0 * p, &point);
            record[p][n] = point.y;
        }
    }
    for (int p = 0; p < PLACES && status == SP_OK; ++p)
        add_periodogram(record[p], energy);
    sp_bulk_close(&bulk);
    return status;
}

/// The frequency of the peak as the mean of frequencies, weighted with the fourth power of the energy (Young 1995).
sp_status ocean_prove_period(sp_check_report *report, sp_error *err)
{
    double energy[RATES] = {0}, sum = 0.0, weight = 0.0, curve[RATES][2];
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
        SP_TRY(record_sea(seed, report->host, energy, err));
    for (int r = 0; r < RATES; ++r) {
        const double rate = first_rate + rate_step * r, w = pow(energy[r], 4.0);
        sum += rate * w;
        weight += w;
        curve[r][0] = rate;
        curve[r][1] = energy[r];
    }
    sp_check_curve(report, "spectrum", "rate_1_s,energy", curve[0], RATES);
    sp_relative(report, "period of the peak in records of 32 seas, s", 2.0 * SP_PI_D * weight / sum,
                4.95, 0.02, "128 records of 100 periods");
    return SP_OK;
}
