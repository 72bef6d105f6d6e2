// SPDX-License-Identifier: Apache-2.0
/// The command line of `spume render`, checked before any file is read.
#include "cli/render/render_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const presets[] = {"draft", "final", NULL};
static const char *const kinds[] = {"picture", "particles", "slice", "tiles",
                                    "wire",    "normals",   NULL};
static const char *const colors[] = {"set", "speed", "size", "age", "id", NULL};
static const char *const axes[] = {"x", "y", "z", NULL};

const char *render_kind_name(const render_job *job)
{
    return kinds[job->options.kind];
}
const char *render_color_name(const render_job *job)
{
    return colors[job->options.color];
}

/// "1280x720"
static bool read_size(const cli_call *call, sp_render_options *o)
{
    const char *text = cli_value(call, "size");
    char rest;
    if (!text) return true;
    if (sscanf(text, "%5dx%5d%c", &o->width, &o->height, &rest) == 2 && o->width >= 16 &&
        o->height >= 16 && o->width <= 16384 && o->height <= 16384)
        return true;
    return cli_refuse(call, "--size %s; expected pixels such as 1280x720, 16 to 16384 each", text);
}

/// "x,y,z:x,y,z" or "x,y,z:x,y,z:fov"
bool render_read_camera(const cli_call *call, sp_look_camera *camera)
{
    const char *text = cli_value(call, "camera");
    if (!text) return true;
    float *f = camera->from, *t = camera->to;
    bool within = true;
    int end = 0, with_fov = 0;
    const int n = sscanf(text, "%f,%f,%f:%f,%f,%f%n:%f%n", &f[0], &f[1], &f[2], &t[0], &t[1], &t[2],
                         &end, &camera->fov, &with_fov);
    const bool whole = (n == 6 && text[end] == '\0') || (n == 7 && text[with_fov] == '\0');
    if (!whole)
        return cli_refuse(call, "--camera %s; expected from:to:degrees, such as 1,0.5,1:0,0,0:35",
                          text);
    for (int c = 0; c < 3; ++c) // also false for NaN
        within = within && fabsf(f[c]) <= 1e6f && fabsf(t[c]) <= 1e6f;
    if (!within)
        return cli_refuse(call, "--camera %s; expected coordinates from -1e6 to 1e6", text);
    if (n == 7 && !(camera->fov >= 1.0f && camera->fov <= 150.0f))
        return cli_refuse(call, "--camera %s; expected 1 to 150 degrees", text);
    if (f[0] == t[0] && f[1] == t[1] && f[2] == t[2])
        return cli_refuse(call, "--camera %s; expected two different points", text);
    return true;
}

static bool read_at(const cli_call *call, double *at)
{
    const char *text = cli_value(call, "at");
    char *end;
    *at = 0.5;
    if (!text) return true;
    *at = strtod(text, &end);
    if (end != text && !*end && *at >= 0.0 && *at <= 1.0) return true;
    return cli_refuse(call, "--at %s; expected 0 to 1", text);
}

/// Movies and sheets show all frames, a picture the newest.
static bool read_range(const cli_call *call, cli_frame_range *range)
{
    const bool many = cli_given(call, "movie") || cli_given(call, "sheet");
    return cli_frame_range_read(call, !many, range);
}

/// Only keys of the look can be changed after the run.
static bool check_sets(const cli_call *call)
{
    for (int i = 0; i < call->given_count; ++i) {
        if (strcmp(call->given[i]->name, "set") != 0) continue;
        if (strncmp(call->values[i], "look.", 5) == 0) continue;
        return cli_refuse(
            call, "--set %s; expected look.KEY=VALUE: only the look can change after the run",
            call->values[i]);
    }
    return true;
}

bool render_is_png(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".png") == 0;
}

/// Whether the directory of an output file exists and is writable: checked before hours of drawing.
static bool has_directory(const cli_call *call, const char *option)
{
    char dir[4096] = ".";
    const char *path = cli_value(call, option), *slash = path ? strrchr(path, '/') : NULL;
    if (!path) return true;
    if (slash) snprintf(dir, sizeof dir, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (!sp_is_directory(dir))
        return cli_refuse(call, "--%s %s: there is no directory %s", option, path, dir);
    if (access(dir, W_OK | X_OK) != 0)
        return cli_refuse(call, "--%s %s: nothing can be written in %s", option, path, dir);
    if (sp_is_directory(path))
        return cli_refuse(call, "--%s %s: is a directory; expected a file's name", option, path);
    return true;
}

/// -o may also name a directory for several pictures; this is checked when the frames are known.
static bool check_pictures(const cli_call *call, const char *option)
{
    const char *path = cli_value(call, option);
    if (!path) return true;
    if (cli_given(call, "movie") || cli_given(call, "sheet"))
        return cli_refuse(call, "-o is for pictures: --movie and --sheet name their own files");
    if (strcmp(path, "-") == 0)
        return cli_refuse(call, "-o -: pictures go to files; expected a name that ends in .png");
    return !render_is_png(path) || has_directory(call, option);
}

/// -o names one picture, or a directory for several; movies and sheets have their own names.
static bool check_outputs(const cli_call *call)
{
    const char *movie = cli_value(call, "movie"), *sheet = cli_value(call, "sheet");
    if (movie && sheet) return cli_refuse(call, "--movie and --sheet exclude each other");
    if (movie && !sp_movie_is_known(movie))
        return cli_refuse(
            call, "--movie %s; expected a name that ends in .mp4, .webm, .mkv or .gif", movie);
    if (sheet && !render_is_png(sheet))
        return cli_refuse(call, "--sheet %s; expected a name that ends in .png", sheet);
    return check_pictures(call, "output") && check_pictures(call, "out") &&
           has_directory(call, "movie") && has_directory(call, "sheet");
}

/// An option without effect is probably a mistake.
static bool check_idle(const cli_call *call, sp_render_kind kind)
{
    static const struct {
        const char *option, *needs;
        sp_render_kind kind;
    } rows[] = {{"color", "--look particles", SP_RENDER_PARTICLES},
                {"field", "--look slice", SP_RENDER_SLICE},
                {"axis", "--look slice", SP_RENDER_SLICE},
                {"at", "--look slice", SP_RENDER_SLICE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (!cli_given(call, rows[i].option) || kind == rows[i].kind) continue;
        return cli_refuse(call, "--%s does nothing without %s", rows[i].option, rows[i].needs);
    }
    if (!cli_given(call, "count") || cli_given(call, "sheet")) return true;
    return cli_refuse(call, "--count does nothing without --sheet");
}

bool render_read_options(render_job *job)
{
    const cli_call *call = job->call;
    sp_render_options *o = &job->options;
    int preset = 0, kind = 0, color = 0;
    o->axis = 2; // the direction of the default camera
    long samples = 0;
    double shutter = 0.0;
    job->camera = (sp_look_camera){.fov = 25.0f, .shutter = -1.0f};
    if (!read_size(call, o) || !cli_number(call, "samples", 1, 65536, &samples) ||
        !render_read_camera(call, &job->camera) || !cli_word(call, "preset", presets, &preset) ||
        !cli_word(call, "look", kinds, &kind) || !cli_word(call, "color", colors, &color) ||
        !cli_word(call, "axis", axes, &o->axis) || !cli_real(call, "shutter", 0.0, 2.0, &shutter) ||
        !read_at(call, &o->at) || !read_range(call, &job->range) || !check_sets(call) ||
        !check_outputs(call) || !check_idle(call, (sp_render_kind)kind))
        return false;
    o->preset = (sp_render_preset)preset;
    o->kind = (sp_render_kind)kind;
    o->color = (sp_render_color)color;
    o->samples = (int)samples;
    o->has_shutter = cli_given(call, "shutter");
    o->shutter = (float)shutter;
    o->field = cli_value(call, "field");
    o->still_noise = cli_given(call, "still-noise");
    return true;
}
