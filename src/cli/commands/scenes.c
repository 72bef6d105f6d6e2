// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <inttypes.h>
#include <string.h>

/// A built-in scene that does not open is a bug, but the list must still appear.
static void print_scene(const sp_host *host, const char *name, int width)
{
    sp_scene *scene;
    sp_error err = {0};
    if (sp_scene_open(name, NULL, host, &scene, &err) != SP_OK) {
        printf("%-*s (%s)\n", width, name, err.text);
        return;
    }
    printf("%-*s %5" PRIu64 " frames  %s\n", width, name, scene->common.frames,
           scene->common.about ? scene->common.about : "");
    sp_scene_close(scene);
}

static int print_text(const cli_call *call, const sp_scene_builtin *scenes, size_t count)
{
    const char *names[256];
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(scenes[i].name, call->operands[0]) == 0) {
            fwrite(scenes[i].text, 1, scenes[i].length, stdout);
            return CLI_FINE;
        }
        if (n < 255) names[n++] = scenes[i].name;
    }
    names[n] = NULL;
    return cli_no_such(call, "scene", call->operands[0], names, "spume scenes");
}

static int run(const cli_call *call)
{
    size_t count;
    const sp_scene_builtin *scenes = sp_scene_builtins(&count);
    if (call->operand_count) return print_text(call, scenes, count);
    const sp_host host = sp_host_default(1);
    int width = 0;
    for (size_t i = 0; i < count; ++i) {
        const int length = (int)strlen(scenes[i].name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < count; ++i)
        print_scene(&host, scenes[i].name, width);
    return CLI_FINE;
}

const cli_command cli_scenes = {
    .name = "scenes",
    .operands = "[NAME]",
    .most = 1,
    .about = "list the built-in scenes, or print one as a start for your own",
    .examples = "  spume scenes\n"
                "  spume scenes pond/fig10 > my.json\n",
    .run = run,
};
