// SPDX-License-Identifier: Apache-2.0
/// Fills the view of the floor and of the objects: nozzles, heaters, obstacles.
#include "pond/internal.h"

#include <string.h>

/// The floor without obstacles, bilinear between cell centres, m.
static float floor_at(const pond_water *w, float x, float y)
{
    const pond_between i = pond_locate(x * w->per_dx - 0.5f, w->nx - 1),
                       j = pond_locate(y * w->per_dx - 0.5f, w->ny - 1);
    const int32_t *corner = w->b_still + pond_cell(w, i.low, j.low);
    return pond_blend_bed(corner, w->stride, i.share, j.share) * w->quantum;
}

/// Filled once: the floor never changes.
static void draw_ground(sp_pond *pond)
{
    if (pond->ground_drawn) return;
    const sp_pond_view *v = &pond->view;
    for (size_t j = 0; j < v->height; ++j)
        for (size_t i = 0; i < v->width; ++i)
            pond->ground[j * v->width + i] =
                floor_at(&pond->water, (float)i * v->spacing, (float)j * v->spacing);
    pond->ground_drawn = true;
}

static void draw_heaters(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.heater_count; ++k) {
        const pond_heater *h = &pond->heaters[k];
        const float bed = floor_at(&pond->water, h->x, h->y);
        const float row[8] = {h->x,
                              h->y,
                              bed,
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
        const float bed = floor_at(&pond->water, n->x, n->y);
        const float row[4] = {n->x, n->y, bed + n->z, dry ? -1.0f : n->on ? 1.0f : 0.0f};
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
