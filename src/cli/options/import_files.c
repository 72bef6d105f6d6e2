// SPDX-License-Identifier: Apache-2.0
/// Finds the files for `spume import`.
#include "cli/options/import_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool add_path(import_paths *f, const char *dir, const char *name)
{
    if (f->count == f->room) {
        char **more = realloc(f->paths, (2 * f->room + 64) * sizeof *more);
        if (!more) return false;
        f->paths = more;
        f->room = 2 * f->room + 64;
    }
    const size_t size = (dir ? strlen(dir) + 1 : 0) + strlen(name) + 1;
    char *path = malloc(size);
    if (!path) return false;
    snprintf(path, size, "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
    f->paths[f->count++] = path;
    return true;
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && strcasecmp(name + n - m, ending) == 0;
}

/// FLIP Fluids also stores velocities, previews and obstacles, with a word before the frame number:
/// those are not surfaces.
static bool is_surface(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return !ends_with(name, ".bobj") || strspn(name, "0123456789") == strlen(name) - 5;
}

static bool add_ending(import_paths *f, const char *dir, const char *ending)
{
    DIR *list = opendir(dir);
    bool good = list != NULL;
    for (struct dirent *entry; good && (entry = readdir(list)) != NULL;)
        if (ends_with(entry->d_name, ending) && is_surface(entry->d_name))
            good = add_path(f, dir, entry->d_name);
    if (list) closedir(list);
    return good;
}

static bool add_directory(import_paths *f, const char *dir)
{
    static const char *const endings[] = {".vdb", ".bobj", ".ply"};
    const size_t before = f->count;
    for (size_t i = 0; f->count == before && i < sizeof endings / sizeof *endings; ++i)
        if (!add_ending(f, dir, endings[i])) return false;
    char baked[4096]; // the folder of meshes in FLIP Fluids' cache
    const int n = snprintf(baked, sizeof baked, "%s/bakefiles", dir);
    if (f->count > before || n < 0 || n >= (int)sizeof baked || !sp_is_directory(baked))
        return true;
    return add_ending(f, baked, ".bobj");
}

sp_status import_paths_add(import_paths *f, const char *path, sp_error *err)
{
    const bool listed = sp_is_directory(path);
    const size_t before = f->count;
    const bool good = listed             ? add_directory(f, path)
                      : is_surface(path) ? add_path(f, NULL, path)
                                         : true;
    if (!good) return sp_fail(err, SP_IO, "%s: cannot be listed", path);
    if (listed && f->count == before)
        return sp_fail(err, SP_BAD_INPUT, "%s: contains no .vdb files and no meshes (.bobj, .ply)",
                       path);
    return SP_OK;
}

int import_paths_find(import_paths *f, const cli_call *call)
{
    sp_error err = {0};
    for (int i = 0; i < call->operand_count; ++i)
        if (import_paths_add(f, call->operands[i], &err) != SP_OK) return cli_failed(call, &err);
    if (f->count > 0) return CLI_FINE;
    return cli_bad_input(call,
                         "%s is not a surface of FLIP Fluids; expected a name like 000012.bobj",
                         call->operands[0]);
}

void import_paths_close(import_paths *f)
{
    for (size_t i = 0; i < f->count; ++i)
        free(f->paths[i]);
    free(f->paths);
    *f = (import_paths){0};
}
