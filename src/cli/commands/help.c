// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

static void help_all(void)
{
    printf("Spume %s: bubbles, foam and whitewater for liquids.\n\n"
           "Usage: spume COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands:\n",
           SPUME_VERSION);
    for (int i = 0; cli_commands[i]; ++i)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->about);
    puts("\nOptions of every command:");
    cli_print_options(stdout, cli_global_options);
    puts("\nBegin with:\n"
         "  spume scenes\n"
         "  spume run pond/fig10\n"
         "  spume render out/fig10\n\n"
         "spume help COMMAND shows a command's options and examples.\n"
         "Exit status: 0 fine, 1 it failed or a run was interrupted, 2 bad input, 130 interrupted "
         "while drawing or exporting.");
}

static void help_command(const cli_command *command)
{
    printf("Usage: spume %s%s%s%s\n\n%c%s.\n", command->name, command->operands[0] ? " " : "",
           command->operands, command->options ? " [OPTIONS]" : "", command->about[0] - 'a' + 'A',
           command->about + 1);
    if (command->details) printf("%s", command->details);
    puts("\nOptions:");
    cli_print_options(stdout, command->options);
    cli_print_options(stdout, cli_global_options);
    printf("\nExamples:\n%s", command->examples);
}

static int run(const cli_call *call)
{
    // "spume run --help" arrives here too, with its own command in the call.
    const cli_command *about = cli_given(call, "help") ? call->command : NULL;
    if (!about && call->operand_count) {
        about = cli_find_command(call->operands[0]);
        if (!about)
            return cli_bad_input(call, "unknown command %s (spume help lists them)",
                                 call->operands[0]);
    }
    if (about)
        help_command(about);
    else
        help_all();
    return CLI_FINE;
}

const cli_command cli_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .most = 1,
    .about = "explain a command, with examples",
    .examples = "  spume help\n"
                "  spume help run\n",
    .run = run,
};
