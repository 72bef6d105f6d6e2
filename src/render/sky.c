// SPDX-License-Identifier: Apache-2.0
/// Light, and all that is not water: the sky that shiny things mirror, the table with the tank's
/// shadow, the tank's floor and stones. Colours were chosen by eye.
#include "render/internal.h"

static const color sunlight = {2.9f, 2.65f, 2.3f}, skylight = {0.62f, 0.70f, 0.80f};

/// A studio's sky: pale at the horizon, blue above, with one broad soft lamp over the tank. Its
/// edge is what shows the shape of ripples.
color sky(const scene *s, sp_vec3 d)
{
    const float up = sp_clamp(d.y, 0.0f, 1.0f);
    const color horizon = {0.62f, 0.72f, 0.80f}, zenith = {0.10f, 0.24f, 0.46f};
    color c = blend(horizon, zenith, sqrtf(up));
    const float toward = sp_dot(d, s->sun);
    c = sp_madd(c, (color){1.0f, 0.93f, 0.82f}, 0.9f * smooth(0.80f, 0.985f, toward));
    if (d.y < 0.0f) c = blend(c, gray(0.30f), smooth(0.0f, 0.15f, -d.y));
    return c;
}

color sun_glint(const scene *s, sp_vec3 d, float sharp)
{
    const float toward = sp_dot(d, s->sun);
    if (toward < 0.9f) return gray(0.0f);
    return sp_scale(sunlight, 9.0f * sp_expf(-(1.0f - toward) * sharp));
}

/// How much of the way from p to the sun lies inside the tank's box, m.
static float shaded_length(const scene *s, sp_vec3 p)
{
    const float low[3] = {-s->glass, s->table, -s->glass};
    const float high[3] = {s->size_x + s->glass, s->rim, s->size_z + s->glass};
    const float o[3] = {p.x, p.y, p.z}, d[3] = {s->sun.x, s->sun.y, s->sun.z};
    float t0 = 0.0f, t1 = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const float inverse = 1.0f / (fabsf(d[k]) > 1e-6f ? d[k] : 1e-6f);
        const float a = (low[k] - o[k]) * inverse, b = (high[k] - o[k]) * inverse;
        t0 = fmaxf(t0, fminf(a, b));
        t1 = fminf(t1, fmaxf(a, b));
    }
    return fmaxf(t1 - t0, 0.0f);
}

static float distance_to_tank(const scene *s, sp_vec3 p)
{
    const float x = fmaxf(fmaxf(-s->glass - p.x, p.x - s->size_x - s->glass), 0.0f);
    const float z = fmaxf(fmaxf(-s->glass - p.z, p.z - s->size_z - s->glass), 0.0f);
    return sqrtf(x * x + z * z);
}

static color backdrop(sp_vec3 d)
{
    const color low = {0.085f, 0.115f, 0.155f}, high = {0.012f, 0.022f, 0.04f};
    return blend(low, high, smooth(-0.45f, 0.35f, d.y));
}

/// Waves throw their net of light outside the tank, too: what the floor gets where the beam enters.
static float dapple(const scene *s, sp_vec3 p)
{
    const float t = (s->surface.high - p.y) / s->sun.y;
    const float x = p.x + s->sun.x * t, z = p.z + s->sun.z * t;
    const float edge = fminf(fminf(x, s->size_x - x), fminf(z, s->size_z - z));
    const float focus = light_map_read(&s->map, s->map.sun, x, z);
    return sp_mix(0.85f, 0.25f + 0.75f * focus, smooth(0.0f, 0.10f * s->scale, edge));
}

/// The chord of a sunbeam through the tank grows from nothing at the shadow's outline, so the edge
/// comes out soft, and water tints what passes: a shadow as a tank of water throws it.
static color table_light(const scene *s, sp_vec3 p)
{
    color sun = sunlight;
    float open = 1.0f;
    if (s->has_water) {
        const float length = shaded_length(s, p);
        const float in = smooth(0.0f, 0.12f * s->scale, length);
        const color tint = fade(s->absorb, 1.5f * length);
        sun = sp_scale(times(sun, tint), sp_mix(1.0f, 0.62f * dapple(s, p), in));
        open = 1.0f - 0.6f * sp_expf(-distance_to_tank(s, p) / (0.07f * s->scale));
    } else {
        const ray up = {sp_madd(p, s->sun, 1e-4f * s->scale), s->sun};
        float t = INFINITY;
        if (s->solids.count && ball_grid_hit(&s->solids, &up, 0.0f, &t)) sun = sp_scale(sun, 0.15f);
    }
    return sp_add(sp_scale(sun, s->sun.y * 0.55f), sp_scale(skylight, 0.75f * open));
}

color surroundings(const scene *s, const ray *r)
{
    const color back = backdrop(r->d);
    if (!(r->d.y < -1e-4f)) return back;
    const float t = (s->table - r->o.y) / r->d.y;
    if (!(t > 0.0f)) return back;
    const sp_vec3 p = along(r, t);
    const sp_vec3 middle = sp_scale(sp_add(s->low, s->high), 0.5f);
    const float dx = p.x - middle.x, dz = p.z - middle.z;
    const float far = sqrtf(dx * dx + dz * dz) / s->scale;
    const color albedo = {0.088f, 0.102f, 0.122f};
    return blend(times(albedo, table_light(s, p)), back, smooth(0.5f, 2.6f, far));
}

/// A cheap hash of two whole numbers to [0, 1).
static float speckle(float x, float z, uint32_t salt)
{
    const uint64_t key = ((uint64_t)(uint32_t)(int32_t)x << 32) | (uint32_t)(int32_t)z;
    return sp_unit((uint32_t)(sp_mix64(key ^ salt) >> 32));
}

/// Smooth noise on a lattice of edge 1.
static float noise(float x, float z, uint32_t salt)
{
    const float i = floorf(x), j = floorf(z), u = smooth(0.0f, 1.0f, x - i),
                v = smooth(0.0f, 1.0f, z - j);
    return sp_mix(sp_mix(speckle(i, j, salt), speckle(i + 1.0f, j, salt), u),
                  sp_mix(speckle(i, j + 1.0f, salt), speckle(i + 1.0f, j + 1.0f, salt), u), v);
}

color floor_tiles(const scene *s, float x, float z)
{
    const float u = x / s->tile, v = z / s->tile, i = floorf(u), j = floorf(v);
    const float edge = fminf(fminf(u - i, i + 1.0f - u), fminf(v - j, j + 1.0f - v));
    const float tone = 0.74f + 0.18f * (speckle(i, j, 1) - 0.5f);
    const color glaze =
        blend((color){0.66f, 0.80f, 0.83f}, (color){0.80f, 0.83f, 0.78f}, speckle(i, j, 2));
    return blend((color){0.36f, 0.42f, 0.44f}, sp_scale(glaze, tone), smooth(0.018f, 0.05f, edge));
}

static color stone_color(const scene *s, sp_vec3 p, float wet)
{
    const float k = 40.0f / s->scale;
    const float n = 0.5f * noise(k * (p.x + p.y), k * (p.z - p.y), 3) +
                    0.3f * noise(3.1f * k * (p.x - p.y), 3.1f * k * (p.z + p.y), 4) +
                    0.2f * noise(9.0f * k * p.x, 9.0f * k * (p.z + p.y), 5);
    const color dry = blend((color){0.40f, 0.37f, 0.33f}, (color){0.66f, 0.62f, 0.56f}, n);
    return sp_scale(dry, sp_mix(1.0f, 0.5f, wet));
}

color stone(const scene *s, sp_vec3 p, sp_vec3 n, float wet)
{
    const float facing = fmaxf(sp_dot(n, s->sun), 0.0f);
    const color light =
        sp_add(sp_scale(sunlight, 0.5f * facing), sp_scale(skylight, 0.45f + 0.3f * n.y));
    return times(stone_color(s, p, wet), light);
}

color floor_light(const scene *s, sp_vec3 p)
{
    const sp_vec3 n = sheet_normal(&s->ground, p.x, p.z);
    const float rough = smooth(0.01f, 0.06f, (p.y - s->base) / s->scale + (1.0f - n.y));
    const color albedo = blend(floor_tiles(s, p.x, p.z), stone_color(s, p, 0.6f), rough);
    const float depth = fmaxf(sheet_at(&s->surface, p.x, p.z) - p.y, 0.0f);
    const float wall = fminf(fminf(p.x, s->size_x - p.x), fminf(p.z, s->size_z - p.z));
    const float open = 1.0f - 0.3f * sp_expf(-fmaxf(wall, 0.0f) / (0.05f * s->scale));
    // Deep focus is softened, as a sun with a disc and murky water would.
    const float focus = light_map_read(&s->map, s->map.sun, p.x, p.z);
    const float caustic = 0.10f + 1.15f * focus / (1.0f + 0.16f * focus);
    const float facing = fmaxf(sp_dot(n, s->sun_below), 0.0f);
    const color sun =
        times(sp_scale(sunlight, 0.50f * facing * caustic), fade(s->absorb, 1.1f * depth));
    const color dome = times(sp_scale(skylight, 0.42f * open), fade(s->absorb, 1.3f * depth));
    return times(albedo, sp_add(sun, dome));
}

color shade_solid(const scene *s, const ball *b, sp_vec3 p)
{
    const sp_vec3 n = ball_normal(b, p);
    const float facing = fmaxf(0.15f + 0.85f * sp_dot(n, s->sun), 0.0f);
    const color light =
        sp_add(sp_scale(sunlight, 0.5f * facing), sp_scale(skylight, 0.55f + 0.35f * n.y));
    return times(b->tint, light);
}
