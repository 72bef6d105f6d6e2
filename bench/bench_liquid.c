// SPDX-License-Identifier: Apache-2.0
/// Speed of bulk water, for whole frames with the cache written:
///
///   dam_break             the built-in scene's laptop size, 24 frames from the impact on the pillar
///   block_96, block_128   a block falls into a pool with an obstacle, in a closed box of 2 x 1.5 x
///                         1.5 m; 96 or 128 voxels along its longest side, 24 frames at 24 a
///                         second, cfl 4, narrow band 3
///   block_96_full         the same without a narrow band: all water is made of particles
///
/// ns per particle-step and us per voxel-substep are wall time over sums of all substeps.
#include "bench/rounds.h"
#include "cache/cache.h"
#include "liquid/liquid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct water_case {
    const char *name;
    int voxels; ///< along the longest side
    int skipped, frames;
    float cfl;
    int band;
    bool dam;
} water_case;

static const water_case cases[] = {
    {"dam_break", 96, 12, 24, 2.0f, 4, true},
    {"block_96", 96, 0, 24, 4.0f, 3, false},
    {"block_96_full", 96, 0, 24, 4.0f, 0, false},
    {"block_128", 128, 0, 24, 4.0f, 3, false},
};

typedef struct result {
    double wall_s, cpu_s; ///< of all counted frames
    double slowest_s;     ///< frame
    double write_s;       ///< of that, writing
    double stage_s[SP_LIQUID_STAGES];
    double substeps, particle_steps, voxel_steps, wet_steps, iterations;
    double one_s; ///< wall seconds of one thread; 0: not known
    sp_liquid_figures figures;
    uint64_t hash;
} result;

/// ---- Scenes ------------------------------------------------------------------------------------

static void set_dam(sp_domain_def *domain, sp_box_def *water, sp_box_def *solid)
{
    *domain = (sp_domain_def){{0}, {1.6f, 0.8f, 0.8f}};
    water[0] = (sp_box_def){{0}, {0.45f, 0.6f, 0.8f}};
    *solid = (sp_box_def){{1.05f, -0.1f, 0.3f}, {1.2f, 0.6f, 0.5f}};
}

static void set_block(sp_domain_def *domain, sp_box_def *water, sp_box_def *solid)
{
    *domain = (sp_domain_def){{0}, {2.0f, 1.5f, 1.5f}};
    water[0] = (sp_box_def){{0}, {2.0f, 0.28f, 1.5f}};
    water[1] = (sp_box_def){{0.15f, 0.65f, 0.35f}, {0.65f, 1.25f, 1.15f}};
    *solid = (sp_box_def){{1.325f, -0.1f, 0.6f}, {1.575f, 0.44f, 0.9f}};
}

static sp_status open_case(const water_case *c, const sp_host *host, liquid **out, sp_error *err)
{
    sp_domain_def domain;
    sp_box_def water[2], solid;
    (c->dam ? set_dam : set_block)(&domain, water, &solid);
    const sp_emitter_def fills[2] = {
        {.name = "first", .mode = SP_EMIT_FILL, .shape.box = &water[0]},
        {.name = "second", .mode = SP_EMIT_FILL, .shape.box = &water[1]}};
    const sp_collider_def obstacle = {.name = "obstacle", .shape.box = &solid, .slip = 1.0f};
    const sp_world_def world = {.gravity = {0.0f, -9.81f, 0.0f},
                                .domain = &domain,
                                .colliders = &obstacle,
                                .collider_count = 1,
                                .emitters = fills,
                                .emitter_count = c->dam ? 1 : 2};
    sp_liquid_def def;
    sp_keys_defaults(&sp_liquid_keys, &def);
    def.voxel = domain.max[0] / (float)c->voxels;
    def.cfl = c->cfl;
    def.narrow_band = c->band;
    if (!c->dam) def.sides.top = SP_LIQUID_WALL;
    void *solver;
    SP_TRY(sp_liquid_solver.open(&(sp_setup){.def = &def, .world = &world, .seed = 1}, host,
                                 &solver, err));
    *out = solver;
    return SP_OK;
}

/// ---- Frames ------------------------------------------------------------------------------------

static void count_step(void *arg, liquid *s)
{
    result *r = arg;
    const sp_liquid_figures f = sp_liquid_last(s);
    ++r->substeps;
    r->iterations += f.iterations;
    r->particle_steps += (double)f.particles;
    r->voxel_steps += (double)f.tiles * SP_TILE_VOXELS;
    r->wet_steps += (double)f.unknowns;
}

static sp_status write_frame(liquid *s, int k, const char *path, const sp_host *host, result *r,
                             sp_error *err)
{
    sp_frame frame = {.frame = (uint64_t)k, .fps = 24.0};
    const double begun = sp_now(host);
    SP_TRY(sp_liquid_solver.publish(s, &frame, err));
    r->hash = frame.hash;
    const sp_status status = sp_frame_file_write(path, &frame, true, host, err);
    r->write_s += sp_now(host) - begun;
    return status;
}

static sp_status run_frames(const water_case *c, liquid *s, const char *path, const sp_host *host,
                            result *r, sp_error *err)
{
    for (int k = 1; k <= c->skipped; ++k)
        SP_TRY(sp_liquid_frame(s, k / 24.0, NULL, NULL, err));
    const sp_profile before = *sp_liquid_profile(s);
    const clock_t cpu = clock();
    for (int k = 1; k <= c->frames; ++k) {
        const double begun = sp_now(host);
        SP_TRY(sp_liquid_frame(s, (c->skipped + k) / 24.0, count_step, r, err));
        SP_TRY(write_frame(s, c->skipped + k, path, host, r, err));
        const double took = sp_now(host) - begun;
        r->wall_s += took;
        r->slowest_s = took > r->slowest_s ? took : r->slowest_s;
    }
    r->cpu_s = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    for (int i = 0; i < SP_LIQUID_STAGES; ++i)
        r->stage_s[i] = sp_liquid_profile(s)->seconds[i] - before.seconds[i];
    r->figures = sp_liquid_look(s);
    return SP_OK;
}

static sp_status measure(const water_case *c, const sp_host *host, result *r, sp_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char path[300];
    liquid *s;
    snprintf(path, sizeof path, "%s/spume_bench_%ld.h5", tmp ? tmp : "/tmp", (long)getpid());
    SP_TRY(open_case(c, host, &s, err));
    const sp_status status = run_frames(c, s, path, host, r, err);
    remove(path);
    sp_liquid_solver.close(s);
    return status;
}

/// ---- Saying it ---------------------------------------------------------------------------------

static void print_json(const sp_bench_context *context, const water_case *c, int threads,
                       const result *r)
{
    fprintf(context->out,
            "{\"bench\":\"liquid\",\"case\":\"%s\",\"threads\":%d,\"frames\":%d,"
            "\"s_per_frame\":%.4f,\"slowest_frame_s\":%.4f,\"write_s_per_frame\":%.4f,"
            "\"cpu_s_per_frame\":%.4f,\"substeps_per_frame\":%.2f,\"iterations_per_solve\":%.2f,"
            "\"particles\":%zu,\"voxels\":%zu,\"unknowns\":%zu,\"us_per_voxel_substep\":%.4f,"
            "\"us_per_unknown_substep\":%.4f,\"bytes\":%zu,\"volume_drift\":%.5f,\"scaling\":%.3f",
            c->name, threads, c->frames, r->wall_s / c->frames, r->slowest_s,
            r->write_s / c->frames, r->cpu_s / c->frames, r->substeps / c->frames,
            r->iterations / r->substeps, r->figures.particles, r->figures.tiles * SP_TILE_VOXELS,
            r->figures.unknowns, 1e6 * r->wall_s / r->voxel_steps, 1e6 * r->wall_s / r->wet_steps,
            r->figures.bytes, r->figures.volume / r->figures.start_volume - 1.0,
            r->one_s > 0.0 ? r->one_s / r->wall_s : 0.0);
    for (int i = 0; i < SP_LIQUID_STAGES; ++i)
        fprintf(context->out, ",\"%s_ns_per_particle\":%.2f,\"%s_ns_per_voxel\":%.2f",
                sp_liquid_stage_name(i), 1e9 * r->stage_s[i] / r->particle_steps,
                sp_liquid_stage_name(i), 1e9 * r->stage_s[i] / r->voxel_steps);
    fprintf(context->out, ",\"hash\":\"%016" PRIx64 "\"}\n", r->hash);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "liquid: whole frames, cache written; then nanoseconds a voxel-substep by stage\n"
            "%-14s %7s %8s %8s %8s %9s %6s %9s %9s %8s %8s %7s  %s\n",
            "case", "threads", "s/frame", "slowest", "CPU s", "substeps", "iter.", "particles",
            "voxels", "us/voxel", "us/wet", "scaling", "hash");
}

static void print_row(const sp_bench_context *context, const water_case *c, int threads,
                      const result *r)
{
    fprintf(context->out,
            "%-14s %7d %8.4f %8.4f %8.4f %9.2f %6.2f %9zu %9zu %8.3f %8.3f %7.2f  %016" PRIx64
            "\n              ",
            c->name, threads, r->wall_s / c->frames, r->slowest_s, r->cpu_s / c->frames,
            r->substeps / c->frames, r->iterations / r->substeps, r->figures.particles,
            r->figures.tiles * SP_TILE_VOXELS, 1e6 * r->wall_s / r->voxel_steps,
            1e6 * r->wall_s / r->wet_steps, r->one_s > 0.0 ? r->one_s / r->wall_s : 0.0, r->hash);
    for (int i = 0; i < SP_LIQUID_STAGES; ++i)
        fprintf(context->out, " %s %.1f", sp_liquid_stage_name(i),
                1e9 * r->stage_s[i] / r->voxel_steps);
    fputc('\n', context->out);
}

static const char *name_of(size_t k)
{
    return k < sizeof cases / sizeof *cases ? cases[k].name : NULL;
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
                                                     .header = print_header,
                                                     .run = run_case});
}

const sp_bench sp_bench_liquid = {"liquid", name_of, run};
