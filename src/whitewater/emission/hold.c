// SPDX-License-Identifier: Apache-2.0
/// From a moment of the bulk to rates of air that hold until the next moment.
///
/// As printed, each step fills every voxel up to its target. Air would then depend on the length of
/// steps, which empty voxels again. Here water takes up air with the time constant tau,
///
///     d share/dt = (target - share)/tau,      so that within a time m it takes up
///     1 - exp(-m/tau) of what it lacks at the moment: a rate of (1 - exp(-m/tau))/m  (W14)
///
/// until the next moment, or as long as water takes to cross the voxel if that is less: then other
/// water comes that lacks as much. tau = 0 fills voxels once a moment. The rate holds, whatever the
/// number of steps between two moments, and air that stays where it is adds up to the same with
/// moments half as far apart; so does air that is carried off. Voxels move along with their water
/// between moments.
#include "whitewater/emission/internal.h"

#include <string.h>

static const double at_once = 1e-6; ///< of a step: a moment this much later counts as its end

double emission_rate(double tau, double spacing, double crossing)
{
    const double m = fmin(spacing, crossing);
    if (!(tau > 0.0)) return 1.0 / spacing;
    if (m < 1e-3 * tau) return 1.0 / tau;
    return (1.0 - (double)sp_expf((float)(-m / tau))) / m;
}

/// The newest moment that the step reaches.
static const sp_bulk_moment *newest(const emission_step *s)
{
    const sp_bulk_view *v = &s->view;
    return v->after->time - v->t <= at_once * s->world->dt ? v->after : v->before;
}

/// ---- Aeration ----------------------------------------------------------------------------------

static sp_status aerate(whitewater_emission *e, const whitewater_world *world,
                        const sp_bulk_moment *moment, sp_error *err)
{
    const sp_bulk_aeration_def def = {.density = (double)world->density,
                                      .length = (double)e->aeration.length,
                                      .curvature = e->aeration.curvature,
                                      .fluctuation = e->aeration.fluctuation};
    const size_t tiles = moment->tiles->count, room = tiles + tiles / 8;
    if (tiles > e->field_room) {
        e->field_room = 0;
        if (!sp_regrow(e->host, (void **)&e->field, 0, room * SP_TILE_VOXELS, sizeof *e->field))
            return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu tiles", tiles);
        e->field_room = room;
    }
    SP_TRY(sp_bulk_aeration(&def, moment, &e->pasts, e->field, err));
    return sp_bulk_pasts_keep(&e->pasts, moment, err);
}

/// ---- Rates -------------------------------------------------------------------------------------

/// Turns shares that voxels should be filled to into rates, and drops cells that are full.
static void make_rates(emission_held *h, double tau, double spacing, const float *filled)
{
    const double volume = h->voxel * h->voxel * h->voxel;
    size_t kept = 0;
    for (size_t i = 0; i < h->count; ++i) {
        emission_cell c = h->cell[i];
        const double lacks = (double)c.rate - (double)filled[i];
        const double speed = (double)sqrtf(c.u[0] * c.u[0] + c.u[1] * c.u[1] + c.u[2] * c.u[2]);
        if (!(lacks > 0.0)) continue;
        c.rate =
            (float)(lacks * volume * emission_rate(tau, spacing, h->voxel / fmax(speed, 1e-9)));
        h->cell[kept++] = c;
    }
    h->count = kept;
}

static sp_status find_rates(const emission_step *s, double spacing, sp_error *err)
{
    whitewater_emission *e = s->e;
    emission_held *h = &e->held;
    const whitewater_world *w = s->world;
    float *filled = sp_allocate(e->host, (size_t)h->count, sizeof *filled);
    if (!filled)
        return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu voxels", (size_t)h->count);
    const sp_status status = emission_air_in_voxels(h, e->host, s->in->to[WHITEWATER_BUBBLES],
                                                    w->t + w->dt - h->time, filled, err);
    if (status == SP_OK) make_rates(h, (double)e->def.tau, spacing, filled);
    sp_release(e->host, filled);
    return status;
}

/// ---- All of it ---------------------------------------------------------------------------------

static void look_at_most(whitewater_emission *e)
{
    emission_seen *n = &e->seen;
    if (n->enough) return;
    if (e->held.most >= n->most) {
        n->most = e->held.most;
        n->when = e->held.time;
    }
    n->enough = n->most >= (double)e->aeration.min || ++n->moments == 100;
    if (n->enough && n->most < (double)e->aeration.min)
        sp_log(e->host, SP_LOG_WARNING,
               "no voxel reached aeration.min = %g in 100 moments of the water (largest %.3g at "
               "%.4g s): lower aeration.min, or the cache is smoother than its voxel size suggests",
               (double)e->aeration.min, n->most, n->when);
}

static void take_over(emission_held *h, const sp_bulk_moment *moment)
{
    h->time = moment->time;
    h->voxel = (double)moment->tiles->voxel;
    memcpy(h->origin, moment->origin, sizeof h->origin);
    memcpy(h->period, moment->tiles->period, sizeof h->period);
}

sp_status emission_begin(whitewater_emission *e, const whitewater_world *world, sp_error *err)
{
    sp_bulk_view view;
    if (e->pasts.count > 0 || world->t < world->bulk->first) return SP_OK;
    SP_TRY(sp_bulk_view_at(world->bulk, world->t, &view, err));
    return sp_bulk_pasts_keep(&e->pasts, view.before, err);
}

sp_status emission_hold(const emission_step *s, sp_error *err)
{
    whitewater_emission *e = s->e;
    const sp_bulk_moment *moment = newest(s);
    if (!(moment->time > e->held.time)) return SP_OK;
    const double since = fmax(e->held.time, e->pasts.count > 0 ? e->pasts.past[0].time : -HUGE_VAL),
                 spacing = fmax(moment->time - since, s->world->dt);
    double clock = sp_now(e->host);
    e->held.count = 0;
    take_over(&e->held, moment);
    SP_TRY(aerate(e, s->world, moment, err));
    clock = sp_stage_end(&e->profile, EMISSION_AERATE, clock);
    SP_TRY(emission_scan(e, moment, err));
    look_at_most(e);
    clock = sp_stage_end(&e->profile, EMISSION_SCAN, clock);
    SP_TRY(find_rates(s, spacing, err));
    sp_stage_end(&e->profile, EMISSION_FILL, clock);
    return SP_OK;
}
