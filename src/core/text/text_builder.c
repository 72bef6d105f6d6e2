// SPDX-License-Identifier: Apache-2.0
#include "core/text/text_builder.h"

#include "core/memory/memory.h"
#include "core/text/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Room for so many more characters and the zero behind them.
static bool make_room(sp_text *text, size_t count)
{
    const size_t needed = text->size + count + 1;
    if (text->failed || needed <= text->capacity) return !text->failed;
    const size_t larger = needed > 2 * text->capacity ? needed + 256 : 2 * text->capacity;
    void *grown = text->bytes;
    text->failed = !sp_regrow(text->host, &grown, text->size, larger, 1);
    text->bytes = grown;
    if (!text->failed) text->capacity = larger;
    return !text->failed;
}

void sp_text_put(sp_text *text, const char *bytes, size_t count)
{
    if (!make_room(text, count)) return;
    memcpy(text->bytes + text->size, bytes, count);
    text->size += count;
    text->bytes[text->size] = '\0';
}

void sp_text_add(sp_text *text, const char *words)
{
    sp_text_put(text, words, strlen(words));
}

void sp_text_format(sp_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    SP_ASSERT(n >= 0); // a format of ours that cannot be printed
    if (!make_room(text, (size_t)n)) return;
    va_start(args, format);
    vsnprintf(text->bytes + text->size, (size_t)n + 1, format, args);
    va_end(args);
    text->size += (size_t)n;
}

void sp_text_quote(sp_text *text, const char *words)
{
    char letter[8];
    if (!words) {
        sp_text_add(text, "null");
        return;
    }
    sp_text_add(text, "\"");
    for (size_t n; *words; words += n) {
        n = sp_json_letter(words, letter);
        sp_text_add(text, letter);
    }
    sp_text_add(text, "\"");
}

void sp_text_xml(sp_text *text, const char *words)
{
    for (const char *c = words; *c; ++c) {
        if (strchr("<>&\"'", *c))
            sp_text_format(text, "&#%d;", *c);
        else
            sp_text_put(text, c, 1);
    }
}

/// JSON wants a point, whatever the program's locale puts between whole and fraction.
static void add_number(sp_text *text, char *digits)
{
    for (char *at = digits; *at; ++at)
        if (!strchr("0123456789+-e", *at)) *at = '.';
    sp_text_add(text, digits);
}

/// Whole numbers and minus zero need no search; the latter needs its point, since JSON's -0 is an
/// integer and loses its sign.
static bool add_whole(sp_text *text, double value)
{
    if (!(fabs(value) < 1e15) || value != floor(value)) return false;
    if (value == 0.0 && signbit(value))
        sp_text_add(text, "-0.0");
    else
        sp_text_format(text, "%.0f", value);
    return true;
}

/// The fewest digits that read back, looked for downward from six when those do and upward when
/// not: what people write has few, what is computed needs nearly all. A float is read by way of
/// double, so that is what must give it back: rounding twice may differ from rounding once.
static void add_shortest(sp_text *text, double value, bool single)
{
    char digits[2][32];
    int kept = 0, precision = 6;
    bool down = true;
    for (bool first = true; precision >= 1 && precision <= 17; precision += down ? -1 : 1) {
        char *now = digits[!kept];
        snprintf(now, sizeof digits[0], "%.*g", precision, value);
        const double back = strtod(now, NULL);
        const bool same = single ? (float)back == (float)value : back == value;
        if (first) down = same;
        if (same) kept = !kept;
        if (same != down) break;
        first = false;
    }
    add_number(text, digits[kept]);
}

void sp_text_number(sp_text *text, double value, int digits)
{
    if (isfinite(value))
        sp_text_format(text, "%.*g", digits, value);
    else
        sp_text_add(text, "null");
}

void sp_text_float(sp_text *text, float value)
{
    if (!add_whole(text, (double)value)) add_shortest(text, (double)value, true);
}

void sp_text_double(sp_text *text, double value)
{
    if (!add_whole(text, value)) add_shortest(text, value, false);
}

void sp_text_vector(sp_text *text, const float v[3])
{
    for (int c = 0; c < 3; ++c) {
        sp_text_add(text, c == 0 ? "[" : ", ");
        sp_text_float(text, v[c]);
    }
    sp_text_add(text, "]");
}

void sp_text_newline(sp_text *text, int indent)
{
    sp_text_add(text, "\n");
    for (int i = 0; i < indent; ++i)
        sp_text_add(text, "  ");
}

sp_status sp_text_finish(sp_text *text, char **out, sp_error *err)
{
    *out = NULL;
    if (text->failed) {
        sp_release(text->host, text->bytes);
        return sp_fail(err, SP_NO_MEMORY, "no memory for %zu bytes of text", text->size);
    }
    *out = text->bytes;
    return SP_OK;
}

void sp_text_close(sp_text *text)
{
    if (text->host) sp_release(text->host, text->bytes);
    *text = (sp_text){0};
}
