// SPDX-License-Identifier: Apache-2.0
/// The motion of single waves and of whole seas: frequency, the surface's own velocity, decay with depth, divergence.
#include "validate/ocean/proofs.h"

/// ---- One wave ----------------------------------------------------------------------------------

static const struct wave {
    double patch, depth, amplitude;
    int32_t i, j;
    bool capillary;
    const char *name;
} waves[] = {
    {400, 1e4, 0.02, 10, 0, false, "40 m in deep water"},
    {400, 1e4, 0.02, 6, -8, false, "40 m aslant"},
    {400, 5, 0.02, 10, 0, false, "40 m in 5 m of water"},
    {400, 1e4, 1.0, 10, 0, false, "40 m, 2 m high"},
    {1, 10, 1e-4, 50, 0, true, "2 cm with tension"},
};
enum { WAVES = sizeof waves / sizeof *waves };

static sp_status open_wave(const struct wave *w, const sp_host *host, sp_bulk *bulk, sp_error *err)
{
    sp_ocean_def def = ocean_case_def();
    def.patch = w->patch;
    def.depth = w->depth;
    def.capillary = w->capillary;
    SP_TRY(sp_ocean_bulk(&def, 1, host, bulk, err));
    ocean_case_one_wave(bulk, w->i, w->j, w->amplitude);
    return SP_OK;
}

/// What theory says of it.
static double wave_number(const struct wave *w)
{
    return 2.0 * SP_PI_D / w->patch * hypot(w->i, w->j);
}
static double rate_of(const struct wave *w)
{
    const double k = wave_number(w), tension = w->capillary ? 0.074 / 1000.0 : 0.0;
    return sqrt((9.81 * k + tension * k * k * k) * tanh(k * w->depth));
}

/// The phase of the height at time t, rad, by its Fourier sum over places at rest.
static sp_status phase_at(const sp_bulk *bulk, const struct wave *w, double t, double *phase,
                          sp_error *err)
{
    enum { PLACES = 512 };
    double re = 0.0, im = 0.0;
    SP_TRY(bulk->prepare(bulk->user, t, err));
    for (int n = 0; n < PLACES; ++n) {
        const double x = w->patch * n / PLACES, z = w->patch * (7 * n % PLACES) / PLACES;
        const double turn = 2.0 * SP_PI_D / w->patch * (w->i * x + w->j * z);
        ocean_point p;
        ocean_point_at(bulk->user, x, z, &p);
        re += p.y * cos(turn);
        im += p.y * sin(turn);
    }
    *phase = atan2(im, re);
    return SP_OK;
}

/// Largest difference of -d phi/dt and u n on the surface over the largest u n: what the surface does is what water
/// there does.
static sp_status surface_error(const sp_bulk *bulk, const sp_host *host, double side, double t,
                               double dt, double *off, sp_error *err)
{
    ocean_asked *a = sp_allocate(host, 3, sizeof *a);
    double most = 0.0, worst = 0.0;
    if (!a) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
    ocean_asked_scatter(a, side, 0.0);
    sp_status status = ocean_ask(a, bulk, host, t, err);
    ocean_asked_sink(a, 0.0);
    if (status == SP_OK) status = ocean_ask(a, bulk, host, t, err);
    a[1] = a[2] = a[0];
    if (status == SP_OK) status = ocean_ask(&a[1], bulk, host, t - dt, err);
    if (status == SP_OK) status = ocean_ask(&a[2], bulk, host, t + dt, err);
    for (size_t i = 0; i < OCEAN_ASKED && status == SP_OK; ++i) {
        double along = 0.0;
        for (int c = 0; c < 3; ++c)
            along += (double)a->u[c][i] * (double)a->normal[c][i];
        const double seen = ((double)a[1].phi[i] - (double)a[2].phi[i]) / (2.0 * dt);
        most = fmax(most, fabs(along));
        worst = fmax(worst, fabs(seen - along));
    }
    *off = worst / most;
    sp_release(host, a);
    return status;
}

sp_status ocean_prove_one_wave(sp_check_report *report, sp_error *err)
{
    sp_host silent = *report->host; // patches are too short for the wind
    silent.log = NULL;
    for (size_t n = 0; n < WAVES; ++n) {
        const struct wave *w = &waves[n];
        const double rate = rate_of(w), dt = 0.25 * 2.0 * SP_PI_D / rate;
        double phase[2], off;
        sp_bulk bulk;
        SP_TRY(open_wave(w, &silent, &bulk, err));
        sp_status status = phase_at(&bulk, w, 100.0, &phase[0], err);
        if (status == SP_OK) status = phase_at(&bulk, w, 100.0 + dt, &phase[1], err);
        if (status == SP_OK)
            status = surface_error(&bulk, &silent, w->patch, 3.0, 0.004 / rate, &off, err);
        sp_bulk_close(&bulk);
        SP_TRY(status);
        const double turned = phase[1] - phase[0] + (phase[1] < phase[0] ? 2.0 * SP_PI_D : 0.0);
        sp_relative(report, sp_label(report, "frequency of a wave, %s, 1/s", w->name), turned / dt,
                    rate, 1e-4, "linear theory; heights are floats");
        sp_at_most(report, sp_label(report, "its surface against its water, %s", w->name), off,
                   0.01, "the kinematic condition; distances are floats");
    }
    return SP_OK;
}

/// ---- Seas --------------------------------------------------------------------------------------

sp_status ocean_prove_surface_moves(sp_check_report *report, sp_error *err)
{
    for (int n = 0; n < 4; ++n) {
        sp_ocean_def def = ocean_case_def();
        double off;
        sp_bulk bulk;
        def.choppiness = n == 1 ? 0.0 : n == 2 ? 1.4 : 1.0;
        if (n == 3) def.cascades = 2;
        SP_TRY(sp_ocean_bulk(&def, 1, report->host, &bulk, err));
        const sp_status status =
            surface_error(&bulk, report->host, def.patch, 7.0, 2e-3, &off, err);
        sp_bulk_close(&bulk);
        SP_TRY(status);
        sp_at_most(report,
                   sp_label(report, "surface of a sea against its water, choppiness %g%s",
                            def.choppiness, n == 3 ? ", two cascades" : ""),
                   off, 0.01, "the kinematic condition");
    }
    return SP_OK;
}

/// Root mean square of the velocity at a depth below the surface, m/s.
static sp_status speed_at(ocean_asked *a, const sp_bulk *bulk, const sp_host *host, double depth,
                          double *speed, sp_error *err)
{
    double sum = 0.0;
    ocean_asked_scatter(a, 400.0, 0.0);
    SP_TRY(ocean_ask(a, bulk, host, 7.0, err));
    ocean_asked_sink(a, depth);
    SP_TRY(ocean_ask(a, bulk, host, 7.0, err));
    for (size_t i = 0; i < OCEAN_ASKED; ++i)
        for (int c = 0; c < 3; ++c)
            sum += (double)a->u[c][i] * (double)a->u[c][i];
    *speed = sqrt(sum / OCEAN_ASKED);
    return SP_OK;
}

/// A gentle wave of amplitude A at depth d: A w cosh k(H - d)/sinh kH along, sinh for cosh up; root mean squares.
static sp_status wave_by_depth(sp_check_report *report, const struct wave *w, ocean_asked *a,
                               sp_error *err)
{
    static const double depths[] = {0.5, 1.0, 4.0, 5.0, 6.0, 16.0, 24.0, 60.0};
    sp_bulk bulk;
    sp_status status = open_wave(w, report->host, &bulk, err);
    if (status != SP_OK) return status;
    const double k = wave_number(w), H = w->depth, size = w->amplitude * rate_of(w);
    for (size_t n = 0; n < sizeof depths / sizeof *depths && status == SP_OK; ++n) {
        const double d = depths[n];
        double speed;
        if (d > H) break;
        status = speed_at(a, &bulk, report->host, d, &speed, err);
        const double whole = 1.0 - exp(-2.0 * k * H), down = exp(-k * d) / whole,
                     up = exp(-k * (2.0 * H - d)) / whole;
        sp_within(
            report,
            sp_label(report, "speed of the wave of %s at %g m, over that at the top", w->name, d),
            speed / size, sqrt(down * down + up * up), 5e-3,
            "layers are exact, and between them and below the last waves of the peak are (38 m)");
    }
    sp_bulk_close(&bulk);
    return status;
}

sp_status ocean_prove_depth(sp_check_report *report, sp_error *err)
{
    static const double depths[] = {0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0};
    enum { DEPTHS = sizeof depths / sizeof *depths };
    ocean_asked *a = sp_allocate(report->host, 1, sizeof *a);
    double speed[DEPTHS], rise = 0.0, curve[DEPTHS][2];
    sp_bulk bulk = {0};
    const sp_ocean_def def = ocean_case_def();
    if (!a) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
    sp_status status = sp_ocean_bulk(&def, 1, report->host, &bulk, err);
    for (int n = 0; n < DEPTHS && status == SP_OK; ++n) {
        status = speed_at(a, &bulk, report->host, depths[n], &speed[n], err);
        rise = n ? fmax(rise, speed[n] / speed[n - 1]) : 0.0;
        curve[n][0] = depths[n];
        curve[n][1] = speed[n];
    }
    sp_bulk_close(&bulk);
    if (status == SP_OK) {
        sp_check_curve(report, "depth", "depth_m,speed_m_s", curve[0], DEPTHS);
        sp_at_most(report, "speed at a depth over that at half the depth, the largest", rise, 0.99,
                   "all waves decay with depth");
        status = wave_by_depth(report, &waves[0], a, err);
    }
    if (status == SP_OK) status = wave_by_depth(report, &waves[2], a, err);
    sp_release(report->host, a);
    return status;
}

/// ---- Divergence --------------------------------------------------------------------------------

/// Root mean square of div u over that of the gradient of u, 0.5 to 10 m below the surface, by differences over 1 cm.
static sp_status divergence_of(const sp_bulk *bulk, const sp_host *host, double *share,
                               sp_error *err)
{
    ocean_asked *a = sp_allocate(host, 3, sizeof *a);
    const double step = 0.01;
    double gradient = 0.0;
    if (!a) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
    float *sum = a[2].phi; // of the divergence, by point
    ocean_asked_scatter(a, 400.0, 0.0);
    sp_status status = ocean_ask(a, bulk, host, 7.0, err);
    for (size_t i = 0; i < OCEAN_ASKED; ++i)
        a->at[1][i] -=
            (double)a->phi[i] / (double)a->normal[1][i] + 0.5 + 9.5 * (double)i / OCEAN_ASKED;
    for (int axis = 0; axis < 3 && status == SP_OK; ++axis) {
        a[1] = a[0];
        for (size_t i = 0; i < OCEAN_ASKED; ++i) {
            a[0].at[axis][i] -= 0.5 * step;
            a[1].at[axis][i] += 0.5 * step;
        }
        status = ocean_ask(&a[0], bulk, host, 7.0, err);
        if (status == SP_OK) status = ocean_ask(&a[1], bulk, host, 7.0, err);
        for (size_t i = 0; i < OCEAN_ASKED; ++i) {
            for (int c = 0; c < 3; ++c) {
                const double slope = (double)(a[1].u[c][i] - a[0].u[c][i]) / step;
                gradient += slope * slope;
                if (c == axis) sum[i] += (float)slope;
            }
            a[0].at[axis][i] += 0.5 * step;
        }
    }
    double divergence = 0.0;
    for (size_t i = 0; i < OCEAN_ASKED; ++i)
        divergence += (double)sum[i] * (double)sum[i];
    *share = sqrt(divergence / gradient);
    sp_release(host, a);
    return status;
}

sp_status ocean_prove_divergence(sp_check_report *report, sp_error *err)
{
    sp_bulk bulk;
    double share;
    SP_TRY(open_wave(&waves[0], report->host, &bulk, err));
    sp_status status = divergence_of(&bulk, report->host, &share, err);
    sp_bulk_close(&bulk);
    SP_TRY(status);
    sp_at_most(report, "divergence over gradient below a gentle wave of 40 m", share, 0.02,
               "between layers a wave of the peak has none, and this one is almost as long");
    const sp_ocean_def def = ocean_case_def();
    SP_TRY(sp_ocean_bulk(&def, 1, report->host, &bulk, err));
    status = divergence_of(&bulk, report->host, &share, err);
    sp_bulk_close(&bulk);
    SP_TRY(status);
    sp_at_most(
        report, "the same below a sea, wind 10 m/s", share, 0.3,
        "the same for shorter waves, and their slope, for stretching is not free of divergence");
    return SP_OK;
}
