// SPDX-License-Identifier: Apache-2.0
/// Finds grains that touch solids, or nearly. A grain touches the nearest solid alone; in a corner the
/// other one stops it when it moves (move.c).
#include "bubbles/contacts/contacts.h"

typedef struct touching {
    const bubbles *s;
    contact_state *c;
    uint32_t *first; ///< by tile: room for its walls, which are then packed
    uint32_t *count; ///< by tile
    float dt;
    float speed; ///< m/s; of the fastest solid
} touching;

static bool is_open(const bubbles *s, size_t tile)
{
    return s->solids.row[tile] == SP_FLOW_TILE_OPEN;
}

static bool is_near_solids(const bubbles *s, size_t tile)
{
    bool near = false;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = s->grid.tiles.around[tile][n];
        near |= there != SP_NO_TILE && !is_open(s, there);
    }
    return near;
}

/// Whether a solid may be nearer than `reach`, voxels: whether a tile that has some is.
static bool may_touch(const bubbles *s, size_t tile, const float x[3], float reach)
{
    int low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = x[a] < reach ? -1 : 0;
        high[a] = x[a] + reach > SP_TILE ? 1 : 0;
    }
    for (int k = low[2]; k <= high[2]; ++k)
        for (int j = low[1]; j <= high[1]; ++j)
            for (int i = low[0]; i <= high[0]; ++i) {
                const uint32_t there =
                    s->grid.tiles.around[tile][SP_TILES_SELF + i + 3 * j + 9 * k];
                if (there != SP_NO_TILE && !is_open(s, there)) return true;
            }
    return false;
}

/// The same, from the distance at the nearest corner of a voxel of a cut tile. It may be interpolated, so a
/// voxel is allowed for that and for the way to the corner each.
static bool is_clear(const bubbles *s, size_t tile, const float x[3], float reach)
{
    if (!sp_flow_is_row(s->solids.row[tile])) return false;
    const sp_solid_tile *cut = &s->solids.tile[s->solids.row[tile]];
    int corner[3];
    for (int a = 0; a < 3; ++a)
        corner[a] = (int)sp_clamp(x[a] + 0.5f, 0.0f, (float)SP_TILE);
    const float psi = cut->psi[corner[0] + 9 * corner[1] + 81 * corner[2]] / s->grid.voxel;
    return psi > reach + 2.0f;
}

static float margin_of(const touching *w, size_t i)
{
    const bubbles_particles *p = &w->s->particles;
    float speed = 0.0f;
    for (int a = 0; a < 3; ++a)
        speed += p->v[a][i] * p->v[a][i];
    return contact_margin(p->radius[i], w->dt * (sqrtf(speed) + w->speed));
}

static bool find_wall(const touching *w, size_t tile, size_t i, contact_wall *wall)
{
    const bubbles *s = w->s;
    const bubbles_particles *p = &s->particles;
    const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
    const float margin = margin_of(w, i), reach = (p->radius[i] + margin) / s->grid.voxel;
    double at[3], normal[3], v[3];
    if (!may_touch(s, tile, x, reach) || is_clear(s, tile, x, reach)) return false;
    bubbles_point(&s->grid, tile, x, at);
    *wall = (contact_wall){.particle = (uint32_t)i};
    const double psi = sp_solids_distance(s->solids.bodies, at, normal, &wall->who);
    wall->gap = (float)(psi - (double)p->radius[i]);
    if (!(wall->gap < margin)) return false;
    sp_solids_velocity(s->solids.bodies, wall->who, at, v);
    for (int a = 0; a < 3; ++a) {
        wall->normal[a] = (float)normal[a];
        wall->v[a] = (float)v[a];
    }
    return true;
}

static void find_walls(void *arg, size_t begin, size_t end)
{
    const touching *w = arg;
    const bubbles *s = w->s;
    for (size_t t = begin; t < end; ++t) {
        w->count[t] = 0;
        if (w->first[t] == w->first[t + 1]) continue;
        for (size_t i = s->particles.start[t]; i < s->particles.start[t + 1]; ++i) {
            contact_wall *wall = &w->c->wall[w->first[t] + w->count[t]];
            if (s->material[s->particles.material[i]].grains)
                w->count[t] += find_wall(w, t, i, wall);
        }
    }
}

/// Room for every particle of the tiles near solids.
static bool make_room(touching *w)
{
    const bubbles *s = w->s;
    const size_t tiles = s->grid.tiles.count;
    for (size_t t = 0; t < tiles; ++t)
        w->first[t] = is_near_solids(s, t) ? s->particles.start[t + 1] - s->particles.start[t] : 0;
    w->first[tiles] = 0;
    const size_t most = sp_scan(w->first, tiles + 1);
    return contacts_reserve(w->c->host, (void **)&w->c->wall, &w->c->wall_room, most,
                            sizeof *w->c->wall);
}

sp_status contacts_find_walls(bubbles *s, contact_state *c, double dt, sp_error *err)
{
    const size_t tiles = s->grid.tiles.count;
    c->walls = 0;
    if (!s->has_solids) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    touching w = {.s = s,
                  .c = c,
                  .first = sp_scratch_array(&s->scratch, uint32_t, tiles + 1),
                  .count = sp_scratch_array(&s->scratch, uint32_t, tiles + 1),
                  .dt = (float)dt,
                  .speed = (float)sp_solids_speed(s->solids.bodies)};
    const bool room = w.first && w.count && make_room(&w);
    if (room) sp_tiles_parallel(&s->grid.tiles, find_walls, &w);
    for (size_t t = 0; room && t < tiles; ++t) {
        memmove(c->wall + c->walls, c->wall + w.first[t], w.count[t] * sizeof *c->wall);
        c->walls += w.count[t];
    }
    sp_scratch_rewind(&s->scratch, mark);
    return room ? SP_OK : contacts_no_memory(s->particles.set.count, err);
}
