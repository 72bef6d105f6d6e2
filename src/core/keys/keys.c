// SPDX-License-Identifier: Apache-2.0
#include "core/keys/keys.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void *field(void *def, const sp_key *key)
{
    return (char *)def + key->offset;
}

static const void *const_field(const void *def, const sp_key *key)
{
    return (const char *)def + key->offset;
}

bool sp_key_is_number(const sp_key *key)
{
    return key->type <= SP_KEY_CHOICE;
}

double sp_key_get_number(const sp_key *key, const void *def)
{
    const void *at = const_field(def, key);
    if (key->type == SP_KEY_F32) return (double)*(const float *)at;
    if (key->type == SP_KEY_F64) return *(const double *)at;
    if (key->type == SP_KEY_I32) return *(const int32_t *)at;
    if (key->type == SP_KEY_U64) return (double)*(const uint64_t *)at;
    if (key->type == SP_KEY_BOOL) return *(const bool *)at;
    if (key->type == SP_KEY_CHOICE) return *(const int *)at;
    return (double)NAN;
}

void sp_key_set_number(const sp_key *key, void *def, double value)
{
    void *at = field(def, key);
    const double whole = isnan(value) ? 0.0 : value;
    if (key->type == SP_KEY_F32) *(float *)at = (float)value;
    if (key->type == SP_KEY_F64) *(double *)at = value;
    if (key->type == SP_KEY_I32) *(int32_t *)at = (int32_t)whole;
    if (key->type == SP_KEY_U64) *(uint64_t *)at = (uint64_t)whole;
    if (key->type == SP_KEY_BOOL) *(bool *)at = whole != 0.0;
    if (key->type == SP_KEY_CHOICE) *(int *)at = (int)whole;
}

void sp_key_default_vector(const sp_key *key, float out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] = key->vector ? key->vector[c] : (float)key->value;
}

void sp_keys_defaults(const sp_keys *keys, void *def)
{
    memset(def, 0, keys->size);
    for (size_t i = 0; i < keys->count; ++i) {
        const sp_key *key = &keys->keys[i];
        if (sp_key_is_number(key)) sp_key_set_number(key, def, key->value);
        if (key->type == SP_KEY_VEC3) sp_key_default_vector(key, field(def, key));
        if (key->type == SP_KEY_CHOICES)
            for (int c = 0; c < 4; ++c)
                ((int *)field(def, key))[c] = (int)key->value;
        if (key->type == SP_KEY_HEIGHTS)
            ((sp_heights *)field(def, key))->constant = (float)key->value;
        if (key->type == SP_KEY_OBJECT) sp_keys_defaults(key->items, field(def, key));
    }
}

const sp_key *sp_keys_find(const sp_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; ++i)
        if (strcmp(keys->keys[i].name, name) == 0) return &keys->keys[i];
    return NULL;
}

/// Insertions, deletions and replacements that turn one word into the other, in O(length^2).
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return INT_MAX; // no key is that long, so none is close
    int row[LONGEST + 1];
    for (size_t j = 0; j <= m; ++j)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            const int replace = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < shorter ? replace : shorter;
        }
    }
    return row[m];
}

/// Keeps the candidate with the smaller edit distance. A word is close when at most a third of it
/// differs.
static void keep_nearer(const char *word, const char *candidate, const char **best, int *distance)
{
    const int d = edit_distance(word, candidate);
    const int near = 1 + (int)strlen(word) / 3;
    if (d <= near && d < *distance) {
        *distance = d;
        *best = candidate;
    }
}

const char *sp_keys_nearest(const sp_keys *keys, const char *name)
{
    const char *best = NULL;
    int distance = 100;
    for (size_t i = 0; i < keys->count; ++i)
        keep_nearer(name, keys->keys[i].name, &best, &distance);
    return best;
}

const char *sp_word_nearest(const char *const *words, const char *word)
{
    const char *best = NULL;
    int distance = 100;
    for (; *words; ++words)
        keep_nearer(word, *words, &best, &distance);
    return best;
}

void sp_words_text(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; words[i] && used < size; ++i) {
        const char *before = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", before, words[i]);
    }
}

static bool is_whole(const sp_key *key)
{
    return key->type == SP_KEY_I32 || key->type == SP_KEY_U64;
}

void sp_key_allowed(const sp_key *key, char *text, size_t size)
{
    const int digits = is_whole(key) ? 16 : 10; // 2^53 has sixteen
    if (key->type == SP_KEY_CHOICE || key->type == SP_KEY_CHOICES)
        sp_words_text(key->choices, text, size);
    else if (key->type == SP_KEY_BOOL)
        snprintf(text, size, "true or false");
    else if (isinf(key->max))
        snprintf(text, size, "at least %.10g", key->min);
    else
        snprintf(text, size, "%.*g to %.*g", digits, key->min, digits, key->max);
}

static bool is_float(const sp_key *key)
{
    return key->type == SP_KEY_F32 || key->type == SP_KEY_VEC3 || key->type == SP_KEY_HEIGHTS;
}

static bool is_allowed(const sp_key *key, double value)
{
    if (key->type == SP_KEY_BOOL) return true;
    if (key->type == SP_KEY_CHOICE || key->type == SP_KEY_CHOICES) {
        int words = 0;
        while (key->choices[words])
            ++words;
        return value >= 0.0 && value < words;
    }
    // A float field holds 0.6 as 0.60000002, so its limits are rounded the same way before
    // comparing. The comparisons are written so that NaN, and values beyond the range of the type,
    // are refused.
    if (is_float(key))
        return (float)value >= (float)key->min && (float)value <= (float)key->max &&
               isfinite((float)value);
    if (key->type == SP_KEY_I32 && !(value >= INT32_MIN && value <= INT32_MAX)) return false;
    return value >= key->min && value <= key->max && isfinite(value);
}

sp_status sp_key_check_number(const sp_key *key, double value, const char *path, sp_error *err)
{
    if (is_allowed(key, value)) return SP_OK;
    char allowed[128];
    sp_key_allowed(key, allowed, sizeof allowed);
    const char *space = key->unit && key->unit[0] ? " " : "";
    if (isnan(value) && isnan(key->value))
        return sp_fail(err, SP_BAD_INPUT, "%s: missing; expected %s%s%s", path, allowed, space,
                       key->unit ? key->unit : "");
    const int digits = is_float(key) ? 7 : is_whole(key) ? 16 : 15; // what the field can hold
    if (value > key->min && value <= key->max)
        snprintf(allowed, sizeof allowed, "a number that fits its %d digits and exponent", digits);
    return sp_fail(err, SP_BAD_INPUT, "%s: %.*g%s%s; expected %s", path, digits, value, space,
                   key->unit ? key->unit : "", allowed);
}

static sp_status check_list(const sp_key *key, const void *def, const char *path, sp_error *err)
{
    const size_t count = *(const size_t *)((const char *)def + key->count_offset);
    if ((double)count > key->max || (double)count < key->min)
        return sp_fail(err, SP_BAD_INPUT, "%s: %zu entries; expected %g to %g", path, count,
                       key->min, key->max);
    const char *items = *(const char *const *)const_field(def, key);
    if (count > 0 && !items)
        return sp_fail(err, SP_BAD_INPUT, "%s: %zu entries but no list", path, count);
    for (size_t i = 0; i < count; ++i) {
        char item[300];
        snprintf(item, sizeof item, "%.270s[%zu]", path, i);
        SP_TRY(sp_keys_check(key->items, items + i * key->items->size, item, err));
    }
    return SP_OK;
}

static sp_status check_heights(const sp_key *key, const sp_heights *h, const char *path,
                               sp_error *err)
{
    if (!h->values) return sp_key_check_number(key, (double)h->constant, path, err);
    for (size_t i = 0; i < h->width * h->height; ++i)
        SP_TRY(sp_key_check_number(key, (double)h->values[i], path, err));
    return SP_OK;
}

static sp_status check_key(const sp_key *key, const void *def, const char *path, sp_error *err)
{
    const void *at = const_field(def, key);
    switch (key->type) {
    case SP_KEY_LIST:
        return check_list(key, def, path, err);
    case SP_KEY_OBJECT:
        return sp_keys_check(key->items, at, path, err);
    case SP_KEY_OPTION: {
        const void *option = *(const void *const *)at;
        return option ? sp_keys_check(key->items, option, path, err) : SP_OK;
    }
    case SP_KEY_HEIGHTS:
        return check_heights(key, at, path, err);
    case SP_KEY_VEC3:
        for (int c = 0; c < 3; ++c)
            SP_TRY(sp_key_check_number(key, (double)((const float *)at)[c], path, err));
        return SP_OK;
    case SP_KEY_CHOICES:
        for (int c = 0; c < 4; ++c)
            SP_TRY(sp_key_check_number(key, ((const int *)at)[c], path, err));
        return SP_OK;
    case SP_KEY_TEXT:
        return SP_OK;
    case SP_KEY_F32:
    case SP_KEY_F64:
    case SP_KEY_I32:
    case SP_KEY_U64:
    case SP_KEY_BOOL:
    case SP_KEY_CHOICE:
        break;
    }
    return sp_key_check_number(key, sp_key_get_number(key, def), path, err);
}

sp_status sp_keys_check(const sp_keys *keys, const void *def, const char *path, sp_error *err)
{
    for (size_t i = 0; i < keys->count; ++i) {
        char full[384];
        snprintf(full, sizeof full, "%s%s%s", path, path[0] ? "." : "", keys->keys[i].name);
        SP_TRY(check_key(&keys->keys[i], def, full, err));
    }
    return SP_OK;
}
