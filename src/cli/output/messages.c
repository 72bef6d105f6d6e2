// SPDX-License-Identifier: Apache-2.0
/// Messages to the user, and JSON text.
#include "cli/cli.h"

#include <stdarg.h>

static void say_json(const char *level, const char *words)
{
    const sp_host host = sp_host_default(1); // also before the command has one of its own
    sp_text line = {.host = &host};
    sp_text_format(&line, "{\"event\":\"message\",\"level\":\"%s\",\"text\":", level);
    sp_text_quote(&line, words);
    sp_text_add(&line, "}\n");
    fputs(line.failed ? words : line.bytes, stderr);
    sp_text_close(&line);
}

SP_PRINTF(3, 0)
static void say(const cli_call *call, sp_log_level level, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    static const char *const names[] = {"debug", "info", "warning", "error"};
    if (level == SP_LOG_DEBUG || (level < SP_LOG_ERROR && call->quiet)) return;
    if (call->json) {
        say_json(names[level], text);
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
    va_list args;
    va_start(args, format);
    say(call, level, format, args);
    va_end(args);
}

int cli_bad_input(const cli_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(call, SP_LOG_ERROR, format, args);
    va_end(args);
    return CLI_BAD_INPUT;
}

bool cli_refuse(const cli_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(call, SP_LOG_ERROR, format, args);
    va_end(args);
    return false;
}

int cli_failed(const cli_call *call, const sp_error *err)
{
    cli_say(call, SP_LOG_ERROR, "%s", err->text[0] ? err->text : sp_status_name(err->status));
    return err->status == SP_BAD_INPUT || err->status == SP_UNSUPPORTED ? CLI_BAD_INPUT
                                                                        : CLI_FAILED;
}

int cli_unreadable(const cli_call *call, const sp_error *err)
{
    cli_failed(call, err);
    return err->status == SP_NO_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
}

int cli_print(const cli_call *call, sp_text *text)
{
    const bool good = !text->failed;
    if (good && text->bytes) fputs(text->bytes, stdout);
    sp_text_close(text);
    return good ? CLI_FINE : cli_failed(call, &(sp_error){.status = SP_NO_MEMORY});
}

int cli_no_such(const cli_call *call, const char *kind, const char *word, const char *const *words,
                const char *lister)
{
    const char *near = sp_word_nearest(words, word);
    if (near) return cli_bad_input(call, "unknown %s %s; did you mean %s?", kind, word, near);
    return cli_bad_input(call, "unknown %s %s (%s lists them)", kind, word, lister);
}
