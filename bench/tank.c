// SPDX-License-Identifier: Apache-2.0
#include "bench/tank.h"

#include <string.h>

enum { ACROSS = 480, ALONG = 372, RINGS = 160, SECTORS = 256, FOAM = 3500, ARC = 24 };

static const float inner_x = 0.20f, inner_y = 0.27f, inner_z = 0.12f; // half widths, and height
static const float wall = 0.006f, level = 0.215f;
static const float hero_r = 0.037f, hero_at[3] = {0.085f, 0.108f, 0.045f};
static const float plume_x = -0.075f;

static void quad(sp_mesh *m, size_t *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t two[2][3] = {{a, b, c}, {a, c, d}};
    memcpy(m->tri[*t], two, sizeof two);
    *t += 2;
}

/// Corner k of a box: bit 0 is x, bit 1 is y, bit 2 is z.
static void corners(sp_mesh *m, size_t from, float hx, float y0, float y1, float hz)
{
    for (size_t k = 0; k < 8; ++k) {
        float *x = m->x[from + k];
        x[0] = k & 1 ? hx : -hx;
        x[1] = k & 2 ? y1 : y0;
        x[2] = k & 4 ? hz : -hz;
    }
}

/// The glass: outside, inside and the rim between them, one closed mesh.
static sp_status make_glass(const sp_host *host, sp_mesh *m, sp_error *err)
{
    static const uint32_t sides[5][4] = {
        {0, 1, 5, 4}, {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const uint32_t rim[4][2] = {{2, 6}, {6, 7}, {7, 3}, {3, 2}};
    SP_TRY(sp_mesh_open(m, host, 16, 28, 0, err));
    corners(m, 0, inner_x + wall, -wall, inner_y, inner_z + wall);
    corners(m, 8, inner_x, 0.0f, inner_y, inner_z);
    size_t t = 0;
    for (int s = 0; s < 5; ++s) {
        const uint32_t *c = sides[s];
        quad(m, &t, c[0], c[1], c[2], c[3]);
        quad(m, &t, c[3] + 8, c[2] + 8, c[1] + 8, c[0] + 8);
    }
    for (int s = 0; s < 4; ++s)
        quad(m, &t, rim[s][0], rim[s][1], rim[s][1] + 8, rim[s][0] + 8);
    return SP_OK;
}

static float ripple(float x, float z)
{
    const float dx = x - plume_x, d = sqrtf(dx * dx + z * z);
    return 0.0011f * sinf(95.0f * d) * expf(-d * 6.0f) + 0.0004f * sinf(61.0f * x + 37.0f * z) +
           0.0003f * sinf(143.0f * z - 71.0f * x);
}

/// Normals from triangles, weighted by area.
static void make_normals(sp_mesh *m)
{
    const sp_vec3 up = {0.0f, 1.0f, 0.0f};
    for (size_t i = 0; i < m->triangle_count; ++i) {
        const float *a = m->x[m->tri[i][0]], *b = m->x[m->tri[i][1]], *c = m->x[m->tri[i][2]];
        const sp_vec3 e = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const sp_vec3 f = {c[0] - a[0], c[1] - a[1], c[2] - a[2]}, n = sp_cross(e, f);
        for (int k = 0; k < 3; ++k) {
            float *out = m->n[m->tri[i][k]];
            out[0] += n.x;
            out[1] += n.y;
            out[2] += n.z;
        }
    }
    for (size_t i = 0; i < m->vertex_count; ++i) {
        const sp_vec3 n = sp_normalize((sp_vec3){m->n[i][0], m->n[i][1], m->n[i][2]}, up);
        m->n[i][0] = n.x;
        m->n[i][1] = n.y;
        m->n[i][2] = n.z;
    }
}

/// The top with its ripples. Walls and floor reach slightly into the glass, because overlaps are
/// allowed and gaps are not.
static sp_status make_top(const sp_host *host, sp_mesh *m, sp_error *err)
{
    const float hx = inner_x + 0.001f, hz = inner_z + 0.001f, bottom = -0.001f;
    const size_t top = (size_t)(ACROSS + 1) * (ALONG + 1), strips = 2 * (ACROSS + ALONG);
    SP_TRY(sp_mesh_open(m, host, top + 4, 2 * (size_t)ACROSS * ALONG + strips + 6, 0, err));
    for (size_t j = 0; j <= ALONG; ++j)
        for (size_t i = 0; i <= ACROSS; ++i) {
            float *x = m->x[j * (ACROSS + 1) + i];
            x[0] = hx * (2.0f * (float)i / ACROSS - 1.0f);
            x[2] = hz * (2.0f * (float)j / ALONG - 1.0f);
            x[1] = level + ripple(x[0], x[2]);
        }
    const float foot[4][3] = {
        {-hx, bottom, -hz}, {hx, bottom, -hz}, {hx, bottom, hz}, {-hx, bottom, hz}};
    memcpy(m->x[top], foot, sizeof foot);
    return SP_OK;
}

/// Closes the block: from each bottom corner a fan to one edge of the top, and one triangle to the
/// next corner; two triangles for the floor. Sides are flat, so fans are as good as strips.
static void close_block(sp_mesh *m, size_t *t)
{
    const uint32_t top = (ACROSS + 1) * (ALONG + 1);
    uint32_t at = 0;
    for (uint32_t side = 0; side < 4; ++side) {
        static const int32_t step[4] = {1, ACROSS + 1, -1, -(ACROSS + 1)};
        const uint32_t n = side % 2 ? ALONG : ACROSS;
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t next = (uint32_t)((int32_t)at + step[side]);
            const uint32_t tri[3] = {top + side, at, next};
            memcpy(m->tri[(*t)++], tri, sizeof tri);
            at = next;
        }
        const uint32_t tri[3] = {top + side, at, top + (side + 1) % 4};
        memcpy(m->tri[(*t)++], tri, sizeof tri);
    }
    quad(m, t, top, top + 1, top + 2, top + 3);
}

static sp_status make_water(const sp_host *host, sp_mesh *m, sp_error *err)
{
    SP_TRY(make_top(host, m, err));
    const uint32_t row = ACROSS + 1;
    size_t t = 0;
    for (uint32_t j = 0; j < ALONG; ++j)
        for (uint32_t i = 0; i < ACROSS; ++i) {
            const uint32_t a = j * row + i;
            quad(m, &t, a, a + row, a + row + 1, a + 1);
        }
    close_block(m, &t);
    return t == m->triangle_count ? SP_OK : sp_fail(err, SP_BAD_INPUT, "bench: %zu triangles", t);
}

/// A sphere with its lower part flattened and slightly concave, like a large rising bubble.
static void hero_point(float theta, float phi, float *x)
{
    const float y = cosf(theta), s = sinf(theta);
    const float low = y < -0.15f ? -0.15f + 0.32f * (y + 0.15f) : y;
    const float dent = y < 0.0f ? 0.12f * (1.0f - s) * (1.0f - s) : 0.0f;
    const float wobble = 1.0f + 0.02f * sinf(3.0f * phi) * s * s;
    x[0] = hero_at[0] + hero_r * s * wobble * cosf(phi);
    x[1] = hero_at[1] + hero_r * (low + dent);
    x[2] = hero_at[2] + hero_r * s * wobble * sinf(phi);
}

static sp_status make_hero(const sp_host *host, sp_mesh *m, sp_error *err)
{
    const uint32_t inner = RINGS - 1, south = inner * SECTORS + 1;
    SP_TRY(sp_mesh_open(m, host, south + 1, 2 * (size_t)SECTORS * inner, SP_MESH_NORMALS, err));
    hero_point(0.0f, 0.0f, m->x[0]);
    hero_point(SP_PI, 0.0f, m->x[south]);
    for (uint32_t r = 0; r < inner; ++r)
        for (uint32_t s = 0; s < SECTORS; ++s)
            hero_point(SP_PI * (float)(r + 1) / RINGS, 2.0f * SP_PI * (float)s / SECTORS,
                       m->x[1 + r * SECTORS + s]);
    size_t t = 0;
    for (uint32_t s = 0; s < SECTORS; ++s) {
        const uint32_t e = (s + 1) % SECTORS, last = (inner - 1) * SECTORS + 1;
        const uint32_t caps[2][3] = {{0, 1 + e, 1 + s}, {south, last + s, last + e}};
        memcpy(m->tri[t], caps, sizeof caps);
        t += 2;
        for (uint32_t r = 0; r + 1 < inner; ++r) {
            const uint32_t a = 1 + r * SECTORS, b = a + SECTORS;
            quad(m, &t, a + s, a + e, b + e, b + s);
        }
    }
    make_normals(m);
    return SP_OK;
}

/// Floor, a quarter cylinder, and a wall behind.
static sp_status make_studio(const sp_host *host, sp_mesh *m, sp_error *err)
{
    enum { LINES = ARC + 3 };
    SP_TRY(sp_mesh_open(m, host, 2 * LINES, 2 * (LINES - 1), SP_MESH_NORMALS, err));
    const float floor_y = -0.012f, back = -0.75f, round = 0.25f, wide = 4.0f;
    for (int i = 0; i < LINES; ++i) {
        const float a = 0.5f * SP_PI * (float)(i - 1) / ARC;
        float y = floor_y + round * (1.0f - cosf(a)), z = back - round * sinf(a);
        if (i == 0) y = floor_y, z = 3.0f;
        if (i == LINES - 1) y = 3.0f, z = back - round;
        for (int k = 0; k < 2; ++k) {
            float *x = m->x[2 * i + k];
            x[0] = k ? wide : -wide;
            x[1] = y;
            x[2] = z;
        }
    }
    size_t t = 0;
    for (uint32_t i = 0; i + 1 < LINES; ++i)
        quad(m, &t, 2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2);
    make_normals(m);
    return SP_OK;
}

static float plume_radius(float u) ///< m; density r^-3 between the ends
{
    const float lo = 0.25e-3f, hi = 2.5e-3f;
    return 1.0f / sqrtf(sp_mix(1.0f / (lo * lo), 1.0f / (hi * hi), u));
}

static float bell(uint32_t a, uint32_t b)
{
    return sqrtf(-2.0f * logf(sp_unit_open(a))) * cosf(2.0f * SP_PI * sp_unit(b));
}

static void make_plume(float (*out)[4], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const sp_random4 a = sp_random(7, 1, i, 0, 0), b = sp_random(7, 1, i, 0, 1);
        const bool wake = i % 16 == 0;
        const float r = plume_radius(sp_unit(a.x[0]));
        const float y = wake ? hero_at[1] - 0.02f - 0.07f * sp_unit(a.x[1])
                             : 0.004f + (level - 0.006f) * sp_unit(a.x[1]);
        const float wide = wake ? 0.014f : 0.012f + 0.075f * y;
        out[i][0] =
            sp_clamp((wake ? hero_at[0] : plume_x) + wide * bell(a.x[2], a.x[3]), -0.196f, 0.196f);
        out[i][1] = y;
        out[i][2] =
            sp_clamp((wake ? hero_at[2] : 0.0f) + wide * bell(b.x[0], b.x[1]), -0.116f, 0.116f);
        out[i][3] = r;
    }
}

static void make_foam(float (*out)[4], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const sp_random4 a = sp_random(7, 2, i, 0, 0), b = sp_random(7, 2, i, 0, 1);
        const float r = 0.9e-3f + 2.1e-3f * sp_unit(a.x[0]) * sp_unit(a.x[0]);
        const float x = sp_clamp(plume_x + 0.045f * bell(a.x[1], a.x[2]), -0.194f, 0.194f);
        const float z = sp_clamp(0.035f * bell(b.x[0], b.x[1]), -0.114f, 0.114f);
        out[i][0] = x;
        out[i][1] = level + ripple(x, z) + 0.15f * r + 0.002f * sp_unit(b.x[2]);
        out[i][2] = z;
        out[i][3] = r;
    }
}

static sp_status add_spheres(sp_tracer *t, const sp_host *host, size_t count, sp_trace_class kind,
                             void (*make)(float (*)[4], size_t), sp_error *err)
{
    float(*s)[4] = sp_allocate(host, count, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "bench: no memory for %zu spheres", count);
    make(s, count);
    const sp_status status =
        sp_tracer_spheres(t, count, (const float(*)[4])s, NULL, kind, 0, NULL, NULL, err);
    sp_release(host, s);
    return status;
}

static sp_status add_mesh(sp_tracer *t, const sp_host *host, sp_trace_class kind, int material,
                          sp_status (*make)(const sp_host *, sp_mesh *, sp_error *), sp_error *err)
{
    sp_mesh m;
    SP_TRY(make(host, &m, err));
    const sp_status status = sp_tracer_mesh(t, &m, NULL, kind, material, err);
    sp_mesh_close(&m);
    return status;
}

/// Key light from the left, in front and above; rim light from the right behind; one light above.
static sp_status add_lights(sp_tracer *t, sp_error *err)
{
    static const sp_trace_softbox boxes[3] = {
        {{-0.75f, 0.85f, 0.75f},
         {0.226f, 0.0f, 0.226f},
         {-0.15f, 0.24f, 0.15f},
         {15.0f, 14.6f, 14.0f}},
        {{0.85f, 0.55f, -0.5f},
         {-0.1f, 0.0f, -0.173f},
         {0.12f, 0.33f, -0.12f},
         {11.0f, 11.4f, 11.6f}},
        {{0.0f, 1.15f, 0.0f}, {0.45f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.22f}, {7.0f, 7.0f, 7.0f}},
    };
    return sp_tracer_lights(t, &(sp_trace_lights){SP_DOME_STUDIO, 1.0f, 0.0f, 0.0f, 0.0f, boxes, 3},
                            err);
}

static sp_status fill_tank(sp_tracer *t, const sp_host *host, size_t bubbles, sp_error *err)
{
    const int studio =
        sp_tracer_material(t, &(sp_trace_material){.color = {0.2f, 0.22f, 0.25f},
                                                   .emission = {0.0186f, 0.024f, 0.03f},
                                                   .glow = {0.62f * 0.9f, 0.8f * 0.9f, 0.9f},
                                                   .glow_at = {0.0f, 0.24f, -1.0f},
                                                   .glow_across = 0.65f,
                                                   .glow_upward = 0.3f});
    if (studio < 0) return sp_fail(err, SP_NO_MEMORY, "bench: no memory for a material");
    SP_TRY(add_mesh(t, host, SP_TRACE_OPAQUE, studio, make_studio, err));
    SP_TRY(add_mesh(t, host, SP_TRACE_GLASS, 0, make_glass, err));
    SP_TRY(add_mesh(t, host, SP_TRACE_WATER, 0, make_water, err));
    SP_TRY(add_mesh(t, host, SP_TRACE_BUBBLE, 0, make_hero, err));
    SP_TRY(add_spheres(t, host, bubbles, SP_TRACE_BUBBLE, make_plume, err));
    SP_TRY(add_spheres(t, host, FOAM, SP_TRACE_FOAM, make_foam, err));
    SP_TRY(add_lights(t, err));
    return sp_tracer_commit(t, err);
}

sp_status sp_bench_tank(const sp_host *host, size_t bubbles, sp_tracer **out, sp_error *err)
{
    SP_TRY(sp_tracer_open(host, out, err));
    const sp_status status = fill_tank(*out, host, bubbles, err);
    if (status != SP_OK) {
        sp_tracer_close(*out);
        *out = NULL;
    }
    return status;
}

sp_trace_camera sp_bench_tank_camera(void)
{
    return (sp_trace_camera){.from = {0.26f, 0.262f, 0.88f},
                             .to = {0.0f, 0.128f, 0.0f},
                             .up = {0.0f, 1.0f, 0.0f},
                             .fov = 25.0f};
}
