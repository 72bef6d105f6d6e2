// SPDX-License-Identifier: Apache-2.0
/// W1  The tiles of a substep: those that bubbles give weights to, and `padding` rings around them, but for rings
/// that are wholly in the air or in a solid. Tiles that stay keep their water; new ones take the bulk's.
#include "bubbles/guided/internal.h"

static sp_status no_memory(const bubbles_guide *g, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to choose among %zu tiles",
                   g->s->grid.tiles.count);
}

/// Adds the tiles that a proof wants; replaces *near.
static sp_status add_forced(bubbles_guide *g, sp_tiles *near, sp_error *err)
{
    const size_t n = near->count + g->forced_count;
    if (g->forced_count == 0) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&g->s->scratch);
    int32_t(*at)[3] = sp_scratch_take(&g->s->scratch, n, sizeof *at);
    if (!at) return no_memory(g, err);
    if (near->count > 0) memcpy(at, near->at, near->count * sizeof *at);
    memcpy(at + near->count, g->forced, g->forced_count * sizeof *at);
    sp_tiles_close(near);
    const sp_status status =
        sp_tiles_open(near, g->s->host, g->s->grid.voxel, (const int32_t(*)[3])at, n, err);
    sp_scratch_rewind(&g->s->scratch, mark);
    return status;
}

/// ---- Air and solids ----------------------------------------------------------------------------

static bool is_dry(const bubbles_guide *g, const int32_t at[3])
{
    const float *phi = g->bulk.phi + (size_t)sp_tiles_find(&g->bulk.tiles, at) * SP_TILE_VOXELS;
    float least = phi[0];
    for (int n = 1; n < SP_TILE_VOXELS; ++n)
        least = phi[n] < least ? phi[n] : least;
    return least > 2.0f * g->s->grid.voxel;
}

/// Whether the tile is so deep in a solid that all of it must be.
static bool is_buried(const bubbles_guide *g, const int32_t at[3])
{
    const bubbles_grid *grid = &g->s->grid;
    const double h = (double)grid->voxel, corner = 0.5 * SP_TILE * sqrt(3.0) * h;
    double middle[3];
    if (!g->s->has_solids) return false;
    for (int a = 0; a < 3; ++a)
        middle[a] = grid->origin[a] + h * SP_TILE * (at[a] + 0.5);
    return sp_solids_distance(g->s->solids.bodies, middle, NULL, NULL) < -corner;
}

/// Those of `needed` that are in water, or that bubbles give weights to.
static sp_status keep_wet(bubbles_guide *g, const sp_tiles *near, const sp_tiles *needed,
                          sp_tiles *next, sp_error *err)
{
    bubbles *s = g->s;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    int32_t(*at)[3] = sp_scratch_take(&s->scratch, needed->count + 1, sizeof *at);
    size_t n = 0;
    if (!at) return no_memory(g, err);
    for (size_t t = 0; t < needed->count; ++t) {
        const int32_t *here = needed->at[t];
        if (sp_tiles_find(near, here) != SP_NO_TILE || !(is_dry(g, here) || is_buried(g, here)))
            memcpy(at[n++], here, sizeof *at);
    }
    sp_status status =
        n <= (size_t)s->def.max_tiles
            ? sp_tiles_open(next, s->host, s->grid.voxel, (const int32_t(*)[3])at, n, err)
            : sp_fail(err, SP_BAD_INPUT,
                      "whitewater: the bubbles need %zu tiles of water at t = %.4g s, more than "
                      "max_tiles, %d; raise it, or choose a larger voxel or less padding",
                      n, s->time, s->def.max_tiles);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status choose(bubbles_guide *g, sp_tiles *near, sp_tiles *needed, sp_error *err)
{
    bubbles *s = g->s;
    sp_tiles next;
    SP_TRY(bubbles_find_near(s, &g->full, near, err));
    SP_TRY(add_forced(g, near, err));
    SP_TRY(sp_tiles_dilate(needed, near, s->def.padding, err));
    SP_TRY(sp_tiles_dilate(&next, needed, 1, err));
    SP_TRY(guided_follow_bulk(g, &next, err));
    SP_TRY(keep_wet(g, near, needed, &next, err));
    SP_TRY(bubbles_retile(s, &next, err));
    return bubbles_remap(&s->particles, &g->full, &s->grid.tiles, &s->scratch, err);
}

sp_status guided_choose_tiles(bubbles_guide *g, sp_error *err)
{
    sp_tiles near = {0}, needed = {0};
    sp_status status = guided_sort(g, err);
    if (status == SP_OK) status = choose(g, &near, &needed, err);
    sp_tiles_close(&near);
    sp_tiles_close(&needed);
    sp_tiles_close(&g->full);
    return status;
}
