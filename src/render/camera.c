// SPDX-License-Identifier: Apache-2.0
/// Where the camera and the sun stand.
#include "render/internal.h"

static const double degree = SP_PI_D / 180.0;

/// Level world direction from the scene to the usual camera: before the longer wall, on the side of
/// +z (or +x), and a little round the corner so that two walls are seen.
static void usual_side(const scene *s, double turn, double out[3])
{
    const bool wide = s->high.x - s->low.x >= s->high.z - s->low.z;
    const sp_vec3 wall = wide ? s->axis_z : s->axis_x;
    const double sign = wall.z + 0.5f * wall.x < 0.0f ? -1.0 : 1.0;
    const double x = sign * (double)wall.x, z = sign * (double)wall.z;
    const double c = cos(turn * degree), n = sin(turn * degree);
    out[0] = c * x + n * z;
    out[1] = 0.0;
    out[2] = c * z - n * x;
}

static sp_vec3 raised(const scene *s, const double level[3], double elevation)
{
    const double c = cos(elevation * degree);
    const double d[3] = {c * level[0], sin(elevation * degree), c * level[2]};
    return scene_direction(s, d);
}

/// The sun is fixed to the scene, not to the camera, so that a moving camera does not move the
/// light. It stands behind the tank: waves glitter towards the usual camera and foam is lit along
/// its rims.
void camera_sun(scene *s)
{
    double side[3];
    usual_side(s, 180.0 + 52.0, side);
    s->sun = raised(s, side, 45.0);
    const sp_vec3 up = {0.0f, 1.0f, 0.0f};
    refract(sp_scale(s->sun, -1.0f), up, 1.0f / WATER_INDEX, &s->sun_below);
    s->sun_below = sp_scale(s->sun_below, -1.0f);
}

/// One corner of the box of what there is to see.
static sp_vec3 corner(const scene *s, int k)
{
    return (sp_vec3){k & 1 ? s->high.x : s->low.x, k & 2 ? s->high.y : s->low.y,
                     k & 4 ? s->high.z : s->low.z};
}

/// Moves back along the axis until every corner is in the picture, then shifts so that the margins
/// on opposite sides are alike; a few rounds settle.
static void fit(scene *s)
{
    sp_vec3 target = sp_scale(sp_add(s->low, s->high), 0.5f);
    for (int round = 0; round < 6; ++round) {
        float distance = 0.0f;
        for (int k = 0; k < 8; ++k) {
            const sp_vec3 w = sp_sub(corner(s, k), target);
            const float x = fabsf(sp_dot(w, s->right)) / s->tan_x,
                        y = fabsf(sp_dot(w, s->up)) / s->tan_y;
            distance = fmaxf(distance, 1.09f * fmaxf(x, y) - sp_dot(w, s->eye.d));
        }
        s->eye.o = sp_madd(target, s->eye.d, -distance);
        float left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 8; ++k) {
            const sp_vec3 w = sp_sub(corner(s, k), s->eye.o);
            const float z = sp_dot(w, s->eye.d), x = sp_dot(w, s->right) / z,
                        y = sp_dot(w, s->up) / z;
            left = fminf(left, x);
            right = fmaxf(right, x);
            low = fminf(low, y);
            high = fmaxf(high, y);
        }
        target = sp_madd(target, s->right, 0.5f * (left + right) * distance);
        target = sp_madd(target, s->up, 0.5f * (low + high) * distance);
    }
}

sp_status camera_place(scene *s, const sp_render_options *o, sp_error *err)
{
    const float fov = o->fov > 0.0f ? o->fov : 30.0f;
    s->tan_y = (float)tan(0.5 * (double)fov * degree);
    s->tan_x = s->tan_y * (float)o->width / (float)o->height;
    const bool usual = o->from[0] == o->to[0] && o->from[1] == o->to[1] && o->from[2] == o->to[2];
    double look[3], side[3];
    usual_side(s, 33.0, side);
    for (int k = 0; k < 3; ++k)
        look[k] = usual ? -side[k] * cos(30.0 * degree) : o->to[k] - o->from[k];
    if (usual) look[1] = -sin(30.0 * degree);
    const double length = sqrt(look[0] * look[0] + look[1] * look[1] + look[2] * look[2]);
    if (!isfinite(length) || !(length > 0.0))
        return sp_fail(err, SP_BAD_SCENE, "look.camera: from and to must be finite numbers");
    double right[3] = {-look[2], 0.0, look[0]}; // look x up, in the world: see internal.h
    double level = sqrt(right[0] * right[0] + right[2] * right[2]);
    if (level < 1e-9 * length) { // straight down: +x to the right
        right[0] = level = 1.0;
        right[2] = 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        look[k] /= length;
        right[k] /= level;
    }
    const double up[3] = {right[1] * look[2] - right[2] * look[1],
                          right[2] * look[0] - right[0] * look[2],
                          right[0] * look[1] - right[1] * look[0]};
    s->eye.d = scene_direction(s, look);
    s->right = scene_direction(s, right);
    s->up = scene_direction(s, up);
    if (usual)
        fit(s);
    else
        s->eye.o = scene_point(s, o->from);
    return SP_OK;
}

ray camera_ray(const scene *s, float x, float y)
{
    const sp_vec3 d = sp_madd(sp_madd(s->eye.d, s->right, x * s->tan_x), s->up, y * s->tan_y);
    return (ray){s->eye.o, sp_normalize(d, s->eye.d)};
}
