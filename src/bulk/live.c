// SPDX-License-Identifier: Apache-2.0
/// A server on a running solver. A solver with a moment is read in place, and its water is copied
/// once a frame, before the step. For other solvers, frames are published and read.
#include "bulk/bulk.h"

#include <string.h>

enum { OLDER, NEWER };

typedef struct live {
    const sp_host *host;
    sp_driver *driver;
    bool known[2]; ///< both false at the start; NEWER is false after a failure
    sp_bulk_moment moment[2];
    sp_bulk_loaded kept[2]; ///< memory of moments that do not point to the solver's arrays
    size_t room;            ///< capacity of the copy in kept[OLDER], in tiles
} live;

/// ---- Copying a moment --------------------------------------------------------------------------

static bool grow(const live *l, bool wanted, void *array, size_t room, size_t bytes)
{
    return !wanted || sp_regrow(l->host, array, 0, room * bytes, 1);
}

/// Allocates kept[OLDER] for a moment. Growing discards its values.
static sp_status make_room(live *l, const sp_bulk_moment *m, sp_error *err)
{
    sp_bulk_loaded *k = &l->kept[OLDER];
    const size_t n = m->tiles->count, room = n + n / 8, field = SP_TILE_VOXELS * sizeof(float);
    k->host = l->host;
    if (n <= l->room) return SP_OK;
    const bool good = grow(l, true, &k->phi, room, field) && grow(l, true, &k->u[0], room, field) &&
                      grow(l, true, &k->u[1], room, field) &&
                      grow(l, true, &k->u[2], room, field) &&
                      grow(l, m->aeration != NULL, &k->aeration, room, field) &&
                      grow(l, m->no_data != NULL, &k->no_data, room, sizeof *k->no_data);
    if (!good) return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for %zu tiles", n);
    l->room = room;
    return SP_OK;
}

typedef struct copying {
    const sp_bulk_moment *from;
    sp_bulk_loaded *to;
} copying;

static void copy_range(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    const size_t first = begin * SP_TILE_VOXELS,
                 bytes = (end - begin) * SP_TILE_VOXELS * sizeof(float);
    memcpy(c->to->phi + first, c->from->phi + first, bytes);
    for (int a = 0; a < 3; ++a)
        memcpy(c->to->u[a] + first, c->from->u[a] + first, bytes);
    if (c->from->aeration) memcpy(c->to->aeration + first, c->from->aeration + first, bytes);
    if (c->from->no_data)
        memcpy(c->to->no_data + begin, c->from->no_data + begin,
               (end - begin) * sizeof *c->to->no_data);
}

static sp_status copy_newer(live *l, sp_error *err)
{
    const sp_bulk_moment *m = &l->moment[NEWER];
    sp_bulk_loaded *k = &l->kept[OLDER];
    SP_TRY(make_room(l, m, err));
    sp_tiles_close(&k->tiles);
    SP_TRY(sp_tiles_copy(&k->tiles, m->tiles, err));
    sp_tiles_parallel(&k->tiles, copy_range, &(copying){m, k});
    k->time = m->time;
    k->band = m->band;
    memcpy(k->origin, m->origin, sizeof k->origin);
    return SP_OK;
}

/// ---- From moment to moment ---------------------------------------------------------------------

/// Makes the newer moment the older one. Afterwards there is no newer one.
static sp_status make_newer_older(live *l, sp_error *err)
{
    l->known[OLDER] = false;
    if (sp_driver_has_moment(l->driver)) {
        SP_TRY(copy_newer(l, err));
    } else {
        sp_bulk_loaded_close(&l->kept[OLDER]);
        l->kept[OLDER] = l->kept[NEWER];
        l->kept[NEWER] = (sp_bulk_loaded){0};
    }
    sp_bulk_loaded_point(&l->kept[OLDER]);
    l->moment[OLDER] = l->kept[OLDER].moment;
    l->known[OLDER] = true;
    l->known[NEWER] = false;
    return SP_OK;
}

/// Checks a moment as its frame would be checked.
static sp_status check_finite(const live *l, const sp_bulk_moment *m, sp_error *err)
{
    const struct {
        const char *name;
        const float *values;
    } parts[] = {{"surface", m->phi},
                 {"velocity", m->u[0]},
                 {"velocity", m->u[1]},
                 {"velocity", m->u[2]},
                 {"aeration", m->aeration}};
    sp_field fields[sizeof parts / sizeof *parts];
    size_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i].values)
            fields[count++] = (sp_field){.name = parts[i].name,
                                         .layout = SP_FIELD_TILES,
                                         .components = 1,
                                         .values = parts[i].values,
                                         .tile_count = m->tiles->count};
    const sp_frame frame = {.frame = sp_driver_reached(l->driver),
                            .time = m->time,
                            .fields = fields,
                            .field_count = count};
    return sp_frame_check_finite(&frame, err);
}

static sp_status take_moment(live *l, sp_error *err)
{
    sp_bulk_moment *m = &l->moment[NEWER];
    *m = (sp_bulk_moment){0};
    SP_TRY(sp_driver_moment(l->driver, m, err));
    m->time = sp_driver_time(l->driver);
    return check_finite(l, m, err);
}

static sp_status take_frame(live *l, sp_error *err)
{
    const sp_frame *frame;
    sp_bulk_loaded *k = &l->kept[NEWER];
    SP_TRY(sp_driver_frame(l->driver, &frame, err));
    k->host = l->host;
    const sp_status status = sp_bulk_from_frame(frame, k, err);
    if (status == SP_OK) {
        sp_bulk_loaded_point(k);
        l->moment[NEWER] = k->moment;
    } else {
        sp_bulk_loaded_close(k);
    }
    return status;
}

/// Reads the next moment as the newer one. A call after a failure resumes where the first one
/// stopped.
static sp_status advance(live *l, sp_error *err)
{
    if (l->known[NEWER]) SP_TRY(make_newer_older(l, err));
    if (l->known[OLDER] && sp_driver_time(l->driver) <= l->moment[OLDER].time)
        SP_TRY(sp_driver_step(l->driver, err));
    SP_TRY(sp_driver_has_moment(l->driver) ? take_moment(l, err) : take_frame(l, err));
    l->known[NEWER] = true;
    return SP_OK;
}

/// ---- The server --------------------------------------------------------------------------------

static sp_status bracket(void *user, double t, const sp_bulk_moment **before,
                         const sp_bulk_moment **after, sp_error *err)
{
    live *l = user;
    const sp_bulk_moment *older = &l->moment[OLDER], *newer = &l->moment[NEWER];
    while (!(l->known[NEWER] && t <= newer->time) && !(l->known[OLDER] && t <= older->time))
        SP_TRY(advance(l, err));
    const bool newest = l->known[NEWER] && t >= newer->time;
    if (!newest && !(l->known[OLDER] && t >= older->time))
        return sp_fail(err, SP_BAD_INPUT,
                       "bulk: asked at %g s; a solver that runs does not go back before %g s", t,
                       l->known[OLDER] ? older->time : newer->time);
    *before = newest ? newer : older;
    *after = newest || t > older->time ? newer : older;
    return SP_OK;
}

static void close_live(void *user)
{
    live *l = user;
    sp_bulk_loaded_close(&l->kept[OLDER]);
    sp_bulk_loaded_close(&l->kept[NEWER]);
    sp_release(l->host, l);
}

sp_status sp_bulk_live(const sp_bulk_live_def *def, const sp_host *host, sp_bulk *bulk,
                       sp_error *err)
{
    *bulk = (sp_bulk){0};
    live *l = sp_allocate(host, 1, sizeof *l);
    if (!l) return sp_fail(err, SP_NO_MEMORY, "bulk: no memory to serve a solver");
    l->host = host;
    l->driver = def->driver;
    const sp_status status = advance(l, err);
    if (status != SP_OK) {
        close_live(l);
        return status;
    }
    *bulk = (sp_bulk){.user = l,
                      .last = def->last,
                      .voxel = l->moment[NEWER].tiles->voxel,
                      .bracket = bracket,
                      .close = close_live};
    memcpy(bulk->low, def->low, sizeof bulk->low);
    memcpy(bulk->high, def->high, sizeof bulk->high);
    return SP_OK;
}
