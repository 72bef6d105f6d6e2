// SPDX-License-Identifier: Apache-2.0
/// Opens the scene that a command was given, with its options.
#include "cli/commands.h"
#include "cli/options/solver_files.h"
#include "scene/scene.h"

#include <string.h>

sp_scene_options cli_scene_options(const cli_call *call, const char **set)
{
    sp_scene_options options = sp_scene_options_defaults();
    options.set = set;
    for (int i = 0; i < call->given_count; ++i)
        if (strcmp(call->given[i]->name, "set") == 0) set[options.set_count++] = call->values[i];
    return options;
}

sp_status cli_open_run_scene(const char *name, const char *text, const sp_scene_options *options,
                             const sp_host *host, sp_scene **scene, sp_error *err)
{
    if (!text) return sp_fail(err, SP_IO, "%s: could not be read", name);
    return sp_scene_open_text(name, text, strlen(text), options, host, scene, err);
}

/// What is wrong with a scene that was opened, before its solver allocates anything.
static int check_start(const cli_call *call, cli_machine *machine, sp_scene **scene)
{
    sp_error err = {0};
    cli_solver_files_open(machine, cli_value(call, "keep"));
    (*scene)->files = &machine->files;
    if (sp_scene_check_start(*scene, (double)machine->budget.limit, &err) == SP_OK) return CLI_FINE;
    cli_machine_refused(machine, &err);
    sp_scene_close(*scene);
    *scene = NULL;
    return CLI_BAD_INPUT;
}

int cli_open_scene_text(const cli_call *call, cli_machine *machine, const char *name,
                        const char *text, sp_scene **scene)
{
    const char *set[CLI_MOST_GIVEN];
    const sp_scene_options options = cli_scene_options(call, set);
    sp_error err = {0};
    *scene = NULL;
    if (sp_scene_open_text(name, text, strlen(text), &options, &machine->host, scene, &err) !=
        SP_OK)
        return cli_machine_refused(machine, &err);
    return check_start(call, machine, scene);
}

int cli_open_scene(const cli_call *call, cli_machine *machine, sp_scene **scene)
{
    const char *set[CLI_MOST_GIVEN];
    sp_scene_options options = cli_scene_options(call, set);
    sp_error err = {0};
    options.size = cli_value(call, "size");
    *scene = NULL;
    if (!cli_machine_open(machine, call)) return CLI_BAD_INPUT;
    if (sp_scene_open(call->operands[0], &options, &machine->host, scene, &err) != SP_OK)
        return cli_machine_refused(machine, &err);
    return check_start(call, machine, scene);
}

int cli_unknown_solver(const cli_call *call, const char *name)
{
    const char *names[32];
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    for (size_t i = 0; i < count && i < 31; ++i)
        names[i] = solvers[i]->name;
    names[count < 31 ? count : 31] = NULL;
    return cli_no_such(call, "solver", name, names, "spume errata");
}
