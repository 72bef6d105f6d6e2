// SPDX-License-Identifier: Apache-2.0
/// Which tiles exist in the next substep: those that are within reach of water, so that there is a
/// velocity wherever water may go.
#include "liquid/internal.h"

typedef struct marking {
    const liquid *s;
    const float *phi;     ///< water where it is negative; NULL: particles alone tell
    const sp_tiles *from; ///< `wet` belongs to these; NULL: to the tiles of s
    const sp_tile_mask *from_wet;
    sp_tile_mask *wet;
} marking;

/// Water of the grid, and the places of emitters.
static void mark_grid(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *phi = m->phi ? m->phi + t * SP_TILE_VOXELS : NULL;
        const bool solid = m->s->solid.row[t] == LIQUID_TILE_SOLID;
        for (int k = 0; k < SP_TILE; ++k) {
            uint64_t bits = 0;
            for (int b = 0; phi && !solid && b < 64; ++b)
                bits |= (uint64_t)(phi[64 * k + b] < 0.0f) << b;
            m->wet[t][k] = bits;
        }
        for (size_t i = 0; i < m->s->emitters; ++i) { // also of those that are yet to run
            sp_tile_mask mask;
            if (m->s->time >= (double)m->s->emitter[i].stop) continue;
            if (liquid_emitter_mask(m->s, i, t, mask))
                for (int k = 0; k < SP_TILE; ++k)
                    m->wet[t][k] |= mask[k];
        }
    }
}

/// Voxels that hold particles, on top of what the grid said on the tiles before.
static void mark_particles(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    const liquid_particles *p = &m->s->particles;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t before = sp_tiles_find(m->from, m->s->tiles.at[t]);
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

/// Tiles that only grew keep the order of particles: `start` alone changes.
static sp_status remap_start(liquid *s, const sp_tiles *from, sp_error *err)
{
    liquid_particles *p = &s->particles;
    const size_t count = s->tiles.count;
    SP_TRY(liquid_starts_reserve(s, count, err));
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    uint32_t *old = sp_scratch_array(&s->scratch, uint32_t, from->count + 1);
    if (!old) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for %zu tiles", count);
    memcpy(old, p->start, (from->count + 1) * sizeof *old);
    size_t f = 0;
    for (size_t t = 0; t < count; ++t) {
        p->start[t] = old[f];
        if (f < from->count && memcmp(from->at[f], s->tiles.at[t], sizeof *from->at) == 0) ++f;
    }
    p->start[count] = old[f];
    SP_ASSERT(f == from->count);
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

/// Fields and solids over to the next tiles; *next is closed.
static sp_status move_over(liquid *s, sp_tiles *next, sp_error *err)
{
    sp_status status = liquid_retile(s, next, err);
    if (status == SP_OK) status = liquid_solid_carry(s, next, err);
    sp_tiles_close(next);
    return status;
}

static sp_status out_of_memory(const liquid *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to choose among %zu tiles",
                   s->tiles.count);
}

/// Without particles the water's own voxels decide.
static sp_status choose_by_grid(liquid *s, const sp_tile_mask *wet, sp_error *err)
{
    sp_tiles next;
    SP_TRY(sp_tiles_near(&next, &s->tiles, wet, NULL, s->layers, s->low, s->high, err));
    return move_over(s, &next, err);
}

/// First the tiles in which particles are, so that they can be sorted, then those around them.
static sp_status choose_by_particles(liquid *s, const sp_tile_mask *wet, sp_error *err)
{
    sp_tiles full, next, home = s->tiles;
    uint32_t *reach = sp_scratch_array(&s->scratch, uint32_t, s->tiles.count);
    if (!reach) return out_of_memory(s, err);
    liquid_reach(s, reach);
    SP_TRY(sp_tiles_near(&full, &s->tiles, wet, reach, 0, s->low, s->high, err));
    s->tiles = full; // for sorting alone: fields still belong to `home`
    sp_status status = liquid_sort(s, &home, err);
    marking m = {.s = s, .from = &home, .from_wet = wet};
    m.wet = status == SP_OK ? sp_scratch_array(&s->scratch, sp_tile_mask, full.count) : NULL;
    if (status == SP_OK && !m.wet) status = out_of_memory(s, err);
    if (status == SP_OK) {
        sp_tiles_parallel(&full, mark_particles, &m);
        status = sp_tiles_near(&next, &full, (const sp_tile_mask *)m.wet, NULL, s->layers, s->low,
                               s->high, err);
    }
    s->tiles = home;
    if (status == SP_OK) status = move_over(s, &next, err);
    if (status == SP_OK) status = remap_start(s, &full, err);
    sp_tiles_close(&full);
    return status;
}

sp_status liquid_choose_tiles(liquid *s, const float *phi, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    marking m = {
        .s = s, .phi = phi, .wet = sp_scratch_array(&s->scratch, sp_tile_mask, s->tiles.count)};
    sp_status status = m.wet ? SP_OK : out_of_memory(s, err);
    if (status == SP_OK) {
        sp_tiles_parallel(&s->tiles, mark_grid, &m);
        status = liquid_has_particles(s) ? choose_by_particles(s, (const sp_tile_mask *)m.wet, err)
                                         : choose_by_grid(s, (const sp_tile_mask *)m.wet, err);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
