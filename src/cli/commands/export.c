// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/options/clip_scene.h"
#include "cli/options/frame_choice.h"
#include "cli/options/frame_parts.h"
#include "cli/options/scene_change.h"
#include "exchange/exchange.h"

#include <string.h>

enum { INTERRUPTED = 130 };

typedef sp_status write_frame(const char *dir, const sp_frame *frame,
                              const sp_export_options *options, sp_error *err);

typedef struct export_job {
    const cli_call *call;
    const char *to;
    write_frame *write; ///< NULL: all frames go into one file
    char out[4096];
    sp_export_options options;
    cli_names only, density;
    sp_set density_sets[CLI_MOST_NAMES];
    cli_frame_range range;
    cli_frames frames;
    cli_frame_parts parts;        ///< of the frame read last
    sp_clip_solids *solids;       ///< to clip the water at; NULL: none
    sp_export_moment *moments;    ///< of the frames exported
    size_t done;                  ///< number of moments
    char with[256], without[256]; ///< names of what the format holds, and of the rest
} export_job;

/// Refuses options that only some formats know.
static bool check_format(const export_job *job)
{
    static const char *const volumes[] = {"density", "density-voxel", "density-velocity",
                                          "no-clip"};
    const cli_call *call = job->call;
    for (size_t i = 0; i < sizeof volumes / sizeof *volumes; ++i)
        if (cli_given(call, volumes[i]) && job->write != sp_export_vdb)
            return cli_refuse(call, "--%s does nothing without --to vdb", volumes[i]);
    for (size_t i = 1; i < 3; ++i)
        if (cli_given(call, volumes[i]) && !cli_given(call, "density"))
            return cli_refuse(call, "--%s does nothing without --density", volumes[i]);
    if (cli_given(call, "ascii") && job->write != sp_export_ply && job->write != sp_export_vtk)
        return cli_refuse(call, "--ascii does nothing without --to ply or --to vtk");
    return true;
}

static bool read_options(export_job *job)
{
    static const char *const formats[] = {"ply", "vtk", "obj", "vdb", "usda", NULL};
    static write_frame *const writers[] = {sp_export_ply, sp_export_vtk, sp_export_obj,
                                           sp_export_vdb, NULL};
    static const char *const programs[] = {"plain", "houdini", "blender", NULL};
    const cli_call *call = job->call;
    const char *out = cli_value(call, "output");
    int format = 0, names = SP_NAMES_PLAIN;
    job->to = cli_value(call, "to");
    if (!job->to)
        return cli_refuse(call, "export needs --to ply, --to vtk, --to obj, --to vdb or --to usda");
    if (!cli_word(call, "to", formats, &format)) return false;
    job->write = writers[format];
    if (job->write == sp_export_vdb && sp_export_vdb_missing())
        return cli_refuse(call, "%s", sp_export_vdb_missing());
    if (!cli_word(call, "names", programs, &names) ||
        !cli_frame_range_read(call, false, &job->range))
        return false;
    job->options = (sp_export_options){.struct_size = sizeof(sp_export_options),
                                       .names = (sp_export_names)names,
                                       .ascii = cli_given(call, "ascii"),
                                       .density_velocity = cli_given(call, "density-velocity")};
    if (!check_format(job) || !cli_names_read(call, "only", &job->only) ||
        !cli_names_read(call, "density", &job->density) ||
        !cli_real(call, "density-voxel", 1e-6, 1e6, &job->options.density_voxel))
        return false;
    job->options.density = job->density_sets;
    job->options.density_count = job->density.count;
    snprintf(job->out, sizeof job->out, "%s%s%s", out ? out : call->operands[0], out ? "" : "/",
             out ? "" : job->to);
    return true;
}

/// ---- What the format can hold ------------------------------------------------------------------

/// Adds a name to a list unless it is there. Names of frames are plain words.
static void add_name(char list[256], const char *name)
{
    const size_t length = strlen(name), used = strlen(list);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return;
    snprintf(list + used, 256 - used, "%s%s", used ? ", " : "", name);
}

/// All formats hold sets; OpenVDB holds volumes, all others heights. Other plane fields are
/// attributes of the height.
static void note_contents(export_job *job)
{
    const sp_frame *frame = &job->parts.frame;
    const bool vdb = job->write == sp_export_vdb;
    for (size_t i = 0; i < frame->set_count; ++i)
        add_name(job->with, frame->sets[i].name);
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        const bool volume = field->layout == SP_FIELD_TILES;
        if (volume || strcmp(field->name, "height") == 0)
            add_name(volume == vdb ? job->with : job->without, field->name);
    }
    for (size_t i = 0; i < job->density.count; ++i) {
        char grid[80];
        snprintf(grid, sizeof grid, "density_%.64s", job->density.name[i]);
        add_name(job->with, grid);
    }
}

/// Describes `without`, and names a command that can export it.
static void advise(const export_job *job, char text[640])
{
    if (job->write == sp_export_vdb)
        snprintf(text, 640, "%s: not a volume; use --to ply or --to obj", job->without);
    else
        snprintf(text, 640,
                 "%s: volumes; use --to vdb, or spume surface %.200s --to obj for a mesh of "
                 "the water",
                 job->without, job->call->operands[0]);
}

/// ---- Frames ------------------------------------------------------------------------------------

/// The sets to rasterise; one that a frame does not have is empty there.
static void find_density_sets(export_job *job, const sp_frame *frame)
{
    for (size_t i = 0; i < job->density.count; ++i) {
        const sp_set *set = sp_frame_set(frame, job->density.name[i]);
        job->density_sets[i] = set ? *set : (sp_set){.name = job->density.name[i]};
    }
}

/// Gives the parts of a frame that are to be exported, until the job is interrupted.
static sp_status get_frame(void *user, size_t k, const sp_frame **frame, sp_error *err)
{
    export_job *job = user;
    const sp_frame *whole;
    if (cli_was_interrupted(NULL)) return sp_fail(err, SP_CANCELLED, "interrupted");
    SP_TRY(cli_frames_get(&job->frames, k, &whole, err));
    SP_TRY(cli_frame_parts_choose(&job->parts, whole, &job->only, err));
    find_density_sets(job, whole);
    note_contents(job);
    *frame = &job->parts.frame;
    return SP_OK;
}

/// A name that neither the first nor the last frame has is a mistake.
static sp_status check_names(export_job *job, const char *option, const cli_names *names,
                             bool fields, sp_error *err)
{
    char held[256] = "";
    bool found[CLI_MOST_NAMES] = {false};
    const size_t ends[2] = {job->frames.count - 1, 0};
    for (size_t e = 0; e < 2 && names->count > 0; ++e) {
        const sp_frame *frame;
        SP_TRY(cli_frames_get(&job->frames, ends[e], &frame, err));
        for (size_t i = 0; i < names->count; ++i)
            found[i] = found[i] || sp_frame_set(frame, names->name[i]) ||
                       (fields && sp_frame_field(frame, names->name[i]));
        for (size_t i = 0; i < frame->set_count; ++i)
            add_name(held, frame->sets[i].name);
        for (size_t i = 0; fields && i < frame->field_count; ++i)
            add_name(held, frame->fields[i].name);
    }
    for (size_t i = 0; i < names->count; ++i)
        if (!found[i])
            return sp_fail(err, SP_BAD_INPUT, "--%s %s: not in the frames; expected %s", option,
                           names->name[i], held);
    return SP_OK;
}

/// Checks the first and the last frame for anything to write.
static sp_status check_contents(export_job *job, sp_error *err)
{
    char why[640];
    const sp_frame *frame;
    SP_TRY(check_names(job, "only", &job->only, true, err));
    SP_TRY(check_names(job, "density", &job->density, false, err));
    SP_TRY(get_frame(job, job->frames.count - 1, &frame, err));
    SP_TRY(get_frame(job, 0, &frame, err));
    if (job->with[0]) return SP_OK;
    advise(job, why);
    if (!job->without[0])
        return sp_fail(err, SP_UNSUPPORTED, "%s: its frames are empty", job->call->operands[0]);
    return sp_fail(err, SP_UNSUPPORTED, "%s: nothing to export to %s; it holds %s",
                   job->call->operands[0], job->to, why);
}

static sp_status export_one(export_job *job, size_t k, sp_error *err)
{
    const sp_frame *frame;
    SP_TRY(get_frame(job, k, &frame, err));
    sp_clipped_frame clipped = {0};
    SP_TRY(sp_clipped_frame_open(&clipped, job->solids, frame, err));
    const sp_status status = job->write(job->out, &clipped.frame, &job->options, err);
    sp_clipped_frame_close(&clipped);
    SP_TRY(status);
    job->moments[k] = (sp_export_moment){frame->frame, frame->time};
    if (job->write != sp_export_vtk || k + 1 < job->frames.count) return SP_OK;
    return sp_export_vtk_series(job->out, frame, job->moments, job->frames.count, err);
}

static sp_status export_all(export_job *job, sp_error *err)
{
    SP_TRY(check_contents(job, err));
    SP_TRY(sp_cache_dir_make(job->out, err));
    if (!job->write) {
        const sp_export_frames all = {job, job->frames.count, get_frame};
        return sp_export_usda(job->out, &all, err);
    }
    for (; job->done < job->frames.count; ++job->done)
        SP_TRY(export_one(job, job->done, err));
    return SP_OK;
}

/// Files are complete or absent, also after Ctrl-C.
static int end(const export_job *job, sp_status status, const sp_error *err)
{
    if (status == SP_OK) return CLI_FINE;
    if (status != SP_CANCELLED) return cli_failed(job->call, err);
    if (job->write)
        cli_say(job->call, SP_LOG_ERROR, "interrupted: %zu of %zu frames are in %s", job->done,
                job->frames.count, job->out);
    else
        cli_say(job->call, SP_LOG_ERROR, "interrupted: nothing was exported");
    return INTERRUPTED;
}

static void tell(const export_job *job)
{
    char why[640];
    if (!job->call->quiet)
        printf("%zu frame%s exported to %s: %s\n", job->frames.count,
               job->frames.count == 1 ? "" : "s", job->out, job->with);
    if (!job->without[0]) return;
    advise(job, why);
    cli_say(job->call, SP_LOG_WARNING, "not exported: %s", why);
}

/// Solids are known only for our own scenes; that of an import does not open.
static void open_solids(export_job *job, const sp_host *host)
{
    const sp_cache_list *list = &job->frames.list;
    sp_error err = {0};
    if (job->write != sp_export_vdb || cli_given(job->call, "no-clip")) return;
    const bool ours = !list->solver || strcmp(list->solver, "import") != 0;
    if (ours) cli_say_scene_change(job->call, list, false, host);
    if (cli_clip_solids_open(list->scene_text, true, host, &job->solids, &err) != SP_OK && ours)
        cli_say(job->call, SP_LOG_WARNING, "%s; the surface may reach into colliders", err.text);
}

static int go(export_job *job, const sp_host *host)
{
    sp_error err = {0};
    int code = cli_frames_open(job->call, job->call->operands[0], host, &job->frames);
    if (code == CLI_FINE) code = cli_frames_choose(&job->frames, &job->range, false);
    if (code == CLI_FINE) {
        cli_catch_interrupts();
        open_solids(job, host);
        job->parts.host = host;
        job->moments = sp_allocate(host, job->frames.count, sizeof *job->moments);
        const sp_status status =
            job->moments ? export_all(job, &err)
                         : sp_fail(&err, SP_NO_MEMORY, "no memory for a list of frames");
        code = end(job, status, &err);
        sp_release(host, job->moments);
        cli_frame_parts_close(&job->parts);
    }
    if (code == CLI_FINE) tell(job);
    sp_clip_solids_close(job->solids);
    cli_frames_close(&job->frames);
    return code;
}

static int run(const cli_call *call)
{
    export_job job = {.call = call};
    cli_machine machine;
    if (!read_options(&job) || !cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    job.options.threads = machine.threads;
    job.options.host = &machine.host;
    return go(&job, &machine.host);
}

static const cli_option options[] = {
    {"to", 0, "FORMAT", "ply, vtk, obj, vdb or usda"},
    {"output", 'o', "DIR", "output directory (default: DIR/<format> of the run)"},
    {"names", 0, "WORD", "attribute names for plain, houdini or blender"},
    CLI_FRAME_OPTIONS,
    {"ascii", 0, NULL, "ply, vtk: text instead of binary"},
    {"only", 0, "NAMES", "only these sets and fields, such as foam,surface; none: no others"},
    {"density", 0, "SETS", "vdb: these sets also as densities, such as foam,spray"},
    {"density-voxel", 0, "H", "vdb: voxel of the densities, m (default: the frames')"},
    {"density-velocity", 0, NULL, "vdb: also the velocity of the densities"},
    {"no-clip", 0, NULL, "vdb: the surface as solved, some voxels into walls and colliders"},
    {"threads", 0, "N", "vdb: threads (default: all); the grids are the same"},
    {0},
};

const cli_command cli_export = {
    .name = "export",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .about = "write a run's frames as PLY, VTK, OBJ, OpenVDB or USD for other programs",
    .details =
        "  ply   one file a set and frame: position, radius, pscale, velocity, id, age; the "
        "pond's\n"
        "        surface as triangles; the surface of liquids and imports is a volume: use vdb, "
        "or\n"
        "        spume surface for a mesh\n"
        "  vtk   the same, with a .pvd list that ParaView opens as a time series\n"
        "  obj   the pond's surface as triangles, particles as points without attributes\n"
        "  vdb   spume.<frame>.vdb: every volume as a grid, every set as points (P, v, pscale, "
        "id);\n"
        "        heights of a pond are not a volume: use ply or obj for them; a\n"
        "        liquid's surface ends at colliders and the domain's sides, its velocity does not\n"
        "  usda  spume.usda: all frames as time samples, points with widths, the pond's surface\n"
        "If a frame is damaged or missing, nothing is exported unless --skip-bad is given.\n"
        "Ctrl-C keeps complete files and ends with exit status 130.\n",
    .examples = "  spume export out/fig10 --to vtk\n"
                "  spume export out/fig10 --to ply --names houdini -o geo --frames 100-200\n"
                "  spume export out/tank --to vdb --names blender --density bubbles\n"
                "  spume export out/sea --to vdb --only none --density foam,spray "
                "--density-voxel 0.01\n",
    .options = options,
    .run = run,
};
