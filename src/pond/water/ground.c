// SPDX-License-Identifier: Apache-2.0
/// The bed, and obstacles, which are moving parts of the bed. An obstacle lifts the ground to just
/// above the still water. Depth does not change with the ground, so water is conserved exactly: the
/// lifted column flows off as the bow wave, and the hole behind the obstacle fills.
#include "pond/internal.h"

#include <stdlib.h>
#include <string.h>

/// Bilinear sample of the height map at a cell centre; the map is stretched over the whole pond.
static float map_height(const sp_heights *map, float across, float up)
{
    const float x = sp_clamp(across * (float)map->width - 0.5f, 0.0f, (float)(map->width - 1));
    const float y = sp_clamp(up * (float)map->height - 0.5f, 0.0f, (float)(map->height - 1));
    const size_t i = (size_t)x, j = (size_t)y;
    const size_t i1 = i + 1 < map->width ? i + 1 : i, j1 = j + 1 < map->height ? j + 1 : j;
    const float *low = map->values + j * map->width, *high = map->values + j1 * map->width;
    return sp_mix(sp_mix(low[i], low[i1], x - (float)i), sp_mix(high[i], high[i1], x - (float)i),
                  y - (float)j);
}

static int32_t to_quanta(const pond_water *w, float height)
{
    return (int32_t)floorf(height / w->quantum + 0.5f);
}

/// The halo repeats the nearest cell, so that the ground is level at a wall.
static void extend_to_halo(const pond_water *w, int32_t *b)
{
    for (int32_t j = 0; j < w->ny; ++j) {
        b[pond_cell(w, -1, j)] = b[pond_cell(w, 0, j)];
        b[pond_cell(w, w->nx, j)] = b[pond_cell(w, w->nx - 1, j)];
    }
    memcpy(b, b + w->stride, w->stride * sizeof *b);
    memcpy(b + pond_cell(w, -1, w->ny), b + pond_cell(w, -1, w->ny - 1), w->stride * sizeof *b);
}

/// The highest step between two neighbouring cells.
static int32_t find_roughness(const pond_water *w)
{
    int32_t highest = 0;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const size_t c = pond_cell(w, i, j);
            const int32_t x = abs(w->b[c] - w->b[c - 1]), y = abs(w->b[c] - w->b[c - w->stride]);
            highest = x > highest ? x : highest;
            highest = y > highest ? y : highest;
        }
    return highest;
}

void pond_lay_ground(sp_pond *pond)
{
    pond_water *w = &pond->water;
    const sp_heights *map = &pond->def.ground;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            const float across = ((float)i + 0.5f) / (float)w->nx,
                        up = ((float)j + 0.5f) / (float)w->ny;
            const float height = map->values ? map_height(map, across, up) : map->constant;
            w->b_still[pond_cell(w, i, j)] = to_quanta(w, height);
        }
    extend_to_halo(w, w->b_still);
}

float pond_obstacle_distance(const pond_obstacle *o, float x, float y, float *nx, float *ny)
{
    const float dx = x - o->x, dy = y - o->y;
    float px = dx * o->cosine + dy * o->sine,
          py = dy * o->cosine - dx * o->sine; // in the obstacle's frame
    const float size = o->def.size, length = o->def.length;
    float distance, gx, gy;
    if (o->shape == SP_POND_BOX) {
        const float ex = fabsf(px) - length, ey = fabsf(py) - size;
        const float ox = ex > 0.0f ? ex : 0.0f, oy = ey > 0.0f ? ey : 0.0f;
        const float corner = sqrtf(ox * ox + oy * oy);
        const bool along_x = ex > ey;
        distance = corner > 0.0f ? corner : along_x ? ex : ey;
        gx = copysignf(corner > 0.0f ? ox / corner : along_x ? 1.0f : 0.0f, px);
        gy = copysignf(corner > 0.0f ? oy / corner : along_x ? 0.0f : 1.0f, py);
    } else {
        if (o->shape == SP_POND_CAPSULE) px -= sp_clamp(px, -length, length);
        const float from_axis = sqrtf(px * px + py * py);
        distance = from_axis - size;
        gx = from_axis > 1e-12f ? px / from_axis : 0.0f;
        gy = from_axis > 1e-12f ? py / from_axis : 1.0f;
    }
    *nx = gx * o->cosine - gy * o->sine;
    *ny = gx * o->sine + gy * o->cosine;
    return distance;
}

/// Cells that an obstacle's ground can reach: its outline and two cells of slope.
static void find_box(const pond_water *w, pond_obstacle *o)
{
    const float reach = o->def.size + o->def.length + 3.0f * w->dx;
    o->box[0] = (int32_t)sp_clamp((o->x - reach) / w->dx, 0.0f, (float)w->nx);
    o->box[1] = (int32_t)sp_clamp((o->x + reach) / w->dx + 1.0f, 0.0f, (float)w->nx);
    o->box[2] = (int32_t)sp_clamp((o->y - reach) / w->dx, 0.0f, (float)w->ny);
    o->box[3] = (int32_t)sp_clamp((o->y + reach) / w->dx + 1.0f, 0.0f, (float)w->ny);
}

static void clear_obstacle(const pond_water *w, const pond_obstacle *o)
{
    for (int32_t j = o->box[2]; j < o->box[3]; ++j)
        for (int32_t i = o->box[0]; i < o->box[1]; ++i)
            w->b[pond_cell(w, i, j)] = w->b_still[pond_cell(w, i, j)];
}

/// b = still + (top - still) S(1/2 - distance/(4 dx)): a slope four cells wide about the outline.
/// The top is a tenth of the depth above still water; a higher top makes thin films that only cost
/// sub-steps. A growing or sinking obstacle has a share `rise` of that height.
static void raise_obstacle(const sp_pond *pond, pond_obstacle *o)
{
    const pond_water *w = &pond->water;
    if (o->shape == SP_POND_NONE) {
        memset(o->box, 0, sizeof o->box);
        return;
    }
    find_box(w, o);
    const float top_level = 1.1f * (float)w->rest;
    for (int32_t j = o->box[2]; j < o->box[3]; ++j)
        for (int32_t i = o->box[0]; i < o->box[1]; ++i) {
            const size_t c = pond_cell(w, i, j);
            float nx, ny;
            const float distance = pond_obstacle_distance(o, ((float)i + 0.5f) * w->dx,
                                                          ((float)j + 0.5f) * w->dx, &nx, &ny);
            const float lift = top_level - (float)w->b_still[c];
            const float share = pond_smooth(0.5f - distance / (4.0f * w->dx)) * o->rise;
            const int32_t raised = w->b_still[c] + (int32_t)((lift > 0.0f ? lift : 0.0f) * share);
            if (raised > w->b[c]) w->b[c] = raised;
        }
}

static void raise_obstacles(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.obstacle_count; ++k)
        clear_obstacle(&pond->water, &pond->obstacles[k]);
    for (size_t k = 0; k < pond->def.obstacle_count; ++k)
        raise_obstacle(pond, &pond->obstacles[k]);
    if (pond->def.obstacle_count > 0) extend_to_halo(&pond->water, pond->water.b);
}

/// With obstacles the roughness is larger than any depth, so the calm path is never taken.
static void measure_roughness(sp_pond *pond)
{
    bool solid = false;
    for (size_t k = 0; k < pond->def.obstacle_count; ++k)
        solid |= pond->obstacles[k].shape != SP_POND_NONE;
    pond->water.roughness = solid ? INT32_MAX / 2 : find_roughness(&pond->water);
}

void pond_rebuild_ground(sp_pond *pond)
{
    memcpy(pond->water.b, pond->water.b_still, pond->water.cells * sizeof *pond->water.b);
    for (size_t k = 0; k < pond->def.obstacle_count; ++k)
        memset(pond->obstacles[k].box, 0, sizeof pond->obstacles[k].box);
    raise_obstacles(pond);
    pond->solids_changed = false;
    measure_roughness(pond);
}

void pond_turn_obstacle(pond_obstacle *o)
{
    const float angle = o->def.angle * (SP_PI / 180.0f);
    o->cosine = sp_cosf(angle);
    o->sine = sp_sinf(angle);
}

/// Sinks the old shape, then grows def.shape. True when the height changed.
static bool grow(pond_obstacle *o, float dt)
{
    const float time = 0.3f; // s
    const bool wanted = o->shape == o->def.shape;
    if (wanted && (o->rise == 1.0f || o->shape == SP_POND_NONE)) return false;
    o->rise = sp_clamp(o->rise + (wanted ? dt : -dt) / time, 0.0f, 1.0f);
    if (!wanted && (o->rise == 0.0f || o->shape == SP_POND_NONE)) {
        o->shape = o->def.shape;
        o->rise = 0.0f;
    }
    return true;
}

/// Moves the obstacle toward its target, critically damped (0.08 s), implicit and so stable for any
/// dt, and limited in speed. True when it moved.
static bool follow(sp_pond *pond, pond_obstacle *o, float dt)
{
    const float time = 0.08f, ratio = dt / time;
    const float keep = 1.0f / (1.0f + 2.0f * ratio + ratio * ratio);
    o->vx = (o->vx + ratio / time * (o->target_x - o->x)) * keep;
    o->vy = (o->vy + ratio / time * (o->target_y - o->y)) * keep;
    const float speed = sqrtf(o->vx * o->vx + o->vy * o->vy), most = pond->def.obstacle_speed_max;
    if (speed > most) {
        o->vx *= most / speed;
        o->vy *= most / speed;
    }
    if (speed < 1e-6f) {
        o->vx = o->vy = 0.0f;
        return false;
    }
    const float width = pond->water.width, height = pond->water.height;
    o->x = sp_clamp(o->x + dt * o->vx, 0.0f, width);
    o->y = sp_clamp(o->y + dt * o->vy, 0.0f, height);
    return true;
}

void pond_move_solids(sp_pond *pond, double t, float dt)
{
    for (size_t k = 0; k < pond->def.heater_count; ++k) {
        pond_heater *h = &pond->heaters[k];
        if (!h->moved_by_input) pond_path_at(h->def.path, h->def.x, h->def.y, t, &h->x, &h->y);
    }
    bool moved = false, other = false;
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        pond_obstacle *o = &pond->obstacles[k];
        if (!o->moved_by_input)
            pond_path_at(o->def.path, o->def.x, o->def.y, t, &o->target_x, &o->target_y);
        const int before = o->shape;
        moved |= follow(pond, o, dt);
        moved |= grow(o, dt);
        other |= o->shape != before;
    }
    if (moved || pond->solids_changed) raise_obstacles(pond);
    pond->solids_changed = false;
    if (other) measure_roughness(pond);
}

/// The normal velocity becomes at least the obstacle's; the tangential one is mixed with a fifth of
/// it.
void pond_push_out(const sp_pond *pond, float r, float *x, float *y, float *ux, float *uy)
{
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        const pond_obstacle *o = &pond->obstacles[k];
        if (o->shape == SP_POND_NONE || o->rise < 0.5f) continue; // still low: bubbles pass above
        float nx, ny;
        const float distance = pond_obstacle_distance(o, *x, *y, &nx, &ny);
        if (distance >= r) continue;
        *x += nx * (r - distance);
        *y += ny * (r - distance);
        const float own = *ux * nx + *uy * ny, solid = o->vx * nx + o->vy * ny;
        const float tx = *ux - own * nx, ty = *uy - own * ny;
        const float stx = o->vx - solid * nx, sty = o->vy - solid * ny;
        const float normal = own > solid ? own : solid;
        *ux = normal * nx + sp_mix(tx, stx, 0.2f);
        *uy = normal * ny + sp_mix(ty, sty, 0.2f);
    }
}
