// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_IMPORT_PLACE_H
#define TEST_IMPORT_PLACE_H

/// A directory for files to import, and a host that notes what is said meanwhile.

#include <spume/host.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64], said[4096];
static sp_host base_host, host;

static void hear(void *user, sp_log_level level, const char *text)
{
    (void)user;
    const size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%d %s\n", (int)level, text);
}

static int open_place(int threads)
{
    strcpy(dir, "/tmp/spume-import-XXXXXX");
    base_host = sp_host_default(threads);
    host = base_host;
    host.log = hear;
    return mkdtemp(dir) ? 0 : 1;
}

static int close_all(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", dir);
    return system(command);
}

#endif
