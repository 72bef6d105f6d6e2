// SPDX-License-Identifier: Apache-2.0
#include "scene/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sp_text_put(sp_text *text, const char *bytes, size_t count)
{
    if (text->failed) return;
    const size_t needed = text->size + count + 1;
    if (needed > text->capacity) {
        const size_t larger = needed > 2 * text->capacity ? needed + 256 : 2 * text->capacity;
        void *grown = text->bytes;
        text->failed = !sp_regrow(text->host, &grown, text->size, larger, 1);
        text->bytes = grown;
        if (text->failed) return;
        text->capacity = larger;
    }
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
    char words[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(words, sizeof words, format, args);
    va_end(args);
    SP_ASSERT(n >= 0 && (size_t)n < sizeof words);
    (void)n;
    sp_text_add(text, words);
}

void sp_text_quote(sp_text *text, const char *words)
{
    char letter[8];
    sp_text_add(text, "\"");
    for (size_t n; *words; words += n) {
        n = sp_json_letter(words, letter);
        sp_text_add(text, letter);
    }
    sp_text_add(text, "\"");
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

void sp_clean(const char *words, size_t length, char *out, size_t size)
{
    size_t n = 0;
    while (n < length && n + 1 < size) {
        const unsigned char c = (unsigned char)words[n];
        out[n++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    // A cut through a character of several bytes would leave half of it behind.
    if (n < length)
        while (n > 0 && ((unsigned char)words[n] & 0xc0) == 0x80)
            --n;
    out[n] = '\0';
    if (n < length && n >= 3) memcpy(out + n - 3, "...", 3);
}

void sp_clean_name(const char *name, char *out, size_t size)
{
    const size_t length = strlen(name);
    size_t skipped = length < size ? 0 : length - size + 4;
    while (skipped && ((unsigned char)name[skipped] & 0xc0) == 0x80) // not into a character
        ++skipped;
    sp_clean(name + skipped, length - skipped, out, size);
    if (skipped) {
        memmove(out + 3, out, strlen(out) + 1);
        memcpy(out, "...", 3);
    }
}
