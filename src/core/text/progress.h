// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_PROGRESS_H
#define SP_CORE_TEXT_PROGRESS_H

/// The progress of a run: frames done, rate, time left, memory. It writes only to the stream it is
/// given; the program chooses the stream and the style.

#include <spume/host.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sp_progress_style {
    SP_PROGRESS_NONE,
    SP_PROGRESS_LINE,  ///< one terminal line that is overwritten
    SP_PROGRESS_PLAIN, ///< a line every few seconds, for logs and pipes
    SP_PROGRESS_JSON,  ///< one JSON object per line and frame, for programs
} sp_progress_style;

typedef struct sp_progress {
    FILE *out;
    sp_progress_style style;
    bool color;
    double interval; ///< s between lines: 0.1 suits a terminal, 5 a log
    const sp_host *host;
    uint64_t last;
    double begun, shown, framed; ///< s: start, last line, last frame
    double period;               ///< s a frame, smoothed
    bool drawn;                  ///< a terminal line must be cleared
} sp_progress;

/// Starts a run that ends with frame `last`. The caller has set out, style, color, interval and
/// host.
void sp_progress_begin(sp_progress *progress, uint64_t last);
/// Reports that a frame is done. Draws only when `interval` has passed since the last time.
void sp_progress_frame(sp_progress *progress, uint64_t frame, size_t memory, const char *note);
/// Clears the terminal line so that other output can follow.
void sp_progress_end(sp_progress *progress);

/// "512 bytes", "1.5 kB", "64.0 MB". Decimal units: 1 kB is 1000 bytes.
void sp_bytes_text(double bytes, char *text, size_t size);
/// "14 s", "3 min 20 s", "2 h 05 min".
void sp_seconds_text(double seconds, char *text, size_t size);

#endif
