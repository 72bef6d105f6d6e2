// SPDX-License-Identifier: Apache-2.0
/// Speed of rendering, on a tank with 20,000 bubbles:
///
///   draft    one draft frame (640x360, 4 samples, depth 24), every ray recorded and sent through
///            Embree again without anything around it. "ratio" is the whole over the replay, in CPU
///            time: the integrator's own share is ratio - 1.
///   spheres  a million spheres: bytes each and seconds to build the tree
///   psnr     seconds until a small picture is within 35 dB of one with 4,096 samples; the
///            reference takes minutes
///
/// CPU seconds are those of the process, because wall time means little on a shared machine.
#include "bench/bench.h"
#include "bench/tank.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// ---- One draft frame, and its rays again -------------------------------------------------------

typedef struct draft {
    double cpu_s, wall_s, replay_cpu_s;
    sp_trace_stats stats;
    uint64_t rays, hash;
} draft;

static const sp_trace_settings draft_settings = {
    .width = 640, .height = 360, .samples = 4, .depth = 24, .split = 1, .clamp = 4.0f, .seed = 1};

/// Renders once; the film is zeroed first so that rounds can be compared.
static sp_status render_once(const sp_tracer *t, const sp_trace_settings *s, sp_trace_film *film,
                             draft *out, const sp_host *host, sp_error *err)
{
    const sp_trace_camera camera = sp_bench_tank_camera();
    const size_t pixels = (size_t)s->width * (size_t)s->height;
    memset(film->color, 0, pixels * sizeof *film->color);
    out->stats = (sp_trace_stats){0};
    const double cpu = cpu_seconds(), wall = sp_now(host);
    SP_TRY(sp_tracer_render(t, &camera, s, film, &out->stats, err));
    out->cpu_s = cpu_seconds() - cpu;
    out->wall_s = sp_now(host) - wall;
    out->hash = sp_hash(0, film->color, pixels * sizeof *film->color);
    return SP_OK;
}

static sp_status measure_draft(const sp_tracer *t, const sp_host *host, sp_trace_film *film,
                               sp_trace_record *record, draft *best, sp_error *err)
{
    draft now;
    sp_trace_settings s = draft_settings;
    s.record = record;
    SP_TRY(render_once(t, &s, film, &now, host, err)); // warms up, and keeps the rays
    *best = now;
    best->cpu_s = best->wall_s = best->replay_cpu_s = 1e30;
    for (int i = 0; i < ROUNDS; ++i) { // interleaved: both see the same neighbours on the machine
        SP_TRY(render_once(t, &draft_settings, film, &now, host, err));
        const double begun = cpu_seconds();
        sp_tracer_replay(t, record, &best->rays);
        best->replay_cpu_s = fmin(best->replay_cpu_s, cpu_seconds() - begun);
        best->cpu_s = fmin(best->cpu_s, now.cpu_s);
        best->wall_s = fmin(best->wall_s, now.wall_s);
    }
    return SP_OK;
}

static void print_draft(const sp_bench_context *context, int threads, const draft *d)
{
    const double path = (double)d->stats.rays, shadow = (double)d->stats.shadow_rays;
    const char *format =
        context->json
            ? "{\"bench\":\"render\",\"case\":\"draft\",\"threads\":%d,\"wall_s\":%.3f,\"cpu_s\":%."
              "3f,"
              "\"replay_cpu_s\":%.3f,\"ratio\":%.3f,\"path_rays\":%.0f,\"shadow_rays\":%.0f,"
              "\"path_rays_per_cpu_second\":%.0f,\"leaks\":%.0f,\"hash\":\"%016" PRIx64 "\"}\n"
            : "draft    %d threads  %.2f s  %.2f CPU s  replay %.2f CPU s  ratio %.2f  %.0f path "
              "rays  "
              "%.0f shadow rays  %.0f path rays/CPU s  %.0f leaks  hash %016" PRIx64 "\n";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // one list of figures, two ways to write it
    fprintf(context->out, format, threads, d->wall_s, d->cpu_s, d->replay_cpu_s,
            d->cpu_s / d->replay_cpu_s, path, shadow, path / d->cpu_s, (double)d->stats.leaks,
            d->hash);
#pragma GCC diagnostic pop
}

static sp_status bench_draft(const sp_bench_context *context, int threads, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_tracer *t;
    SP_TRY(sp_bench_tank(&host, 20000, &t, err));
    sp_trace_film film = {0};
    sp_trace_record *record = NULL;
    draft best;
    sp_status status =
        sp_trace_film_open(&film, &host, draft_settings.width, draft_settings.height, err);
    if (status == SP_OK) status = sp_trace_record_open(&host, &record, err);
    if (status == SP_OK) status = measure_draft(t, &host, &film, record, &best, err);
    if (status == SP_OK) print_draft(context, host.threads, &best);
    sp_trace_record_close(record);
    sp_trace_film_close(&film, &host);
    sp_tracer_close(t);
    return status;
}

/// ---- A million spheres -------------------------------------------------------------------------

static sp_status build_spheres(const sp_host *host, const float (*s)[4], size_t count,
                               double *cpu_s, double *bytes, sp_error *err)
{
    sp_tracer *t;
    SP_TRY(sp_tracer_open(host, &t, err));
    const double begun = cpu_seconds();
    sp_status status = sp_tracer_spheres(t, count, s, NULL, SP_TRACE_BUBBLE, 0, NULL, NULL, err);
    if (status == SP_OK) status = sp_tracer_commit(t, err);
    *cpu_s = cpu_seconds() - begun;
    *bytes = (double)sp_tracer_bytes(t);
    sp_tracer_close(t);
    return status;
}

static sp_status bench_spheres(const sp_bench_context *context, int threads, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    const size_t count = 1000000;
    float(*s)[4] = sp_allocate(&host, count, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "bench render: no memory for %zu spheres", count);
    for (size_t i = 0; i < count; ++i) {
        const sp_random4 r = sp_random(1, 1, i, 0, 0);
        for (int a = 0; a < 3; ++a)
            s[i][a] = sp_unit(r.x[a]);
        s[i][3] = 0.9e-3f + 2.1e-3f * sp_unit(r.x[3]);
    }
    double best = 1e30, bytes = 0.0;
    sp_status status = SP_OK;
    for (int i = 0; i < ROUNDS && status == SP_OK; ++i) {
        double took = 0.0;
        status = build_spheres(&host, (const float(*)[4])s, count, &took, &bytes, err);
        best = fmin(best, took);
    }
    const uint64_t hash = sp_hash(0, s, count * sizeof *s);
    sp_release(&host, s);
    if (status != SP_OK) return status;
    if (context->json)
        fprintf(context->out,
                "{\"bench\":\"render\",\"case\":\"spheres\",\"threads\":%d,\"spheres\":%zu,"
                "\"build_cpu_s\":%.3f,\"bytes_per_sphere\":%.1f,\"hash\":\"%016" PRIx64 "\"}\n",
                host.threads, count, best, bytes / (double)count, hash);
    else
        fprintf(context->out,
                "spheres  %d threads  %zu spheres built in %.2f CPU s, %.1f bytes each  hash "
                "%016" PRIx64 "\n",
                host.threads, count, best, bytes / (double)count, hash);
    return SP_OK;
}

/// ---- Time to 35 dB -----------------------------------------------------------------------------

enum { SMALL_W = 160, SMALL_H = 90, SMALL = SMALL_W * SMALL_H, REFERENCE = 4096, MOST = 1024 };

static double psnr(const unsigned char (*a)[3], const unsigned char (*b)[3])
{
    double sum = 0.0;
    for (int i = 0; i < SMALL; ++i)
        for (int c = 0; c < 3; ++c) {
            const double d = (double)a[i][c] - (double)b[i][c];
            sum += d * d;
        }
    return 10.0 * log10(255.0 * 255.0 * 3.0 * SMALL / fmax(sum, 1e-9));
}

typedef struct looks {
    float mean[SMALL][3];
    unsigned char reference[SMALL][3], now[SMALL][3];
} looks;

static void show(const sp_trace_film *film, int samples, looks *l, unsigned char (*out)[3])
{
    for (int i = 0; i < SMALL; ++i)
        for (int c = 0; c < 3; ++c)
            l->mean[i][c] = film->color[i][c] / (float)samples;
    sp_trace_tone8((const float(*)[3])l->mean, SMALL, 0.0f, SP_TONE_FILMIC, out);
}

/// Adds samples, eight at a time, until the picture is close enough.
static sp_status approach(const sp_tracer *t, sp_trace_film *film, looks *l, double *cpu_s,
                          int *samples, double *db, sp_error *err)
{
    const sp_trace_camera camera = sp_bench_tank_camera();
    sp_trace_settings s = {.width = SMALL_W,
                           .height = SMALL_H,
                           .samples = 8,
                           .depth = 64,
                           .split = 1,
                           .clamp = 6.0f,
                           .seed = 2};
    memset(film->color, 0, SMALL * sizeof *film->color);
    *samples = 0;
    *cpu_s = *db = 0.0;
    while (*samples < MOST && *db < 35.0) {
        s.first_sample = *samples;
        const double begun = cpu_seconds();
        SP_TRY(sp_tracer_render(t, &camera, &s, film, NULL, err));
        *cpu_s += cpu_seconds() - begun;
        *samples += s.samples;
        show(film, *samples, l, l->now);
        *db = psnr((const unsigned char(*)[3])l->now, (const unsigned char(*)[3])l->reference);
    }
    return SP_OK;
}

static sp_status measure_psnr(const sp_bench_context *context, const sp_tracer *t,
                              const sp_host *host, sp_trace_film *film, looks *l, sp_error *err)
{
    const sp_trace_camera camera = sp_bench_tank_camera();
    const sp_trace_settings s = {.width = SMALL_W,
                                 .height = SMALL_H,
                                 .samples = REFERENCE,
                                 .depth = 64,
                                 .split = 1,
                                 .clamp = 6.0f,
                                 .seed = 1};
    SP_TRY(sp_tracer_render(t, &camera, &s, film, NULL, err));
    show(film, REFERENCE, l, l->reference);
    double cpu_s, db;
    int samples;
    SP_TRY(approach(t, film, l, &cpu_s, &samples, &db, err));
    const uint64_t hash = sp_hash(0, l->now, sizeof l->now);
    if (context->json)
        fprintf(
            context->out,
            "{\"bench\":\"render\",\"case\":\"psnr\",\"threads\":%d,\"size\":\"%dx%d\",\"db\":%.2f,"
            "\"samples\":%d,\"cpu_s\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n",
            host->threads, SMALL_W, SMALL_H, db, samples, cpu_s, hash);
    else
        fprintf(
            context->out,
            "psnr     %d threads  %dx%d  %.2f dB after %d samples and %.2f CPU s  hash %016" PRIx64
            "\n",
            host->threads, SMALL_W, SMALL_H, db, samples, cpu_s, hash);
    return SP_OK;
}

static sp_status bench_psnr(const sp_bench_context *context, int threads, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_tracer *t;
    SP_TRY(sp_bench_tank(&host, 20000, &t, err));
    sp_trace_film film = {0};
    looks *l = sp_allocate(&host, 1, sizeof *l);
    sp_status status = l ? sp_trace_film_open(&film, &host, SMALL_W, SMALL_H, err)
                         : sp_fail(err, SP_NO_MEMORY, "bench render: no memory");
    if (status == SP_OK) status = measure_psnr(context, t, &host, &film, l, err);
    sp_trace_film_close(&film, &host);
    sp_release(&host, l);
    sp_tracer_close(t);
    return status;
}

/// ---- All of them -------------------------------------------------------------------------------

static const struct {
    const char *name;
    sp_status (*run)(const sp_bench_context *, int, sp_error *);
    bool single; ///< with one thread as well
} cases[] = {
    {"draft", bench_draft, true}, {"spheres", bench_spheres, false}, {"psnr", bench_psnr, false}};

static const char *name_of(size_t k)
{
    return k < sizeof cases / sizeof *cases ? cases[k].name : NULL;
}

static int run(const sp_bench_context *context)
{
    const int all = sp_host_default(0).threads;
    sp_error err = {0};
    sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && status == SP_OK; ++i) {
        if (context->filter && !strstr(cases[i].name, context->filter)) continue;
        const int threads = context->threads ? context->threads : all;
        if (!context->threads && cases[i].single && all > 1)
            status = cases[i].run(context, 1, &err);
        if (status == SP_OK) status = cases[i].run(context, threads, &err);
        fflush(context->out);
    }
    if (status != SP_OK) fprintf(stderr, "spume: %s\n", err.text);
    return status == SP_OK ? 0 : 1;
}

const sp_bench sp_bench_render = {"render", name_of, run};
