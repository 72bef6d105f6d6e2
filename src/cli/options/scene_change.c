// SPDX-License-Identifier: Apache-2.0
#include "cli/options/scene_change.h"

#include "cli/commands.h"

/// The edited text as the run would have written it: without comments, in the same layout. NULL when it
/// does not open.
static char *resolve(const sp_cache_list *list, const sp_host *host)
{
    char name[4200], *text = NULL;
    sp_scene *scene = NULL;
    snprintf(name, sizeof name, "%s/scene.json", list->dir);
    if (cli_open_run_scene(name, list->scene_text, NULL, host, &scene, NULL) == SP_OK)
        sp_scene_resolved(scene, &text, NULL);
    sp_scene_close(scene);
    return text;
}

sp_scene_change cli_scene_change(const sp_cache_list *list, const sp_host *host)
{
    if (!list->scene_edited) return SP_SCENE_SAME;
    const sp_scene_change as_it_stands = sp_cache_scene_change(list, list->scene_text);
    if (as_it_stands != SP_SCENE_EDITED) return as_it_stands;
    char *text = resolve(list, host);
    const sp_scene_change change = text ? sp_cache_scene_change(list, text) : SP_SCENE_EDITED;
    sp_release(host, text);
    return change;
}

void cli_say_scene_change(const cli_call *call, const sp_cache_list *list, bool look,
                          const sp_host *host)
{
    const sp_scene_change change = cli_scene_change(list, host);
    if (change == SP_SCENE_LOOK_EDITED && look)
        cli_say(call, SP_LOG_WARNING,
                "%s/scene.json: its look was edited after the run; the picture has the edited look",
                list->dir);
    if (change == SP_SCENE_EDITED)
        cli_say(call, SP_LOG_WARNING,
                "%s/scene.json: was edited after the run, and not only its look; solids, domain "
                "and look may not be those of the run",
                list->dir);
}
