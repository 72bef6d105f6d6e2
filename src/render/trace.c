// SPDX-License-Identifier: Apache-2.0
/// The path of a sample: outside, over the water, and in the water. See internal.h for the idea.
#include "render/internal.h"

enum { MAX_BOUNCES = 9 };

static float tiny(const scene *s)
{
    return 2e-5f * s->scale;
}

/// Which wall of a box a ray leaves by: distance and the wall's inward normal.
static float leave_box(const ray *r, sp_vec3 low, sp_vec3 high, sp_vec3 *inward)
{
    const float tx = r->d.x > 0.0f   ? (high.x - r->o.x) / r->d.x
                     : r->d.x < 0.0f ? (low.x - r->o.x) / r->d.x
                                     : INFINITY;
    const float tz = r->d.z > 0.0f   ? (high.z - r->o.z) / r->d.z
                     : r->d.z < 0.0f ? (low.z - r->o.z) / r->d.z
                                     : INFINITY;
    if (tx < tz) {
        *inward = (sp_vec3){r->d.x > 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f};
        return fmaxf(tx, 0.0f);
    }
    *inward = (sp_vec3){0.0f, 0.0f, r->d.z > 0.0f ? -1.0f : 1.0f};
    return fmaxf(tz, 0.0f);
}

/// What a glance in the water sees without following it: Snell's window above, the mirrored floor
/// around it, the lit floor below.
static color water_glance(const scene *s, sp_vec3 p, sp_vec3 d)
{
    const float x = sp_clamp(p.x + 0.3f * s->scale * d.x, 0.0f, s->size_x);
    const float z = sp_clamp(p.z + 0.3f * s->scale * d.z, 0.0f, s->size_z);
    const color floor_color = times(gray(0.75f), fade(s->absorb, 2.0f * s->depth));
    const color wall = times((color){0.22f, 0.42f, 0.50f}, fade(s->absorb, 0.5f * s->depth));
    if (d.y > 0.0f) {
        sp_vec3 out = d;
        const sp_vec3 down = {0.0f, -1.0f, 0.0f};
        const float mirrored = refract(d, down, WATER_INDEX, &out);
        const float foam = light_map_read(&s->map, s->map.foam, x, z);
        const color above = blend(sky(s, out), gray(0.8f), 0.5f * foam);
        const color below = blend(wall, floor_color, smooth(0.1f, 0.6f, d.y));
        return blend(above, below, mirrored);
    }
    const float sun = light_map_read(&s->map, s->map.sun, x, z);
    return blend(wall, sp_scale(floor_color, 0.6f + 0.5f * sun), smooth(0.0f, 0.5f, -d.y));
}

/// The state of a path inside the water.
typedef struct path {
    ray r;
    color light, weight;
    int bounces;
} path;

static void follow(path *w, sp_vec3 o, sp_vec3 d, color weight)
{
    w->r = (ray){o, d};
    w->weight = times(w->weight, weight);
    ++w->bounces;
}

static void gather(path *w, color c, float share)
{
    w->light = sp_add(w->light, sp_scale(times(w->weight, c), share));
}

/// An air bubble in water: beyond two thirds of its radius it mirrors everything, which is its
/// bright rim; the middle is a lens that spreads what lies behind.
static void meet_bubble(const scene *s, path *w, const ball *b, sp_vec3 p)
{
    const sp_vec3 n = ball_normal(b, p);
    const sp_vec3 back = mirror(w->r.d, n);
    sp_vec3 inside = w->r.d;
    const float mirrored = refract(w->r.d, n, WATER_INDEX, &inside);
    // The sun as the bubble mirrors it, and a gloss from the lit water all around.
    const float glint = sp_dot(back, s->sun_below);
    if (glint > 0.95f) gather(w, gray(5.0f * sp_expf(-(1.0f - glint) * 260.0f)), 1.0f);
    gather(w, sp_add(water_glance(s, p, back), (color){0.10f, 0.16f, 0.17f}), 1.5f * mirrored);
    if (mirrored >= 1.0f) {
        w->weight = gray(0.0f);
        return;
    }
    const ray chord = {p, inside};
    float t0, t1;
    if (!ball_cross(b, &chord, &t0, &t1) || !(t1 > 0.0f)) t1 = 0.0f;
    const sp_vec3 q = along(&chord, t1), far = sp_scale(ball_normal(b, q), -1.0f);
    sp_vec3 out = inside;
    const float lost = refract(inside, far, 1.0f / WATER_INDEX, &out);
    follow(w, sp_madd(q, out, tiny(s)), out, gray((1.0f - mirrored) * (1.0f - lost)));
}

/// Water against air, from inside: a wall (behind its glass) or the surface.
static void meet_air(const scene *s, path *w, sp_vec3 p, sp_vec3 n, bool wall)
{
    const sp_vec3 back = mirror(w->r.d, n), start = sp_madd(p, n, tiny(s));
    sp_vec3 out = w->r.d;
    const float mirrored = refract(w->r.d, n, WATER_INDEX, &out);
    if (mirrored < 1.0f) {
        const ray beyond = {p, out};
        color c;
        if (wall) {
            c = surroundings(s, &beyond);
        } else {
            const float foam = light_map_read(&s->map, s->map.foam, p.x, p.z);
            c = blend(out.y > 0.0f ? sky(s, out) : surroundings(s, &beyond), gray(0.85f),
                      0.7f * foam);
        }
        gather(w, c, 1.0f - mirrored);
    }
    if (mirrored > 0.4f) {
        follow(w, start, back, gray(mirrored));
    } else {
        gather(w, water_glance(s, start, back), mirrored);
        w->weight = gray(0.0f);
    }
}

/// One stretch of straight light in the water, to the next thing in its way.
static void advance(const scene *s, path *w)
{
    const sp_vec3 low = {0.0f, s->base, 0.0f}, high = {s->size_x, s->rim, s->size_z};
    sp_vec3 n;
    float t = leave_box(&w->r, low, high, &n), hit;
    enum { WALL, FLOOR, SURFACE } what = WALL;
    if (sheet_hit(&s->ground, &w->r, 1, 0.0f, t, &hit)) {
        t = hit;
        what = FLOOR;
    }
    if (sheet_hit(&s->surface, &w->r, -1, 0.0f, t, &hit)) {
        t = hit;
        what = SURFACE;
    }
    const ball *solid = ball_grid_hit(&s->solids, &w->r, 0.0f, &t);
    const ball *bubble = ball_grid_hit(&s->bubbles, &w->r, 0.0f, &t);
    const sp_vec3 p = along(&w->r, t);
    // Water glows a little by itself: light scattered towards the eye, less of it further down.
    const float deep = fmaxf(s->surface.high - p.y, 0.0f);
    const color haze = times((color){0.05f, 0.24f, 0.34f}, fade(s->absorb, deep));
    gather(w, haze, 1.0f - sp_expf(-0.3f * s->murk * t));
    w->weight = times(w->weight, fade(s->absorb, t));
    if (bubble) {
        meet_bubble(s, w, bubble, p);
    } else if (solid) {
        gather(w, shade_solid(s, solid, p), 1.0f);
        w->weight = gray(0.0f);
    } else if (what == FLOOR) {
        gather(w, floor_light(s, p), 1.0f);
        w->weight = gray(0.0f);
    } else {
        if (what == SURFACE) n = sp_scale(sheet_normal(&s->surface, p.x, p.z), -1.0f);
        meet_air(s, w, p, n, what == WALL);
    }
}

color trace_water(const scene *s, ray r)
{
    path w = {.r = r, .weight = gray(1.0f)};
    while (w.bounces < MAX_BOUNCES && w.weight.x + w.weight.y + w.weight.z > 0.02f)
        advance(s, &w);
    if (w.bounces >= MAX_BOUNCES) gather(&w, water_glance(s, w.r.o, w.r.d), 1.0f);
    return w.light;
}

/// The surface seen from the air: mirror and window.
static color meet_water(const scene *s, const ray *r, float t)
{
    const sp_vec3 p = along(r, t);
    const float depth = p.y - sheet_at(&s->ground, p.x, p.z);
    const sp_vec3 n = sheet_normal(&s->surface, p.x, p.z), shine = mirror(r->d, n);
    sp_vec3 bent = r->d;
    const float mirrored = refract(r->d, n, 1.0f / WATER_INDEX, &bent);
    const color above = sp_scale(sp_add(sky(s, shine), sun_glint(s, shine, 900.0f)), mirrored);
    const float wet =
        smooth(0.0f, 0.012f * s->scale, depth); // the film on a shore fades into water
    const color shore = stone(s, p, n, 0.9f);
    if (wet <= 0.0f) return sp_add(shore, sp_scale(above, 0.6f));
    const float foam = light_map_read(&s->map, s->map.foam, p.x, p.z);
    const ray down = {sp_madd(p, n, -tiny(s)), bent};
    const color below = sp_scale(trace_water(s, down), (1.0f - mirrored) * (1.0f - 0.22f * foam));
    return sp_add(blend(shore, below, wet), above);
}

/// Leaving through a pane of glass into the room behind.
static color leave_tank(const scene *s, const ray *r, float t, sp_vec3 inward)
{
    const ray out = {along(r, t), r->d};
    if (out.o.y > s->rim) return surroundings(s, &out);
    sp_vec3 bent;
    const float mirrored =
        1.6f * refract(r->d, inward, 1.0f / 1.5f, &bent); // both faces of the pane
    const color pane =
        blend(surroundings(s, &out), sky(s, mirror(r->d, inward)), fminf(mirrored, 1.0f));
    return times(pane, (color){0.90f, 0.96f, 0.95f});
}

/// In the tank, in the air over the water.
static color trace_air(const scene *s, const ray *r)
{
    const sp_vec3 low = {0.0f, s->base, 0.0f}, high = {s->size_x, s->rim, s->size_z};
    sp_vec3 inward;
    float t = leave_box(r, low, high, &inward), hit;
    const bool water = sheet_hit(&s->surface, r, 1, 0.0f, t, &hit);
    if (water) t = hit;
    const ball *solid = ball_grid_hit(&s->solids, r, 0.0f, &t);
    color passed = gray(1.0f);
    const color foam = through_foam(s, r, t, &passed);
    color behind = gray(0.0f);
    if (passed.x + passed.y + passed.z > 0.02f)
        behind = solid   ? shade_solid(s, solid, along(r, t))
                 : water ? meet_water(s, r, t)
                         : leave_tank(s, r, t, inward);
    return sp_add(foam, times(passed, behind));
}

/// The cut edge of the glass: green, and bright where it catches the sky.
static color glass_edge(const scene *s, const ray *r, sp_vec3 n)
{
    sp_vec3 bent;
    const float mirrored = refract(r->d, n, 1.0f / 1.5f, &bent);
    const color body = sp_scale((color){0.30f, 0.52f, 0.48f}, 0.55f + 0.45f * n.y);
    return blend(body, sky(s, mirror(r->d, n)), sp_clamp(0.12f + mirrored, 0.0f, 1.0f));
}

/// From outside through the wall at p.
static color enter_wall(const scene *s, const ray *r, sp_vec3 p, sp_vec3 n)
{
    if (p.y < s->base) return stone(s, p, n, 0.0f);
    sp_vec3 bent = r->d;
    const float mirrored = refract(r->d, n, 1.0f / WATER_INDEX, &bent);
    const color shine = sp_scale(sky(s, mirror(r->d, n)), mirrored);
    const float t = s->glass / fmaxf(-sp_dot(bent, n), 0.05f);
    const sp_vec3 q = sp_madd(p, bent, t);
    const float e = tiny(s); // q lies on the inner face, give or take the last bit
    if (q.x < -e || q.x > s->size_x + e || q.z < -e || q.z > s->size_z + e || q.y > s->rim)
        return sp_add(sp_scale(glass_edge(s, r, n), 0.8f), shine);
    const float ground = sheet_at(&s->ground, q.x, q.z), level = sheet_at(&s->surface, q.x, q.z);
    const sp_vec3 start = sp_madd(q, n, -e);
    color c;
    if (q.y < ground)
        c = stone(s, q, n, 0.5f);
    else if (q.y < level)
        c = trace_water(s, (ray){start, bent});
    else
        c = trace_air(s, &(ray){start, r->d});
    // Water creeps up the glass a little and catches the light: the line that says "full to here".
    const float line =
        1.0f - smooth(0.0f, fminf(0.004f * s->scale, 0.012f * s->depth), fabsf(q.y - level));
    c = blend(c, (color){0.80f, 0.98f, 1.0f}, 0.55f * line);
    const color tint = fade((color){0.10f, 0.025f, 0.035f}, t / s->glass);
    return sp_add(sp_scale(times(c, tint), 1.0f - mirrored), shine);
}

/// Where a ray enters the tank's outer box; false when it misses. *n is the face's outward normal.
static bool enter_box(const scene *s, const ray *r, float *t, sp_vec3 *n)
{
    const float low[3] = {-s->glass, s->table, -s->glass};
    const float high[3] = {s->size_x + s->glass, s->rim, s->size_z + s->glass};
    const float o[3] = {r->o.x, r->o.y, r->o.z}, d[3] = {r->d.x, r->d.y, r->d.z};
    float near = 0.0f, far = INFINITY, face[3] = {0};
    int axis = -1;
    for (int k = 0; k < 3; ++k) {
        const float inverse = 1.0f / (fabsf(d[k]) > 1e-9f ? d[k] : 1e-9f);
        const float a = (low[k] - o[k]) * inverse, b = (high[k] - o[k]) * inverse;
        if (fminf(a, b) > near) {
            near = fminf(a, b);
            axis = k;
        }
        far = fminf(far, fmaxf(a, b));
    }
    if (!(near < far)) return false;
    if (axis >= 0) face[axis] = d[axis] > 0.0f ? -1.0f : 1.0f;
    *n = (sp_vec3){face[0], face[1], face[2]};
    *t = near;
    return true;
}

static color trace_tank(const scene *s, const ray *r, float t, sp_vec3 n)
{
    const sp_vec3 p = along(r, t);
    if (n.x != 0.0f || n.z != 0.0f) return enter_wall(s, r, p, n);
    const bool inside = p.x > 0.0f && p.x < s->size_x && p.z > 0.0f && p.z < s->size_z;
    if (n.y != 0.0f && !inside) return glass_edge(s, r, n);
    const float level = inside ? sheet_at(&s->surface, p.x, p.z) : s->rim;
    return p.y < level && inside ? trace_water(s, (ray){p, r->d}) : trace_air(s, &(ray){p, r->d});
}

/// The table is polished a little: the tank stands on its own image.
static color table_shine(const scene *s, const ray *r)
{
    const color c = surroundings(s, r);
    if (!(r->d.y < -1e-4f)) return c;
    const ray up = {along(r, (s->table - r->o.y) / r->d.y), {r->d.x, -r->d.y, r->d.z}};
    float t;
    sp_vec3 n;
    if (!enter_box(s, &up, &t, &n) || t > 0.5f * s->scale) return c;
    const float rim = 1.0f + r->d.y, share = 0.06f + 0.6f * rim * rim * rim * rim;
    color image = trace_tank(s, &up, t, n); // without sparks, which a dull mirror would spread out
    image = (color){fminf(image.x, 1.0f), fminf(image.y, 1.0f), fminf(image.z, 1.0f)};
    return blend(c, image, share * (1.0f - smooth(0.0f, 0.5f * s->scale, t)));
}

color trace(const scene *s, const ray *r)
{
    float t = INFINITY;
    sp_vec3 n;
    const bool tank = s->has_water && enter_box(s, r, &t, &n);
    float near = t; // spray may fly outside the tank
    const ball *solid = ball_grid_hit(&s->solids, r, 0.0f, &near);
    if (solid) return shade_solid(s, solid, along(r, near));
    if (tank) return trace_tank(s, r, t, n);
    return s->has_water ? table_shine(s, r) : surroundings(s, r);
}
