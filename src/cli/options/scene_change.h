// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_SCENE_CHANGE_H
#define SP_CLI_OPTIONS_SCENE_CHANGE_H

/// What was edited in the scene.json of a run since the run. Its look may be: pictures have the
/// edited look then, and say so.

#include "cache/cache.h"
#include "cli/cli.h"

sp_scene_change cli_scene_change(const sp_cache_list *list, const sp_host *host);
/// Says what was edited; `look` is false for commands that do not use the scene's look.
void cli_say_scene_change(const cli_call *call, const sp_cache_list *list, bool look,
                          const sp_host *host);

#endif
