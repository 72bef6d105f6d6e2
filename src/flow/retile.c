// SPDX-License-Identifier: Apache-2.0
/// Memory of a solver's fields, and copying them from one topology to the next.
#include "flow/retile.h"

#include <string.h>

void sp_flow_fields_close(const sp_flow_fields *fields, sp_flow_store *store, const sp_host *host)
{
    for (size_t i = 0; i < fields->fields; ++i)
        sp_release(host, *fields->field[i].values);
    for (size_t m = 0; m < fields->masks; ++m)
        sp_release(host, *fields->mask[m]);
    sp_release(host, store->spare);
    sp_release(host, store->spare_mask);
    *store = (sp_flow_store){0};
}

/// Makes room for `tiles` in all fields, and keeps the values of those that last.
static sp_status make_room(const sp_flow_fields *f, sp_flow_store *store, const sp_host *host,
                           size_t tiles, sp_error *err)
{
    if (tiles <= store->room) return SP_OK;
    const size_t room = tiles + tiles / 4, old = store->room;
    const size_t voxels = room * SP_TILE_VOXELS;
    bool good = true;
    for (size_t i = 0; i < f->fields && good; ++i)
        good = sp_regrow(host, (void **)f->field[i].values,
                         f->field[i].lasts ? old * SP_TILE_VOXELS : 0, voxels, sizeof(float));
    for (size_t m = 0; m < f->masks && good; ++m)
        good = sp_regrow(host, (void **)f->mask[m], old, room, sizeof(sp_tile_mask));
    good = good && sp_regrow(host, (void **)&store->spare, 0, voxels, sizeof(float)) &&
           sp_regrow(host, (void **)&store->spare_mask, 0, room, sizeof(sp_tile_mask));
    if (!good) return sp_fail(err, SP_NO_MEMORY, "flow: no memory for %zu tiles of water", tiles);
    store->room = room;
    return SP_OK;
}

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

/// Copies each field to the spare memory and swaps the two, so that the field's old memory is
/// spare.
static void carry(const sp_tiles *from, const sp_tiles *to, const sp_flow_fields *f,
                  sp_flow_store *store)
{
    for (size_t i = 0; i < f->fields; ++i) {
        float **values = f->field[i].values, *filled = store->spare;
        if (!f->field[i].lasts) continue;
        sp_tiles_carry(from, *values, to, filled, f->field[i].background);
        store->spare = *values;
        *values = filled;
    }
    for (size_t m = 0; m < f->masks; ++m) {
        mask_carrying c = {from, to, (const sp_tile_mask *)*f->mask[m], store->spare_mask};
        sp_tiles_parallel(to, carry_masks, &c);
        store->spare_mask = *f->mask[m];
        *f->mask[m] = c.masks;
    }
}

sp_status sp_flow_retile(sp_tiles *tiles, sp_tiles *next, const sp_flow_fields *fields,
                         sp_flow_store *store, const sp_host *host, sp_error *err)
{
    SP_TRY(make_room(fields, store, host, next->count, err));
    if (tiles->host && !sp_tiles_same(tiles, next)) carry(tiles, next, fields, store);
    const sp_tiles old = *tiles;
    *tiles = *next;
    *next = old;
    return SP_OK;
}
