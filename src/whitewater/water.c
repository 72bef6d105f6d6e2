// SPDX-License-Identifier: Apache-2.0
/// The bulk of a scene: files, a liquid that runs along, or an ocean.
#include "whitewater/internal.h"

#include <string.h>

void whitewater_close_water(whitewater_water *w)
{
    sp_bulk_close(&w->bulk);
    sp_driver_close(w->driver);
    *w = (whitewater_water){0};
}

/// ---- A liquid of the scene's own ---------------------------------------------------------------

static uint8_t list_walls(const sp_liquid_def *def)
{
    const sp_liquid_sides_def *d = &def->sides;
    const int kinds[6] = {d->left, d->right, d->bottom, d->top, d->back, d->front};
    uint8_t walls = 0;
    for (int i = 0; i < 6; ++i)
        if (kinds[i] == SP_LIQUID_WALL) walls |= (uint8_t)(1 << i);
    return walls;
}

static sp_status open_liquid(whitewater_water *w, const sp_setup *setup, const sp_host *host,
                             sp_error *err)
{
    const sp_whitewater_def *def = setup->def;
    const sp_domain_def *domain = setup->world->domain;
    sp_driver_def driver = {
        .type = &sp_liquid_solver, .setup = *setup, .fps = 1.0 / setup->frame_seconds};
    driver.setup.def = def->liquid;
    w->world = setup->world;
    w->walls = list_walls(def->liquid);
    SP_TRY(sp_driver_open(&driver, host, &w->driver, err));
    sp_bulk_live_def live = {.driver = w->driver, .last = setup->seconds + setup->frame_seconds};
    for (int a = 0; a < 3; ++a) {
        live.low[a] = (double)domain->min[a];
        live.high[a] = (double)domain->max[a];
    }
    return sp_bulk_live(&live, host, &w->bulk, err);
}

/// ---- Water by its path -------------------------------------------------------------------------

static sp_status open_path(const sp_setup *setup, const sp_host *host, sp_bulk_opened *water,
                           sp_error *err)
{
    const sp_whitewater_def *def = setup->def;
    if (!setup->files || !setup->files->open_bulk)
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater.bulk: %s; this program opens no files for solvers", def->bulk);
    const sp_status status =
        setup->files->open_bulk(setup->files->user, def->bulk, host, water, err);
    if (status != SP_OK) sp_error_prefix(err, "whitewater.bulk: ");
    return status;
}

sp_status whitewater_peek(const sp_setup *setup, double *last, sp_error *err)
{
    const sp_host host = sp_host_default(1);
    sp_bulk_opened water;
    SP_TRY(open_path(setup, &host, &water, err));
    *last = water.bulk.last;
    sp_bulk_close(&water.bulk);
    return SP_OK;
}

/// ---- All kinds ---------------------------------------------------------------------------------

sp_status whitewater_open_water(whitewater_water *w, const sp_setup *setup, const sp_host *host,
                                sp_error *err)
{
    const sp_whitewater_def *def = setup->def;
    sp_bulk_opened opened;
    w->world = setup->world;
    if (def->liquid) return open_liquid(w, setup, host, err);
    if (def->ocean) return sp_ocean_bulk(def->ocean, setup->seed, host, &w->bulk, err);
    SP_TRY(open_path(setup, host, &opened, err));
    w->bulk = opened.bulk;
    if (opened.world && setup->world->collider_count == 0) w->world = opened.world;
    w->walls = opened.walls;
    return SP_OK;
}

/// The bulk of a solver that was restored begins again at its present moment.
sp_status whitewater_reopen_water(whitewater *s, sp_error *err)
{
    const sp_bulk old = s->water.bulk;
    if (!s->water.driver) return SP_OK;
    sp_bulk_live_def live = {.driver = s->water.driver, .last = old.last};
    memcpy(live.low, old.low, sizeof live.low);
    memcpy(live.high, old.high, sizeof live.high);
    sp_bulk_close(&s->water.bulk);
    SP_TRY(sp_bulk_live(&live, s->host, &s->water.bulk, err));
    s->water.bulk.interval = old.interval;
    return SP_OK;
}

/// A cache may begin late; then nothing happens before.
bool whitewater_has_water(const whitewater *s, double t, double dt)
{
    const double slack = 1e-9 * fmax(1.0, fabs(t));
    return t >= s->water.bulk.first - slack && t + dt <= s->water.bulk.last + slack;
}
