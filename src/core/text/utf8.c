// SPDX-License-Identifier: Apache-2.0
/// Decodes UTF-8 characters, and escapes them for JSON strings.
#include "core/text/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t sp_utf8_length(const char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] < 0x80) return c[0] != 0;
    const size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    uint32_t code = c[0] & (0xffu >> (n + 1));
    if (c[0] < 0xc0 || c[0] >= 0xf8) return 0;
    for (size_t k = 1; k < n; ++k) {
        if ((c[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (c[k] & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[n] && code <= 0x10ffff && !surrogate ? n : 0;
}

size_t sp_json_letter(const char *at, char out[8])
{
    const unsigned char c = (unsigned char)*at;
    const size_t n = sp_utf8_length(at);
    if (c == '"' || c == '\\')
        snprintf(out, 8, "\\%c", c);
    else if (n == 0 || c < 0x20)
        snprintf(out, 8, "\\u%04x", c);
    else
        snprintf(out, 8, "%.*s", (int)n, at);
    return n ? n : 1;
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
