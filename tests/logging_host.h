// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LOGGING_HOST_H
#define SP_LOGGING_HOST_H

/// A host that keeps what is logged.

#include "testing.h"

#include <spume/host.h>

#include <stdio.h>
#include <string.h>

static char logged[8192];       // every line since clear_log()
static char last_warning[1024]; // the last of them that is a warning
static int warnings;            // their number

static inline void clear_log(void)
{
    logged[0] = last_warning[0] = '\0';
    warnings = 0;
}

static inline void keep_line(void *user, sp_log_level level, const char *text)
{
    (void)user; // the default host stores its threads there
    const size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", text);
    if (level != SP_LOG_WARNING) return;
    snprintf(last_warning, sizeof last_warning, "%s", text);
    ++warnings;
}

static inline sp_host logging_host(int threads)
{
    sp_host host = sp_host_default(threads);
    host.log = keep_line;
    clear_log();
    return host;
}

#endif
