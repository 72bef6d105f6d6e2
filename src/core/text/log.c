// SPDX-License-Identifier: Apache-2.0
#include "core/text/log.h"

#include <stdarg.h>
#include <stdio.h>

void sp_log(const sp_host *host, sp_log_level level, const char *format, ...)
{
    if (!host->log) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    host->log(host->user, level, text);
}
