// SPDX-License-Identifier: Apache-2.0
/// The surroundings: in the studio a floor that curves up into a wall with a soft glow, and three
/// softboxes; under the sky a large floor. All lengths scale with the diagonal of the content.
#include "render/internal.h"

#include <math.h>
#include <string.h>

/// A frame of reference: x to the camera's right, y up, z towards the camera, origin at the bottom
/// centre of the content.
typedef struct room {
    double origin[3], right[3], front[3]; ///< in the tracer's space
    double unit;                          ///< m; diagonal of the content's bounds
} room;

static room room_open(const stage *s, const sp_look_camera *camera, const double base[3])
{
    room r = {0};
    double front[3], length = 0.0, diagonal = 0.0;
    for (int c = 0; c < 3; ++c) {
        front[c] = c == 1 ? 0.0 : (double)camera->from[c] - (double)camera->to[c];
        length += front[c] * front[c];
        diagonal += pow(s->bounds.high[c] - s->bounds.low[c], 2.0);
        r.origin[c] =
            (c == 1 ? s->bounds.low[1] : 0.5 * (s->bounds.low[c] + s->bounds.high[c])) - base[c];
    }
    if (length < 1e-18) front[2] = length = 1.0; // looking straight down
    for (int c = 0; c < 3; ++c)
        r.front[c] = front[c] / sqrt(length);
    r.right[0] = r.front[2];
    r.right[2] = -r.front[0];
    r.unit = fmax(sqrt(diagonal), 1e-4);
    return r;
}

/// Transforms a point of the room, in units of the diagonal, to the tracer's space.
static void room_point(const room *r, double x, double y, double z, float out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] = (float)(r->origin[c] +
                         r->unit * (x * r->right[c] + z * r->front[c] + (c == 1 ? y : 0.0)));
}

static void room_direction(const room *r, double x, double y, double z, float out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] = (float)(r->unit * (x * r->right[c] + z * r->front[c] + (c == 1 ? y : 0.0)));
}

/// ---- Floor and wall ----------------------------------------------------------------------------

enum { CURVE = 24, PROFILE = CURVE + 3 };

/// A sheet extruded along x from a profile of points (y, z); its upper side faces the camera.
static void sweep(const room *r, const double (*profile)[2], size_t points, double half,
                  sp_mesh *mesh)
{
    for (size_t i = 0; i < points; ++i) {
        const size_t a = i > 0 ? i - 1 : 0, b = i + 1 < points ? i + 1 : points - 1;
        const double dy = profile[b][0] - profile[a][0], dz = profile[b][1] - profile[a][1];
        const double length = sqrt(dy * dy + dz * dz);
        for (int side = 0; side < 2; ++side) {
            room_point(r, side ? half : -half, profile[i][0], profile[i][1],
                       mesh->x[2 * i + (size_t)side]);
            for (int c = 0; c < 3; ++c)
                mesh->n[2 * i + (size_t)side][c] =
                    (float)((c == 1 ? -dz : 0.0) / length + dy / length * r->front[c]);
        }
    }
    for (uint32_t i = 0; i + 1 < points; ++i) {
        const uint32_t v = 2 * i;
        memcpy(mesh->tri[2 * i], (uint32_t[3]){v, v + 1, v + 2}, sizeof *mesh->tri);
        memcpy(mesh->tri[2 * i + 1], (uint32_t[3]){v + 1, v + 3, v + 2}, sizeof *mesh->tri);
    }
}

static sp_status put_sheet(const room *r, const double (*profile)[2], size_t points, double half,
                           const sp_trace_material *material, const sp_host *host,
                           sp_tracer *tracer, sp_error *err)
{
    sp_mesh mesh;
    SP_TRY(sp_mesh_open(&mesh, host, 2 * points, 2 * (points - 1), SP_MESH_NORMALS, err));
    sweep(r, profile, points, half, &mesh);
    const sp_status status = sp_tracer_mesh(tracer, &mesh, NULL, SP_TRACE_OPAQUE,
                                            sp_tracer_material(tracer, material), err);
    sp_mesh_close(&mesh);
    return status;
}

/// Floor, a quarter circle and a wall, from behind the camera to behind the content. The wall glows
/// softly: in a dark room with light from the sides the rims of bubbles shine, a bright wall hides
/// them.
static sp_status put_cyclorama(const room *r, const sp_host *host, sp_tracer *tracer, sp_error *err)
{
    double profile[PROFILE][2];
    const double radius = 0.5, back = -1.5, floor = -0.002;
    profile[0][0] = floor, profile[0][1] = 12.0;
    for (int i = 0; i <= CURVE; ++i) {
        const double a = 0.5 * SP_PI_D * (double)i / (double)CURVE;
        profile[1 + i][0] = floor + radius * (1.0 - cos(a));
        profile[1 + i][1] = back + radius - radius * sin(a);
    }
    profile[PROFILE - 1][0] = 8.0, profile[PROFILE - 1][1] = back;
    // exp(-x^2/0.42 - y^2/0.09) for a diagonal of half a metre
    sp_trace_material wall = {.color = {0.055f, 0.06f, 0.07f},
                              .rough = 1.0f,
                              .emission = {0.004f, 0.006f, 0.008f},
                              .glow = {0.2f, 0.3f, 0.42f},
                              .glow_across = (float)(r->unit * 2.0 * sqrt(0.42)),
                              .glow_upward = (float)(r->unit * 2.0 * 0.3)};
    room_point(r, 0.0, 0.48, back, wall.glow_at);
    return put_sheet(r, (const double(*)[2])profile, PROFILE, 12.0, &wall, host, tracer, err);
}

static sp_status put_floor(const room *r, const sp_host *host, sp_tracer *tracer, sp_error *err)
{
    const double profile[2][2] = {{-0.002, 60.0}, {-0.002, -60.0}};
    const sp_trace_material stone = {.color = {0.42f, 0.4f, 0.37f},
                                     .rough = 0.9f,
                                     .pattern = 2,
                                     .pattern_size = (float)(0.05 * r->unit)};
    return put_sheet(r, profile, 2, 60.0, &stone, host, tracer, err);
}

/// ---- Lamps -------------------------------------------------------------------------------------

/// A softbox that faces the centre of the content. It is a little cool, so that foam looks white in
/// front of the bluish wall.
static sp_trace_softbox softbox(const room *r, const double at[3], double width, double height,
                                float radiance)
{
    sp_trace_softbox box = {.radiance = {0.94f * radiance, 0.98f * radiance, 1.04f * radiance}};
    const double target[3] = {0.0, 0.35, 0.0};
    double n[3], u[3], v[3];
    sp_sub3(target, at, n);
    sp_unit3(n);
    // v is as vertical as possible; u x v = n
    const double upright[3] = {0.0, fabs(n[1]) < 0.9 ? 1.0 : 0.0, fabs(n[1]) < 0.9 ? 0.0 : -1.0};
    sp_cross3(upright, n, u);
    sp_unit3(u);
    sp_cross3(n, u, v);
    room_point(r, at[0], at[1], at[2], box.center);
    room_direction(r, 0.5 * width * u[0], 0.5 * width * u[1], 0.5 * width * u[2], box.u);
    room_direction(r, 0.5 * height * v[0], 0.5 * height * v[1], 0.5 * height * v[2], box.v);
    return box;
}

static sp_status put_lights(const stage *s, const room *r, sp_tracer *tracer, sp_error *err)
{
    static const sp_trace_dome domes[] = {SP_DOME_STUDIO, SP_DOME_SKY, SP_DOME_OVERCAST,
                                          SP_DOME_FURNACE};
    const sp_look_def *look = s->look;
    const sp_trace_softbox boxes[3] = {
        softbox(r, (const double[3]){-1.55, 1.75, 1.35}, 1.28, 1.28,
                15.0f), // key: left, in front, high
        softbox(r, (const double[3]){1.75, 1.15, -1.1}, 0.8, 1.52, 11.4f), // rim: right, behind
        softbox(r, (const double[3]){0.1, 2.3, 0.15}, 1.8, 0.88, 7.0f),    // top
    };
    const sp_trace_lights lights = {
        .dome = domes[look->light],
        .dome_scale = 1.0f,
        .sun_elevation = look->sun.elevation,
        .sun_azimuth = look->sun.azimuth,
        .sun_strength = look->light == SP_LIGHT_SKY ? look->sun.strength : 0.0f,
        .boxes = boxes,
        .box_count = look->light == SP_LIGHT_STUDIO ? 3 : 0,
    };
    return sp_tracer_lights(tracer, &lights, err);
}

/// For diagrams: light from all sides, and one lamp for shading.
static sp_status put_even_light(const room *r, sp_tracer *tracer, sp_error *err)
{
    const sp_trace_softbox key = softbox(r, (const double[3]){-1.55, 1.75, 1.35}, 1.28, 1.28, 5.0f);
    const sp_trace_lights lights = {
        .dome = SP_DOME_FURNACE, .dome_scale = DIAGRAM_DOME, .boxes = &key, .box_count = 1};
    return sp_tracer_lights(tracer, &lights, err);
}

sp_status studio_build(const stage *s, const sp_look_camera *camera, const double base[3],
                       sp_tracer *tracer, sp_error *err)
{
    const room r = room_open(s, camera, base);
    if (s->options->kind != SP_RENDER_PICTURE) return put_even_light(&r, tracer, err);
    int background = s->look->background;
    if (background == SP_BACKGROUND_AUTO)
        background = s->look->light == SP_LIGHT_STUDIO    ? SP_BACKGROUND_CYCLORAMA
                     : s->look->light == SP_LIGHT_FURNACE ? SP_BACKGROUND_DOME
                                                          : SP_BACKGROUND_GROUND;
    if (background == SP_BACKGROUND_CYCLORAMA) SP_TRY(put_cyclorama(&r, s->host, tracer, err));
    if (background == SP_BACKGROUND_GROUND) SP_TRY(put_floor(&r, s->host, tracer, err));
    return put_lights(s, &r, tracer, err);
}
