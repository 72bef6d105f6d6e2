// SPDX-License-Identifier: Apache-2.0
/// A height over a rectangle: the water's surface and the ground.
#include "render/internal.h"

bool sheet_open(sheet *s, const sp_host *host, size_t nu, size_t nv, float step_u, float step_v)
{
    *s = (sheet){.nu = nu, .nv = nv, .step_u = step_u, .step_v = step_v};
    s->y = sp_allocate(host, nu * nv, sizeof(float));
    s->slope_u = sp_allocate(host, nu * nv, sizeof(float));
    s->slope_v = sp_allocate(host, nu * nv, sizeof(float));
    return s->y && s->slope_u && s->slope_v;
}

void sheet_close(sheet *s, const sp_host *host)
{
    sp_release(host, s->y);
    sp_release(host, s->slope_u);
    sp_release(host, s->slope_v);
    *s = (sheet){0};
}

void sheet_finish(sheet *s)
{
    s->low = s->high = s->y[0];
    for (size_t j = 0; j < s->nv; ++j) {
        for (size_t i = 0; i < s->nu; ++i) {
            const size_t at = j * s->nu + i;
            const size_t w = i > 0 ? 1 : 0, e = i + 1 < s->nu ? 1 : 0;
            const size_t n = j > 0 ? s->nu : 0, f = j + 1 < s->nv ? s->nu : 0;
            s->slope_u[at] = (s->y[at + e] - s->y[at - w]) / ((float)(w + e) * s->step_u);
            s->slope_v[at] = (s->y[at + f] - s->y[at - n]) / ((float)((n + f) / s->nu) * s->step_v);
            s->low = fminf(s->low, s->y[at]);
            s->high = fmaxf(s->high, s->y[at]);
        }
    }
}

/// Where a point lies among the samples: its cell and the share of the way across it.
typedef struct place {
    size_t at;
    float u, v;
} place;

static place find(const sheet *s, float x, float z)
{
    const float u = pin(x / s->step_u, (float)(s->nu - 1));
    const float v = pin(z / s->step_v, (float)(s->nv - 1));
    size_t i = (size_t)u, j = (size_t)v;
    if (i + 2 > s->nu) i = s->nu - 2;
    if (j + 2 > s->nv) j = s->nv - 2;
    return (place){j * s->nu + i, u - (float)i, v - (float)j};
}

static float bilinear(const sheet *s, const float *values, place p)
{
    const float *a = values + p.at, *b = a + s->nu;
    return sp_mix(sp_mix(a[0], a[1], p.u), sp_mix(b[0], b[1], p.u), p.v);
}

float sheet_at(const sheet *s, float x, float z)
{
    return bilinear(s, s->y, find(s, x, z));
}

sp_vec3 sheet_normal(const sheet *s, float x, float z)
{
    const place p = find(s, x, z);
    const sp_vec3 up = {0.0f, 1.0f, 0.0f};
    return sp_normalize((sp_vec3){-bilinear(s, s->slope_u, p), 1.0f, -bilinear(s, s->slope_v, p)},
                        up);
}

static float above(const sheet *s, const ray *r, float t)
{
    const sp_vec3 p = along(r, t);
    return p.y - sheet_at(s, p.x, p.z);
}

/// False position between two t with different signs: within a cell the curve is a parabola, so
/// four rounds leave far less than a pixel.
static float narrow(const sheet *s, const ray *r, float a, float fa, float b, float fb)
{
    for (int k = 0; k < 4; ++k) {
        const float t = sp_clamp(a + (b - a) * fa / (fa - fb), a, b), f = above(s, r, t);
        if ((f > 0.0f) == (fa > 0.0f)) {
            a = t;
            fa = f;
        } else {
            b = t;
            fb = f;
        }
    }
    return a + (b - a) * fa / (fa - fb);
}

/// The t of the first sample line beyond t0 along one axis.
static float first_line(float o, float d, float step, float t0)
{
    if (fabsf(d) < 1e-9f) return INFINITY;
    const float at = (o + d * t0) / step, line = d > 0.0f ? floorf(at) + 1.0f : ceilf(at) - 1.0f;
    return (line * step - o) / d;
}

bool sheet_hit(const sheet *s, const ray *r, int side, float t0, float t1, float *t)
{
    const float room = 1e-6f + 1e-5f * (s->high - s->low);
    if (fabsf(r->d.y) > 1e-9f) {
        const float a = (s->low - room - r->o.y) / r->d.y, b = (s->high + room - r->o.y) / r->d.y;
        t0 = fmaxf(t0, fminf(a, b));
        t1 = fminf(t1, fmaxf(a, b));
    } else if (r->o.y < s->low - room || r->o.y > s->high + room) {
        return false;
    }
    if (!(t0 < t1)) return false;
    float u = first_line(r->o.x, r->d.x, s->step_u, t0),
          v = first_line(r->o.z, r->d.z, s->step_v, t0);
    const float du = fabsf(s->step_u / r->d.x), dv = fabsf(s->step_v / r->d.z);
    float f = above(s, r, t0);
    for (float a = t0; a < t1;) {
        float b = fminf(fminf(u, v), t1);
        if (u <= b) u += du;
        if (v <= b) v += dv;
        if (!(b > a)) b = nextafterf(a, INFINITY);
        const float g = above(s, r, b);
        if (side > 0 ? f > 0.0f && g <= 0.0f : f < 0.0f && g >= 0.0f) {
            *t = narrow(s, r, a, f, b, g);
            return true;
        }
        a = b;
        f = g;
    }
    return false;
}
