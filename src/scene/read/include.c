// SPDX-License-Identifier: Apache-2.0
/// "include": a scene that begins with the keys of another one and has its own over them. Objects are joined key by
/// key; a list replaces a list. The included scene is one of the same solver, or one of liquid in a scene of
/// whitewater: its object `liquid` is then `whitewater.liquid`, unless the scene names other water.
#include "scene/internal.h"

#include <stdio.h>
#include <string.h>

typedef struct including {
    sp_reading *r;
    const char *name;   ///< of the included scene
    const char *solver; ///< its solver's
    json_t *tree;       ///< its own; becomes the scene's
} including;

/// ---- The included text -------------------------------------------------------------------------

/// Parses it with a reading of its own, so that an error names its file and line.
static sp_status parse(including *g, const char *text, size_t length)
{
    sp_reading *r = g->r;
    sp_reading inner = {.host = r->host, .name = g->name, .length = length, .scene = r->scene};
    inner.text = sp_allocate(r->host, length + 1, 1);
    if (!inner.text) return sp_reading_no_memory(r);
    memcpy(inner.text, text, length);
    const sp_status status = sp_source_parse(&inner);
    sp_release(r->host, inner.text);
    if (status == SP_OK) {
        g->tree = inner.root;
        return SP_OK;
    }
    json_decref(inner.root);
    r->error = inner.error;
    return status;
}

static sp_status load(including *g)
{
    sp_reading *r = g->r;
    char *owned;
    const char *text;
    size_t length;
    const sp_status status =
        sp_scene_find_text(g->name, r->host, &owned, &text, &length, &r->error);
    if (status != SP_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", r->error.text);
        return status == SP_NO_MEMORY ? sp_reading_no_memory(r) : sp_reading_fail(r, "%s", why);
    }
    const sp_status parsed = parse(g, text, length);
    sp_release(r->host, owned);
    return parsed;
}

static sp_status check(including *g)
{
    sp_reading *r = g->r;
    const char *own = r->scene->solver->name;
    const json_t *solver = json_object_get(g->tree, "solver");
    g->solver = json_string_value(solver);
    if (json_object_get(g->tree, "include"))
        return sp_reading_fail(r, "%s includes another scene; expected one that does not", g->name);
    const bool water = strcmp(own, "whitewater") == 0;
    if (g->solver && (strcmp(g->solver, own) == 0 || (water && strcmp(g->solver, "liquid") == 0)))
        return SP_OK;
    char said[64];
    sp_clean(g->solver ? g->solver : "none", g->solver ? strlen(g->solver) : 4, said, sizeof said);
    return sp_reading_fail(r, "%s is a scene of %s; expected one of %s%s", g->name, said, own,
                           water ? " or liquid" : "");
}

/// ---- A liquid in whitewater --------------------------------------------------------------------

/// Renames the paths of a size: "liquid.voxel" becomes "whitewater.liquid.voxel".
static bool move_paths(json_t *size)
{
    const char *path;
    json_t *value;
    void *next;
    json_object_foreach_safe(size, next, path, value)
    {
        char moved[300];
        if (strncmp(path, "liquid.", 7) != 0) continue;
        snprintf(moved, sizeof moved, "whitewater.%s", path);
        if (json_object_set(size, moved, value) != 0 || json_object_del(size, path) != 0)
            return false;
    }
    return true;
}

static bool has_water(const sp_reading *r)
{
    const json_t *own = json_object_get(r->root, "whitewater");
    return json_object_get(own, "bulk") || json_object_get(own, "ocean");
}

/// The object `liquid` into `whitewater`, or away where the scene has other water.
static bool move_liquid(including *g)
{
    json_t *liquid = json_object_get(g->tree, "liquid"), *sizes = json_object_get(g->tree, "sizes");
    bool good = true;
    const char *name;
    json_t *size;
    if (has_water(g->r)) {
        json_object_del(g->tree, "emitters");
        json_object_del(g->tree, "sinks");
        json_object_del(g->tree, "sizes");
    } else {
        json_t *white = json_object();
        good = white && (!liquid || json_object_set(white, "liquid", liquid) == 0) &&
               json_object_set_new(g->tree, "whitewater", white) == 0;
        json_object_foreach(sizes, name, size) good = good && move_paths(size);
    }
    json_object_del(g->tree, "liquid");
    return good;
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status join(including *g)
{
    sp_reading *r = g->r;
    const bool moves = strcmp(g->solver, r->scene->solver->name) != 0;
    if ((moves && !move_liquid(g)) || json_object_update_recursive(g->tree, r->root) != 0)
        return sp_reading_no_memory(r);
    json_object_del(g->tree, "include");
    json_decref(r->root);
    r->root = g->tree;
    g->tree = NULL;
    return SP_OK;
}

sp_status sp_include(sp_reading *r)
{
    json_t *value = json_object_get(r->root, "include");
    if (!value) return SP_OK;
    sp_path_push_key(&r->path, "include", 7);
    if (!json_is_string(value)) return sp_bind_fail(r, value, "the name of a scene", NULL);
    including g = {.r = r, .name = sp_keep(r, json_string_value(value), json_string_length(value))};
    sp_status status = g.name ? load(&g) : sp_reading_no_memory(r);
    if (status == SP_OK) status = check(&g);
    if (status == SP_OK) status = join(&g);
    json_decref(g.tree);
    if (status == SP_OK) r->path.count = 0;
    return status;
}
