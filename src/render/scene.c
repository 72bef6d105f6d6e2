// SPDX-License-Identifier: Apache-2.0
/// From a frame to things that light can hit.
#include "render/internal.h"

#include <string.h>

/// What a picture can show, m; beyond these, floats overflow on the way.
#define SMALLEST 1e-6
#define LARGEST 1e7

sp_vec3 scene_direction(const scene *s, const double d[3])
{
    const sp_vec3 v = {(float)d[0], (float)d[1], (float)d[2]};
    return (sp_vec3){sp_dot(v, s->axis_x), v.y, sp_dot(v, s->axis_z)};
}

sp_vec3 scene_point(const scene *s, const double p[3])
{
    // subtract in double: a pond far from the world's zero must not lose its millimetres
    const double from_corner[3] = {p[0] - s->corner[0], p[1] - s->corner[1], p[2] - s->corner[2]};
    return scene_direction(s, from_corner);
}

/// False for NaN, too.
static bool within(sp_vec3 v, float limit)
{
    return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit;
}

/// Grows the box of what there is to see.
static void see(scene *s, sp_vec3 p, float r)
{
    s->low =
        (sp_vec3){fminf(s->low.x, p.x - r), fminf(s->low.y, p.y - r), fminf(s->low.z, p.z - r)};
    s->high =
        (sp_vec3){fmaxf(s->high.x, p.x + r), fmaxf(s->high.y, p.y + r), fmaxf(s->high.z, p.z + r)};
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/// The picture wants a level rectangle of samples; a solver that publishes another sheet is told
/// so.
static sp_status check_plane(const sp_field *f, sp_error *err)
{
    if (f->layout != SP_FIELD_PLANE || f->components != 1 || f->nu < 2 || f->nv < 2 || !f->values ||
        f->nu > SIZE_MAX / 64 / f->nv)
        return sp_fail(err, SP_BAD_SCENE,
                       "picture: field %s is no plane of at least 2 x 2 single values", f->name);
    const double u = length3(f->du), v = length3(f->dv);
    const double wide = fmin(u * (double)(f->nu - 1), v * (double)(f->nv - 1));
    const double high = fmax(u * (double)(f->nu - 1), v * (double)(f->nv - 1));
    const double skew = f->du[0] * f->dv[0] + f->du[2] * f->dv[2];
    if (!(wide >= SMALLEST && high <= LARGEST && isfinite(length3(f->corner))) ||
        fabs(f->du[1]) > 1e-6 * u || fabs(f->dv[1]) > 1e-6 * v || fabs(skew) > 1e-6 * u * v)
        return sp_fail(err, SP_BAD_SCENE,
                       "picture: the samples of field %s do not lie on a level "
                       "rectangle",
                       f->name);
    for (size_t i = 0; i < f->nu * f->nv; ++i)
        if (!(fabsf(f->values[i]) <= (float)LARGEST))
            return sp_fail(err, SP_DIVERGED,
                           "picture: field %s, value %zu is not a number below %g m", f->name, i,
                           LARGEST);
    return SP_OK;
}

/// The tank around the water: walls a little higher than the waves, glass as thick as such tanks
/// need.
static void measure_tank(scene *s)
{
    double level = 0.0;
    const size_t n = s->surface.nu * s->surface.nv;
    for (size_t i = 0; i < n; ++i)
        level += (double)s->surface.y[i] / (double)n;
    s->size_x = (float)(s->surface.nu - 1) * s->surface.step_u;
    s->size_z = (float)(s->surface.nv - 1) * s->surface.step_v;
    s->scale = sqrtf(s->size_x * s->size_z);
    s->base = s->ground.low;
    s->depth = fmaxf((float)level - s->base, 0.02f * s->scale);
    s->glass = fminf(0.010f * s->scale, 0.06f * s->depth);
    s->rim = fmaxf((float)level + 0.14f * s->depth, s->surface.high + 0.02f * s->depth);
    s->table = s->base - fminf(0.022f * s->scale, 0.12f * s->depth);
    s->tile = fminf(s->scale / 14.0f, fmaxf(0.25f * s->depth, s->scale / 60.0f));
    // The colour of water by the tank's own size, between its width and its depth, so that a glass,
    // a bath and a basin all look like water.
    s->murk = 0.85f / (sp_powf(0.55f * s->scale, 0.35f) * sp_powf(s->depth, 0.65f));
    s->absorb = (color){1.55f * s->murk, 0.50f * s->murk, 0.34f * s->murk};
    see(s, (sp_vec3){-s->glass, s->table, -s->glass}, 0.0f);
    see(s, (sp_vec3){s->size_x + s->glass, s->rim, s->size_z + s->glass}, 0.0f);
}

static sp_status take_water(scene *s, const sp_frame *frame, sp_error *err)
{
    const sp_field *level = sp_frame_field(frame, "height"),
                   *depth = sp_frame_field(frame, "depth");
    if (!level) return SP_OK;
    SP_TRY(check_plane(level, err));
    if (depth) SP_TRY(check_plane(depth, err));
    if (depth && (depth->nu != level->nu || depth->nv != level->nv))
        return sp_fail(err, SP_BAD_SCENE,
                       "picture: field depth has %zu x %zu samples, height %zu x %zu", depth->nu,
                       depth->nv, level->nu, level->nv);
    const double u = length3(level->du), v = length3(level->dv);
    memcpy(s->corner, level->corner, sizeof s->corner);
    s->axis_x = (sp_vec3){(float)(level->du[0] / u), 0.0f, (float)(level->du[2] / u)};
    s->axis_z = (sp_vec3){(float)(level->dv[0] / v), 0.0f, (float)(level->dv[2] / v)};
    if (!sheet_open(&s->surface, s->host, level->nu, level->nv, (float)u, (float)v) ||
        !sheet_open(&s->ground, s->host, level->nu, level->nv, (float)u, (float)v))
        return sp_fail(err, SP_NO_MEMORY, "picture: no memory for %zu x %zu heights", level->nu,
                       level->nv);
    const size_t n = level->nu * level->nv;
    memcpy(s->surface.y, level->values, n * sizeof(float));
    sheet_finish(&s->surface);
    // A height without a depth stands on a flat floor, a quarter of the tank's width below.
    const float guess = s->surface.low - 0.25f * fminf((float)((double)(level->nu - 1) * u),
                                                       (float)((double)(level->nv - 1) * v));
    for (size_t i = 0; i < n; ++i)
        s->ground.y[i] = depth ? level->values[i] - fmaxf(depth->values[i], 0.0f) : guess;
    sheet_finish(&s->ground);
    s->has_water = true;
    measure_tank(s);
    return SP_OK;
}

/// A column of single floats, or NULL when the set has none of that name and shape.
static const float *floats(const sp_set *set, const char *name, int components)
{
    const sp_column *c = sp_set_column(set, name);
    return c && c->kind == SP_F32 && c->components == components ? c->data : NULL;
}

/// Sets that are neither bubbles nor foam: known kinds by their colour, others pale.
static color set_tint(const char *name)
{
    if (strcmp(name, "sand") == 0) return (color){0.60f, 0.45f, 0.26f};
    if (strcmp(name, "liquid") == 0) return (color){0.10f, 0.38f, 0.62f};
    return (color){0.80f, 0.84f, 0.88f};
}

enum kind { BUBBLES, FOAM, SOLIDS };

static enum kind set_kind(const scene *s, const sp_set *set)
{
    if (!s->has_water) return SOLIDS; // without water there is nothing for bubbles to shine in
    return strcmp(set->name, "bubbles") == 0 ? BUBBLES
           : strcmp(set->name, "foam") == 0  ? FOAM
                                             : SOLIDS;
}

/// Bubbles and foam belong in the tank. One that a diverging run threw a kilometre away would only
/// stretch the grid until all others lie in one cell.
static bool in_tank(const scene *s, const ball *b)
{
    return b->c.x + b->r > 0.0f && b->c.x - b->r < s->size_x && b->c.z + b->r > 0.0f &&
           b->c.z - b->r < s->size_z && b->c.y + b->r > s->base && b->c.y - b->r < s->rim &&
           b->r < s->scale;
}

/// Adds the particles of a set that can be drawn; returns how many there are now.
static size_t add_balls(scene *s, const sp_frame *frame, const sp_set *set, ball *out, size_t count)
{
    const float *position = floats(set, "position", 3), *radius = floats(set, "radius", 1);
    const float *axis = floats(set, "axis", 3), *stretch = floats(set, "stretch", 1);
    const float plain = 0.4f * (float)frame->voxel;
    if (!position) return count;
    for (size_t i = 0; i < set->count; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = frame->origin[k] + (double)position[3 * i + (size_t)k];
        ball b = {.c = scene_point(s, p),
                  .r = radius ? radius[i] : plain,
                  .along = 1.0f,
                  .across = 1.0f,
                  .tint = set_tint(set->name)};
        if (!within(b.c, (float)LARGEST) || !(b.r > 0.0f && b.r <= (float)LARGEST)) continue;
        if (axis && stretch) {
            const double d[3] = {(double)axis[3 * i], (double)axis[3 * i + 1],
                                 (double)axis[3 * i + 2]};
            const float longer = 1.0f + stretch[i];
            b.axis = sp_normalize(scene_direction(s, d), (sp_vec3){0});
            // a stretch of -1 or less has no shape; beyond these the drawing would be a needle
            const float k =
                within(b.axis, 1.1f) && isfinite(longer) ? sp_clamp(longer, 0.3f, 3.0f) : 1.0f;
            b.along = 1.0f / k;
            b.across = sqrtf(k);
            if (!within(b.axis, 1.1f)) b.axis = (sp_vec3){0};
        }
        if (!s->has_water)
            see(s, b.c, b.r);
        else if (set_kind(s, set) != SOLIDS && !in_tank(s, &b))
            continue;
        out[count++] = b;
    }
    return count;
}

static sp_status take_balls(scene *s, const sp_frame *frame, enum kind kind, ball_grid *grid,
                            sp_error *err)
{
    size_t room = 0, count = 0;
    for (size_t i = 0; i < frame->set_count; ++i)
        if (set_kind(s, &frame->sets[i]) == kind) room += frame->sets[i].count;
    if (room >= UINT32_MAX / 128) // the grid lists each ball some ten times, in 32 bits
        return sp_fail(err, SP_UNSUPPORTED,
                       "picture: %zu particles are too many for the quick look", room);
    ball *balls = sp_allocate(s->host, room, sizeof *balls);
    if (!balls) return sp_fail(err, SP_NO_MEMORY, "picture: no memory for %zu particles", room);
    for (size_t i = 0; i < frame->set_count; ++i)
        if (set_kind(s, &frame->sets[i]) == kind)
            count = add_balls(s, frame, &frame->sets[i], balls, count);
    if (!ball_grid_open(grid, s->host, balls, count))
        return sp_fail(err, SP_NO_MEMORY, "picture: no memory for a grid of %zu particles", count);
    return SP_OK;
}

/// Nothing but particles, or nothing at all: they lie on the table.
static void measure_open_air(scene *s)
{
    if (!(s->low.x <= s->high.x)) {
        s->low = (sp_vec3){-0.5f, 0.0f, -0.5f};
        s->high = (sp_vec3){0.5f, 0.5f, 0.5f};
    }
    s->table = s->low.y;
    s->scale = fmaxf(sp_length(sp_sub(s->high, s->low)), 1e-6f);
}

sp_status scene_open(scene *s, const sp_frame *frame, const sp_host *host, sp_error *err)
{
    *s = (scene){.host = host,
                 .axis_x = {1.0f, 0.0f, 0.0f},
                 .axis_z = {0.0f, 0.0f, 1.0f},
                 .low = {INFINITY, INFINITY, INFINITY},
                 .high = {-INFINITY, -INFINITY, -INFINITY}};
    memcpy(s->corner, frame->origin, sizeof s->corner);
    sp_status st = take_water(s, frame, err);
    if (st == SP_OK) st = take_balls(s, frame, BUBBLES, &s->bubbles, err);
    if (st == SP_OK) st = take_balls(s, frame, FOAM, &s->foam, err);
    if (st == SP_OK) st = take_balls(s, frame, SOLIDS, &s->solids, err);
    if (st != SP_OK) return st;
    if (s->has_water)
        ground_cut_domes(s);
    else
        measure_open_air(s);
    camera_sun(s);
    if (s->has_water && !light_map_open(s))
        return sp_fail(err, SP_NO_MEMORY, "picture: no memory for the light on the floor");
    return SP_OK;
}

void scene_close(scene *s)
{
    sheet_close(&s->surface, s->host);
    sheet_close(&s->ground, s->host);
    ball_grid_close(&s->bubbles, s->host);
    ball_grid_close(&s->foam, s->host);
    ball_grid_close(&s->solids, s->host);
    sp_release(s->host, s->map.sun);
    sp_release(s->host, s->map.foam);
}
