// SPDX-License-Identifier: Apache-2.0
/// From options and a frame to pixels.
#include "render/internal.h"
#include "render/trace/tracing.h"

#include <math.h>
#include <string.h>

/// ---- The camera --------------------------------------------------------------------------------

/// When the camera looks straight down (within a degree), up in the picture is -z: +y would be
/// undefined.
static void choose_up(sp_trace_camera *camera)
{
    const float x = camera->to[0] - camera->from[0], y = camera->to[1] - camera->from[1],
                z = camera->to[2] - camera->from[2];
    const bool upright = x * x + z * z < 3.046e-4f * y * y; // tan(1 degree) squared
    camera->up[upright ? 2 : 1] = upright ? -1.0f : 1.0f;
}

static sp_trace_camera trace_camera(const sp_look_camera *camera, const double base[3])
{
    sp_trace_camera out = {.fov = camera->fov};
    float distance = 0.0f;
    for (int c = 0; c < 3; ++c) {
        out.from[c] = (float)((double)camera->from[c] - base[c]);
        out.to[c] = (float)((double)camera->to[c] - base[c]);
        out.up[c] = camera->up[c];
        distance += (camera->from[c] - camera->to[c]) * (camera->from[c] - camera->to[c]);
    }
    if (!(fabsf(out.up[0]) + fabsf(out.up[1]) + fabsf(out.up[2]) > 0.0f)) choose_up(&out);
    out.focus = camera->focus > 0.0f ? camera->focus : sqrtf(distance);
    // f = half the film's height / tan(fov/2), and the lens is f over the f-number; film 36 mm wide
    // is 20.25 mm high at 16:9
    if (camera->aperture > 0.0f) {
        const float focal = 0.5f * 0.02025f / tanf(0.5f * camera->fov * SP_PI / 180.0f);
        out.lens = 0.5f * focal / camera->aperture;
    }
    return out;
}

/// ---- The plan ----------------------------------------------------------------------------------

/// A draft takes seconds and is for checking; a final is for showing.
static const render_plan presets[] = {
    [SP_PRESET_DRAFT] = {.width = 640,
                         .height = 360,
                         .samples = 4,
                         .depth = 24,
                         .split = 1,
                         .clamp = 4.0f,
                         .shutter = 0.0,
                         .denoise = true},
    [SP_PRESET_FINAL] = {.width = 1280,
                         .height = 720,
                         .samples = 64,
                         .depth = 64,
                         .split = 1,
                         .clamp = 6.0f,
                         .shutter = 0.5},
};

static int first_of(int a, int b, int c)
{
    return a > 0 ? a : b > 0 ? b : c;
}

sp_status plan_make(const sp_render_options *options, render_plan *plan, sp_error *err)
{
    const sp_look_def defaults = sp_look_defaults(),
                      *look = options->look ? options->look : &defaults;
    const render_plan *preset = &presets[options->preset];
    const sp_look_camera *camera = options->camera ? options->camera : look->camera;
    *plan = *preset;
    plan->width = first_of(options->width, look->width, preset->width);
    plan->height = first_of(options->height, look->height, preset->height);
    plan->samples = first_of(options->samples, look->samples, preset->samples);
    plan->depth = look->depth > 0 ? look->depth : preset->depth;
    plan->split = look->split >= 0 ? look->split : preset->split;
    plan->clamp = look->clamp > 0.0f && look->clamp < preset->clamp ? look->clamp
                  : look->clamp == 0.0f                             ? 0.0f
                  : options->preset == SP_PRESET_DRAFT              ? preset->clamp
                                                                    : look->clamp;
    if (look->denoise != SP_DENOISE_AUTO) plan->denoise = look->denoise == SP_DENOISE_ON;
    if (camera && camera->shutter >= 0.0f) plan->shutter = (double)camera->shutter;
    if (options->has_shutter) plan->shutter = (double)options->shutter;
    if (plan->width < 16 || plan->width > 16384 || plan->height < 16 || plan->height > 16384)
        return sp_fail(err, SP_BAD_INPUT, "picture of %d x %d pixels; expected 16 to 16384 each",
                       plan->width, plan->height);
    if (plan->samples < 1 || plan->samples > 65536)
        return sp_fail(err, SP_BAD_INPUT, "%d samples a pixel; expected 1 to 65536", plan->samples);
    if (!camera) return SP_OK;
    trace_lens unused; // checks the camera before anything is drawn
    const sp_trace_camera lens = trace_camera(camera, (const double[3]){0.0, 0.0, 0.0});
    return trace_lens_open(&unused, &lens, plan->width, plan->height, err);
}

sp_status sp_render_size(const sp_render_options *options, int *width, int *height, int *layers,
                         sp_error *err)
{
    render_plan plan;
    SP_TRY(plan_make(options, &plan, err));
    *width = plan.width;
    *height = plan.height;
    *layers = 1; // three bytes
    if (options->kind != SP_RENDER_SLICE) *layers += SP_TRACE_FILM_FLOATS;
    if (options->kind == SP_RENDER_PICTURE && plan.denoise) *layers += SP_TRACE_DENOISE_FLOATS;
    return SP_OK;
}

/// ---- The picture -------------------------------------------------------------------------------

sp_status trace_stage(stage *s, const render_plan *plan, sp_trace_camera *lens, sp_trace_film *film,
                      sp_error *err)
{
    const sp_look_camera camera = camera_choose(s);
    const double base[3] = {(double)camera.to[0], (double)camera.to[1], (double)camera.to[2]};
    *lens = trace_camera(&camera, base);
    render_eye eye = {.pixels =
                          0.5f * (float)plan->height / tanf(0.5f * camera.fov * SP_PI / 180.0f)};
    memcpy(eye.from, lens->from, sizeof eye.from);
    sp_tracer *tracer;
    SP_TRY(sp_tracer_open(s->host, &tracer, err));
    sp_status status = stage_to_tracer(s, &camera, &eye, base, plan->shutter, tracer, err);
    const uint64_t frame = s->options->still_noise ? 0 : s->frame->frame;
    const sp_trace_settings settings = {.width = plan->width,
                                        .height = plan->height,
                                        .samples = plan->samples,
                                        .depth = plan->depth,
                                        .split = plan->split,
                                        .clamp = plan->clamp,
                                        .shutter_open = plan->shutter > 0.0,
                                        .seed = sp_mix64(s->look->seed ^ sp_mix64(frame)),
                                        .cancelled = s->options->cancelled,
                                        .user = s->options->user};
    if (status == SP_OK) status = sp_tracer_render(tracer, lens, &settings, film, NULL, err);
    sp_tracer_close(tracer);
    return status;
}

static sp_status check_cancelled(const sp_render_options *o, sp_error *err)
{
    if (!o->cancelled || !o->cancelled(o->user)) return SP_OK;
    return sp_fail(err, SP_CANCELLED, "render: stopped");
}

/// From sums of light to bytes, with checks for cancelling in between.
static sp_status film_to_pixels(sp_trace_film *film, const render_plan *plan,
                                const sp_render_options *o, unsigned char *pixels,
                                const sp_host *host, sp_error *err)
{
    const size_t width = (size_t)plan->width;
    sp_trace_finish(film, plan->width, plan->height, plan->samples);
    SP_TRY(check_cancelled(o, err));
    if (plan->denoise)
        SP_TRY(sp_trace_denoise(film, plan->width, plan->height, plan->samples, o->cancelled,
                                o->user, host, err));
    for (size_t y = 0; y < (size_t)plan->height; ++y) {
        SP_TRY(check_cancelled(o, err));
        sp_trace_tone8((const float(*)[3])film->color + y * width, width, o->look->exposure,
                       (sp_trace_tone)o->look->tone, (unsigned char(*)[3])pixels + y * width);
    }
    return SP_OK;
}

sp_status sp_render_pixels(const sp_frame *frame, const sp_render_options *options,
                           unsigned char *pixels, const sp_host *host, sp_error *err)
{
    const sp_look_def defaults = sp_look_defaults();
    sp_render_options own = *options;
    if (!own.look) own.look = &defaults;
    if (own.kind == SP_RENDER_SLICE) return slice_pixels(frame, &own, pixels, host, err);
    if (own.kind != SP_RENDER_PICTURE) return diagnostic_pixels(frame, &own, pixels, host, err);
    render_plan plan;
    SP_TRY(plan_make(&own, &plan, err));
    sp_trace_camera camera;
    sp_trace_film film = {0};
    stage s;
    sp_status status = stage_open(&s, frame, &own, host, err);
    if (status == SP_OK) status = check_cancelled(&own, err);
    if (status == SP_OK) status = sp_trace_film_open(&film, host, plan.width, plan.height, err);
    if (status == SP_OK) status = check_cancelled(&own, err);
    if (status == SP_OK) status = trace_stage(&s, &plan, &camera, &film, err);
    stage_close(&s);
    if (status == SP_OK) status = film_to_pixels(&film, &plan, &own, pixels, host, err);
    sp_trace_film_close(&film, host);
    return status;
}
