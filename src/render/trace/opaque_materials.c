// SPDX-License-Identifier: Apache-2.0
/// Opaque materials: the colour at a point, and reflection by a microfacet surface (GGX). Metals
/// tint their reflection (Schlick); a coat is a clear layer of index 1.5 over a diffuse colour.
#include "render/trace/tracing.h"

static const float least_rough = 0.05f; // sharper lobes give isolated bright pixels

/// Square tiles with darker grout, each tile a little different, in the plane of the surface.
static float tiles(sp_vec3 p, sp_vec3 n, float size)
{
    const float ax = fabsf(n.x), ay = fabsf(n.y), az = fabsf(n.z);
    const float u = (ax >= ay && ax >= az ? p.y : p.x) / size;
    const float v = (az >= ax && az >= ay ? p.y : p.z) / size;
    const float fu = u - floorf(u), fv = v - floorf(v);
    const float edge = fminf(fminf(fu, 1.0f - fu), fminf(fv, 1.0f - fv));
    const float own =
        trace_noise((sp_vec3){floorf(u) * 7.31f + 0.37f, floorf(v) * 5.77f + 0.61f, 0.5f});
    const float k = sp_clamp((edge - 0.02f) / 0.012f, 0.0f, 1.0f);
    return sp_mix(0.55f, 0.9f + 0.1f * own, k);
}

/// Grains of many sizes: three octaves of noise with a few dark and light specks.
static float speckles(sp_vec3 p, float size)
{
    const float coarse = trace_noise(sp_scale(p, 1.0f / size));
    const float middle = trace_noise(sp_scale(p, 3.1f / size));
    const float fine = trace_noise(sp_scale(p, 11.3f / size));
    const float speck = fine > 0.8f ? 0.15f : fine < 0.2f ? -0.2f : 0.0f;
    return 0.72f + 0.16f * coarse + 0.14f * middle + 0.1f * fine + speck;
}

static sp_vec3 emission_at(const sp_trace_material *m, sp_vec3 p)
{
    sp_vec3 light = trace_vec(m->emission);
    if (m->glow_across > 0.0f && m->glow_upward > 0.0f) {
        const sp_vec3 d = sp_sub(p, trace_vec(m->glow_at));
        const float a = (d.x * d.x + d.z * d.z) / (m->glow_across * m->glow_across);
        const float b = d.y * d.y / (m->glow_upward * m->glow_upward);
        light = sp_madd(light, trace_vec(m->glow), sp_expf(-a - b));
    }
    return light;
}

trace_opaque trace_opaque_at(const sp_trace_material *m, const float color[3], sp_vec3 p, sp_vec3 n)
{
    trace_opaque o = {.color = trace_vec(color ? color : m->color),
                      .emission = emission_at(m, p),
                      .rough = sp_clamp(m->rough, least_rough, 1.0f),
                      .coat = sp_clamp(m->coat, 0.0f, 1.0f),
                      .metal = m->metal};
    if (m->pattern_size > 0.0f && m->pattern == 1)
        o.color = sp_scale(o.color, tiles(p, n, m->pattern_size));
    if (m->pattern_size > 0.0f && m->pattern == 2)
        o.color = sp_scale(o.color, speckles(p, m->pattern_size));
    o.color = (sp_vec3){fminf(o.color.x, 1.0f), fminf(o.color.y, 1.0f), fminf(o.color.z, 1.0f)};
    return o;
}

/// Smith masking of GGX for a direction with cosine c: 1/(1 + Lambda).
static float smith_masking(float c, float alpha)
{
    const float c2 = c * c, tan2 = fmaxf(0.0f, 1.0f - c2) / fmaxf(c2, 1e-12f);
    return 2.0f / (1.0f + sqrtf(1.0f + alpha * alpha * tan2));
}

bool trace_ggx_sample(sp_vec3 d, sp_vec3 n, float rough, trace_pair u, sp_vec3 *out,
                      float *cos_half, float *share)
{
    const float alpha = rough * rough;
    sp_vec3 s, t;
    trace_basis(n, &s, &t);
    // Visible normals (Heitz 2018): stretch the view, sample the projected hemisphere, unstretch.
    const sp_vec3 v = {-sp_dot(d, s), -sp_dot(d, t), fmaxf(-sp_dot(d, n), 1e-4f)};
    const sp_vec3 vh = sp_normalize((sp_vec3){alpha * v.x, alpha * v.y, v.z}, (sp_vec3){0, 0, 1});
    const float flat = vh.x * vh.x + vh.y * vh.y;
    const sp_vec3 a = flat > 1e-12f ? sp_scale((sp_vec3){-vh.y, vh.x, 0}, 1.0f / sqrtf(flat))
                                    : (sp_vec3){1, 0, 0};
    const sp_vec3 b = sp_cross(vh, a);
    float x, y;
    trace_sample_disc(u, &x, &y);
    y = sp_mix(sqrtf(fmaxf(0.0f, 1.0f - x * x)), y, 0.5f * (1.0f + vh.z));
    const float z = sqrtf(fmaxf(0.0f, 1.0f - x * x - y * y));
    const sp_vec3 nh = sp_madd(sp_madd(sp_scale(a, x), b, y), vh, z);
    const sp_vec3 h =
        sp_normalize((sp_vec3){alpha * nh.x, alpha * nh.y, fmaxf(nh.z, 0.0f)}, (sp_vec3){0, 0, 1});
    const sp_vec3 half = sp_madd(sp_madd(sp_scale(s, h.x), t, h.y), n, h.z);
    *cos_half = fmaxf(-sp_dot(d, half), 0.0f);
    *out = sp_normalize(trace_reflect(d, half), n);
    const float c = sp_dot(*out, n);
    *share = smith_masking(c, alpha);
    return c > 0.0f;
}

float trace_ggx_towards(sp_vec3 d, sp_vec3 n, float rough, sp_vec3 dir, float *cos_half)
{
    const float alpha = rough * rough, ci = -sp_dot(d, n), co = sp_dot(dir, n);
    *cos_half = 0.0f;
    if (ci <= 0.0f || co <= 0.0f) return 0.0f;
    const sp_vec3 half = sp_normalize(sp_sub(dir, d), n);
    const float ch = sp_dot(half, n), k = ch * ch * (alpha * alpha - 1.0f) + 1.0f;
    *cos_half = fmaxf(sp_dot(dir, half), 0.0f);
    const float density = alpha * alpha / (SP_PI * k * k);
    return density * smith_masking(ci, alpha) * smith_masking(co, alpha) / (4.0f * ci);
}
