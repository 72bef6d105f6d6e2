// SPDX-License-Identifier: Apache-2.0
/// Tone mapping: from sums of light to the values of pixels.
#include "render/trace/tracing.h"

static void scale3(float (*layer)[3], size_t count, float by)
{
    for (size_t i = 0; layer && i < count; ++i)
        for (int c = 0; c < 3; ++c)
            layer[i][c] *= by;
}

static void scale1(float *layer, size_t count, float by)
{
    for (size_t i = 0; layer && i < count; ++i)
        layer[i] *= by;
}

void sp_trace_finish(sp_trace_film *film, int width, int height, int samples)
{
    const size_t count = (size_t)width * (size_t)height;
    const float by = samples > 0 ? 1.0f / (float)samples : 0.0f;
    scale3(film->color, count, by);
    scale3(film->albedo, count, by);
    scale3(film->normal, count, by);
    scale1(film->depth, count, by);
    scale1(film->alpha, count, by);
    scale1(film->square, count, by);
    scale3(film->inner, count, by);
}

sp_status sp_trace_film_open(sp_trace_film *film, const sp_host *host, int width, int height,
                             sp_error *err)
{
    const size_t count = (size_t)width * (size_t)height;
    *film = (sp_trace_film){.color = sp_allocate(host, count, sizeof *film->color),
                            .albedo = sp_allocate(host, count, sizeof *film->albedo),
                            .normal = sp_allocate(host, count, sizeof *film->normal),
                            .depth = sp_allocate(host, count, sizeof *film->depth),
                            .alpha = sp_allocate(host, count, sizeof *film->alpha),
                            .square = sp_allocate(host, count, sizeof *film->square),
                            .inner = sp_allocate(host, count, sizeof *film->inner)};
    if (film->color && film->albedo && film->normal && film->depth && film->alpha && film->square &&
        film->inner)
        return SP_OK;
    sp_trace_film_close(film, host);
    return sp_fail(err, SP_NO_MEMORY, "render: no memory for a picture of %dx%d", width, height);
}

void sp_trace_film_close(sp_trace_film *film, const sp_host *host)
{
    void *const layers[] = {film->color, film->albedo, film->normal, film->depth,
                            film->alpha, film->square, film->inner};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i)
        sp_release(host, layers[i]);
    *film = (sp_trace_film){0};
}

static float to_srgb(float x)
{
    if (x <= 0.0031308f) return 12.92f * x;
    return 1.055f * sp_powf(x, 1.0f / 2.4f) - 0.055f;
}

/// Exposure, then a curve with a toe and a shoulder (Narkowicz's fit to ACES, 2015) or none, then
/// the screen's own transfer. NaN is black.
static float shown(float x, float exposure, sp_trace_tone tone)
{
    x *= exposure;
    if (!(x > 0.0f)) return 0.0f;
    if (tone == SP_TONE_FILMIC) {
        const float bounded = fminf(x, 1e4f);
        x = bounded * (2.51f * bounded + 0.03f) / (bounded * (2.43f * bounded + 0.59f) + 0.14f);
    }
    x = fminf(x, 1.0f);
    return tone == SP_TONE_LINEAR ? x : to_srgb(x);
}

void sp_trace_tone8(const float (*color)[3], size_t count, float ev, sp_trace_tone tone,
                    unsigned char (*out)[3])
{
    const float exposure = exp2f(ev) * (tone == SP_TONE_FILMIC ? 0.8f : 1.0f);
    for (size_t i = 0; i < count; ++i)
        for (int c = 0; c < 3; ++c)
            out[i][c] = (unsigned char)(255.0f * shown(color[i][c], exposure, tone) + 0.5f);
}
