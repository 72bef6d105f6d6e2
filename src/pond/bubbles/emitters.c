// SPDX-License-Identifier: Apache-2.0
/// Emits bubbles from nozzles and heaters.
#include "pond/internal.h"

/// Log-normal about the median, clamped to half and twice the median. Box-Muller from two uniform
/// numbers.
static float draw_radius(const sp_pond *pond, uint64_t id, float median, float spread)
{
    const sp_random4 x = sp_random(pond->seed, POND_DRAW_RADIUS, id, 0, 0);
    const float length = sqrtf(-2.0f * sp_logf(sp_unit_open(x.x[0])));
    const float normal = length * sp_cosf(2.0f * SP_PI * sp_unit(x.x[1]));
    return median * sp_clamp(sp_expf(spread * normal), 0.5f, 2.0f);
}

/// Uniform over a disc.
static void draw_place(const sp_pond *pond, uint64_t id, float radius, float *x, float *y)
{
    const sp_random4 draw = sp_random(pond->seed, POND_DRAW_PLACE, id, 0, 0);
    const float from = radius * sqrtf(sp_unit(draw.x[0])),
                angle = 2.0f * SP_PI * sp_unit(draw.x[1]);
    *x += from * sp_cosf(angle);
    *y += from * sp_sinf(angle);
}

/// Sets a new bubble, whose columns are zero, at index i.
static void set_bubble(const sp_pond *pond, size_t i, uint64_t id, const float p[3], float r,
                       float uz)
{
    const pond_bubbles *b = &pond->bubbles;
    b->id[i] = id;
    b->px[i] = p[0];
    b->py[i] = p[1];
    b->pz[i] = p[2];
    b->uz[i] = uz;
    b->vol[i] = pond_volume(r);
    b->r[i] = (float)pond_radius(b->vol[i]);
    b->phase[i] = 2.0f * SP_PI * sp_unit(sp_random(pond->seed, POND_DRAW_PHASE, id, 0, 0).x[0]);
}

size_t pond_add_bubble(sp_pond *pond, float x, float y, float z, float r, float uz)
{
    pond_bubbles *b = &pond->bubbles;
    if (b->set.count >= (size_t)pond->def.max_bubbles) return SIZE_MAX;
    const size_t i = sp_particles_append(&b->set, 1);
    set_bubble(pond, i, pond->next_id++, (const float[]){x, y, z}, r, uz);
    pond->gas_in += b->vol[i];
    return i;
}

/// ---- Bubbles that are due ----------------------------------------------------------------------
/// The bubbles due in a sub-step are listed in order, made in parallel and added in order. The list
/// uses scratch that is free between steps of the bubbles.

/// An outlet of air: a nozzle, or after all nozzles a heater.
typedef struct outlet {
    float x, y, z, disc;         ///< m
    float median, spread, speed; ///< m, 1, m/s
} outlet;

static outlet outlet_number(const sp_pond *pond, size_t k)
{
    if (k < pond->nozzle_count) {
        const sp_pond_nozzle *n = &pond->nozzles[k].def;
        return (outlet){n->x, n->y, n->z, n->jitter, n->radius, n->spread, n->speed};
    }
    const pond_heater *h = &pond->heaters[k - pond->nozzle_count];
    return (outlet){h->x, h->y, 0.0f, h->def.radius, h->def.bubble_radius, h->def.spread, 0.1f};
}

typedef struct due_list {
    sp_pond *pond;
    size_t count;
    uint32_t *outlet; ///< of each bubble
    float *since;     ///< s; since it left the floor
    float *x, *y, *z; ///< m
    float *radius;    ///< m; 0: there is no bubble
    uint32_t *place;  ///< in the set
} due_list;

static due_list begin_list(sp_pond *pond)
{
    return (due_list){.pond = pond,
                      .outlet = pond->contacts.unsorted,
                      .since = pond->wx,
                      .x = pond->wy,
                      .y = pond->wz,
                      .z = pond->vx,
                      .radius = pond->vy,
                      .place = pond->contacts.member};
}

/// Draws place and radius of bubbles [begin, end) of the list. The radius is at most half the depth.
/// On dry ground no bubble appears: the air is lost.
static void draw_bubbles(void *arg, size_t begin, size_t end)
{
    const due_list *list = arg;
    const sp_pond *pond = list->pond;
    const float width = pond->water.width, height = pond->water.height;
    for (size_t k = begin; k < end; ++k) {
        const outlet o = outlet_number(pond, list->outlet[k]);
        const uint64_t id = pond->next_id + k;
        float x = o.x, y = o.y, r = draw_radius(pond, id, o.median, o.spread);
        draw_place(pond, id, o.disc, &x, &y);
        const pond_flow flow = pond_flow_at(&pond->water, x, y);
        const float depth = flow.level - flow.bed;
        if (r > 0.5f * depth) r = 0.5f * depth;
        list->x[k] = sp_clamp(x, r, width - r);
        list->y[k] = sp_clamp(y, r, height - r);
        list->z[k] = flow.bed + o.z + r + o.speed * list->since[k];
        list->radius[k] = r >= 5e-5f ? r : 0.0f;
    }
}

static void place_bubbles(void *arg, size_t begin, size_t end)
{
    const due_list *list = arg;
    const sp_pond *pond = list->pond;
    for (size_t k = begin; k < end; ++k) {
        const float p[3] = {list->x[k], list->y[k], list->z[k]};
        if (list->radius[k] > 0.0f)
            set_bubble(pond, list->place[k], pond->next_id + k, p, list->radius[k],
                       outlet_number(pond, list->outlet[k]).speed);
    }
}

/// Adds the listed bubbles to the pond.
static void add_listed(due_list *list)
{
    enum { GRAIN = 256 };
    sp_pond *pond = list->pond;
    pond_bubbles *b = &pond->bubbles;
    sp_parallel(pond->host, list->count, GRAIN, draw_bubbles, list);
    const size_t first = b->set.count;
    size_t next = first;
    for (size_t k = 0; k < list->count; ++k) {
        list->place[k] = (uint32_t)next;
        next += list->radius[k] > 0.0f;
    }
    sp_particles_append(&b->set, next - first);
    sp_parallel(pond->host, list->count, GRAIN, place_bubbles, list);
    for (size_t i = first; i < next; ++i)
        pond->gas_in += b->vol[i];
    pond->next_id += list->count;
    list->count = 0;
}

/// Lists the bubbles due within dt and returns the rest. A bubble due before the end of the step has
/// risen since then. When the set is full, the outlet waits.
static float list_due(due_list *list, size_t k, float due, float rate, float dt)
{
    sp_pond *pond = list->pond;
    const size_t most = (size_t)pond->def.max_bubbles;
    for (due += rate * dt; due >= 1.0f; due -= 1.0f) {
        if (pond->bubbles.set.count + list->count >= most) add_listed(list);
        if (pond->bubbles.set.count >= most) {
            ++pond->stats.held;
            return 1.0f;
        }
        const float since = rate > 0.0f ? (due - 1.0f) / rate : 0.0f;
        list->outlet[list->count] = (uint32_t)k;
        list->since[list->count++] = since < dt ? since : dt;
    }
    return due;
}

void pond_emit(sp_pond *pond, float dt)
{
    due_list list = begin_list(pond);
    for (size_t k = 0; k < pond->nozzle_count; ++k) {
        pond_nozzle *n = &pond->nozzles[k];
        if (n->def.on) n->due = list_due(&list, k, n->due, n->def.rate, dt);
    }
    for (size_t k = 0; k < pond->def.heater_count; ++k) {
        pond_heater *h = &pond->heaters[k];
        if (h->def.on) h->due = list_due(&list, pond->nozzle_count + k, h->due, h->def.rate, dt);
    }
    add_listed(&list);
}
