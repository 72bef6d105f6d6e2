// SPDX-License-Identifier: Apache-2.0
/// The ground is not published: it is height minus depth. Height carries the domes that bubbles
/// push up and depth does not, so each dome would stand on the floor as a little hill. Here those
/// are cut off: what is narrower than a dome goes (an opening: lowest of the neighbourhood, then
/// highest of those), what is wider stays where it is.
#include "render/internal.h"

#include <string.h>

enum { MAX_REACH = 12 }; // samples

/// Each sample becomes the lowest (or highest) of those within `reach` along one direction.
static void extreme(const sheet *s, const float *from, float *to, size_t stride, size_t count,
                    size_t reach, float sign)
{
    for (size_t i = 0; i < s->nu * s->nv; ++i) {
        const size_t at = i / stride % count;
        const size_t back = at < reach ? at : reach, left = count - 1 - at;
        const size_t on = left < reach ? left : reach;
        float best = from[i];
        for (size_t k = i - back * stride; k <= i + on * stride; k += stride)
            best = sign * from[k] < sign * best ? from[k] : best;
        to[i] = best;
    }
}

void ground_cut_domes(scene *s)
{
    sheet *g = &s->ground;
    float widest = 0.0f;
    for (size_t i = 0; i < s->bubbles.count; ++i)
        widest = fmaxf(widest, s->bubbles.balls[i].r);
    if (widest <= 0.0f) return;
    const float samples = ceilf(2.0f * widest / fminf(g->step_u, g->step_v));
    const size_t reach = samples < (float)MAX_REACH ? (size_t)samples : MAX_REACH;
    float *spare = g->slope_u, *before = g->slope_v; // free until the slopes are taken again below
    memcpy(before, g->y, g->nu * g->nv * sizeof(float));
    extreme(g, g->y, spare, 1, g->nu, reach, 1.0f);
    extreme(g, spare, g->y, g->nu, g->nv, reach, 1.0f);
    extreme(g, g->y, spare, 1, g->nu, reach, -1.0f);
    extreme(g, spare, g->y, g->nu, g->nv, reach, -1.0f);
    for (size_t i = 0; i < g->nu * g->nv; ++i)
        if (before[i] >= s->surface.y[i]) g->y[i] = before[i]; // dry land is known exactly
    sheet_finish(g);
}
