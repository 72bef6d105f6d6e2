// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_FRAME_CHOICE_H
#define SP_CLI_OPTIONS_FRAME_CHOICE_H

/// Which frames of a run a command works on: --frames and --skip-bad.

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
/// Parses "12", "3-12", "0:100", "0:100:4" or "last"; false for any other text.
bool cli_frame_range_read(const char *text, cli_frame_range *range);
bool cli_frame_range_takes(const cli_frame_range *range, uint64_t frame);

typedef struct cli_frames {
    const char *dir;
    const sp_host *host;
    sp_cache_list list;
    uint64_t *numbers; ///< of the frames chosen, ascending
    size_t count;
    sp_frame_file *open; ///< the frame read last
    size_t open_at;      ///< its index
} cli_frames;

/// Lists the run in `dir` and chooses frames. Prints errors and returns the exit status: 2 for a
/// bad range, no run or no frame, 1 for a damaged or missing frame without --skip-bad. Close it in
/// either case.
int cli_frames_open(const cli_call *call, const char *dir, const sp_host *host, cli_frames *out);
void cli_frames_close(cli_frames *frames);
/// The k-th chosen frame, valid until the next call; `frames` is a cli_frames.
sp_status cli_frames_get(void *frames, size_t k, const sp_frame **frame, sp_error *err);

#endif
