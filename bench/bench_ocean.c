// SPDX-License-Identifier: Apache-2.0
/// Speed of the procedural ocean: milliseconds for all fields of a moment, and nanoseconds a point for distance, normal
/// and velocity at points within 2 m below the surface of a square of 20 m, as foam and bubbles ask.
#include "bench/rounds.h"
#include "ocean/ocean.h"

#include <inttypes.h>

enum { RUNS = 5, POINTS = 200000 };

static const struct {
    const char *name;
    int grid, cascades;
} cases[] = {
    {"sea_256", 256, 1},
    {"sea_512", 512, 1},
    {"sea_1024", 1024, 1},
    {"cascades_256", 256, 3},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *name_of(size_t k)
{
    return k < CASES ? cases[k].name : NULL;
}

/// Points in the caller's memory, and what is asked there.
typedef struct points {
    double *at[3];
    float *values[7]; ///< phi, gradient, velocity
    sp_bulk_query query;
} points;

static sp_status open_points(points *p, const sp_host *host, sp_error *err)
{
    bool good = true;
    *p = (points){0};
    for (int a = 0; a < 3; ++a) {
        p->at[a] = sp_allocate(host, POINTS, sizeof *p->at[a]);
        good = good && p->at[a];
    }
    for (int v = 0; v < 7; ++v) {
        p->values[v] = sp_allocate(host, POINTS, sizeof *p->values[v]);
        good = good && p->values[v];
    }
    if (!good) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory for points");
    for (uint32_t i = 0; i < POINTS; ++i) {
        const sp_random4 r = sp_random(1, 1, i, 0, 0);
        p->at[0][i] = 20.0 * (double)sp_unit(r.x[0]);
        p->at[1][i] = -2.0 * (double)sp_unit(r.x[1]);
        p->at[2][i] = 20.0 * (double)sp_unit(r.x[2]);
    }
    p->query = (sp_bulk_query){.n = POINTS,
                               .x = p->at[0],
                               .y = p->at[1],
                               .z = p->at[2],
                               .phi = p->values[0],
                               .gradient = {p->values[1], p->values[2], p->values[3]},
                               .u = {p->values[4], p->values[5], p->values[6]}};
    return SP_OK;
}

static void close_points(points *p, const sp_host *host)
{
    for (int a = 0; a < 3; ++a)
        sp_release(host, p->at[a]);
    for (int v = 0; v < 7; ++v)
        sp_release(host, p->values[v]);
}

/// Best times of a moment and of a query, s.
static sp_status measure(const sp_bulk *sea, const sp_host *host, const points *p, double best[2],
                         sp_error *err)
{
    best[0] = best[1] = HUGE_VAL;
    for (int n = 0; n <= RUNS; ++n) {
        const double t = 10.0 + n / 24.0, begun = sp_now(host);
        SP_TRY(sea->prepare(sea->user, t, err));
        const double made = sp_now(host);
        SP_TRY(sp_bulk_sample(sea, host, t, &p->query, err));
        if (n > 0) best[0] = fmin(best[0], made - begun);
        if (n > 0) best[1] = fmin(best[1], sp_now(host) - made);
    }
    return SP_OK;
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "ocean: all fields of a moment, and distance, normal and velocity at a point\n"
            "%-13s %7s %6s %9s %9s %9s %8s  %s\n",
            "case", "threads", "grid", "cascades", "ms/step", "ns/point", "MB", "hash");
}

static void print(const sp_bench_context *context, size_t k, const sp_host *host,
                  const double best[2], size_t bytes, uint64_t hash)
{
    fprintf(context->out,
            context->json
                ? "{\"bench\":\"ocean\",\"case\":\"%s\",\"threads\":%d,\"grid\":%d,\"cascades\":%d,"
                  "\"ms_per_step\":%.2f,\"ns_per_point\":%.1f,\"mb\":%.1f,\"hash\":\"%016" PRIx64
                  "\"}\n"
                : "%-13s %7d %6d %9d %9.2f %9.1f %8.1f  %016" PRIx64 "\n",
            cases[k].name, host->threads, cases[k].grid, cases[k].cascades, 1e3 * best[0],
            1e9 * best[1] / POINTS, 1e-6 * (double)bytes, hash);
}

static sp_status run_case(const sp_bench_context *context, size_t k, const sp_host *host,
                          double *one_s, sp_error *err)
{
    sp_ocean_def def;
    sp_bulk sea = {0};
    points p;
    double best[2];
    sp_keys_defaults(&sp_ocean_keys, &def);
    def.grid = cases[k].grid;
    def.cascades = cases[k].cascades;
    sp_status status = open_points(&p, host, err);
    if (status == SP_OK) status = sp_ocean_bulk(&def, 1, host, &sea, err);
    if (status == SP_OK) status = measure(&sea, host, &p, best, err);
    if (status == SP_OK) {
        uint64_t hash = 0;
        for (int v = 0; v < 7; ++v)
            hash = sp_hash(hash, p.values[v], POINTS * sizeof *p.values[v]);
        if (host->threads == 1) *one_s = best[0];
        print(context, k, host, best, sp_ocean_bytes(&def), hash);
    }
    sp_bulk_close(&sea);
    close_points(&p, host);
    return status;
}

static int run(const sp_bench_context *context)
{
    static const sp_bench_list list = {
        .count = CASES, .name = name_of, .header = print_header, .run = run_case};
    return sp_bench_rounds(context, &list);
}

const sp_bench sp_bench_ocean = {"ocean", name_of, run};
