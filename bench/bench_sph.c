// SPDX-License-Identifier: Apache-2.0
/// Speed and accuracy of particle water: a block of n - 1 particles along each side collapses in a
/// closed tank of 2 x 1.5 x 1 m.
///
///   dam_38, dam_54, dam_80              the first steps with exactly three iterations: time alone
///   quality_38, quality_54, quality_80  two seconds with the default tolerance, the impact on the
///                                       far wall included: time, iterations, compression, energy.
///                                       Minutes each, so they run only when --case names them.
///
/// Wall seconds a step are the best of five rounds, CPU seconds are of all threads in that round.
#include "bench/rounds.h"
#include "sph/sph.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };

typedef struct dam {
    const char *name;
    int n;
    double dt; ///< s, fixed
    int steps; ///< a round
    bool quality;
} dam;

static const dam cases[] = {
    {"dam_38", 38, 0.001, 40, false},    {"dam_54", 54, 0.0007, 16, false},
    {"dam_80", 80, 0.0005, 6, false},    {"quality_38", 38, 0.001, 0, true},
    {"quality_54", 54, 0.0007, 0, true}, {"quality_80", 80, 0.0005, 0, true},
};

typedef struct result {
    sp_sph_figures figures;
    double wall_s, cpu_s; ///< a step
    double stage_s[SP_SPH_STAGES];
    double one_s;                   ///< wall seconds a step of one thread, 0: not known
    double steps;                   ///< counted
    double iterations;              ///< a step
    double worst, worst_mean, mean; ///< compression: largest, largest mean, mean of means
    double energy[2];               ///< J, at the start and at the end
    uint64_t hash;
} result;

/// The tank and the block, as in a scene.
static sp_status open_dam(const dam *c, const sp_host *host, sph **out, sp_error *err)
{
    static const sp_box_def tank = {{-1.0f, 0.0f, -0.5f}, {1.0f, 1.5f, 0.5f}},
                            block = {{-1.0f, 0.0f, -0.5f}, {0.0f, 1.0f, 0.5f}};
    const sp_collider_def solid = {.name = "tank", .shape.box = &tank, .inside_out = true};
    const sp_emitter_def fill = {.name = "block", .mode = SP_EMIT_FILL, .shape.box = &block};
    const sp_world_def world = {.gravity = {0.0f, -9.81f, 0.0f},
                                .colliders = &solid,
                                .collider_count = 1,
                                .emitters = &fill,
                                .emitter_count = 1};
    sp_sph_def def;
    sp_keys_defaults(&sp_sph_keys, &def);
    def.spacing = 1.0f / (float)c->n;
    def.dt_mode = SP_SPH_FIXED;
    def.dt = c->dt;
    def.air.enabled = false;
    if (!c->quality) def.min_iterations = def.max_iterations = 3;
    void *solver;
    SP_TRY(sp_sph_solver.open(&(sp_setup){.def = &def, .world = &world, .seed = 1}, host, &solver,
                              err));
    *out = solver;
    return SP_OK;
}

static sp_status take_hash(sph *s, result *r, sp_error *err)
{
    sp_frame frame = {0};
    SP_TRY(sp_sph_solver.publish(s, &frame, err));
    r->hash = frame.hash;
    r->figures = sp_sph_look(s);
    r->iterations = (double)r->figures.total_iterations / (double)r->figures.steps;
    return SP_OK;
}

static sp_status step_and_watch(sph *s, double most, result *r, sp_error *err)
{
    SP_TRY(sp_sph_step(s, most, err));
    const sp_sph_figures f = sp_sph_last(s);
    if (f.compression > r->worst) r->worst = f.compression;
    if (f.compression_mean > r->worst_mean) r->worst_mean = f.compression_mean;
    r->mean += f.compression_mean;
    ++r->steps;
    return SP_OK;
}

static sp_status time_steps(const dam *c, sph *s, const sp_host *host, result *r, sp_error *err)
{
    for (int round = 0; round <= ROUNDS; ++round) {
        const sp_profile before = *sp_sph_profile(s);
        const double begun = sp_now(host);
        const clock_t cpu = clock();
        for (int k = 0; k < (round == 0 ? 1 : c->steps); ++k)
            SP_TRY(step_and_watch(s, HUGE_VAL, r, err));
        const double wall = (sp_now(host) - begun) / c->steps;
        if (round == 0 || (r->wall_s > 0.0 && wall >= r->wall_s)) continue;
        r->wall_s = wall;
        r->cpu_s = (double)(clock() - cpu) / CLOCKS_PER_SEC / c->steps;
        for (int k = 0; k < SP_SPH_STAGES; ++k)
            r->stage_s[k] = (sp_sph_profile(s)->seconds[k] - before.seconds[k]) / c->steps;
    }
    return SP_OK;
}

static sp_status run_two_seconds(sph *s, const sp_host *host, result *r, sp_error *err)
{
    const double begun = sp_now(host);
    const clock_t cpu = clock();
    while (sp_sph_last(s).time < 2.0 - 1e-9)
        SP_TRY(step_and_watch(s, 2.0 - sp_sph_last(s).time, r, err));
    r->wall_s = (sp_now(host) - begun) / r->steps;
    r->cpu_s = (double)(clock() - cpu) / CLOCKS_PER_SEC / r->steps;
    for (int k = 0; k < SP_SPH_STAGES; ++k)
        r->stage_s[k] = sp_sph_profile(s)->seconds[k] / r->steps;
    return SP_OK;
}

static sp_status measure(const dam *c, const sp_host *host, result *r, sp_error *err)
{
    sph *s;
    SP_TRY(open_dam(c, host, &s, err));
    const sp_sph_figures start = sp_sph_look(s);
    r->energy[0] = start.kinetic + start.potential;
    sp_status status =
        c->quality ? run_two_seconds(s, host, r, err) : time_steps(c, s, host, r, err);
    if (status == SP_OK) status = take_hash(s, r, err);
    r->energy[1] = r->figures.kinetic + r->figures.potential;
    r->mean /= r->steps;
    sp_sph_solver.close(s);
    return status;
}

static double searching(const result *r)
{
    return r->stage_s[SP_SPH_STAGE_SORT] + r->stage_s[SP_SPH_STAGE_LISTS];
}

static void print_json(const sp_bench_context *context, const dam *c, int threads, const result *r)
{
    const double n = (double)r->figures.liquid;
    fprintf(context->out,
            "{\"bench\":\"sph\",\"case\":\"%s\",\"threads\":%d,\"particles\":%zu,\"boundary\":%zu,"
            "\"dt_s\":%g,\"steps\":%.0f,\"wall_s_per_step\":%.5f,\"cpu_s_per_step\":%.5f,"
            "\"ns_per_particle_step\":%.1f,\"neighbour_share\":%.3f,"
            "\"lists_particles_per_s\":%.4g,\"particle_iterations_per_s\":%.4g,"
            "\"iterations_per_step\":%.2f,\"bytes_per_particle\":%.1f,\"compression_max\":%.5f,"
            "\"compression_mean_max\":%.6f,\"compression_mean\":%.6f,"
            "\"wall_s_per_simulated_s\":%.2f,\"energy_start_J\":%.2f,\"energy_end_J\":%.2f,"
            "\"clamped\":%" PRIu64 ",\"scaling\":%.3f",
            c->name, threads, r->figures.liquid, r->figures.boundary, c->dt, r->steps, r->wall_s,
            r->cpu_s, 1e9 * r->wall_s / n, searching(r) / r->wall_s, n / searching(r),
            n * r->iterations / r->stage_s[SP_SPH_STAGE_PRESSURE], r->iterations,
            (double)r->figures.bytes / n, r->worst, r->worst_mean, r->mean, r->wall_s / c->dt,
            r->energy[0], r->energy[1], r->figures.clamped,
            r->one_s > 0.0 ? r->one_s / r->wall_s : 0.0);
    for (int k = 0; k < SP_SPH_STAGES; ++k)
        fprintf(context->out, ",\"%s_ns\":%.1f", sp_sph_stage_name(k), 1e9 * r->stage_s[k] / n);
    fprintf(context->out, ",\"hash\":\"%016" PRIx64 "\"}\n", r->hash);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "sph: collapsing block; best of %d rounds, or two seconds of water (quality)\n"
            "%-11s %7s %9s %8s %8s %7s %8s %9s %9s %6s %7s %7s %8s %8s  %s\n",
            ROUNDS, "case", "threads", "particles", "s/step", "CPU s", "scaling", "search",
            "lists/s", "p-iter/s", "iter.", "bytes/p", "max", "mean max", "s/sim.s", "hash");
}

static void print_row(const sp_bench_context *context, const dam *c, int threads, const result *r)
{
    const double n = (double)r->figures.liquid;
    fprintf(context->out,
            "%-11s %7d %9zu %8.4f %8.4f %7.2f %7.1f%% %9.3g %9.3g %6.2f %7.1f %6.2f%% %7.3f%% "
            "%8.1f  %016" PRIx64 "\n",
            c->name, threads, r->figures.liquid, r->wall_s, r->cpu_s,
            r->one_s > 0.0 ? r->one_s / r->wall_s : 0.0, 100.0 * searching(r) / r->wall_s,
            n / searching(r), n * r->iterations / r->stage_s[SP_SPH_STAGE_PRESSURE], r->iterations,
            (double)r->figures.bytes / n, 100.0 * r->worst, 100.0 * r->worst_mean,
            r->wall_s / c->dt, r->hash);
}

static const char *name_of(size_t k)
{
    return k < sizeof cases / sizeof *cases ? cases[k].name : NULL;
}

static bool is_quality(size_t k)
{
    return cases[k].quality;
}

static sp_status run_case(const sp_bench_context *context, size_t k, const sp_host *host,
                          double *one_s, sp_error *err)
{
    result r = {0};
    SP_TRY(measure(&cases[k], host, &r, err));
    if (host->threads == 1) *one_s = r.wall_s;
    r.one_s = *one_s;
    (context->json ? print_json : print_row)(context, &cases[k], host->threads, &r);
    return SP_OK;
}

static int run(const sp_bench_context *context)
{
    return sp_bench_rounds(context, &(sp_bench_list){.count = sizeof cases / sizeof *cases,
                                                     .name = name_of,
                                                     .on_request = is_quality,
                                                     .header = print_header,
                                                     .run = run_case});
}

const sp_bench sp_bench_sph = {"sph", name_of, run};
