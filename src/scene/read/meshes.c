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

/// The i-th shape of colliders, emitters and sinks; NULL after the last.
static const sp_shape_def *shape_at(const sp_world_def *world, size_t i)
{
    if (i < world->collider_count) return &world->colliders[i].shape;
    i -= world->collider_count;
    if (i < world->emitter_count) return &world->emitters[i].shape;
    i -= world->emitter_count;
    return i < world->sink_count ? &world->sinks[i].shape : NULL;
}

/// ---- Absolute paths ----------------------------------------------------------------------------

static sp_status name_mesh(sp_reading *r, const sp_shape_def *shape)
{
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
    const sp_shape_def *shape;
    for (size_t i = 0; (shape = shape_at(&r->scene->common.world, i)); ++i)
        SP_TRY(name_mesh(r, shape));
    return SP_OK;
}

/// ---- Hash of the contents ----------------------------------------------------------------------

static void hash_mesh(const sp_shape_def *shape, uint64_t *hash)
{
    const sp_mesh_def *mesh = shape->mesh;
    if (!mesh || !mesh->file) return;
    char path[PATH_MAX];
    sp_error ignored;
    const int32_t first = mesh->frames ? mesh->frames->first : 0;
    const int32_t last = mesh->frames ? mesh->frames->last : 0;
    bool good = true; // opening the mesh reports the first file that cannot be read
    for (int32_t k = first; good && k <= last; ++k)
        good = sp_mesh_file_name(mesh, k, path, sizeof path, &ignored) == SP_OK &&
               sp_file_hash(path, hash, &ignored) == SP_OK;
}

/// The hash changes when a mesh file changes, as it does for heights.
void sp_hash_meshes(const sp_world_def *world, uint64_t *hash)
{
    const sp_shape_def *shape;
    for (size_t i = 0; (shape = shape_at(world, i)); ++i)
        hash_mesh(shape, hash);
}
