// SPDX-License-Identifier: Apache-2.0
/// Finds all structs of one kind in a def, such as the shapes of a scene.
#include "core/keys/keys.h"

#include <stdio.h>

/// What is searched for.
typedef struct search {
    const sp_keys *items;
    sp_keys_visit *visit;
    void *arg;
    sp_error *err;
} search;

static sp_status walk(const search *s, const sp_keys *keys, const void *def, const char *path);

static sp_status meet(const search *s, const sp_keys *keys, const void *def, const char *path)
{
    return keys == s->items ? s->visit(s->arg, path, def, s->err) : walk(s, keys, def, path);
}

static sp_status walk_list(const search *s, const sp_key *key, const void *def, const char *path)
{
    const char *items = *(const char *const *)(const void *)((const char *)def + key->offset);
    const size_t count = *(const size_t *)(const void *)((const char *)def + key->count_offset);
    for (size_t i = 0; i < count; ++i) {
        char item[300];
        snprintf(item, sizeof item, "%.270s[%zu]", path, i);
        SP_TRY(meet(s, key->items, items + i * key->items->size, item));
    }
    return SP_OK;
}

static sp_status walk(const search *s, const sp_keys *keys, const void *def, const char *path)
{
    for (size_t i = 0; i < keys->count; ++i) {
        const sp_key *key = &keys->keys[i];
        const void *at = (const char *)def + key->offset;
        char below[300];
        snprintf(below, sizeof below, "%.200s%s%.90s", path, path[0] ? "." : "", key->name);
        if (key->type == SP_KEY_LIST) SP_TRY(walk_list(s, key, def, below));
        if (key->type == SP_KEY_OBJECT) SP_TRY(meet(s, key->items, at, below));
        if (key->type != SP_KEY_OPTION) continue;
        const void *option = *(const void *const *)at;
        if (option) SP_TRY(meet(s, key->items, option, below));
    }
    return SP_OK;
}

sp_status sp_keys_each(const sp_keys *keys, const void *def, const char *path, const sp_keys *items,
                       sp_keys_visit *visit, void *arg, sp_error *err)
{
    const search s = {.items = items, .visit = visit, .arg = arg, .err = err};
    return walk(&s, keys, def, path);
}
