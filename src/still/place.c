// SPDX-License-Identifier: Apache-2.0
/// Places water, bubbles and foam. Random numbers depend on (seed, purpose, list entry, particle),
/// so that a change of one list entry does not move the particles of another.
#include "still/discs.h"
#include "still/internal.h"

#include <math.h>
#include <string.h>

enum { PURPOSE_HERO = 0x57110001, PURPOSE_PLUME, PURPOSE_RAFT };

/// Appends a particle; its id is its index. False when there is no memory.
static bool add(sp_published *points, sp_vec3 p, float radius, float rise)
{
    if (points->count == points->capacity && !sp_published_reserve(points, points->count + 1024))
        return false;
    sp_published_add(points, (float[3]){p.x, p.y, p.z}, (float[3]){0.0f, rise, 0.0f}, radius,
                     points->count);
    return true;
}

/// Four waves at irregular angles, so that the pattern does not repeat within a tank.
float still_level(const sp_still_water *water, float x, float z)
{
    static const float direction[4][4] = {{0.92f, 0.39f, 1.0f, 0.4f},
                                          {-0.41f, 0.91f, 1.37f, 1.9f},
                                          {0.71f, -0.70f, 2.13f, 4.1f},
                                          {0.15f, 0.99f, 3.07f, 2.2f}};
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) {
        const float *d = direction[k];
        const float phase = 2.0f * SP_PI * d[2] * (d[0] * x + d[1] * z) / water->wave + d[3];
        sum += sp_sinf(phase) / (d[2] * 2.0f);
    }
    return water->max[1] + water->ripple * sum;
}

static float box_distance(const float low[3], const float high[3], sp_vec3 p)
{
    const float at[3] = {p.x, p.y, p.z};
    float outside = 0.0f, inside = -INFINITY;
    for (int c = 0; c < 3; ++c) {
        const float d = fmaxf(low[c] - at[c], at[c] - high[c]);
        inside = fmaxf(inside, d);
        outside += d > 0.0f ? d * d : 0.0f;
    }
    return inside > 0.0f ? sqrtf(outside) : inside;
}

float still_water_distance(const sp_still_water *water, sp_vec3 p)
{
    float high[3];
    memcpy(high, water->max, sizeof high);
    high[1] += 10.0f * water->ripple + 1.0f; // the ripples are the top
    const float below = p.y - still_level(water, p.x, p.z);
    return fmaxf(box_distance(water->min, high, p), below);
}

/// A ball cut by a plane below, with a rounded edge: a smooth maximum where both distances
/// differ by less than a quarter of the radius.
float still_hero_distance(const sp_still_hero *hero, sp_vec3 p)
{
    const sp_vec3 c = {hero->center[0], hero->center[1], hero->center[2]};
    const float ball = sp_length(sp_sub(p, c)) - hero->radius;
    if (!(hero->flat > 0.0f)) return ball;
    const float plane = c.y - hero->radius * (1.0f - 2.0f * hero->flat) - p.y;
    const float k = 0.25f * hero->radius, h = fmaxf(k - fabsf(ball - plane), 0.0f) / k;
    return fmaxf(ball, plane) + 0.25f * h * h * k;
}

static sp_vec3 jitter(uint64_t seed, uint32_t purpose, uint64_t entry, uint64_t i)
{
    const sp_random4 r = sp_random(seed, purpose, i, (uint32_t)entry, 0);
    return (sp_vec3){sp_unit(r.x[0]) - 0.5f, sp_unit(r.x[1]) - 0.5f, sp_unit(r.x[2]) - 0.5f};
}

bool still_fill_hero(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points)
{
    const sp_still_hero *hero = &def->heroes[which];
    const float step = 0.5f * def->voxel;
    const float radius = step * 0.6203505f; // volume of the ball: step^3
    const int n = (int)ceilf(hero->radius / step) + 1;
    uint64_t cell = 0;
    for (int k = -n; k <= n; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i, ++cell) {
                const sp_vec3 offset = jitter(seed, PURPOSE_HERO, which, cell);
                const sp_vec3 p = {hero->center[0] + step * ((float)i + 0.3f * offset.x),
                                   hero->center[1] + step * ((float)j + 0.3f * offset.y),
                                   hero->center[2] + step * ((float)k + 0.3f * offset.z)};
                if (still_hero_distance(hero, p) < 0.0f && !add(points, p, radius, 0.0f))
                    return false;
            }
    return true;
}

/// Draws a radius from the density r^-power between two bounds, by inverting its integral.
static float draw_radius(float smallest, float largest, float power, float u)
{
    const double a = (double)smallest, b = (double)largest, q = 1.0 - (double)power;
    if (fabs(q) < 1e-6) return (float)(a * exp(log(b / a) * (double)u));
    const double low = pow(a, q), high = pow(b, q);
    return (float)pow(low + (high - low) * (double)u, 1.0 / q);
}

/// Two normal deviates from two uniform ones (Box-Muller).
static void normal_pair(uint32_t a, uint32_t b, float *x, float *y)
{
    const float r = sqrtf(-2.0f * logf(sp_unit_open(a))), angle = 2.0f * SP_PI * sp_unit(b);
    *x = r * sp_cosf(angle);
    *y = r * sp_sinf(angle);
}

static bool inside_a_hero(const sp_still_def *def, sp_vec3 p, float radius)
{
    for (size_t h = 0; h < def->hero_count; ++h)
        if (still_hero_distance(&def->heroes[h], p) < radius + 0.5f * def->voxel) return true;
    return false;
}

/// Whether a small bubble is free in the water, or is cut by the surface at most a radius deep.
static bool has_room(const sp_still_def *def, sp_vec3 p, float radius)
{
    const sp_still_water *w = &def->water;
    const float wall = def->voxel + radius;
    const bool within = p.x > w->min[0] + wall && p.x < w->max[0] - wall &&
                        p.z > w->min[2] + wall && p.z < w->max[2] - wall && p.y > w->min[1] + wall;
    return within && p.y < still_level(w, p.x, p.z) - 0.2f * radius &&
           !inside_a_hero(def, p, radius);
}

/// Bubbles of a plume, drawn in parallel and added in order.
typedef struct plume_draws {
    const sp_still_def *def;
    size_t which;
    uint64_t seed, first; ///< number of the first bubble
    sp_vec3 along[3];     ///< from start to end, and two unit vectors across
    sp_vec3 *p;
    float *radius; ///< 0: found no room
} plume_draws;

/// Draws a bubble up to 64 times, until it has room.
static void draw_bubble(const plume_draws *d, size_t k)
{
    enum { TRIES = 64 };
    const sp_still_plume *plume = &d->def->plumes[d->which];
    const sp_vec3 from = {plume->from[0], plume->from[1], plume->from[2]};
    const uint64_t i = d->first + k;
    d->radius[k] = 0.0f;
    for (uint32_t n = 0; n < TRIES && d->radius[k] == 0.0f; ++n) {
        const sp_random4 a = sp_random(d->seed, PURPOSE_PLUME, i, (uint32_t)d->which, 2 * n);
        const sp_random4 b = sp_random(d->seed, PURPOSE_PLUME, i, (uint32_t)d->which, 2 * n + 1);
        float x, y;
        normal_pair(a.x[0], a.x[1], &x, &y);
        const float t = sp_unit(a.x[2]), spread = sp_mix(plume->spread_from, plume->spread_to, t);
        const float r = draw_radius(plume->smallest, plume->largest, plume->power, sp_unit(b.x[0]));
        d->p[k] = sp_madd(sp_madd(sp_madd(from, d->along[0], t), d->along[1], x * spread),
                          d->along[2], y * spread);
        if (has_room(d->def, d->p[k], r)) d->radius[k] = r;
    }
}

static void draw_bubbles(void *arg, size_t begin, size_t end)
{
    for (size_t k = begin; k < end; ++k)
        draw_bubble(arg, k);
}

static void find_axes(const sp_still_plume *plume, sp_vec3 along[3])
{
    const sp_vec3 from = {plume->from[0], plume->from[1], plume->from[2]};
    const sp_vec3 to = {plume->to[0], plume->to[1], plume->to[2]};
    const sp_vec3 axis = sp_normalize(sp_sub(to, from), (sp_vec3){0.0f, 1.0f, 0.0f});
    const sp_vec3 helper =
        fabsf(axis.x) < 0.9f ? (sp_vec3){1.0f, 0.0f, 0.0f} : (sp_vec3){0.0f, 1.0f, 0.0f};
    along[0] = sp_sub(to, from);
    along[1] = sp_normalize(sp_cross(axis, helper), helper);
    along[2] = sp_cross(axis, along[1]);
}

/// A plume of which a whole block found no room lies outside the water or is full, and ends there.
bool still_fill_plume(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points)
{
    enum { BLOCK = 1 << 14 };
    const sp_host *host = points->host;
    const sp_still_plume *plume = &def->plumes[which];
    plume_draws d = {.def = def, .which = which, .seed = seed};
    d.p = sp_allocate(host, BLOCK, sizeof *d.p);
    d.radius = sp_allocate(host, BLOCK, sizeof *d.radius);
    find_axes(plume, d.along);
    bool good = d.p && d.radius, room = true;
    for (; good && room && d.first < plume->count; d.first += BLOCK) {
        const size_t n = plume->count - d.first < BLOCK ? (size_t)(plume->count - d.first) : BLOCK;
        sp_parallel(host, n, 256, draw_bubbles, &d);
        room = false;
        for (size_t k = 0; good && k < n; ++k) {
            if (d.radius[k] == 0.0f) continue;
            room = true;
            good = add(points, d.p[k], d.radius[k], plume->rise);
        }
    }
    sp_release(host, d.p);
    sp_release(host, d.radius);
    return good;
}

/// ---- Rafts -------------------------------------------------------------------------------------

/// Draws a bubble; its radius is 0 if it would touch a wall.
static still_disc draw_disc(const sp_still_def *def, size_t which, uint64_t seed, uint64_t i)
{
    const sp_still_raft *raft = &def->rafts[which];
    const sp_still_water *w = &def->water;
    const sp_random4 a = sp_random(seed, PURPOSE_RAFT, i, (uint32_t)which, 0);
    float x, z;
    normal_pair(a.x[0], a.x[1], &x, &z);
    const float r = draw_radius(raft->smallest, raft->largest, raft->power, sp_unit(a.x[2]));
    const float px = raft->center[0] + raft->spread * x, pz = raft->center[2] + raft->spread * z,
                wall = def->voxel + r;
    const bool outside = px < w->min[0] + wall || px > w->max[0] - wall || pz < w->min[2] + wall ||
                         pz > w->max[2] - wall;
    return (still_disc){px, pz, outside ? 0.0f : r};
}

bool still_fill_raft(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points)
{
    const sp_still_water *w = &def->water;
    const double low[2] = {(double)w->min[0], (double)w->min[2]},
                 edge = fmax((double)w->max[0] - low[0], (double)w->max[2] - low[1]);
    still_discs placed;
    bool good = still_discs_open(&placed, points->host, low, edge);
    for (uint64_t i = 0; good && i < def->rafts[which].count; ++i) {
        const still_disc disc = draw_disc(def, which, seed, i);
        if (disc.radius == 0.0f || still_discs_meet(&placed, disc)) continue;
        const sp_vec3 p = {disc.x, still_level(w, disc.x, disc.z) + 0.35f * disc.radius, disc.z};
        good = still_discs_add(&placed, disc) && add(points, p, disc.radius, 0.0f);
    }
    still_discs_close(&placed);
    return good;
}
