// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // realpath
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

static sp_status name_mesh(sp_reading *r, const sp_shape_def *shape)
{
    const sp_mesh_def *mesh = shape->mesh;
    if (!mesh || !mesh->file || mesh->file[0] == '/') return SP_OK;
    const char *slash = strrchr(r->name, '/');
    const int length = slash ? (int)(slash - r->name) + 1 : 0;
    char folder[PATH_MAX], full[PATH_MAX], joined[2 * PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", length, length ? r->name : ".");
    const char *place = realpath(length ? folder : ".", full);
    snprintf(joined, sizeof joined, "%s/%s", place ? place : folder, mesh->file);
    const char *found = joined; // whoever opens it says whether it is missing
    ((sp_mesh_def *)(uintptr_t)mesh)->file = sp_keep(r, found, strlen(found)); // ours, in the arena
    return mesh->file ? SP_OK : sp_reading_no_memory(r);
}

/// Mesh files lie beside the scene, as height maps do. A run keeps a copy of its scene elsewhere,
/// so from here on they are named in full.
sp_status sp_name_meshes(sp_reading *r)
{
    const sp_world_def *world = &r->scene->common.world;
    for (size_t i = 0; i < world->collider_count; ++i)
        SP_TRY(name_mesh(r, &world->colliders[i].shape));
    for (size_t i = 0; i < world->emitter_count; ++i)
        SP_TRY(name_mesh(r, &world->emitters[i].shape));
    for (size_t i = 0; i < world->sink_count; ++i)
        SP_TRY(name_mesh(r, &world->sinks[i].shape));
    return SP_OK;
}
