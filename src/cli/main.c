// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const cli_command *const cli_commands[] = {
    &cli_run,    &cli_whitewater, &cli_check,     &cli_scenes,  &cli_info,     &cli_import,
    &cli_export, &cli_surface,    &cli_render,    &cli_page,    &cli_validate, &cli_bench,
    &cli_errata, &cli_schema,     &cli_reference, &cli_version, &cli_help,     NULL,
};

const cli_command *cli_find_command(const char *name)
{
    for (int i = 0; cli_commands[i]; ++i)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

/// Colours on a terminal, unless NO_COLOR is set (no-color.org).
static bool wants_color(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && no[0]) && !(term && strcmp(term, "dumb") == 0);
}

/// Output to a full disk or a closed pipe is a failure.
static int flushed(const cli_call *call, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    cli_say(call, SP_LOG_ERROR, "cannot write to standard output");
    return status ? status : CLI_FAILED;
}

/// glibc raises its mmap threshold to the size of freed blocks, so later large blocks come from the
/// heap and fragment it: a run then holds half as much again as it uses (dam_break: 178 MB instead
/// of 117). With a fixed threshold large blocks are mapped and go back to the system when freed.
static void fix_mmap_threshold(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/// clang's OpenMP notes in shared memory, under the number of its process, that it runs. A process that is
/// killed leaves the note, and a later one of the same number would end with "OMP: Error #15". Nothing of ours
/// runs yet, so such a note is stale. Only its owner can remove it.
static void remove_stale_note_of_openmp(void)
{
    char name[64];
    snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
    shm_unlink(name);
}

int main(int argc, char **argv)
{
    fix_mmap_threshold();
    remove_stale_note_of_openmp();
    signal(SIGXFSZ, SIG_IGN); // a file size limit is handled like a full disk
    cli_call call = {.color = wants_color()};
    // "spume --version", as in other programs
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return flushed(&call, cli_version.run(&call));
    if (!cli_parse(argc, argv, &call)) return CLI_BAD_INPUT;
    const bool help = cli_given(&call, "help");
    if (!call.command && !help)
        return cli_bad_input(&call, "no command given (spume help lists them)");
    return flushed(&call, help ? cli_help.run(&call) : call.command->run(&call));
}
