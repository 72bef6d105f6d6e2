// SPDX-License-Identifier: Apache-2.0
/// The bed, and obstacles, which are moving parts of the bed. An obstacle lifts the ground to just
/// above the still water. Depth does not change with the ground, so water is conserved exactly: the
/// lifted column flows off as the bow wave, and the hole behind the obstacle fills.
#include "pond/internal.h"

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
    pond_ground_survey(w);
}

/// ---- Outlines ----------------------------------------------------------------------------------

/// Signed distance (m) from the outline, at a place in the obstacle's own frame. `shape` is a
/// constant wherever a loop calls this, so that the loop has no branches.
SP_INLINE float outline_distance(int shape, float size, float length, float px, float py)
{
    if (shape == SP_POND_BOX) {
        const float ex = fabsf(px) - length, ey = fabsf(py) - size;
        const float ox = ex > 0.0f ? ex : 0.0f, oy = ey > 0.0f ? ey : 0.0f;
        const float corner = sqrtf(ox * ox + oy * oy), inside = ex > ey ? ex : ey;
        return corner > 0.0f ? corner : inside;
    }
    if (shape == SP_POND_CAPSULE) {
        const float below = px > -length ? px : -length;
        px -= below < length ? below : length;
    }
    return sqrtf(px * px + py * py) - size;
}

/// The outward normal there, in the obstacle's frame.
static void outline_normal(const pond_obstacle *o, float px, float py, float *gx, float *gy)
{
    const float size = o->def.size, length = o->def.length;
    if (o->shape == SP_POND_BOX) {
        const float ex = fabsf(px) - length, ey = fabsf(py) - size;
        const float ox = ex > 0.0f ? ex : 0.0f, oy = ey > 0.0f ? ey : 0.0f;
        const float corner = sqrtf(ox * ox + oy * oy);
        const bool along_x = ex > ey;
        *gx = copysignf(corner > 0.0f ? ox / corner : along_x ? 1.0f : 0.0f, px);
        *gy = copysignf(corner > 0.0f ? oy / corner : along_x ? 0.0f : 1.0f, py);
        return;
    }
    if (o->shape == SP_POND_CAPSULE) px -= sp_clamp(px, -length, length);
    const float from_axis = sqrtf(px * px + py * py);
    *gx = from_axis > 1e-12f ? px / from_axis : 0.0f;
    *gy = from_axis > 1e-12f ? py / from_axis : 1.0f;
}

float pond_obstacle_distance(const pond_obstacle *o, float x, float y, float *nx, float *ny)
{
    const float dx = x - o->x, dy = y - o->y;
    const float px = dx * o->cosine + dy * o->sine, py = dy * o->cosine - dx * o->sine;
    float gx, gy;
    outline_normal(o, px, py, &gx, &gy);
    *nx = gx * o->cosine - gy * o->sine;
    *ny = gx * o->sine + gy * o->cosine;
    return outline_distance(o->shape, o->def.size, o->def.length, px, py);
}

/// ---- Obstacles as ground -----------------------------------------------------------------------

/// m; no point of the outline is farther from the centre.
static float outline_reach(const pond_obstacle *o)
{
    return o->shape == SP_POND_CYLINDER ? o->def.size : o->def.size + o->def.length;
}

/// Cells that an obstacle's ground can reach: its outline and two cells of slope. The box is whole
/// vectors wide where the pond is.
static void find_box(const pond_water *w, pond_obstacle *o)
{
    const float reach = outline_reach(o) + 3.0f * w->dx;
    o->box[0] = (int32_t)sp_clamp((o->x - reach) / w->dx, 0.0f, (float)w->nx);
    o->box[1] = (int32_t)sp_clamp((o->x + reach) / w->dx + 1.0f, 0.0f, (float)w->nx);
    o->box[2] = (int32_t)sp_clamp((o->y - reach) / w->dx, 0.0f, (float)w->ny);
    o->box[3] = (int32_t)sp_clamp((o->y + reach) / w->dx + 1.0f, 0.0f, (float)w->ny);
    const int32_t vectors = (int32_t)sp_pad16((size_t)(o->box[1] - o->box[0])),
                  wide = vectors < w->nx ? vectors : w->nx;
    o->box[0] = o->box[0] < w->nx - wide ? o->box[0] : w->nx - wide;
    o->box[1] = o->box[0] + wide;
}

/// The halo beside the cells of a box, as in extend_to_halo().
static void extend_box(const pond_water *w, const int32_t box[4])
{
    int32_t *b = w->b;
    for (int32_t j = box[2]; j < box[3]; ++j) {
        b[pond_cell(w, -1, j)] = b[pond_cell(w, 0, j)];
        b[pond_cell(w, w->nx, j)] = b[pond_cell(w, w->nx - 1, j)];
    }
    const size_t bytes = (size_t)(box[1] - box[0] + 2) * sizeof *b; // with a cell on either side
    if (box[2] == 0)
        memcpy(b + pond_cell(w, box[0] - 1, -1), b + pond_cell(w, box[0] - 1, 0), bytes);
    if (box[3] == w->ny)
        memcpy(b + pond_cell(w, box[0] - 1, w->ny), b + pond_cell(w, box[0] - 1, w->ny - 1), bytes);
}

static void clear_obstacle(pond_water *w, const pond_obstacle *o)
{
    const int32_t *box = o->box;
    if (box[1] <= box[0] || box[3] <= box[2]) return;
    for (int32_t j = box[2]; j < box[3]; ++j)
        memcpy(w->b + pond_cell(w, box[0], j), w->b_still + pond_cell(w, box[0], j),
               (size_t)(box[1] - box[0]) * sizeof *w->b);
    extend_box(w, box);
    pond_obstruct_rows(w, box[2], box[3], false);
}

/// Raises cells i0 ... i0 + n - 1 of a row; dy is its distance from the obstacle's centre.
SP_INLINE void raise_row(int shape, const pond_obstacle *obstacle, float width, float top, size_t n,
                         int32_t i0, float dy, const int32_t *restrict still, int32_t *restrict b)
{
    const pond_obstacle o = *obstacle;
    SP_VECTOR_LOOP
    POND_ROW_LOOP
    for (size_t i = 0; i < n; ++i) {
        const float dx = ((float)(i0 + (int32_t)i) + 0.5f) * width - o.x;
        const float px = dx * o.cosine + dy * o.sine, py = dy * o.cosine - dx * o.sine;
        const float distance = outline_distance(shape, o.def.size, o.def.length, px, py);
        const float lift = top - (float)still[i], high = lift > 0.0f ? lift : 0.0f;
        const float share = pond_smooth(0.5f - distance / (4.0f * width)) * o.rise;
        const int32_t raised = still[i] + (int32_t)(high * share), before = b[i];
        b[i] = raised > before ? raised : before;
    }
}

/// b = still + (top - still) S(1/2 - distance/(4 dx)): a slope four cells wide about the outline.
/// The top is a tenth of the depth above still water; a higher top makes thin films that only cost
/// sub-steps. A growing or sinking obstacle has a share `rise` of that height.
static void raise_obstacle(sp_pond *pond, pond_obstacle *o)
{
    pond_water *w = &pond->water;
    memset(o->box, 0, sizeof o->box);
    if (o->shape == SP_POND_NONE) return;
    find_box(w, o);
    if (o->box[1] <= o->box[0] || o->box[3] <= o->box[2]) return;
    const float top = 1.1f * (float)w->rest;
    const int32_t i0 = o->box[0];
    const size_t n = (size_t)(o->box[1] - i0);
    for (int32_t j = o->box[2]; j < o->box[3]; ++j) {
        const float dy = ((float)j + 0.5f) * w->dx - o->y;
        const int32_t *still = w->b_still + pond_cell(w, i0, j);
        int32_t *b = w->b + pond_cell(w, i0, j);
        if (o->shape == SP_POND_BOX)
            raise_row(SP_POND_BOX, o, w->dx, top, n, i0, dy, still, b);
        else if (o->shape == SP_POND_CAPSULE)
            raise_row(SP_POND_CAPSULE, o, w->dx, top, n, i0, dy, still, b);
        else
            raise_row(SP_POND_CYLINDER, o, w->dx, top, n, i0, dy, still, b);
    }
    extend_box(w, o->box);
    pond_obstruct_rows(w, o->box[2], o->box[3], true);
}

static void raise_obstacles(sp_pond *pond)
{
    for (size_t k = 0; k < pond->def.obstacle_count; ++k)
        clear_obstacle(&pond->water, &pond->obstacles[k]);
    bool level = pond->water.level_still;
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        raise_obstacle(pond, &pond->obstacles[k]);
        level &= pond->obstacles[k].shape == SP_POND_NONE;
    }
    pond->water.level_ground = level;
}

void pond_rebuild_ground(sp_pond *pond)
{
    pond_water *w = &pond->water;
    memcpy(w->b, w->b_still, w->cells * sizeof *w->b);
    pond_obstruct_rows(w, 0, w->ny, false);
    for (size_t k = 0; k < pond->def.obstacle_count; ++k)
        memset(pond->obstacles[k].box, 0, sizeof pond->obstacles[k].box);
    raise_obstacles(pond);
    pond->solids_changed = false;
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
    bool moved = false;
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        pond_obstacle *o = &pond->obstacles[k];
        if (!o->moved_by_input)
            pond_path_at(o->def.path, o->def.x, o->def.y, t, &o->target_x, &o->target_y);
        moved |= follow(pond, o, dt);
        moved |= grow(o, dt);
    }
    if (moved || pond->solids_changed) raise_obstacles(pond);
    pond->solids_changed = false;
}

/// ---- Particles at obstacles --------------------------------------------------------------------

/// The normal velocity becomes at least the obstacle's; the tangential one is mixed with a fifth of
/// it.
static void push_out(const pond_obstacle *o, float r, float *x, float *y, float *ux, float *uy)
{
    float nx, ny;
    const float distance = pond_obstacle_distance(o, *x, *y, &nx, &ny);
    if (distance >= r) return;
    *x += nx * (r - distance);
    *y += ny * (r - distance);
    const float own = *ux * nx + *uy * ny, solid = o->vx * nx + o->vy * ny;
    const float tx = *ux - own * nx, ty = *uy - own * ny;
    const float stx = o->vx - solid * nx, sty = o->vy - solid * ny;
    const float normal = own > solid ? own : solid;
    *ux = normal * nx + sp_mix(tx, stx, 0.2f);
    *uy = normal * ny + sp_mix(ty, sty, 0.2f);
}

/// Marks the particles that may touch an obstacle, in whole vectors. Few do.
static void mark_near(const pond_obstacle *o, size_t n, const float *restrict x,
                      const float *restrict y, const float *restrict r, uint8_t *restrict near)
{
    const float ox = o->x, oy = o->y, reach = 1.001f * outline_reach(o);
    for (size_t i = 0; i < n; ++i) {
        const float dx = x[i] - ox, dy = y[i] - oy, far = reach + 1.001f * r[i];
        near[i] = !(dx * dx + dy * dy > far * far);
    }
}

void pond_push_out(const sp_pond *pond, size_t begin, size_t end, float share, const float *r,
                   float *x, float *y, float *ux, float *uy)
{
    enum { SOME = 256 };
    uint8_t near[SOME];
    for (size_t at = begin; at < end && pond->def.obstacle_count > 0; at += SOME) {
        const size_t n = end - at < SOME ? end - at : SOME;
        for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
            const pond_obstacle *o = &pond->obstacles[k];
            if (o->shape == SP_POND_NONE || o->rise < 0.5f) continue; // low: bubbles pass above
            mark_near(o, n, x + at, y + at, r + at, near);
            for (size_t i = sp_next_marked(near, 0, n); i < n; i = sp_next_marked(near, i + 1, n))
                push_out(o, share * r[at + i], &x[at + i], &y[at + i], &ux[at + i], &uy[at + i]);
        }
    }
}
