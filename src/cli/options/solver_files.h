// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_SOLVER_FILES_H
#define SP_CLI_OPTIONS_SOLVER_FILES_H

#include "cli/commands.h"

/// Files that solvers ask for: water by its path (the directory of a run, or files that `spume import` reads), and
/// frames of the run in `kept` (NULL: none). The machine holds them until cli_solver_files_close().
void cli_solver_files_open(cli_machine *machine, const char *kept);
void cli_solver_files_close(cli_machine *machine);

#endif
