// SPDX-License-Identifier: Apache-2.0
/// Which frames of a run a command works on: --frames and --skip-bad.
#include "cli/options/frame_choice.h"

#include "cli/options/missing_frames.h"

#include <inttypes.h>
#include <string.h>

enum { LAST_FRAME = 999999 }; // file names have six digits

/// ---- Ranges ------------------------------------------------------------------------------------

/// Parses a whole number and advances *text behind it.
static bool take_number(const char **text, uint64_t *number)
{
    const char *at = *text;
    uint64_t value = 0;
    while (*at >= '0' && *at <= '9' && value <= LAST_FRAME)
        value = 10 * value + (uint64_t)(*at++ - '0');
    const bool good = at > *text && value <= LAST_FRAME;
    *text = at;
    *number = value;
    return good;
}

bool cli_frame_range_read(const char *text, cli_frame_range *range)
{
    *range = (cli_frame_range){.newest = strcmp(text, "last") == 0, .step = 1};
    if (range->newest) return true;
    if (!take_number(&text, &range->first)) return false;
    range->last = range->first;
    if (!*text) return true;
    const char mark = *text++;
    if ((mark != '-' && mark != ':') || !take_number(&text, &range->last)) return false;
    if (mark == ':' && *text == ':') {
        ++text;
        if (!take_number(&text, &range->step)) return false;
    }
    return !*text && range->last >= range->first && range->step > 0;
}

bool cli_frame_range_takes(const cli_frame_range *r, uint64_t frame)
{
    return frame >= r->first && frame <= r->last && (frame - r->first) % r->step == 0;
}

/// ---- Frames of a run ---------------------------------------------------------------------------

/// Reports a damaged frame of the range before anything is written.
static void refuse_damaged(const cli_call *call, const sp_cache_item *item)
{
    cli_say(call, SP_LOG_ERROR,
            "frame %" PRIu64 " is damaged (%s); give --skip-bad to leave it out", item->frame,
            item->trouble ? item->trouble : "unreadable");
}

/// False for a damaged frame without --skip-bad.
static bool take(const cli_call *call, cli_frames *f, const sp_cache_item *item)
{
    if (item->status == SP_OK)
        f->numbers[f->count++] = item->frame;
    else if (cli_given(call, "skip-bad"))
        cli_say(call, SP_LOG_WARNING, "left out: %s", item->trouble);
    else
        refuse_damaged(call, item);
    return item->status == SP_OK || cli_given(call, "skip-bad");
}

static int choose(const cli_call *call, cli_frames *f)
{
    const char *text = cli_value(call, "frames");
    const size_t n = f->list.frame_count;
    cli_frame_range range = {.last = UINT64_MAX, .step = 1};
    if (text && !cli_frame_range_read(text, &range))
        return cli_bad_input(call, "--frames %s; expected K, A-B, A:B:STEP or last, up to %d", text,
                             LAST_FRAME);
    for (size_t i = n; i > 0 && range.newest && f->count == 0; --i)
        if (!take(call, f, &f->list.frames[i - 1])) return CLI_FAILED;
    for (size_t i = 0; i < n && !range.newest; ++i)
        if (cli_frame_range_takes(&range, f->list.frames[i].frame) &&
            !take(call, f, &f->list.frames[i]))
            return CLI_FAILED;
    if (f->count == 0) return cli_bad_input(call, "%s: no good frame in that range", f->dir);
    if (range.newest) return CLI_FINE;
    return cli_check_gaps(call, &f->list, range.first, range.last, range.step);
}

int cli_frames_open(const cli_call *call, const char *dir, const sp_host *host, cli_frames *out)
{
    sp_error err = {0};
    *out = (cli_frames){.dir = dir, .host = host};
    if (sp_cache_list_open(dir, host, &out->list, &err) != SP_OK) return cli_unreadable(call, &err);
    out->numbers = sp_allocate(host, out->list.frame_count + 1, sizeof *out->numbers);
    if (out->numbers) return choose(call, out);
    sp_fail(&err, SP_NO_MEMORY, "no memory for a list of %zu frames", out->list.frame_count);
    return cli_failed(call, &err);
}

void cli_frames_close(cli_frames *f)
{
    sp_frame_file_close(f->open);
    if (f->host) sp_release(f->host, f->numbers);
    sp_cache_list_close(&f->list);
    *f = (cli_frames){0};
}

sp_status cli_frames_get(void *frames, size_t k, const sp_frame **frame, sp_error *err)
{
    cli_frames *f = frames;
    if (!f->open || f->open_at != k) {
        char path[4200];
        sp_frame_file_close(f->open);
        f->open = NULL;
        sp_cache_frame_path(f->dir, f->numbers[k], path, sizeof path);
        SP_TRY(sp_frame_file_open(path, f->host, &f->open, err));
        f->open_at = k;
    }
    *frame = sp_frame_file_frame(f->open);
    return SP_OK;
}
