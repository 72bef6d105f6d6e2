// SPDX-License-Identifier: Apache-2.0
/// Speed of guided water: bubbles of 1 to 3 mm in the upper 0.3 m of a swell, as a cache holds it on voxels of 2.5 cm,
/// 8 moments a second; steps of 1/72 s between two of them. Advection is that of the water and of the bulk and asking
/// for the bulk, the solve all from mixing to the new velocity, a bubble's part interpolation, drag and rasterising.
#include "bench/rounds.h"
#include "validate/whitewater/guided.h"

#include <inttypes.h>

enum { STEPS = 6 };
static const double dt = 1.0 / 72.0;

static const struct {
    const char *name;
    size_t count;
    int32_t columns, newton; ///< columns: tiles along a side of the water
} cases[] = {
    {"guided_1e4", 10000, 8, 1},
    {"guided_1e5", 100000, 14, 1},
    {"guided_newton", 100000, 14, 3},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *name_of(size_t k)
{
    return k < CASES ? cases[k].name : NULL;
}

typedef struct result {
    double seconds, stage[SP_BUBBLES_STAGES]; ///< s
    double voxel_steps, voxel_solves, bubble_solves, iterations, solves;
    uint64_t hash;
} result;

static double sum_of(const result *r, const int *stages, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; ++k)
        sum += r->stage[stages[k]];
    return sum;
}

static void print(const sp_bench_context *context, size_t k, const sp_host *host,
                  const guided_case *c, const result *r, double scaling)
{
    static const int solve[] = {SP_BUBBLES_STAGE_FACES, SP_BUBBLES_STAGE_PRESSURE},
                     couple[] = {SP_BUBBLES_STAGE_INTERPOLATE, SP_BUBBLES_STAGE_DRAG,
                                 SP_BUBBLES_STAGE_RASTERISE};
    const double bulk = 1e9 * r->stage[SP_BUBBLES_STAGE_BULK] / r->voxel_steps,
                 advect = bulk + 1e9 * r->stage[SP_BUBBLES_STAGE_ADVECT] / r->voxel_steps;
    fprintf(context->out,
            context->json
                ? "{\"bench\":\"whitewater\",\"case\":\"%s\",\"threads\":%d,\"bubbles\":%zu,"
                  "\"voxels\":%zu,\"s_per_step\":%.4f,\"advect_ns_per_voxel_step\":%.1f,"
                  "\"of_which_bulk_ns\":%.1f,\"solve_ns_per_voxel_newton\":%.1f,"
                  "\"couple_ns_per_bubble_newton\":%.1f,\"iterations\":%.2f,"
                  "\"bytes_per_voxel\":%.0f,\"scaling\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n"
                : "%-13s %7d %8zu %8zu %8.4f %8.1f %7.1f %8.1f %8.1f %6.2f %7.0f %7.2f  %016" PRIx64
                  "\n",
            cases[k].name, host->threads, cases[k].count, c->figures.tiles * (size_t)SP_TILE_VOXELS,
            r->seconds / STEPS, advect, bulk, 1e9 * sum_of(r, solve, 2) / r->voxel_solves,
            1e9 * sum_of(r, couple, 3) / r->bubble_solves, r->iterations / r->solves,
            (double)sp_guided_bytes(c->guided) / (double)(c->figures.tiles * SP_TILE_VOXELS),
            scaling, r->hash);
    fflush(context->out);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "whitewater: guided water, ns a voxel-step, a voxel-Newton and a bubble-Newton\n"
            "%-13s %7s %8s %8s %8s %8s %7s %8s %8s %6s %7s %7s  %s\n",
            "case", "threads", "bubbles", "voxels", "s/step", "advect", "(bulk)", "solve", "couple",
            "iter.", "B/voxel", "scaling", "hash");
}

static sp_status run_steps(guided_case *c, result *r, sp_error *err)
{
    const sp_profile *p = sp_guided_profile(c->guided), before = *p;
    const double begun = sp_now(c->host);
    for (int n = 0; n < STEPS; ++n) {
        SP_TRY(guided_case_run(c, dt, dt, err));
        const double voxels = (double)c->figures.tiles * SP_TILE_VOXELS;
        r->voxel_steps += voxels * c->figures.substeps;
        r->voxel_solves += voxels * c->figures.newton;
        r->bubble_solves += (double)c->p.count * c->figures.newton;
        r->iterations += c->figures.iterations;
        r->solves += c->figures.newton;
    }
    r->seconds = sp_now(c->host) - begun;
    for (int k = 0; k < SP_BUBBLES_STAGES; ++k)
        r->stage[k] = p->seconds[k] - before.seconds[k];
    r->hash = guided_case_hash(c);
    return SP_OK;
}

/// The first step is not counted: it loads the moments.
static sp_status run_case(const sp_bench_context *context, size_t k, const sp_host *host,
                          double *one_s, sp_error *err)
{
    guided_swell s;
    result r = {.seconds = 0.0};
    SP_TRY(guided_swell_open(&s, cases[k].count, cases[k].columns, host, err));
    s.water.fps = 8.0;
    s.water.moments = 2;
    s.c.def.newton = cases[k].newton;
    sp_bulk_close(&s.bulk);
    sp_status status = foam_gridded_bulk(&s.water, host, &s.bulk, err);
    if (status == SP_OK) status = guided_case_again(&s.c, err);
    if (status == SP_OK) status = guided_case_run(&s.c, dt, dt, err);
    if (status == SP_OK) status = run_steps(&s.c, &r, err);
    if (host->threads == 1) *one_s = r.seconds;
    if (status == SP_OK) print(context, k, host, &s.c, &r, *one_s > 0.0 ? *one_s / r.seconds : 0.0);
    guided_swell_close(&s);
    return status;
}

static int run(const sp_bench_context *context)
{
    static const sp_bench_list list = {
        .count = CASES, .name = name_of, .header = print_header, .run = run_case};
    return sp_bench_rounds(context, &list);
}

const sp_bench sp_bench_guided = {"guided", name_of, run};
