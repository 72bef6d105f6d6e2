// SPDX-License-Identifier: Apache-2.0
/// Places water, bubbles and foam. Random numbers depend on (seed, purpose, list entry, particle),
/// so that a change of one list entry does not move the particles of another.
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

bool still_fill_plume(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points)
{
    enum { TRIES = 64 };
    const sp_still_plume *plume = &def->plumes[which];
    const sp_vec3 from = {plume->from[0], plume->from[1], plume->from[2]};
    const sp_vec3 to = {plume->to[0], plume->to[1], plume->to[2]};
    const sp_vec3 along = sp_normalize(sp_sub(to, from), (sp_vec3){0.0f, 1.0f, 0.0f});
    const sp_vec3 helper =
        fabsf(along.x) < 0.9f ? (sp_vec3){1.0f, 0.0f, 0.0f} : (sp_vec3){0.0f, 1.0f, 0.0f};
    const sp_vec3 u = sp_normalize(sp_cross(along, helper), helper), v = sp_cross(along, u);
    for (uint64_t i = 0; i < plume->count; ++i)
        for (uint32_t k = 0; k < TRIES; ++k) {
            const sp_random4 a = sp_random(seed, PURPOSE_PLUME, i, (uint32_t)which, 2 * k);
            const sp_random4 b = sp_random(seed, PURPOSE_PLUME, i, (uint32_t)which, 2 * k + 1);
            float x, y;
            normal_pair(a.x[0], a.x[1], &x, &y);
            const float t = sp_unit(a.x[2]),
                        spread = sp_mix(plume->spread_from, plume->spread_to, t);
            const float r =
                draw_radius(plume->smallest, plume->largest, plume->power, sp_unit(b.x[0]));
            const sp_vec3 p =
                sp_madd(sp_madd(sp_madd(from, sp_sub(to, from), t), u, x * spread), v, y * spread);
            if (!has_room(def, p, r)) continue;
            if (!add(points, p, r, plume->rise)) return false;
            break;
        }
    return true;
}

/// ---- Rafts -------------------------------------------------------------------------------------

/// Candidates of a raft: bubbles clear of the walls, sorted into cells at least as wide as the
/// largest bubble.
typedef struct raft_tries {
    size_t count;
    float *x, *z, *radius; ///< m
    sp_cells cells;
    uint32_t *kept; ///< accepted bubbles by cell; their indices lead the cell in `order`
} raft_tries;

static void draw_tries(const sp_still_def *def, size_t which, uint64_t seed, raft_tries *t)
{
    const sp_still_raft *raft = &def->rafts[which];
    const sp_still_water *w = &def->water;
    for (uint64_t i = 0; i < raft->count; ++i) {
        const sp_random4 a = sp_random(seed, PURPOSE_RAFT, i, (uint32_t)which, 0);
        float x, z;
        normal_pair(a.x[0], a.x[1], &x, &z);
        const float r = draw_radius(raft->smallest, raft->largest, raft->power, sp_unit(a.x[2]));
        const float px = raft->center[0] + raft->spread * x,
                    pz = raft->center[2] + raft->spread * z, wall = def->voxel + r;
        if (px < w->min[0] + wall || px > w->max[0] - wall || pz < w->min[2] + wall ||
            pz > w->max[2] - wall)
            continue;
        t->x[t->count] = px;
        t->z[t->count] = pz;
        t->radius[t->count++] = r;
    }
}

static bool open_tries(raft_tries *t, const sp_host *host, const sp_still_raft *raft)
{
    const float half = 4.0f * raft->spread + raft->largest,
                edge = fmaxf(2.0f * raft->largest, half / 512.0f);
    const float low[3] = {raft->center[0] - half, raft->center[2] - half, 0.0f},
                high[3] = {raft->center[0] + half, raft->center[2] + half, 0.0f};
    const size_t along = (size_t)ceilf(2.0f * half / edge) + 1;
    if (sp_cells_open(&t->cells, host, along * along, raft->count, NULL) != SP_OK) return false;
    sp_cells_shape(&t->cells, 2, low, high, edge);
    return (t->x = sp_allocate(host, raft->count, sizeof *t->x)) &&
           (t->z = sp_allocate(host, raft->count, sizeof *t->z)) &&
           (t->radius = sp_allocate(host, raft->count, sizeof *t->radius)) &&
           (t->kept = sp_allocate(host, along * along, sizeof *t->kept));
}

static void close_tries(raft_tries *t, const sp_host *host)
{
    sp_cells_close(&t->cells);
    sp_release(host, t->x);
    sp_release(host, t->z);
    sp_release(host, t->radius);
    sp_release(host, t->kept);
}

static bool overlaps_in_cell(const raft_tries *t, size_t i, size_t cell)
{
    const uint32_t *kept = t->cells.order + t->cells.start[cell];
    for (uint32_t n = 0; n < t->kept[cell]; ++n) {
        const float dx = t->x[i] - t->x[kept[n]], dz = t->z[i] - t->z[kept[n]];
        const float sum = 0.9f * (t->radius[i] + t->radius[kept[n]]);
        if (dx * dx + dz * dz < sum * sum) return true;
    }
    return false;
}

/// Whether an accepted bubble is in the way. Bubbles may overlap by a tenth.
static bool overlaps(const raft_tries *t, size_t i)
{
    const int32_t *n = t->cells.lattice.n, cell = (int32_t)t->cells.cell[i];
    const int32_t ci = cell % n[0], ck = cell / n[0];
    for (int32_t k = ck - 1; k <= ck + 1; ++k)
        for (int32_t c = ci - 1; c <= ci + 1; ++c)
            if (c >= 0 && k >= 0 && c < n[0] && k < n[1] &&
                overlaps_in_cell(t, i, (size_t)(c + n[0] * k)))
                return true;
    return false;
}

bool still_fill_raft(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points)
{
    const sp_host *host = points->host;
    raft_tries t = {0};
    bool good = open_tries(&t, host, &def->rafts[which]);
    if (good) {
        draw_tries(def, which, seed, &t);
        sp_cells_fill(&t.cells, t.count, t.x, t.z, NULL);
    }
    for (size_t i = 0; good && i < t.count; ++i) {
        if (overlaps(&t, i)) continue;
        const sp_vec3 p = {t.x[i], still_level(&def->water, t.x[i], t.z[i]) + 0.35f * t.radius[i],
                           t.z[i]};
        good = add(points, p, t.radius[i], 0.0f);
        const uint32_t cell = t.cells.cell[i];
        t.cells.order[t.cells.start[cell] + t.kept[cell]++] = (uint32_t)i;
    }
    close_tries(&t, host);
    return good;
}
