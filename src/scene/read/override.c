// SPDX-License-Identifier: Apache-2.0
/// Applies sizes and --set to the tree before binding. Each value is stored with its path, so that
/// a later error names its source.
#include "scene/internal.h"

#include <stdio.h>
#include <string.h>

/// Walks the tree and the key tables in parallel. A dry walk (for a size that is not selected) only
/// checks the path; `tree` becomes NULL where the scene has no such value.
typedef struct walk {
    sp_reading *r;
    const sp_path *path;
    size_t i;
    const sp_keys *keys;
    json_t *tree;
    json_t *value; ///< NULL in a dry walk
} walk;

static bool is_last(const walk *w)
{
    return w->i + 1 == w->path->count;
}

/// Enters an object and creates it if the scene has none.
static sp_status enter_object(walk *w, const char *word)
{
    json_t *inside = json_object_get(w->tree, word);
    if ((!inside || json_is_null(inside)) && w->value) {
        inside = json_object();
        if (json_object_set_new(w->tree, word, inside) != 0) return sp_reading_no_memory(w->r);
    }
    if (inside && !json_is_null(inside) && !json_is_object(inside))
        return sp_bind_fail(w->r, inside, "an object", NULL);
    w->tree = json_is_object(inside) ? inside : NULL;
    return SP_OK;
}

/// Reads the index after a list's name; sets the item if the path ends there.
static sp_status enter_list(walk *w, const char *word)
{
    const sp_path_step *step = &w->path->steps[++w->i];
    if (step->key) return sp_reading_fail(w->r, "a list; expected an index such as %s[0]", word);
    json_t *list = json_object_get(w->tree, word);
    sp_path_push_index(&w->r->path, step->index);
    const size_t count = json_array_size(list);
    if (!w->value && step->index >= count) { // another entry of the size may extend the list
        w->tree = NULL;
        return SP_OK;
    }
    if (step->index >= count)
        return sp_reading_fail(w->r, "no such entry; the scene lists %zu", count);
    if (is_last(w)) {
        if (!w->value) return SP_OK;
        return json_array_set(list, step->index, w->value) == 0 ? SP_OK
                                                                : sp_reading_no_memory(w->r);
    }
    w->tree = json_array_get(list, step->index);
    if (!json_is_object(w->tree)) return sp_reading_fail(w->r, "expected an object");
    return SP_OK;
}

static sp_status set_here(walk *w, const char *word)
{
    if (!w->value) return SP_OK;
    return json_object_set(w->tree, word, w->value) == 0 ? SP_OK : sp_reading_no_memory(w->r);
}

/// Follows one key of the path, with its index if it is a list.
static sp_status walk_key(walk *w)
{
    const sp_path_step *step = &w->path->steps[w->i];
    char word[64];
    if (!step->key) return sp_reading_fail(w->r, "not a list; expected no index");
    sp_path_push_key(&w->r->path, step->key, step->length);
    snprintf(word, sizeof word, "%.*s", (int)(step->length < 63 ? step->length : 63), step->key);
    const sp_solver_type *solver = w->r->scene->solver;
    if (w->i == 0 && strcmp(word, solver->name) == 0) {
        w->keys = solver->keys;
        return is_last(w) ? set_here(w, word) : enter_object(w, word);
    }
    if (w->i == 0 && (strcmp(word, "spume") == 0 || strcmp(word, "solver") == 0))
        return sp_reading_fail(w->r, "cannot be changed; write another scene");
    const sp_key *key = sp_keys_find(w->keys, word);
    if (!key) return sp_bind_unknown(w->r, w->keys, word);
    if (is_last(w)) return set_here(w, word);
    if (!key->items)
        return sp_reading_fail(w->r, "a single value; expected nothing after its name");
    w->keys = key->items;
    return key->type == SP_KEY_LIST ? enter_list(w, word) : enter_object(w, word);
}

static sp_status put_value(sp_reading *r, const sp_override *from, json_t *value)
{
    walk w = {.r = r,
              .path = &from->path,
              .keys = &sp_scene_common_keys,
              .tree = r->root,
              .value = value};
    r->applying = from;
    r->path = (sp_path){0};
    sp_status st = SP_OK;
    for (; st == SP_OK && w.i < w.path->count; ++w.i)
        st = walk_key(&w);
    r->applying = NULL;
    r->path = (sp_path){0};
    return st;
}

static sp_status apply_size(sp_reading *r, json_t *size, const char *name)
{
    const bool wanted = strcmp(name, r->size) == 0;
    const char *words;
    json_t *value;
    json_object_foreach(size, words, value)
    {
        sp_override *from = &r->overrides[r->override_count];
        *from = (sp_override){.line = words, .size = name};
        if (!sp_path_parse(&from->path, words, strlen(words))) {
            sp_path_push_key(&r->path, words, strlen(words));
            return sp_reading_fail(r, "not a key path; expected one such as colliders[0].name");
        }
        const sp_path here = r->path;
        SP_TRY(put_value(r, from, wanted ? value : NULL));
        r->path = here;
        if (wanted) ++r->override_count;
    }
    return SP_OK;
}

static sp_status unknown_size(sp_reading *r, json_t *sizes)
{
    char list[160] = "laptop";
    size_t used = strlen(list);
    const char *name;
    json_t *size;
    json_object_foreach(sizes, name, size)
    {
        if (strcmp(name, "laptop") == 0 || used + 1 >= sizeof list) continue;
        char word[40];
        sp_clean(name, strlen(name), word, sizeof word);
        const int n = snprintf(list + used, sizeof list - used, " or %s", word);
        used += n > 0 ? (size_t)n : 0;
    }
    char asked[64];
    sp_clean(r->size, strlen(r->size), asked, sizeof asked);
    return sp_reading_fail(r, "no size \"%s\"; expected %s", asked, list);
}

/// Checks the paths of all sizes, not only of the selected one, so that mistakes show early.
static sp_status apply_sizes(sp_reading *r, json_t *sizes)
{
    bool found = strcmp(r->size, "laptop") == 0; // optional: the scene without changes
    const char *name;
    json_t *size;
    sp_path_push_key(&r->path, "sizes", 5);
    if (sizes && !json_is_object(sizes)) return sp_reading_fail(r, "expected an object of sizes");
    json_object_foreach(sizes, name, size)
    {
        sp_path_push_key(&r->path, name, strlen(name));
        if (!json_is_object(size))
            return sp_reading_fail(r, "expected an object of key paths and values");
        SP_TRY(apply_size(r, size, name));
        --r->path.count;
        found |= strcmp(name, r->size) == 0;
    }
    if (!found) return unknown_size(r, sizes);
    r->path = (sp_path){0};
    return SP_OK;
}

/// A --set value is parsed as JSON; if that fails it is a string: --set pond.boundary=open.
static sp_status parse_value(sp_reading *r, const char *words, json_t **out)
{
    json_error_t reason = {.position = 0};
    *out = json_loads(words, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &reason);
    if (*out) return SP_OK;
    const enum json_error_code code = json_error_code(&reason);
    if (code == json_error_unknown || code == json_error_out_of_memory)
        return sp_reading_no_memory(r);
    if (code == json_error_numeric_overflow)
        return sp_reading_fail(r, "a number too large to read");
    *out = json_string(words);
    if (*out) return SP_OK;
    for (const char *at = words; *at; ++at)
        if ((unsigned char)*at >= 0x80) return sp_reading_fail(r, "not UTF-8 text");
    return sp_reading_no_memory(r);
}

static sp_status apply_set(sp_reading *r, const char *set)
{
    sp_override *from = &r->overrides[r->override_count];
    *from = (sp_override){.set = set};
    const char *equals = strchr(set, '=');
    r->applying = from;
    if (!equals || !sp_path_parse(&from->path, set, (size_t)(equals - set)))
        return sp_reading_fail(r, "expected path=value, such as fps=30");
    r->path = from->path;
    json_t *value = NULL;
    SP_TRY(parse_value(r, equals + 1, &value));
    const sp_status st = put_value(r, from, value);
    json_decref(value);
    ++r->override_count;
    return st;
}

sp_status sp_override_apply(sp_reading *r, const sp_scene_options *options)
{
    json_t *sizes = json_object_get(r->root, "sizes");
    json_t *wanted = json_object_get(sizes, r->size);
    const size_t most = json_object_size(wanted) + options->set_count + 1; // one for a dry walk
    r->overrides = sp_allocate(r->host, most, sizeof *r->overrides);
    if (!r->overrides) return sp_reading_no_memory(r);
    SP_TRY(apply_sizes(r, sizes));
    for (size_t i = 0; i < options->set_count; ++i)
        SP_TRY(apply_set(r, options->set[i]));
    return SP_OK;
}
