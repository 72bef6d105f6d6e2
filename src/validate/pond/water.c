// SPDX-License-Identifier: Apache-2.0
/// Proofs about the water (P1, P2): it stays, it stays still, it swings and breaks at the right
/// speed.
#include "validate/pond/proofs.h"

/// ---- Still water -------------------------------------------------------------------------------

static size_t count_dry(const pond_water *w)
{
    size_t dry = 0;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i)
            dry += w->q[pond_cell(w, i, j)] == 0;
    return dry;
}

/// Cells whose surface left the level it was poured to, and faces that move.
static void count_restless(const pond_water *w, size_t *cells, size_t *faces)
{
    *cells = *faces = 0;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const size_t c = pond_cell(w, i, j);
            const int32_t poured = w->rest - w->b[c];
            *cells += w->q[c] != (poured > 0 ? poured : 0);
            *faces += (w->u[c] != 0.0f) + (w->v[c] != 0.0f);
        }
}

sp_status pond_prove_lake_at_rest(sp_check_report *report, sp_error *err)
{
    enum { N = 64 };
    float heights[N * N];
    pond_proof_island(heights, N, 0.12f, 0.3f);
    sp_pond_def def = pond_proof_basin(N, N, 0.01f, 0.2f);
    def.ground = (sp_heights){.values = heights, .width = N, .height = N};
    def.bed_friction = 0.002f;
    def.surface_damping = 2e-4f;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    for (int k = 0; k < 1000; ++k)
        pond_water_substep(pond, 1.0f / 400.0f);
    size_t cells, faces;
    count_restless(&pond->water, &cells, &faces);
    sp_at_least(report, "dry cells among 4096", (double)count_dry(&pond->water), 100,
                "the shore is where schemes that do not balance start to move");
    sp_exact(report, "depths changed in 1000 sub-steps", (double)cells, 0,
             "levels are whole quanta: equal ones differ by exactly 0");
    sp_exact(report, "faces that move", (double)faces, 0, "u == 0.0f, not nearly");
    sp_pond_close(pond);
    return SP_OK;
}

/// ---- Standing wave -----------------------------------------------------------------------------

typedef struct swing {
    double period, kept; ///< s, and the share of the amplitude left after five periods
} swing;

/// Amplitude (m) of cos(pi x/L) in the middle row.
static double mode_one(const pond_water *w)
{
    double sum = 0.0;
    for (int32_t i = 0; i < w->nx; ++i) {
        const double above = (double)(w->q[pond_cell(w, i, 4)] - w->rest);
        sum += above * cos(SP_PI_D * ((double)i + 0.5) / (double)w->nx);
    }
    return 2.0 * sum * (double)w->quantum / (double)w->nx;
}

static void tilt(pond_water *w, double amplitude)
{
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const double x = ((double)i + 0.5) / (double)w->nx;
            const double level = amplitude / (double)w->quantum * cos(SP_PI_D * x);
            w->q[pond_cell(w, i, j)] = w->rest + (int32_t)floor(level + 0.5);
        }
}

/// Follows the mode over a little more than five periods; zero crossings give the period.
static swing follow_swing(sp_pond *pond, double period, float tau)
{
    const double start = mode_one(&pond->water), dt = (double)tau;
    double before = start, first = 0.0, last = 0.0, peak = 0.0;
    int crossings = 0;
    for (double t = 0.0; t < 5.3 * period; t += dt) {
        pond_water_substep(pond, tau);
        const double now = mode_one(&pond->water);
        if ((before > 0.0) != (now > 0.0)) {
            last = t + dt * before / (before - now);
            if (crossings++ == 0) first = last;
        }
        if (t > 4.9 * period && fabs(now) > peak) peak = fabs(now);
        before = now;
    }
    return (swing){2.0 * (last - first) / (double)(crossings - 1), peak / start};
}

sp_status pond_prove_standing_wave(sp_check_report *report, sp_error *err)
{
    static const int32_t cells[] = {40, 66, 128};
    const double length = 0.66, depth = 0.2, speed = sqrt(9.81 * depth);
    const double period = 2.0 * length / speed;
    for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) {
        const double dx = length / cells[k];
        const sp_pond_def def = pond_proof_basin(cells[k], 8, (float)dx, (float)depth);
        sp_pond *pond;
        SP_TRY(sp_pond_open(&def, report->host, &pond, err));
        tilt(&pond->water, 1e-4);
        const swing s = follow_swing(pond, period, (float)(0.45 * dx / speed));
        sp_pond_close(pond);
        sp_relative(report, sp_label(report, "period with %d cells, s", (int)cells[k]), s.period,
                    period, 5e-4, "T = 2L/sqrt(gH); second order leaves 2e-4 at 40 cells");
        sp_at_least(report, sp_label(report, "amplitude left after 5 T, %d cells", (int)cells[k]),
                    s.kept, 0.995, "no damping: only cutting fluxes to whole quanta takes any");
    }
    return SP_OK;
}

/// ---- Dam breaks --------------------------------------------------------------------------------

/// The exact solution: a fan, a plateau and a bore (Stoker), or a fan alone on dry ground (Ritter).
typedef struct dam {
    double g, high, low, middle, flow, bore; ///< m/s^2; m: left, right, plateau; m/s: there, bore
} dam;

static double plateau_excess(const dam *d, double h)
{
    const double by_fan = 2.0 * (sqrt(d->g * d->high) - sqrt(d->g * h));
    const double by_bore = (h - d->low) * sqrt(0.5 * d->g * (h + d->low) / (h * d->low));
    return by_fan - by_bore;
}

static dam solve_dam(double high, double low)
{
    dam d = {.g = 9.81, .high = high, .low = low};
    d.flow = d.bore = 2.0 * sqrt(d.g * high);
    if (low <= 0.0) return d; // Ritter: the front runs at twice the wave speed
    double a = low, b = high;
    for (int k = 0; k < 100; ++k) {
        d.middle = 0.5 * (a + b);
        *(plateau_excess(&d, d.middle) > 0.0 ? &a : &b) = d.middle;
    }
    d.flow = 2.0 * (sqrt(d.g * high) - sqrt(d.g * d.middle));
    d.bore = d.middle * d.flow / (d.middle - low);
    return d;
}

/// Depth at x/t from the dam.
static double dam_depth(const dam *d, double xi)
{
    const double c = sqrt(d->g * d->high), fan = (2.0 * c - xi) * (2.0 * c - xi) / (9.0 * d->g);
    if (xi < -c) return d->high;
    if (xi < d->flow - sqrt(d->g * d->middle)) return fan;
    return xi < d->bore ? d->middle : d->low;
}

typedef struct dam_break {
    double plateau, bore, l1, at_dam, front; ///< m, m/s, 1, m, m
    double lowest;                           ///< quanta
} dam_break;

static double depth_of(const pond_water *w, int32_t i)
{
    return (double)w->q[pond_cell(w, i, 4)] * (double)w->quantum;
}

/// Where the depth last falls through `level`, in metres from the dam, by linear interpolation.
static double last_crossing(const pond_water *w, double level)
{
    const double dx = (double)w->dx;
    for (int32_t i = w->nx - 2; i >= 0; --i) {
        const double a = depth_of(w, i), b = depth_of(w, i + 1);
        if (a > level && b <= level) return ((double)i + 0.5 + (a - level) / (a - b)) * dx - 1.0;
    }
    return (double)NAN;
}

static dam_break measure_dam(const pond_water *w, const dam *d, double t)
{
    dam_break m = {.bore = last_crossing(w, 0.5 * (d->middle + d->low)) / t,
                   .front = last_crossing(w, 1e-3 * d->high),
                   .at_dam = 0.5 * (depth_of(w, w->nx / 2 - 1) + depth_of(w, w->nx / 2))};
    double error = 0.0, all = 0.0, plateau = 0.0, count = 0.0;
    const double tail = d->flow - sqrt(d->g * d->middle), quarter = 0.25 * (d->bore - tail);
    for (int32_t i = 0; i < w->nx; ++i) {
        const double xi = (((double)i + 0.5) * (double)w->dx - 1.0) / t;
        const double h = depth_of(w, i), exact = dam_depth(d, xi);
        error += fabs(h - exact);
        all += exact;
        if (xi > tail + quarter && xi < d->bore - quarter) {
            plateau += h;
            count += 1.0;
        }
        if (h < m.lowest) m.lowest = h;
    }
    m.l1 = error / all;
    m.plateau = plateau / count;
    return m;
}

/// Two metres of channel with the dam in the middle, up to time t.
static sp_status break_dam(sp_check_report *report, int32_t nx, const dam *d, double t,
                           dam_break *out, sp_error *err)
{
    const double dx = 2.0 / nx, fastest = sqrt(d->g * d->high) + d->flow;
    sp_pond_def def = pond_proof_basin(nx, 8, (float)dx, (float)d->high);
    def.dam = 1.0f;
    def.dam_level = (float)d->low;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    const int steps = (int)ceil(t * fastest / (0.45 * dx));
    for (int k = 0; k < steps; ++k)
        pond_water_substep(pond, (float)(t / steps));
    *out = measure_dam(&pond->water, d, t);
    sp_pond_close(pond);
    return SP_OK;
}

sp_status pond_prove_stoker(sp_check_report *report, sp_error *err)
{
    const dam four = solve_dam(0.2, 0.05), ten = solve_dam(0.2, 0.02);
    dam_break coarse, m, fine;
    SP_TRY(break_dam(report, 200, &four, 0.3, &coarse, err));
    SP_TRY(break_dam(report, 400, &four, 0.3, &m, err));
    SP_TRY(break_dam(report, 800, &four, 0.3, &fine, err));
    sp_relative(report, "plateau of 0.2/0.05 m, m", m.plateau, four.middle, 2e-3,
                "Stoker; 400 cells over 2 m at 0.3 s");
    sp_relative(report, "bore of 0.2/0.05 m, m/s", m.bore, four.bore, 8e-3,
                "the bore is smeared over a few cells, and its middle is found within one");
    sp_at_most(report, "mean error of depth over mean depth", m.l1, 6e-3,
               "first order upwind at 400 cells");
    sp_at_least(report, "error at 200 cells over error at 800", coarse.l1 / fine.l1, 1.6,
                "with a bore the error falls with the cell's edge at best: 4");
    SP_TRY(break_dam(report, 400, &ten, 0.3, &m, err));
    sp_relative(report, "plateau of 0.2/0.02 m, m", m.plateau, ten.middle, 2e-3,
                "Stoker; 400 cells over 2 m at 0.3 s");
    sp_relative(report, "bore of 0.2/0.02 m, m/s", m.bore, ten.bore, 1e-2,
                "a stronger bore, the same few cells");
    return SP_OK;
}

sp_status pond_prove_ritter(sp_check_report *report, sp_error *err)
{
    const dam dry = solve_dam(0.2, 0.0);
    const double t = 0.2855; // the exact front is then 0.8 m from the dam
    dam_break m;
    SP_TRY(break_dam(report, 400, &dry, t, &m, err));
    sp_within(report, "depth at the dam over depth behind", m.at_dam / dry.high, 4.0 / 9.0, 5e-3,
              "Ritter: 4/9 for all time");
    sp_at_most(report, "mean error of depth over mean depth", m.l1, 1.2e-2,
               "first order upwind at 400 cells");
    sp_at_least(report, "lowest depth, quanta", m.lowest, 0, "no cell gives more than it has");
    sp_at_most(report, "front at a thousandth of the depth, m", m.front, dry.bore * t,
               "2ct; it may lag (0.7 of 0.8 m is inherent to first order), never lead");
    return SP_OK;
}

/// ---- Stability ---------------------------------------------------------------------------------

static double roughness(const pond_water *w) ///< rms of the surface about rest, quanta
{
    double sum = 0.0;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const double above = (double)(w->q[pond_cell(w, i, j)] - w->rest);
            sum += above * above;
        }
    return sqrt(sum / ((double)w->nx * (double)w->ny));
}

/// Growth of a random millimetre of roughness over 3000 sub-steps of a Courant number.
static sp_status grow(sp_check_report *report, double courant, double *growth, sp_error *err)
{
    const sp_pond_def def = pond_proof_basin(48, 48, 0.01f, 0.2f);
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    pond_water *w = &pond->water;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const double up = 1e-3 * (2.0 * pond_proof_unit(2, (uint64_t)(j * w->nx + i), 0) - 1.0);
            w->q[pond_cell(w, i, j)] += (int32_t)(up / (double)w->quantum);
        }
    const double before = roughness(w);
    for (int k = 0; k < 3000; ++k)
        pond_water_substep(pond, (float)(courant * 0.01 / sqrt(9.81 * 0.2)));
    *growth = roughness(w) / before;
    sp_pond_close(pond);
    return SP_OK;
}

sp_status pond_prove_cfl(sp_check_report *report, sp_error *err)
{
    double calm, wild;
    SP_TRY(grow(report, 0.60, &calm, err));
    SP_TRY(grow(report, 0.75, &wild, err));
    sp_at_most(report, "growth at c tau/dx = 0.60", calm, 2.0,
               "leapfrog keeps a modified energy: 1.9 at most for the shortest ripple");
    sp_at_least(report, "growth at c tau/dx = 0.75", wild, 2.0,
                "beyond 1/sqrt(2) the shortest ripples grow, so the rule must not allow it");
    sp_pond_def def = pond_proof_basin(48, 48, 0.01f, 0.2f);
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    const double dt = 0.75 * 0.01 / sqrt(9.81 * 0.2);
    sp_at_most(report, "c tau/dx that 0.75 is cut into",
               0.75 / (double)pond_water_substeps(pond, (float)dt), 0.45,
               "the sub-step rule with cfl 0.45");
    sp_pond_close(pond);
    def.cfl = 0.75f;
    sp_exact(report, "a def with cfl 0.75 is refused", pond_check_def(&def, NULL), SP_BAD_INPUT,
             "0.6 is the most allowed");
    return SP_OK;
}

/// ---- Wet and dry -------------------------------------------------------------------------------

sp_status pond_prove_wet_dry(sp_check_report *report, sp_error *err)
{
    enum { N = 64 };
    float heights[N * N];
    pond_proof_island(heights, N, 0.03f, 0.15f);
    sp_pond_def def = pond_proof_basin(N, N, 0.01f, 0.2f);
    def.ground = (sp_heights){.values = heights, .width = N, .height = N};
    def.dam = 0.2f;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    const pond_water *w = &pond->water;
    const int64_t before = pond_proof_water(pond);
    int32_t lowest = INT32_MAX;
    size_t broken = 0;
    for (int step = 0; step < 3000; ++step) {
        pond_water_substep(pond, 0.45f * 0.01f / 4.2f); // 3c: the front on dry ground and its wave
        for (size_t c = 0; c < w->cells; ++c) {
            lowest = w->q[c] < lowest ? w->q[c] : lowest;
            broken += !(fabsf(w->u[c]) < 1e3f) + !(fabsf(w->v[c]) < 1e3f);
        }
    }
    sp_at_least(report, "lowest depth in 3000 sub-steps, quanta", lowest, 0,
                "the limiter leaves every cell what it gives");
    sp_exact(report, "water gained, quanta", (double)(pond_proof_water(pond) - before), 0,
             "whole numbers move: what leaves arrives");
    sp_exact(report, "velocities that are no numbers", (double)broken, 0,
             "films are closed at 1 um");
    sp_pond_close(pond);
    return SP_OK;
}
