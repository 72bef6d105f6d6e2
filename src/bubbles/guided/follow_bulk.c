// SPDX-License-Identifier: Apache-2.0
/// The bulk's velocity and distance on tiles. What was asked for at the end of a substep serves at the start of the
/// next one, so a substep asks once for every tile, and twice for new ones.
#include "bubbles/guided/internal.h"

enum { FIELDS = 7 };

typedef struct field_list {
    sp_flow_field field[FIELDS];
} field_list;

static field_list list_fields(guided_bulk *b)
{
    field_list list = {.field = {{&b->phi, false, 0.0f}}};
    for (int a = 0; a < 3; ++a) {
        list.field[1 + a] = (sp_flow_field){&b->end[a], true, 0.0f};
        list.field[4 + a] = (sp_flow_field){&b->start[a], false, 0.0f};
    }
    return list;
}

void guided_bulk_close(guided_bulk *b, const sp_host *host)
{
    const field_list list = list_fields(b);
    sp_flow_fields_close(&(sp_flow_fields){.field = list.field, .fields = FIELDS}, &b->store, host);
    sp_release(host, b->mask);
    sp_tiles_close(&b->tiles);
    *b = (guided_bulk){0};
}

/// ---- Asking ------------------------------------------------------------------------------------

typedef struct asking {
    guided_bulk *b;
    const double *origin;
    sp_bulk_view view;
    float *const *u;
    float *phi;             ///< NULL: not wanted
    const sp_tiles *before; ///< tiles in it are left alone; NULL: all are asked for
    uint8_t *bad;           ///< by tile: some value is not a number
} asking;

static bool is_finite(const float *values)
{
    float sum[SP_LANES] = {0}; // a NaN, or infinity times 0, stays
    for (int n = 0; n < SP_TILE_VOXELS; n += SP_LANES)
        for (int l = 0; l < SP_LANES; ++l)
            sum[l] += 0.0f * values[n + l];
    bool good = true;
    for (int l = 0; l < SP_LANES; ++l)
        good &= sum[l] == 0.0f;
    return good;
}

static void ask_tiles(void *arg, size_t begin, size_t end)
{
    const asking *k = arg;
    guided_bulk *b = k->b;
    for (size_t t = begin; t < end; ++t) {
        const size_t first = t * SP_TILE_VOXELS;
        float *const u[3] = {k->u[0] + first, k->u[1] + first, k->u[2] + first};
        float *phi = k->phi ? k->phi + first : NULL;
        k->bad[t] = 0;
        if (k->before && sp_tiles_find(k->before, b->tiles.at[t]) != SP_NO_TILE) continue;
        b->mask[t] =
            sp_bulk_look_at_tile(&k->view, b->tiles.voxel, k->origin, b->tiles.at[t], u, phi);
        const bool good = is_finite(u[0]) && is_finite(u[1]) && is_finite(u[2]);
        k->bad[t] = !good || (phi && !is_finite(phi));
    }
}

static sp_status refuse_bad(const asking *k, sp_error *err)
{
    static const float middle[3] = {4.0f, 4.0f, 4.0f};
    for (size_t t = 0; t < k->b->tiles.count; ++t) {
        double p[3];
        if (!k->bad[t]) continue;
        sp_flow_point(&k->b->tiles, k->origin, t, middle, p);
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater: the water has a velocity or a distance that is not a number at "
                       "t = %.4g s near (%.3g, %.3g, %.3g) m",
                       k->view.t, p[0], p[1], p[2]);
    }
    return SP_OK;
}

/// Asks for the velocity at t (and the distance), on tiles that are not in `before`.
static sp_status ask(bubbles_guide *g, double t, float *const u[3], float *phi,
                     const sp_tiles *before, sp_error *err)
{
    guided_bulk *b = &g->bulk;
    const sp_scratch_mark mark = sp_scratch_here(&g->s->scratch);
    asking k = {.b = b, .origin = g->s->grid.origin, .u = u, .phi = phi, .before = before};
    k.bad = sp_scratch_array(&g->s->scratch, uint8_t, b->tiles.count + 1);
    if (!k.bad)
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles", b->tiles.count);
    SP_TRY(sp_bulk_view_at(g->world->bulk, t, &k.view, err));
    sp_parallel(g->s->host, b->tiles.count, 2, ask_tiles, &k);
    const sp_status status = refuse_bad(&k, err);
    sp_scratch_rewind(&g->s->scratch, mark);
    return status;
}

/// ---- From substep to substep -------------------------------------------------------------------

static sp_status make_room(bubbles_guide *g, const sp_tiles *next, sp_error *err)
{
    guided_bulk *b = &g->bulk;
    if (next->count <= b->mask_room && b->mask) return SP_OK;
    const size_t room = next->count + next->count / 4 + 1;
    if (!sp_regrow(g->s->host, (void **)&b->mask, 0, room, sizeof *b->mask))
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles", next->count);
    b->mask_room = room;
    return SP_OK;
}

static bool any_new(const sp_tiles *tiles, const sp_tiles *before)
{
    bool any = false;
    for (size_t t = 0; t < tiles->count && !any; ++t)
        any = sp_tiles_find(before, tiles->at[t]) == SP_NO_TILE;
    return any;
}

static sp_status follow(bubbles_guide *g, const sp_tiles *before, sp_error *err)
{
    guided_bulk *b = &g->bulk;
    const double t = g->s->time;
    const bool same = b->known && b->time == t;
    b->known = false;
    for (int a = 0; a < 3; ++a) {
        float *const start = b->end[a];
        b->end[a] = b->start[a];
        b->start[a] = start;
    }
    if (b->tiles.count == 0) return SP_OK;
    if (!same || any_new(&b->tiles, before))
        SP_TRY(ask(g, t, b->start, NULL, same ? before : NULL, err));
    SP_TRY(ask(g, g->until, b->end, b->phi, NULL, err));
    b->time = g->until;
    b->known = true;
    return SP_OK;
}

sp_status guided_follow_bulk(bubbles_guide *g, sp_tiles *next, sp_error *err)
{
    guided_bulk *b = &g->bulk;
    const field_list list = list_fields(b);
    const sp_flow_fields fields = {.field = list.field, .fields = FIELDS};
    sp_status status = bubbles_timed(g->s, SP_BUBBLES_STAGE_TILES, make_room(g, next, err));
    if (status == SP_OK)
        status = sp_flow_retile(&b->tiles, next, &fields, &b->store, g->s->host, err);
    if (status == SP_OK) status = follow(g, next, err);
    sp_tiles_close(next);
    return bubbles_timed(g->s, SP_BUBBLES_STAGE_BULK, status);
}

/// ---- New tiles of the grid ---------------------------------------------------------------------

/// They begin with the bulk's velocity. While a state is restored there is no bulk, and they get theirs from it.
static void fill_new(const void *arg, const bubbles_grid *g, uint32_t tile, int axis,
                     float u[SP_TILE_VOXELS])
{
    const guided_bulk *b = arg;
    const uint32_t from = b->known ? sp_tiles_find(&b->tiles, g->tiles.at[tile]) : SP_NO_TILE;
    if (from == SP_NO_TILE)
        sp_tile_fill(u, 0.0f);
    else
        memcpy(u, b->start[axis] + (size_t)from * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *u);
}

void guided_fill_from_bulk(bubbles *s)
{
    s->ambient.fill = fill_new;
    s->ambient.arg = &s->guide->bulk;
}
