// SPDX-License-Identifier: Apache-2.0
/// Reads portable gray maps: "P5 width height largest" and then bytes (two a sample, high byte
/// first, when `largest` is above 255), or "P2" and decimal numbers. '#' begins a comment in the
/// header.
#include "scene/internal.h"

typedef struct pgm {
    const unsigned char *at, *end;
    size_t width, height, largest;
} pgm;

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads the next integer below ten million; false when there is none.
static bool take_number(pgm *p, size_t *out)
{
    while (p->at < p->end && (is_space(*p->at) || *p->at == '#')) {
        if (*p->at == '#')
            while (p->at < p->end && *p->at != '\n')
                ++p->at;
        else
            ++p->at;
    }
    const unsigned char *first = p->at;
    *out = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; ++p->at) {
        if (p->at - first >= 7) return false;
        *out = 10 * *out + (size_t)(*p->at - '0');
    }
    return p->at > first;
}

static bool read_numbers(pgm *p, float *out)
{
    for (size_t i = 0; i < p->width * p->height; ++i) {
        size_t value;
        if (!take_number(p, &value) || value > p->largest) return false;
        out[i] = (float)value / (float)p->largest;
    }
    return true;
}

static bool read_bytes(pgm *p, float *out)
{
    const bool wide = p->largest > 255;
    for (size_t i = 0; i < p->width * p->height; ++i) {
        size_t value = *p->at++;
        if (wide) value = 256 * value + *p->at++;
        if (value > p->largest) return false;
        out[i] = (float)value / (float)p->largest;
    }
    return true;
}

sp_status sp_pgm_read(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                      sp_error *err)
{
    const bool text = bytes[1] == '2';
    pgm p = {.at = bytes + 2, .end = bytes + count};
    if (!take_number(&p, &p.width) || !take_number(&p, &p.height) || !take_number(&p, &p.largest) ||
        p.largest < 1 || p.largest > 65535)
        return sp_fail(err, SP_BAD_INPUT,
                       "a broken PGM header; expected width, height and 1 to 65535");
    SP_TRY(sp_gray_check(p.width, p.height, err));
    if (!text && p.at < p.end) ++p.at; // one space ends the header
    const size_t samples = p.width * p.height, left = (size_t)(p.end - p.at);
    const size_t needed = text ? 2 * samples : samples * (p.largest > 255 ? 2 : 1);
    if (left < needed)
        return sp_fail(err, SP_BAD_INPUT, "a PGM cut short: %zu bytes of samples; expected %zu",
                       left, needed);
    float *values = sp_allocate(host, samples, sizeof *values);
    if (!values) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu samples", samples);
    if (!(text ? read_numbers(&p, values) : read_bytes(&p, values))) {
        sp_release(host, values);
        return sp_fail(err, SP_BAD_INPUT, "a broken PGM; expected %zu samples up to %zu", samples,
                       p.largest);
    }
    *out = (sp_gray){values, p.width, p.height};
    return SP_OK;
}
