// SPDX-License-Identifier: Apache-2.0
#include "validate/validate.h"

#include "cache/cache.h"
#include "cli/commands.h"

#include <string.h>

typedef struct printer {
    const char *subject, *check;
    const char *curves; ///< directory for curves; NULL: none are wanted
    bool unwritten;     ///< a curve could not be written
} printer;

/// The allowed values: "0.2 +- 0.001", "1 within 0.05 %", "at most 3".
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
    case SP_REPORTED:
        snprintf(text, size, "(reported)");
        break;
    }
}

static void print_row(void *user, const sp_check_row *row, bool passed)
{
    const printer *p = user;
    char expected[96], name[96];
    expectation(row, expected, sizeof expected);
    snprintf(name, sizeof name, "%s/%s", p->subject, p->check);
    const char *verdict = row->judge == SP_REPORTED ? "--" : passed ? "ok" : "MISS";
    printf("%-4s  %-22s  %-54s  measured %-14.9g expected %-26s %s\n", verdict, name, row->what,
           row->measured, expected, row->why ? row->why : "");
    fflush(stdout); // show the rows of a slow check at once
}

/// DIR/<subject>_<name>.csv: a line of names, then one of numbers for each point.
static void write_curve(void *user, const char *name, const char *columns, const double *values,
                        size_t rows)
{
    printer *p = user;
    char path[1024];
    size_t width = 1;
    for (const char *c = columns; *c; ++c)
        width += *c == ',';
    snprintf(path, sizeof path, "%s/%s_%s.csv", p->curves, p->subject, name);
    const sp_host host = sp_host_default(1);
    sp_text text = {.host = &host};
    sp_text_format(&text, "%s\n", columns);
    for (size_t i = 0; i < rows * width; ++i)
        sp_text_format(&text, "%.7g%c", values[i], (i + 1) % width ? ',' : '\n');
    sp_error err = {.text = "no memory"};
    const sp_file_part all = {text.bytes, text.size};
    if (text.failed || sp_file_write(path, &all, 1, false, &err) != SP_OK) {
        fprintf(stderr, "spume: %s\n", err.text);
        p->unwritten = true;
    }
    sp_text_close(&text);
}

/// Runs the checks of one subject whose names fit. Returns how many there were.
static int run_checks(const cli_call *call, const sp_subject *whose, const char *wanted,
                      sp_check_report *report, int *broken)
{
    int found = 0;
    for (size_t i = 0; i < whose->count; ++i) {
        const sp_check *check = &whose->checks[i];
        if (wanted && strcmp(check->name, wanted) != 0) continue;
        ++found;
        if (cli_given(call, "list")) {
            printf("%s/%-20s %s%s\n", whose->name, check->name, check->slow ? "(long) " : "",
                   check->about);
            continue;
        }
        if (check->slow && !wanted && !cli_given(call, "long")) continue;
        printer p = {whose->name, check->name, cli_value(call, "curves"), false};
        sp_error err = {0};
        report->user = &p;
        const sp_status status = check->run(report, &err);
        *broken += status != SP_OK || p.unwritten;
        if (status == SP_OK) continue;
        cli_say(call, SP_LOG_ERROR, "%s/%s could not be made: %s", whose->name, check->name,
                err.text);
    }
    return found;
}

static int run(const cli_call *call)
{
    cli_machine machine;
    if (!cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    const char *names[SP_SUBJECTS + 1] = {NULL}, *check = NULL;
    char name[64] = "";
    if (call->operand_count) {
        check = strchr(call->operands[0], '/');
        const size_t length =
            check ? (size_t)(check++ - call->operands[0]) : strlen(call->operands[0]);
        snprintf(name, sizeof name, "%.*s", (int)length, call->operands[0]);
    }
    int found = 0, broken = 0;
    bool known = !name[0];
    sp_error err = {0};
    if (cli_given(call, "curves") && sp_cache_dir_make(cli_value(call, "curves"), &err) != SP_OK)
        return cli_failed(call, &err);
    sp_check_report report = {.host = &machine.host,
                              .row = print_row,
                              .curve = cli_value(call, "curves") ? write_curve : NULL};
    for (size_t i = 0; i < SP_SUBJECTS; ++i) {
        names[i] = sp_subjects[i]->name;
        if (name[0] && strcmp(names[i], name) != 0) continue;
        known = true;
        found += run_checks(call, sp_subjects[i], check, &report, &broken);
    }
    if (!known) return cli_no_such(call, "subject", name, names, "spume validate --list");
    if (check && !found)
        return cli_bad_input(call, "no check %s of %s (spume validate --list names them)", check,
                             name);
    if (cli_given(call, "list")) return CLI_FINE;
    printf("%d passed, %d missed, %d reported%s\n", report.passed, report.missed, report.reported,
           cli_given(call, "long") || check ? "" : " (--long runs the slow ones too)");
    return report.missed || broken ? CLI_FAILED : CLI_FINE;
}

static const cli_option options[] = {
    {"long", 0, NULL, "run the slow checks too"},
    {"list", 0, NULL, "list the checks, run none"},
    {"curves", 0, "DIR", "write measured curves to this directory, as CSV"},
    {"threads", 0, "N", "threads (default: all); the result is the same"},
    {0},
};

const cli_command cli_validate = {
    .name = "validate",
    .operands = "[SUBJECT[/CHECK]]",
    .most = 1,
    .about = "compare physics, surfaces and pictures with theory and the papers",
    .details =
        "A row says what was measured, what was expected, how far apart they may be and why.\n"
        "Rows that begin with -- are reported only: nothing is expected of them. Exit status 1 "
        "when\n"
        "a row misses.\n",
    .examples = "  spume validate\n"
                "  spume validate pond --long\n"
                "  spume validate pond/standing_wave\n"
                "  spume validate render\n"
                "  spume validate sph/dam --curves .\n",
    .options = options,
    .run = run,
};
