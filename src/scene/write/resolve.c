// SPDX-License-Identifier: Apache-2.0
/// Writes a scene as text, every key in table order, so that equal defs give equal text.
#include "scene/internal.h"

#include <inttypes.h>
#include <string.h>

/// The members of a list item share one line; every other value has its own line.
typedef struct layout {
    int indent;
    bool one_line;
    bool digest; ///< heights as a hash of their samples, because large grounds are slow to write
} layout;

static void write_members(const sp_keys *keys, const void *def, layout at, sp_text *text);

static void separate(sp_text *text, layout at, bool first)
{
    if (!first) sp_text_add(text, at.one_line ? ", " : ",");
    if (!at.one_line) sp_text_newline(text, at.indent);
}

static void write_object(const sp_keys *keys, const void *def, layout at, sp_text *text)
{
    const layout inside = {at.indent + 1, at.one_line, at.digest};
    sp_text_add(text, at.one_line ? "{ " : "{");
    write_members(keys, def, inside, text);
    if (at.one_line)
        sp_text_add(text, " }");
    else
        sp_text_newline(text, at.indent);
    if (!at.one_line) sp_text_add(text, "}");
}

static void write_list(const sp_key *key, const void *def, layout at, sp_text *text)
{
    const size_t count = *(const size_t *)((const char *)def + key->count_offset);
    const char *items = *(const char *const *)((const char *)def + key->offset);
    const layout inside = {at.indent + 1, at.one_line, at.digest};
    sp_text_add(text, "[");
    for (size_t i = 0; i < count; ++i) {
        separate(text, inside, i == 0);
        write_object(key->items, items + i * key->items->size,
                     (layout){at.indent + 1, true, at.digest}, text);
    }
    if (count > 0 && !at.one_line) sp_text_newline(text, at.indent);
    sp_text_add(text, "]");
}

static void write_heights(const sp_heights *heights, layout at, sp_text *text)
{
    if (!heights->values) {
        sp_text_float(text, heights->constant);
        return;
    }
    if (at.digest) {
        const size_t bytes = heights->width * heights->height * sizeof *heights->values;
        sp_text_format(text, "%zu x %zu %016" PRIx64, heights->width, heights->height,
                       sp_hash(0, heights->values, bytes));
        return;
    }
    const layout inside = {at.indent + 1, at.one_line, at.digest};
    sp_text_add(text, "[");
    for (size_t j = 0; j < heights->height && !text->failed; ++j) {
        separate(text, inside, j == 0);
        sp_text_add(text, "[");
        for (size_t i = 0; i < heights->width; ++i) {
            if (i > 0) sp_text_add(text, ", ");
            sp_text_float(text, heights->values[j * heights->width + i]);
        }
        sp_text_add(text, "]");
    }
    if (!at.one_line) sp_text_newline(text, at.indent);
    sp_text_add(text, "]");
}

static void write_words(const sp_key *key, const int words[4], sp_text *text)
{
    for (int c = 0; c < 4; ++c) {
        sp_text_add(text, c == 0 ? "[" : ", ");
        sp_text_quote(text, key->choices[words[c]]);
    }
    sp_text_add(text, "]");
}

static void write_value(const sp_key *key, const void *def, layout at, sp_text *text)
{
    const void *field = (const char *)def + key->offset;
    switch (key->type) {
    case SP_KEY_F32:
        sp_text_float(text, *(const float *)field);
        return;
    case SP_KEY_F64:
        sp_text_double(text, *(const double *)field);
        return;
    case SP_KEY_I32:
        sp_text_format(text, "%" PRId32, *(const int32_t *)field);
        return;
    case SP_KEY_U64:
        sp_text_format(text, "%" PRIu64, *(const uint64_t *)field);
        return;
    case SP_KEY_BOOL:
        sp_text_add(text, *(const bool *)field ? "true" : "false");
        return;
    case SP_KEY_CHOICE:
        sp_text_quote(text, key->choices[*(const int *)field]);
        return;
    case SP_KEY_VEC3:
        sp_text_vector(text, field);
        return;
    case SP_KEY_CHOICES:
        write_words(key, field, text);
        return;
    case SP_KEY_HEIGHTS:
        write_heights(field, at, text);
        return;
    case SP_KEY_OBJECT:
        write_object(key->items, field, at, text);
        return;
    case SP_KEY_LIST:
        write_list(key, def, at, text);
        return;
    case SP_KEY_TEXT:
    case SP_KEY_OPTION:
        break;
    }
    const void *pointed = *(const void *const *)field;
    if (!pointed)
        sp_text_add(text, "null");
    else if (key->type == SP_KEY_TEXT)
        sp_text_quote(text, pointed);
    else
        write_object(key->items, pointed, at, text);
}

/// Length, storage and look of a run do not affect its states.
static bool decides_states(const sp_key *key)
{
    static const char *const other[] = {"about", "frames", "cache", "look"};
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
        if (strcmp(key->name, other[i]) == 0) return false;
    return true;
}

/// World keys that the solver refuses are left out. Colliders are in every digest, as they were when
/// every solver took them, so that a scene keeps its hash.
static bool is_used(const sp_key *key, const sp_solver_type *solver, bool digest)
{
    const unsigned bits = sp_uses_bits(key->name);
    return !bits || (solver->uses & bits) || (digest && bits == SP_USES_COLLIDERS);
}

static void write_member(const sp_key *key, const void *def, layout at, bool first, sp_text *text)
{
    separate(text, at, first);
    sp_text_quote(text, key->name);
    sp_text_add(text, ": ");
    write_value(key, def, at, text);
}

static void write_members(const sp_keys *keys, const void *def, layout at, sp_text *text)
{
    for (size_t i = 0; i < keys->count; ++i)
        write_member(&keys->keys[i], def, at, i == 0, text);
}

static void write_common(const sp_scene *scene, layout at, sp_text *text)
{
    for (size_t i = 0; i < sp_scene_common_keys.count; ++i) {
        const sp_key *key = &sp_scene_common_keys.keys[i];
        if (is_used(key, scene->solver, at.digest) && (!at.digest || decides_states(key)))
            write_member(key, &scene->common, at, i == 0, text);
    }
}

void sp_resolve(const sp_scene *scene, bool digest, sp_text *text)
{
    const layout root = {1, false, digest};
    sp_text_format(text, "{\n  \"spume\": %d,\n  \"solver\": ", SP_SCENE_VERSION);
    sp_text_quote(text, scene->solver->name);
    sp_text_add(text, ",");
    write_common(scene, root, text);
    separate(text, root, false);
    sp_text_quote(text, scene->solver->name);
    sp_text_add(text, ": ");
    write_object(scene->solver->keys, scene->def, root, text);
    sp_text_add(text, "\n}\n");
}

sp_status sp_scene_resolved(const sp_scene *scene, char **text, sp_error *err)
{
    sp_text out = {.host = scene->host};
    sp_resolve(scene, false, &out);
    return sp_text_finish(&out, text, err);
}
