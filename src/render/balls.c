// SPDX-License-Identifier: Apache-2.0
/// Spheres and ellipsoids in a uniform grid, so that a quarter of a million of them cost a ray no
/// more than a few hundred.
#include "render/internal.h"

enum { MAX_CELLS = 1 << 22, MAX_SIDE = 512 };

static float along_axis(sp_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// How far a ball reaches from its centre in any direction.
static float reach(const ball *b)
{
    return b->r / fminf(b->along, b->across);
}

static void measure(ball_grid *g, float *mean, float *largest)
{
    double sum = 0.0;
    g->low = g->high = g->balls[0].c;
    *largest = 0.0f;
    for (size_t i = 0; i < g->count; ++i) {
        const sp_vec3 c = g->balls[i].c;
        const float r = reach(&g->balls[i]);
        g->low =
            (sp_vec3){fminf(g->low.x, c.x - r), fminf(g->low.y, c.y - r), fminf(g->low.z, c.z - r)};
        g->high = (sp_vec3){fmaxf(g->high.x, c.x + r), fmaxf(g->high.y, c.y + r),
                            fmaxf(g->high.z, c.z + r)};
        *largest = fmaxf(*largest, r);
        sum += (double)r;
    }
    *mean = (float)(sum / (double)g->count);
}

/// A cell about as wide as a ball, but never so small that large balls fill thousands of cells or
/// that the cells outnumber what they hold by far.
static void shape(ball_grid *g)
{
    float mean, largest, size = 0.0f;
    measure(g, &mean, &largest);
    for (int k = 0; k < 3; ++k)
        size = fmaxf(size, along_axis(g->high, k) - along_axis(g->low, k));
    g->edge = fmaxf(fmaxf(2.0f * mean, 0.25f * largest), fmaxf(size / MAX_SIDE, 1e-9f));
    for (;; g->edge *= 1.25f) {
        double cells = 1.0;
        for (int k = 0; k < 3; ++k) {
            g->n[k] = 1 + (int)((along_axis(g->high, k) - along_axis(g->low, k)) / g->edge);
            cells *= (double)g->n[k];
        }
        if (cells <= MAX_CELLS && cells <= 16.0 * (double)g->count + 64.0) return;
    }
}

static int cell_at(const ball_grid *g, int axis, float x)
{
    const float at = (x - along_axis(g->low, axis)) / g->edge;
    return !(at > 0.0f) ? 0 : at >= (float)g->n[axis] ? g->n[axis] - 1 : (int)at;
}

/// Counts (items NULL) or lists every ball in the cells its box touches.
static void scatter(ball_grid *g, uint32_t *cursor, uint32_t *items)
{
    for (size_t b = 0; b < g->count; ++b) {
        const float r = reach(&g->balls[b]);
        int low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = cell_at(g, k, along_axis(g->balls[b].c, k) - r);
            high[k] = cell_at(g, k, along_axis(g->balls[b].c, k) + r);
        }
        for (int z = low[2]; z <= high[2]; ++z)
            for (int y = low[1]; y <= high[1]; ++y)
                for (int x = low[0]; x <= high[0]; ++x) {
                    const size_t c =
                        ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x;
                    if (items) items[cursor[c]] = (uint32_t)b;
                    ++cursor[c];
                }
    }
}

bool ball_grid_open(ball_grid *g, const sp_host *host, ball *balls, size_t count)
{
    *g = (ball_grid){.balls = balls, .count = count};
    if (count == 0) return true;
    shape(g);
    const size_t cells = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    g->start = sp_allocate(host, cells + 1, sizeof *g->start);
    if (!g->start) return false;
    scatter(g, g->start, NULL);
    const uint32_t total = sp_scan(g->start, cells + 1);
    g->items = sp_allocate(host, total, sizeof *g->items);
    if (!g->items) return false;
    scatter(g, g->start, g->items);
    // Filling moved each start to its cell's end, which is the next cell's start: move them back by
    // one.
    for (size_t c = cells; c > 0; --c)
        g->start[c] = g->start[c - 1];
    g->start[0] = 0;
    return true;
}

void ball_grid_close(ball_grid *g, const sp_host *host)
{
    sp_release(host, g->balls);
    sp_release(host, g->start);
    sp_release(host, g->items);
    *g = (ball_grid){0};
}

/// Into the space where the ball is a sphere.
static sp_vec3 rounded(const ball *b, sp_vec3 v)
{
    return sp_madd(sp_scale(v, b->across), b->axis, (b->along - b->across) * sp_dot(v, b->axis));
}

bool ball_cross(const ball *b, const ray *r, float *t0, float *t1)
{
    const sp_vec3 w = rounded(b, sp_sub(r->o, b->c)), d = rounded(b, r->d);
    const float dd = sp_dot(d, d), m = -sp_dot(w, d) / dd;
    // the nearest point first, then its distance: a small ball far away would drown in b*b - 4ac
    const sp_vec3 near = sp_madd(w, d, m);
    const float k = b->r * b->r - sp_dot(near, near);
    if (!(k > 0.0f)) return false;
    const float half = sqrtf(k / dd);
    *t0 = m - half;
    *t1 = m + half;
    return true;
}

sp_vec3 ball_normal(const ball *b, sp_vec3 p)
{
    const sp_vec3 up = {0.0f, 1.0f, 0.0f};
    return sp_normalize(rounded(b, rounded(b, sp_sub(p, b->c))), up);
}

ball_walk ball_walk_begin(const ball_grid *g, const ray *r, float t0, float t1)
{
    ball_walk w = {.g = g};
    if (g->count == 0) return w;
    for (int k = 0; k < 3; ++k) { // clip to the grid's box
        const float o = along_axis(r->o, k), d = along_axis(r->d, k);
        const float low = along_axis(g->low, k), high = along_axis(g->high, k);
        if (fabsf(d) < 1e-9f) {
            if (o < low || o > high) return w;
            continue;
        }
        const float a = (low - o) / d, b = (high - o) / d;
        t0 = fmaxf(t0, fminf(a, b));
        t1 = fminf(t1, fmaxf(a, b));
    }
    if (!(t0 < t1)) return w;
    for (int k = 0; k < 3; ++k) {
        const float o = along_axis(r->o, k), d = along_axis(r->d, k), low = along_axis(g->low, k);
        w.at[k] = cell_at(g, k, o + d * t0);
        w.step[k] = d > 0.0f ? 1 : -1;
        const bool flat = fabsf(d) < 1e-9f;
        const float wall = low + (float)(w.at[k] + (d > 0.0f ? 1 : 0)) * g->edge;
        w.next[k] = flat ? INFINITY : (wall - o) / d;
        w.delta[k] = flat ? INFINITY : g->edge / fabsf(d);
    }
    w.t1 = t0;
    w.end = t1;
    w.live = true;
    return w;
}

bool ball_walk_next(ball_walk *w, uint32_t *begin, uint32_t *end)
{
    if (!w->live) return false;
    const ball_grid *g = w->g;
    const size_t cell = ((size_t)w->at[2] * (size_t)g->n[1] + (size_t)w->at[1]) * (size_t)g->n[0] +
                        (size_t)w->at[0];
    *begin = g->start[cell];
    *end = g->start[cell + 1];
    const int k = w->next[0] <= w->next[1] ? (w->next[0] <= w->next[2] ? 0 : 2)
                                           : (w->next[1] <= w->next[2] ? 1 : 2);
    w->t0 = w->t1;
    w->t1 = w->next[k];
    w->next[k] += w->delta[k];
    w->at[k] += w->step[k];
    w->live = w->at[k] >= 0 && w->at[k] < g->n[k] && w->t1 < w->end;
    if (!w->live) w->t1 = w->end;
    return true;
}

const ball *ball_grid_hit(const ball_grid *g, const ray *r, float t0, float *t)
{
    const ball *found = NULL;
    ball_walk w = ball_walk_begin(g, r, t0, *t);
    for (uint32_t begin, end; ball_walk_next(&w, &begin, &end);) {
        for (uint32_t k = begin; k < end; ++k) {
            const ball *b = &g->balls[g->items[k]];
            float a, z;
            if (!ball_cross(b, r, &a, &z) || a <= t0 || a >= *t) continue;
            *t = a;
            found = b;
        }
        if (found && *t <= w.t1) break; // nothing in a later cell can be nearer
    }
    return found;
}

bool ball_grid_inside(const ball_grid *g, sp_vec3 p, const ball *self)
{
    size_t cell = 0;
    for (int k = 2; k >= 0; --k)
        cell = cell * (size_t)g->n[k] + (size_t)cell_at(g, k, along_axis(p, k));
    for (uint32_t k = g->start[cell]; k < g->start[cell + 1]; ++k) {
        const ball *b = &g->balls[g->items[k]];
        const sp_vec3 w = rounded(b, sp_sub(p, b->c));
        if (b != self && sp_dot(w, w) < b->r * b->r) return true;
    }
    return false;
}
