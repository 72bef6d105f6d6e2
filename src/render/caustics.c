// SPDX-License-Identifier: Apache-2.0
/// Sunlight on the floor. Photons fall on the waves in a fine regular pattern, are bent, and are
/// gathered where they land: where waves focus them the floor is bright. Foam takes light away
/// before it enters; bubbles scatter it on the way and leave a dark disc with a bright rim.
///
/// One thread does all this: photons land anywhere, and adding floats in another order would change
/// the picture. It is a small part of the time.
#include "render/internal.h"

enum { FINE = 2, MAX_TEXELS = 2048, PHOTONS = 2 }; // texels a sample; photons a texel, each way

/// Adds (or multiplies in, for shades) a disc of light about (x, z). rings[k] is the value at k/4
/// radii.
static void stamp(light_map *m, float *texels, float x, float z, float r, const float rings[7])
{
    const float reach = 1.5f * r;
    const long i0 = (long)floorf((x - reach) * m->per_u), i1 = (long)ceilf((x + reach) * m->per_u);
    const long j0 = (long)floorf((z - reach) * m->per_v), j1 = (long)ceilf((z + reach) * m->per_v);
    for (long j = j0 < 0 ? 0 : j0; j <= j1 && j < (long)m->nv; ++j)
        for (long i = i0 < 0 ? 0 : i0; i <= i1 && i < (long)m->nu; ++i) {
            const float dx = (float)i / m->per_u - x, dz = (float)j / m->per_v - z;
            const float d = 4.0f * sqrtf(dx * dx + dz * dz) / r;
            if (!(d < 6.0f)) continue;
            const int k = (int)d;
            texels[(size_t)j * m->nu + (size_t)i] += sp_mix(rings[k], rings[k + 1], d - (float)k);
        }
}

static void cover_with_foam(scene *s)
{
    static const float disc[7] = {0.8f, 0.8f, 0.8f, 0.7f, 0.4f, 0.1f, 0.0f};
    light_map *m = &s->map;
    for (size_t i = 0; i < s->foam.count; ++i) {
        const ball *b = &s->foam.balls[i];
        stamp(m, m->foam, b->c.x, b->c.z, b->r, disc);
    }
    for (size_t i = 0; i < m->nu * m->nv; ++i)
        m->foam[i] = fminf(m->foam[i], 1.0f);
}

/// Beams that come in by a wall instead of the surface: plain light, since glass is flat.
static void light_through_walls(scene *s)
{
    light_map *m = &s->map;
    for (size_t i = 0; i < m->nu * m->nv; ++i) {
        const float x = (float)(i % m->nu) / m->per_u, z = (float)(i / m->nu) / m->per_v;
        const float t = (sheet_at(&s->surface, x, z) - sheet_at(&s->ground, x, z)) / s->sun_below.y;
        const float u = x + s->sun_below.x * t, v = z + s->sun_below.z * t;
        if (u < 0.0f || u > s->size_x || v < 0.0f || v > s->size_z) m->sun[i] = 0.9f;
    }
}

static void land(light_map *m, float x, float z, float energy)
{
    const float u = x * m->per_u, v = z * m->per_v;
    if (!(u >= 0.0f && v >= 0.0f && u < (float)(m->nu - 1) && v < (float)(m->nv - 1)))
        return; // left by a wall
    const size_t i = (size_t)u, j = (size_t)v;
    const float a = u - (float)i, b = v - (float)j;
    float *t = m->sun + j * m->nu + i;
    t[0] += energy * (1.0f - a) * (1.0f - b);
    t[1] += energy * a * (1.0f - b);
    t[m->nu] += energy * (1.0f - a) * b;
    t[m->nu + 1] += energy * a * b;
}

static void drop_photons(scene *s)
{
    light_map *m = &s->map;
    const size_t nu = (m->nu - 1) * PHOTONS, nv = (m->nv - 1) * PHOTONS;
    for (size_t j = 0; j < nv; ++j) {
        for (size_t i = 0; i < nu; ++i) {
            const float x = ((float)i + 0.5f) / ((float)PHOTONS * m->per_u);
            const float z = ((float)j + 0.5f) / ((float)PHOTONS * m->per_v);
            const sp_vec3 n = sheet_normal(&s->surface, x, z);
            sp_vec3 d = sp_scale(s->sun_below, -1.0f);
            refract(sp_scale(s->sun, -1.0f), n, 1.0f / WATER_INDEX, &d);
            const float y = sheet_at(&s->surface, x, z), down = fmaxf(-d.y, 0.2f);
            float t = (y - sheet_at(&s->ground, x, z)) / down;
            t = (y - sheet_at(&s->ground, x + d.x * t, z + d.z * t)) /
                down; // where it really lands
            const float shade = 1.0f - 0.75f * light_map_read(m, m->foam, x, z);
            land(m, x + d.x * t, z + d.z * t, shade / (float)(PHOTONS * PHOTONS));
        }
    }
}

static void shade_by_bubbles(scene *s)
{
    // a bubble is a strong diverging lens: next to nothing below it, what it took in a ring around
    static const float lens[7] = {-0.5f, -0.5f, -0.48f, -0.4f, 0.3f, 0.22f, 0.0f};
    for (size_t i = 0; i < s->bubbles.count; ++i) {
        const ball *b = &s->bubbles.balls[i];
        const float t =
            (b->c.y - sheet_at(&s->ground, b->c.x, b->c.z)) / fmaxf(s->sun_below.y, 0.2f);
        stamp(&s->map, s->map.sun, b->c.x - s->sun_below.x * t, b->c.z - s->sun_below.z * t, b->r,
              lens);
    }
}

/// Spreads by 1-2-1 along one direction; `spare` is a second array of the same size.
static void soften(const light_map *m, float *texels, float *spare, size_t stride, size_t count)
{
    for (size_t i = 0; i < m->nu * m->nv; ++i) {
        const size_t at = i / stride % count;
        const size_t back = at > 0 ? i - stride : i, next = at + 1 < count ? i + stride : i;
        spare[i] = 0.25f * (texels[back] + texels[next]) + 0.5f * texels[i];
    }
    for (size_t i = 0; i < m->nu * m->nv; ++i)
        texels[i] = fmaxf(spare[i], 0.0f);
}

static size_t texels_for(size_t samples)
{
    const size_t n = (samples - 1) * FINE + 1;
    return n < MAX_TEXELS ? n : MAX_TEXELS;
}

bool light_map_open(scene *s)
{
    light_map *m = &s->map;
    m->nu = texels_for(s->surface.nu);
    m->nv = texels_for(s->surface.nv);
    m->per_u = (float)(m->nu - 1) / s->size_x;
    m->per_v = (float)(m->nv - 1) / s->size_z;
    m->sun = sp_allocate(s->host, m->nu * m->nv, sizeof(float));
    m->foam = sp_allocate(s->host, m->nu * m->nv, sizeof(float));
    float *spare = sp_allocate(s->host, m->nu * m->nv, sizeof(float));
    if (m->sun && m->foam && spare) {
        cover_with_foam(s);
        light_through_walls(s);
        drop_photons(s);
        shade_by_bubbles(s);
        for (int k = 0; k < 2; ++k) {
            soften(m, m->sun, spare, 1, m->nu);
            soften(m, m->sun, spare, m->nu, m->nv);
            soften(m, m->foam, spare, 1, m->nu);
            soften(m, m->foam, spare, m->nu, m->nv);
        }
    }
    const bool good = m->sun && m->foam && spare;
    sp_release(s->host, spare);
    return good;
}

float light_map_read(const light_map *m, const float *texels, float x, float z)
{
    const float u = pin(x * m->per_u, (float)(m->nu - 1));
    const float v = pin(z * m->per_v, (float)(m->nv - 1));
    size_t i = (size_t)u, j = (size_t)v;
    if (i + 2 > m->nu) i = m->nu - 2;
    if (j + 2 > m->nv) j = m->nv - 2;
    const float a = u - (float)i, b = v - (float)j;
    const float *t = texels + j * m->nu + i;
    return sp_mix(sp_mix(t[0], t[1], a), sp_mix(t[m->nu], t[m->nu + 1], a), b);
}
