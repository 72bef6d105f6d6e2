// SPDX-License-Identifier: Apache-2.0
/// Proofs about pictures: reproducibility, motion blur, focus, and the samples.
#include "validate/render/proofs.h"

#if defined(SPUME_WITH_EMBREE)

enum { WIDE = 48, HIGH = 32 };

static sp_status build_small(sp_tracer *t, sp_error *err)
{
    static const float low[3] = {-0.2f, 0, -0.12f}, high[3] = {0.2f, 0.2f, 0.12f};
    static const float in0[3] = {-0.15f, 0.02f, -0.1f}, in1[3] = {0.15f, 0.21f, 0.1f};
    static const float f0[3] = {-2, -0.1f, -2}, f1[3] = {2, -0.01f, 2};
    const int floor_of = sp_tracer_material(
        t, &(sp_trace_material){.color = {0.5f, 0.5f, 0.5f}, .pattern = 1, .pattern_size = 0.1f});
    if (floor_of < 0) return sp_fail(err, SP_NO_MEMORY, "validate: no memory");
    SP_TRY(prove_add_box(t, f0, f1, SP_TRACE_OPAQUE, floor_of, err));
    SP_TRY(prove_add_box(t, low, high, SP_TRACE_WATER, 0, err));
    SP_TRY(prove_add_crowd(t, 300, in0, in1, 2e-3f, 1e-2f, SP_TRACE_BUBBLE, err));
    SP_TRY(prove_add_crowd(t, 200, in0, in1, 2e-3f, 1e-2f, SP_TRACE_FOAM, err));
    SP_TRY(sp_tracer_lights(t,
                            &(sp_trace_lights){.dome = SP_DOME_SKY,
                                               .dome_scale = 1.0f,
                                               .sun_elevation = 38.0f,
                                               .sun_azimuth = 220.0f,
                                               .sun_strength = 1.0f},
                            err));
    return sp_tracer_commit(t, err);
}

/// Hash of a picture made with `threads` threads, its samples split into `parts` calls.
static sp_status picture_hash(int threads, int parts, uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_tracer *t;
    sp_trace_film film = {0};
    SP_TRY(sp_tracer_open(&host, &t, err));
    sp_status status = build_small(t, err);
    if (status == SP_OK) status = sp_trace_film_open(&film, &host, WIDE, HIGH, err);
    const sp_trace_camera camera = prove_camera(0.3f, 0.3f, 0.9f, 0, 0.1f, 0, 30.0f);
    for (int i = 0; i < parts && status == SP_OK; ++i) {
        const sp_trace_settings s = {.width = WIDE,
                                     .height = HIGH,
                                     .samples = 16 / parts,
                                     .first_sample = i * 16 / parts,
                                     .depth = 24,
                                     .split = 1,
                                     .clamp = 6.0f,
                                     .seed = 1};
        status = sp_tracer_render(t, &camera, &s, &film, NULL, err);
    }
    if (status == SP_OK) {
        *hash = sp_hash(0, film.color, (size_t)WIDE * HIGH * sizeof *film.color);
        *hash = sp_hash(*hash, film.normal, (size_t)WIDE * HIGH * sizeof *film.normal);
    }
    sp_trace_film_close(&film, &host);
    sp_tracer_close(t);
    return status;
}

sp_status prove_same(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *what;
        int threads, parts;
    } rows[] = {{"one thread, again", 1, 1},
                {"two threads", 2, 1},
                {"three threads", 3, 1},
                {"five threads", 5, 1},
                {"samples 0-7, then 8-15", 2, 2}};
    uint64_t first;
    SP_TRY(picture_hash(1, 1, &first, err));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        uint64_t hash;
        SP_TRY(picture_hash(rows[i].threads, rows[i].parts, &hash, err));
        sp_exact(report, rows[i].what, hash != first, 0.0,
                 "1 where a byte differs from one thread at once");
    }
    return SP_OK;
}

/// ---- Motion ------------------------------------------------------------------------------------

/// Integral from -infinity to x of the disc's chord, 2 sqrt(1 - x^2).
static double chord_area(double x)
{
    if (x <= -1.0) return 0.0;
    if (x >= 1.0) return SP_PI_D;
    return x * sqrt(1.0 - x * x) + asin(x) + SP_PI_D / 2.0;
}

/// Coverage of a column at x by a disc of radius 1 whose centre moves from -1 to 1, in units of
/// length.
static double smeared(double x)
{
    return 0.5 * (chord_area(x + 1.0) - chord_area(x - 1.0));
}

/// The same through the pixel's tent filter of half width w, by numerical integration.
static double smeared_through_tent(double x, double w)
{
    enum { N = 200 };
    double sum = 0.0, weights = 0.0;
    for (int i = 0; i < N; ++i) {
        const double u = 2.0 * ((double)i + 0.5) / N - 1.0, k = 1.0 - fabs(u);
        sum += k * smeared(x + u * w);
        weights += k;
    }
    return sum / weights;
}

static sp_status move_disc(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    enum { SIDE = 48 };
    static const float from[1][4] = {{-1, 0, 0, 1}}, to[1][4] = {{1, 0, 0, 1}};
    const int white = sp_tracer_material(t, &(sp_trace_material){.emission = {1, 1, 1}});
    if (white < 0) return sp_fail(err, SP_NO_MEMORY, "validate: no memory");
    SP_TRY(sp_tracer_spheres(t, 1, from, to, SP_TRACE_OPAQUE, white, NULL, NULL, err));
    SP_TRY(sp_tracer_lights(t, &(sp_trace_lights){.dome = SP_DOME_FURNACE}, err));
    SP_TRY(sp_tracer_commit(t, err));
    const double half = 2.5, far = 1000.0; // half width of the view in radii; a large distance
    sp_trace_camera camera =
        prove_camera(0, 0, (float)far, 0, 0, 0, (float)(2.0 * atan(half / far) * 180.0 / SP_PI_D));
    camera.up[0] = camera.up[2] = 0.0f;
    const sp_trace_settings s = {
        .width = SIDE, .height = SIDE, .samples = 512, .depth = 2, .shutter_open = true, .seed = 1};
    prove_picture p;
    SP_TRY(prove_render(t, camera, s, &p, err));
    double worst = 0.0;
    for (int x = 0; x < SIDE; ++x) {
        double column = 0.0;
        for (int y = 0; y < SIDE; ++y)
            column += (double)p.film.alpha[y * SIDE + x];
        const double pixel = 2.0 * half / SIDE, at = ((double)x + 0.5) * pixel - half;
        worst = fmax(worst, fabs(column * pixel - smeared_through_tent(at, pixel)));
    }
    sp_at_most(report, "coverage of a disc that moves its own width, worst column", worst / 1.5708,
               0.01, "box over chord, as a share of the peak pi/2; 512 samples a pixel");
    prove_picture_close(&p);
    return SP_OK;
}

sp_status prove_motion(sp_check_report *report, sp_error *err)
{
    return prove_with_tracer(report, move_disc, err);
}

/// ---- Lens --------------------------------------------------------------------------------------

/// Diameter of the blur of a small sphere at distance z, in metres on the plane of focus. A disc of
/// diameter D has the variance D^2/16 along each axis; the variances of sphere and pixel are
/// subtracted.
static sp_status blur(const sp_host *host, float z, float focus, float lens, double *diameter,
                      sp_error *err)
{
    enum { SIDE = 64 };
    const float r = 2e-3f;
    sp_tracer *t;
    SP_TRY(sp_tracer_open(host, &t, err));
    const int white = sp_tracer_material(t, &(sp_trace_material){.emission = {1, 1, 1}});
    sp_status status = white < 0 ? sp_fail(err, SP_NO_MEMORY, "validate: no memory")
                                 : prove_add_sphere(t, 0, 0, -z, r, SP_TRACE_OPAQUE, white, err);
    if (status == SP_OK)
        status = sp_tracer_lights(t, &(sp_trace_lights){.dome = SP_DOME_FURNACE}, err);
    if (status == SP_OK) status = sp_tracer_commit(t, err);
    const double half = 0.08; // m, half the view on the plane of focus
    sp_trace_camera camera = prove_camera(
        0, 0, 0, 0, 0, -1, (float)(2.0 * atan(half / (double)focus) * 180.0 / SP_PI_D));
    camera.lens = lens;
    camera.focus = focus;
    const sp_trace_settings s = {
        .width = SIDE, .height = SIDE, .samples = 1024, .depth = 2, .seed = 1};
    prove_picture p;
    if (status == SP_OK) status = prove_render(t, camera, s, &p, err);
    if (status == SP_OK) {
        double sum = 0.0, squares = 0.0, pixel = 2.0 * half / SIDE;
        for (int i = 0; i < SIDE * SIDE; ++i) {
            const double x = ((double)(i % SIDE) + 0.5) * pixel - half, a = (double)p.film.alpha[i];
            sum += a;
            squares += a * x * x;
        }
        const double shown = (double)(r * focus / z);
        const double variance = squares / sum - shown * shown / 4.0 - pixel * pixel / 6.0;
        *diameter = 4.0 * sqrt(variance);
        prove_picture_close(&p);
    }
    sp_tracer_close(t);
    return status;
}

sp_status prove_lens(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *what;
        float z;
    } rows[] = {{"blur of a point behind the focus, m", 3.0f},
                {"blur of a point before it, m", 1.4f}};
    const float focus = 2.0f, lens = 0.05f;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        double d;
        SP_TRY(blur(report->host, rows[i].z, focus, lens, &d, err));
        const double expected =
            2.0 * (double)lens * fabs((double)(rows[i].z - focus)) / (double)rows[i].z;
        sp_relative(report, rows[i].what, d, expected, 0.02,
                    "A |z - f| / z on the plane of focus; 2 % for the ball's own "
                    "size and the pixels");
    }
    return SP_OK;
}

/// ---- Samples -----------------------------------------------------------------------------------

/// Star discrepancy of n points: the worst difference between the share of points in a box at the
/// origin and its area, over boxes whose corners are at the points' coordinates (and at 1).
static double star(const trace_pair *p, int n)
{
    double worst = 0.0;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            const float a = i < n ? p[i].a : 1.0f, b = j < n ? p[j].b : 1.0f;
            int open = 0, closed = 0;
            for (int k = 0; k < n; ++k) {
                open += p[k].a < a && p[k].b < b;
                closed += p[k].a <= a && p[k].b <= b;
            }
            const double area = (double)a * (double)b;
            worst = fmax(worst, fmax(area - (double)open / n, (double)closed / n - area));
        }
    return worst;
}

static double mean_star(int n, int sets, bool ours)
{
    trace_pair p[256];
    double sum = 0.0;
    for (int s = 0; s < sets; ++s) {
        const uint32_t key = trace_pixel_key(3, (uint32_t)s);
        for (int i = 0; i < n; ++i) {
            const sp_random4 r = sp_random(9, 1, (uint64_t)(s * 256 + i), 0, 0);
            p[i] = ours ? trace_sample(key, (uint32_t)s % 7, (uint32_t)i)
                        : (trace_pair){sp_unit(r.x[0]), sp_unit(r.x[1])};
        }
        sum += star(p, n);
    }
    return sum / sets;
}

/// Correlation of the pixel means of two seeds, 16 samples each; 1/sqrt(n) is expected by chance.
static double seed_correlation(int n)
{
    double xy = 0.0, xx = 0.0, yy = 0.0;
    for (int i = 0; i < n; ++i) {
        double mean[2] = {0};
        for (int s = 0; s < 2; ++s)
            for (uint32_t k = 0; k < 16; ++k) {
                const trace_pair u =
                    trace_sample(trace_pixel_key((uint64_t)s + 1, (uint32_t)i), 3, k);
                mean[s] +=
                    ((double)u.a * (double)u.b - 0.25) / 16.0; // a smooth function of the pair
            }
        xy += mean[0] * mean[1];
        xx += mean[0] * mean[0];
        yy += mean[1] * mean[1];
    }
    return fabs(xy) / sqrt(xx * yy);
}

sp_status prove_samples(sp_check_report *report, sp_error *err)
{
    (void)err;
    static const struct {
        const char *what;
        int n, sets;
        double most;
    } rows[] = {{"star discrepancy over chance's, 16 samples", 16, 64, 0.8},
                {"star discrepancy over chance's, 64 samples", 64, 16, 0.5},
                {"star discrepancy over chance's, 256 samples", 256, 2, 0.3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        sp_at_most(report, rows[i].what,
                   mean_star(rows[i].n, rows[i].sets, true) /
                       mean_star(rows[i].n, rows[i].sets, false),
                   rows[i].most, "log(n)/n against sqrt(log log n / n): the gap must widen");
    sp_at_most(report, "correlation of two seeds over 4,096 pixels", seed_correlation(4096),
               4.0 / 64.0, "four times chance, 1/sqrt(4096)");
    return SP_OK;
}

#endif
