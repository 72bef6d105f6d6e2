// SPDX-License-Identifier: Apache-2.0
/// Messages to the user, and JSON text.
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>

void cli_json_text(FILE *out, const char *text)
{
    char letter[8];
    fputc('"', out);
    for (size_t n; *text; text += n) {
        n = sp_json_letter(text, letter);
        fputs(letter, out);
    }
    fputc('"', out);
}

void cli_json_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.9g", number);
    else
        fputs("null", out);
}

static void say(const cli_call *call, sp_log_level level, const char *text)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    if (level == SP_LOG_DEBUG || (level < SP_LOG_ERROR && call->quiet)) return;
    if (call->json) {
        fprintf(stderr, "{\"event\":\"message\",\"level\":\"%s\",\"text\":", names[level]);
        cli_json_text(stderr, text);
        fputs("}\n", stderr);
        return;
    }
    const char *color = level == SP_LOG_ERROR     ? "\033[31m"
                        : level == SP_LOG_WARNING ? "\033[33m"
                                                  : "";
    const bool colored = call->color && color[0];
    fprintf(stderr, "spume: %s%s%s\n", colored ? color : "", text, colored ? "\033[0m" : "");
}

void cli_say(const cli_call *call, sp_log_level level, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(call, level, text);
}

int cli_bad_input(const cli_call *call, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(call, SP_LOG_ERROR, text);
    return CLI_BAD_INPUT;
}

int cli_failed(const cli_call *call, const sp_error *err)
{
    say(call, SP_LOG_ERROR, err->text[0] ? err->text : sp_status_name(err->status));
    return err->status == SP_BAD_SCENE || err->status == SP_UNSUPPORTED ? CLI_BAD_INPUT
                                                                        : CLI_FAILED;
}

int cli_unreadable(const cli_call *call, const sp_error *err)
{
    cli_failed(call, err);
    return err->status == SP_NO_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
}

int cli_no_such(const cli_call *call, const char *kind, const char *word, const char *const *words,
                const char *lister)
{
    const char *near = sp_word_nearest(words, word);
    if (near) return cli_bad_input(call, "unknown %s %s; did you mean %s?", kind, word, near);
    return cli_bad_input(call, "unknown %s %s (%s lists them)", kind, word, lister);
}
