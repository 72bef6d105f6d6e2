// SPDX-License-Identifier: Apache-2.0
/// Opens the solver of a scene, after checks that would otherwise fail later.
#include "scene/internal.h"

#include <math.h>

/// Prefixes a solver's error with the scene's name.
static sp_status name_scene(const sp_scene *scene, sp_status status, sp_error *err)
{
    char name[160];
    if (status != SP_BAD_INPUT) return status;
    sp_clean_name(scene->name, name, sizeof name);
    sp_error_prefix(err, "%s: ", name);
    return status;
}

static sp_status try_shape(const sp_scene *scene, const char *list, size_t i,
                           const sp_collider_def *def, sp_error *err)
{
    sp_shape *shape;
    const sp_status status = sp_shape_open(def, NULL, scene->host, &shape, err);
    if (status != SP_OK) {
        const char *key = !def->shape.mesh  ? ""
                          : status == SP_IO ? ".shape.mesh.file"
                                            : ".shape.mesh";
        sp_error_prefix(err, "%s: %s[%zu]%s: ", scene->name, list, i, key);
        return status;
    }
    sp_shape_close(shape);
    return SP_OK;
}

/// Reads each mesh file once, so that a run with an unusable file is refused before it starts.
static sp_status try_shapes(const sp_scene *scene, sp_error *err)
{
    const sp_world_def *w = &scene->common.world;
    for (size_t i = 0; i < w->collider_count; ++i)
        SP_TRY(try_shape(scene, "colliders", i, &w->colliders[i], err));
    for (size_t i = 0; i < w->emitter_count; ++i)
        if (w->emitters[i].mode != SP_EMIT_JET)
            SP_TRY(try_shape(scene, "emitters", i,
                             &(sp_collider_def){.shape = w->emitters[i].shape}, err));
    for (size_t i = 0; i < w->sink_count; ++i)
        SP_TRY(try_shape(scene, "sinks", i, &(sp_collider_def){.shape = w->sinks[i].shape}, err));
    return SP_OK;
}

sp_status sp_scene_check_start(const sp_scene *scene, double memory, sp_error *err)
{
    const sp_status status = sp_memory_check(scene->solver, scene->estimate, memory, err);
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
