// SPDX-License-Identifier: Apache-2.0
/// Speed of the pressure solver, in boxes of n voxels a side:
///
///   flat_N      a tank with a flat surface
///   wavy_N      waves, and a sphere that cuts voxels
///   complex_N   waves, a block, 24 drops and a sheet over a sphere, a torus, a cylinder, a slope
///   clusters_N  waves and a sphere, where some faces conduct 350 times as well as others
///   closed_N    a full box, which is singular
///   guided_N    scattered tiles
///
/// Each is built and solved from 0 to 1e-5 and to 1e-6 of the largest right-hand side. Seconds are
/// the best of several rounds without the first; "CPU" is the sum over all threads, for machines
/// with other load. Bytes come from a model (docs/poisson.md) and are compared with STREAM's triad,
/// measured before and after; the larger value counts. Large boxes run on all threads only, with
/// fewer rounds.
#include "bench/bench.h"
#include "bench/bench_petsc.h"
#include "bench/stream.h"
#include "validate/poisson/cases.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, FEW_ROUNDS = 3 };

typedef struct box {
    const char *name;
    sp_poisson_scene scene;
    int32_t n;
} box;

static const box boxes[] = {
    {"flat_128", SP_POISSON_FLAT, 128},         {"flat_256", SP_POISSON_FLAT, 256},
    {"wavy_64", SP_POISSON_WAVY, 64},           {"wavy_96", SP_POISSON_WAVY, 96},
    {"wavy_128", SP_POISSON_WAVY, 128},         {"wavy_192", SP_POISSON_WAVY, 192},
    {"wavy_256", SP_POISSON_WAVY, 256},         {"wavy_384", SP_POISSON_WAVY, 384},
    {"complex_64", SP_POISSON_COMPLEX, 64},     {"complex_128", SP_POISSON_COMPLEX, 128},
    {"complex_256", SP_POISSON_COMPLEX, 256},   {"clusters_64", SP_POISSON_CLUSTERS, 64},
    {"clusters_128", SP_POISSON_CLUSTERS, 128}, {"clusters_256", SP_POISSON_CLUSTERS, 256},
    {"closed_128", SP_POISSON_CLOSED, 128},     {"guided_128", SP_POISSON_GUIDED, 128},
};

static bool is_large(const box *b)
{
    return b->n > 128;
}

typedef struct result {
    sp_poisson_report report[2]; ///< to 1e-5, to 1e-6
    double build_s, build_cpu_s, solve_s[2], cpu_s[2];
    double memory; ///< bytes the solver holds
    double triad;  ///< bytes a second
    uint64_t hash;
} result;

static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void keep_least(double *least, double seconds)
{
    if (*least == 0.0 || seconds < *least) *least = seconds;
}

static sp_status time_solve(const sp_poisson_case *c, sp_poisson *s, int which, int rounds,
                            float *x, result *r, sp_error *err)
{
    const size_t values = c->tiles.count * SP_TILE_VOXELS;
    for (int round = 0; round < rounds; ++round) {
        memset(x, 0, values * sizeof *x);
        const double begun = sp_now(c->host), begun_cpu = cpu_now();
        SP_TRY(sp_poisson_build(s, &c->system, err));
        const double built = sp_now(c->host), built_cpu = cpu_now();
        SP_TRY(sp_poisson_solve(s, c->b, x, &r->report[which], err));
        const double solve = sp_now(c->host) - built, solve_cpu = cpu_now() - built_cpu;
        if (round == 0) continue; // the first round allocates
        keep_least(&r->build_s, built - begun);
        keep_least(&r->build_cpu_s, built_cpu - begun_cpu);
        keep_least(&r->solve_s[which], solve);
        keep_least(&r->cpu_s[which], solve_cpu);
    }
    r->memory = (double)sp_poisson_bytes(s);
    r->hash = sp_hash(0, x, values * sizeof *x);
    return SP_OK;
}

/// Leaves the solution to 1e-6 in x.
static sp_status measure(const sp_poisson_case *c, int rounds, float *x, result *r, sp_error *err)
{
    r->triad = sp_bench_triad(c->host);
    for (int which = 0; which < 2; ++which) {
        sp_poisson_def def = sp_poisson_defaults();
        def.tolerance = which ? 1e-6 : 1e-5;
        sp_poisson *s = NULL;
        SP_TRY(sp_poisson_open(&def, c->host, &s, err));
        const sp_status status = time_solve(c, s, which, rounds, x, r, err);
        sp_poisson_close(s);
        SP_TRY(status);
    }
    const double after = sp_bench_triad(c->host);
    if (after > r->triad) r->triad = after;
    return SP_OK;
}

/// Bytes per second while iterating to 1e-6.
static double rate_of(const result *r)
{
    return r->report[1].bytes_per_iteration * r->report[1].iterations / r->solve_s[1];
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "poisson: from 0 to 1e-5 and 1e-6 of the largest right side; best of %d to %d rounds; "
            "build is apart\n"
            "%-13s %7s %9s %9s %4s %9s %4s %9s %9s %7s %8s %7s %6s  %s\n",
            FEW_ROUNDS - 1, ROUNDS - 1, "case", "threads", "unknowns", "build ns", "it", "ns/voxel",
            "it", "ns/voxel", "s to 1e-6", "CPU s", "B/voxel", "GB/s", "triad", "hash");
}

static void print_row(const sp_bench_context *context, const box *b, int threads, const result *r)
{
    const double n = (double)r->report[0].unknowns;
    fprintf(context->out,
            "%-13s %7d %9.0f %9.1f %4d %9.1f %4d %9.1f %9.4f %7.4f %8.1f %7.2f %5.0f%%  %016" PRIx64
            "\n",
            b->name, threads, n, 1e9 * r->build_s / n, r->report[0].iterations,
            1e9 * r->solve_s[0] / n, r->report[1].iterations, 1e9 * r->solve_s[1] / n,
            r->solve_s[1], r->cpu_s[1], r->report[1].bytes_per_iteration / n, 1e-9 * rate_of(r),
            100.0 * rate_of(r) / r->triad, r->hash);
}

static void print_json(const sp_bench_context *context, const box *b, int threads, const result *r)
{
    const double n = (double)r->report[0].unknowns;
    fprintf(context->out,
            "{\"bench\":\"poisson\",\"case\":\"%s\",\"threads\":%d,\"unknowns\":%.0f,"
            "\"build_ns_per_voxel\":%.2f,\"iterations_1e5\":%d,\"ns_per_voxel_1e5\":%.2f,"
            "\"s_1e5\":%.5f,"
            "\"iterations_1e6\":%d,\"ns_per_voxel_1e6\":%.2f,\"s_1e6\":%.5f,\"cpu_s_1e6\":%.5f,"
            "\"residual_1e6\":%.3g,\"bytes_per_voxel_iteration\":%.1f,\"gb_per_s\":%.2f,"
            "\"triad_gb_per_s\":%.2f,\"share_of_triad\":%.3f,\"memory_bytes_per_voxel\":%.1f,"
            "\"hash\":\"%016" PRIx64 "\"}\n",
            b->name, threads, n, 1e9 * r->build_s / n, r->report[0].iterations,
            1e9 * r->solve_s[0] / n, r->solve_s[0], r->report[1].iterations,
            1e9 * r->solve_s[1] / n, r->solve_s[1], r->cpu_s[1], r->report[1].residual,
            r->report[1].bytes_per_iteration / n, 1e-9 * rate_of(r), 1e-9 * r->triad,
            rate_of(r) / r->triad, r->memory / n, r->hash);
}

/// The same case on this many threads.
static sp_status run_case(const sp_bench_context *context, const box *b, sp_poisson_case *c,
                          float *x, int threads, sp_error *err)
{
    const sp_host host = sp_host_default(threads), *before = c->host;
    result r = {0};
    c->host = &host;
    sp_status status = measure(c, is_large(b) ? FEW_ROUNDS : ROUNDS, x, &r, err);
    if (status == SP_OK) (context->json ? print_json : print_row)(context, b, threads, &r);
    fflush(context->out);
    if (status == SP_OK && threads == 1 && !is_large(b))
        status = sp_bench_petsc(context, b->name, c, x, r.build_cpu_s + r.cpu_s[1], err);
    c->host = before;
    return status;
}

static sp_status run_box(const sp_bench_context *context, const box *b, sp_error *err)
{
    const sp_host host = sp_host_default(0);
    sp_poisson_case c;
    SP_TRY(sp_poisson_case_open(&c, &host, b->scene, b->n, err));
    float *x = sp_tiles_field(&c.tiles, 0.0f);
    sp_status status = x ? SP_OK : sp_fail(err, SP_NO_MEMORY, "no memory for a field of the case");
    const bool both = !context->threads && !is_large(b) && host.threads > 1;
    if (status == SP_OK && both) status = run_case(context, b, &c, x, 1, err);
    if (status == SP_OK)
        status =
            run_case(context, b, &c, x, context->threads ? context->threads : host.threads, err);
    sp_release(&host, x);
    sp_poisson_case_close(&c);
    return status;
}

static const char *name_of(size_t k)
{
    return k < sizeof boxes / sizeof *boxes ? boxes[k].name : NULL;
}

static int run(const sp_bench_context *context)
{
    sp_error err;
    if (!context->json) print_header(context);
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k) {
        const box *b = &boxes[k];
        if (context->filter && !strstr(b->name, context->filter)) continue;
        if (run_box(context, b, &err) == SP_OK) continue;
        fprintf(stderr, "spume: %s\n", err.text);
        return 1;
    }
    return 0;
}

const sp_bench sp_bench_poisson = {"poisson", name_of, run};
