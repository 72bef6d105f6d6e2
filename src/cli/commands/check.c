// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/output/run_pace.h"

#include <inttypes.h>

static void summarise(const sp_scene *scene, double limit, int threads)
{
    const sp_scene_common *c = &scene->common;
    char need[32], allowed[32], long_text[32], time[32];
    sp_seconds_text(sp_scene_seconds(scene, threads), time, sizeof time);
    sp_bytes_text(scene->estimate, need, sizeof need);
    sp_bytes_text(limit, allowed, sizeof allowed);
    sp_seconds_text((double)c->frames / c->fps, long_text, sizeof long_text);
    printf("scene    %s%s%s\n", scene->name, c->about ? ": " : "", c->about ? c->about : "");
    printf("solver   %s: %s\n", scene->solver->name, scene->solver->about);
    printf("size     %s\n", scene->size);
    printf("frames   %" PRIu64 " at %g a second: %s\n", c->frames, c->fps, long_text);
    printf("seed     %" PRIu64 "\n", c->seed);
    printf("memory   about %s, of %s allowed\n", need, allowed);
    printf("time     about %s on %d thread%s\n", time, threads, threads == 1 ? "" : "s");
    printf("hash     %016" PRIx64 "\n", scene->hash);
}

static int print_resolved(const cli_call *call, const sp_scene *scene)
{
    sp_error err = {0};
    char *text;
    if (sp_scene_resolved(scene, &text, &err) != SP_OK) return cli_failed(call, &err);
    fputs(text, stdout);
    sp_release(scene->host, text);
    return CLI_FINE;
}

/// To set up a scene takes about a second for each gigabyte, so a large one says first how large it is.
static void announce_large(const cli_call *call, const sp_scene *scene)
{
    char need[32];
    if (scene->estimate < 1e9) return;
    sp_bytes_text(scene->estimate, need, sizeof need);
    cli_say(call, SP_LOG_INFO, "%s: about %s of memory; to set it up for a check takes a while",
            scene->name, need);
}

/// Some of what a run refuses only shows in shapes that meet: water that lies in solids, a jet that
/// opens into a wall. So the solver is opened as a run opens it, and makes its first frame.
static int try_start(const cli_call *call, const cli_machine *machine, const sp_scene *scene)
{
    sp_driver *driver;
    sp_error err = {0};
    const double memory = (double)machine->budget.limit;
    const sp_frame *frame;
    announce_large(call, scene);
    sp_status status =
        sp_scene_drive(scene, memory, (sp_watch){0}, NULL, &machine->host, &driver, &err);
    if (status == SP_OK) status = sp_driver_frame(driver, &frame, &err);
    sp_driver_close(driver);
    if (status == SP_NO_MEMORY) return cli_machine_refused(machine, &err);
    return status == SP_OK ? CLI_FINE : cli_failed(call, &err);
}

static int run(const cli_call *call)
{
    cli_machine machine;
    sp_scene *scene;
    int code = cli_open_scene(call, &machine, &scene);
    if (code != CLI_FINE) return code;
    if (cli_given(call, "resolved"))
        code = print_resolved(call, scene);
    else if ((code = cli_check_time(call, &machine, scene)) == CLI_FINE)
        code = try_start(call, &machine, scene);
    if (code == CLI_FINE && !call->quiet && !cli_given(call, "resolved"))
        summarise(scene, (double)machine.budget.limit, machine.host.threads);
    sp_scene_close(scene);
    return code;
}

static const cli_option options[] = {
    CLI_SCENE_OPTIONS,
    {"resolved", 0, NULL, "print the scene with every default filled in"},
    {0},
};

const cli_command cli_check = {
    .name = "check",
    .operands = "SCENE",
    .least = 1,
    .most = 1,
    .about = "check a scene and print its frames, memory and time, without running it",
    .details =
        "The solver is opened at time 0, so that every error of a run's start is found here. Exit\n"
        "status 2 then. The time is a rough estimate from the scene's numbers.\n",
    .examples = "  spume check pond/fig10\n"
                "  spume check my.json --size full\n"
                "  spume check pond/fig7 --resolved > my.json\n",
    .options = options,
    .run = run,
};
