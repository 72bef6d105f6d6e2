// SPDX-License-Identifier: Apache-2.0
/// Chooses the tiles of the next substep: all tiles within reach of water, so that velocity is
/// defined wherever water may move.
#include "liquid/internal.h"

typedef struct marking {
    const liquid *s;
    const float *phi;             ///< water is where phi < 0; NULL: only particles count
    const sp_tiles *tiles, *from; ///< the tiles of `wet` and `from_wet`
    const sp_tile_mask *from_wet;
    sp_tile_mask *wet;
} marking;

/// Marks the still water beyond open sides: its tiles last, so that it can flow in at any time.
static void mark_level(const marking *m, size_t t)
{
    int first[3], last[3];
    if (!liquid_inside_span(&m->s->grid, &m->s->def, t, first, last)) return;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        double p[3];
        liquid_voxel_center(&m->s->grid, (uint32_t)t, n, p);
        if (liquid_is_beyond(n, first, last) && p[1] < (double)m->s->def.sides.level)
            sp_tile_mask_add(m->wet[t], n);
    }
}

/// Marks wet voxels of the grid, voxels of emitters and still water beyond open sides.
static void mark_grid(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *phi = m->phi ? m->phi + t * SP_TILE_VOXELS : NULL;
        const bool solid = m->s->solids.row[t] == SP_FLOW_TILE_SOLID;
        for (int k = 0; k < SP_TILE; ++k) {
            uint64_t bits = 0;
            for (int b = 0; phi && !solid && b < 64; ++b)
                bits |= (uint64_t)(phi[64 * k + b] < 0.0f) << b;
            m->wet[t][k] = bits;
        }
        for (size_t i = 0; i < m->s->sources.emitters; ++i) { // also emitters that have not started
            sp_tile_mask mask;
            if (m->s->time >= (double)m->s->sources.emitter[i].stop) continue;
            if (liquid_emitter_mask(m->s, i, t, mask))
                for (int k = 0; k < SP_TILE; ++k)
                    m->wet[t][k] |= mask[k];
        }
        if (liquid_has_level(&m->s->def)) mark_level(m, t);
    }
}

/// Marks voxels that hold particles, and voxels that the grid marked on the previous tiles.
static void mark_particles(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    const liquid_particles *p = &m->s->particles;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t before = sp_tiles_find(m->from, m->tiles->at[t]);
        if (before == SP_NO_TILE)
            memset(m->wet[t], 0, sizeof *m->wet);
        else
            memcpy(m->wet[t], m->from_wet[before], sizeof *m->wet);
        for (uint32_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const uint32_t place =
                sp_tile_place((int32_t)p->x[0][i], (int32_t)p->x[1][i], (int32_t)p->x[2][i]);
            m->wet[t][place >> 6] |= (uint64_t)1 << (place & 63);
        }
    }
}

/// If tiles were only added, particles keep their order and only `start` changes.
static sp_status remap_start(liquid_particles *p, const sp_tiles *from, const sp_tiles *to,
                             sp_scratch *scratch, sp_error *err)
{
    SP_TRY(liquid_starts_reserve(p, to->count, err));
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    uint32_t *old = sp_scratch_array(scratch, uint32_t, from->count + 1);
    if (!old) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for %zu tiles", to->count);
    memcpy(old, p->start, (from->count + 1) * sizeof *old);
    sp_points_remap(from, old, to, p->start);
    sp_scratch_rewind(scratch, mark);
    return SP_OK;
}

/// Moves fields and solids to the next tiles; closes *next.
static sp_status move_over(liquid *s, sp_tiles *next, sp_error *err)
{
    sp_status status = liquid_retile(&s->grid, &s->def, s->host, next, err);
    if (status == SP_OK)
        status = sp_flow_solids_retile(&s->solids, next, &s->grid.tiles, &s->scratch, err);
    sp_tiles_close(next);
    return status;
}

static sp_status out_of_memory(const liquid *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to choose among %zu tiles",
                   s->grid.tiles.count);
}

/// Voxels that are wet by phi, and voxels of emitters; NULL: no memory.
static const sp_tile_mask *mark_wet(liquid *s, const float *phi)
{
    marking m = {.s = s,
                 .phi = phi,
                 .wet = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count)};
    if (m.wet) sp_tiles_parallel(&s->grid.tiles, mark_grid, &m);
    return (const sp_tile_mask *)m.wet;
}

/// ---- Without particles -------------------------------------------------------------------------

sp_status liquid_choose_tiles_by_phi(liquid *s, sp_error *err)
{
    const liquid_grid *g = &s->grid;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_tile_mask *wet = mark_wet(s, g->phi);
    sp_tiles next;
    sp_status status =
        wet ? sp_tiles_near(&next, &g->tiles, wet, NULL, g->layers, g->low, g->high, err)
            : out_of_memory(s, err);
    if (status == SP_OK) status = move_over(s, &next, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// ---- With particles ----------------------------------------------------------------------------

/// The tiles that water may reach, from the tiles `full` that particles are sorted into.
static sp_status tiles_around(liquid *s, const sp_tiles *full, const sp_tile_mask *wet,
                              sp_tiles *next, sp_error *err)
{
    const liquid_grid *g = &s->grid;
    marking m = {.s = s, .tiles = full, .from = &g->tiles, .from_wet = wet};
    m.wet = sp_scratch_array(&s->scratch, sp_tile_mask, full->count);
    if (!m.wet) return out_of_memory(s, err);
    sp_tiles_parallel(full, mark_particles, &m);
    return sp_tiles_near(next, full, (const sp_tile_mask *)m.wet, NULL, g->layers, g->low, g->high,
                         err);
}

/// First finds the tiles that hold particles and sorts particles into them, then adds tiles around.
static sp_status choose_by_particles(liquid *s, sp_error *err)
{
    const liquid_grid *g = &s->grid;
    sp_tiles full, next;
    const sp_tile_mask *wet = mark_wet(s, g->phi_advected);
    uint32_t *reach = sp_scratch_array(&s->scratch, uint32_t, g->tiles.count);
    if (!wet || !reach) return out_of_memory(s, err);
    liquid_reach(&s->particles, &g->tiles, reach);
    SP_TRY(sp_tiles_near(&full, &g->tiles, wet, reach, 0, g->low, g->high, err));
    sp_status status =
        liquid_sort(&s->particles, &g->tiles, &full, &s->scratch, &s->figures.left, err);
    if (status == SP_OK) status = tiles_around(s, &full, wet, &next, err);
    if (status == SP_OK) status = move_over(s, &next, err);
    if (status == SP_OK) status = remap_start(&s->particles, &full, &g->tiles, &s->scratch, err);
    sp_tiles_close(&full);
    return status;
}

sp_status liquid_choose_tiles_by_particles(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = choose_by_particles(s, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
