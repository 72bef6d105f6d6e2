// SPDX-License-Identifier: Apache-2.0
/// Sets the fields of a def by the paths of their keys, such as "nozzles[3].rate".
#include "core/keys/keys_by_path.h"

#include "core/memory/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a path leads to: a key, the struct that holds its field, and the index, if the path has
/// one.
typedef struct place {
    const sp_key *key;
    char *owner;
    size_t index;
    bool indexed;
} place;

static sp_status fail(const sp_fill *fill, const char *path, const char *why, sp_error *err)
{
    return sp_fail(err, SP_BAD_INPUT, "%s.%.120s: %s", fill->keys->name, path, why);
}

/// Reads one step of a path, a name and perhaps an index, and moves *path behind it.
static bool read_step(const char **path, char name[64], place *at)
{
    const size_t length = strcspn(*path, ".[");
    if (length == 0 || length >= 64) return false;
    memcpy(name, *path, length);
    name[length] = '\0';
    *path += length;
    at->indexed = **path == '[';
    if (!at->indexed) return true;
    char *end;
    const char *digits = *path + 1;
    at->index = strtoul(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end != ']' || end - digits > 9) return false;
    *path = end + 1;
    return true;
}

/// The struct that an object, an option or a list item holds; NULL when it does not exist.
static char *enter(const place *at)
{
    char *field = at->owner + at->key->offset;
    if (at->key->type == SP_KEY_OBJECT) return field;
    if (at->key->type == SP_KEY_OPTION) return *(char **)(void *)field;
    if (at->key->type != SP_KEY_LIST || !at->indexed) return NULL;
    const size_t count = *(size_t *)(void *)(at->owner + at->key->count_offset);
    return at->index < count ? *(char **)(void *)field + at->index * at->key->items->size : NULL;
}

static sp_status unknown(const sp_fill *fill, const sp_keys *keys, const char *path,
                         const char *name, sp_error *err)
{
    const char *near = sp_keys_nearest(keys, name);
    return sp_fail(err, SP_BAD_INPUT, "%s.%.120s: unknown key%s%s%s", fill->keys->name, path,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static sp_status find(const sp_fill *fill, const char *path, place *at, sp_error *err)
{
    const sp_keys *keys = fill->keys;
    const char *rest = path;
    *at = (place){.owner = fill->def};
    for (;;) {
        char name[64];
        if (!read_step(&rest, name, at)) return fail(fill, path, "not the path of a key", err);
        at->key = sp_keys_find(keys, name);
        if (!at->key) return unknown(fill, keys, path, name, err);
        if (*rest == '\0') return SP_OK;
        at->owner = *rest == '.' ? enter(at) : NULL;
        if (!at->owner) return fail(fill, path, "no such entry", err);
        keys = at->key->items;
        ++rest;
    }
}

/// Stores a number as the key's type.
static sp_status put_number(const place *at, double value, const char *full, sp_error *err)
{
    char *field = at->owner + at->key->offset;
    SP_TRY(sp_key_check_number(at->key, value, full, err));
    if (at->key->type == SP_KEY_VEC3)
        ((float *)(void *)field)[at->index] = (float)value;
    else if (at->key->type == SP_KEY_HEIGHTS)
        ((sp_heights *)(void *)field)->constant = (float)value;
    else
        sp_key_set_number(at->key, at->owner, value);
    return SP_OK;
}

sp_status sp_fill_number(sp_fill *fill, const char *path, double value, sp_error *err)
{
    place at;
    SP_TRY(find(fill, path, &at, err));
    const bool vector = at.key->type == SP_KEY_VEC3;
    const bool takes = vector || at.key->type == SP_KEY_HEIGHTS ||
                       (sp_key_is_number(at.key) && at.key->type != SP_KEY_CHOICE);
    if (!takes || at.indexed != vector || (vector && at.index > 2))
        return fail(fill, path, "does not take a number", err);
    if ((at.key->type == SP_KEY_I32 || at.key->type == SP_KEY_U64) && value != floor(value))
        return sp_fail(err, SP_BAD_INPUT, "%s.%.120s: %g; expected a whole number",
                       fill->keys->name, path, value);
    char full[192];
    snprintf(full, sizeof full, "%s.%.120s", fill->keys->name, path);
    return put_number(&at, value, full, err);
}

static sp_status put_word(const sp_fill *fill, const place *at, const char *path, const char *word,
                          sp_error *err)
{
    int *field = (int *)(void *)(at->owner + at->key->offset);
    for (int i = 0; at->key->choices[i]; ++i) {
        if (strcmp(at->key->choices[i], word) != 0) continue;
        for (size_t k = 0; at->key->type == SP_KEY_CHOICES && k < 4; ++k)
            if (!at->indexed || k == at->index) field[k] = i;
        if (at->key->type == SP_KEY_CHOICE) *field = i;
        return SP_OK;
    }
    char allowed[128];
    sp_key_allowed(at->key, allowed, sizeof allowed);
    return sp_fail(err, SP_BAD_INPUT, "%s.%.120s: \"%.40s\"; expected %s", fill->keys->name, path,
                   word, allowed);
}

sp_status sp_fill_word(sp_fill *fill, const char *path, const char *word, sp_error *err)
{
    place at;
    SP_TRY(find(fill, path, &at, err));
    const bool four = at.key->type == SP_KEY_CHOICES;
    if (at.indexed && !(four && at.index < 4)) return fail(fill, path, "no such entry", err);
    if (four || at.key->type == SP_KEY_CHOICE) return put_word(fill, &at, path, word, err);
    if (at.key->type != SP_KEY_TEXT) return fail(fill, path, "does not take a word", err);
    const size_t length = strlen(word);
    char *copy = sp_arena_take(fill->host, &fill->blocks, length + 1, 1);
    if (!copy) return sp_fail(err, SP_NO_MEMORY, "no memory for a text of %zu bytes", length);
    memcpy(copy, word, length);
    *(const char **)(void *)(at.owner + at.key->offset) = copy;
    return SP_OK;
}

/// Allocates `count` structs of a key's items, with their defaults, and stores them in its field.
static sp_status make_items(sp_fill *fill, const place *at, size_t count, sp_error *err)
{
    const sp_keys *keys = at->key->items;
    char *items = sp_arena_take(fill->host, &fill->blocks, count, keys->size);
    if (!items)
        return sp_fail(err, SP_NO_MEMORY, "no memory for %zu entries of %s", count, at->key->name);
    for (size_t i = 0; i < count; ++i)
        sp_keys_defaults(keys, items + i * keys->size);
    *(char **)(void *)(at->owner + at->key->offset) = items;
    return SP_OK;
}

sp_status sp_fill_list(sp_fill *fill, const char *path, size_t count, sp_error *err)
{
    place at;
    SP_TRY(find(fill, path, &at, err));
    if (at.key->type != SP_KEY_LIST || at.indexed) return fail(fill, path, "is not a list", err);
    if ((double)count > at.key->max || (double)count < at.key->min)
        return sp_fail(err, SP_BAD_INPUT, "%s.%.120s: %zu entries; expected %.10g to %.10g",
                       fill->keys->name, path, count, at.key->min, at.key->max);
    SP_TRY(make_items(fill, &at, count, err));
    *(size_t *)(void *)(at.owner + at.key->count_offset) = count;
    return SP_OK;
}

sp_status sp_fill_option(sp_fill *fill, const char *path, sp_error *err)
{
    place at;
    SP_TRY(find(fill, path, &at, err));
    if (at.key->type != SP_KEY_OPTION || at.indexed)
        return fail(fill, path, "is not an object", err);
    return make_items(fill, &at, 1, err);
}

float *sp_fill_heights(sp_fill *fill, const char *path, size_t width, size_t height, sp_error *err)
{
    place at;
    if (find(fill, path, &at, err) != SP_OK) return NULL;
    if (at.key->type != SP_KEY_HEIGHTS || at.indexed || width == 0 || height == 0 || width > 8192 ||
        height > 8192) {
        fail(fill, path, "expected 1 to 8192 rows of 1 to 8192 heights", err);
        return NULL;
    }
    float *values = sp_arena_take(fill->host, &fill->blocks, width * height, sizeof *values);
    if (!values) {
        sp_fail(err, SP_NO_MEMORY, "no memory for %zu x %zu heights", width, height);
        return NULL;
    }
    *(sp_heights *)(void *)(at.owner + at.key->offset) =
        (sp_heights){.values = values, .width = width, .height = height};
    return values;
}

sp_status sp_key_read(const sp_keys *keys, const void *def, const char *path, double *value,
                      sp_error *err)
{
    sp_fill fill = {.keys = keys, .def = (void *)(uintptr_t)def}; // only read
    place at;
    SP_TRY(find(&fill, path, &at, err));
    const char *field = at.owner + at.key->offset;
    const bool vector = at.key->type == SP_KEY_VEC3, four = at.key->type == SP_KEY_CHOICES;
    if (vector && at.indexed && at.index < 3)
        *value = (double)((const float *)(const void *)field)[at.index];
    else if (four && at.indexed && at.index < 4)
        *value = (double)((const int *)(const void *)field)[at.index];
    else if (sp_key_is_number(at.key) && !at.indexed)
        *value = sp_key_get_number(at.key, at.owner);
    else
        return fail(&fill, path, vector || four ? "needs an index" : "is not a number", err);
    return SP_OK;
}

void sp_fill_close(sp_fill *fill)
{
    sp_arena_close(fill->host, &fill->blocks);
}
