// SPDX-License-Identifier: Apache-2.0
/// What the public interface tells of a scene and of the solvers.
#include "core/keys/keys_by_path.h"
#include "scene/internal.h"

#include <spume/version.h>

#include <string.h>

sp_scene_info sp_scene_get_info(const sp_scene *scene)
{
    const sp_scene_common *c = &scene->common;
    return (sp_scene_info){.name = scene->name,
                           .solver = scene->solver->name,
                           .size = scene->size,
                           .fps = c->fps,
                           .frames = c->frames,
                           .seed = c->seed,
                           .hash = scene->hash,
                           .memory_bytes = scene->estimate};
}

const sp_world_def *sp_scene_world(const sp_scene *scene)
{
    return &scene->common.world;
}

const char *sp_scene_below_solver(const sp_scene *scene, const char *key)
{
    const size_t length = strlen(scene->solver->name);
    return strncmp(key, scene->solver->name, length) == 0 && key[length] == '.' ? key + length + 1
                                                                                : NULL;
}

sp_status sp_scene_get(const sp_scene *scene, const char *key, double *value, sp_error *err)
{
    const char *below = sp_scene_below_solver(scene, key);
    return below ? sp_key_read(scene->solver->keys, scene->def, below, value, err)
                 : sp_key_read(&sp_scene_common_keys, &scene->common, key, value, err);
}

bool sp_solver_at(size_t index, sp_solver_info *info)
{
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    if (index >= count) return false;
    *info = (sp_solver_info){solvers[index]->name, solvers[index]->about, solvers[index]->paper};
    return true;
}

const char *sp_version(void)
{
    return SPUME_VERSION;
}

void sp_text_free(const sp_host *host, char *text)
{
    sp_release(host, text);
}
