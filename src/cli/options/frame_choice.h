// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_FRAME_CHOICE_H
#define SP_CLI_OPTIONS_FRAME_CHOICE_H

/// Which frames of a run a command works on: --frame, --frames and --skip-bad.

#include "cache/cache.h"
#include "cli/cli.h"

#define CLI_FRAME_OPTIONS                                                                          \
    {"frames", 0, "RANGE", "K, A-B, A:B:STEP or last (default: all)"},                             \
    {                                                                                              \
        "skip-bad", 0, NULL, "skip damaged and missing frames"                                     \
    }

/// A range of frame numbers.
typedef struct cli_frame_range {
    bool newest; ///< only the last good frame
    uint64_t first, last, step;
} cli_frame_range;
/// Reads --frame or --frames; without either, the newest frame alone or all frames. False after printing an error.
bool cli_frame_range_read(const cli_call *call, bool newest, cli_frame_range *range);

typedef struct cli_frames {
    const cli_call *call;
    const char *dir;
    const sp_host *host;
    sp_cache_list list;
    sp_cache_item **items; ///< the frames chosen, good ones in ascending order
    size_t count;
    sp_frame_file *open; ///< the frame read last
    size_t open_at;      ///< its index
} cli_frames;

/// Lists the run in `dir`. Prints errors and returns the exit status: 2 if there is no run. Close it in either case.
int cli_frames_open(const cli_call *call, const char *dir, const sp_host *host, cli_frames *out);
void cli_frames_close(cli_frames *frames);
/// Chooses frames and reads them to see that they are undamaged. Prints errors and returns the exit status: 2 for no
/// frame, 1 for a damaged or missing frame without --skip-bad. With `brief` the messages do not name the frame's file.
int cli_frames_choose(cli_frames *frames, const cli_frame_range *range, bool brief);
/// The k-th chosen frame, valid until the next call; `frames` is a cli_frames.
sp_status cli_frames_get(void *frames, size_t k, const sp_frame **frame, sp_error *err);

#endif
