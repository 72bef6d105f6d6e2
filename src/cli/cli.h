// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_H
#define SP_CLI_H

/// The program. A command is one file with one cli_command; main.c lists them. Exit status: 0 fine,
/// 1 the run failed (or was interrupted), 2 bad input.

#include "core/solver_type.h"
#include "frame/frame.h"

#include <spume/spume.h>

#include <stdio.h>

enum { CLI_FINE = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };

/// One long option: "--name", or "--name VALUE" if `value` is not NULL.
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
    const char *examples;             ///< lines with complete commands
    const cli_option *options;        ///< ends with a zeroed one; NULL: none
    int (*run)(const cli_call *call); ///< returns the exit status
} cli_command;

extern const cli_command *const cli_commands[]; ///< ends with NULL
const cli_command *cli_find_command(const char *name);

/// ---- Options (parse_options.c) -----------------------------------------------------------------

enum { CLI_MOST_GIVEN = 256 };

/// A parsed command line.
struct cli_call {
    const cli_command *command;
    char **operands; ///< of the command, stored in argv
    int operand_count;
    const cli_option *given[CLI_MOST_GIVEN];
    const char *values[CLI_MOST_GIVEN]; ///< NULL for switches
    int given_count;
    bool quiet, json, color;
};

/// Parses the arguments. On bad input it prints an error and returns false.
bool cli_parse(int argc, char **argv, cli_call *call);
bool cli_given(const cli_call *call, const char *option);
const char *cli_value(const cli_call *call, const char *option); ///< the last one given, or NULL
/// A whole number between low and high; `*number` does not change if the option is not given.
bool cli_number(const cli_call *call, const char *option, long low, long high, long *number);
/// The same for any number.
bool cli_real(const cli_call *call, const char *option, double low, double high, double *number);
/// "12" (0 to 12) or "3-12" (*is_range is true); nothing changes if the option is not given.
bool cli_range(const cli_call *call, const char *option, uint64_t *first, uint64_t *last,
               bool *is_range);
/// The place of the option's word in a NULL-terminated list; `*place` does not change if the option
/// is not given.
bool cli_word(const cli_call *call, const char *option, const char *const *words, int *place);
void cli_print_options(FILE *out, const cli_option *options);
extern const cli_option cli_global_options[];

/// ---- Messages to the user (messages.c) ---------------------------------------------------------

/// One sentence on stderr after "spume: ", or as a JSON line with --log json.
void cli_say(const cli_call *call, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);
int cli_bad_input(const cli_call *call, const char *format, ...) SP_PRINTF(2, 3);
bool cli_refuse(const cli_call *call, const char *format, ...) SP_PRINTF(2, 3); ///< false
/// Prints the error and returns the exit status: 2 for bad input, else 1.
int cli_failed(const cli_call *call, const sp_error *err);
/// The same for an error while reading input: 2, or 1 if memory ran out.
int cli_unreadable(const cli_call *call, const sp_error *err);
/// Prints "unknown KIND WORD; did you mean X?" with X from a NULL-terminated list, or the command
/// that lists them.
int cli_no_such(const cli_call *call, const char *kind, const char *word, const char *const *words,
                const char *lister);

/// Prints a text on stdout and releases it. Returns the exit status.
int cli_print(const cli_call *call, sp_text *text);

/// ---- The machine (host.c) ----------------------------------------------------------------------

/// The environment of a command: the default host with --threads, a log to stderr, and a memory
/// budget (80 % of RAM or of what ulimit -v leaves, or --memory). It must not be moved: hosts point into it.
typedef struct cli_machine {
    const cli_call *call;
    int threads; ///< for libraries with threads of their own: of --threads; 0: any number
    sp_host base, host;
    sp_budget budget;
    sp_setup_files files;       ///< for solvers (options/solver_files.c)
    const char *kept;           ///< the run whose frames they may read
    struct sp_frame_file *past; ///< one of them
    struct cli_water *waters;   ///< scenes that belong to waters
} cli_machine;
bool cli_machine_open(cli_machine *machine, const cli_call *call);
/// Like cli_unreadable(); if the --memory limit was the cause, the message says so and how much was
/// needed.
int cli_machine_refused(const cli_machine *machine, const sp_error *err);
/// Starts progress on stderr as the options say: one line that is redrawn on a terminal, else a
/// line now and then, JSON, or nothing. `last` is the final number.
void cli_progress_begin(sp_progress *progress, const cli_machine *machine, uint64_t last);

/// ---- Ctrl-C (interrupt.c) ----------------------------------------------------------------------

/// From here on the first SIGINT or SIGTERM only sets a flag, so that the current work is
/// completed; a second one ends the program at once.
void cli_catch_interrupts(void);
bool cli_was_interrupted(void *user); ///< `user` is ignored

/// ---- The build (build_info.c) ------------------------------------------------------------------

/// Version, compiler, options and libraries as a JSON object, without clocks or machine names.
void cli_build_json(sp_text *out);
void cli_build_text(FILE *out);

#endif
