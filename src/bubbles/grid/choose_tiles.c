// SPDX-License-Identifier: Apache-2.0
/// Chooses the tiles of a substep (WSB25 section 5.5): those that particles give weights to, `padding` rings around them, and those that they left less than `tile_linger` substeps
/// ago, so that an eddy is not lost where a tile flickers. Tiles are ordered by position, so nothing
/// depends on their history.
#include "bubbles/in_liquid/in_liquid.h"

#include <inttypes.h>

typedef int32_t tile_at[3];

/// A list of tiles in the scratch, in any order, with duplicates.
typedef struct tile_list {
    tile_at *at;
    size_t count;
} tile_list;

static sp_status out_of_memory(const bubbles *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to choose among %zu tiles",
                   s->grid.tiles.count);
}

static sp_status open_list(const bubbles *s, const tile_list *list, sp_tiles *tiles, sp_error *err)
{
    return sp_tiles_open_periodic(tiles, s->host, s->grid.voxel, s->grid.period,
                                  (const int32_t(*)[3])list->at, list->count, err);
}

/// ---- Tiles that hold particles -----------------------------------------------------------------

static bool may_exist(const bubbles_grid *g, const int32_t at[3])
{
    bool inside = true;
    for (int a = 0; a < 3; ++a)
        inside &= g->period[a] > 0 || (at[a] >= g->low[a] && at[a] <= g->high[a]);
    return inside;
}

static void add_tile(const bubbles_grid *g, tile_list *list, const int32_t at[3])
{
    if (may_exist(g, at)) memcpy(list->at[list->count++], at, sizeof *list->at);
}

/// The tiles that particles are in after they moved, and those of new particles.
static sp_status list_full(bubbles *s, tile_list *list, sp_error *err)
{
    const bubbles_grid *g = &s->grid;
    const size_t tiles = g->tiles.count;
    uint32_t *reach = sp_scratch_array(&s->scratch, uint32_t, tiles + 1);
    size_t most = s->fresh.count;
    if (!reach) return out_of_memory(s, err);
    const sp_moved_points moved = bubbles_moved(&s->particles, &g->tiles);
    sp_points_reach(&moved, reach);
    for (size_t t = 0; t < tiles; ++t)
        most += (size_t)__builtin_popcount(reach[t]);
    list->at = sp_scratch_take(&s->scratch, most + 1, sizeof *list->at);
    if (!list->at) return out_of_memory(s, err);
    for (size_t t = 0; t < tiles; ++t)
        for (uint32_t bits = reach[t]; bits; bits &= bits - 1) {
            const int n = __builtin_ctz(bits);
            const int32_t *from = g->tiles.at[t];
            const tile_at at = {from[0] + n % 3 - 1, from[1] + n / 3 % 3 - 1, from[2] + n / 9 - 1};
            add_tile(g, list, at);
        }
    for (size_t n = 0; n < s->fresh.count; ++n) {
        tile_at at;
        float place[3];
        bubbles_place(g, s->fresh.x[n], at, place);
        add_tile(g, list, at);
    }
    return SP_OK;
}

/// ---- Tiles that they need ----------------------------------------------------------------------

typedef struct marking {
    const bubbles_particles *p;
    sp_tile_mask *wet;
} marking;

static void mark_particles(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t t = begin; t < end; ++t) {
        memset(m->wet[t], 0, sizeof *m->wet);
        for (uint32_t i = m->p->start[t]; i < m->p->start[t + 1]; ++i)
            sp_tile_mask_add(m->wet[t],
                             (int)sp_point_voxel(m->p->x[0][i], m->p->x[1][i], m->p->x[2][i]));
    }
}

sp_status bubbles_find_near(bubbles *s, const sp_tiles *full, sp_tiles *near, sp_error *err)
{
    const bubbles_grid *g = &s->grid;
    const int voxels = (int)ceilf(s->basis->reach + 0.5f);
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const marking m = {&s->particles, sp_scratch_array(&s->scratch, sp_tile_mask, full->count + 1)};
    *near = (sp_tiles){0};
    if (!m.wet) return out_of_memory(s, err);
    sp_tiles_parallel(full, mark_particles, (void *)(uintptr_t)&m);
    const sp_status status =
        sp_tiles_near(near, full, (const sp_tile_mask *)m.wet, NULL, voxels, g->low, g->high, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// These, and `padding` rings around.
static sp_status find_needed(bubbles *s, const sp_tiles *full, sp_tiles *needed, sp_error *err)
{
    sp_tiles near;
    SP_TRY(bubbles_find_near(s, full, &near, err));
    const sp_status status = sp_tiles_dilate(needed, &near, s->def.padding, err);
    sp_tiles_close(&near);
    return status;
}

/// Adds the tiles of before that are not idle for too long. `needed` of the list come first.
static sp_status list_next(bubbles *s, const sp_tiles *needed, tile_list *list, sp_error *err)
{
    const bubbles_grid *g = &s->grid;
    const size_t before = g->tiles.count;
    list->at = sp_scratch_take(&s->scratch, needed->count + before + 1, sizeof *list->at);
    if (!list->at) return out_of_memory(s, err);
    for (size_t t = 0; t < needed->count; ++t)
        add_tile(g, list, needed->at[t]);
    for (size_t t = 0; t < before; ++t)
        if (g->idle[t] < s->def.tile_linger) add_tile(g, list, g->tiles.at[t]);
    return SP_OK;
}

/// How long each of the next tiles has been without need: `idle` of tiles before is in `was`.
static void count_idle(bubbles_grid *g, const sp_tiles *before, const uint16_t *was,
                       const sp_tiles *needed)
{
    for (size_t t = 0; t < g->tiles.count; ++t) {
        const int32_t *at = g->tiles.at[t];
        const uint32_t old = sp_tiles_find(before, at);
        const bool wanted = sp_tiles_find(needed, at) != SP_NO_TILE;
        g->idle[t] = (uint16_t)(wanted || old == SP_NO_TILE ? 0 : was[old] + 1);
    }
}

static sp_status check_count(const bubbles *s, const sp_tiles *next, sp_error *err)
{
    if (next->count <= (size_t)s->def.max_tiles) return SP_OK;
    const double bytes = 200.0 * SP_TILE_VOXELS * (double)next->count;
    return sp_fail(err, SP_BAD_INPUT,
                   "bubbles.max_tiles: %d, but %zu tiles are needed at t = %.4g s (%.1f GB); raise "
                   "it, or choose a larger voxel or less padding",
                   s->def.max_tiles, next->count, s->time, bytes * 1e-9);
}

/// Moves everything to the next tiles; closes *next.
static sp_status move_over(bubbles *s, const sp_tiles *full, const sp_tiles *needed, sp_tiles *next,
                           sp_error *err)
{
    bubbles_grid *g = &s->grid;
    const size_t before = g->tiles.count;
    sp_tiles old;
    uint16_t *was = sp_scratch_array(&s->scratch, uint16_t, before + 1);
    sp_status status = was ? check_count(s, next, err) : out_of_memory(s, err);
    if (status == SP_OK) status = sp_tiles_copy(&old, &g->tiles, err);
    if (status != SP_OK) {
        sp_tiles_close(next);
        return status;
    }
    if (before) memcpy(was, g->idle, before * sizeof *was);
    status = bubbles_retile(s, next, err);
    if (status == SP_OK) status = bubbles_remap(&s->particles, full, &g->tiles, &s->scratch, err);
    if (status == SP_OK) count_idle(g, &old, was, needed);
    sp_tiles_close(&old);
    return status;
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status choose(bubbles *s, sp_tiles *full, sp_tiles *needed, sp_error *err)
{
    tile_list holding = {NULL, 0}, all = {NULL, 0};
    sp_tiles next;
    SP_TRY(list_full(s, &holding, err));
    SP_TRY(open_list(s, &holding, full, err));
    SP_TRY(bubbles_sort(&s->particles, &s->grid.tiles, full, &s->scratch, &s->figures.left, err));
    SP_TRY(bubbles_insert(&s->particles, &s->grid, full, &s->fresh, &s->scratch, err));
    SP_TRY(find_needed(s, full, needed, err));
    SP_TRY(list_next(s, needed, &all, err));
    SP_TRY(open_list(s, &all, &next, err));
    return move_over(s, full, needed, &next, err);
}

sp_status bubbles_choose_tiles(bubbles *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    sp_tiles full = {0}, needed = {0};
    if (s->water) return bubbles_take_tiles(s, err);
    const sp_status status = choose(s, &full, &needed, err);
    sp_tiles_close(&full);
    sp_tiles_close(&needed);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
