// SPDX-License-Identifier: Apache-2.0
/// From light to pixels.
#include "render/internal.h"

enum { PURPOSE = 0x4c4f4f4b, MAX_SIDE = 16384, MAX_SAMPLES = 1024 }; // "LOOK"

typedef struct job {
    const scene *s;
    const sp_render_options *o;
    unsigned char *pixels;
    int across, down; ///< the grid of samples in a pixel
} job;

/// Film: a shoulder that never clips, then a little more contrast in the middle.
static float develop(float x)
{
    const float y = 1.0f - sp_expf(-1.35f * fmaxf(x, 0.0f));
    return sp_mix(y, y * y * (3.0f - 2.0f * y), 0.50f);
}

static unsigned char to_byte(float linear)
{
    const float y = develop(linear);
    const float coded = y <= 0.0031308f ? 12.92f * y : 1.055f * sp_powf(y, 1.0f / 2.4f) - 0.055f;
    return (unsigned char)(255.0f * sp_clamp(coded, 0.0f, 1.0f) + 0.5f);
}

static color pixel(const job *j, int x, int y)
{
    const sp_render_options *o = j->o;
    const uint64_t id = (uint64_t)y * (uint64_t)o->width + (uint64_t)x;
    color sum = gray(0.0f);
    for (int k = 0; k < j->across * j->down; ++k) {
        const sp_random4 at = sp_random(0, PURPOSE, id, 0, (uint32_t)k);
        const float u = ((float)(k % j->across) + sp_unit(at.x[0])) / (float)j->across;
        const float v = ((float)(k / j->across) + sp_unit(at.x[1])) / (float)j->down;
        const float px = 2.0f * ((float)x + u) / (float)o->width - 1.0f;
        const float py = 1.0f - 2.0f * ((float)y + v) / (float)o->height;
        const ray r = camera_ray(j->s, px, py);
        color c = trace(j->s, &r);
        // One sample that stares into the sun must not whiten its pixel's whole edge.
        c = (color){fminf(c.x, 2.5f), fminf(c.y, 2.5f), fminf(c.z, 2.5f)};
        const float corner = px * px + py * py;
        sum = sp_madd(sum, c, 1.0f - 0.16f * corner);
    }
    return sp_scale(sum, 1.0f / (float)(j->across * j->down));
}

static void rows(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    for (size_t y = begin; y < end; ++y) {
        unsigned char *out = j->pixels + 3 * y * (size_t)j->o->width;
        for (int x = 0; x < j->o->width; ++x, out += 3) {
            const color c = pixel(j, x, (int)y);
            out[0] = to_byte(c.x);
            out[1] = to_byte(c.y);
            out[2] = to_byte(c.z);
        }
    }
}

sp_status render_options(const sp_render_options *options, sp_render_options *o, sp_error *err)
{
    *o = options ? *options : (sp_render_options){0};
    if (o->width == 0 && o->height == 0) {
        o->width = 1280;
        o->height = 720;
    }
    if (o->samples == 0) o->samples = 4;
    if (o->width < 1 || o->width > MAX_SIDE || o->height < 1 || o->height > MAX_SIDE)
        return sp_fail(err, SP_BAD_SCENE, "picture: %d x %d pixels; expected 1 to %d each way",
                       o->width, o->height, MAX_SIDE);
    if (o->samples < 1 || o->samples > MAX_SAMPLES)
        return sp_fail(err, SP_BAD_SCENE, "picture: %d samples a pixel; expected 1 to %d",
                       o->samples, MAX_SAMPLES);
    if (!(o->fov >= 0.0f && o->fov <= 150.0f))
        return sp_fail(err, SP_BAD_SCENE, "look.camera.fov: %g degrees; expected 0 (usual) to 150",
                       (double)o->fov);
    return SP_OK;
}

sp_status sp_render_pixels(const sp_frame *frame, const sp_render_options *options,
                           unsigned char *pixels, const sp_host *host, sp_error *err)
{
    sp_render_options o;
    SP_TRY(render_options(options, &o, err));
    const sp_host usual = sp_host_default(0);
    scene s;
    sp_status st = scene_open(&s, frame, host ? host : &usual, err);
    if (st == SP_OK) st = camera_place(&s, &o, err);
    if (st == SP_OK) {
        int across = 1; // the squarest grid that divides the samples: 4 is 2 x 2, 6 is 2 x 3
        for (int k = 1; k * k <= o.samples; ++k)
            if (o.samples % k == 0) across = k;
        job j = {&s, &o, pixels, across, o.samples / across};
        sp_parallel(s.host, (size_t)o.height, 4, rows, &j);
    }
    scene_close(&s);
    return st;
}
