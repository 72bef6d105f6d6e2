// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/frame_choice.h"
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
    cli_frames frames;
    sp_export_moment *moments; ///< of the frames exported
    size_t done;               ///< how many those are
} export_job;

static bool find_format(const char *to, write_frame **write)
{
    static const struct {
        const char *name;
        write_frame *write;
    } formats[] = {{"ply", sp_export_ply},
                   {"vtk", sp_export_vtk},
                   {"obj", sp_export_obj},
                   {"vdb", sp_export_vdb},
                   {"usda", NULL}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        if (strcmp(to, formats[i].name) != 0) continue;
        *write = formats[i].write;
        return true;
    }
    return false;
}

static int read_options(export_job *job)
{
    const cli_call *call = job->call;
    const char *names = cli_value(call, "names"), *out = cli_value(call, "output");
    long threads = 0;
    job->to = cli_value(call, "to");
    if (!job->to)
        return cli_bad_input(call,
                             "export needs --to ply, --to vtk, --to obj, --to vdb or --to usda");
    if (!find_format(job->to, &job->write))
        return cli_bad_input(call, "--to %s; expected ply, vtk, obj, vdb or usda", job->to);
    if (job->write == sp_export_vdb && sp_export_vdb_missing())
        return cli_bad_input(call, "%s", sp_export_vdb_missing());
    if (names && !sp_export_names_from(names, &job->options.names))
        return cli_bad_input(call, "--names %s; expected plain, houdini or blender", names);
    if (!cli_number(call, "threads", 1, 1024, &threads)) return CLI_BAD_INPUT;
    if (cli_given(call, "fog") && job->write != sp_export_vdb)
        return cli_bad_input(call, "--fog does nothing without --to vdb");
    if (cli_given(call, "ascii") && job->write != sp_export_ply && job->write != sp_export_vtk)
        return cli_bad_input(call, "--ascii does nothing without --to ply or --to vtk");
    job->options.ascii = cli_given(call, "ascii");
    job->options.fog = cli_given(call, "fog");
    job->options.threads = (int)threads;
    if (out)
        snprintf(job->out, sizeof job->out, "%s", out);
    else
        snprintf(job->out, sizeof job->out, "%s/%s", call->operands[0], job->to);
    return CLI_FINE;
}

/// Frames of the job, until somebody wants to stop.
static sp_status get_frame(void *user, size_t k, const sp_frame **frame, sp_error *err)
{
    if (cli_was_interrupted(NULL)) return sp_fail(err, SP_CANCELLED, "interrupted");
    return cli_frames_get(user, k, frame, err);
}

static sp_status export_one(export_job *job, size_t k, sp_error *err)
{
    const sp_frame *frame;
    SP_TRY(get_frame(&job->frames, k, &frame, err));
    SP_TRY(job->write(job->out, frame, &job->options, err));
    job->moments[k] = (sp_export_moment){frame->frame, frame->time};
    if (job->write != sp_export_vtk || k + 1 < job->frames.count) return SP_OK;
    return sp_export_vtk_series(job->out, frame, job->moments, job->frames.count, err);
}

static sp_status export_all(export_job *job, sp_error *err)
{
    if (!cli_make_directory(job->out, err)) return err->status ? err->status : SP_IO;
    if (!job->write) {
        const sp_export_frames all = {&job->frames, job->frames.count, get_frame};
        return sp_export_usda(job->out, &all, err);
    }
    for (; job->done < job->frames.count; ++job->done)
        SP_TRY(export_one(job, job->done, err));
    return SP_OK;
}

/// Files are there whole or not at all, also after Ctrl-C.
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

static int go(export_job *job, const sp_host *host)
{
    sp_error err = {0};
    int code = cli_frames_open(job->call, job->call->operands[0], host, &job->frames);
    if (code == CLI_FINE) {
        cli_catch_interrupts();
        job->moments = sp_allocate(host, job->frames.count, sizeof *job->moments);
        const sp_status status =
            job->moments ? export_all(job, &err)
                         : sp_fail(&err, SP_NO_MEMORY, "no memory for a list of frames");
        code = end(job, status, &err);
        sp_release(host, job->moments);
    }
    if (code == CLI_FINE && !job->call->quiet)
        printf("%zu frame%s exported to %s\n", job->frames.count, job->frames.count == 1 ? "" : "s",
               job->out);
    cli_frames_close(&job->frames);
    return code;
}

static int run(const cli_call *call)
{
    export_job job = {.call = call};
    cli_machine machine;
    const int code = read_options(&job);
    if (code != CLI_FINE) return code;
    return cli_machine_open(&machine, call) ? go(&job, &machine.host) : CLI_BAD_INPUT;
}

static const cli_option options[] = {
    {"to", 0, "FORMAT", "ply, vtk, obj, vdb or usda"},
    {"output", 'o', "DIR", "where to (default: DIR/<format> of the run)"},
    {"names", 0, "WORD", "attribute names for plain, houdini or blender"},
    CLI_FRAME_OPTIONS,
    {"ascii", 0, NULL, "ply, vtk: text instead of binary"},
    {"fog", 0, NULL, "vdb: particle sets also as volume fractions"},
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
        "        surface as triangles\n"
        "  vtk   the same, with a .pvd list that ParaView opens as a time series\n"
        "  obj   the pond's surface as triangles, particles as points without attributes\n"
        "  vdb   spume.<frame>.vdb: every volume as a grid, every set as points (P, v, pscale, "
        "id);\n"
        "        heights of a pond are no volume and are left out: take ply or obj for them\n"
        "  usda  spume.usda: all frames as time samples, points with widths, the pond's surface\n"
        "A damaged or missing frame ends the export before it begins, unless --skip-bad is given.\n"
        "Ctrl-C keeps the files that are whole and ends with exit status 130.\n",
    .examples = "  spume export out/fig10 --to vtk\n"
                "  spume export out/fig10 --to ply --names houdini -o geo --frames 100-200\n"
                "  spume export out/tank --to vdb --names blender --fog\n",
    .options = options,
    .run = run,
};
