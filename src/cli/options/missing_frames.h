// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_MISSING_FRAMES_H
#define SP_CLI_OPTIONS_MISSING_FRAMES_H

/// Check for missing frames of a range.

#include "cache/cache.h"
#include "cli/cli.h"

/// Reports how many of every step-th frame from first to last are not in the list, and the first of
/// them. If last is UINT64_MAX, the range is from the first to the last frame of the list. Returns
/// the exit status: 1 when some are missing, or 0 after a warning with --skip-bad. A range without
/// any frame is not reported: the caller does that.
int cli_check_gaps(const cli_call *call, const sp_cache_list *list, uint64_t first, uint64_t last,
                   uint64_t step);

#endif
