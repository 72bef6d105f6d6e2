// SPDX-License-Identifier: Apache-2.0
/// Opens the scene that a command was given, with its options.
#include "cli/commands.h"
#include "scene/scene.h"

#include <string.h>

static sp_status try_solid(const sp_scene *scene, const char *list, size_t i,
                           const sp_collider_def *def, sp_error *err)
{
    sp_shape *shape;
    if (sp_shape_open(def, NULL, scene->host, &shape, err) != SP_OK) {
        const char *key = !def->shape.mesh       ? ""
                          : err->status == SP_IO ? ".shape.mesh.file"
                                                 : ".shape.mesh";
        sp_error_prefix(err, "%s: %s[%zu]%s: ", scene->name, list, i, key);
        return err->status;
    }
    sp_shape_close(shape);
    return SP_OK;
}

/// Mesh files are read here once, so that a run does not begin with one that cannot be used.
static sp_status try_shapes(const sp_scene *scene, sp_error *err)
{
    const sp_world_def *w = &scene->common.world;
    for (size_t i = 0; i < w->collider_count; ++i)
        SP_TRY(try_solid(scene, "colliders", i, &w->colliders[i], err));
    for (size_t i = 0; i < w->emitter_count; ++i)
        if (w->emitters[i].mode != SP_EMIT_JET)
            SP_TRY(try_solid(scene, "emitters", i,
                             &(sp_collider_def){.shape = w->emitters[i].shape}, err));
    for (size_t i = 0; i < w->sink_count; ++i)
        SP_TRY(try_solid(scene, "sinks", i, &(sp_collider_def){.shape = w->sinks[i].shape}, err));
    return SP_OK;
}

int cli_open_scene(const cli_call *call, cli_machine *machine, sp_scene **scene)
{
    const char *set[CLI_MOST_GIVEN];
    sp_scene_options options = {.size = cli_value(call, "size"), .set = set};
    sp_error err = {0};
    for (int i = 0; i < call->given_count; ++i)
        if (strcmp(call->given[i]->name, "set") == 0) set[options.set_count++] = call->values[i];
    *scene = NULL;
    if (!cli_machine_open(machine, call)) return CLI_BAD_INPUT;
    if (sp_scene_open(call->operands[0], &options, &machine->host, scene, &err) != SP_OK)
        return cli_machine_refused(machine, &err);
    if (sp_scene_check_memory(*scene, (double)machine->budget.limit, &err) == SP_OK &&
        try_shapes(*scene, &err) == SP_OK)
        return CLI_FINE;
    cli_machine_refused(machine, &err);
    sp_scene_close(*scene);
    *scene = NULL;
    return CLI_BAD_INPUT; // refused before the solver allocates anything
}

sp_status cli_open_solver(const sp_scene *scene, const sp_host *host, void **solver, sp_error *err)
{
    const sp_setup setup = sp_scene_setup(scene);
    const sp_status status = scene->solver->open(&setup, host, solver, err);
    if (status == SP_BAD_SCENE) sp_error_prefix(err, "%s: ", scene->name);
    return status;
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
