// SPDX-License-Identifier: Apache-2.0
#include "core/text/progress.h"

#include "core/host/profile.h"

#include <inttypes.h>

void sp_bytes_text(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000.0;
        ++unit;
    }
    snprintf(text, size, unit && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void sp_seconds_text(double seconds, char *text, size_t size)
{
    if (!(seconds < 1e9)) { // infinite or NaN
        snprintf(text, size, "long");
        return;
    }
    const long whole = (long)(seconds + 0.5);
    if (seconds < 9.95)
        snprintf(text, size, "%.1f s", seconds);
    else if (whole < 60)
        snprintf(text, size, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, size, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(text, size, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

/// What one update shows, as text or as a line of JSON.
typedef struct update {
    uint64_t frame, last; ///< the frame just finished, and the one that ends the run
    double rate;          ///< frames a second, over the last few seconds; 0: not known yet
    double left;          ///< s; 0 when done or not known yet
    size_t memory;        ///< bytes in use
    const char *note;     ///< a few words from the solver ("30 bubbles"), or NULL
} update;

/// "frame 12/600   41.3/s   14 s left   64.0 MB   30 bubbles", cut to fit.
static void write_text(const update *state, char *text, size_t size)
{
    char memory[32], left[32], pace[96] = "";
    sp_bytes_text((double)state->memory, memory, sizeof memory);
    sp_seconds_text(state->left, left, sizeof left);
    if (state->rate > 0.0)
        snprintf(pace, sizeof pace, "   %.*f/s%s%s%s",
                 state->rate<100.0, state->rate, state->left> 0.0 ? "   " : "",
                 state->left > 0.0 ? left : "", state->left > 0.0 ? " left" : "");
    snprintf(text, size, "frame %" PRIu64 "/%" PRIu64 "%s   %s%s%s", state->frame, state->last,
             pace, memory, state->note ? "   " : "", state->note ? state->note : "");
}

void sp_progress_begin(sp_progress *progress, uint64_t last)
{
    progress->last = last;
    progress->begun = progress->shown = progress->framed = sp_now(progress->host);
    progress->period = 0.0;
    progress->drawn = false;
}

/// Averages the time per frame over about three seconds: short enough to follow a scene that grows,
/// long enough for a number that is easy to read.
static void follow_pace(sp_progress *progress, double now)
{
    const double took = now - progress->framed, memory = 3.0;
    progress->framed = now;
    const double share = took / (took + memory);
    progress->period =
        progress->period > 0.0 ? progress->period + share * (took - progress->period) : took;
}

static void write_json(sp_progress *progress, const update *state, double now)
{
    fprintf(progress->out,
            "{\"event\":\"frame\",\"frame\":%" PRIu64 ",\"last\":%" PRIu64
            ",\"seconds\":%.3f,\"frames_per_second\":%.3f,\"seconds_left\":%.1f,\"memory_bytes\":%"
            "zu}\n",
            state->frame, state->last, now - progress->begun, state->rate, state->left,
            state->memory);
}

void sp_progress_frame(sp_progress *progress, uint64_t frame, size_t memory, const char *note)
{
    if (progress->style == SP_PROGRESS_NONE) return;
    const double now = sp_now(progress->host);
    follow_pace(progress, now);
    const double rate = progress->period > 0.0 ? 1.0 / progress->period : 0.0;
    const double frames_left = frame < progress->last ? (double)(progress->last - frame) : 0.0;
    const update state = {frame, progress->last, rate, frames_left * progress->period, memory,
                          note};
    if (progress->style == SP_PROGRESS_JSON) {
        write_json(progress, &state, now);
        return;
    }
    if (now - progress->shown < progress->interval) return;
    progress->shown = now;
    char text[320];
    write_text(&state, text, sizeof text);
    if (progress->style == SP_PROGRESS_PLAIN) {
        fprintf(progress->out, "%s\n", text);
        return;
    }
    // Back to column 0, write the text, clear the rest of the line. 79 columns, so that it never
    // wraps.
    fprintf(progress->out, "\r%s%.79s%s\033[K", progress->color ? "\033[36m" : "", text,
            progress->color ? "\033[0m" : "");
    fflush(progress->out);
    progress->drawn = true;
}

void sp_progress_end(sp_progress *progress)
{
    if (progress->drawn) fputs("\r\033[K", progress->out);
    if (progress->drawn) fflush(progress->out);
    progress->drawn = false;
}
