// SPDX-License-Identifier: Apache-2.0
/// Sets the state at time zero: water, obstacles, heaters, nozzles, first bubbles and tracers.
#include "pond/internal.h"

#include <string.h>

static void place_things(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.heater_count; ++k) {
        pond_heater *h = &pond->heaters[k];
        h->due = 0.0f;
        h->moved_by_input = false;
        pond_path_at(h->def.path, h->def.x, h->def.y, 0.0, &h->x, &h->y);
    }
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        pond_obstacle *o = &pond->obstacles[k];
        pond_turn_obstacle(o);
        o->shape = o->def.shape;
        o->rise = o->shape == SP_POND_NONE ? 0.0f : 1.0f;
        o->moved_by_input = false;
        o->vx = o->vy = 0.0f;
        pond_path_at(o->def.path, o->def.x, o->def.y, 0.0, &o->x, &o->y);
        o->target_x = o->x;
        o->target_y = o->y;
    }
    for (size_t k = 0; k < pond->nozzle_count; ++k) // a random phase each
        pond->nozzles[k].due = sp_unit(sp_random(pond->seed, POND_DRAW_SCATTER, k, 1, 0).x[2]);
}

/// Depth is level minus ground in whole quanta, so water at rest stays exactly at rest.
static void fill_depth(sp_pond *pond)
{
    pond_water *w = &pond->water;
    const int32_t beyond = (int32_t)floorf(pond->def.dam_level / w->quantum + 0.5f);
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const size_t c = pond_cell(w, i, j);
            const bool held = pond->def.dam <= 0.0f || ((float)i + 0.5f) * w->dx < pond->def.dam;
            const int32_t depth = (held ? w->rest : beyond) - w->b[c];
            w->q[c] = depth > 0 ? depth : 0;
            w->eta_before[c] = w->q[c] + w->b[c];
        }
    for (int32_t i = 0; i < (int32_t)w->span; ++i) { // a face opens at 1e-6 m of depth
        const int32_t open = (int32_t)(1e-6f / w->quantum);
        w->u_sill[i] = i > 0 && i < w->nx ? open : INT32_MAX;
        w->v_sill[i] = i < w->nx ? open : INT32_MAX;
    }
    w->entered = 0;
    w->gravity_factor = 1.0f;
    pond_water_survey(w);
    pond_water_finish(pond, 0.0f);
}

static void place_bubbles(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.bubble_count; ++k) {
        const sp_pond_start *s = &pond->def.bubbles[k];
        const size_t i = pond_add_bubble(pond, s->x, s->y, s->z, s->radius, 0.0f);
        pond->bubbles.level[i] = pond_level_at(&pond->water, s->x, s->y);
    }
}

static void place_tracers(sp_pond *pond)
{
    pond_tracers *t = &pond->tracers;
    const pond_water *w = &pond->water;
    const size_t n = (size_t)pond->def.tracers;
    if (n == 0) return;
    sp_particles_append(&t->set, n);
    for (size_t k = 0; k < n; ++k) {
        const sp_random4 x = sp_random(pond->seed, POND_DRAW_TRACER, k, 0, 0);
        t->px[k] = sp_unit(x.x[0]) * (float)w->nx * w->dx;
        t->py[k] = sp_unit(x.x[1]) * (float)w->ny * w->dx;
        const pond_flow flow = pond_flow_at(w, t->px[k], t->py[k]);
        t->pz[k] = flow.bed + sp_unit(x.x[2]) * (flow.level - flow.bed);
    }
}

void pond_start(sp_pond *pond)
{
    static const char *const stages[STAGE_COUNT] = {"input",   "solids", "water",  "emit",
                                                    "sort",    "vortex", "move",   "merge",
                                                    "surface", "foam",   "retire", "publish"};
    pond_water *w = &pond->water;
    const size_t floats = w->cells * sizeof(float);
    memset(w->q, 0, floats);
    memset(w->u, 0, floats);
    memset(w->v, 0, floats);
    memset(w->eta_dot, 0, floats);
    pond->bubbles.set.count = pond->ghosts.set.count = pond->foam.set.count =
        pond->tracers.set.count = 0;
    pond->time = 0.0;
    pond->frame = pond->drawn = 0;
    pond->next_id = 1;
    pond->gas_in = pond->gas_out = pond->arrived = 0.0;
    pond->foam_size = 0.0f;
    pond->command_count = pond->event_count = 0;
    pond_find_script(pond);
    pond->stats = (sp_pond_stats){0};
    pond->profile = (sp_profile){.host = pond->host, .names = stages, .stages = STAGE_COUNT};
    place_things(pond);
    pond_rebuild_ground(pond);
    fill_depth(pond);
    place_bubbles(pond);
    place_tracers(pond);
}

sp_status sp_pond_reset(sp_pond *pond, sp_error *err)
{
    (void)err;
    pond_start(pond);
    return SP_OK;
}
