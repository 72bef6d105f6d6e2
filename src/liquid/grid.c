// SPDX-License-Identifier: Apache-2.0
/// Which fields a method has, and which of them are carried to the next set of tiles.
#include "liquid/internal.h"

enum { FIELDS = 27, MASKS = 7 };

typedef struct field_list {
    sp_flow_field field[FIELDS];
    sp_tile_mask **mask[MASKS];
    size_t fields;
} field_list;

static void add(field_list *list, float **values, bool lasts, float background)
{
    SP_ASSERT(list->fields < FIELDS);
    list->field[list->fields++] = (sp_flow_field){values, lasts, background};
}

static void list_fields(liquid_grid *g, const sp_liquid_def *def, field_list *list)
{
    const bool particles = liquid_has_particles(def), band = def->narrow_band > 0,
               pairs = liquid_has_pairs(def);
    list->fields = 0;
    for (int a = 0; a < 3; ++a) {
        // with particles u is rewritten each substep; its old value is needed only as u_last
        add(list, &g->u[a], !particles || pairs, 0.0f);
        add(list, &g->u_unforced[a], false, 0.0f);
        if (band) add(list, &g->u_advected[a], true, 0.0f);
        if (!particles || pairs) add(list, &g->u_last[a], false, 0.0f);
        if (pairs) add(list, &g->u_pair[a], false, 0.0f);
        if (liquid_has_spread(def)) add(list, &g->spread[a], false, 0.0f);
    }
    add(list, &g->phi, !particles, g->band);
    if (!particles) add(list, &g->phi_last, false, g->band);
    if (band) add(list, &g->phi_advected, true, g->band);
    add(list, &g->q, true, 0.0f);
    if (pairs) add(list, &g->q_second, true, 0.0f);
    if (def->aeration) add(list, &g->aeration, false, 0.0f);
    for (int a = 0; a < 3; ++a) {
        list->mask[a] = &g->known[a];
        list->mask[3 + a] = &g->splatted[a];
    }
    list->mask[6] = &g->pinned;
}

void liquid_grid_close(liquid_grid *g, const sp_liquid_def *def, const sp_host *host)
{
    field_list list;
    list_fields(g, def, &list);
    sp_flow_fields_close(&(sp_flow_fields){list.field, list.fields, list.mask, MASKS}, &g->store,
                         host);
    sp_tiles_close(&g->tiles);
}

sp_status liquid_retile(liquid_grid *g, const sp_liquid_def *def, const sp_host *host,
                        sp_tiles *next, sp_error *err)
{
    field_list list;
    list_fields(g, def, &list);
    return sp_flow_retile(&g->tiles, next,
                          &(sp_flow_fields){list.field, list.fields, list.mask, MASKS}, &g->store,
                          host, err);
}
