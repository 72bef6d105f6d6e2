// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_IMPORT_FILES_H
#define SP_CLI_OPTIONS_IMPORT_FILES_H

#include "cli/commands.h"

/// The files of an import; malloc'ed.
typedef struct import_paths {
    char **paths;
    size_t count, room;
} import_paths;

/// Adds a file, or the files of a directory.
sp_status import_paths_add(import_paths *files, const char *path, sp_error *err);
/// Those that were named, and of directories the .vdb files, else the surfaces of a FLIP Fluids
/// cache, else the .ply files. Says what is wrong and returns the exit status. Close it in any
/// case.
int import_paths_find(import_paths *files, const cli_call *call);
void import_paths_close(import_paths *files);

#endif
