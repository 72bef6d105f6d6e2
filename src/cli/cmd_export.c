// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.h"
#include "cli/commands.h"
#include "exchange/exchange.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_job {
    const cli_call *call;
    const char *dir;
    char out[4096];
    bool vtk;
    sp_export_options options;
    uint64_t first, last;
    sp_export_moment *moments; ///< of the frames exported
    size_t count;
} export_job;

static int read_options(export_job *job)
{
    const cli_call *call = job->call;
    const char *to = cli_value(call, "to"), *names = cli_value(call, "names"),
               *out = cli_value(call, "output");
    bool is_range;
    job->vtk = to && strcmp(to, "vtk") == 0;
    if (!job->vtk && !(to && strcmp(to, "ply") == 0))
        return cli_bad_input(
            call, to ? "--to %s; expected ply or vtk" : "export needs --to ply or --to vtk", to);
    if (names && !sp_export_names_from(names, &job->options.names))
        return cli_bad_input(call, "--names %s; expected plain, houdini or blender", names);
    job->options.ascii = cli_given(call, "ascii");
    job->last = UINT64_MAX;
    if (!cli_range(call, "frames", &job->first, &job->last, &is_range)) return CLI_BAD_INPUT;
    if (out)
        snprintf(job->out, sizeof job->out, "%s", out);
    else
        snprintf(job->out, sizeof job->out, "%s/%s", job->dir, to);
    return CLI_FINE;
}

static sp_status export_frame(export_job *job, const sp_host *host, uint64_t number, bool is_last,
                              sp_error *err)
{
    char path[4200];
    sp_frame_file *file;
    sp_cache_frame_path(job->dir, number, path, sizeof path);
    SP_TRY(sp_frame_file_open(path, host, &file, err));
    const sp_frame *frame = sp_frame_file_frame(file);
    sp_status status =
        (job->vtk ? sp_export_vtk : sp_export_ply)(job->out, frame, &job->options, err);
    if (status == SP_OK) job->moments[job->count++] = (sp_export_moment){frame->frame, frame->time};
    if (status == SP_OK && job->vtk && is_last)
        status = sp_export_vtk_series(job->out, frame, job->moments, job->count, err);
    sp_frame_file_close(file);
    return status;
}

/// Good frames within the range are exported; damaged ones are named and left out.
static int export_frames(export_job *job, const sp_cache_list *list, const sp_host *host)
{
    sp_error err = {0};
    size_t wanted = 0, left = 0;
    for (size_t i = 0; i < list->frame_count; ++i) {
        const sp_cache_item *item = &list->frames[i];
        if (item->frame < job->first || item->frame > job->last) continue;
        if (item->trouble) cli_say(job->call, SP_LOG_WARNING, "left out: %s", item->trouble);
        if (item->status == SP_OK) ++wanted;
    }
    if (wanted == 0) return cli_bad_input(job->call, "%s: no good frame in that range", job->dir);
    if (!cli_make_directory(job->out, &err)) return cli_failed(job->call, &err);
    left = wanted;
    for (size_t i = 0; i < list->frame_count; ++i) {
        const sp_cache_item *item = &list->frames[i];
        if (item->frame < job->first || item->frame > job->last || item->status != SP_OK) continue;
        if (export_frame(job, host, item->frame, --left == 0, &err) != SP_OK)
            return cli_failed(job->call, &err);
    }
    if (!job->call->quiet) printf("%zu frames exported to %s\n", wanted, job->out);
    return CLI_FINE;
}

static int run(const cli_call *call)
{
    export_job job = {.call = call, .dir = call->operands[0]};
    cli_machine machine;
    sp_cache_list list = {0};
    sp_error err = {0};
    int code = read_options(&job);
    if (code != CLI_FINE) return code;
    if (!cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    if (sp_cache_list_open(job.dir, &machine.host, &list, &err) != SP_OK) {
        code = cli_unreadable(call, &err);
    } else {
        job.moments = sp_allocate(&machine.host, list.frame_count + 1, sizeof *job.moments);
        code = job.moments ? export_frames(&job, &list, &machine.host) : CLI_FAILED;
        sp_release(&machine.host, job.moments);
    }
    sp_cache_list_close(&list);
    return code;
}

static const cli_option options[] = {
    {"to", 0, "ply|vtk", "the format"},
    {"output", 'o', "DIR", "where to (default DIR/ply or DIR/vtk of the run)"},
    {"names", 0, "WORD", "attribute names for plain, houdini or blender"},
    {"frames", 0, "K|A-B", "one frame or a range (default: all)"},
    {"ascii", 0, NULL, "text instead of binary"},
    {0},
};

const cli_command cli_export = {
    .name = "export",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .about = "write a run's frames as PLY or VTK files for other programs",
    .details =
        "Particles carry radius, pscale, velocity, id and age. VTK comes with a .pvd list that\n"
        "ParaView opens as a time series.\n",
    .examples = "  spume export out/fig10 --to vtk\n"
                "  spume export out/fig10 --to ply --names houdini -o geo --frames 100-200\n",
    .options = options,
    .run = run,
};
