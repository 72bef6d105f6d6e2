// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_COMMANDS_H
#define SP_CLI_COMMANDS_H

#include "cli/cli.h"
#include "scene/scene.h"

/// One file each: commands/<name>.c.
extern const cli_command cli_run, cli_check, cli_scenes, cli_info, cli_import, cli_export,
    cli_surface, cli_render, cli_page, cli_validate, cli_bench, cli_errata, cli_schema,
    cli_reference, cli_version, cli_help, cli_whitewater;

/// The options that say how a scene is read.
#define CLI_SCENE_OPTIONS                                                                          \
    {"size", 0, "NAME", "one of the scene's sizes (default laptop)"},                              \
        {"set", 0, "KEY=VALUE", "change a key of the scene; may be given often"},                  \
        {"memory", 0, "GB", "refuse to need more (default 80 % of what there is)"},                \
    {                                                                                              \
        "max-hours", 0, "N", "refuse or stop a run that takes longer (default: warn of a day)"     \
    }

/// Opens the scene of the first operand with those options, on a machine that it opens too, and
/// refuses what would not fit. Says what is wrong and returns the exit status; on failure *scene is
/// NULL.
int cli_open_scene(const cli_call *call, cli_machine *machine, sp_scene **scene);
/// The same for a scene that the program writes itself: after the machine was opened.
int cli_open_scene_text(const cli_call *call, cli_machine *machine, const char *name,
                        const char *text, sp_scene **scene);
/// Opens a scene as cli_open_scene() does; *first: the first frame to keep.
typedef int cli_scene_opener(const cli_call *call, cli_machine *machine, sp_scene **scene,
                             uint64_t *first);
/// Runs a scene into the directory of --output, with the options of `run` (commands/run.c).
int cli_run_scene(const cli_call *call, cli_scene_opener *open);
/// What --set says, in an array of CLI_MOST_GIVEN that must outlive the options.
sp_scene_options cli_scene_options(const cli_call *call, const char **set);
/// Opens the resolved scene of a run; `name` is for messages, `text` NULL where it is unreadable.
sp_status cli_open_run_scene(const char *name, const char *text, const sp_scene_options *options,
                             const sp_host *host, sp_scene **scene, sp_error *err);
int cli_unknown_solver(const cli_call *call, const char *name); ///< says so, with the near one

#endif
