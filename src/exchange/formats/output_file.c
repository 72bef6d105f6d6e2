// SPDX-License-Identifier: Apache-2.0
/// An output file: buffered, checked, and renamed to its name only when it is complete.
#include "exchange/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// `length` is snprintf's result for the path. An empty directory would stand for the root of the file system.
static sp_status check_path(const char *dir, int length, sp_error *err)
{
    if (!dir[0]) return sp_fail(err, SP_BAD_INPUT, "export: the name of the directory is empty");
    if (length >= 0 && length < SP_FILE_PATH) return SP_OK;
    return sp_fail(err, SP_IO, "export: the name of a file would be longer than %d characters",
                   SP_FILE_PATH - 1);
}

static sp_status path_of(char path[SP_FILE_PATH], const char *dir, const char *word, uint64_t frame,
                         const char *extension, sp_error *err)
{
    return check_path(
        dir, snprintf(path, SP_FILE_PATH, "%s/%s.%06" PRIu64 ".%s", dir, word, frame, extension),
        err);
}

sp_status export_name_file(sp_file *f, const char *dir, const char *word, uint64_t frame,
                           const char *extension, sp_error *err)
{
    char path[SP_FILE_PATH];
    SP_TRY(path_of(path, dir, word, frame, extension, err));
    return sp_file_name(f, path, err);
}

sp_status export_open(sp_file *f, const char *dir, const char *word, uint64_t frame,
                      const char *extension, sp_error *err)
{
    char path[SP_FILE_PATH];
    SP_TRY(path_of(path, dir, word, frame, extension, err));
    return sp_file_open(f, path, err);
}

sp_status export_open_plain(sp_file *f, const char *dir, const char *word, const char *extension,
                            sp_error *err)
{
    char path[SP_FILE_PATH];
    SP_TRY(check_path(dir, snprintf(path, sizeof path, "%s/%s.%s", dir, word, extension), err));
    return sp_file_open(f, path, err);
}

void export_print(sp_file *f, const char *format, ...)
{
    char text[512]; // every line we print is far shorter
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n < 0 || n >= (int)sizeof text)
        f->error = f->error ? f->error : ENAMETOOLONG;
    else
        sp_file_put(f, text, (size_t)n);
}

void export_u32(sp_file *f, uint32_t x)
{
    unsigned char b[4];
    for (int k = 0; k < 4; ++k)
        b[k] = (unsigned char)(x >> (8 * k));
    sp_file_put(f, b, sizeof b);
}

void export_u64(sp_file *f, uint64_t x)
{
    export_u32(f, (uint32_t)x);
    export_u32(f, (uint32_t)(x >> 32));
}

void export_f64(sp_file *f, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    export_u64(f, bits);
}

void export_number(sp_file *f, const sp_column *c, size_t at)
{
    switch (c->kind) { // 9 and 17 digits bring floats and doubles back exactly
    case SP_F32:
        export_print(f, "%.9g", (double)((const float *)c->data)[at]);
        break;
    case SP_F64:
        export_print(f, "%.17g", ((const double *)c->data)[at]);
        break;
    case SP_I32:
        export_print(f, "%" PRId32, ((const int32_t *)c->data)[at]);
        break;
    case SP_U32:
        export_print(f, "%" PRIu32, ((const uint32_t *)c->data)[at]);
        break;
    case SP_U64:
        export_print(f, "%" PRIu64, ((const uint64_t *)c->data)[at]);
        break;
    }
}

void export_value(sp_file *f, const sp_column *c, size_t at, bool ascii)
{
    if (ascii) {
        sp_file_put(f, " ", 1);
        export_number(f, c, at);
    } else if (sp_kind_size(c->kind) == 4) {
        uint32_t bits;
        memcpy(&bits, (const char *)c->data + 4 * at, sizeof bits);
        export_u32(f, bits);
    } else {
        uint64_t bits;
        memcpy(&bits, (const char *)c->data + 8 * at, sizeof bits);
        export_u64(f, bits);
    }
}
