// SPDX-License-Identifier: Apache-2.0
/// What there is to draw beside the water: the floor, and what stands and lies on it.
#include "pond/internal.h"

#include <string.h>

/// The floor between cell centres, bilinear; it never changes.
static void draw_ground(sp_pond *pond)
{
    if (pond->ground_drawn) return;
    const pond_water *w = &pond->water;
    const sp_pond_view *v = &pond->view;
    for (size_t j = 0; j < v->height; ++j)
        for (size_t i = 0; i < v->width; ++i) {
            const float x =
                sp_clamp((float)i * v->spacing * w->per_dx - 0.5f, 0.0f, (float)w->nx - 1.0f);
            const float y =
                sp_clamp((float)j * v->spacing * w->per_dx - 0.5f, 0.0f, (float)w->ny - 1.0f);
            const int32_t cx = (int32_t)x, cy = (int32_t)y;
            const int32_t *low = w->b_still + pond_cell(w, cx, cy), *high = low + w->stride;
            const float tx = x - (float)cx, ty = y - (float)cy;
            const float south = sp_mix((float)low[0], (float)low[1], tx),
                        north = sp_mix((float)high[0], (float)high[1], tx);
            pond->ground[j * v->width + i] = sp_mix(south, north, ty) * w->quantum;
        }
    pond->ground_drawn = true;
}

static void draw_heaters(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.heater_count; ++k) {
        const pond_heater *h = &pond->heaters[k];
        const pond_flow flow = pond_flow_at(&pond->water, h->x, h->y);
        const float row[8] = {h->x,
                              h->y,
                              flow.bed,
                              h->def.radius,
                              h->def.on ? 1.0f : 0.0f,
                              h->def.rate,
                              h->def.bubble_radius};
        memcpy(pond->heater_instances + 8 * k, row, sizeof row);
    }
}

static void draw_obstacles(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        const pond_obstacle *o = &pond->obstacles[k];
        const float top = 1.1f * (float)pond->water.rest * pond->water.quantum * o->rise;
        const float row[8] = {o->x,          o->y,      top,     o->def.size,
                              o->def.length, o->cosine, o->sine, (float)o->shape};
        memcpy(pond->obstacle_instances + 8 * k, row, sizeof row);
    }
}

static void draw_nozzles(sp_pond *pond)
{
    for (size_t k = 0; k < pond->nozzle_count; ++k) {
        const sp_pond_nozzle *n = &pond->nozzles[k].def;
        const pond_flow flow = pond_flow_at(&pond->water, n->x, n->y);
        const bool dry = flow.level - flow.bed < 1e-3f;
        const float row[4] = {n->x, n->y, flow.bed + n->z, dry ? -1.0f : n->on ? 1.0f : 0.0f};
        memcpy(pond->nozzle_instances + 4 * k, row, sizeof row);
    }
}

const sp_pond_view *sp_pond_draw_things(sp_pond *pond)
{
    sp_pond_draw(pond);
    draw_ground(pond);
    draw_heaters(pond);
    draw_obstacles(pond);
    draw_nozzles(pond);
    sp_pond_view *v = &pond->view;
    v->ground = pond->ground;
    v->heaters = pond->heater_instances;
    v->obstacles = pond->obstacle_instances;
    v->nozzles = pond->nozzle_instances;
    v->heater_count = (uint32_t)pond->def.heater_count;
    v->obstacle_count = (uint32_t)pond->def.obstacle_count;
    v->nozzle_count = (uint32_t)pond->nozzle_count;
    return v;
}
