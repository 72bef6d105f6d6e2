// SPDX-License-Identifier: Apache-2.0
/// Memory of the fields, and how they come from one set of tiles to the next.
#include "liquid/internal.h"

enum { FIELDS = 20, MASKS = 7 };

/// A field and what new tiles hold; those that do not last are only made room for.
typedef struct slot {
    float **field;
    bool lasts;
    float background;
} slot;

static size_t list_fields(liquid *s, slot list[FIELDS])
{
    const bool particles = liquid_has_particles(s), band = s->def.narrow_band > 0,
               aeration = s->def.aeration, pairs = liquid_reflects(s);
    size_t n = 0;
    for (int a = 0; a < 3; ++a) {
        list[n++] = (slot){&s->u[a], !particles || aeration || pairs, 0.0f};
        list[n++] = (slot){&s->before[a], false, 0.0f};
        if (band || !particles) list[n++] = (slot){&s->carried_u[a], band || aeration, 0.0f};
        if (particles && (aeration || pairs)) list[n++] = (slot){&s->last_u[a], false, 0.0f};
        if (pairs) list[n++] = (slot){&s->flow[a], false, 0.0f};
    }
    list[n++] = (slot){&s->phi, !particles, s->band};
    list[n++] = (slot){&s->q, true, 0.0f};
    if (pairs) list[n++] = (slot){&s->other_q, true, 0.0f};
    if (band || !particles) list[n++] = (slot){&s->carried_phi, band, s->band};
    if (aeration) list[n++] = (slot){&s->aeration, true, 0.0f};
    SP_ASSERT(n <= FIELDS);
    return n;
}

static void list_masks(liquid *s, sp_tile_mask **list[MASKS])
{
    for (int a = 0; a < 3; ++a) {
        list[a] = &s->known[a];
        list[3 + a] = &s->splatted[a];
    }
    list[6] = &s->pinned;
}

void liquid_fields_close(liquid *s)
{
    slot list[FIELDS];
    sp_tile_mask **masks[MASKS];
    const size_t n = list_fields(s, list);
    list_masks(s, masks);
    for (size_t i = 0; i < n; ++i)
        sp_release(s->host, *list[i].field);
    for (int m = 0; m < MASKS; ++m)
        sp_release(s->host, *masks[m]);
    sp_release(s->host, s->spare);
    sp_release(s->host, s->spare_mask);
    sp_tiles_close(&s->tiles);
}

/// ---- Room --------------------------------------------------------------------------------------

/// All fields get room for `tiles`, keeping what they hold.
static sp_status make_room(liquid *s, size_t tiles, sp_error *err)
{
    if (tiles <= s->field_room) return SP_OK;
    const size_t room = tiles + tiles / 4, old = s->field_room;
    const size_t voxels = room * SP_TILE_VOXELS;
    slot list[FIELDS];
    sp_tile_mask **masks[MASKS];
    const size_t n = list_fields(s, list);
    list_masks(s, masks);
    bool good = true;
    for (size_t i = 0; i < n && good; ++i)
        good =
            sp_regrow(s->host, (void **)list[i].field, old * SP_TILE_VOXELS, voxels, sizeof(float));
    for (int m = 0; m < MASKS && good; ++m)
        good = sp_regrow(s->host, (void **)masks[m], old, room, sizeof(sp_tile_mask));
    good = good && sp_regrow(s->host, (void **)&s->spare, 0, voxels, sizeof(float)) &&
           sp_regrow(s->host, (void **)&s->spare_mask, 0, room, sizeof(sp_tile_mask));
    if (!good) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for %zu tiles of water", tiles);
    s->field_room = room;
    return SP_OK;
}

/// ---- Carrying ----------------------------------------------------------------------------------

typedef struct mask_carrying {
    const sp_tiles *from, *to;
    const sp_tile_mask *old;
    sp_tile_mask *masks;
} mask_carrying;

static void carry_masks(void *arg, size_t begin, size_t end)
{
    const mask_carrying *c = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t before = sp_tiles_find(c->from, c->to->at[t]);
        if (before == SP_NO_TILE)
            memset(c->masks[t], 0, sizeof c->masks[t]);
        else
            memcpy(c->masks[t], c->old[before], sizeof c->masks[t]);
    }
}

static void carry(liquid *s, const sp_tiles *to)
{
    slot list[FIELDS];
    sp_tile_mask **masks[MASKS];
    const size_t n = list_fields(s, list);
    list_masks(s, masks);
    for (size_t i = 0; i < n; ++i) {
        if (!list[i].lasts) continue;
        sp_tiles_carry(&s->tiles, *list[i].field, to, s->spare, list[i].background);
        float *filled = s->spare;
        s->spare = *list[i].field;
        *list[i].field = filled;
    }
    for (int m = 0; m < MASKS; ++m) {
        mask_carrying c = {&s->tiles, to, (const sp_tile_mask *)*masks[m], s->spare_mask};
        sp_tiles_parallel(to, carry_masks, &c);
        s->spare_mask = *masks[m];
        *masks[m] = c.masks;
    }
}

sp_status liquid_retile(liquid *s, sp_tiles *next, sp_error *err)
{
    SP_TRY(make_room(s, next->count, err));
    if (s->tiles.host && !sp_tiles_same(&s->tiles, next)) carry(s, next);
    const sp_tiles old = s->tiles;
    s->tiles = *next;
    *next = old;
    return SP_OK;
}

void liquid_voxel_center(const liquid *s, uint32_t tile, int place, double p[3])
{
    const int at[3] = {place & 7, place >> 3 & 7, place >> 6};
    for (int a = 0; a < 3; ++a)
        p[a] = s->origin[a] +
               (double)s->voxel * (SP_TILE * (double)s->tiles.at[tile][a] + at[a] + 0.5);
}
