// SPDX-License-Identifier: Apache-2.0
/// An output file: buffered, checked, and renamed to its name only when it is complete.
#include "exchange/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// `length` is snprintf's result for the path.
static sp_status name(export_file *f, int length, sp_error *err)
{
    f->fd = -1;
    f->error = 0;
    f->used = 0;
    if (length < 0 || length >= EXPORT_PATH)
        return sp_fail(err, SP_IO, "export: the name of a file would be longer than %d characters",
                       EXPORT_PATH - 1);
    snprintf(f->part, sizeof f->part, "%s.part", f->path);
    return SP_OK;
}

static sp_status begin(export_file *f, sp_error *err)
{
    f->fd = open(f->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (f->fd < 0) return sp_fail(err, SP_IO, "%s: %s", f->path, strerror(errno));
    return SP_OK;
}

sp_status export_name_file(export_file *f, const char *dir, const char *word, uint64_t frame,
                           const char *extension, sp_error *err)
{
    return name(
        f, snprintf(f->path, sizeof f->path, "%s/%s.%06" PRIu64 ".%s", dir, word, frame, extension),
        err);
}

sp_status export_open(export_file *f, const char *dir, const char *word, uint64_t frame,
                      const char *extension, sp_error *err)
{
    SP_TRY(export_name_file(f, dir, word, frame, extension, err));
    return begin(f, err);
}

sp_status export_open_plain(export_file *f, const char *dir, const char *word,
                            const char *extension, sp_error *err)
{
    SP_TRY(name(f, snprintf(f->path, sizeof f->path, "%s/%s.%s", dir, word, extension), err));
    return begin(f, err);
}

sp_status export_open_written(export_file *f, sp_error *err)
{
    f->fd = open(f->part, O_WRONLY | O_CLOEXEC);
    if (f->fd < 0) return sp_fail(err, SP_IO, "%s: %s", f->path, strerror(errno));
    return SP_OK;
}

void export_abandon(export_file *f)
{
    if (f->fd >= 0) close(f->fd);
    unlink(f->part);
    f->fd = -1;
}

static void flush(export_file *f)
{
    size_t done = 0;
    while (!f->error && done < f->used) {
        const ssize_t n = write(f->fd, f->buffer + done, f->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            f->error = n == 0 ? EIO : errno;
    }
    f->used = 0;
}

void export_bytes(export_file *f, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    while (count > 0) {
        const size_t room = EXPORT_BUFFER - f->used, n = count < room ? count : room;
        memcpy(f->buffer + f->used, from, n);
        f->used += n;
        from += n;
        count -= n;
        if (f->used == EXPORT_BUFFER) flush(f);
    }
}

void export_print(export_file *f, const char *format, ...)
{
    char text[512]; // every line we print is far shorter
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n < 0 || n >= (int)sizeof text)
        f->error = f->error ? f->error : ENAMETOOLONG;
    else
        export_bytes(f, text, (size_t)n);
}

void export_u32(export_file *f, uint32_t x)
{
    unsigned char b[4];
    for (int k = 0; k < 4; ++k)
        b[k] = (unsigned char)(x >> (8 * k));
    export_bytes(f, b, sizeof b);
}

void export_u64(export_file *f, uint64_t x)
{
    export_u32(f, (uint32_t)x);
    export_u32(f, (uint32_t)(x >> 32));
}

void export_f64(export_file *f, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    export_u64(f, bits);
}

static void value_as_text(export_file *f, const sp_column *c, size_t at)
{
    switch (c->kind) { // 9 and 17 digits bring floats and doubles back exactly
    case SP_F32:
        export_print(f, " %.9g", (double)((const float *)c->data)[at]);
        break;
    case SP_F64:
        export_print(f, " %.17g", ((const double *)c->data)[at]);
        break;
    case SP_I32:
        export_print(f, " %" PRId32, ((const int32_t *)c->data)[at]);
        break;
    case SP_U32:
        export_print(f, " %" PRIu32, ((const uint32_t *)c->data)[at]);
        break;
    case SP_U64:
        export_print(f, " %" PRIu64, ((const uint64_t *)c->data)[at]);
        break;
    }
}

void export_value(export_file *f, const sp_column *c, size_t at, bool ascii)
{
    if (ascii) {
        value_as_text(f, c, at);
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

sp_status export_close(export_file *f, sp_error *err)
{
    flush(f);
    if (!f->error && fsync(f->fd) != 0 && errno != EINVAL && errno != EROFS) f->error = errno;
    if (close(f->fd) != 0 && !f->error) f->error = errno;
    if (!f->error && rename(f->part, f->path) != 0) f->error = errno;
    if (!f->error) return SP_OK;
    unlink(f->part);
    return sp_fail(err, SP_IO, "%s: %s; the file was not written", f->path, strerror(f->error));
}
