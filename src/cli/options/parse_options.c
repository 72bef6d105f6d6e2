// SPDX-License-Identifier: Apache-2.0
/// Parses the command line and prints help about options.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const cli_option cli_global_options[] = {
    {"quiet", 'q', NULL, "print errors only"},
    {"log", 0, "json", "messages and progress as JSON lines on stderr"},
    {"no-color", 0, NULL, "no colours (NO_COLOR in the environment does the same)"},
    {"help", 'h', NULL, "this help"},
    {0},
};

static const cli_option *find_in(const cli_option *options, const char *name, size_t length)
{
    for (; options && options->name; ++options)
        if (strlen(options->name) == length && strncmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const cli_option *find_letter(const cli_option *options, char letter)
{
    for (; options && options->name; ++options)
        if (options->letter == letter) return options;
    return NULL;
}

static const cli_option *command_options(const cli_call *call)
{
    return call->command ? call->command->options : NULL;
}

static bool unknown_option(const cli_call *call, const char *word)
{
    const char *words[64];
    size_t n = 0;
    const cli_option *tables[] = {command_options(call), cli_global_options};
    for (int t = 0; t < 2; ++t)
        for (const cli_option *o = tables[t]; o && o->name && n < 63; ++o)
            words[n++] = o->name;
    words[n] = NULL;
    char bare[64];
    const char *name = word + strspn(word, "-");
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "="), name);
    const char *near = sp_word_nearest(words, bare);
    return cli_refuse(call, "unknown option %s%s%s%s (spume help%s%s lists them)", word,
                      near ? "; did you mean --" : "", near ? near : "", near ? "?" : "",
                      call->command ? " " : "", call->command ? call->command->name : "");
}

static bool keep(cli_call *call, const cli_option *option, const char *value)
{
    if (call->given_count == CLI_MOST_GIVEN)
        return cli_refuse(call, "more than %d options", (int)CLI_MOST_GIVEN);
    call->given[call->given_count] = option;
    call->values[call->given_count++] = value;
    if (strcmp(option->name, "quiet") == 0) call->quiet = true;
    if (strcmp(option->name, "no-color") == 0) call->color = false;
    if (strcmp(option->name, "log") != 0) return true;
    call->json = strcmp(value, "json") == 0;
    return call->json || cli_refuse(call, "--log %s; expected json", value);
}

/// Parses the option at argv[*at]; its value follows "=" or is the next argument.
static bool take_option(cli_call *call, char **argv, int argc, int *at)
{
    const char *word = argv[*at], *value = NULL;
    const cli_option *option;
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        option = find_in(command_options(call), word + 2, length);
        if (!option) option = find_in(cli_global_options, word + 2, length);
        if (word[2 + length]) value = word + 3 + length;
    } else {
        option = find_letter(command_options(call), word[1]);
        if (!option) option = find_letter(cli_global_options, word[1]);
        if (word[2]) value = word + 2; // -oDIR
    }
    if (!option) return unknown_option(call, word);
    if (!option->value && value) return cli_refuse(call, "--%s takes no value", option->name);
    if (option->value && !value) {
        if (*at + 1 == argc)
            return cli_refuse(call, "--%s needs a value: --%s %s", option->name, option->name,
                              option->value);
        value = argv[++*at];
    }
    return keep(call, option, value);
}

static bool unknown_command(const cli_call *call, const char *word)
{
    const char *words[32];
    size_t n = 0;
    for (; cli_commands[n] && n < 31; ++n)
        words[n] = cli_commands[n]->name;
    words[n] = NULL;
    cli_no_such(call, "command", word, words, "spume help");
    return false;
}

static bool take_operand(cli_call *call, char *word)
{
    if (!call->command) {
        call->command = cli_find_command(word);
        return call->command || unknown_command(call, word);
    }
    if (call->operand_count == call->command->most)
        return cli_refuse(call, "%s takes no further argument, but got %s", call->command->name,
                          word);
    call->operands[call->operand_count++] = word;
    return true;
}

bool cli_parse(int argc, char **argv, cli_call *call)
{
    bool only_operands = false; // after "--"
    call->operands = argv + 1;  // there is room: the command's own word comes before them
    for (int i = 1; i < argc; ++i) {
        char *word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0)
            only_operands = true;
        else if (!only_operands && word[0] == '-' && word[1]) {
            if (!take_option(call, argv, argc, &i)) return false;
        } else if (!take_operand(call, word))
            return false;
    }
    if (!call->command || cli_given(call, "help")) return true;
    if (call->operand_count >= call->command->least) return true;
    return cli_refuse(call, "%s needs %s (spume help %s shows examples)", call->command->name,
                      call->command->operands, call->command->name);
}

const char *cli_value(const cli_call *call, const char *option)
{
    for (int i = call->given_count - 1; i >= 0; --i)
        if (strcmp(call->given[i]->name, option) == 0)
            return call->values[i] ? call->values[i] : "";
    return NULL;
}

bool cli_given(const cli_call *call, const char *option)
{
    return cli_value(call, option) != NULL;
}

/// Parses a whole number at the start of the text, and its end; false if there is none or it is too
/// large.
static bool read_whole(const char *text, uint64_t *number, const char **end)
{
    if (text[0] < '0' || text[0] > '9') return false;
    char *stop;
    errno = 0;
    *number = strtoull(text, &stop, 10);
    *end = stop;
    return errno == 0;
}

bool cli_number(const cli_call *call, const char *option, long low, long high, long *number)
{
    const char *text = cli_value(call, option), *end;
    uint64_t value;
    if (!text) return true;
    if (!read_whole(text, &value, &end) || *end || value < (uint64_t)low || value > (uint64_t)high)
        return cli_refuse(call, "--%s %s; expected a whole number from %ld to %ld", option, text,
                          low, high);
    *number = (long)value;
    return true;
}

bool cli_real(const cli_call *call, const char *option, double low, double high, double *number)
{
    const char *text = cli_value(call, option);
    if (!text) return true;
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end || errno != 0 || !(value >= low && value <= high))
        return cli_refuse(call, "--%s %s; expected a number from %g to %g", option, text, low,
                          high);
    *number = value;
    return true;
}

bool cli_range(const cli_call *call, const char *option, uint64_t *first, uint64_t *last,
               bool *is_range)
{
    const char *text = cli_value(call, option), *end;
    uint64_t a, b;
    *is_range = false;
    if (!text) return true;
    bool good = read_whole(text, &a, &end);
    b = a;
    if (good && *end == '-') {
        *is_range = true;
        good = read_whole(end + 1, &b, &end);
    }
    if (!good || *end || b < a || b > 999999)
        return cli_refuse(call, "--%s %s; expected a frame or a range such as 0-100, up to 999999",
                          option, text);
    *first = a;
    *last = b;
    return true;
}

bool cli_word(const cli_call *call, const char *option, const char *const *words, int *place)
{
    const char *text = cli_value(call, option);
    char list[120];
    for (int i = 0; text && words[i]; ++i)
        if (strcmp(words[i], text) == 0) {
            *place = i;
            return true;
        }
    sp_words_text(words, list, sizeof list);
    return !text || cli_refuse(call, "--%s %s; expected %s", option, text, list);
}

void cli_print_options(FILE *out, const cli_option *options)
{
    for (; options && options->name; ++options) {
        char left[64];
        const char letter[] = {'-', options->letter, ',', ' ', '\0'};
        snprintf(left, sizeof left, "  %s--%s%s%s", options->letter ? letter : "    ",
                 options->name, options->value ? " " : "", options->value ? options->value : "");
        fprintf(out, "%-28s %s\n", left, options->about);
    }
}
