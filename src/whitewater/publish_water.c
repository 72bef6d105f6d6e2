// SPDX-License-Identifier: Apache-2.0
/// Water of a frame: that of the bulk at the frame's time, and that around bubbles.
#include "whitewater/publish.h"

#include <string.h>

void whitewater_close_fields(const sp_host *host, shown_fields *f)
{
    sp_release(host, f->at);
    sp_release(host, f->surface);
    sp_release(host, f->velocity);
    *f = (shown_fields){0};
}

static sp_status reserve(const whitewater *s, shown_fields *f, size_t tiles, sp_error *err)
{
    f->tiles = tiles;
    if (tiles <= f->room && f->room > 0) return SP_OK;
    const size_t room = tiles + tiles / 8 + 1, voxels = room * SP_TILE_VOXELS;
    const bool good = sp_regrow(s->host, (void **)&f->at, 0, room, sizeof *f->at) &&
                      sp_regrow(s->host, (void **)&f->surface, 0, voxels, sizeof(float)) &&
                      sp_regrow(s->host, (void **)&f->velocity, 0, voxels, 3 * sizeof(float));
    if (!good) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to show %zu tiles", tiles);
    f->room = room;
    return SP_OK;
}

/// ---- The bulk at a moment ----------------------------------------------------------------------

typedef struct copying {
    const float *phi, *const *u;
    const sp_tiles *tiles;
    const sp_bulk_view *view; ///< NULL: the values are those of a moment, above
    const double *origin;
    shown_fields *to;
} copying;

static void copy_tiles(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    for (size_t t = begin; t < end; ++t) {
        const size_t first = t * SP_TILE_VOXELS;
        memcpy(c->to->at[t], c->tiles->at[t], sizeof *c->to->at);
        if (c->phi) memcpy(c->to->surface + first, c->phi + first, SP_TILE_VOXELS * sizeof(float));
        for (size_t n = first; n < first + SP_TILE_VOXELS; ++n)
            for (size_t a = 0; a < 3; ++a)
                c->to->velocity[3 * n + a] = c->u[a][n];
    }
}

/// ---- The bulk between moments, or one that has none --------------------------------------------

static void place(const copying *c, const int32_t at[3], size_t n, int axis, double p[3])
{
    const double h = (double)c->tiles->voxel;
    for (int a = 0; a < 3; ++a) {
        const double within = (double)(n >> 3 * a & 7) + (a == axis ? 0.0 : 0.5);
        p[a] = c->origin[a] + h * (SP_TILE * (double)at[a] + within);
    }
}

/// phi at cells (axis 3), or one component of u at low faces.
static void ask_tile(const copying *c, const int32_t at[3], int axis, float out[SP_TILE_VOXELS])
{
    double x[3][SP_TILE_VOXELS], p[3];
    sp_bulk_query query = {.n = SP_TILE_VOXELS, .x = x[0], .y = x[1], .z = x[2]};
    float rest[2][SP_TILE_VOXELS];
    if (axis == 3)
        query.phi = out;
    else
        for (int a = 0, k = 0; a < 3; ++a)
            query.u[a] = a == axis ? out : rest[k++];
    for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
        place(c, at, n, axis, p);
        for (int a = 0; a < 3; ++a)
            x[a][n] = p[a];
    }
    sp_bulk_look(c->view, &query, 0, SP_TILE_VOXELS);
}

static void ask_tiles(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    float values[SP_TILE_VOXELS];
    for (size_t t = begin; t < end; ++t) {
        const size_t first = t * SP_TILE_VOXELS;
        memcpy(c->to->at[t], c->tiles->at[t], sizeof *c->to->at);
        ask_tile(c, c->tiles->at[t], 3, c->to->surface + first);
        for (int axis = 0; axis < 3; ++axis) {
            ask_tile(c, c->tiles->at[t], axis, values);
            for (size_t n = 0; n < SP_TILE_VOXELS; ++n)
                c->to->velocity[3 * (first + n) + (size_t)axis] = values[n];
        }
    }
}

/// Tiles of the domain's water: those that the surface is in, and those below. A tile is in water where its middle is.
static sp_status list_tiles(const whitewater *s, const sp_bulk_view *view, sp_tiles *tiles,
                            sp_error *err)
{
    const double edge = SP_TILE * (double)s->water.bulk.voxel;
    int32_t first[3];
    size_t n[3], all = 1, count = 0;
    for (int a = 0; a < 3; ++a) {
        const double low = fmax(s->domain[0][a], s->water.bulk.low[a]),
                     high = fmin(s->domain[1][a], s->water.bulk.high[a]);
        first[a] = (int32_t)floor((low - s->origin[a]) / edge + 1e-9);
        n[a] = high > low ? (size_t)ceil((high - s->origin[a]) / edge - 1e-9 - first[a]) : 0;
        all *= n[a];
    }
    int32_t(*at)[3] = sp_allocate(s->host, all + 1, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles", all);
    for (size_t k = 0; k < all; ++k) {
        const size_t step[3] = {k % n[0], k / n[0] % n[1], k / (n[0] * n[1])};
        double p[3];
        float phi;
        for (int a = 0; a < 3; ++a) {
            at[count][a] = first[a] + (int32_t)step[a];
            p[a] = s->origin[a] + edge * ((double)at[count][a] + 0.5);
        }
        const sp_bulk_query query = {.n = 1, .x = p, .y = p + 1, .z = p + 2, .phi = &phi};
        sp_bulk_look(view, &query, 0, 1);
        count += (double)phi < edge;
    }
    const sp_status status =
        sp_tiles_open(tiles, s->host, s->water.bulk.voxel, (const int32_t(*)[3])at, count, err);
    sp_release(s->host, at);
    return status;
}

/// Grids of files may move from moment to moment; that of frames does not.
static bool is_at_origin(const whitewater *s, const sp_bulk_moment *m)
{
    return memcmp(m->origin, s->origin, sizeof s->origin) == 0;
}

static sp_status show_sampled(whitewater *s, shown_fields *to, sp_error *err)
{
    sp_bulk_view view;
    sp_tiles tiles = {0};
    SP_TRY(sp_bulk_view_at(&s->water.bulk, s->time, &view, err));
    const copying c = {.tiles = &tiles, .view = &view, .origin = s->origin, .to = to};
    SP_TRY(view.after && is_at_origin(s, view.after) ? sp_tiles_copy(&tiles, view.after->tiles, err)
                                                     : list_tiles(s, &view, &tiles, err));
    const sp_status status = reserve(s, to, tiles.count, err);
    if (status == SP_OK) sp_tiles_parallel(&tiles, ask_tiles, (void *)(uintptr_t)&c);
    sp_tiles_close(&tiles);
    return status;
}

sp_status whitewater_show_water(whitewater *s, shown_fields *to, sp_error *err)
{
    const sp_bulk_moment *before, *after;
    to->tiles = 0;
    if (!whitewater_has_water(s, s->time, 0.0)) return reserve(s, to, 0, err);
    if (s->water.bulk.answer) return show_sampled(s, to, err);
    const double t = fmin(fmax(s->time, s->water.bulk.first), s->water.bulk.last);
    SP_TRY(s->water.bulk.bracket(s->water.bulk.user, t, &before, &after, err));
    if (before != after || !is_at_origin(s, after)) return show_sampled(s, to, err);
    copying c = {.phi = after->phi, .u = after->u, .tiles = after->tiles, .to = to};
    SP_TRY(reserve(s, to, after->tiles->count, err));
    sp_tiles_parallel(after->tiles, copy_tiles, &c);
    return SP_OK;
}

/// ---- Around bubbles ----------------------------------------------------------------------------

static void copy_share(const sp_guided_water *g, shown_fields *to)
{
    for (size_t t = 0; t < g->tiles->count; ++t)
        for (size_t n = t * SP_TILE_VOXELS; n < (t + 1) * SP_TILE_VOXELS; ++n)
            to->surface[n] =
                g->busy[t] ? (g->share[0][n] + g->share[1][n] + g->share[2][n]) / 3.0f : 0.0f;
}

sp_status whitewater_show_guided(const whitewater *s, shown_fields *to, sp_error *err)
{
    const sp_guided_water g = sp_guided_now(s->guided);
    copying c = {.u = g.u, .tiles = g.tiles, .to = to};
    SP_TRY(reserve(s, to, g.tiles->count, err));
    sp_tiles_parallel(g.tiles, copy_tiles, &c);
    copy_share(&g, to);
    return SP_OK;
}
