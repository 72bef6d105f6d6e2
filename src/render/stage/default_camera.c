// SPDX-License-Identifier: Apache-2.0
/// The default camera: a little above and to the right of the content, near enough to fill the
/// picture.
#include "render/internal.h"

#include <math.h>

/// Every corner of the bounds, seen from `from`, must lie within this share of the picture.
#define FILL 0.88

typedef struct basis {
    double right[3], up[3], back[3];
} basis;

static basis view_basis(double azimuth, double elevation)
{
    const double a = azimuth * SP_PI_D / 180.0, e = elevation * SP_PI_D / 180.0;
    return (basis){.right = {cos(a), 0.0, -sin(a)},
                   .up = {-sin(e) * sin(a), cos(e), -sin(e) * cos(a)},
                   .back = {cos(e) * sin(a), sin(e), cos(e) * cos(a)}};
}

/// The distance d at which one corner just fits. With z its coordinate towards the camera, measured
/// from the target:
///     |x| <= FILL (d - z) tan_x.
static double distance_for(const basis *b, const double p[3], double tan_x, double tan_y)
{
    const double z = sp_dot3(b->back, p);
    const double x = z + fabs(sp_dot3(b->right, p)) / (FILL * tan_x);
    const double y = z + fabs(sp_dot3(b->up, p)) / (FILL * tan_y);
    return fmax(x, y);
}

/// Frames the bounds; the target pulls the centre of the picture towards itself.
static sp_look_camera camera_frame(const render_box *bounds, const render_box *target,
                                   double aspect)
{
    sp_look_camera camera = {.fov = 25.0f, .shutter = -1.0f};
    const double tan_y = tan(0.5 * 25.0 * SP_PI_D / 180.0), tan_x = aspect * tan_y;
    // A wide, shallow basin is seen from higher up: from the side only its rim would show.
    const double wide = fmax(bounds->high[0] - bounds->low[0], bounds->high[2] - bounds->low[2]);
    const double flat = (bounds->high[1] - bounds->low[1]) / fmax(wide, 1e-9);
    const basis b = view_basis(16.0, flat < 0.5 ? 8.0 + 52.0 * (0.5 - flat) : 8.0);
    double center[3], distance = 0.0;
    for (int c = 0; c < 3; ++c)
        center[c] = 0.25 * (bounds->low[c] + bounds->high[c] + target->low[c] + target->high[c]);
    for (int k = 0; k < 8; ++k) {
        double p[3];
        for (int c = 0; c < 3; ++c)
            p[c] = ((k >> c) & 1 ? bounds->high[c] : bounds->low[c]) - center[c];
        distance = fmax(distance, distance_for(&b, p, tan_x, tan_y));
    }
    distance = fmax(distance, 1e-3);
    for (int c = 0; c < 3; ++c) {
        camera.to[c] = (float)center[c];
        camera.from[c] = (float)(center[c] + distance * b.back[c]);
    }
    return camera;
}

sp_look_camera camera_choose(const stage *s)
{
    if (s->options->camera) return *s->options->camera;
    if (s->look->camera) return *s->look->camera;
    render_plan plan;
    if (plan_make(s->options, &plan, NULL) != SP_OK) plan = (render_plan){.width = 16, .height = 9};
    const render_box *target = render_box_some(&s->liquid) ? &s->liquid : &s->bounds;
    return camera_frame(&s->bounds, target, (double)plan.width / (double)plan.height);
}

sp_status sp_render_camera(const sp_frame *frame, const sp_render_options *options,
                           sp_look_camera *camera, sp_error *err)
{
    const sp_look_def defaults = sp_look_defaults();
    sp_render_options own = *options;
    if (!own.look) own.look = &defaults;
    if (own.camera || own.look->camera) {
        *camera = own.camera ? *own.camera : *own.look->camera;
        return SP_OK;
    }
    const sp_host host = sp_host_default(1);
    stage s;
    const sp_status status = stage_open(&s, frame, &own, &host, err);
    if (status == SP_OK) *camera = camera_choose(&s);
    stage_close(&s);
    return status;
}
