// SPDX-License-Identifier: Apache-2.0
/// Finds and reads numbers of a pond by their scene keys: "foam_life", "nozzles.rate",
/// "heaters[0].on".
#include "pond/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const owners[] = {"heaters", "obstacles",
                                     "nozzles"}; // in the order of sp_pond_thing

size_t pond_thing_count(const sp_pond *pond, int32_t owner)
{
    const size_t counts[] = {pond->def.heater_count, pond->def.obstacle_count, pond->nozzle_count};
    return counts[owner];
}

void *pond_number_owner(sp_pond *pond, const pond_number *number, size_t index)
{
    switch (number->owner) {
    case SP_POND_HEATER:
        return &pond->heaters[index].def;
    case SP_POND_OBSTACLE:
        return &pond->obstacles[index].def;
    case SP_POND_NOZZLE:
        return &pond->nozzles[index].def;
    default:
        return &pond->def;
    }
}

/// Parses "[3]" after a list's name. Without an index it selects all items. False on a syntax
/// error.
static bool read_index(const char **at, uint32_t *index)
{
    *index = POND_ALL;
    if (**at != '[') return true;
    char *end;
    const char *digits = *at + 1;
    if (*digits < '0' || *digits > '9') return false;
    const unsigned long number = strtoul(digits, &end, 10);
    if (*end != ']' || end - digits > 9) return false;
    *index = (uint32_t)number;
    *at = end + 1;
    return true;
}

sp_status pond_find_number(const sp_pond *pond, const char *words, pond_number *out, sp_error *err)
{
    const sp_keys *keys = &sp_pond_keys;
    const char *name = words;
    *out = (pond_number){.owner = POND_WHOLE, .index = POND_ALL};
    for (int32_t k = SP_POND_HEATER; k <= SP_POND_NOZZLE; ++k) {
        const size_t length = strlen(owners[k]);
        if (strncmp(words, owners[k], length) != 0 || !strchr(".[", words[length])) continue;
        const char *at = words + length;
        if (!read_index(&at, &out->index) || *at != '.')
            return sp_fail(err, SP_BAD_INPUT, "pond.%.60s: expected %s.key or %s[number].key",
                           words, owners[k], owners[k]);
        out->owner = k;
        keys = sp_keys_find(&sp_pond_keys, owners[k])->items;
        name = at + 1;
    }
    out->key = sp_keys_find(keys, name);
    if (!out->key || !sp_key_is_number(out->key)) {
        const char *near = sp_keys_nearest(keys, name);
        return sp_fail(err, SP_BAD_INPUT, "pond.%.60s: %s%s%s", words,
                       out->key ? "not a number" : "unknown key",
                       near && !out->key ? "; did you mean " : "", near && !out->key ? near : "");
    }
    if (out->owner != POND_WHOLE && out->index != POND_ALL &&
        out->index >= pond_thing_count(pond, out->owner) && out->owner != SP_POND_NOZZLE)
        return sp_fail(err, SP_BAD_INPUT, "pond.%.60s: there are %zu %s", words,
                       pond_thing_count(pond, out->owner), owners[out->owner]);
    return SP_OK;
}

/// For the keys x and y: the current position of an object, not the initial one.
static bool find_place(const sp_pond *pond, const pond_number *number, size_t index, double *value)
{
    const bool x = strcmp(number->key->name, "x") == 0;
    if (!x && strcmp(number->key->name, "y") != 0) return false;
    if (number->owner == SP_POND_HEATER)
        *value = (double)(x ? pond->heaters[index].x : pond->heaters[index].y);
    else if (number->owner == SP_POND_OBSTACLE)
        *value = (double)(x ? pond->obstacles[index].x : pond->obstacles[index].y);
    else
        return false;
    return true;
}

sp_status sp_pond_get(const sp_pond *pond, const char *key, double *value, sp_error *err)
{
    pond_number number;
    SP_TRY(pond_find_number(pond, key, &number, err));
    const size_t index = number.index == POND_ALL ? 0 : number.index;
    if (number.owner != POND_WHOLE && index >= pond_thing_count(pond, number.owner))
        return sp_fail(err, SP_BAD_INPUT, "pond.%.60s: there are %zu %s", key,
                       pond_thing_count(pond, number.owner), owners[number.owner]);
    if (find_place(pond, &number, index, value)) return SP_OK;
    sp_pond *same = (sp_pond *)(uintptr_t)pond; // never written
    *value = sp_key_get_number(number.key, pond_number_owner(same, &number, index));
    return SP_OK;
}
