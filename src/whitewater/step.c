// SPDX-License-Identifier: Apache-2.0
/// A frame in equal steps, and a step as the stages of docs/whitewater.md.
#include "core/numbers/portable_math.h"
#include "whitewater/internal.h"

#include <string.h>

static void end_stage(whitewater *s, int stage)
{
    s->clock = sp_stage_end(&s->profile, stage, s->clock);
}

static whitewater_world make_world(const whitewater *s, double dt)
{
    whitewater_world w = {.host = s->host,
                          .bulk = &s->water.bulk,
                          .solids = s->solids,
                          .density = s->def.density,
                          .density_air = s->def.density_air,
                          .viscosity = s->def.viscosity,
                          .voxel = s->water.bulk.voxel,
                          .seed = s->seed,
                          .step = s->step,
                          .t = s->time,
                          .dt = dt};
    memcpy(w.domain, s->domain, sizeof w.domain);
    memcpy(w.gravity, s->gravity, sizeof w.gravity);
    memcpy(w.wind, s->def.wind, sizeof w.wind);
    return w;
}

/// ---- The first half ----------------------------------------------------------------------------

/// Counts and removes bubbles with gone[i] = 1.
static void remove_lost(whitewater *s, const whitewater_world *w, const uint8_t *gone)
{
    for (size_t i = 0; i < s->bubbles.set.count; ++i) {
        bool outside = false;
        for (int a = 0; a < 3; ++a)
            outside |= s->bubbles.x[a][i] < w->domain[0][a] || s->bubbles.x[a][i] > w->domain[1][a];
        if (!gone[i]) continue;
        const int event = outside ? WHITEWATER_LEFT : WHITEWATER_INSIDE;
        ++s->ledger[FIRST].count[event];
        s->ledger[FIRST].volume[event] += whitewater_volume(&s->bubbles, i);
    }
    whitewater_set_remove(&s->bubbles, gone);
}

static void mark_outside(const whitewater *s, const whitewater_world *w, uint8_t *gone)
{
    for (size_t i = 0; i < s->bubbles.set.count; ++i)
        for (int a = 0; a < 3; ++a)
            if (s->bubbles.x[a][i] < w->domain[0][a] || s->bubbles.x[a][i] > w->domain[1][a])
                gone[i] = 1;
}

/// 2  Bubbles move, and the water around them.
static sp_status move_bubbles(whitewater *s, const whitewater_world *w, uint8_t *gone,
                              sp_error *err)
{
    whitewater_set *b = &s->bubbles;
    if (s->def.mode != SP_WHITEWATER_GUIDED)
        return whitewater_move_one_way(w, b, s->def.guide.drag_scale, gone, err);
    const sp_guided_world world = {.bulk = w->bulk,
                                   .solids = w->solids,
                                   .gravity = {s->gravity[0], s->gravity[1], s->gravity[2]}};
    const sp_guided_particles p = {.count = b->set.count,
                                   .x = {b->x[0], b->x[1], b->x[2]},
                                   .v = {b->v[0], b->v[1], b->v[2]},
                                   .radius = b->radius,
                                   .number = b->number,
                                   .id = b->id};
    return sp_guided_step(s->guided, &world, &p, gone, w->t, w->dt, &s->guide, err);
}

static sp_status bubbles_with_marks(whitewater *s, const whitewater_world *w, uint32_t step,
                                    whitewater_set *batch, uint8_t *mark, sp_error *err)
{
    const size_t n = s->bubbles.set.count;
    memset(mark, 0, n);
    SP_TRY(move_bubbles(s, w, mark, err));
    mark_outside(s, w, mark);
    remove_lost(s, w, mark);
    end_stage(s, SP_WHITEWATER_STAGE_BUBBLES);
    for (size_t i = 0; i < s->bubbles.set.count; ++i)
        s->bubbles.age[i] += (float)w->dt;
    memset(mark, 0, n);
    SP_TRY(whitewater_find_arrivals(s->surface, w, &s->bubbles, mark, err)); // 3
    SP_TRY(whitewater_take_arrivals(s, mark, step, batch, err));
    end_stage(s, SP_WHITEWATER_STAGE_ARRIVALS);
    return SP_OK;
}

static sp_status first_half(whitewater *s, const whitewater_world *w, uint32_t step,
                            whitewater_set *batch, sp_error *err)
{
    if (s->redo) return whitewater_replay_arrivals(s, step, batch, err);
    uint8_t *mark = sp_allocate(s->host, s->bubbles.set.count + 1, 1);
    if (!mark)
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu bubbles",
                       s->bubbles.set.count);
    const sp_status status = bubbles_with_marks(s, w, step, batch, mark, err);
    sp_release(s->host, mark);
    return status;
}

/// ---- A step ------------------------------------------------------------------------------------

/// 4  What enters. Bubbles belong to the first half.
static sp_status emit_bubbles(whitewater *s, const whitewater_world *w, sp_error *err)
{
    const whitewater_intake in = {.to = {[WHITEWATER_BUBBLES] = &s->bubbles},
                                  .others = (size_t)s->afloat,
                                  .next_id = &s->next_id,
                                  .ledger = &s->ledger[FIRST]};
    if (s->redo || s->def.mode == SP_WHITEWATER_FOAM_ONLY) return SP_OK;
    return whitewater_emit(s->emission, w, &in, &s->emitted, err);
}

/// Foam and spray of sources belong to the second.
static sp_status emit_afloat(whitewater *s, const whitewater_world *w, sp_error *err)
{
    whitewater_emission_figures figures;
    const whitewater_intake in = {.to = {[WHITEWATER_FOAM] = &s->second[WHITEWATER_FOAM],
                                         [WHITEWATER_SPRAY] = &s->second[WHITEWATER_SPRAY]},
                                  .next_id = &s->next_second_id,
                                  .ledger = &s->ledger[SECOND]};
    return whitewater_emit(s->emission, w, &in, &figures, err);
}

/// About how many of the bubbles that have arrived still float, for the budget. The first half must not look at the
/// second, so it counts all as alive for a long life.
static void count_afloat(whitewater *s, double dt, size_t arrived)
{
    const sp_floating_def *d = &s->def.floating;
    const double life = (double)d->life_mean + 2.0 * sqrt((double)d->life_var);
    s->afloat = s->afloat * (double)sp_expf((float)(-dt / fmax(life, 1e-3))) + (double)arrived;
}

static sp_status step_with_batch(whitewater *s, const whitewater_world *w, uint32_t step,
                                 whitewater_set *batch, sp_error *err)
{
    s->clock = sp_now(s->host);
    if (s->solids) SP_TRY(sp_solids_move(s->solids, w->t + w->dt, err)); // 1
    end_stage(s, SP_WHITEWATER_STAGE_WATER);
    SP_TRY(first_half(s, w, step, batch, err)); // 2, 3
    count_afloat(s, w->dt, batch->set.count);
    SP_TRY(emit_bubbles(s, w, err)); // 4
    SP_TRY(emit_afloat(s, w, err));
    end_stage(s, SP_WHITEWATER_STAGE_EMIT);
    SP_TRY(whitewater_surface_step(s->surface, w, s->second, batch, &s->next_second_id,
                                   &s->ledger[SECOND], &s->floating, err)); // 5
    end_stage(s, SP_WHITEWATER_STAGE_SURFACE);
    return SP_OK;
}

/// Before the water begins nothing happens.
static sp_status take_step(whitewater *s, double dt, uint32_t step, sp_error *err)
{
    whitewater_set batch;
    while (s->time + dt > s->water.bulk.last && s->time + 0.999 * dt < s->water.bulk.last)
        dt = nextafter(dt, 0.0); // it was rounded
    if (!whitewater_has_water(s, s->time, dt)) return SP_OK;
    const whitewater_world w = make_world(s, dt);
    SP_TRY(whitewater_set_open(&batch, s->host, err));
    const sp_status status = step_with_batch(s, &w, step, &batch, err);
    whitewater_set_close(&batch);
    return status;
}

sp_status whitewater_frame(whitewater *s, double t_end, sp_error *err)
{
    const double begin = s->time;
    const int steps = s->def.steps;
    s->arrivals.set.set.count = 0;
    if (s->redo) SP_TRY(whitewater_load_frame(s, err));
    for (int k = 0; k < steps; ++k) {
        const double next = k + 1 < steps ? begin + (t_end - begin) * (k + 1) / steps : t_end;
        SP_TRY(take_step(s, next - s->time, (uint32_t)k, err));
        s->time = next;
        ++s->step;
        if (k + 1 < steps) SP_TRY(sp_watch_check(s->watch, s->time, err));
    }
    ++s->frame;
    return SP_OK;
}
