// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // realpath
/// Makes paths of mesh files absolute, and adds the files to the scene's hash.
#include "scene/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *sp_keep(sp_reading *r, const char *words, size_t length)
{
    char *copy = sp_arena_take(r->host, &r->scene->blocks, length + 1, 1);
    if (copy) memcpy(copy, words, length);
    return copy;
}

/// All shapes of a scene: those of its world and those among the solver's own keys.
sp_status sp_each_shape(const sp_scene *scene, sp_keys_visit *visit, void *arg, sp_error *err)
{
    const sp_solver_type *solver = scene->solver;
    SP_TRY(
        sp_keys_each(&sp_scene_common_keys, &scene->common, "", &sp_shape_keys, visit, arg, err));
    return sp_keys_each(solver->keys, scene->def, solver->name, &sp_shape_keys, visit, arg, err);
}

/// ---- Absolute paths ----------------------------------------------------------------------------

static sp_status name_mesh(void *arg, const char *path, const void *item, sp_error *err)
{
    (void)path, (void)err;
    sp_reading *r = arg;
    const sp_shape_def *shape = item;
    const sp_mesh_def *mesh = shape->mesh;
    if (!mesh || !mesh->file || mesh->file[0] == '/') return SP_OK;
    const char *slash = strrchr(r->name, '/');
    const int length = slash ? (int)(slash - r->name) + 1 : 0;
    char folder[PATH_MAX], full[PATH_MAX], joined[2 * PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", length > 1 ? length - 1 : 1, length ? r->name : ".");
    const char *place = realpath(folder, full);
    snprintf(joined, sizeof joined, "%s/%s", place ? place : folder, mesh->file);
    const char *found = joined; // a missing file is reported when it is opened
    ((sp_mesh_def *)(uintptr_t)mesh)->file = sp_keep(r, found, strlen(found)); // in the arena
    return mesh->file ? SP_OK : sp_reading_no_memory(r);
}

/// Mesh files are relative to the scene's directory, like height maps. A run stores a copy of its
/// scene elsewhere, so the paths are made absolute.
sp_status sp_name_meshes(sp_reading *r)
{
    return sp_each_shape(r->scene, name_mesh, r, &r->error);
}

/// ---- Hash of the contents ----------------------------------------------------------------------

static sp_status hash_mesh(void *hash, const char *at, const void *item, sp_error *err)
{
    (void)at, (void)err;
    const sp_shape_def *shape = item;
    const sp_mesh_def *mesh = shape->mesh;
    if (!mesh || !mesh->file) return SP_OK;
    char path[PATH_MAX];
    sp_error ignored;
    const int32_t first = mesh->frames ? mesh->frames->first : 0;
    const int32_t last = mesh->frames ? mesh->frames->last : 0;
    bool good = true; // opening the mesh reports the first file that cannot be read
    for (int32_t k = first; good && k <= last; ++k)
        good = sp_mesh_file_name(mesh, k, path, sizeof path, &ignored) == SP_OK &&
               sp_file_hash(path, hash, &ignored) == SP_OK;
    return SP_OK;
}

/// The hash changes when a mesh file changes, as it does for heights.
void sp_hash_meshes(sp_scene *scene)
{
    sp_error none;
    (void)sp_each_shape(scene, hash_mesh, &scene->hash, &none); // hash_mesh() never fails
}
