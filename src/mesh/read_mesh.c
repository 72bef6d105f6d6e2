// SPDX-License-Identifier: Apache-2.0
/// Reads mesh files: loads one into memory and picks the format's reader. Also the text parsing
/// that all readers share.
#include "mesh/internal.h"

#include <math.h>
#include <string.h>

/// ---- Words and numbers -------------------------------------------------------------------------

/// A space within a line.
static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void mesh_text_skip_blanks(mesh_text *text)
{
    while (text->at < text->end && is_blank(*text->at))
        ++text->at;
}

void mesh_text_next_line(mesh_text *text)
{
    const size_t left = (size_t)(text->end - text->at);
    const unsigned char *newline = left ? memchr(text->at, '\n', left) : NULL;
    text->at = newline ? newline + 1 : text->end;
    ++text->line;
}

size_t mesh_text_word(mesh_text *text, const unsigned char **word)
{
    mesh_text_skip_blanks(text);
    *word = text->at;
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n')
        ++text->at;
    return (size_t)(text->at - *word);
}

bool mesh_text_is(const unsigned char *word, size_t length, const char *what)
{
    return length == strlen(what) && memcmp(word, what, length) == 0;
}

/// 10^e by squaring, for |e| up to a few hundred; the last bits do not matter for a float.
static double power_of_ten(int e)
{
    double result = 1.0, base = 10.0;
    for (unsigned n = (unsigned)(e < 0 ? -e : e); n; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return result;
}

static bool read_exponent(const unsigned char *at, const unsigned char *end, int *out)
{
    bool minus = false;
    int value = 0;
    if (at < end && (*at == '+' || *at == '-')) minus = *at++ == '-';
    if (at == end) return false;
    for (; at < end; ++at) {
        if (*at < '0' || *at > '9') return false;
        if (value < 10000) value = 10 * value + (*at - '0');
    }
    *out = minus ? -value : value;
    return true;
}

/// Parses numbers without strtod(), which depends on the locale and needs a terminating zero.
bool mesh_text_number(mesh_text *text, double *out)
{
    const unsigned char *at;
    const size_t length = mesh_text_word(text, &at);
    const unsigned char *end = at + length;
    bool minus = false, point = false;
    int digits = 0, exponent = 0;
    double value = 0.0;
    *out = 0.0;
    if (at < end && (*at == '+' || *at == '-')) minus = *at++ == '-';
    for (; at < end && (*at == '.' || (*at >= '0' && *at <= '9')); ++at) {
        if (*at == '.' && point) return false;
        if (*at == '.') {
            point = true;
            continue;
        }
        if (digits < 1 << 20) ++digits;
        if (value < 1e17) { // further digits only shift the decimal point
            value = 10.0 * value + (double)(*at - '0');
            exponent -= point;
        } else if (exponent < 1 << 20) {
            exponent += !point;
        }
    }
    if (digits == 0) return false;
    if (at < end) {
        int given;
        if ((*at != 'e' && *at != 'E') || !read_exponent(at + 1, end, &given)) return false;
        exponent += given;
    }
    if (value > 0.0 && exponent > 300) return false;
    if (exponent > 300) exponent = 0; // the value is zero
    if (exponent < -300) {            // in two steps, so that the power stays finite
        value /= 1e300;
        exponent = exponent < -600 ? -300 : exponent + 300;
    }
    value = exponent < 0 ? value / power_of_ten(exponent) : value * power_of_ten(exponent);
    *out = minus ? -value : value;
    return true;
}

bool mesh_text_whole(const unsigned char *word, size_t length, int64_t *out)
{
    const unsigned char *end = word + length;
    bool minus = false;
    int64_t value = 0;
    *out = 0;
    if (word < end && (*word == '+' || *word == '-')) minus = *word++ == '-';
    if (word == end || end - word > 18) return false;
    for (; word < end; ++word) {
        if (*word < '0' || *word > '9') return false;
        value = 10 * value + (*word - '0');
    }
    *out = minus ? -value : value;
    return true;
}

sp_status mesh_text_fail(const mesh_text *text, sp_error *err, const char *what)
{
    return sp_fail(err, SP_BAD_INPUT, "%s, line %zu: %s", text->name, text->line, what);
}

bool mesh_coordinate_ok(double value)
{
    return fabs(value) <= 1e18; // so that products of two squares still fit a float
}

/// ---- Files -------------------------------------------------------------------------------------

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    for (size_t i = 0; i < m; ++i) {
        const char c = n < m ? '\0' : name[n - m + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i]) return false;
    }
    return true;
}

sp_status sp_mesh_parse(const char *name, const unsigned char *bytes, size_t count, bool water,
                        const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    *mesh = (sp_mesh){0};
    sp_status status;
    if (ends_with(name, ".ply"))
        status = mesh_read_ply(name, bytes, count, water, host, mesh, err);
    else if (water && ends_with(name, ".bobj"))
        status = mesh_read_bobj(name, bytes, count, host, mesh, err);
    else if (!water && ends_with(name, ".obj"))
        status = mesh_read_obj(name, bytes, count, host, mesh, err);
    else if (!water && ends_with(name, ".stl"))
        status = mesh_read_stl(name, bytes, count, host, mesh, err);
    else
        return sp_fail(err, SP_BAD_INPUT, "%s: expected %s file", name,
                       water ? "a .bobj or .ply" : "an .obj, .stl or .ply");
    if (status == SP_OK) mesh_drop_degenerate(mesh);
    if (status == SP_OK && !water && mesh->triangle_count == 0)
        status = sp_fail(err, SP_BAD_INPUT, "%s has 0 triangles", name);
    if (status != SP_OK) sp_mesh_close(mesh);
    return status;
}

static sp_status read_file(const char *path, bool water, const sp_host *host, sp_mesh *mesh,
                           sp_error *err)
{
    char *bytes;
    size_t count;
    *mesh = (sp_mesh){0};
    SP_TRY(sp_file_read(path, 0, host, &bytes, &count, err));
    const sp_status status =
        sp_mesh_parse(path, (const unsigned char *)bytes, count, water, host, mesh, err);
    sp_release(host, bytes);
    return status;
}

sp_status sp_mesh_read(const char *path, const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    return read_file(path, false, host, mesh, err);
}

sp_status sp_mesh_read_water(const char *path, const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    return read_file(path, true, host, mesh, err);
}
