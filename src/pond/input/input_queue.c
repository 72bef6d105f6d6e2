// SPDX-License-Identifier: Apache-2.0
/// Queue of input calls. A call is checked at once and acts at the start of the next step, in call
/// order. The def's own input becomes the same commands: checked at open, each with the step at
/// which it acts.
#include "pond/internal.h"

#include <stdio.h>

/// ---- Checking ----------------------------------------------------------------------------------

static sp_status check_finite(float x, float y, double value, sp_error *err)
{
    if (isfinite(x) && isfinite(y) && isfinite(value)) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "pond: ignored a non-finite position");
}

static sp_status check_set(const sp_pond *pond, const char *key, pond_command *c, sp_error *err)
{
    if (!key) return sp_fail(err, SP_BAD_INPUT, "pond: no key to set");
    SP_TRY(pond_find_number(pond, key, &c->number, err));
    if (!c->number.key->live)
        return sp_fail(err, SP_BAD_INPUT, "pond.%s: cannot change while the pond runs", key);
    char path[80];
    snprintf(path, sizeof path, "pond.%.70s", key);
    return sp_key_check_number(c->number.key, c->value, path, err);
}

/// `nozzles` is the number of nozzles when the command acts.
static sp_status check_thing(const sp_pond *pond, sp_pond_thing thing, size_t index, size_t nozzles,
                             sp_error *err)
{
    const size_t counts[] = {pond->def.heater_count, pond->def.obstacle_count, nozzles};
    if ((unsigned)thing <= SP_POND_NOZZLE && index < counts[thing]) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "pond: no heater, obstacle or nozzle with this index");
}

static sp_status check_nozzle(const sp_pond_nozzle *nozzle, sp_error *err)
{
    if (!nozzle) return sp_fail(err, SP_BAD_INPUT, "pond: no nozzle to add");
    return sp_keys_check(sp_keys_find(&sp_pond_keys, "nozzles")->items, nozzle, "pond.nozzles[new]",
                         err);
}

static sp_status check_tap(double radius, sp_error *err)
{
    if (radius >= 0.0) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "pond: a tap of radius %g m; expected at least 0", radius);
}

static sp_status check_splash(const sp_pond *pond, double volume, sp_error *err)
{
    const pond_water *w = &pond->water;
    const double most = (double)w->rest * (double)w->quantum * (double)w->nx * (double)w->ny *
                        (double)w->dx * (double)w->dx;
    if (volume >= 0.0 && volume <= most) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "pond: a splash of %g m^3; expected 0 to %g, the pond's water", volume, most);
}

/// ---- The def's input ---------------------------------------------------------------------------

static sp_status check_input(const sp_pond *pond, const sp_pond_input *input, pond_command *c,
                             sp_error *err)
{
    *c = (pond_command){.act = (sp_pond_act)input->act,
                        .step = input->step,
                        .index = (uint32_t)input->index,
                        .x = input->x,
                        .y = input->y,
                        .value = input->value};
    switch (c->act) {
    case SP_POND_SET:
        return check_set(pond, input->key, c, err);
    case SP_POND_MOVE_HEATER:
    case SP_POND_MOVE_OBSTACLE:
    case SP_POND_MOVE_NOZZLE: // a nozzle that is missing then is skipped
        return check_thing(pond, (sp_pond_thing)(c->act - SP_POND_MOVE_HEATER), c->index,
                           pond->nozzle_capacity, err);
    case SP_POND_ADD_NOZZLE:
        SP_TRY(check_nozzle(input->nozzle, err));
        c->nozzle = *input->nozzle;
        return SP_OK;
    case SP_POND_REMOVE_NOZZLE:
        return SP_OK;
    case SP_POND_TAP:
        return check_tap(c->value, err);
    case SP_POND_SPLASH:
        return check_splash(pond, c->value, err);
    }
    return SP_OK;
}

sp_status pond_read_script(sp_pond *pond, const sp_pond_def *def, sp_error *err)
{
    for (size_t k = 0; k < def->input_count; ++k) {
        sp_error why = {0};
        if (k > 0 && def->input[k].step < def->input[k - 1].step)
            return sp_fail(err, SP_BAD_INPUT,
                           "pond.input[%zu].step: %d; expected at least %d, the one before", k,
                           (int)def->input[k].step, (int)def->input[k - 1].step);
        if (check_input(pond, &def->input[k], &pond->script[k], &why) != SP_OK)
            return sp_fail(err, SP_BAD_INPUT, "pond.input[%zu]: %s", k, why.text);
    }
    pond->def.input = NULL; // memory of the caller
    return SP_OK;
}

void pond_find_script(sp_pond *pond)
{
    pond->script_next = 0;
    while (pond->script_next < pond->def.input_count &&
           (uint64_t)pond->script[pond->script_next].step < pond->frame)
        ++pond->script_next;
}

/// ---- Calls -------------------------------------------------------------------------------------

static sp_status enqueue(sp_pond *pond, pond_command command, sp_error *err)
{
    if (pond->command_count >= POND_MAX_COMMANDS)
        return sp_fail(err, SP_FULL, "pond: %d input calls are waiting; step first",
                       POND_MAX_COMMANDS);
    pond->commands[pond->command_count++] = command;
    return SP_OK;
}

/// Number of nozzles after all queued commands.
static size_t nozzles_then(const sp_pond *pond)
{
    size_t count = pond->nozzle_count;
    for (size_t k = 0; k < pond->command_count; ++k) {
        count += pond->commands[k].act == SP_POND_ADD_NOZZLE;
        count -= pond->commands[k].act == SP_POND_REMOVE_NOZZLE;
    }
    return count;
}

sp_status sp_pond_set(sp_pond *pond, const char *key, double value, sp_error *err)
{
    pond_command c = {.act = SP_POND_SET, .value = value};
    SP_TRY(check_set(pond, key, &c, err));
    if (c.number.owner == SP_POND_NOZZLE && c.number.index != POND_ALL &&
        c.number.index >= nozzles_then(pond))
        return sp_fail(err, SP_BAD_INPUT, "pond: there is no nozzle %lu",
                       (unsigned long)c.number.index);
    return enqueue(pond, c, err);
}

sp_status sp_pond_move(sp_pond *pond, sp_pond_thing thing, size_t index, float x, float y,
                       sp_error *err)
{
    SP_TRY(check_finite(x, y, 0.0, err));
    SP_TRY(check_thing(pond, thing, index, nozzles_then(pond), err));
    const sp_pond_act act = (sp_pond_act)(SP_POND_MOVE_HEATER + (int)thing);
    return enqueue(pond, (pond_command){.act = act, .index = (uint32_t)index, .x = x, .y = y}, err);
}

sp_status sp_pond_add_nozzle(sp_pond *pond, const sp_pond_nozzle *nozzle, sp_error *err)
{
    SP_TRY(check_nozzle(nozzle, err));
    if (nozzles_then(pond) >= pond->nozzle_capacity)
        return sp_fail(err, SP_FULL, "pond: room for %zu nozzles is used up",
                       pond->nozzle_capacity);
    return enqueue(pond, (pond_command){.act = SP_POND_ADD_NOZZLE, .nozzle = *nozzle}, err);
}

sp_status sp_pond_remove_nozzle(sp_pond *pond, size_t index, sp_error *err)
{
    if (index >= nozzles_then(pond))
        return sp_fail(err, SP_BAD_INPUT, "pond: there is no nozzle %zu", index);
    return enqueue(pond, (pond_command){.act = SP_POND_REMOVE_NOZZLE, .index = (uint32_t)index},
                   err);
}

sp_status sp_pond_tap(sp_pond *pond, float x, float y, float radius, sp_error *err)
{
    SP_TRY(check_finite(x, y, (double)radius, err));
    SP_TRY(check_tap((double)radius, err));
    return enqueue(
        pond, (pond_command){.act = SP_POND_TAP, .x = x, .y = y, .value = (double)radius}, err);
}

sp_status sp_pond_splash(sp_pond *pond, float x, float y, float volume, sp_error *err)
{
    SP_TRY(check_finite(x, y, (double)volume, err));
    SP_TRY(check_splash(pond, (double)volume, err));
    return enqueue(
        pond, (pond_command){.act = SP_POND_SPLASH, .x = x, .y = y, .value = (double)volume}, err);
}

/// ---- Acting ------------------------------------------------------------------------------------

static void keep_on_pond(const sp_pond *pond, float *x, float *y)
{
    *x = sp_clamp(*x, 0.0f, pond->water.width);
    *y = sp_clamp(*y, 0.0f, pond->water.height);
}

static void set_number(sp_pond *pond, const pond_number *number, double value)
{
    const bool one = number->owner == POND_WHOLE || number->index != POND_ALL;
    const size_t begin = one && number->owner != POND_WHOLE ? number->index : 0;
    const size_t there = number->owner == POND_WHOLE ? 1 : pond_thing_count(pond, number->owner);
    const size_t end = one ? begin + 1 : there;
    for (size_t k = begin; k < end && k < there; ++k) {
        sp_key_set_number(number->key, pond_number_owner(pond, number, k), value);
        if (number->owner != SP_POND_OBSTACLE) continue;
        pond_turn_obstacle(&pond->obstacles[k]);
        pond->solids_changed = true;
    }
}

static void move_heater(pond_heater *h, float x, float y)
{
    h->moved_by_input = true;
    h->x = x;
    h->y = y;
}

static void move_obstacle(pond_obstacle *o, float x, float y)
{
    o->moved_by_input = true;
    o->target_x = x;
    o->target_y = y;
    if (o->shape != SP_POND_NONE) return;
    o->x = x; // no shape is there, so move at once
    o->y = y;
}

static void move_nozzle(sp_pond *pond, size_t index, float x, float y)
{
    if (index >= pond->nozzle_count) return;
    pond->nozzles[index].def.x = x;
    pond->nozzles[index].def.y = y;
}

static void add_nozzle(sp_pond *pond, const sp_pond_nozzle *nozzle)
{
    if (pond->nozzle_count < pond->nozzle_capacity)
        pond->nozzles[pond->nozzle_count++] = (pond_nozzle){.def = *nozzle};
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
    const float poke = 0.01f; // as for a bubble of 10 mm
    if (radius == 0.0f) radius = 1.5f * pond->size_now;
    if (pond_pop_foam(pond, x, y, radius) == 0) pond_ring_wave(pond, x, y, poke, pond_volume(poke));
}

static void act(sp_pond *pond, const pond_command *c)
{
    float x = c->x, y = c->y;
    keep_on_pond(pond, &x, &y);
    switch (c->act) {
    case SP_POND_SET:
        set_number(pond, &c->number, c->value);
        break;
    case SP_POND_MOVE_HEATER:
        move_heater(&pond->heaters[c->index], x, y);
        break;
    case SP_POND_MOVE_OBSTACLE:
        move_obstacle(&pond->obstacles[c->index], x, y);
        break;
    case SP_POND_MOVE_NOZZLE:
        move_nozzle(pond, c->index, x, y);
        break;
    case SP_POND_ADD_NOZZLE:
        add_nozzle(pond, &c->nozzle);
        break;
    case SP_POND_REMOVE_NOZZLE:
        remove_nozzle(pond, c->index);
        break;
    case SP_POND_TAP:
        tap(pond, x, y, (float)c->value);
        break;
    case SP_POND_SPLASH:
        pond_ring_wave(pond, x, y, (float)pond_radius(c->value), c->value);
        break;
    }
}

void pond_apply_input(sp_pond *pond)
{
    for (; pond->script_next < pond->def.input_count &&
           (uint64_t)pond->script[pond->script_next].step <= pond->frame;
         ++pond->script_next)
        act(pond, &pond->script[pond->script_next]);
    for (size_t k = 0; k < pond->command_count; ++k)
        act(pond, &pond->commands[k]);
    pond->command_count = 0;
}
