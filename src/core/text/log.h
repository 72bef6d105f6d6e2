// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_LOG_H
#define SP_CORE_TEXT_LOG_H

#include "core/text/status.h"

#include <spume/host.h>

/// One line to the host's log, cut at 511 characters.
void sp_log(const sp_host *host, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);

#endif
