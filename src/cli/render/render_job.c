// SPDX-License-Identifier: Apache-2.0
/// From a run's directory to everything that drawing needs.
#include "cli/render/render_job.h"

#include "cli/options/scene_change.h"

#include <string.h>

/// ---- The scene ---------------------------------------------------------------------------------

/// The run's scene with --set. A scene that no longer opens (a height map that moved) only means
/// the usual look, unless something of it was to be changed.
static int open_scene(render_job *job)
{
    const cli_call *call = job->call;
    const char *set[CLI_MOST_GIVEN];
    const sp_scene_options options = cli_scene_options(call, set);
    sp_error err = {0};
    char name[4200];
    const bool imported = job->frames.list.solver && strcmp(job->frames.list.solver, "import") == 0;
    if (imported && options.set_count == 0) return CLI_FINE; // no scene of ours
    snprintf(name, sizeof name, "%s/scene.json", call->operands[0]);
    if (cli_open_run_scene(name, job->frames.list.scene_text, &options, &job->machine.host,
                           &job->scene, &err) == SP_OK) {
        cli_say_scene_change(call, &job->frames.list, true, &job->machine.host);
        return CLI_FINE;
    }
    if (options.set_count > 0 || err.status == SP_NO_MEMORY) return cli_unreadable(call, &err);
    cli_say(call, SP_LOG_WARNING, "%s; the picture has the usual look", err.text);
    return CLI_FINE;
}

/// With --skip-bad a collider whose mesh is not there any more is left out of the picture.
static bool leave_out(void *user, const sp_error *why)
{
    const render_job *job = user;
    if (!cli_given(job->call, "skip-bad")) return false;
    cli_say(job->call, SP_LOG_WARNING, "%s; the picture is without it", why->text);
    return true;
}

static int open_colliders(render_job *job)
{
    const sp_world_def *world = job->scene ? &job->scene->common.world : NULL;
    sp_error err = {0};
    if (sp_colliders_open(&job->colliders, world, &job->machine.host, leave_out, job, &err) !=
        SP_OK)
        return cli_unreadable(job->call, &err);
    job->options.colliders = job->colliders.shapes;
    job->options.collider_count = job->colliders.count;
    job->options.domain = world ? world->domain : NULL;
    return CLI_FINE;
}

static void choose_look(render_job *job)
{
    job->look = job->scene ? job->scene->common.look : sp_look_defaults();
    job->options.look = &job->look;
    if (!cli_given(job->call, "camera")) return;
    if (job->look.camera) job->camera = *job->look.camera; // its lens and the like
    render_read_camera(job->call, &job->camera);
    job->options.camera = &job->camera;
}

/// ---- Frames ------------------------------------------------------------------------------------

/// Opens a frame of the run for a look; *file is NULL when it is damaged.
static sp_status open_frame(render_job *job, sp_cache_item *item, sp_frame_file **file,
                            sp_error *err)
{
    sp_cache_list *list = &job->frames.list;
    char path[4200];
    *file = NULL;
    if (!item->checked) return sp_cache_list_check_frame(list, item, file, err);
    if (item->status != SP_OK) return SP_OK;
    sp_cache_frame_path(list->dir, item->frame, path, sizeof path);
    return sp_frame_file_open(path, list->host, file, err);
}

/// Several pictures share one camera. It is framed on the first frame of the run that there is
/// something to see in, whatever part of the run is drawn, so that parts fit together.
static int fix_camera(render_job *job)
{
    const sp_cache_list *list = &job->frames.list;
    sp_error err = {0};
    if (job->options.camera || job->look.camera || job->frames.count < 2) return CLI_FINE;
    for (size_t i = 0; i < list->frame_count && !job->options.camera; ++i) {
        sp_frame_file *file;
        if (open_frame(job, &list->frames[i], &file, &err) != SP_OK) break;
        if (file &&
            sp_render_camera(sp_frame_file_frame(file), &job->options, &job->camera, &err) == SP_OK)
            job->options.camera = &job->camera;
        sp_frame_file_close(file);
    }
    return job->options.camera ? CLI_FINE : cli_failed(job->call, &err);
}

/// ---- All of it ---------------------------------------------------------------------------------

/// Thumbs of a sheet are a quarter of a picture each way, unless --size says otherwise.
static int choose_size(render_job *job)
{
    sp_error err = {0};
    int layers;
    sp_render_options *o = &job->options;
    if (sp_render_size(o, &job->width, &job->height, &layers, &err) != SP_OK)
        return cli_failed(job->call, &err);
    if (cli_given(job->call, "sheet") && !cli_given(job->call, "size")) {
        const int width = job->width;
        job->width = 320;
        job->height = job->height * 320 / width < 16 ? 16 : job->height * 320 / width;
    }
    o->width = job->width;
    o->height = job->height;
    if (sp_picture_check_memory(job->width, job->height, layers, (double)job->machine.budget.limit,
                                &err) == SP_OK)
        return CLI_FINE;
    cli_failed(job->call, &err);
    return CLI_BAD_INPUT; // refused for its size, before anything was allocated
}

int render_job_open(render_job *job, const cli_call *call)
{
    *job = (render_job){.call = call};
    if (!render_read_options(job) || !cli_machine_open(&job->machine, call)) return CLI_BAD_INPUT;
    int code = cli_frames_open(call, call->operands[0], &job->machine.host, &job->frames);
    if (code == CLI_FINE) code = open_scene(job);
    if (code == CLI_FINE) choose_look(job);
    if (code == CLI_FINE) code = cli_frames_choose(&job->frames, &job->range, true);
    if (code == CLI_FINE) code = choose_size(job);
    if (code == CLI_FINE) code = open_colliders(job);
    if (code == CLI_FINE) code = fix_camera(job);
    if (code == CLI_FINE && !render_describe(job))
        code = cli_failed(call, &(sp_error){.status = SP_NO_MEMORY});
    return code;
}

void render_job_close(render_job *job)
{
    sp_colliders_close(&job->colliders);
    sp_scene_close(job->scene);
    cli_frames_close(&job->frames);
    sp_text_close(&job->look_text);
    sp_text_close(&job->command_text);
}
