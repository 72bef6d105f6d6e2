// SPDX-License-Identifier: Apache-2.0
/// Writes a JSON Schema (draft 2020-12) from the key tables, for completion and checks in editors.
#include "scene/internal.h"

#include <math.h>

static void write_struct(const sp_keys *keys, bool optional, int indent, sp_text *text);

/// Begins a member on its own line: "name": .
static void member(sp_text *text, int indent, const char *name, bool first)
{
    if (!first) sp_text_add(text, ",");
    sp_text_newline(text, indent);
    sp_text_quote(text, name);
    sp_text_add(text, ": ");
}

static void write_limits(const sp_key *key, const char *low, const char *high, sp_text *text)
{
    if (isfinite(key->min)) {
        sp_text_format(text, ", \"%s\": ", low);
        sp_text_double(text, key->min);
    }
    if (isfinite(key->max)) {
        sp_text_format(text, ", \"%s\": ", high);
        sp_text_double(text, key->max);
    }
}

static void write_words(const sp_key *key, sp_text *text)
{
    sp_text_add(text, "\"enum\": [");
    for (size_t i = 0; key->choices[i]; ++i) {
        if (i > 0) sp_text_add(text, ", ");
        sp_text_quote(text, key->choices[i]);
    }
    sp_text_add(text, "]");
}

static void write_number(const sp_key *key, const char *type, sp_text *text)
{
    sp_text_format(text, "\"type\": \"%s\"", type);
    write_limits(key, "minimum", "maximum", text);
}

static void write_heights(const sp_key *key, sp_text *text)
{
    sp_text_add(text, "\"oneOf\": [{");
    write_number(key, "number", text);
    sp_text_add(text, "}, {\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, "
                      "\"items\": {\"type\": \"array\", \"minItems\": 1, \"items\": {");
    write_number(key, "number", text);
    sp_text_add(text, "}}}]");
}

static void write_four_words(const sp_key *key, sp_text *text)
{
    sp_text_add(text, "\"oneOf\": [{");
    write_words(key, text);
    sp_text_add(text, "}, {\"type\": \"array\", \"minItems\": 4, \"maxItems\": 4, \"items\": {");
    write_words(key, text);
    sp_text_add(text, "}}]");
}

static void write_type(const sp_key *key, int indent, sp_text *text)
{
    switch (key->type) {
    case SP_KEY_F32:
    case SP_KEY_F64:
        write_number(key, "number", text);
        return;
    case SP_KEY_I32:
    case SP_KEY_U64:
        write_number(key, "integer", text);
        return;
    case SP_KEY_BOOL:
        sp_text_add(text, "\"type\": \"boolean\"");
        return;
    case SP_KEY_CHOICE:
        write_words(key, text);
        return;
    case SP_KEY_TEXT:
        sp_text_add(text, "\"type\": [\"string\", \"null\"]");
        return;
    case SP_KEY_VEC3:
        sp_text_add(text, "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {");
        write_number(key, "number", text);
        sp_text_add(text, "}");
        return;
    case SP_KEY_CHOICES:
        write_four_words(key, text);
        return;
    case SP_KEY_HEIGHTS:
        write_heights(key, text);
        return;
    case SP_KEY_OBJECT:
        write_struct(key->items, false, indent, text);
        return;
    case SP_KEY_OPTION:
        write_struct(key->items, true, indent, text);
        return;
    case SP_KEY_LIST:
        sp_text_add(text, "\"type\": \"array\"");
        write_limits(key, "minItems", "maxItems", text);
        sp_text_add(text, ", \"items\": {");
        write_struct(key->items, false, indent, text);
        sp_text_add(text, "}");
        return;
    }
}

static void write_default(const sp_key *key, sp_text *text)
{
    if (isnan(key->value)) return;
    const bool word = key->type == SP_KEY_CHOICE || key->type == SP_KEY_CHOICES;
    const bool number = sp_key_is_number(key) || key->type == SP_KEY_HEIGHTS;
    const bool vector = key->type == SP_KEY_VEC3;
    if (!word && !vector && !number) return;
    float v[3];
    sp_key_default_vector(key, v);
    sp_text_add(text, ", \"default\": ");
    if (vector)
        sp_text_vector(text, v);
    else if (word)
        sp_text_quote(text, key->choices[(size_t)key->value]);
    else if (key->type == SP_KEY_BOOL)
        sp_text_add(text, key->value != 0.0 ? "true" : "false");
    else
        sp_text_double(text, key->value);
}

static void write_key(const sp_key *key, int indent, sp_text *text)
{
    sp_text_add(text, "{");
    write_type(key, indent, text);
    write_default(key, text);
    sp_text t = {.host = text->host};
    sp_text_add(&t, key->doc ? key->doc : "");
    if (key->unit && key->unit[0]) sp_text_format(&t, " (%s)", key->unit);
    sp_text_add(text, ", \"description\": ");
    sp_text_quote(text, t.failed ? "" : t.bytes);
    text->failed |= t.failed;
    sp_release(text->host, t.bytes);
    sp_text_add(text, "}");
}

static void write_required(const sp_keys *keys, sp_text *text)
{
    bool any = false;
    for (size_t i = 0; i < keys->count; ++i) {
        if (!isnan(keys->keys[i].value)) continue;
        sp_text_add(text, any ? ", " : ", \"required\": [");
        sp_text_quote(text, keys->keys[i].name);
        any = true;
    }
    if (any) sp_text_add(text, "]");
}

/// Writes the members of a struct's schema, without braces.
static void write_struct(const sp_keys *keys, bool optional, int indent, sp_text *text)
{
    sp_text_add(text, optional ? "\"type\": [\"object\", \"null\"]" : "\"type\": \"object\"");
    sp_text_add(text, ", \"additionalProperties\": false");
    write_required(keys, text);
    sp_text_add(text, ", \"properties\": {");
    for (size_t i = 0; i < keys->count; ++i) {
        member(text, indent + 1, keys->keys[i].name, i == 0);
        write_key(&keys->keys[i], indent + 1, text);
    }
    sp_text_newline(text, indent);
    sp_text_add(text, "}");
}

/// A solver's object is allowed only in a scene for that solver.
static void write_solver_rules(const sp_solver_type *const *solvers, size_t count, sp_text *text)
{
    sp_text_add(text, ",\n  \"allOf\": [");
    for (size_t i = 0; i < count; ++i)
        sp_text_format(text,
                       "%s\n    {\"if\": {\"required\": [\"%s\"]}, \"then\": {\"properties\": "
                       "{\"solver\": {\"const\": \"%s\"}}}}",
                       i ? "," : "", solvers[i]->name, solvers[i]->name);
    sp_text_add(text, "\n  ]\n}\n");
}

void sp_schema_write(const sp_solver_type *const *solvers, size_t count, sp_text *text)
{
    sp_text_add(text,
                "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                "  \"title\": \"Spume scene\",\n  \"type\": \"object\",\n"
                "  \"additionalProperties\": false,\n  \"required\": [\"spume\", \"solver\"],\n"
                "  \"properties\": {");
    sp_text_format(text,
                   "\n    \"$schema\": {\"type\": \"string\"},\n    \"spume\": {\"const\": %d, ",
                   SP_SCENE_VERSION);
    sp_text_add(text,
                "\"description\": \"Version of the scene format\"},\n    \"solver\": {\"enum\": [");
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) sp_text_add(text, ", ");
        sp_text_quote(text, solvers[i]->name);
    }
    sp_text_add(
        text, "], \"description\": \"What is simulated\"},\n    \"sizes\": {\"type\": \"object\", "
              "\"additionalProperties\": {\"type\": \"object\"}, \"description\": "
              "\"Overrides by name: key paths and their values\"},\n    \"include\": {\"type\": "
              "\"string\", \"description\": \"A scene whose keys this one begins with\"}");
    for (size_t i = 0; i < sp_scene_common_keys.count; ++i) {
        member(text, 2, sp_scene_common_keys.keys[i].name, false);
        write_key(&sp_scene_common_keys.keys[i], 2, text);
    }
    for (size_t i = 0; i < count; ++i) {
        member(text, 2, solvers[i]->name, false);
        sp_text_add(text, "{");
        write_struct(solvers[i]->keys, false, 2, text);
        sp_text_add(text, "}");
    }
    sp_text_add(text, "\n  }");
    write_solver_rules(solvers, count, text);
}
