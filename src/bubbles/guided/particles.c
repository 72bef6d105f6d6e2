// SPDX-License-Identifier: Apache-2.0
/// The caller's particles on the grid: moves them in the world, sorts them into the tiles that they are in, and
/// writes them back after the substep. Their order on a tile is the caller's, so that sums do not depend on threads.
#include "bubbles/guided/internal.h"

static size_t blocks_of(const bubbles_guide *g)
{
    return (g->particles->count + BUBBLES_GRAIN - 1) / BUBBLES_GRAIN;
}

static sp_status no_memory(const bubbles_guide *g, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu bubbles", g->particles->count);
}

/// ---- Memory ------------------------------------------------------------------------------------

void guided_places_close(guided_places *p, const sp_host *host)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(host, p->x[a]);
        sp_release(host, p->v[a]);
    }
    sp_release(host, p->at);
    sp_release(host, p->tile);
    sp_release(host, p->from);
    sp_release(host, p->number);
    *p = (guided_places){0};
}

static sp_status make_room(bubbles_guide *g, sp_error *err)
{
    guided_places *p = &g->places;
    const sp_host *host = g->s->host;
    const size_t n = g->particles->count;
    if (n <= p->room && p->tile) return SP_OK;
    const size_t room = n + n / 4 + SP_LANES;
    bool good = sp_regrow(host, (void **)&p->at, 0, room, sizeof *p->at) &&
                sp_regrow(host, (void **)&p->tile, 0, room, sizeof *p->tile) &&
                sp_regrow(host, (void **)&p->from, 0, room, sizeof *p->from) &&
                sp_regrow(host, (void **)&p->number, 0, room + SP_LANES, sizeof *p->number);
    for (int a = 0; a < 3 && good; ++a)
        good = sp_regrow(host, (void **)&p->x[a], 0, room, sizeof *p->x[a]) &&
               sp_regrow(host, (void **)&p->v[a], 0, room, sizeof *p->v[a]);
    if (!good) return no_memory(g, err);
    p->room = room;
    return SP_OK;
}

/// ---- Moving ------------------------------------------------------------------------------------

typedef struct moving {
    bubbles_guide *g;
    double dt;
    uint32_t *listed; ///< by block: tiles in places.at
    uint32_t *lost;   ///< by block
} moving;

/// What a thread remembers of the last particle's tile.
typedef struct tile_memory {
    uint32_t hint, tile;
    bool near_solids;
} tile_memory;

/// Whether solids may be near: tiles that do not exist yet are not known.
static bool may_meet_solids(const bubbles *s, const int32_t at[3], tile_memory *m)
{
    if (!s->has_solids) return false;
    const uint32_t tile = sp_tiles_find_near(&s->grid.tiles, at, &m->hint);
    if (tile == SP_NO_TILE) return true;
    if (tile != m->tile) m->near_solids = bubbles_is_near_solids(s, tile);
    m->tile = tile;
    return m->near_solids;
}

/// Pushes a particle out of solids; false if it is too deep inside: by two voxels, besides what a solid that moves
/// may run over in dt.
static bool push_out(const bubbles *s, double dt, double x[3], float v[3])
{
    double normal[3], solid[3];
    int who;
    const double d = sp_solids_distance(s->solids.bodies, x, normal, &who);
    if (d >= 0.0) return true;
    sp_solids_velocity(s->solids.bodies, who, x, solid);
    const double speed = sqrt(solid[0] * solid[0] + solid[1] * solid[1] + solid[2] * solid[2]);
    if (d < -2.0 * (double)s->grid.voxel - speed * dt) return false;
    for (int a = 0; a < 3; ++a)
        x[a] -= d * normal[a];
    bubbles_slide(s->def.friction, normal, solid, v);
    return true;
}

/// Whether a tile may exist there; false for positions that are not numbers.
static bool is_within_reach(const bubbles_grid *g, const double x[3])
{
    const double most = (double)SP_TILE * (double)g->high[0] * (double)g->voxel;
    bool inside = true;
    for (int a = 0; a < 3; ++a)
        inside &= fabs(x[a] - g->origin[a]) < most;
    return inside;
}

static bool move_one(const moving *m, size_t i, tile_memory *memory, int32_t at[3])
{
    const bubbles *s = m->g->s;
    const sp_guided_particles *p = m->g->particles;
    double x[3];
    float v[3], place[3];
    for (int a = 0; a < 3; ++a) {
        v[a] = p->v[a][i];
        x[a] = p->x[a][i] + m->dt * (double)v[a];
    }
    if (!is_within_reach(&s->grid, x)) return false;
    bubbles_place(&s->grid, x, at, place);
    if (may_meet_solids(s, at, memory)) {
        if (!push_out(s, m->dt, x, v) || !is_within_reach(&s->grid, x)) return false;
        bubbles_place(&s->grid, x, at, place);
    }
    for (int a = 0; a < 3; ++a) {
        m->g->places.x[a][i] = x[a];
        m->g->places.v[a][i] = v[a];
    }
    return true;
}

static void move_block(void *arg, size_t begin, size_t end)
{
    const moving *m = arg;
    for (size_t first = begin; first < end; first += BUBBLES_GRAIN) { // one thread takes all as one
        const size_t last = first + BUBBLES_GRAIN < end ? first + BUBBLES_GRAIN : end;
        tile_memory memory = {SP_NO_TILE, SP_NO_TILE, false};
        int32_t(*list)[3] = m->g->places.at + first;
        uint32_t n = 0, lost = 0;
        for (size_t i = first; i < last; ++i) {
            int32_t at[3];
            if (!m->g->lost[i] && !move_one(m, i, &memory, at)) {
                m->g->lost[i] = 1;
                ++lost;
            }
            if (!m->g->lost[i] && (n == 0 || memcmp(list[n - 1], at, sizeof at) != 0))
                memcpy(list[n++], at, sizeof at);
        }
        m->listed[first / BUBBLES_GRAIN] = n;
        m->lost[first / BUBBLES_GRAIN] = lost;
    }
}

/// Closes the gaps between the blocks' lists.
static size_t join_lists(bubbles_guide *g, const uint32_t *listed)
{
    size_t n = 0;
    for (size_t b = 0; b < blocks_of(g); ++b) {
        memmove(g->places.at + n, g->places.at + b * BUBBLES_GRAIN,
                listed[b] * sizeof *g->places.at);
        n += listed[b];
    }
    return n;
}

sp_status guided_move(bubbles_guide *g, double dt, sp_error *err)
{
    bubbles *s = g->s;
    SP_TRY(make_room(g, err));
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    moving m = {g, dt, sp_scratch_array(&s->scratch, uint32_t, blocks_of(g) + 1),
                sp_scratch_array(&s->scratch, uint32_t, blocks_of(g) + 1)};
    if (!m.listed || !m.lost) return no_memory(g, err);
    sp_parallel(s->host, g->particles->count, BUBBLES_GRAIN, move_block, &m);
    for (size_t b = 0; b < blocks_of(g); ++b)
        g->figures.lost += m.lost[b];
    const size_t n = join_lists(g, m.listed);
    sp_scratch_rewind(&s->scratch, mark);
    return sp_tiles_open(&g->full, s->host, s->grid.voxel, (const int32_t(*)[3])g->places.at, n,
                         err);
}

/// ---- Sorting -----------------------------------------------------------------------------------

static void find_tiles(void *arg, size_t begin, size_t end)
{
    const bubbles_guide *g = arg;
    uint32_t hint = SP_NO_TILE;
    for (size_t i = begin; i < end; ++i) {
        const double x[3] = {g->places.x[0][i], g->places.x[1][i], g->places.x[2][i]};
        int32_t at[3];
        float place[3];
        g->places.tile[i] = SP_NO_TILE;
        if (g->lost[i]) continue;
        bubbles_place(&g->s->grid, x, at, place);
        g->places.tile[i] = sp_tiles_find_near(&g->full, at, &hint);
    }
}

/// Writes where each tile's particles begin, and which they are.
static size_t order_by_tile(bubbles_guide *g)
{
    uint32_t *start = g->s->particles.start;
    const size_t n = g->particles->count, tiles = g->full.count;
    memset(start, 0, (tiles + 1) * sizeof *start);
    for (size_t i = 0; i < n; ++i)
        if (g->places.tile[i] != SP_NO_TILE) ++start[g->places.tile[i]];
    const size_t kept = sp_scan(start, tiles + 1);
    for (size_t i = 0; i < n; ++i)
        if (g->places.tile[i] != SP_NO_TILE)
            g->places.from[start[g->places.tile[i]]++] = (uint32_t)i;
    for (size_t t = tiles; t > 0; --t) // undo the counting up
        start[t] = start[t - 1];
    start[0] = 0;
    return kept;
}

static void put_particles(void *arg, size_t begin, size_t end)
{
    const bubbles_guide *g = arg;
    const bubbles_particles *p = &g->s->particles;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = g->places.from[k];
        const double x[3] = {g->places.x[0][i], g->places.x[1][i], g->places.x[2][i]};
        int32_t at[3];
        float place[3];
        bubbles_place(&g->s->grid, x, at, place);
        for (int a = 0; a < 3; ++a) {
            p->x[a][k] = place[a];
            p->v[a][k] = g->places.v[a][i];
        }
        p->radius[k] = p->largest[k] = g->particles->radius[i];
        p->density[k] = g->s->def.density_air;
        p->id[k] = g->particles->id[i];
        g->places.number[k] = g->particles->number ? g->particles->number[i] : 1.0f;
    }
}

sp_status guided_sort(bubbles_guide *g, sp_error *err)
{
    bubbles *s = g->s;
    bubbles_particles *p = &s->particles;
    SP_TRY(bubbles_starts_reserve(p, g->full.count, err));
    sp_parallel(s->host, g->particles->count, BUBBLES_GRAIN, find_tiles, g);
    const size_t n = order_by_tile(g);
    p->set.count = 0; // those of a step that failed
    SP_TRY(bubbles_particles_reserve(p, n, err));
    sp_particles_append(&p->set, n);
    p->number = g->particles->number ? g->places.number : NULL;
    sp_parallel(s->host, n, BUBBLES_GRAIN, put_particles, g);
    return SP_OK;
}

/// ---- Back --------------------------------------------------------------------------------------

static void write_particles(void *arg, size_t begin, size_t end)
{
    const bubbles_guide *g = arg;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = g->places.from[k];
        for (int a = 0; a < 3; ++a) {
            g->particles->x[a][i] = g->places.x[a][i];
            g->particles->v[a][i] = g->s->particles.v[a][k];
        }
    }
}

void guided_write_back(bubbles_guide *g)
{
    bubbles_particles *p = &g->s->particles;
    sp_parallel(g->s->host, p->set.count, BUBBLES_GRAIN, write_particles, g);
    p->set.count = 0;
    memset(p->start, 0, (g->s->grid.tiles.count + 1) * sizeof *p->start);
}
