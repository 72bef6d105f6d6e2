// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_MISSING_FRAMES_H
#define SP_CLI_OPTIONS_MISSING_FRAMES_H

/// Frames that were asked for and are not there.

#include "cache/cache.h"
#include "cli/cli.h"

/// Of every step-th frame from first to last, says how many are not in the list, and which is the
/// first of them. UINT64_MAX as last stands for all there are, from the first one that is there. The
/// exit status is 1 when some are missing, or 0 after a warning where --skip-bad was given. A range
/// with no frame at all is left to the caller, who knows better what to say.
int cli_check_gaps(const cli_call *call, const sp_cache_list *list, uint64_t first, uint64_t last,
                   uint64_t step);

#endif
