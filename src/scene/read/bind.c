// SPDX-License-Identifier: Apache-2.0
/// Binds JSON to structs: walks the tree along a table of keys and fills the described struct.
#include "scene/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Describes a value for messages: "the text "two"", "3.5", "a list".
static void describe(json_t *value, char *out, size_t size)
{
    static const char *const kinds[] = {[JSON_TRUE] = "true",
                                        [JSON_FALSE] = "false",
                                        [JSON_NULL] = "null",
                                        [JSON_ARRAY] = "a list",
                                        [JSON_OBJECT] = "an object"};
    char words[40];
    if (json_is_string(value)) {
        sp_clean(json_string_value(value), json_string_length(value), words, sizeof words);
        snprintf(out, size, "the text \"%s\"", words);
    } else if (json_is_integer(value)) {
        snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(out, size, "%.10g", json_real_value(value));
    } else {
        snprintf(out, size, "%s", kinds[json_typeof(value)]);
    }
}

sp_status sp_bind_fail(sp_reading *r, json_t *value, const char *expected, const sp_key *allowed)
{
    char found[80], range[128] = "";
    describe(value, found, sizeof found);
    if (allowed) sp_key_allowed(allowed, range, sizeof range);
    return sp_reading_fail(r, "%s; expected %s%s%s", found, expected, range[0] ? ", " : "", range);
}

/// Writes "box, sphere or plane". A list that is too long is cut, with a note where to find the
/// rest.
static void list_keys(const sp_keys *keys, char *text, size_t size)
{
    static const char rest[] = " ... (spume reference lists all)";
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < keys->count; ++i) {
        const char *before = i == 0 ? "" : i + 1 == keys->count ? " or " : ", ";
        const char *name = keys->keys[i].name;
        const size_t last = i + 1 == keys->count ? 0 : sizeof rest;
        if (used + strlen(before) + strlen(name) + last >= size) {
            snprintf(text + used, size - used, "%s", rest);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, name);
    }
}

static bool is_other_solver(const sp_reading *r, const char *word)
{
    for (size_t i = 0; i < r->solver_count; ++i)
        if (strcmp(r->solvers[i]->name, word) == 0) return r->solvers[i] != r->scene->solver;
    return false;
}

sp_status sp_bind_unknown(sp_reading *r, const sp_keys *keys, const char *word)
{
    const sp_solver_type *solver = r->scene->solver;
    if (keys == &sp_scene_common_keys && is_other_solver(r, word))
        return sp_keys_find(solver->keys, word)
                   ? sp_reading_fail(r, "it belongs into %s: the scene's solver is %s",
                                     solver->name, solver->name)
                   : sp_reading_fail(r, "unknown key; the scene's solver is %s", solver->name);
    const char *near = sp_keys_nearest(keys, word);
    if (near) return sp_reading_fail(r, "unknown key; did you mean %s?", near);
    if (keys == &sp_scene_common_keys) {
        const char *name[] = {solver->name, "spume", "solver", "sizes", "include", NULL};
        near = sp_word_nearest(name, word);
        if (near) return sp_reading_fail(r, "unknown key; did you mean %s?", near);
        near = sp_keys_nearest(solver->keys, word);
        if (near) return sp_reading_fail(r, "unknown key; did you mean %s.%s?", solver->name, near);
    } else if (keys == solver->keys) {
        near = sp_keys_nearest(&sp_scene_common_keys, word);
        if (near)
            return sp_reading_fail(r, "unknown key; did you mean %s, outside %s?", near,
                                   solver->name);
    }
    char known[200];
    list_keys(keys, known, sizeof known);
    return sp_reading_fail(r, "unknown key; expected %s", known);
}

sp_status sp_bind_check_number(sp_reading *r, const sp_key *key, double value)
{
    char path[192];
    if (sp_key_check_number(key, value, "", NULL) == SP_OK) return SP_OK;
    sp_path_write(&r->path, path, sizeof path); // only now: a ground has millions of numbers
    sp_key_check_number(key, value, path, &r->error);
    return sp_reading_place(r);
}

static sp_status bind_number(sp_reading *r, const sp_key *key, json_t *json, void *def)
{
    const bool whole = key->type == SP_KEY_I32 || key->type == SP_KEY_U64;
    const char *expected = whole ? "a whole number" : "a number";
    if (!json_is_number(json)) return sp_bind_fail(r, json, expected, key);
    const double value = json_number_value(json);
    if (whole && value != floor(value)) return sp_bind_fail(r, json, expected, key);
    SP_TRY(sp_bind_check_number(r, key, value));
    sp_key_set_number(key, def, value);
    return SP_OK;
}

static sp_status bind_word(sp_reading *r, const sp_key *key, json_t *json, int *out)
{
    char allowed[128];
    sp_key_allowed(key, allowed, sizeof allowed);
    const char *word = json_string_value(json);
    if (!word) return sp_bind_fail(r, json, allowed, NULL);
    for (int i = 0; key->choices[i]; ++i) {
        if (strcmp(key->choices[i], word) == 0) {
            *out = i;
            return SP_OK;
        }
    }
    char said[48];
    sp_clean(word, strlen(word), said, sizeof said);
    return sp_reading_fail(r, "\"%s\"; expected %s", said, allowed);
}

static sp_status bind_words(sp_reading *r, const sp_key *key, json_t *json, int out[4])
{
    if (json_is_array(json) && json_array_size(json) != 4)
        return sp_reading_fail(r, "%zu words; expected one or four", json_array_size(json));
    for (size_t i = 0; i < 4; ++i) {
        const bool list = json_is_array(json);
        json_t *item = list ? json_array_get(json, i) : json;
        if (list) sp_path_push_index(&r->path, i);
        SP_TRY(bind_word(r, key, item, &out[i]));
        if (list) --r->path.count;
    }
    return SP_OK;
}

static sp_status bind_vector(sp_reading *r, const sp_key *key, json_t *json, float out[3])
{
    if (!json_is_array(json)) return sp_bind_fail(r, json, "a list of three numbers", NULL);
    if (json_array_size(json) != 3)
        return sp_reading_fail(r, "%zu numbers; expected three", json_array_size(json));
    for (size_t i = 0; i < 3; ++i) {
        json_t *item = json_array_get(json, i);
        sp_path_push_index(&r->path, i);
        if (!json_is_number(item)) return sp_bind_fail(r, item, "a number", key);
        SP_TRY(sp_bind_check_number(r, key, json_number_value(item)));
        out[i] = (float)json_number_value(item);
        --r->path.count;
    }
    return SP_OK;
}

static sp_status bind_text(sp_reading *r, json_t *json, const char **out)
{
    if (json_is_null(json)) return SP_OK;
    if (!json_is_string(json)) return sp_bind_fail(r, json, "text", NULL);
    *out = sp_keep(r, json_string_value(json), json_string_length(json));
    return *out ? SP_OK : sp_reading_no_memory(r);
}

static sp_status bind_object(sp_reading *r, const sp_keys *keys, json_t *json, void *def);

static sp_status bind_option(sp_reading *r, const sp_key *key, json_t *json, void **out)
{
    if (json_is_null(json)) return SP_OK;
    void *option = sp_arena_take(r->host, &r->scene->blocks, 1, key->items->size);
    if (!option) return sp_reading_no_memory(r);
    *out = option;
    sp_keys_defaults(key->items, option);
    return bind_object(r, key->items, json, option);
}

static sp_status bind_list(sp_reading *r, const sp_key *key, json_t *json, void *def)
{
    if (!json_is_array(json)) return sp_bind_fail(r, json, "a list", NULL);
    const size_t count = json_array_size(json);
    if ((double)count > key->max || (double)count < key->min)
        return sp_reading_fail(r, "%zu entries; expected %.10g to %.10g", count, key->min,
                               key->max);
    if (count == 0) return SP_OK;
    char *items = sp_arena_take(r->host, &r->scene->blocks, count, key->items->size);
    if (!items) return sp_reading_no_memory(r);
    *(void **)((char *)def + key->offset) = items;
    *(size_t *)((char *)def + key->count_offset) = count;
    for (size_t i = 0; i < count; ++i) {
        void *item = items + i * key->items->size;
        sp_path_push_index(&r->path, i);
        sp_keys_defaults(key->items, item);
        SP_TRY(bind_object(r, key->items, json_array_get(json, i), item));
        --r->path.count;
    }
    return SP_OK;
}

static sp_status bind_ground(sp_reading *r, const sp_keys *keys, const sp_key *key, json_t *json,
                             void *def)
{
    char name[64];
    snprintf(name, sizeof name, "%s_scale", key->name);
    const sp_key *scale = sp_keys_find(keys, name);
    const double by = scale ? sp_key_get_number(scale, def) : 1.0;
    return sp_bind_heights(r, key, json, (float)by, (void *)((char *)def + key->offset));
}

static sp_status bind_key(sp_reading *r, const sp_keys *keys, const sp_key *key, json_t *json,
                          void *def)
{
    void *at = (char *)def + key->offset;
    switch (key->type) {
    case SP_KEY_F32:
    case SP_KEY_F64:
    case SP_KEY_I32:
    case SP_KEY_U64:
        return bind_number(r, key, json, def);
    case SP_KEY_BOOL:
        if (!json_is_boolean(json)) return sp_bind_fail(r, json, "true or false", NULL);
        *(bool *)at = json_is_true(json);
        return SP_OK;
    case SP_KEY_CHOICE:
        return bind_word(r, key, json, at);
    case SP_KEY_TEXT:
        return bind_text(r, json, at);
    case SP_KEY_VEC3:
        return bind_vector(r, key, json, at);
    case SP_KEY_CHOICES:
        return bind_words(r, key, json, at);
    case SP_KEY_HEIGHTS:
        return bind_ground(r, keys, key, json, def);
    case SP_KEY_OBJECT:
        return bind_object(r, key->items, json, at);
    case SP_KEY_OPTION:
        return bind_option(r, key, json, at);
    case SP_KEY_LIST:
        return bind_list(r, key, json, def);
    }
    return SP_OK;
}

/// Keys at the root of a scene that are in no table.
static bool is_known_outside(const sp_reading *r, const sp_keys *keys, const char *word)
{
    if (keys != &sp_scene_common_keys) return false;
    const char *known[] = {"spume", "solver", "sizes", "$schema", r->scene->solver->name, NULL};
    for (size_t i = 0; known[i]; ++i)
        if (strcmp(known[i], word) == 0) return true;
    return false;
}

/// Heights are bound in a second pass, because a picture needs its scale from another key.
static sp_status bind_members(sp_reading *r, const sp_keys *keys, json_t *json, void *def,
                              bool heights)
{
    for (size_t i = 0; i < keys->count; ++i) {
        const sp_key *key = &keys->keys[i];
        if ((key->type == SP_KEY_HEIGHTS) != heights) continue;
        json_t *value = json_object_get(json, key->name);
        if (!value && !isnan(key->value)) continue;
        sp_path_push_key(&r->path, key->name, strlen(key->name));
        if (!value) {
            char allowed[128];
            sp_key_allowed(key, allowed, sizeof allowed);
            const bool unit = key->unit && key->unit[0];
            return sp_reading_fail(r, "missing; expected %s%s%s", allowed, unit ? " " : "",
                                   unit ? key->unit : "");
        }
        SP_TRY(bind_key(r, keys, key, value, def));
        --r->path.count;
    }
    return SP_OK;
}

static sp_status bind_object(sp_reading *r, const sp_keys *keys, json_t *json, void *def)
{
    if (!json_is_object(json)) return sp_bind_fail(r, json, "an object", NULL);
    // Unknown keys first: for a mistyped required key, "unknown" is a better error than "missing".
    const char *word;
    json_t *value;
    json_object_foreach(json, word, value)
    {
        if (sp_keys_find(keys, word) || is_known_outside(r, keys, word)) continue;
        sp_path_push_key(&r->path, word, strlen(word));
        return sp_bind_unknown(r, keys, word);
    }
    SP_TRY(bind_members(r, keys, json, def, false));
    return bind_members(r, keys, json, def, true);
}

sp_status sp_bind(sp_reading *r)
{
    sp_scene *scene = r->scene;
    const sp_solver_type *solver = scene->solver;
    scene->def = sp_arena_take(r->host, &scene->blocks, 1, solver->keys->size);
    if (!scene->def) return sp_reading_no_memory(r);
    sp_keys_defaults(&sp_scene_common_keys, &scene->common);
    sp_keys_defaults(solver->keys, scene->def);
    SP_TRY(bind_object(r, &sp_scene_common_keys, r->root, &scene->common));
    sp_path_push_key(&r->path, solver->name, strlen(solver->name));
    json_t *own = json_object_get(r->root, solver->name);
    json_t *none = own ? NULL : json_object(); // all defaults, unless a key is required
    if (!own && !none) return sp_reading_no_memory(r);
    const sp_status st = bind_object(r, solver->keys, own ? own : none, scene->def);
    json_decref(none);
    r->path = (sp_path){0};
    return st;
}
