// SPDX-License-Identifier: Apache-2.0
/// Opens the solver of a scene, after checks that would otherwise fail later.
#include "scene/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Prefixes a solver's error with the scene's name.
static sp_status name_scene(const sp_scene *scene, sp_status status, sp_error *err)
{
    char name[160];
    if (status != SP_BAD_INPUT) return status;
    sp_clean_name(scene->name, name, sizeof name);
    sp_error_prefix(err, "%s: ", name);
    return status;
}

/// `path` is that of the struct that holds the shape: "colliders[0]".
static sp_status try_shape(const sp_scene *scene, const char *path, const sp_collider_def *def,
                           sp_error *err)
{
    sp_shape *shape;
    const sp_status status = sp_shape_open(def, NULL, scene->host, &shape, err);
    if (status != SP_OK) {
        const char *key = !def->shape.mesh  ? ""
                          : status == SP_IO ? ".shape.mesh.file"
                                            : ".shape.mesh";
        sp_error_prefix(err, "%s: %s%s: ", scene->name, path, key);
        return status;
    }
    sp_shape_close(shape);
    return SP_OK;
}

static sp_status try_collider(void *scene, const char *path, const void *item, sp_error *err)
{
    return try_shape(scene, path, item, err);
}

/// Shapes that are no collider's. Those of jets are empty.
static sp_status try_other(void *scene, const char *path, const void *item, sp_error *err)
{
    const sp_collider_def solid = {.shape = *(const sp_shape_def *)item};
    const size_t length = strlen(path) - strlen(".shape");
    char holder[300];
    snprintf(holder, sizeof holder, "%.*s", (int)length, path);
    const bool empty = !memcmp(&solid.shape, &(sp_shape_def){0}, sizeof solid.shape);
    return empty || !strncmp(path, "colliders", 9) ? SP_OK : try_shape(scene, holder, &solid, err);
}

/// Reads each mesh file once, so that a run with an unusable file is refused before it starts.
static sp_status try_shapes(const sp_scene *scene, sp_error *err)
{
    void *arg = (void *)(uintptr_t)scene;
    SP_TRY(sp_keys_each(&sp_scene_common_keys, &scene->common, "", &sp_collider_keys, try_collider,
                        arg, err));
    return sp_each_shape(scene, try_other, arg, err);
}

sp_status sp_scene_check_start(const sp_scene *scene, double memory, sp_error *err)
{
    const sp_setup setup = sp_scene_setup(scene);
    sp_status status = sp_memory_check(scene->solver, scene->estimate, memory, err);
    if (status == SP_OK && scene->files && scene->solver->check) // again, now with its files
        status = scene->solver->check(&setup, err);
    if (status != SP_OK) return name_scene(scene, status, err);
    return try_shapes(scene, err);
}

double sp_scene_seconds(const sp_scene *scene, int threads)
{
    const double each_frame = 1.5e-3; // s to write its files
    const sp_setup setup = sp_scene_setup(scene);
    const double files = each_frame * (double)scene->common.frames;
    if (!scene->solver->seconds) return files;
    return files + scene->solver->seconds(&setup) / pow(threads, 0.75); // 1.7 times as fast on two
}

sp_status sp_scene_drive(const sp_scene *scene, double memory, sp_watch frames,
                         const sp_watch *substeps, const sp_host *host, sp_driver **out,
                         sp_error *err)
{
    sp_driver_def def = {.type = scene->solver,
                         .setup = sp_scene_setup(scene),
                         .fps = scene->common.fps,
                         .memory = memory,
                         .watch = frames};
    def.setup.watch = substeps;
    return name_scene(scene, sp_driver_open(&def, host, out, err), err);
}
