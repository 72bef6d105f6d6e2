// SPDX-License-Identifier: Apache-2.0
/// Speed of emission: water with dents that falls and speeds up, 24 moments a second, three steps a moment. Times of
/// a moment are given by voxel near the surface, those of a step by new particle.
#include "bench/bench_emission.h"

#include "validate/whitewater/emission_case.h"

#include <inttypes.h>

enum { MEASURED = 4, STEPS = 3 };

static const struct {
    const char *name;
    double acceleration; ///< m/s2; decides how many voxels let air in
} cases[] = {
    {"emit_none", 0.5},
    {"emit_some", 8.0},
    {"emit_all", 50.0},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *name_of(size_t k)
{
    return k < CASES ? cases[k].name : NULL;
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "whitewater: emission, ns a voxel near the surface and moment, and a new particle\n"
            "%-10s %7s %9s %9s %9s %8s %8s %8s %8s %7s  %s\n",
            "case", "threads", "near", "emitting", "particles", "aerate", "scan", "fill", "let in",
            "scaling", "hash");
}

static void print(const sp_bench_context *context, size_t k, emission_case *c, double scaling)
{
    const whitewater_emission *e = c->emission;
    const double *seconds = e->profile.seconds, near = (double)e->held.near * MEASURED,
                 particles = (double)c->set[WHITEWATER_BUBBLES].set.count;
    fprintf(context->out,
            context->json
                ? "{\"bench\":\"whitewater\",\"case\":\"%s\",\"threads\":%d,\"voxels\":%" PRIu64
                  ",\"emitting\":%" PRIu64 ",\"particles\":%.0f,\"aerate_ns_per_voxel\":%.2f,"
                  "\"scan_ns_per_voxel\":%.2f,\"fill_ns_per_voxel\":%.2f,\"ns_per_new_particle\":%."
                  "1f,\"scaling\":%.3f,"
                  "\"hash\":\"%016" PRIx64 "\"}\n"
                : "%-10s %7d %9" PRIu64 " %9" PRIu64
                  " %9.0f %8.2f %8.2f %8.2f %8.1f %7.2f  %016" PRIx64 "\n",
            cases[k].name, c->host->threads, e->held.near, e->held.count, particles,
            1e9 * seconds[EMISSION_AERATE] / near, 1e9 * seconds[EMISSION_SCAN] / near,
            1e9 * seconds[EMISSION_FILL] / near,
            particles > 0.0 ? 1e9 * seconds[EMISSION_LET_IN] / particles : 0.0, scaling,
            emission_case_hash(c));
    fflush(context->out);
}

/// The first moment is not counted: it has no aeration.
static sp_status run_steps(emission_case *c, double *seconds, sp_error *err)
{
    const double dt = 1.0 / (24.0 * STEPS);
    double *times = c->emission->profile.seconds;
    SP_TRY(emission_case_step(c, dt, err));
    for (int n = 0; n < EMISSION_STAGES; ++n)
        times[n] = 0.0;
    for (int k = 1; k < STEPS * (MEASURED + 1); ++k)
        SP_TRY(emission_case_step(c, dt, err));
    *seconds = 0.0; // without the bulk's time to load a moment
    for (int n = 0; n < EMISSION_STAGES; ++n)
        *seconds += times[n];
    return SP_OK;
}

static sp_status run_case(const sp_bench_context *context, size_t k, const sp_host *host,
                          double *one_s, sp_error *err)
{
    emission_water water = {.kind = EMISSION_DENTS,
                            .voxel = 0.02f,
                            .half = 8,
                            .deep = 2,
                            .radius = 0.16,
                            .acceleration = {0.0, -cases[k].acceleration, 0.0}};
    emission_case c;
    sp_bulk bulk;
    double seconds;
    emission_water_times(&water, 24.0, MEASURED + 3);
    SP_TRY(emission_water_bulk(&water, host, &bulk, err));
    emission_case_clear(&c, &bulk, host);
    sp_status status = emission_case_begin(&c, err);
    if (status == SP_OK) status = run_steps(&c, &seconds, err);
    if (status == SP_OK) {
        if (host->threads == 1) *one_s = seconds;
        print(context, k, &c, *one_s > 0.0 ? *one_s / seconds : 0.0);
    }
    emission_case_close(&c);
    sp_bulk_close(&bulk);
    return status;
}

const sp_bench_list sp_bench_emission = {
    .count = CASES, .name = name_of, .header = print_header, .run = run_case};
