// SPDX-License-Identifier: Apache-2.0
/// Moves particles with their own velocity (WSB25 section 5.6), and handles what they run into: solids,
/// and the sides of the domain.
#include "bubbles/internal.h"

#include <stdatomic.h>

typedef struct moving {
    bubbles *s;
    float per_voxel; ///< dt/voxel: from m/s to voxels
    atomic_size_t left, inside;
} moving;

static void advance(const moving *m, size_t begin, size_t end)
{
    const bubbles_particles *p = &m->s->particles;
    const float by = m->per_voxel, most = BUBBLES_FARTHEST;
    for (int a = 0; a < 3; ++a) {
        float *restrict x = p->x[a];
        const float *restrict v = p->v[a];
        for (size_t i = begin; i < end; ++i)
            x[i] += sp_clamp(by * v[i], -most, most);
    }
}

/// ---- The domain --------------------------------------------------------------------------------

/// Offsets from a tile's low corner, voxels, between which a particle is in the domain.
static bool span_of(const bubbles_grid *g, size_t t, float low[3], float high[3])
{
    bool cut = false;
    for (int a = 0; a < 3; ++a) {
        const double h = (double)g->voxel, corner = g->origin[a] + h * SP_TILE * g->tiles.at[t][a];
        low[a] = (float)((g->domain[0][a] - corner) / h);
        high[a] = (float)((g->domain[1][a] - corner) / h);
        if (g->period[a] > 0) {
            low[a] = -INFINITY;
            high[a] = INFINITY;
        }
        cut |= low[a] > -(float)SP_TILE || high[a] < 2.0f * SP_TILE;
    }
    return cut;
}

static size_t remove_outside(bubbles *s, size_t t)
{
    bubbles_particles *p = &s->particles;
    float low[3], high[3];
    size_t count = 0;
    if (!span_of(&s->grid, t, low, high)) return 0;
    for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
        bool out = false;
        if (p->id[i] == SP_POINT_GONE) continue; // in a solid
        for (int a = 0; a < 3; ++a)
            out |= !(p->x[a][i] >= low[a] && p->x[a][i] <= high[a]);
        if (!out) continue;
        p->id[i] = SP_POINT_GONE;
        ++count;
    }
    return count;
}

/// ---- Solids ------------------------------------------------------------------------------------

bool bubbles_is_near_solids(const bubbles *s, size_t t)
{
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = s->grid.tiles.around[t][n];
        if (there != SP_NO_TILE && s->solids.row[there] != SP_FLOW_TILE_OPEN) return true;
    }
    return false;
}

void bubbles_slide(float friction, const double normal[3], const double solid[3], float v[3])
{
    double rel[3], along = 0.0, tangential = 0.0;
    for (int a = 0; a < 3; ++a) {
        rel[a] = (double)v[a] - solid[a];
        along += rel[a] * normal[a];
    }
    if (along >= 0.0) return; // it moves away already
    for (int a = 0; a < 3; ++a) {
        rel[a] -= along * normal[a];
        tangential += rel[a] * rel[a];
    }
    tangential = sqrt(tangential);
    const double brake = tangential > 0.0 ? (double)friction * -along / tangential : 0.0;
    for (int a = 0; a < 3; ++a)
        v[a] = (float)(solid[a] + rel[a] * fmax(0.0, 1.0 - brake));
}

/// Pushes a particle out of solids; false if it is too deep inside.
static bool push_out(const bubbles *s, size_t t, size_t i)
{
    const bubbles_particles *p = &s->particles;
    const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
    const double h = (double)s->grid.voxel;
    double at[3], normal[3], solid[3];
    int who;
    bubbles_point(&s->grid, t, x, at);
    const bool grain = s->material[p->material[i]].grains;
    const double d = sp_solids_distance(s->solids.bodies, at, normal, &who) -
                     (grain ? (double)p->radius[i] : 0.0);
    if (d >= 0.0) return true;
    if (d < -2.0 * h) return false;
    for (int a = 0; a < 3; ++a)
        p->x[a][i] = sp_clamp(p->x[a][i] - (float)(d * normal[a] / h), -7.99f, 15.99f);
    sp_solids_velocity(s->solids.bodies, who, at, solid);
    float v[3] = {p->v[0][i], p->v[1][i], p->v[2][i]};
    bubbles_slide(s->def.friction, normal, solid, v);
    for (int a = 0; a < 3; ++a)
        p->v[a][i] = v[a];
    return true;
}

static size_t collide(bubbles *s, size_t t)
{
    bubbles_particles *p = &s->particles;
    size_t count = 0;
    if (!s->has_solids || !bubbles_is_near_solids(s, t)) return 0;
    for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
        if (p->id[i] == SP_POINT_GONE || push_out(s, t, i)) continue;
        p->id[i] = SP_POINT_GONE;
        ++count;
    }
    return count;
}

static void move_tiles(void *arg, size_t begin, size_t end)
{
    moving *m = arg;
    size_t left = 0, inside = 0;
    for (size_t t = begin; t < end; ++t) {
        advance(m, m->s->particles.start[t], m->s->particles.start[t + 1]);
        inside += collide(m->s, t);
        left += remove_outside(m->s, t);
    }
    if (left) atomic_fetch_add(&m->left, left);
    if (inside) atomic_fetch_add(&m->inside, inside);
}

void bubbles_move(bubbles *s, double dt)
{
    moving m = {.s = s, .per_voxel = (float)(dt / (double)s->grid.voxel)};
    sp_tiles_parallel(&s->grid.tiles, move_tiles, &m);
    s->figures.left += m.left;
    s->figures.inside += m.inside;
}
