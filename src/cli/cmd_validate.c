// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

typedef struct printer {
    const char *solver, *check;
} printer;

/// "0.2 +- 0.001", "1 within 0.05 %", "at most 3": what is allowed beside what was measured.
static void expectation(const sp_check_row *row, char *text, size_t size)
{
    switch (row->judge) {
    case SP_WITHIN:
        snprintf(text, size, "%.8g +- %.3g", row->expected, row->tolerance);
        break;
    case SP_RELATIVE:
        snprintf(text, size, "%.8g +- %.3g %%", row->expected, 100.0 * row->tolerance);
        break;
    case SP_AT_MOST:
        snprintf(text, size, "at most %.8g", row->expected);
        break;
    case SP_AT_LEAST:
        snprintf(text, size, "at least %.8g", row->expected);
        break;
    case SP_EXACT:
        snprintf(text, size, "exactly %.8g", row->expected);
        break;
    }
}

static void print_row(void *user, const sp_check_row *row, bool passed)
{
    const printer *p = user;
    char expected[96], name[96];
    expectation(row, expected, sizeof expected);
    snprintf(name, sizeof name, "%s/%s", p->solver, p->check);
    printf("%-4s  %-22s  %-54s  measured %-14.9g expected %-26s %s\n", passed ? "ok" : "MISS", name,
           row->what, row->measured, expected, row->why ? row->why : "");
    fflush(stdout); // a slow check is worth watching
}

/// Runs the checks of one solver whose names fit. Returns how many there were.
static int run_checks(const cli_call *call, const sp_solver_type *solver, const char *wanted,
                      sp_check_report *report, int *broken)
{
    int found = 0;
    for (size_t i = 0; i < solver->check_count; ++i) {
        const sp_check *check = &solver->checks[i];
        if (wanted && strcmp(check->name, wanted) != 0) continue;
        ++found;
        if (cli_given(call, "list")) {
            printf("%s/%-20s %s%s\n", solver->name, check->name, check->slow ? "(long) " : "",
                   check->about);
            continue;
        }
        if (check->slow && !wanted && !cli_given(call, "long")) continue;
        printer p = {solver->name, check->name};
        sp_error err = {0};
        report->user = &p;
        if (check->run(report, &err) == SP_OK) continue;
        ++*broken;
        cli_say(call, SP_LOG_ERROR, "%s/%s could not be made: %s", solver->name, check->name,
                err.text);
    }
    return found;
}

static int run(const cli_call *call)
{
    cli_machine machine;
    if (!cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    char name[64] = "";
    const char *check = NULL;
    if (call->operand_count) {
        check = strchr(call->operands[0], '/');
        const size_t length =
            check ? (size_t)(check++ - call->operands[0]) : strlen(call->operands[0]);
        snprintf(name, sizeof name, "%.*s", (int)length, call->operands[0]);
        if (!sp_scene_solver(name)) return cli_unknown_solver(call, name);
    }
    size_t count;
    int found = 0, broken = 0;
    sp_check_report report = {.host = &machine.host, .row = print_row};
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    for (size_t i = 0; i < count; ++i)
        if (!name[0] || strcmp(solvers[i]->name, name) == 0)
            found += run_checks(call, solvers[i], check, &report, &broken);
    if (check && !found)
        return cli_bad_input(call, "no check %s of %s (spume validate --list names them)", check,
                             name);
    if (cli_given(call, "list")) return CLI_FINE;
    printf("%d passed, %d missed%s\n", report.passed, report.missed,
           cli_given(call, "long") || check ? "" : " (--long runs the slow ones too)");
    return report.missed || broken ? CLI_FAILED : CLI_FINE;
}

static const cli_option options[] = {
    {"long", 0, NULL, "run the slow checks too"},
    {"list", 0, NULL, "name the checks, run none"},
    {"threads", 0, "N", "threads (default: all); the answer is the same"},
    {0},
};

const cli_command cli_validate = {
    .name = "validate",
    .operands = "[SOLVER[/CHECK]]",
    .most = 1,
    .about = "measure the physics against theory and the papers",
    .details =
        "A row says what was measured, what was expected, how far apart they may be and why.\n"
        "Exit status 1 when a row misses.\n",
    .examples = "  spume validate\n"
                "  spume validate pond --long\n"
                "  spume validate pond/standing_wave\n",
    .options = options,
    .run = run,
};
