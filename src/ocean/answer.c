// SPDX-License-Identifier: Apache-2.0
/// What is asked of bulk water: signed distance, its gradient, and velocity.
#include "ocean/internal.h"

/// Normal of the surface, upwards.
static void normal(const ocean_point *p, float n[3])
{
    const float *a = p->by_z, *b = p->by_x;
    const float x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
                z = a[0] * b[1] - a[1] * b[0];
    const float size = sqrtf(x * x + y * y + z * z), over = size > 1e-12f ? 1.0f / size : 0.0f;
    n[0] = over * x;
    n[1] = size > 1e-12f ? over * y : 1.0f;
    n[2] = over * z;
}

/// What is left of the motion at the deepest layer at depth d below it, as for a wave of the peak; the first is for
/// horizontal motion.
static void fade(const ocean *o, double d, float left[2])
{
    const double deepest = o->depth[o->layers - 1], k = o->fade, rise = o->sea.depth - deepest;
    left[0] = left[1] = 1.0f;
    if (!(rise > 0.0)) return;
    const double down = (double)sp_expf((float)(-k * (d - deepest))),
                 up = (double)sp_expf((float)(-k * (2.0 * o->sea.depth - deepest - d))),
                 whole = (double)sp_expf((float)(-2.0 * k * rise));
    left[0] = (float)((down + up) / (1.0 + whole));
    left[1] = (float)((down - up) / fmax(1.0 - whole, 1e-6));
}

/// 1 - exp(-x), for x >= 0.
static double lost(double x)
{
    const double t = ocean_tanh(0.5 * x);
    return 2.0 * t / (1.0 + t);
}

/// Velocity at depth d below the surface (Wheeler's stretching: depths count from where the surface is). Between layers
/// it follows an exponential, that of a wave of the peak; along a straight line divergence is a third larger. At the
/// surface it is that of the surface's own points.
static void velocity(const ocean *o, const ocean_point *p, double d, float u[3])
{
    int layer = 0;
    d = fmin(fmax(d, 0.0), o->sea.depth);
    while (layer + 1 < o->layers && d >= o->depth[layer + 1])
        ++layer;
    ocean_velocity(o, 1 + layer, p->rest, u);
    if (layer + 1 < o->layers) {
        const double *depth = &o->depth[layer], k = o->fade;
        const float s = (float)(lost(k * (d - depth[0])) / lost(k * (depth[1] - depth[0])));
        float v[3];
        if (!(s > 0.0f)) return;
        ocean_velocity(o, 2 + layer, p->rest, v);
        for (int a = 0; a < 3; ++a)
            u[a] = sp_mix(u[a], v[a], s);
    } else {
        float left[2];
        fade(o, d, left);
        u[0] *= left[0];
        u[1] *= left[1];
        u[2] *= left[0];
    }
}

void ocean_answer(const void *user, const sp_bulk_query *q, size_t begin, size_t end)
{
    const ocean *o = user;
    const bool moves = q->u[0] || q->u[1] || q->u[2];
    for (size_t i = begin; i < end; ++i) {
        ocean_point p;
        float n[3], u[3] = {0};
        ocean_point_above(o, q->x[i], q->z[i], &p);
        normal(&p, n);
        if (moves) velocity(o, &p, p.y - q->y[i], u);
        if (q->phi)
            q->phi[i] = (float)((double)n[0] * p.off[0] + (double)n[1] * (q->y[i] - p.y) +
                                (double)n[2] * p.off[1]);
        for (int a = 0; a < 3; ++a) {
            if (q->gradient[a]) q->gradient[a][i] = n[a];
            if (q->u[a]) q->u[a][i] = u[a];
        }
        if (q->aeration) q->aeration[i] = 0.0f;
        if (q->mask) q->mask[i] = isfinite(q->x[i] + q->y[i] + q->z[i]) ? 0 : SP_BULK_OUTSIDE;
    }
}
