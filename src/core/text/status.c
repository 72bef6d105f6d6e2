// SPDX-License-Identifier: Apache-2.0
#include "core/text/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sp_status_name(sp_status status)
{
    switch (status) {
    case SP_OK:
        return "ok";
    case SP_BAD_INPUT:
        return "bad input";
    case SP_NO_MEMORY:
        return "no memory";
    case SP_IO:
        return "input/output failed";
    case SP_DAMAGED:
        return "damaged file";
    case SP_DIVERGED:
        return "diverged";
    case SP_BUSY:
        return "busy";
    case SP_CANCELLED:
        return "cancelled";
    case SP_UNSUPPORTED:
        return "not in this build";
    case SP_FULL:
        return "full";
    }
    return "unknown status";
}

sp_status sp_fail(sp_error *err, sp_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    err->status = status;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return status;
}

void sp_error_prefix(sp_error *err, const char *format, ...)
{
    if (!err) return;
    char tail[sizeof err->text];
    memcpy(tail, err->text, sizeof tail);
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    const size_t used = n > 0 ? strlen(err->text) : 0;
    snprintf(err->text + used, sizeof err->text - used, "%s", tail);
}

sp_status sp_struct_check(size_t struct_size, size_t expected, const char *start, sp_error *err)
{
    if (struct_size == expected) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "a struct has struct_size %zu; expected %zu: start from %s, with the headers of "
                   "this library",
                   struct_size, expected, start);
}

_Noreturn void sp_assert_failed(const char *truth, const char *file, int line)
{
    fprintf(stderr, "spume: assertion failed: %s (%s:%d)\n", truth, file, line);
    abort();
}
