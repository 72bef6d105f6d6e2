// SPDX-License-Identifier: Apache-2.0
/// Foam on the surface: thin shells of water around air, drawn one behind the other along a ray. A
/// shell mirrors little when looked at squarely and much at its rim, and scatters some light, so
/// that one bubble is glassy and a raft of them is white.
#include "render/internal.h"

enum { MAX_LAYERS = 24, MAX_IN_CELL = 32 };

typedef struct layer {
    float t;
    const ball *b;
} layer;

/// The shells crossed in the cell at hand, nearest first.
static int list_layers(const ball_walk *w, const ray *r, uint32_t begin, uint32_t end, layer *out)
{
    int n = 0;
    for (uint32_t k = begin; k < end; ++k) {
        const ball *b = &w->g->balls[w->g->items[k]];
        float t[2];
        if (!ball_cross(b, r, &t[0], &t[1])) continue;
        for (int side = 0; side < 2; ++side) {
            if (!(t[side] >= w->t0 && t[side] < w->t1) || n == MAX_IN_CELL) continue;
            int at = n++;
            for (; at > 0 && out[at - 1].t > t[side]; --at)
                out[at] = out[at - 1];
            out[at] = (layer){t[side], b};
        }
    }
    return n;
}

static color shade_shell(const scene *s, const ray *r, const layer *l, float *opacity)
{
    const sp_vec3 p = along(r, l->t), n = ball_normal(l->b, p);
    const float c = -sp_dot(r->d, n), square = fabsf(c), rim = 1.0f - square;
    const sp_vec3 facing = c > 0.0f ? n : sp_scale(n, -1.0f), shine = mirror(r->d, facing);
    const float f = 0.02f + 0.98f * rim * rim * rim * rim * rim;
    const float film = 2.0f * f / (1.0f + f); // both faces of the film
    const bool buried = ball_grid_inside(&s->foam, p, l->b);
    const float height = sp_clamp((p.y - l->b->c.y) / l->b->r, 0.0f, 1.0f);
    const float foot = 0.35f * sp_expf(-7.0f * height); // water creeps up the wall
    const float haze = (0.05f + 0.6f * rim * rim * rim + foot) * (buried ? 0.5f : 1.0f);
    const float sun = 0.55f + 0.45f * sp_dot(n, s->sun);
    const color white =
        sp_scale((color){0.90f, 0.98f, 1.04f}, (1.0f + 1.2f * sun) * (0.7f + 0.3f * height));
    color light = sp_add(sp_scale(white, haze), sp_scale(sky(s, shine), film));
    if (!buried) light = sp_add(light, sp_scale(sun_glint(s, shine, 260.0f), 0.35f));
    *opacity = sp_clamp(haze + film, 0.0f, 0.95f);
    return light;
}

/// Light of the foam along a ray up to `end`; *passed is multiplied by what comes through it.
color through_foam(const scene *s, const ray *r, float end, color *passed)
{
    color light = gray(0.0f);
    float clear = 1.0f;
    int layers = 0;
    layer found[MAX_IN_CELL];
    ball_walk w = ball_walk_begin(&s->foam, r, 0.0f, end);
    for (uint32_t a, b; ball_walk_next(&w, &a, &b);) {
        const int n = list_layers(&w, r, a, b, found);
        for (int k = 0; k < n && layers < MAX_LAYERS && clear > 0.03f; ++k, ++layers) {
            float opacity;
            const color c = shade_shell(s, r, &found[k], &opacity);
            light = sp_madd(light, c, clear);
            clear *= 1.0f - opacity;
        }
        if (clear <= 0.03f || layers >= MAX_LAYERS) break;
    }
    *passed = sp_scale(*passed, clear);
    return light;
}
