// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.h"
#include "cli/commands.h"
#include "render/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// "1280x720"
static bool read_size(const cli_call *call, sp_render_options *look)
{
    const char *text = cli_value(call, "size");
    if (!text) return true;
    char rest;
    if (sscanf(text, "%5dx%5d%c", &look->width, &look->height, &rest) == 2 && look->width > 0 &&
        look->height > 0 && look->width <= 16384 && look->height <= 16384)
        return true;
    cli_bad_input(call, "--size %s; expected pixels such as 1280x720, up to 16384x16384", text);
    return false;
}

/// "x,y,z:x,y,z" or "x,y,z:x,y,z:fov"
static bool read_camera(const cli_call *call, sp_render_options *look)
{
    const char *text = cli_value(call, "camera");
    if (!text) return true;
    double *f = look->from, *t = look->to;
    int end = 0, with_fov = 0;
    look->fov = 0.0f;
    const int n = sscanf(text, "%lf,%lf,%lf:%lf,%lf,%lf%n:%f%n", &f[0], &f[1], &f[2], &t[0], &t[1],
                         &t[2], &end, &look->fov, &with_fov);
    const bool whole = (n == 6 && text[end] == '\0') || (n == 7 && text[with_fov] == '\0');
    if (whole && (n == 6 || (look->fov > 0.0f && look->fov <= 150.0f))) return true;
    cli_bad_input(call, "--camera %s; expected from:to:degrees, such as 1,0.5,1:0,0,0:35", text);
    return false;
}

static bool read_options(const cli_call *call, sp_render_options *look)
{
    long samples = 0;
    if (!read_size(call, look) || !cli_number(call, "samples", 1, 1024, &samples)) return false;
    look->samples = (int)samples;
    return read_camera(call, look);
}

/// The scene's own camera, unless the command gives one. A scene that no longer opens (a height map
/// that moved) only means that the picture is framed by itself.
static void look_as_the_scene_says(const cli_call *call, const sp_cache_list *list,
                                   const sp_host *host, sp_render_options *look)
{
    size_t count;
    sp_scene *scene;
    if (cli_given(call, "camera") || !list->scene_text) return;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    if (sp_scene_open_text("scene.json", list->scene_text, strlen(list->scene_text), NULL, solvers,
                           count, host, &scene, NULL) != SP_OK)
        return;
    const sp_scene_camera *camera = scene->common.look.camera;
    for (int c = 0; c < 3 && camera; ++c) {
        look->from[c] = (double)camera->from[c];
        look->to[c] = (double)camera->to[c];
    }
    if (camera) look->fov = camera->fov;
    sp_scene_close(scene);
}

/// The frame asked for, or the newest good one.
static const sp_cache_item *choose(const cli_call *call, const sp_cache_list *list)
{
    const char *asked = cli_value(call, "frame");
    long number = 0;
    if (!cli_number(call, "frame", 0, 999999, &number)) return NULL;
    for (size_t i = list->frame_count; i > 0; --i) {
        const sp_cache_item *item = &list->frames[i - 1];
        if (asked ? item->frame == (uint64_t)number : item->status == SP_OK) {
            if (item->status != SP_OK) cli_bad_input(call, "%s", item->trouble);
            return item->status == SP_OK ? item : NULL;
        }
    }
    cli_bad_input(call, asked ? "%s: no frame %ld" : "%s: no good frame", call->operands[0],
                  number);
    return NULL;
}

static int draw(const cli_call *call, const sp_cache_item *item, sp_render_options *look,
                const sp_host *host)
{
    const char *dir = call->operands[0], *out = cli_value(call, "output");
    char path[4200], picture[4200];
    sp_frame_file *file;
    sp_error err = {0};
    sp_cache_frame_path(dir, item->frame, path, sizeof path);
    if (sp_frame_file_open(path, host, &file, &err) != SP_OK) return cli_unreadable(call, &err);
    snprintf(picture, sizeof picture, "%s/pictures", dir);
    bool good = out || cli_make_directory(picture, &err);
    snprintf(picture, sizeof picture, "%s/pictures/%06" PRIu64 ".png", dir, item->frame);
    if (!out) out = picture;
    char title[300];
    snprintf(title, sizeof title, "%.200s, frame %" PRIu64 ", state %016" PRIx64, dir, item->frame,
             item->hash);
    const sp_render_text texts[] = {{"Title", title}, {"Software", "Spume " SPUME_VERSION}};
    look->texts = texts;
    look->text_count = 2;
    good = good && sp_render_png(sp_frame_file_frame(file), look, out, host, &err) == SP_OK;
    sp_frame_file_close(file);
    if (!good) return cli_failed(call, &err);
    if (!call->quiet) puts(out);
    return CLI_FINE;
}

static int run(const cli_call *call)
{
    cli_machine machine;
    sp_render_options look = {0};
    sp_cache_list list = {0};
    sp_error err = {0};
    int code = CLI_BAD_INPUT;
    if (!read_options(call, &look) || !cli_machine_open(&machine, call)) return code;
    if (sp_cache_list_open(call->operands[0], &machine.host, &list, &err) != SP_OK) {
        code = cli_unreadable(call, &err);
    } else {
        const sp_cache_item *item = choose(call, &list);
        look_as_the_scene_says(call, &list, &machine.host, &look);
        if (item) code = draw(call, item, &look, &machine.host);
    }
    sp_cache_list_close(&list);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "FILE", "the picture (default DIR/pictures/<frame>.png)"},
    {"frame", 0, "K", "which frame (default: the newest)"},
    {"size", 0, "WxH", "pixels (default 1280x720)"},
    {"samples", 0, "N", "rays a pixel (default 4)"},
    {"camera", 0, "POSE", "x,y,z:x,y,z:fov, from where to where, degrees"},
    {"threads", 0, "N", "threads (default: all); the picture is the same"},
    {0},
};

const cli_command cli_render = {
    .name = "render",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .about = "draw a frame of a run as a PNG picture",
    .details = "Prints the picture's path.\n",
    .examples = "  spume render out/fig10\n"
                "  spume render out/fig10 --frame 300 --size 1920x1080 --samples 16 -o fig10.png\n"
                "  spume render out/fig10 --camera 1,0.8,1:0.25,0.1,-0.25:30\n",
    .options = options,
    .run = run,
};
