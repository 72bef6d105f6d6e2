// SPDX-License-Identifier: Apache-2.0
/// The camera: a pinhole or a thin lens. The pixel filter is a tent with a radius of one pixel.
#include "render/trace/tracing.h"

sp_status trace_lens_open(trace_lens *lens, const sp_trace_camera *camera, int width, int height,
                          sp_error *err)
{
    const sp_vec3 none = {0}, from = trace_vec(camera->from);
    const sp_vec3 ahead = sp_normalize(sp_sub(trace_vec(camera->to), from), none);
    const sp_vec3 right = sp_normalize(sp_cross(ahead, trace_vec(camera->up)), none);
    if (!(sp_dot(ahead, ahead) > 0.5f))
        return sp_fail(err, SP_BAD_INPUT,
                       "look.camera: from and to are the same point (%g, %g, %g)", (double)from.x,
                       (double)from.y, (double)from.z);
    if (!(sp_dot(right, right) > 0.5f))
        return sp_fail(err, SP_BAD_INPUT, "look.camera: up must not lie along the line of sight");
    if (!(camera->fov >= 0.01f && camera->fov <= 170.0f))
        return sp_fail(err, SP_BAD_INPUT, "look.camera.fov: %g degrees; expected 0.01 to 170",
                       (double)camera->fov);
    if (!(camera->lens >= 0.0f) || (camera->lens > 0.0f && !(camera->focus > 0.0f)))
        return sp_fail(err, SP_BAD_INPUT,
                       "look.camera: a lens of %g m with its focus at %g m; expected positive ones",
                       (double)camera->lens, (double)camera->focus);
    const sp_vec3 up = sp_cross(right, ahead);
    const float half = tanf(camera->fov * SP_PI / 360.0f);
    *lens = (trace_lens){
        .from = from,
        .right = sp_scale(right, half * (float)width / (float)height),
        .up = sp_scale(up, half),
        .ahead = ahead,
        .lens_x = sp_scale(right, camera->lens),
        .lens_y = sp_scale(up, camera->lens),
        .focus = camera->lens > 0.0f ? camera->focus : 1.0f,
        .width = width,
        .height = height,
    };
    return SP_OK;
}

/// Maps [0, 1) to (-1, 1) with density 1 - |x|. All samples then have the same weight, and the
/// filter needs no sum of weights.
static float tent(float u)
{
    return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u);
}

void trace_lens_ray(const trace_lens *lens, int x, int y, trace_pair film, trace_pair aperture,
                    sp_vec3 *at, sp_vec3 *dir)
{
    const float px = 2.0f * ((float)x + 0.5f + tent(film.a)) / (float)lens->width - 1.0f;
    const float py = 1.0f - 2.0f * ((float)y + 0.5f + tent(film.b)) / (float)lens->height;
    float a, b;
    trace_sample_disc(aperture, &a, &b);
    const sp_vec3 off = sp_madd(sp_scale(lens->lens_x, a), lens->lens_y, b);
    const sp_vec3 ray = sp_madd(sp_madd(lens->ahead, lens->right, px), lens->up, py);
    *at = sp_add(lens->from, off);
    *dir = sp_normalize(sp_sub(sp_scale(ray, lens->focus), off), lens->ahead);
}
