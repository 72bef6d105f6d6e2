// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_INTERNAL_H
#define SP_RENDER_INTERNAL_H

/// How the picture is made. A sample is one path: it leaves the camera, meets the tank, and goes on
/// through water, bubbles and foam. Where light splits (mirror and glass), the stronger branch is
/// followed and the weaker one is looked up in simple surroundings, so a sample costs one path and
/// has no noise. Sunlight comes through the waves by photons dropped once a picture (caustics.c).
///
/// All of it happens in the tank's own space: metres from the corner of the plane field, x along
/// du, y up, z along dv. A pond's dv points to -z, so this space may be a mirror image of the
/// world; vectors are carried over component by component and nothing below takes a cross product.

#include "render/render.h"

typedef sp_vec3 color; ///< linear light, Rec. 709 primaries

typedef struct ray {
    sp_vec3 o, d; ///< d has length 1
} ray;

/// A height over a rectangle of samples, bilinear between them.
typedef struct sheet {
    float *y;                 ///< m
    float *slope_u, *slope_v; ///< dy/dx and dy/dz at the samples
    size_t nu, nv;
    float step_u, step_v; ///< m
    float low, high;      ///< m
} sheet;

bool sheet_open(sheet *s, const sp_host *host, size_t nu, size_t nv, float step_u, float step_v);
void sheet_close(sheet *s, const sp_host *host);
void sheet_finish(sheet *s); ///< slopes and extremes, once y is filled in
float sheet_at(const sheet *s, float x, float z);
sp_vec3 sheet_normal(const sheet *s, float x, float z);
/// First crossing in (t0, t1) that leaves the side the ray is on: side > 0 from above, < 0 from
/// below.
bool sheet_hit(const sheet *s, const ray *r, int side, float t0, float t1, float *t);

/// A sphere, or an ellipsoid of revolution about `axis`.
typedef struct ball {
    sp_vec3 c;
    float r;
    sp_vec3 axis;
    float along, across; ///< 1 / stretch along and across the axis
    color tint;          ///< of solid balls
} ball;

/// Balls in a uniform grid: a ball is listed in every cell that its box touches.
typedef struct ball_grid {
    ball *balls;
    size_t count;
    sp_vec3 low, high;
    float edge; ///< m
    int n[3];
    uint32_t *start, *items;
} ball_grid;

/// Fails only for want of memory. `balls` are taken over in either case.
bool ball_grid_open(ball_grid *g, const sp_host *host, ball *balls, size_t count);
void ball_grid_close(ball_grid *g, const sp_host *host);
/// Both crossings of a ray with a ball.
bool ball_cross(const ball *b, const ray *r, float *t0, float *t1);
sp_vec3 ball_normal(const ball *b, sp_vec3 p);
/// The nearest ball entered within (t0, *t); *t is lowered to the hit.
const ball *ball_grid_hit(const ball_grid *g, const ray *r, float t0, float *t);
/// Whether a point lies inside any ball but `self`.
bool ball_grid_inside(const ball_grid *g, sp_vec3 p, const ball *self);

/// A walk through the cells along a ray.
typedef struct ball_walk {
    const ball_grid *g;
    int at[3], step[3];
    float next[3], delta[3]; ///< t of the next cell wall, and between walls
    float t0, t1, end;       ///< the cell at hand spans [t0, t1)
    bool live;
} ball_walk;
ball_walk ball_walk_begin(const ball_grid *g, const ray *r, float t0, float t1);
bool ball_walk_next(ball_walk *w, uint32_t *begin, uint32_t *end);

/// Light that reaches the floor through the waves, and foam that covers the surface.
typedef struct light_map {
    float *sun;  ///< 1 where the water is flat
    float *foam; ///< 0 to 1: share of the surface that foam covers
    size_t nu, nv;
    float per_u, per_v; ///< texels per metre
} light_map;

typedef struct scene {
    const sp_host *host;
    sp_vec3 axis_x, axis_z; ///< world directions of x and z
    double corner[3];       ///< world position of the tank's zero
    bool has_water;
    float size_x, size_z; ///< m; inside of the tank
    float glass;          ///< m; thickness of the walls
    float base, rim;      ///< m; lowest ground and upper edge of the walls
    float table;          ///< m; what the tank stands on
    float scale;          ///< m; a length that stands for the whole scene
    float tile;           ///< m; edge of a floor tile
    float depth;          ///< m; of still water
    float murk;           ///< 1/m; how fast the water swallows light
    color absorb;         ///< 1/m; the same by colour
    sp_vec3 sun;          ///< towards the sun, in air
    sp_vec3 sun_below;    ///< the same after still water has bent it
    sp_vec3 low, high;    ///< m; of all there is to see
    sheet surface, ground;
    ball_grid bubbles, foam, solids;
    light_map map;
    ray eye; ///< the camera and its axis
    sp_vec3 right, up;
    float tan_x, tan_y; ///< half the picture's width and height at distance 1
} scene;

sp_status scene_open(scene *s, const sp_frame *frame, const sp_host *host, sp_error *err);
void scene_close(scene *s); ///< takes a half-open one
/// A world position or direction in the scene's space.
sp_vec3 scene_point(const scene *s, const double p[3]);
sp_vec3 scene_direction(const scene *s, const double d[3]);
void ground_cut_domes(scene *s); ///< once the bubbles are known
bool light_map_open(scene *s);
float light_map_read(const light_map *m, const float *texels, float x, float z);

void camera_sun(scene *s); ///< the sun stands behind the tank as the usual camera sees it
sp_status camera_place(scene *s, const sp_render_options *o, sp_error *err);
ray camera_ray(const scene *s, float x, float y); ///< x, y from -1 to 1, y up

/// Fills in what is zero and refuses what makes no sense.
sp_status render_options(const sp_render_options *options, sp_render_options *o, sp_error *err);

color sky(const scene *s, sp_vec3 d); ///< what shiny things mirror
color sun_glint(const scene *s, sp_vec3 d,
                float sharp);                     ///< the sun's own light in a mirrored direction
color surroundings(const scene *s, const ray *r); ///< table and backdrop, without the tank
color stone(const scene *s, sp_vec3 p, sp_vec3 n, float wet);
color floor_light(const scene *s, sp_vec3 p); ///< the tank's floor, lit through the water
color floor_tiles(const scene *s, float x, float z);

color trace(const scene *s, const ray *r); ///< from the camera
color trace_water(const scene *s, ray r);  ///< from a point inside the water
color through_foam(const scene *s, const ray *r, float end, color *passed);
color shade_solid(const scene *s, const ball *b, sp_vec3 p);

#define WATER_INDEX 1.333f

static inline color gray(float x)
{
    return (color){x, x, x};
}
static inline color times(color a, color b)
{
    return (color){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline color blend(color a, color b, float t)
{
    return sp_madd(a, sp_sub(b, a), t);
}
static inline sp_vec3 along(const ray *r, float t)
{
    return sp_madd(r->o, r->d, t);
}
static inline sp_vec3 mirror(sp_vec3 d, sp_vec3 n)
{
    return sp_madd(d, n, -2.0f * sp_dot(d, n));
}
/// Into [0, high], and NaN to 0, so that the result may become an index.
static inline float pin(float x, float high)
{
    return !(x > 0.0f) ? 0.0f : x > high ? high : x;
}
static inline float smooth(float low, float high, float x)
{
    const float t = sp_clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
/// Bends d at a surface with normal n (against d); ratio = index before / index behind. Returns the
/// share of light that is mirrored, 1 in total reflection, when *bent is left alone.
static inline float refract(sp_vec3 d, sp_vec3 n, float ratio, sp_vec3 *bent)
{
    const float c = sp_clamp(-sp_dot(d, n), 0.0f, 1.0f), k = 1.0f - ratio * ratio * (1.0f - c * c);
    if (k <= 0.0f) return 1.0f;
    const float ct = sqrtf(k);
    *bent = sp_add(sp_scale(d, ratio), sp_scale(n, ratio * c - ct));
    const float across = (ratio * c - ct) / (ratio * c + ct),
                in = (c - ratio * ct) / (c + ratio * ct);
    return 0.5f * (across * across + in * in);
}
static inline color fade(color absorb, float length)
{
    return (color){sp_expf(-absorb.x * length), sp_expf(-absorb.y * length),
                   sp_expf(-absorb.z * length)};
}

#endif
