// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_IMPORT_PLACE_H
#define TEST_IMPORT_PLACE_H

/// A directory for files to import, and a host that keeps the log of an import.

#include "temporary.h"

#include <spume/host.h>

#include <stdio.h>
#include <string.h>

static const char *dir;
static char said[4096];
static sp_host base_host, host;

static void hear(void *user, sp_log_level level, const char *text)
{
    (void)user;
    const size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%d %s\n", (int)level, text);
}

static int open_place(int threads)
{
    dir = temporary_directory();
    base_host = sp_host_default(threads);
    host = base_host;
    host.log = hear;
    return 0;
}

#endif
