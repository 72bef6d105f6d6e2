// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

static int run(const cli_call *call)
{
    if (cli_given(call, "json")) {
        cli_build_json(stdout);
        putchar('\n');
    } else {
        cli_build_text(stdout);
    }
    return CLI_FINE;
}

static const cli_option options[] = {{"json", 0, NULL, "as one JSON object"}, {0}};

const cli_command cli_version = {
    .name = "version",
    .operands = "",
    .about = "print the version, how it was built and its libraries",
    .examples = "  spume version\n"
                "  spume version --json\n",
    .options = options,
    .run = run,
};
