// SPDX-License-Identifier: Apache-2.0
/// Writes the scene reference in Markdown from the key tables, so that the docs are always current.
#include "scene/internal.h"

#include <math.h>
#include <stdio.h>

static const char head[] =
    "# Scene reference\n\n"
    "Made by Spume from its key tables; edit those, not this page.\n\n"
    "A scene is one JSON object. `//` and `/* */` comments are allowed, unknown keys are errors, "
    "units are\n"
    "SI, angles are degrees. Two keys are required: `spume`, the version of the format (1), and "
    "`solver`.\n"
    "The solver's own keys are in an object under its name.\n\n"
    "`sizes` names sets of overrides: `\"sizes\": { \"full\": { \"pond.nx\": 400 } }` is applied "
    "by\n"
    "`--size full`; `laptop` is the default and may be left out. `--set pond.foam_life=4` comes "
    "last; its\n"
    "value is read as JSON, and as text where it is no JSON. `--set pond.nozzles[0].rate=20` "
    "reaches\n"
    "into a list.\n\n"
    "`include` names a built-in scene or a file: the scene begins with its keys and puts its own "
    "over "
    "them, object\n"
    "by object; a list replaces a list. It is a scene of the same solver, or, in a scene of "
    "whitewater, one of\n"
    "liquid: its `liquid` becomes `whitewater.liquid`, unless `whitewater.bulk` or "
    "`whitewater.ocean` is given.\n\n"
    "Ground heights are a number, rows of numbers (the first row lies at y = 0), or the name of a "
    "PGM or\n"
    "PNG picture beside the scene, gray 0 to 1, seen from above with y up the page.\n\n"
    "`gravity`, `domain`, `colliders`, `emitters` and `sinks` are the world around the water. A "
    "solver that does\n"
    "not heed one of them refuses scenes that give it.\n";

const char *sp_key_type_words(const sp_key *key)
{
    static const char *const words[] = {
        [SP_KEY_F32] = "number",
        [SP_KEY_F64] = "number",
        [SP_KEY_I32] = "whole number",
        [SP_KEY_U64] = "whole number",
        [SP_KEY_BOOL] = "true or false",
        [SP_KEY_CHOICE] = "word",
        [SP_KEY_TEXT] = "text",
        [SP_KEY_VEC3] = "three numbers",
        [SP_KEY_CHOICES] = "word, or four",
        [SP_KEY_HEIGHTS] = "heights",
        [SP_KEY_OBJECT] = "object",
        [SP_KEY_OPTION] = "object or null",
        [SP_KEY_LIST] = "list",
    };
    return words[key->type];
}

static void write_default(const sp_key *key, sp_text *text)
{
    if (isnan(key->value))
        sp_text_add(text, "required");
    else if (key->type == SP_KEY_CHOICE || key->type == SP_KEY_CHOICES)
        sp_text_add(text, key->choices[(size_t)key->value]);
    else if (key->type == SP_KEY_BOOL)
        sp_text_add(text, key->value != 0.0 ? "true" : "false");
    else if (key->vector)
        sp_text_vector(text, key->vector);
    else if (sp_key_is_number(key) || key->type == SP_KEY_HEIGHTS || key->type == SP_KEY_VEC3)
        sp_text_float(text, (float)key->value);
    else if (key->type != SP_KEY_OBJECT)
        sp_text_add(text, key->type == SP_KEY_LIST ? "empty" : "none");
}

static bool has_range(const sp_key *key)
{
    return key->type != SP_KEY_BOOL && key->type != SP_KEY_TEXT && key->type != SP_KEY_OBJECT &&
           key->type != SP_KEY_OPTION;
}

static void write_row(const sp_key *key, sp_text *text)
{
    char allowed[128] = "";
    if (has_range(key)) sp_key_allowed(key, allowed, sizeof allowed);
    sp_text_format(text, "| `%s` | %s | %s | ", key->name, sp_key_type_words(key),
                   key->unit ? key->unit : "");
    write_default(key, text);
    sp_text_format(text, " | %s%s | ", allowed, key->type == SP_KEY_LIST ? " entries" : "");
    sp_text_add(text, key->doc ? key->doc : "");
    sp_text_add(text, key->live ? " (live) |\n" : " |\n");
}

/// Tables written so far and their paths. A shared table, such as shapes, is written once.
typedef struct shown {
    struct {
        const sp_keys *keys;
        char path[80];
    } tables[256];
    size_t count;
} shown;

static const char *find_shown(const shown *seen, const sp_keys *keys)
{
    for (size_t i = 0; i < seen->count; ++i)
        if (seen->tables[i].keys == keys) return seen->tables[i].path;
    return NULL;
}

/// Writes a table for the struct, then one for each nested struct, titled with its path.
static void write_table(const char *path, const sp_keys *keys, shown *seen, sp_text *text)
{
    const char *before = find_shown(seen, keys);
    if (before) {
        sp_text_format(text, "\n`%s` has the keys of `%s`.\n", path, before);
        return;
    }
    if (seen->count < sizeof seen->tables / sizeof *seen->tables) {
        seen->tables[seen->count].keys = keys;
        snprintf(seen->tables[seen->count++].path, sizeof seen->tables->path, "%s", path);
    }
    sp_text_format(text, "\n| %s | kind | unit | default | allowed | meaning |\n",
                   path[0] ? path : "key");
    sp_text_add(text, "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < keys->count; ++i)
        write_row(&keys->keys[i], text);
    for (size_t i = 0; i < keys->count; ++i) {
        const sp_key *key = &keys->keys[i];
        if (!key->items) continue;
        char inner[sizeof seen->tables->path];
        snprintf(inner, sizeof inner, "%s%s%s%s", path, path[0] ? "." : "", key->name,
                 key->type == SP_KEY_LIST ? "[]" : "");
        write_table(inner, key->items, seen, text);
    }
}

/// Writes a sentence that lists the world keys the solver uses.
static void write_used_keys(const sp_solver_type *solver, sp_text *text)
{
    bool any = false;
    for (size_t i = 0; i < sp_scene_common_keys.count; ++i) {
        const char *name = sp_scene_common_keys.keys[i].name;
        if (!(solver->uses & sp_uses_bits(name))) continue;
        sp_text_format(text, "%s`%s`", any ? ", " : "World keys it uses: ", name);
        any = true;
    }
    sp_text_add(text, any ? ".\n" : "It uses no world keys.\n");
}

void sp_reference_write(const sp_solver_type *const *solvers, size_t count, sp_text *text)
{
    sp_text_add(text, head);
    sp_text_add(text, "\n## Every scene\n");
    shown seen = {.count = 0};
    write_table("", &sp_scene_common_keys, &seen, text);
    for (size_t i = 0; i < count; ++i) {
        sp_text_format(text, "\n## %s\n\n", solvers[i]->name);
        sp_text_format(text, "%s (%s).\n", solvers[i]->about ? solvers[i]->about : "",
                       solvers[i]->paper ? solvers[i]->paper : "");
        write_used_keys(solvers[i], text);
        sp_text_add(text, "Keys marked live may change while the simulation runs.\n");
        write_table(solvers[i]->name, solvers[i]->keys, &seen, text);
    }
}
