// SPDX-License-Identifier: Apache-2.0
/// 1  What moves before the fractions are found, in a liquid: particles, tiles, and the water's velocity as
/// the liquid has advected it.
#include "bubbles/in_liquid/in_liquid.h"

/// ---- Tiles -------------------------------------------------------------------------------------

/// Sorts particles into the tiles `to`, and lets the new ones in.
static sp_status sort_into(bubbles *s, const sp_tiles *to, sp_error *err)
{
    SP_TRY(bubbles_sort(&s->particles, &s->grid.tiles, to, &s->scratch, &s->figures.left, err));
    return bubbles_insert(&s->particles, &s->grid, to, &s->fresh, &s->scratch, err);
}

sp_status bubbles_take_tiles(bubbles *s, sp_error *err)
{
    const sp_liquid_water water = sp_liquid_now(s->water);
    sp_tiles next;
    s->solids = *water.solids;
    SP_TRY(sp_tiles_copy(&next, water.tiles, err));
    const sp_status status = sort_into(s, &next, err);
    if (status == SP_OK) return bubbles_retile(s, &next, err);
    sp_tiles_close(&next);
    return status;
}

/// ---- Velocity of the water ---------------------------------------------------------------------

typedef struct taking {
    bubbles *s;
    sp_liquid_water water;
    sp_tile_mask *known[3];
    float fall[3]; ///< m/s; what gravity adds in the substep
} taking;

static void take_faces(void *arg, size_t begin, size_t end)
{
    const taking *k = arg;
    const bubbles_grid *g = &k->s->grid;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict from = k->water.u[a] + t * SP_TILE_VOXELS, fall = k->fall[a];
            float *restrict u = g->u[a] + t * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                u[n] = from[n] - fall;
            memcpy(k->known[a][t], k->water.known[a][t], sizeof *k->known[a]);
        }
}

static sp_status take_velocity(bubbles *s, taking *k, sp_error *err)
{
    const size_t tiles = s->grid.tiles.count;
    for (int a = 0; a < 3; ++a) {
        k->known[a] = sp_scratch_array(&s->scratch, sp_tile_mask, tiles + 1);
        if (!k->known[a])
            return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", tiles);
    }
    sp_tiles_parallel(&s->grid.tiles, take_faces, k);
    SP_TRY(bubbles_extend_in_liquid(s, k->known, s->grid.u, true, err));
    for (int a = 0; a < 3; ++a)
        memcpy(s->grid.u0[a], s->grid.u[a], tiles * SP_TILE_VOXELS * sizeof(float));
    return SP_OK;
}

static sp_status take_water(bubbles *s, double dt, sp_error *err)
{
    taking k = {.s = s, .water = sp_liquid_now(s->water)};
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    for (int a = 0; a < 3; ++a)
        k.fall[a] = (float)((double)s->gravity[a] * dt);
    const sp_status status = take_velocity(s, &k, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// ---- All of it ---------------------------------------------------------------------------------

/// The liquid has its tiles of the end of the substep already, so particles change to them before they
/// move and again afterwards.
sp_status bubbles_advance_in_liquid(bubbles *s, double dt, sp_error *err)
{
    s->first_new = s->particles.next_id;
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_TILES, bubbles_take_tiles(s, err)));
    bubbles_move(s, dt);
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_MOVE, bubbles_meet_surface(s, err)));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_EMIT, bubbles_emit(s, dt, err)));
    bubbles_drop_dry(s);
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_TILES, sort_into(s, &s->grid.tiles, err)));
    return bubbles_timed(s, SP_BUBBLES_STAGE_ADVECT, take_water(s, dt, err));
}
