// SPDX-License-Identifier: Apache-2.0
/// The fields of the grid, and carrying them to another set of tiles.
#include "bubbles/internal.h"

enum { FIELDS = 49 };

typedef struct field_list {
    sp_flow_field field[FIELDS];
    size_t count;
} field_list;

static void add(field_list *list, float **values, bool lasts)
{
    SP_ASSERT(list->count < FIELDS);
    list->field[list->count++] = (sp_flow_field){values, lasts, 0.0f};
}

static field_list list_fields(bubbles_grid *g)
{
    field_list list = {.count = 0};
    for (int a = 0; a < 3; ++a) {
        add(&list, &g->u[a], true);
        add(&list, &g->u0[a], false);
        add(&list, &g->u_last[a], false);
        add(&list, &g->ub[a], false);
        add(&list, &g->share[a], false);
        add(&list, &g->fill[a], false);
        add(&list, &g->mass[a], false);
        add(&list, &g->place[a], false);
        add(&list, &g->force[a], false);
        add(&list, &g->drag[a], false);
        add(&list, &g->slope[a], false);
        add(&list, &g->soft[a], false);
        add(&list, &g->flux[a], false);
        add(&list, &g->beta[a], false);
        add(&list, &g->gradient[a], false);
    }
    add(&list, &g->q, true);
    add(&list, &g->level, false);
    add(&list, &g->source, false);
    if (g->in_liquid) add(&list, &g->fraction, false);
    return list;
}

void bubbles_grid_close(bubbles_grid *g, const sp_host *host)
{
    const field_list list = list_fields(g);
    sp_flow_fields_close(&(sp_flow_fields){.field = list.field, .fields = list.count}, &g->store,
                         host);
    sp_tiles_close(&g->tiles);
    sp_release(host, g->busy);
    sp_release(host, g->plain);
    sp_release(host, g->idle);
}

/// ---- Marks by tile -----------------------------------------------------------------------------

static sp_status make_room(bubbles_grid *g, size_t tiles, const sp_host *host, sp_error *err)
{
    if (tiles <= g->tile_room && g->busy) return SP_OK;
    const size_t room = tiles + tiles / 4 + 1, kept = g->tile_room;
    if (!sp_regrow(host, (void **)&g->busy, kept, room, sizeof *g->busy) ||
        !sp_regrow(host, (void **)&g->plain, kept, room, sizeof *g->plain) ||
        !sp_regrow(host, (void **)&g->idle, kept, room, sizeof *g->idle))
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", tiles);
    g->tile_room = room;
    return SP_OK;
}

/// ---- Cells at the border of the tiles ----------------------------------------------------------

/// Marks the voxels of a tile's side.
static void mark_side(float *level, int axis, bool high)
{
    const int step[3] = {1, SP_TILE, SP_TILE * SP_TILE};
    const int first = high ? (SP_TILE - 1) * step[axis] : 0;
    const int b = step[(axis + 1) % 3], c = step[(axis + 2) % 3];
    for (int j = 0; j < SP_TILE; ++j)
        for (int i = 0; i < SP_TILE; ++i)
            level[first + i * b + j * c] = 0.0f;
}

/// Cells beside a tile that does not exist have a known pressure (that of still water), but for sides along axes
/// where the flow is known instead; all others are unknowns.
static void mark_border(void *arg, size_t begin, size_t end)
{
    static const int beside[3] = {1, 3, 9}; // steps in the table of neighbours
    const bubbles_grid *g = arg;
    for (size_t t = begin; t < end; ++t) {
        float *level = g->level + t * SP_TILE_VOXELS;
        const uint32_t *around = g->tiles.around[t];
        sp_tile_fill(level, -1.0f);
        for (int a = 0; a < 3; ++a) {
            if (g->closed_sides >> a & 1) continue;
            if (around[SP_TILES_SELF - beside[a]] == SP_NO_TILE) mark_side(level, a, false);
            if (around[SP_TILES_SELF + beside[a]] == SP_NO_TILE) mark_side(level, a, true);
        }
    }
}

/// ---- Retiling ----------------------------------------------------------------------------------

typedef struct filling {
    const bubbles *s;
    const sp_tiles *before;
} filling;

/// Water of new tiles is that of the ambient.
static void fill_new(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    const bubbles_grid *g = &f->s->grid;
    for (size_t t = begin; t < end; ++t) {
        if (sp_tiles_find(f->before, g->tiles.at[t]) != SP_NO_TILE) continue;
        for (int a = 0; a < 3; ++a)
            f->s->ambient.fill(f->s->ambient.arg, g, (uint32_t)t, a, g->u[a] + t * SP_TILE_VOXELS);
    }
}

static sp_status move_fields(bubbles *s, sp_tiles *next, sp_error *err)
{
    bubbles_grid *g = &s->grid;
    const field_list list = list_fields(g);
    const sp_flow_fields fields = {.field = list.field, .fields = list.count};
    SP_TRY(make_room(g, next->count, s->host, err));
    SP_TRY(sp_flow_retile(&g->tiles, next, &fields, &g->store, s->host, err));
    filling f = {s, next};
    if (s->ambient.fill) sp_tiles_parallel(&g->tiles, fill_new, &f);
    sp_tiles_parallel(&g->tiles, mark_border, g);
    return s->has_solids && !s->water // those of a liquid have its tiles already
               ? sp_flow_solids_retile(&s->solids, next, &g->tiles, &s->scratch, err)
               : SP_OK;
}

sp_status bubbles_retile(bubbles *s, sp_tiles *next, sp_error *err)
{
    const sp_status status = move_fields(s, next, err);
    sp_tiles_close(next);
    return status;
}
