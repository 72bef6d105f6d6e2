// SPDX-License-Identifier: Apache-2.0
/// Speed of the bubbles solver, for whole frames, frames published but not written:
///
///   column      tiny bubbles rise in a column of 0.4^2 x 2 m (WSB25 figure 13a: 0.1 s on 32 cores)
///   coupling    2.5 million bubbles of 0.5 to 5 mm, 2 million voxels, 2 substeps of 3 iterations
///               (WFS22 table 4, "Coupling": 20 s)
///   cloud_1e4, cloud_1e5, cloud_1e6   the same cloud, smaller: time per bubble should not change
///   hero        one bubble of R = 6.4 voxels, 30 substeps of 3 iterations (WSB25 figure 7)
///   hero_power  the same with the power basis
///
/// ns per particle is for one Newton iteration: interpolation, drag and rasterising together. ns per
/// voxel is for one pressure solve. Shares of the stages are of all time.
#include "bench/rounds.h"
#include "bubbles/bubbles.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct bubbles_case {
    const char *name;
    double count; ///< bubbles of a cloud; 0: see `column` and `hero`
    bool column, power;
    int frames;
    double fps;
    double paper_s; ///< a frame, in the paper; 0: not given
} bubbles_case;

static const bubbles_case cases[] = {
    {"column", 0, true, false, 24, 24, 0.1},      {"cloud_1e4", 1e4, false, false, 4, 24, 0},
    {"cloud_1e5", 1e5, false, false, 3, 24, 0},   {"cloud_1e6", 1e6, false, false, 2, 24, 0},
    {"coupling", 2.5e6, false, false, 2, 24, 20}, {"hero", 0, false, false, 4, 48, 0},
    {"hero_power", 0, false, true, 2, 48, 0},
};

typedef struct result {
    double wall_s; ///< of all counted frames
    double stage_s[SP_BUBBLES_STAGES];
    double particle_iterations, particle_steps, voxel_solves, voxel_steps, iterations, solves;
    double substeps;
    double one_s; ///< wall seconds of one thread; 0: not known
    sp_bubbles_figures figures;
    uint64_t hash;
} result;

/// ---- Scenes ------------------------------------------------------------------------------------

typedef struct scene {
    sp_bubbles_def def;
    sp_bubbles_emitter_def emitter;
    sp_domain_def domain;
    sp_box_def box;
    sp_sphere_def ball;
    sp_world_def world;
} scene;

static void set_sizes(scene *s)
{
    s->emitter.sizes = SP_BUBBLES_GIVEN;
    s->emitter.radius_min = 0.0005f;
    s->emitter.radius_max = 0.005f;
    s->emitter.radius_power = 3.0f;
}

static void set_column(scene *s)
{
    s->def.voxel = 0.02f;
    s->def.substeps = s->def.newton = 2;
    s->domain = (sp_domain_def){{-0.4f, 0.0f, -0.4f}, {0.4f, 2.0f, 0.4f}};
    s->box = (sp_box_def){{-0.2f, 0.04f, -0.2f}, {0.2f, 1.9f, 0.2f}};
    set_sizes(s);
    s->emitter.fraction = 0.002f;
}

/// A cube of bubbles, 0.8 voxels from one to the next, at most 2.4 % of the volume.
static void set_cloud(scene *s, double count)
{
    const float spacing = 0.7958f, h = 0.01f, edge = spacing * h * (float)cbrt(count);
    s->def.voxel = h;
    s->def.substeps = 2;
    s->def.newton = 3;
    s->def.newton_tolerance = 0.0f;
    s->def.padding = 1;
    s->domain = (sp_domain_def){{-0.2f, -0.2f, -0.2f}, {edge + 0.2f, edge + 1.0f, edge + 0.2f}};
    s->box = (sp_box_def){{0.0f, 0.0f, 0.0f}, {edge, edge, edge}};
    set_sizes(s);
    s->emitter.spacing = spacing;
    s->emitter.jitter = 1.0f;
}

static void set_hero(scene *s, bool power)
{
    s->def.voxel = 0.00125f;
    s->def.substeps = 30;
    s->def.substeps_max = 60;
    s->def.newton = 3;
    s->def.density = 10.0f;
    s->def.tension.coefficient = 0.0072f;
    s->domain = (sp_domain_def){{-0.05f, 0.0f, -0.05f}, {0.05f, 0.3f, 0.05f}};
    s->ball = (sp_sphere_def){{0.0f, 0.02f, 0.0f}, 0.008f};
    s->emitter.shape = (sp_shape_def){.sphere = &s->ball};
    if (power) {
        s->def.basis = SP_BUBBLES_POWER;
        s->emitter.sizes = SP_BUBBLES_FILL;
    }
}

static void set_scene(scene *s, const bubbles_case *c)
{
    *s = (scene){.world = {.gravity = {0.0f, -9.81f, 0.0f}}};
    sp_keys_defaults(&sp_bubbles_keys, &s->def);
    sp_keys_defaults(&sp_bubbles_emitter_keys, &s->emitter);
    s->emitter.shape = (sp_shape_def){.box = &s->box};
    s->world.domain = &s->domain;
    s->def.emitters = &s->emitter;
    s->def.emitter_count = 1;
    if (c->column)
        set_column(s);
    else if (c->count > 0.0)
        set_cloud(s, c->count);
    else
        set_hero(s, c->power);
}

/// ---- Frames ------------------------------------------------------------------------------------

static void count_substep(void *arg, const bubbles *s)
{
    result *r = arg;
    const sp_bubbles_figures f = sp_bubbles_last(s);
    const double voxels = (double)f.tiles * SP_BUBBLES_TILE_VOXELS;
    ++r->substeps;
    r->particle_steps += (double)f.particles;
    r->particle_iterations += (double)f.particles * f.newton;
    r->voxel_steps += voxels;
    r->voxel_solves += voxels * f.newton;
}

static sp_status run_frames(const bubbles_case *c, void *solver, const sp_host *host, result *r,
                            sp_error *err)
{
    bubbles *s = solver;
    SP_TRY(sp_bubbles_frame(s, 1.0 / c->fps, NULL, NULL, err)); // memory grows in the first one
    const sp_profile before = *sp_bubbles_profile(s);
    const sp_bubbles_figures start = sp_bubbles_last(s);
    for (int k = 2; k <= c->frames + 1; ++k) {
        sp_frame frame = {.frame = (uint64_t)k, .fps = c->fps};
        const double begun = sp_now(host);
        SP_TRY(sp_bubbles_frame(s, k / c->fps, count_substep, r, err));
        SP_TRY(sp_bubbles_solver.publish(s, &frame, err));
        r->wall_s += sp_now(host) - begun;
        r->hash = frame.hash;
    }
    for (int i = 0; i < SP_BUBBLES_STAGES; ++i)
        r->stage_s[i] = sp_bubbles_profile(s)->seconds[i] - before.seconds[i];
    r->figures = sp_bubbles_look(s);
    r->iterations = (double)(r->figures.total_iterations - start.total_iterations);
    r->solves = (double)(r->figures.solves - start.solves);
    return SP_OK;
}

static sp_status measure(const bubbles_case *c, const sp_host *host, result *r, sp_error *err)
{
    scene s;
    void *solver;
    set_scene(&s, c);
    const sp_setup setup = {
        .def = &s.def, .world = &s.world, .seed = 1, .frame_seconds = 1.0 / c->fps};
    SP_TRY(sp_bubbles_solver.open(&setup, host, &solver, err));
    const sp_status status = run_frames(c, solver, host, r, err);
    sp_bubbles_solver.close(solver);
    return status;
}

/// ---- Printing ----------------------------------------------------------------------------------

/// ns a particle and Newton iteration: interpolation, drag, rasterising.
static double per_particle(const result *r)
{
    const double *t = r->stage_s;
    return 1e9 *
           (t[SP_BUBBLES_STAGE_INTERPOLATE] + t[SP_BUBBLES_STAGE_DRAG] +
            t[SP_BUBBLES_STAGE_RASTERISE]) /
           r->particle_iterations;
}

static double per_voxel_solve(const result *r)
{
    return 1e9 * r->stage_s[SP_BUBBLES_STAGE_PRESSURE] / r->voxel_solves;
}

static void print_json(const sp_bench_context *context, const bubbles_case *c, int threads,
                       const result *r)
{
    fprintf(
        context->out,
        "{\"bench\":\"bubbles\",\"case\":\"%s\",\"threads\":%d,\"frames\":%d,\"s_per_frame\":%.4f,"
        "\"substeps_per_frame\":%.2f,\"particles\":%zu,\"voxels\":%zu,"
        "\"ns_per_particle_iteration\":%.2f,\"ns_per_voxel_solve\":%.2f,"
        "\"iterations_per_solve\":%.2f,\"bytes\":%zu,\"scaling\":%.3f",
        c->name, threads, c->frames, r->wall_s / c->frames, r->substeps / c->frames,
        r->figures.particles, r->figures.tiles * SP_BUBBLES_TILE_VOXELS, per_particle(r),
        per_voxel_solve(r), r->iterations / r->solves, r->figures.bytes,
        r->one_s > 0.0 ? r->one_s / r->wall_s : 0.0);
    if (c->paper_s > 0.0) fprintf(context->out, ",\"paper_s_per_frame\":%g", c->paper_s);
    for (int i = 0; i < SP_BUBBLES_STAGES; ++i)
        fprintf(context->out,
                ",\"%s_share\":%.4f,\"%s_ns_per_particle\":%.2f,\"%s_ns_per_voxel\":%.2f",
                sp_bubbles_stage_name(i), r->stage_s[i] / r->wall_s, sp_bubbles_stage_name(i),
                1e9 * r->stage_s[i] / r->particle_steps, sp_bubbles_stage_name(i),
                1e9 * r->stage_s[i] / r->voxel_steps);
    fprintf(context->out, ",\"hash\":\"%016" PRIx64 "\"}\n", r->hash);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "bubbles: whole frames; then the share of each stage in percent\n"
            "%-12s %7s %8s %8s %9s %9s %9s %9s %8s %6s %7s  %s\n",
            "case", "threads", "s/frame", "paper", "substeps", "particles", "voxels", "ns/part.",
            "ns/voxel", "iter.", "scaling", "hash");
}

static void print_row(const sp_bench_context *context, const bubbles_case *c, int threads,
                      const result *r)
{
    char paper[16] = "-";
    if (c->paper_s > 0.0) snprintf(paper, sizeof paper, "%g", c->paper_s);
    fprintf(context->out,
            "%-12s %7d %8.4f %8s %9.2f %9zu %9zu %9.1f %8.1f %6.2f %7.2f  %016" PRIx64
            "\n            ",
            c->name, threads, r->wall_s / c->frames, paper, r->substeps / c->frames,
            r->figures.particles, r->figures.tiles * SP_BUBBLES_TILE_VOXELS, per_particle(r),
            per_voxel_solve(r), r->iterations / r->solves,
            r->one_s > 0.0 ? r->one_s / r->wall_s : 0.0, r->hash);
    for (int i = 0; i < SP_BUBBLES_STAGES; ++i)
        if (r->stage_s[i] > 0.001 * r->wall_s)
            fprintf(context->out, " %s %.1f", sp_bubbles_stage_name(i),
                    100.0 * r->stage_s[i] / r->wall_s);
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

const sp_bench sp_bench_bubbles = {"bubbles", name_of, run};
