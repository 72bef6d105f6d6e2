// SPDX-License-Identifier: Apache-2.0
/// A solver that runs while its water is asked for: its frames are the moments.
#include "bulk/bulk.h"

#include <string.h>

typedef struct live {
    const sp_host *host;
    sp_driver *driver;
    sp_bulk_loaded kept[2]; ///< older, newer; the older is empty at the start
} live;

/// The solver's state as the newer moment.
static sp_status take(live *l, sp_error *err)
{
    const sp_frame *frame;
    SP_TRY(sp_driver_frame(l->driver, &frame, err));
    l->kept[1].host = l->host;
    const sp_status status = sp_bulk_from_frame(frame, &l->kept[1], err);
    if (status != SP_OK) sp_bulk_loaded_close(&l->kept[1]);
    return status;
}

static sp_status step(live *l, sp_error *err)
{
    SP_TRY(sp_driver_step(l->driver, err));
    sp_bulk_loaded_close(&l->kept[0]);
    l->kept[0] = l->kept[1];
    l->kept[1] = (sp_bulk_loaded){0};
    return take(l, err);
}

static sp_status bracket(void *user, double t, const sp_bulk_moment **before,
                         const sp_bulk_moment **after, sp_error *err)
{
    live *l = user;
    while (l->kept[1].host && l->kept[1].time < t)
        SP_TRY(step(l, err));
    if (!l->kept[1].host)
        return sp_fail(err, SP_BAD_SCENE, "bulk: the solver failed before, and stays where it was");
    const bool newest = t >= l->kept[1].time;
    if (!newest && !(l->kept[0].host && t >= l->kept[0].time))
        return sp_fail(err, SP_BAD_SCENE,
                       "bulk: asked at %g s; a solver that runs does not go back before %g s", t,
                       l->kept[0].host ? l->kept[0].time : l->kept[1].time);
    for (int k = 0; k < 2; ++k)
        if (l->kept[k].host) sp_bulk_loaded_point(&l->kept[k]); // they move when time goes on
    *before = &l->kept[newest].moment;
    *after = &l->kept[newest || t > l->kept[0].time].moment;
    return SP_OK;
}

static void close_live(void *user)
{
    live *l = user;
    sp_bulk_loaded_close(&l->kept[0]);
    sp_bulk_loaded_close(&l->kept[1]);
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
    const sp_status status = take(l, err);
    if (status != SP_OK) {
        close_live(l);
        return status;
    }
    *bulk = (sp_bulk){.user = l,
                      .last = def->last,
                      .voxel = l->kept[1].tiles.voxel,
                      .bracket = bracket,
                      .close = close_live};
    memcpy(bulk->low, def->low, sizeof bulk->low);
    memcpy(bulk->high, def->high, sizeof bulk->high);
    return SP_OK;
}
