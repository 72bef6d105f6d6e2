// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_FRAME_PARTS_H
#define SP_CLI_OPTIONS_FRAME_PARTS_H

/// Which sets and fields of a frame a command works on: lists such as --only foam,spray.

#include "cli/cli.h"

enum { CLI_MOST_NAMES = 32 };

/// Names separated by commas.
typedef struct cli_names {
    bool given;
    char text[512]; ///< the names, each ending with 0
    const char *name[CLI_MOST_NAMES];
    size_t count;
} cli_names;
/// Reads an option; "none" is an empty list. False after printing an error.
bool cli_names_read(const cli_call *call, const char *option, cli_names *out);
bool cli_names_hold(const cli_names *names, const char *name);

/// A frame of some sets and fields. The arrays belong to the frame it was made of. Starts zeroed but for the host.
typedef struct cli_frame_parts {
    const sp_host *host;
    sp_frame frame;
    sp_set *sets;
    sp_field *fields;
} cli_frame_parts;
/// Keeps what the list names, or everything if it was not given. `height` brings the other plane fields along, which
/// are attributes of it.
sp_status cli_frame_parts_choose(cli_frame_parts *parts, const sp_frame *frame,
                                 const cli_names *only, sp_error *err);
void cli_frame_parts_close(cli_frame_parts *parts);

#endif
