// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_RENDER_RENDER_JOB_H
#define SP_CLI_RENDER_RENDER_JOB_H

/// What `spume render` was asked for, read and looked up before anything is drawn.

#include "cli/commands.h"
#include "cli/options/frame_choice.h"
#include "render/movie.h"
#include "render/render.h"

typedef struct render_job {
    const cli_call *call;
    cli_machine machine;
    cli_frames frames;
    sp_scene *scene; ///< NULL: the run's own cannot be read, and looks are the usual ones
    sp_look_def look;
    sp_look_camera camera;
    sp_colliders colliders;
    sp_render_options options; ///< points into this job
    int width, height;
    cli_frame_range range; ///< what the command line says
    // Provenance: see picture_provenance.c
    sp_text look_text, command_text;
    char scene_text[24], samples_text[16], look_hash[16];
    sp_png_text texts[7];
} render_job;

enum { RENDER_TEXTS = 7 };

/// Says what is wrong and returns the exit status. Close the job in either case.
int render_job_open(render_job *job, const cli_call *call);
void render_job_close(render_job *job);
bool render_read_options(render_job *job); ///< render_options.c: what the command line alone says
/// Reads --camera over what is there.
bool render_read_camera(const cli_call *call, sp_look_camera *camera);
bool render_is_png(const char *path);  ///< by its name
bool render_describe(render_job *job); ///< picture_provenance.c: fills in `texts`
const char *render_kind_name(const render_job *job);
const char *render_color_name(const render_job *job);
int render_samples(const render_job *job); ///< rays a pixel, the preset's filled in

#endif
