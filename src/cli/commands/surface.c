// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/options/clip_scene.h"
#include "cli/options/frame_choice.h"
#include "cli/options/scene_change.h"
#include "exchange/exchange.h"

#include <string.h>

typedef enum isolated_as { AS_POINTS, AS_MESH, DROPPED } isolated_as;
typedef enum output_format { TO_OBJ, TO_PLY, TO_VDB } output_format;

typedef struct surface_job {
    const cli_call *call;
    const sp_host *host;
    output_format to;
    const char *set; ///< NULL: what the run has
    char out[4096];
    sp_surface_def def;
    bool choose_isolated; ///< --isolated was given
    isolated_as isolated;
    sp_clip_solids *solids; ///< to clip at; NULL: none
    sp_export_options options;
    cli_frame_range range;
    cli_frames frames;
    size_t triangles; ///< over all frames, for the last line
} surface_job;

static bool read_options(surface_job *job)
{
    static const char *const formats[] = {"obj", "ply", "vdb", NULL};
    static const char *const ways[] = {"points", "mesh", "drop", NULL};
    static const char *const methods[] = {"spheres", "zhu_bridson", "ellipsoids", NULL};
    const cli_call *call = job->call;
    const char *out = cli_value(call, "output");
    int format = 0, way = 0, method = (int)job->def.method;
    if (!cli_given(call, "to"))
        return cli_refuse(call, "surface needs --to, one of obj, ply or vdb");
    if (!cli_word(call, "to", formats, &format)) return false;
    job->to = (output_format)format;
    if (job->to == TO_VDB && sp_export_vdb_missing())
        return cli_refuse(call, "%s", sp_export_vdb_missing());
    if (!cli_word(call, "isolated", ways, &way) || !cli_word(call, "method", methods, &method) ||
        !cli_frame_range_read(call, false, &job->range))
        return false;
    job->set = cli_value(call, "set");
    job->choose_isolated = cli_given(call, "isolated");
    job->isolated = (isolated_as)way;
    job->def.method = (sp_surface_method)method;
    snprintf(job->out, sizeof job->out, out ? "%s" : "%s/surface", out ? out : call->operands[0]);
    return true;
}

/// ---- Isolated particles ------------------------------------------------------------------------

/// Writes the particles with isolated[i] set as a set of their own, <set>_isolated.
static sp_status write_isolated(const surface_job *job, const sp_frame *frame, const sp_set *set,
                                const uint8_t *isolated, size_t count, sp_error *err)
{
    enum { MOST = 48 };
    sp_column columns[MOST];
    char name[128];
    void *copies[MOST] = {0};
    sp_status status = SP_OK;
    if (set->column_count > MOST)
        return sp_fail(err, SP_UNSUPPORTED, "set %s has more than %d columns", set->name, MOST);
    for (size_t c = 0; c < set->column_count && status == SP_OK; ++c) {
        const sp_column *from = &set->columns[c];
        const size_t row = sp_kind_size(from->kind) * (size_t)from->components;
        char *to = copies[c] = sp_allocate(job->host, count, row);
        if (!to) status = sp_fail(err, SP_NO_MEMORY, "no memory for %zu isolated particles", count);
        for (size_t i = 0; to && i < set->count; ++i) {
            if (!isolated[i]) continue;
            memcpy(to, (const char *)from->data + i * row, row);
            to += row;
        }
        columns[c] = *from;
        columns[c].data = copies[c];
    }
    snprintf(name, sizeof name, "%.60s_isolated", set->name);
    const sp_set alone = {name, count, columns, set->column_count};
    sp_frame part = *frame;
    part.sets = &alone;
    part.set_count = 1;
    part.field_count = 0;
    if (status == SP_OK)
        status = (job->to == TO_OBJ   ? sp_export_obj
                  : job->to == TO_PLY ? sp_export_ply
                                      : sp_export_vdb)(job->out, &part, &job->options, err);
    for (size_t c = 0; c < MOST; ++c)
        sp_release(job->host, copies[c]);
    return status;
}

/// ---- A frame -----------------------------------------------------------------------------------

/// Isolated particles as points: the mesh holds the connected ones.
static sp_status mesh_and_points(const surface_job *job, const sp_frame *frame, const sp_set *set,
                                 sp_mesh *mesh, sp_error *err)
{
    uint8_t *isolated = sp_allocate(job->host, set->count, sizeof *isolated);
    if (!isolated)
        return sp_fail(err, SP_NO_MEMORY, "no memory to split %zu particles", set->count);
    sp_status status = sp_surface_make(&job->def, frame, set->name, SP_ISOLATED_DROP, job->solids,
                                       job->host, isolated, mesh, err);
    size_t count = 0;
    for (size_t i = 0; i < set->count; ++i)
        count += isolated[i];
    if (status == SP_OK) status = write_isolated(job, frame, set, isolated, count, err);
    sp_release(job->host, isolated);
    return status;
}

static sp_status mesh_of(const surface_job *job, const sp_frame *frame, const char *name,
                         sp_mesh *mesh, sp_error *err)
{
    const sp_set *set = name ? sp_frame_set(frame, name) : NULL;
    const bool bubbles = set && strcmp(name, "bubbles") == 0;
    const isolated_as way = job->choose_isolated ? job->isolated : bubbles ? AS_POINTS : AS_MESH;
    if (set && way == AS_POINTS) return mesh_and_points(job, frame, set, mesh, err);
    return sp_surface_frame(&job->def, frame, name,
                            way == AS_MESH ? SP_ISOLATED_MESH : SP_ISOLATED_DROP, job->solids,
                            job->host, mesh, err);
}

static sp_status write_mesh(const surface_job *job, const sp_frame *frame, const char *name,
                            const sp_mesh *mesh, sp_error *err)
{
    const sp_export_moment when = {frame->frame, frame->time};
    if (job->to == TO_OBJ) return sp_export_mesh_obj(job->out, name, &when, mesh, err);
    if (job->to == TO_PLY)
        return sp_export_mesh_ply(job->out, name, &when, mesh, &job->options, err);
    return sp_export_mesh_vdb(job->out, name, &when, mesh, frame->voxel / (double)job->def.refine,
                              &job->options, err);
}

static sp_status surface_frames(surface_job *job, sp_error *err)
{
    SP_TRY(sp_cache_dir_make(job->out, err));
    for (size_t k = 0; k < job->frames.count; ++k) {
        const sp_frame *frame;
        sp_mesh mesh;
        SP_TRY(cli_frames_get(&job->frames, k, &frame, err));
        const char *name = sp_surface_source(frame, job->set);
        SP_TRY(mesh_of(job, frame, name ? name : job->set, &mesh, err));
        const sp_status status = write_mesh(job, frame, name, &mesh, err);
        job->triangles += mesh.triangle_count;
        sp_mesh_close(&mesh);
        SP_TRY(status);
    }
    return SP_OK;
}

/// Without --clip a scene that no longer opens is no error.
static int open_solids(surface_job *job)
{
    const bool clip = cli_given(job->call, "clip");
    const char *solver = job->frames.list.solver;
    sp_error err = {0};
    if (clip && solver && strcmp(solver, "import") == 0)
        return cli_bad_input(job->call, "--clip: imported water has no colliders to clip against");
    const sp_status status =
        cli_clip_solids_open(job->frames.list.scene_text, clip, job->host, &job->solids, &err);
    if (clip && status != SP_OK) return cli_unreadable(job->call, &err);
    if (clip) cli_say_scene_change(job->call, &job->frames.list, false, job->host);
    if (clip && job->solids->colliders.count == 0)
        return cli_bad_input(job->call, "--clip: the run's scene has no colliders to clip against");
    return CLI_FINE;
}

static int run(const cli_call *call)
{
    surface_job job = {.call = call,
                       .def = sp_surface_defaults(),
                       .options.struct_size = sizeof(sp_export_options)};
    cli_machine machine;
    sp_error err = {0};
    if (!read_options(&job) || !cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    job.host = &machine.host;
    job.options.threads = machine.threads;
    int code = cli_frames_open(call, call->operands[0], job.host, &job.frames);
    if (code == CLI_FINE) code = cli_frames_choose(&job.frames, &job.range, false);
    if (code == CLI_FINE) code = open_solids(&job);
    if (code == CLI_FINE && surface_frames(&job, &err) != SP_OK) code = cli_failed(call, &err);
    if (code == CLI_FINE && !call->quiet)
        printf("%zu frame%s, %zu triangles in all, written to %s\n", job.frames.count,
               job.frames.count == 1 ? "" : "s", job.triangles, job.out);
    sp_clip_solids_close(job.solids);
    cli_frames_close(&job.frames);
    return code;
}

static const cli_option options[] = {
    {"to", 0, "FORMAT", "obj, ply, or vdb (a level set)"},
    {"output", 'o', "DIR", "output directory (default: DIR/surface of the run)"},
    {"set", 0, "NAME", "a particle set, or the fields surface or height (default: the water)"},
    {"isolated", 0, "WAY", "isolated particles as: points, mesh or drop"},
    {"method", 0, "WORD", "of sets: spheres, zhu_bridson or ellipsoids"},
    {"clip", 0, NULL, "clip at the scene's colliders"},
    CLI_FRAME_OPTIONS,
    {"threads", 0, "N", "threads (default: all); the mesh is the same"},
    {0},
};

const cli_command cli_surface = {
    .name = "surface",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .about = "make closed triangle meshes of a run's water or particles",
    .details =
        "Writes <name>.<frame>.obj, .ply or .vdb: metres, y up, triangles anti-clockwise seen "
        "from\n"
        "outside, with normals, and in PLY with velocity where the frame has it. Of bubbles, "
        "those\n"
        "that stand alone go to <set>_isolated as points unless --isolated says otherwise; as "
        "mesh\n"
        "each is a ball of its own radius, and so are foam and spray. Level sets end at the sides\n"
        "of the scene's domain.\n",
    .examples = "  spume surface out/fig10 --to obj\n"
                "  spume surface out/tank --to ply --set bubbles --isolated drop --frames 10-20\n"
                "  spume surface out/tank --to vdb -o volumes\n",
    .options = options,
    .run = run,
};
