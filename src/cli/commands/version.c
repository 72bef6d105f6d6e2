// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

static int run(const cli_call *call)
{
    const sp_host host = sp_host_default(1);
    sp_text text = {.host = &host};
    if (cli_given(call, "json")) {
        cli_build_json(&text);
        sp_text_add(&text, "\n");
    } else {
        cli_build_text(stdout);
    }
    return cli_print(call, &text);
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
