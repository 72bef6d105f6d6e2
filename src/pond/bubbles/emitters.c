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

size_t pond_add_bubble(sp_pond *pond, float x, float y, float z, float r, float uz)
{
    pond_bubbles *b = &pond->bubbles;
    if (b->set.count >= (size_t)pond->def.max_bubbles) return SIZE_MAX;
    const size_t i = sp_particles_append(&b->set, 1);
    b->id[i] = pond->next_id++;
    b->px[i] = x;
    b->py[i] = y;
    b->pz[i] = z;
    b->uz[i] = uz;
    b->vol[i] = pond_volume(r);
    b->r[i] = (float)pond_radius(b->vol[i]);
    b->phase[i] =
        2.0f * SP_PI * sp_unit(sp_random(pond->seed, POND_DRAW_PHASE, b->id[i], 0, 0).x[0]);
    pond->gas_in += b->vol[i];
    return i;
}

/// Emits one bubble in the disc about (x, y), `since` seconds after it left the floor. The radius
/// is at most half the depth. On dry ground no bubble appears.
static bool emit_one(sp_pond *pond, float x, float y, float z, float disc, float median,
                     float spread, float speed, float since)
{
    if (pond->bubbles.set.count >= (size_t)pond->def.max_bubbles) {
        ++pond->stats.held;
        return false;
    }
    draw_place(pond, pond->next_id, disc, &x, &y);
    float r = draw_radius(pond, pond->next_id, median, spread);
    const pond_flow flow = pond_flow_at(&pond->water, x, y);
    const float depth = flow.level - flow.bed;
    if (r > 0.5f * depth) r = 0.5f * depth;
    if (!(r >= 5e-5f)) { // dry: the air is lost; the next bubble draws a new place
        ++pond->next_id;
        return true;
    }
    const float width = pond->water.width, height = pond->water.height;
    x = sp_clamp(x, r, width - r);
    y = sp_clamp(y, r, height - r);
    pond_add_bubble(pond, x, y, flow.bed + z + r + speed * since, r, speed);
    return true;
}

/// Emits the bubbles due within dt. A bubble due before the end of the step has risen since then.
static float emit_due(sp_pond *pond, float due, float rate, float dt, float x, float y, float z,
                      float disc, float median, float spread, float speed)
{
    due += rate * dt;
    while (due >= 1.0f) {
        const float since = rate > 0.0f ? (due - 1.0f) / rate : 0.0f;
        if (!emit_one(pond, x, y, z, disc, median, spread, speed, since < dt ? since : dt))
            return 1.0f;
        due -= 1.0f;
    }
    return due;
}

void pond_emit(sp_pond *pond, float dt)
{
    for (size_t k = 0; k < pond->nozzle_count; ++k) {
        pond_nozzle *n = &pond->nozzles[k];
        const sp_pond_nozzle *d = &n->def;
        if (d->on)
            n->due = emit_due(pond, n->due, d->rate, dt, d->x, d->y, d->z, d->jitter, d->radius,
                              d->spread, d->speed);
    }
    for (size_t k = 0; k < pond->def.heater_count; ++k) {
        pond_heater *h = &pond->heaters[k];
        const sp_pond_heater *d = &h->def;
        if (!d->on) continue;
        h->due = emit_due(pond, h->due, d->rate, dt, h->x, h->y, 0.0f, d->radius, d->bubble_radius,
                          d->spread, 0.1f);
    }
}
