// SPDX-License-Identifier: Apache-2.0
/// The solids of a run's scene, to clip surfaces at.
#include "cli/options/clip_scene.h"

#include "cli/commands.h"

sp_status cli_clip_solids_open(const char *scene_text, bool colliders, const sp_host *host,
                               sp_clip_solids **out, sp_error *err)
{
    sp_scene *scene = NULL;
    *out = NULL;
    SP_TRY(cli_open_run_scene("scene.json", scene_text, NULL, host, &scene, err));
    const sp_world_def *world = &scene->common.world;
    const sp_status status = sp_clip_solids_open(world, colliders, host, out, err);
    if (status != SP_OK) sp_clip_solids_open(world, false, host, out, NULL); // the domain at least
    sp_scene_close(scene);
    return status;
}
