// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OUTPUT_FRAME_SUMMARY_H
#define SP_CLI_OUTPUT_FRAME_SUMMARY_H

/// Statistics of a frame's contents, as text and as JSON.

#include "frame/frame.h"

#include <stdio.h>

void cli_frame_text(FILE *out, const sp_frame *frame);
void cli_frame_json(sp_text *out, const sp_frame *frame); ///< one object, no newline

#endif
