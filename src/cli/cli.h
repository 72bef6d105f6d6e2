// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_H
#define SP_CLI_H

/// The program. A command is one file with one cli_command; main.c lists them. Exit status: 0 fine,
/// 1 the run failed (or was interrupted), 2 bad input.

#include "frame/frame.h"

#include <spume/spume.h>

#include <stdio.h>

enum { CLI_FINE = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };

/// One long option: "--name", or "--name VALUE" when `value` says what stands there.
typedef struct cli_option {
    const char *name;
    char letter;       ///< "-o" beside "--output"; 0: none
    const char *value; ///< "DIR"; NULL for a switch
    const char *about; ///< one line
} cli_option;

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name;
    const char *operands;             ///< "SCENE", "[NAME]" or "", for the usage line
    int least, most;                  ///< operands
    const char *about;                ///< one line
    const char *details;              ///< a few lines; may be NULL
    const char *examples;             ///< lines with the command as one would type it
    const cli_option *options;        ///< ends with a zeroed one; NULL: none
    int (*run)(const cli_call *call); ///< returns the exit status
} cli_command;

extern const cli_command *const cli_commands[]; ///< ends with NULL
const cli_command *cli_find_command(const char *name);

/// ---- Options (parse_options.c) -----------------------------------------------------------------

enum { CLI_MOST_GIVEN = 256 };

/// A command line, taken apart.
struct cli_call {
    const cli_command *command;
    char **operands; ///< as many as the command takes, kept in argv
    int operand_count;
    const cli_option *given[CLI_MOST_GIVEN];
    const char *values[CLI_MOST_GIVEN]; ///< NULL for switches
    int given_count;
    bool quiet, json, color;
};

/// Reads what follows the program's name. On bad input it says what is wrong and returns false.
bool cli_parse(int argc, char **argv, cli_call *call);
bool cli_given(const cli_call *call, const char *option);
const char *cli_value(const cli_call *call, const char *option); ///< the last one given, or NULL
/// A whole number between low and high; `*number` stays when the option is not given.
bool cli_number(const cli_call *call, const char *option, long low, long high, long *number);
/// "12" (0 to 12) or "3-12"; both stay when the option is not given. *is_range tells which.
bool cli_range(const cli_call *call, const char *option, uint64_t *first, uint64_t *last,
               bool *is_range);
void cli_print_options(FILE *out, const cli_option *options);
extern const cli_option cli_global_options[];

/// ---- Words to the user (messages.c) ------------------------------------------------------------

/// One sentence on stderr after "spume: ", or as a JSON line with --log json.
void cli_say(const cli_call *call, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);
int cli_bad_input(const cli_call *call, const char *format, ...) SP_PRINTF(2, 3);
/// Says the error and turns it into the exit status: 2 when the input is to blame, else 1.
int cli_failed(const cli_call *call, const sp_error *err);
/// The same for an error met while reading input: 2, whatever it was, but for want of memory.
int cli_unreadable(const cli_call *call, const sp_error *err);
/// "unknown KIND WORD; did you mean X?" out of a NULL-ended list, or which command lists them.
int cli_no_such(const cli_call *call, const char *kind, const char *word, const char *const *words,
                const char *lister);
/// A text in double quotes with JSON's escapes; a number, null when it is not finite.
void cli_json_text(FILE *out, const char *text);
void cli_json_number(FILE *out, double number);

/// ---- The machine (host.c) ----------------------------------------------------------------------

/// What a command runs on: the ordinary host with --threads, a log that goes to stderr, and a
/// memory budget (80 % of RAM, or --memory). Stays where it is: hosts point into it.
typedef struct cli_machine {
    const cli_call *call;
    sp_host base, host;
    sp_budget budget;
} cli_machine;
bool cli_machine_open(cli_machine *machine, const cli_call *call);
/// cli_unreadable for what ran on the machine: where --memory refused memory it is to blame, and the
/// sentence says how much would have been needed.
int cli_machine_refused(const cli_machine *machine, const sp_error *err);
/// Progress on stderr as the call wants it: a line that is drawn over itself on a terminal, lines now and then
/// elsewhere, JSON, or nothing. `last` is the number that ends it.
void cli_progress_begin(sp_progress *progress, const cli_machine *machine, uint64_t last);

/// ---- Ctrl-C (interrupt.c) ----------------------------------------------------------------------

/// From here on the first SIGINT or SIGTERM is only remembered, so that what is under way ends
/// whole; a second one ends the program at once.
void cli_catch_interrupts(void);
bool cli_was_interrupted(void *user); ///< `user` is not looked at

/// ---- The build (build_info.c) ------------------------------------------------------------------

/// Version, compiler, options and libraries as a JSON object, without clocks or machine names.
void cli_build_json(FILE *out);
void cli_build_text(FILE *out);

#endif
