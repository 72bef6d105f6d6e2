// SPDX-License-Identifier: Apache-2.0
/// Input: calls queue here and act at the start of the next step, in the order they came.
#include "pond/internal.h"

#include <stdio.h>

static sp_status enqueue(sp_pond *pond, pond_command command, sp_error *err)
{
    if (pond->command_count >= POND_MAX_COMMANDS)
        return sp_fail(err, SP_BUSY, "pond: %d input calls are waiting; step first",
                       POND_MAX_COMMANDS);
    pond->commands[pond->command_count++] = command;
    return SP_OK;
}

static sp_status check_finite(float x, float y, float z, sp_error *err)
{
    if (isfinite(x) && isfinite(y) && isfinite(z)) return SP_OK;
    return sp_fail(err, SP_BAD_SCENE, "pond: ignored a non-finite position");
}

sp_status sp_pond_set(sp_pond *pond, const char *key, double value, sp_error *err)
{
    const sp_key *row = sp_keys_find(&sp_pond_keys, key);
    if (!row || !row->live || !sp_key_is_number(row))
        return sp_fail(err, SP_BAD_SCENE, "pond.%s: %s", key,
                       row ? "cannot change while the pond runs" : "unknown key");
    char path[64];
    snprintf(path, sizeof path, "pond.%s", row->name);
    SP_TRY(sp_key_check_number(row, value, path, err));
    const uint32_t index = (uint32_t)(row - sp_pond_keys.keys);
    return enqueue(pond, (pond_command){.kind = POND_SET, .index = index, .value = value}, err);
}

/// How many there will be when the queue has been worked off.
static size_t nozzles_then(const sp_pond *pond)
{
    size_t count = pond->nozzle_count;
    for (size_t k = 0; k < pond->command_count; ++k) {
        count += pond->commands[k].kind == POND_ADD;
        count -= pond->commands[k].kind == POND_REMOVE;
    }
    return count;
}

sp_status sp_pond_move(sp_pond *pond, sp_pond_thing thing, size_t index, float x, float y,
                       sp_error *err)
{
    SP_TRY(check_finite(x, y, 0.0f, err));
    const size_t counts[] = {pond->def.heater_count, pond->def.obstacle_count, nozzles_then(pond)};
    if ((unsigned)thing > SP_POND_NOZZLE || index >= counts[thing])
        return sp_fail(err, SP_BAD_SCENE, "pond: there is no such thing to move");
    return enqueue(
        pond,
        (pond_command){
            .kind = POND_MOVE, .thing = (int32_t)thing, .index = (uint32_t)index, .x = x, .y = y},
        err);
}

sp_status sp_pond_add_nozzle(sp_pond *pond, const sp_pond_nozzle *nozzle, sp_error *err)
{
    const sp_key *list = sp_keys_find(&sp_pond_keys, "nozzles");
    SP_TRY(sp_keys_check(list->items, nozzle, "pond.nozzles[new]", err));
    if (nozzles_then(pond) >= pond->nozzle_capacity)
        return sp_fail(err, SP_BUSY, "pond: room for %zu nozzles is used up",
                       pond->nozzle_capacity);
    return enqueue(pond, (pond_command){.kind = POND_ADD, .nozzle = *nozzle}, err);
}

sp_status sp_pond_remove_nozzle(sp_pond *pond, size_t index, sp_error *err)
{
    if (index >= nozzles_then(pond))
        return sp_fail(err, SP_BAD_SCENE, "pond: there is no nozzle %zu", index);
    return enqueue(pond, (pond_command){.kind = POND_REMOVE, .index = (uint32_t)index}, err);
}

sp_status sp_pond_tap(sp_pond *pond, float x, float y, float radius, sp_error *err)
{
    SP_TRY(check_finite(x, y, radius, err));
    if (!(radius >= 0.0f))
        return sp_fail(err, SP_BAD_SCENE, "pond: a tap of radius %g m; expected at least 0",
                       (double)radius);
    return enqueue(pond, (pond_command){.kind = POND_TAP, .x = x, .y = y, .radius = radius}, err);
}

sp_status sp_pond_splash(sp_pond *pond, float x, float y, float volume, sp_error *err)
{
    SP_TRY(check_finite(x, y, volume, err));
    const sp_pond_stats s = sp_pond_statistics(pond);
    if (!(volume >= 0.0f && (double)volume <= s.water_m3))
        return sp_fail(err, SP_BAD_SCENE,
                       "pond: a splash of %g m^3; expected 0 to %g, the pond's water",
                       (double)volume, s.water_m3);
    return enqueue(
        pond, (pond_command){.kind = POND_SPLASH, .x = x, .y = y, .value = (double)volume}, err);
}

/// ---- Acting --------------------------------------------------------------------------------------

static void keep_on_pond(const sp_pond *pond, float *x, float *y)
{
    *x = sp_clamp(*x, 0.0f, (float)pond->water.nx * pond->water.dx);
    *y = sp_clamp(*y, 0.0f, (float)pond->water.ny * pond->water.dx);
}

static void move_thing(sp_pond *pond, const pond_command *c, float x, float y)
{
    if (c->thing == SP_POND_HEATER) {
        pond_heater *h = &pond->heaters[c->index];
        h->led = true;
        h->x = x;
        h->y = y;
    } else if (c->thing == SP_POND_OBSTACLE) {
        pond_obstacle *o = &pond->obstacles[c->index];
        o->led = true;
        o->target_x = x;
        o->target_y = y;
    } else if (c->index < pond->nozzle_count) {
        pond->nozzles[c->index].def.x = x;
        pond->nozzles[c->index].def.y = y;
    }
}

static void remove_nozzle(sp_pond *pond, size_t index)
{
    if (index >= pond->nozzle_count) return;
    --pond->nozzle_count;
    for (size_t k = index; k < pond->nozzle_count; ++k)
        pond->nozzles[k] = pond->nozzles[k + 1];
}

static void tap(sp_pond *pond, float x, float y, float radius)
{
    const float poke = 0.01f; // like a bubble of 10 mm
    if (pond_pop_foam(pond, x, y, radius) == 0) pond_ring_wave(pond, x, y, poke, pond_volume(poke));
}

static void act(sp_pond *pond, const pond_command *c)
{
    float x = c->x, y = c->y;
    keep_on_pond(pond, &x, &y);
    switch (c->kind) {
    case POND_SET:
        sp_key_set_number(&sp_pond_keys.keys[c->index], &pond->def, c->value);
        break;
    case POND_MOVE:
        move_thing(pond, c, x, y);
        break;
    case POND_ADD:
        if (pond->nozzle_count < pond->nozzle_capacity)
            pond->nozzles[pond->nozzle_count++] = (pond_nozzle){.def = c->nozzle};
        break;
    case POND_REMOVE:
        remove_nozzle(pond, c->index);
        break;
    case POND_TAP:
        tap(pond, x, y, c->radius);
        break;
    case POND_SPLASH:
        pond_ring_wave(pond, x, y, (float)pond_radius(c->value), c->value);
        break;
    }
}

void pond_apply_input(sp_pond *pond)
{
    for (size_t k = 0; k < pond->command_count; ++k)
        act(pond, &pond->commands[k]);
    pond->command_count = 0;
}
