// SPDX-License-Identifier: Apache-2.0
/// Opens scenes by file or by built-in name, and makes the schema and the reference of all solvers.
#include "scene/internal.h"

#include <string.h>
#include <sys/stat.h>

enum { LARGEST_SCENE = 256 << 20 }; // bytes; fits a 4096 x 4096 ground written as numbers

static bool is_file(const char *path)
{
    const size_t length = strlen(path);
    struct stat about;
    if (length > 5 && strcmp(path + length - 5, ".json") == 0) return true;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

static bool is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/// The full name of the most similar scene, or NULL. A name without a slash is compared with last
/// parts only.
static const char *nearest_builtin(const char *name)
{
    size_t count;
    const sp_scene_builtin *all = sp_scene_builtins(&count);
    const char *best = NULL, *near = NULL;
    for (size_t i = 0; i < count; ++i) {
        const char *slash = strchr(all[i].name, '/');
        const char *word = slash && !strchr(name, '/') ? slash + 1 : all[i].name;
        const char *pair[] = {near ? near : word, word, NULL}; // keeps the first on a tie
        const char *nearer = sp_word_nearest(pair, name);
        if (nearer == word) best = all[i].name;
        if (nearer) near = nearer;
    }
    return best;
}

/// Finds a scene by its full name, or by its last part when only one scene has it.
static sp_status find_builtin(const char *name, const sp_scene_builtin **out, sp_error *err)
{
    size_t count;
    const sp_scene_builtin *all = sp_scene_builtins(&count), *bare = NULL;
    char said[128];
    sp_clean(name, strlen(name), said, sizeof said);
    for (size_t i = 0; i < count; ++i) {
        const char *slash = strchr(all[i].name, '/');
        const char *last = slash ? slash + 1 : all[i].name;
        if (strcmp(all[i].name, name) == 0) {
            *out = &all[i];
            return SP_OK;
        }
        if (strcmp(last, name) == 0 && bare)
            return sp_fail(err, SP_BAD_INPUT, "%s: more than one scene; expected %s or %s", said,
                           bare->name, all[i].name);
        if (strcmp(last, name) == 0) bare = &all[i];
    }
    *out = bare;
    if (bare) return SP_OK;
    if (is_directory(name))
        return sp_fail(
            err, SP_BAD_INPUT,
            "%s: is a directory; expected a scene's file or the name of a built-in scene", said);
    const char *near = nearest_builtin(name);
    return sp_fail(err, SP_BAD_INPUT, "%s: no such file, and no scene of that name%s%s%s", said,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

sp_status sp_scene_find_text(const char *name_or_path, const sp_host *host, char **owned,
                             const char **text, size_t *length, sp_error *err)
{
    *owned = NULL;
    if (!is_file(name_or_path)) {
        const sp_scene_builtin *found = NULL;
        SP_TRY(find_builtin(name_or_path, &found, err));
        *text = found->text;
        *length = found->length;
        return SP_OK;
    }
    const sp_status status = sp_source_read(host, name_or_path, LARGEST_SCENE, owned, length, err);
    if (status != SP_OK) {
        char name[160];
        sp_clean_name(name_or_path, name, sizeof name);
        sp_error_prefix(err, "%s: ", name);
    }
    *text = *owned ? *owned : "";
    return status;
}

sp_status sp_scene_open(const char *name_or_path, const sp_scene_options *options,
                        const sp_host *host, sp_scene **out, sp_error *err)
{
    const sp_scene_builtin *found = NULL;
    const char *name = name_or_path, *text;
    char *owned;
    size_t length;
    *out = NULL;
    if (!is_file(name_or_path)) {
        SP_TRY(find_builtin(name_or_path, &found, err));
        name = found->name; // the full one
    }
    SP_TRY(sp_scene_find_text(name, host, &owned, &text, &length, err));
    const sp_status status = sp_scene_open_text(name, text, length, options, host, out, err);
    sp_release(host, owned);
    return status;
}

sp_status sp_scene_schema(const sp_host *host, char **out, sp_error *err)
{
    *out = NULL;
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    sp_text text = {.host = host};
    sp_schema_write(solvers, count, &text);
    return sp_text_finish(&text, out, err);
}

sp_status sp_scene_reference(const sp_host *host, char **out, sp_error *err)
{
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    sp_text text = {.host = host};
    sp_reference_write(solvers, count, &text);
    return sp_text_finish(&text, out, err);
}
