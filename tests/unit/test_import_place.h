// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_IMPORT_PLACE_H
#define TEST_IMPORT_PLACE_H

/// A directory for files to import, and a host that keeps the log of an import.

#include "logging_host.h"
#include "temporary.h"

static const char *dir;
static sp_host base_host, host;

static int open_place(int threads)
{
    dir = temporary_directory();
    base_host = sp_host_default(threads);
    host = logging_host(threads);
    return 0;
}

#endif
