// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

typedef sp_status make_text(const sp_host *host, char **text, sp_error *err);

static int print_made(const cli_call *call, make_text *make)
{
    const sp_host host = sp_host_default(1);
    sp_error err = {0};
    char *text;
    if (make(&host, &text, &err) != SP_OK) return cli_failed(call, &err);
    fputs(text, stdout);
    sp_release(&host, text);
    return CLI_FINE;
}

static int run_schema(const cli_call *call)
{
    return print_made(call, sp_scene_schema);
}

static int run_reference(const cli_call *call)
{
    return print_made(call, sp_scene_reference);
}

const cli_command cli_schema = {
    .name = "schema",
    .operands = "",
    .about = "print the JSON Schema of scenes, for editors",
    .examples = "  spume schema > spume.schema.json\n",
    .run = run_schema,
};

const cli_command cli_reference = {
    .name = "reference",
    .operands = "",
    .about = "print the scene reference in Markdown: every key, unit, default and range",
    .examples = "  spume reference > docs/scene.md\n"
                "  spume reference | less\n",
    .run = run_reference,
};
