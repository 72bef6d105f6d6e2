// SPDX-License-Identifier: Apache-2.0
/// Refuses or reports frames that were asked for and are not there.
#include "cli/options/missing_frames.h"

#include <inttypes.h>

int cli_check_gaps(const cli_call *call, const sp_cache_list *list, uint64_t first, uint64_t last,
                   uint64_t step)
{
    if (list->frame_count == 0) return CLI_FINE;
    if (last == UINT64_MAX) {
        first = list->frames[0].frame;
        last = list->frames[list->frame_count - 1].frame;
    }
    const uint64_t asked = (last - first) / step + 1;
    uint64_t there = 0, next = first; // next: the first frame that was not met so far
    for (size_t i = 0; i < list->frame_count; ++i) {
        const uint64_t frame = list->frames[i].frame;
        if (frame < first || frame > last || (frame - first) % step != 0) continue;
        ++there;
        if (frame == next) next += step;
    }
    if (there == 0 || there == asked) return CLI_FINE;
    const bool skip = cli_given(call, "skip-bad");
    cli_say(call, skip ? SP_LOG_WARNING : SP_LOG_ERROR,
            "%s: %" PRIu64 " of %" PRIu64 " frames are missing, the first is frame %" PRIu64 "%s",
            call->operands[0], asked - there, asked, next,
            skip ? "" : "; give --skip-bad to leave them out");
    return skip ? CLI_FINE : CLI_FAILED;
}
