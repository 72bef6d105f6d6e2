// SPDX-License-Identifier: Apache-2.0
/// Velocities of earlier moments, which aeration compares with: copied, extrapolated, kept as long
/// as they are needed, and saved with a solver's state.
#include "bulk/bulk.h"
#include "bulk/internal.h"

#include <string.h>

/// ---- One of them -------------------------------------------------------------------------------

void sp_bulk_past_close(sp_bulk_past *past)
{
    for (int a = 0; a < 3; ++a)
        if (past->u[a]) sp_release(past->tiles.host, past->u[a]);
    sp_tiles_close(&past->tiles);
    *past = (sp_bulk_past){0};
}

typedef struct copying {
    const sp_bulk_moment *from;
    float *const *u;
    sp_tile_mask *known[3];
} copying;

static void copy_tiles(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    const sp_bulk_moment *m = c->from;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            memcpy(c->u[a] + t * SP_TILE_VOXELS, m->u[a] + t * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof(float));
            bulk_mark_beside_water(m->tiles, m->phi, m->band, (uint32_t)t, a, c->known[a][t]);
            for (int k = 0; m->no_data && k < SP_TILE; ++k)
                c->known[a][t][k] &= ~m->no_data[t][k];
        }
}

static void forget_unknown(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a)
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                if (!sp_tile_mask_has(c->known[a][t], n))
                    c->u[a][t * SP_TILE_VOXELS + (size_t)n] = NAN;
}

static sp_status copy_velocity(sp_bulk_past *past, copying *c, sp_error *err)
{
    const size_t tiles = past->tiles.count;
    const sp_host *host = past->tiles.host;
    for (int a = 0; a < 3; ++a) {
        past->u[a] = sp_allocate(host, tiles * SP_TILE_VOXELS, sizeof(float));
        c->known[a] = sp_allocate(host, tiles, sizeof *c->known[a]);
        if (!past->u[a] || !c->known[a])
            return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for the velocity of %zu tiles",
                           tiles);
    }
    sp_tiles_parallel(&past->tiles, copy_tiles, c);
    SP_TRY(sp_tiles_extrapolate_faces(&past->tiles, past->u, c->known, BULK_BEYOND, err));
    sp_tiles_parallel(&past->tiles, forget_unknown, c);
    return SP_OK;
}

sp_status sp_bulk_past_take(sp_bulk_past *past, const sp_bulk_moment *moment, sp_error *err)
{
    copying c = {.from = moment, .u = past->u};
    sp_bulk_past_close(past);
    SP_TRY(sp_tiles_copy(&past->tiles, moment->tiles, err));
    past->time = moment->time;
    const sp_status status = copy_velocity(past, &c, err);
    for (int a = 0; a < 3; ++a)
        sp_release(past->tiles.host, c.known[a]);
    if (status != SP_OK) sp_bulk_past_close(past);
    return status;
}

/// ---- All of them -------------------------------------------------------------------------------

void sp_bulk_pasts_close(sp_bulk_pasts *p)
{
    for (int i = 0; i < p->count; ++i)
        sp_bulk_past_close(&p->past[i]);
    p->count = 0;
}

size_t sp_bulk_pasts_bytes(const sp_bulk_pasts *p)
{
    size_t bytes = 0;
    for (int i = 0; i < p->count; ++i)
        bytes += p->past[i].tiles.count * 3 * SP_TILE_VOXELS * sizeof(float);
    return bytes;
}

/// Closes those that are older than needed.
static void forget(sp_bulk_pasts *p, double now)
{
    while (p->count >= 2 && bulk_is_past(now - p->past[1].time, SP_BULK_AERATION_TIME)) {
        sp_bulk_past_close(&p->past[0]);
        memmove(&p->past[0], &p->past[1], (size_t)--p->count * sizeof *p->past);
    }
}

sp_status sp_bulk_pasts_keep(sp_bulk_pasts *p, const sp_bulk_moment *moment, sp_error *err)
{
    const double apart = SP_BULK_AERATION_TIME / (SP_BULK_PASTS - 2);
    if (p->count > 0 && !bulk_is_past(moment->time - p->past[p->count - 1].time, apart))
        return SP_OK;
    forget(p, moment->time);
    SP_ASSERT(p->count < SP_BULK_PASTS);
    p->past[p->count] = (sp_bulk_past){0};
    SP_TRY(sp_bulk_past_take(&p->past[p->count], moment, err));
    ++p->count;
    return SP_OK;
}

/// ---- Saved -------------------------------------------------------------------------------------

/// The size of a past velocity, and then its contents.
static void walk_size(sp_bulk_past *p, sp_walk *w, uint64_t *tiles)
{
    SP_PIECE(w, p->time);
    sp_walk_piece(w, tiles, sizeof *tiles);
}

static void walk_velocity(sp_bulk_past *p, sp_walk *w)
{
    for (int a = 0; a < 3; ++a)
        sp_walk_piece(w, p->u[a], p->tiles.count * SP_TILE_VOXELS * sizeof(float));
}

void sp_bulk_pasts_walk(sp_bulk_pasts *pasts, sp_walk *w)
{
    SP_PIECE(w, pasts->count);
    for (int i = 0; i < pasts->count; ++i) {
        sp_bulk_past *p = &pasts->past[i];
        uint64_t tiles = p->tiles.count;
        walk_size(p, w, &tiles);
        sp_walk_piece(w, p->tiles.at, p->tiles.count * sizeof *p->tiles.at);
        walk_velocity(p, w);
    }
}

static sp_status too_short(sp_error *err)
{
    return sp_fail(err, SP_DAMAGED, "bulk: the saved past velocities are too short");
}

static sp_status restore_past(sp_bulk_past *p, const sp_tiles *like, sp_walk *w, sp_error *err)
{
    uint64_t tiles = 0;
    walk_size(p, w, &tiles);
    if (w->failed || tiles > w->left / (3 * SP_TILE_VOXELS * sizeof(float))) return too_short(err);
    SP_TRY(sp_tiles_restore(&p->tiles, like, (size_t)tiles, w, err));
    for (int a = 0; a < 3; ++a)
        if (!(p->u[a] = sp_tiles_field(&p->tiles, 0.0f)))
            return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for %zu tiles", (size_t)tiles);
    walk_velocity(p, w);
    return SP_OK;
}

sp_status sp_bulk_pasts_restore(sp_bulk_pasts *pasts, const sp_tiles *like, sp_walk *w,
                                sp_error *err)
{
    int count = 0;
    sp_bulk_pasts_close(pasts);
    SP_PIECE(w, count);
    if (w->failed || count < 0 || count > SP_BULK_PASTS) return too_short(err);
    for (int i = 0; i < count; ++i) {
        pasts->past[i] = (sp_bulk_past){0};
        ++pasts->count; // closed with the others
        SP_TRY(restore_past(&pasts->past[i], like, w, err));
    }
    return SP_OK;
}
