// SPDX-License-Identifier: Apache-2.0
/// A server that loads moments on demand. Three are kept: a pass through time uses two, and the
/// third is needed when a later query goes back.
#include "bulk/bulk.h"

#include <string.h>

enum { KEPT = 3 };

typedef struct slot {
    bool used;
    size_t k;
    uint64_t last; ///< counter at the last use
    sp_bulk_loaded loaded;
} slot;

typedef struct server {
    const sp_host *host;
    sp_bulk_source source;
    uint64_t calls;
    slot slots[KEPT];
} server;

void sp_bulk_loaded_close(sp_bulk_loaded *loaded)
{
    const sp_host *host = loaded->host;
    if (!host) return;
    sp_release(host, loaded->phi);
    for (int a = 0; a < 3; ++a)
        sp_release(host, loaded->u[a]);
    sp_release(host, loaded->aeration);
    sp_release(host, loaded->no_data);
    sp_tiles_close(&loaded->tiles);
    *loaded = (sp_bulk_loaded){0};
}

void sp_bulk_loaded_point(sp_bulk_loaded *l)
{
    l->moment = (sp_bulk_moment){.time = l->time,
                                 .tiles = &l->tiles,
                                 .phi = l->phi,
                                 .band = l->band,
                                 .aeration = l->aeration,
                                 .no_data = (const sp_tile_mask *)l->no_data};
    for (int a = 0; a < 3; ++a) {
        l->moment.origin[a] = l->origin[a];
        l->moment.u[a] = l->u[a];
    }
}

/// Returns moment k and loads it if needed. Never evicts `other`, which is in use.
static sp_status get(server *s, size_t k, const slot *other, slot **out, sp_error *err)
{
    slot *oldest = NULL;
    for (int i = 0; i < KEPT; ++i) {
        slot *here = &s->slots[i];
        if (here->used && here->k == k) {
            here->last = ++s->calls;
            *out = here;
            return SP_OK;
        }
        if (here != other && (!oldest || here->last < oldest->last)) oldest = here;
    }
    sp_bulk_loaded_close(&oldest->loaded);
    *oldest = (slot){0};
    oldest->loaded.host = s->host;
    const sp_status status = s->source.load(s->source.user, k, &oldest->loaded, err);
    if (status != SP_OK) {
        sp_bulk_loaded_close(&oldest->loaded);
        return status;
    }
    oldest->used = true;
    oldest->k = k;
    oldest->last = ++s->calls;
    sp_bulk_loaded_point(&oldest->loaded);
    *out = oldest;
    return SP_OK;
}

static sp_status bracket(void *user, double t, const sp_bulk_moment **before,
                         const sp_bulk_moment **after, sp_error *err)
{
    server *s = user;
    size_t low = 0, high = s->source.count - 1; // the newest at or before t lies in [low, high]
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (s->source.times[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    const bool exact = s->source.times[low] >= t || low + 1 == s->source.count;
    slot *a, *b;
    SP_TRY(get(s, low, NULL, &a, err));
    b = a;
    if (!exact) SP_TRY(get(s, low + 1, a, &b, err));
    *before = &a->loaded.moment;
    *after = &b->loaded.moment;
    return SP_OK;
}

static void close_server(void *user)
{
    server *s = user;
    for (int i = 0; i < KEPT; ++i)
        sp_bulk_loaded_close(&s->slots[i].loaded);
    if (s->source.close) s->source.close(s->source.user);
    sp_release(s->host, s);
}

static double shortest_interval(const sp_bulk_source *source)
{
    double least = 0.0;
    for (size_t k = 1; k < source->count; ++k) {
        const double d = source->times[k] - source->times[k - 1];
        least = k == 1 ? d : fmin(least, d);
    }
    return least;
}

sp_status sp_bulk_serve(const sp_bulk_source *source, const sp_host *host, sp_bulk *bulk,
                        sp_error *err)
{
    *bulk = (sp_bulk){0};
    server *s = source->count ? sp_allocate(host, 1, sizeof *s) : NULL;
    if (!s) {
        if (source->close) source->close(source->user);
        return source->count ? sp_fail(err, SP_NO_MEMORY, "bulk: no memory to serve it")
                             : sp_fail(err, SP_BAD_INPUT, "bulk: there is no moment to serve");
    }
    s->host = host;
    s->source = *source;
    *bulk = (sp_bulk){.user = s,
                      .first = source->times[0],
                      .last = source->times[source->count - 1],
                      .interval = shortest_interval(source),
                      .voxel = source->voxel,
                      .bracket = bracket,
                      .close = close_server};
    memcpy(bulk->low, source->low, sizeof bulk->low);
    memcpy(bulk->high, source->high, sizeof bulk->high);
    return SP_OK;
}
