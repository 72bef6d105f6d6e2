// SPDX-License-Identifier: Apache-2.0
/// Lights: softboxes and the sun, which shadow rays sample, and the dome, which only paths hit.
/// Each light is found in one way at a time, so nothing is counted twice: as long as a path has
/// only seen mirrors, it adds softboxes and sun when it hits them; after the first diffuse event
/// they come through shadow rays only.
#include "render/trace/tracing.h"

static const float sun_radius = 0.265f * SP_PI / 180.0f; // as seen from Earth
static const float glint_radius = 1.5f * SP_PI / 180.0f; // as drawn in mirrors

/// 1 over the middle three quarters of a box, then a smooth step to 0 at its edge: a hard edge
/// would show as a white card in every bubble.
static float edge_fade(float s)
{
    const float k = sp_clamp((1.0f - fabsf(s)) * 4.0f, 0.0f, 1.0f);
    return k * k * (3.0f - 2.0f * k);
}

static sp_status open_box(trace_box *b, const sp_trace_softbox *def, sp_error *err)
{
    const sp_vec3 u = trace_vec(def->u), v = trace_vec(def->v), cross = sp_cross(u, v);
    const float area = sp_length(cross);
    if (!(area > 0.0f) || !isfinite(area))
        return sp_fail(err, SP_BAD_INPUT, "look.light: a softbox has no area");
    *b = (trace_box){.center = trace_vec(def->center),
                     .u = u,
                     .v = v,
                     .normal = sp_scale(cross, 1.0f / area),
                     .radiance = trace_vec(def->radiance),
                     .area = 4.0f * area};
    // The dual basis: boxes may be any parallelogram.
    const sp_vec3 across = sp_cross(v, b->normal), along = sp_cross(b->normal, u);
    b->over_u = sp_scale(across, 1.0f / sp_dot(u, across));
    b->over_v = sp_scale(along, 1.0f / sp_dot(v, along));
    b->power = trace_luminance(b->radiance) * b->area;
    return SP_OK;
}

/// CIE S 011 type 12, the clear sky, without its normalisation: gradation times indicatrix, for a
/// direction of height y and an angle gamma from the sun.
static float clear_sky(float y, float gamma)
{
    const float gradation = 1.0f - sp_expf(-0.32f / fmaxf(y, 0.02f));
    const float c = sp_cosf(gamma);
    return gradation *
           (1.0f + 10.0f * (sp_expf(-3.0f * gamma) - sp_expf(-1.5f * SP_PI)) + 0.45f * c * c);
}

static void open_sun(trace_lighting *l, const sp_trace_lights *def)
{
    const float el = def->sun_elevation * SP_PI / 180.0f, az = def->sun_azimuth * SP_PI / 180.0f;
    l->sun_dir = (sp_vec3){cosf(el) * sinf(az), sinf(el), cosf(el) * cosf(az)};
    l->zenith = 1.0f / clear_sky(1.0f, acosf(sp_clamp(l->sun_dir.y, -1.0f, 1.0f)));
    l->sun =
        def->sun_strength > 0.0f && def->sun_elevation > -1.0f && def->dome != SP_DOME_OVERCAST;
    // Air mass 1/sin(elevation), bounded where the flat-Earth formula gets dark too early.
    const float air = 1.0f / fmaxf(l->sun_dir.y, 0.05f) - 1.0f;
    l->sun_irradiance =
        sp_scale((sp_vec3){3.0f, 2.8f, 2.45f}, def->sun_strength * sp_expf(-0.12f * air));
    l->sun_power = l->sun ? trace_luminance(l->sun_irradiance) : 0.0f;
}

sp_status trace_lighting_open(trace_lighting *l, const sp_trace_lights *def, const sp_host *host,
                              sp_error *err)
{
    *l = (trace_lighting){.dome = def->dome, .scale = def->dome_scale};
    if (!(def->dome_scale >= 0.0f) || !(def->sun_strength >= 0.0f))
        return sp_fail(err, SP_BAD_INPUT,
                       "look.light: a dome of %g and a sun of %g; expected 0 or more",
                       (double)def->dome_scale, (double)def->sun_strength);
    open_sun(l, def);
    if (def->box_count == 0) return SP_OK;
    l->boxes = sp_allocate(host, def->box_count, sizeof *l->boxes);
    if (!l->boxes)
        return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu lights", def->box_count);
    l->box_count = def->box_count;
    sp_status status = SP_OK;
    for (size_t i = 0; i < def->box_count && status == SP_OK; ++i)
        status = open_box(&l->boxes[i], &def->boxes[i], err);
    if (status != SP_OK) trace_lighting_close(l, host);
    return status;
}

void trace_lighting_close(trace_lighting *l, const sp_host *host)
{
    sp_release(host, l->boxes);
    *l = (trace_lighting){0};
}

static sp_vec3 sky(const trace_lighting *l, sp_vec3 dir)
{
    if (dir.y < 0.0f) return (sp_vec3){0.1f, 0.11f, 0.12f};
    const float gamma = acosf(sp_clamp(sp_dot(dir, l->sun_dir), -1.0f, 1.0f));
    const float light = 0.30f * clear_sky(dir.y, gamma) * l->zenith;
    const float up = 1.0f - dir.y, w = up * up * up;
    return (sp_vec3){light * sp_mix(0.35f, 1.15f, w), light * sp_mix(0.6f, 1.2f, w),
                     light * sp_mix(1.1f, 1.25f, w)};
}

/// CIE type 1: three times as bright overhead as at the horizon.
static sp_vec3 overcast(sp_vec3 dir)
{
    if (dir.y < 0.0f) return (sp_vec3){0.1f, 0.11f, 0.12f};
    const float at_zenith = 1.0f + 4.0f * 0.49658530f; // exp(-0.7)
    const float light = 0.9f * (1.0f + 4.0f * sp_expf(-0.7f / fmaxf(dir.y, 0.02f))) / at_zenith;
    return (sp_vec3){0.96f * light, light, 1.05f * light};
}

sp_vec3 trace_dome_light(const trace_lighting *l, sp_vec3 dir)
{
    sp_vec3 light = {1.0f, 1.0f, 1.0f};
    switch (l->dome) {
    case SP_DOME_STUDIO: {
        const float k = 0.5f + 0.5f * dir.y;
        light = sp_scale(light, 0.05f + 0.15f * k * k * (3.0f - 2.0f * k));
        break;
    }
    case SP_DOME_SKY:
        light = sky(l, dir);
        break;
    case SP_DOME_OVERCAST:
        light = overcast(dir);
        break;
    case SP_DOME_FURNACE:
        break;
    }
    return sp_scale(light, l->scale);
}

sp_vec3 trace_sun_light(const trace_lighting *l, sp_vec3 dir, bool after_mirror)
{
    if (!l->sun) return (sp_vec3){0};
    // The squared sine from the cross product: near 1 a cosine has too few digits.
    const sp_vec3 off = sp_cross(dir, l->sun_dir);
    const float radius = after_mirror ? glint_radius : sun_radius, sine = sp_sinf(radius);
    if (sp_dot(dir, l->sun_dir) <= 0.0f || sp_dot(off, off) > sine * sine) return (sp_vec3){0};
    return sp_scale(l->sun_irradiance, 1.0f / (SP_PI * sine * sine));
}

sp_vec3 trace_box_light(const trace_lighting *l, sp_vec3 at, sp_vec3 dir, float length,
                        sp_vec3 absorb)
{
    sp_vec3 light = {0};
    for (size_t i = 0; i < l->box_count; ++i) {
        const trace_box *b = &l->boxes[i];
        const float towards = sp_dot(dir, b->normal);
        if (towards >= 0.0f) continue; // from behind, or parallel to it
        const sp_vec3 from = sp_sub(at, b->center);
        const float t = -sp_dot(from, b->normal) / towards;
        if (t <= 0.0f || t >= length) continue;
        const sp_vec3 p = sp_madd(from, dir, t);
        const float shine = edge_fade(sp_dot(p, b->over_u)) * edge_fade(sp_dot(p, b->over_v));
        if (shine <= 0.0f) continue;
        light =
            sp_add(light, trace_times(sp_scale(b->radiance, shine), trace_beer_lambert(absorb, t)));
    }
    return light;
}

/// Estimate of a box's contribution to a point that faces it. Zero only where it is exactly zero.
static float estimate_contribution(const trace_box *b, sp_vec3 at)
{
    const sp_vec3 from = sp_sub(at, b->center);
    const float in_front = sp_dot(from, b->normal), d2 = sp_dot(from, from) + 0.1f * b->area;
    if (in_front <= 0.0f) return 0.0f;
    return b->power * fmaxf(in_front / sqrtf(d2), 0.1f) / d2;
}

static bool sample_box(const trace_box *b, sp_vec3 at, float probability, trace_pair u,
                       trace_light_ray *out)
{
    const float s = 2.0f * u.a - 1.0f, t = 2.0f * u.b - 1.0f;
    const sp_vec3 to = sp_sub(sp_madd(sp_madd(b->center, b->u, s), b->v, t), at);
    const float d2 = sp_dot(to, to), length = sqrtf(d2);
    const float facing = -sp_dot(to, b->normal);
    if (!(facing > 0.0f) || !(d2 > 0.0f)) return false;
    out->dir = sp_scale(to, 1.0f / length);
    out->length = length;
    out->value = sp_scale(b->radiance, edge_fade(s) * edge_fade(t) * b->area * facing /
                                           (length * d2 * probability));
    return true;
}

static bool sample_sun(const trace_lighting *l, float probability, trace_pair u,
                       trace_light_ray *out)
{
    float x, y;
    sp_vec3 a, b;
    trace_sample_disc(u, &x, &y);
    trace_basis(l->sun_dir, &a, &b);
    const sp_vec3 off = sp_madd(sp_scale(a, x * sun_radius), b, y * sun_radius);
    out->dir = sp_normalize(sp_add(l->sun_dir, off), l->sun_dir);
    out->length = INFINITY;
    out->value = sp_scale(l->sun_irradiance, 1.0f / probability);
    return true;
}

bool trace_light_sample(const trace_lighting *l, sp_vec3 at, float choice, trace_pair u,
                        trace_light_ray *out)
{
    enum { KEPT = 8 };
    float kept[KEPT], sum = l->sun_power;
    for (size_t i = 0; i < l->box_count; ++i) {
        const float p = estimate_contribution(&l->boxes[i], at);
        if (i < KEPT) kept[i] = p;
        sum += p;
    }
    if (!(sum > 0.0f)) return false;
    float left = choice * sum;
    for (size_t i = 0; i < l->box_count; ++i) {
        const float p = i < KEPT ? kept[i] : estimate_contribution(&l->boxes[i], at);
        if (p > 0.0f && left < p) return sample_box(&l->boxes[i], at, p / sum, u, out);
        left -= p;
    }
    return l->sun && sample_sun(l, l->sun_power / sum, u, out); // rounding may skip the last box
}
