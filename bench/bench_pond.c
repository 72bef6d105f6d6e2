// SPDX-License-Identifier: Apache-2.0
/// Speed of the pond. A frame is sp_pond_step and sp_pond_draw, as a game would call them. The
/// first half of a run warms up and is not counted. Runs on one thread and on all threads
/// alternate, so that a change of load affects both, and the best run of each counts.
///
/// Figures are for the counted half. A bubble step or foam step is one particle over one frame (two
/// particle sub-steps), from the times of the stages that handle it.
///
/// T07 is Thuerey et al. 2007, Table 1. Their frames include drawing, about a third of the time,
/// and ran on one core of 2007, so the ratio to theirs says little about the method.
#include "bench/bench.h"
#include "bench/bench_wasm.h"
#include "pond/pond.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_SETS = 8, FAMILIES = 3 };
typedef enum family { ALONE, BY_PARTICLES, BY_CELLS } family;

typedef struct bench_case {
    const char *name, *scene;
    int runs;
    double t07_fps;            ///< 0: not one of their cases
    int t07_bubbles, t07_foam; ///< their peaks
    family family;             ///< cases of a family grow from one to the next
    const char *set[MAX_SETS]; ///< changes to the scene
} bench_case;

/// The number of nozzles per area, and so the gas fraction, is that of stress_512.
#define PARTICLES(side, nozzles)                                                                   \
    "pond.nx=" #side, "pond.ny=" #side, "pond.nozzle_fields[0].columns=" #nozzles,                 \
        "pond.nozzle_fields[0].rows=" #nozzles, "pond.foam_life=1.5", "frames=150",                \
        "pond.max_bubbles=100000", "pond.max_foam=100000"
/// Half the basin starts at a higher level, so that every cell moves.
#define CELLS(side, half)                                                                          \
    "pond.nx=" #side, "pond.ny=" #side, "pond.dx=0.01", "pond.dam=" #half, "pond.dam_level=0.15",  \
        "frames=60"

static const bench_case cases[] = {
    {"fig7", "pond/fig7", 3, 161.2, 81, 133, ALONE, {0}},
    {"fig8", "pond/fig8", 3, 144.1, 142, 131, ALONE, {0}},
    {"fig9", "pond/fig9", 3, 34.3, 501, 466, ALONE, {0}},
    {"fig10", "pond/fig10", 3, 18.9, 654, 1129, ALONE, {0}},
    {"stress_512", "pond/stress_512", 1, 0, 0, 0, ALONE, {0}},
    {"stress_1024", "pond/stress_1024", 1, 0, 0, 0, ALONE, {0}},
    {"scaling_particles_1k", "pond/stress_512", 3, 0, 0, 0, BY_PARTICLES, {PARTICLES(88, 11)}},
    {"scaling_particles_10k", "pond/stress_512", 3, 0, 0, 0, BY_PARTICLES, {PARTICLES(264, 33)}},
    {"scaling_particles_100k", "pond/stress_512", 1, 0, 0, 0, BY_PARTICLES, {PARTICLES(840, 105)}},
    {"scaling_cells_64", "pond/dam", 3, 0, 0, 0, BY_CELLS, {CELLS(64, 0.32)}},
    {"scaling_cells_128", "pond/dam", 3, 0, 0, 0, BY_CELLS, {CELLS(128, 0.64)}},
    {"scaling_cells_256", "pond/dam", 3, 0, 0, 0, BY_CELLS, {CELLS(256, 1.28)}},
    {"scaling_cells_512", "pond/dam", 3, 0, 0, 0, BY_CELLS, {CELLS(512, 2.56)}},
};

typedef struct result {
    int threads;
    double mean_s, median_s, p99_s;   ///< a frame
    double frames;                    ///< counted
    const char *stage[SP_MAX_STAGES]; ///< names, up to the first NULL
    double stage_s[SP_MAX_STAGES];
    double bubble_steps, foam_steps, cell_substeps;
    uint32_t peak_bubbles, peak_foam;
    double cells;
    size_t bytes;
    uint64_t hash;
    double growth;   ///< factor of the frame time when counts double; 0: not known
    double smallest; ///< ns a particle or cell in the smallest case of the family
} result;

/// ---- One run -----------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Adds `sign` times the stage times so far.
static void add_stages(const sp_pond *pond, result *r, double sign)
{
    double seconds;
    const char *name;
    for (int k = 0; k < SP_MAX_STAGES && (name = sp_pond_stage(pond, k, &seconds)); ++k) {
        r->stage[k] = name;
        r->stage_s[k] += sign * seconds;
    }
}

static void count_frame(const sp_pond_stats *s, result *r)
{
    r->frames += 1.0;
    r->bubble_steps += s->bubbles;
    r->foam_steps += s->foam;
    r->cell_substeps += (double)s->substeps * r->cells;
}

static sp_status run_frames(sp_pond *pond, const sp_scene *scene, const sp_host *host,
                            double *times, result *r, sp_error *err)
{
    const size_t frames = (size_t)scene->common.frames, half = frames / 2;
    double total = 0.0;
    for (size_t k = 0; k < frames; ++k) {
        if (k == half) add_stages(pond, r, -1.0);
        const double begun = sp_now(host);
        SP_TRY(sp_pond_step(pond, (double)(k + 1) / scene->common.fps, err));
        sp_pond_draw(pond);
        const double took = sp_now(host) - begun;
        const sp_pond_stats s = sp_pond_statistics(pond);
        r->peak_bubbles = s.bubbles > r->peak_bubbles ? s.bubbles : r->peak_bubbles;
        r->peak_foam = s.foam > r->peak_foam ? s.foam : r->peak_foam;
        if (k < half) continue;
        times[k - half] = took;
        total += took;
        count_frame(&s, r);
    }
    add_stages(pond, r, 1.0);
    qsort(times, frames - half, sizeof *times, by_value);
    r->median_s = times[(frames - half - 1) / 2];
    r->p99_s = times[(size_t)(0.99 * (double)(frames - half - 1) + 0.5)];
    r->mean_s = total / r->frames;
    r->hash = sp_pond_hash(pond);
    return SP_OK;
}

static sp_status run_once(const sp_scene *scene, int threads, result *r, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_pond_def def = *(const sp_pond_def *)scene->def;
    def.seed = scene->common.seed;
    def.struct_size = sizeof def;
    *r = (result){.threads = host.threads,
                  .cells = (double)def.nx * (double)def.ny,
                  .bytes = sp_pond_bytes(&def)};
    double *times = sp_allocate(&host, (size_t)scene->common.frames, sizeof *times);
    if (!times) return sp_fail(err, SP_NO_MEMORY, "bench pond: no memory for frame times");
    sp_pond *pond = NULL;
    sp_status status = sp_pond_open(&def, &host, &pond, err);
    if (status == SP_OK) status = run_frames(pond, scene, &host, times, r, err);
    sp_pond_close(pond);
    sp_release(&host, times);
    return status;
}

/// ---- What it comes to --------------------------------------------------------------------------

static double stages_s(const result *r, const char *names)
{
    double sum = 0.0;
    for (int k = 0; k < SP_MAX_STAGES && r->stage[k]; ++k)
        if (strstr(names, r->stage[k])) sum += r->stage_s[k];
    return sum;
}

static double ns_each(const result *r, const char *stages, double count)
{
    return count > 0.0 ? 1e9 * stages_s(r, stages) / count : 0.0;
}

static double ns_bubble(const result *r)
{
    return ns_each(r, "emit sort vortex move merge surface", r->bubble_steps);
}
static double ns_foam(const result *r)
{
    return ns_each(r, "foam retire", r->foam_steps);
}
static double ns_cell(const result *r)
{
    return ns_each(r, "water", r->cell_substeps);
}
static double ns_particle(const result *r)
{
    return ns_each(r, "emit sort vortex move merge surface foam retire",
                   r->bubble_steps + r->foam_steps);
}

static double ns_of(family kind, const result *r)
{
    return kind == BY_CELLS ? ns_cell(r) : ns_particle(r);
}

static double count_of(family kind, const result *r)
{
    return kind == BY_CELLS ? r->cells : (r->bubble_steps + r->foam_steps) / r->frames;
}

/// Compares with the previous case of the family. Growth is the factor of the time for a doubling
/// of the count: 2 is linear, 4 is quadratic.
static void compare(family kind, const result *before, result *now)
{
    const bool first = before->frames == 0.0;
    const double each = first ? 1.0 : ns_of(kind, now) / ns_of(kind, before);
    const double count = first ? 2.0 : count_of(kind, now) / count_of(kind, before);
    now->growth = first ? 0.0 : 2.0 * exp2(log2(each) / log2(count));
    now->smallest = first ? ns_of(kind, now) : before->smallest;
}

/// ---- Printing ----------------------------------------------------------------------------------

static void print_json(const sp_bench_context *context, const bench_case *c, const result *r,
                       const result *one)
{
    FILE *out = context->out;
    const double fps = 1.0 / r->mean_s;
    fprintf(out,
            "{\"bench\":\"pond\",\"case\":\"%s\",\"threads\":%d,\"seconds_per_step\":%.4g,"
            "\"mean_frame_us\":%.2f,\"median_frame_us\":%.2f,\"p99_frame_us\":%.2f,\"frames_per_"
            "second\":%.1f",
            c->name, r->threads, r->mean_s, 1e6 * r->mean_s, 1e6 * r->median_s, 1e6 * r->p99_s,
            fps);
    if (one != r) fprintf(out, ",\"speed_over_one_thread\":%.3f", one->mean_s / r->mean_s);
    if (c->t07_fps > 0.0)
        fprintf(out,
                ",\"t07_frames_per_second\":%.1f,\"ratio_to_t07\":%.1f,\"t07_note\":\"T07's frames "
                "include drawing and ran on one core of 2007\",\"share_of_t07_bubbles\":%.3f,"
                "\"share_of_t07_foam\":%.3f",
                c->t07_fps, fps / c->t07_fps, (double)r->peak_bubbles / (double)c->t07_bubbles,
                (double)r->peak_foam / (double)c->t07_foam);
    fprintf(out,
            ",\"peak_bubbles\":%" PRIu32 ",\"peak_foam\":%" PRIu32
            ",\"mean_bubbles\":%.1f,\"mean_foam\":%.1f,\"ns_per_bubble_step\":%.2f,"
            "\"ns_per_foam_step\":%.2f,\"ns_per_particle_step\":%.2f,\"ns_per_cell_substep\":%.3f,"
            "\"substeps_per_frame\":%.2f,\"bytes\":%zu",
            r->peak_bubbles, r->peak_foam, r->bubble_steps / r->frames, r->foam_steps / r->frames,
            ns_bubble(r), ns_foam(r), ns_particle(r), ns_cell(r),
            r->cell_substeps / (r->frames * r->cells), r->bytes);
    if (r->growth > 0.0)
        fprintf(out, ",\"time_growth_when_doubled\":%.3f,\"ns_each_over_smallest_case\":%.3f",
                r->growth, ns_of(c->family, r) / r->smallest);
    fprintf(out, ",\"stage_us\":{");
    for (int k = 0; k < SP_MAX_STAGES && r->stage[k]; ++k)
        fprintf(out, "%s\"%s\":%.2f", k ? "," : "", r->stage[k], 1e6 * r->stage_s[k] / r->frames);
    fprintf(out, "},\"hash\":\"%016" PRIx64 "\"}\n", r->hash);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "pond: a frame is step and draw; second half of the run; ns a particle and frame, ns a "
            "cell and water sub-step\n"
            "T07: Thuerey et al. 2007, whose frames include drawing and ran on one core of 2007\n"
            "%-22s %7s %9s %9s %9s %7s %7s %8s %7s %7s %7s %7s %7s  %s\n",
            "case", "threads", "mean us", "p99 us", "frames/s", "x T07", "bubbles", "foam",
            "ns/bub.", "ns/foam", "ns/cell", "MB", "doubled", "hash");
}

static void print_row(const sp_bench_context *context, const bench_case *c, const result *r)
{
    char ratio[16] = "-", doubled[16] = "-";
    if (c->t07_fps > 0.0) snprintf(ratio, sizeof ratio, "%.1f", 1.0 / (r->mean_s * c->t07_fps));
    if (r->growth > 0.0) snprintf(doubled, sizeof doubled, "%.2f", r->growth);
    fprintf(context->out,
            "%-22s %7d %9.1f %9.1f %9.1f %7s %7" PRIu32 " %8" PRIu32
            " %7.1f %7.1f %7.2f %7.1f %7s  %016" PRIx64 "\n",
            c->name, r->threads, 1e6 * r->mean_s, 1e6 * r->p99_s, 1.0 / r->mean_s, ratio,
            r->peak_bubbles, r->peak_foam, ns_bubble(r), ns_foam(r), ns_cell(r),
            1e-6 * (double)r->bytes, doubled, r->hash);
}

/// Runs the scene under WebAssembly as well, so that its speed can be compared with native in the
/// same run. Without node or the built page a message is printed and the row is skipped.
static sp_status print_wasm(const sp_bench_context *context, const bench_case *c,
                            const sp_scene *scene, const result *native, sp_error *err)
{
    sp_wasm_result wasm;
    const sp_status status = sp_bench_wasm(scene, &wasm, err);
    if (status == SP_UNSUPPORTED) {
        fprintf(stderr, "spume: %s has no WebAssembly row: %s\n", c->name, err->text);
        return SP_OK;
    }
    if (status != SP_OK) return status;
    if (wasm.hash != native->hash)
        return sp_fail(err, SP_DIVERGED,
                       "bench pond: %s ends as %016" PRIx64 " under WebAssembly and as %016" PRIx64
                       " natively; expected the same",
                       c->name, wasm.hash, native->hash);
    const double share = native->mean_s / wasm.mean_s;
    if (context->json)
        fprintf(context->out,
                "{\"bench\":\"pond\",\"case\":\"%s\",\"host\":\"wasm\",\"threads\":1,"
                "\"seconds_per_step\":%.4g,\"mean_frame_us\":%.2f,\"p99_frame_us\":%.2f,\"frames_"
                "per_second\":%.1f,"
                "\"share_of_native\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n",
                c->name, wasm.mean_s, 1e6 * wasm.mean_s, 1e6 * wasm.p99_s, 1.0 / wasm.mean_s, share,
                wasm.hash);
    else
        fprintf(context->out,
                "%-22s %7s %9.1f %9.1f %9.1f  %.0f %% of native on one thread  %016" PRIx64 "\n",
                c->name, "wasm", 1e6 * wasm.mean_s, 1e6 * wasm.p99_s, 1.0 / wasm.mean_s,
                100.0 * share, wasm.hash);
    return SP_OK;
}

/// ---- Cases -------------------------------------------------------------------------------------

/// The thread counts to compare: one and all, or the one that was asked for.
typedef struct rounds {
    int threads[2], count;
} rounds;

static rounds choose_rounds(const sp_bench_context *context)
{
    const int all = sp_host_default(0).threads;
    if (context->threads) return (rounds){{context->threads}, 1};
    return (rounds){{1, all}, all > 1 ? 2 : 1};
}

/// The best run of the case for each number of threads. Every run must end in the same state.
static sp_status measure_case(const bench_case *c, const sp_scene *scene, const rounds *n,
                              result best[2], sp_error *err)
{
    for (int run = 0; run < c->runs; ++run)
        for (int t = 0; t < n->count; ++t) {
            result r;
            SP_TRY(run_once(scene, n->threads[t], &r, err));
            if (run + t > 0 && r.hash != best[0].hash)
                return sp_fail(err, SP_DIVERGED,
                               "bench pond: %s ends as %016" PRIx64
                               " on %d threads and as %016" PRIx64 " on %d; expected the same",
                               c->name, r.hash, r.threads, best[0].hash, best[0].threads);
            if (run == 0 || r.mean_s < best[t].mean_s) best[t] = r;
        }
    return SP_OK;
}

static sp_status run_case(const sp_bench_context *context, const bench_case *c, const rounds *n,
                          result before[2], sp_error *err)
{
    const sp_host host = sp_host_default(1);
    sp_scene_options options = {.struct_size = sizeof(sp_scene_options), .set = c->set};
    while (options.set_count < MAX_SETS && c->set[options.set_count])
        ++options.set_count;
    sp_scene *scene;
    SP_TRY(sp_scene_open(c->scene, &options, &host, &scene, err));
    result best[2];
    sp_status status = measure_case(c, scene, n, best, err);
    for (int t = 0; status == SP_OK && t < n->count; ++t) {
        if (c->family != ALONE) compare(c->family, &before[t], &best[t]);
        before[t] = best[t];
        if (context->json)
            print_json(context, c, &best[t], &best[0]);
        else
            print_row(context, c, &best[t]);
    }
    if (status == SP_OK && c->t07_fps > 0.0 && best[0].threads == 1)
        status = print_wasm(context, c, scene, &best[0], err);
    sp_scene_close(scene);
    fflush(context->out);
    return status;
}

static const char *name_of(size_t k)
{
    return k < sizeof cases / sizeof *cases ? cases[k].name : NULL;
}

static int run(const sp_bench_context *context)
{
    const rounds n = choose_rounds(context);
    result before[FAMILIES][2] = {0};
    sp_error err = {0};
    if (!context->json) print_header(context);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const bench_case *c = &cases[k];
        if (context->filter && !strstr(c->name, context->filter)) continue;
        if (run_case(context, c, &n, before[c->family], &err) == SP_OK) continue;
        fprintf(stderr, "spume: %s\n", err.text);
        return 1;
    }
    return 0;
}

const sp_bench sp_bench_pond = {"pond", name_of, run};
