// SPDX-License-Identifier: Apache-2.0
/// Which frames of a run a command works on: --frame, --frames and --skip-bad.
#include "cli/options/frame_choice.h"

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

/// "12", "3-12", "0:100", "0:100:4" or "last". False when the text is none of these.
static bool parse_range(const char *text, cli_frame_range *range)
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

static bool takes(const cli_frame_range *r, uint64_t frame)
{
    return frame >= r->first && frame <= r->last && (frame - r->first) % r->step == 0;
}

bool cli_frame_range_read(const cli_call *call, bool newest, cli_frame_range *range)
{
    const char *one = cli_value(call, "frame"), *many = cli_value(call, "frames");
    long number = 0;
    *range = (cli_frame_range){.newest = newest, .last = UINT64_MAX, .step = 1};
    if (one && many) return cli_refuse(call, "--frame and --frames exclude each other");
    if (!cli_number(call, "frame", 0, LAST_FRAME, &number)) return false;
    if (one) *range = (cli_frame_range){false, (uint64_t)number, (uint64_t)number, 1};
    if (!many || parse_range(many, range)) return true;
    return cli_refuse(call, "--frames %s; expected K, A-B, A:B:STEP or last, up to %d", many,
                      LAST_FRAME);
}

/// ---- Frames of a run ---------------------------------------------------------------------------

/// What is wrong with a frame, in few words and without its path.
static const char *brief_reason(const sp_cache_item *item)
{
    const char *text = strstr(item->trouble, ".h5: ");
    if (strstr(item->trouble, "digest differs")) return "checksum";
    return text ? text + 5 : item->trouble;
}

static void say_left_out(const cli_frames *f, const sp_cache_item *item, bool brief)
{
    if (brief)
        cli_say(f->call, SP_LOG_WARNING, "frame %" PRIu64 " is damaged and left out (%s)",
                item->frame, brief_reason(item));
    else
        cli_say(f->call, SP_LOG_WARNING, "left out: %s", item->trouble);
}

static void close_frame(cli_frames *f)
{
    sp_frame_file_close(f->open);
    f->open = NULL;
}

/// Reads a frame. A damaged one that was not to be left out is named before anything is written, with what to
/// do about it.
static int take(cli_frames *f, sp_cache_item *item, bool brief)
{
    sp_error err = {0};
    close_frame(f);
    if (sp_cache_list_check_frame(&f->list, item, &f->open, &err) != SP_OK)
        return cli_unreadable(f->call, &err);
    if (item->status == SP_OK) {
        f->open_at = f->count;
        f->items[f->count++] = item;
        return CLI_FINE;
    }
    if (cli_given(f->call, "skip-bad")) {
        say_left_out(f, item, brief);
        return CLI_FINE;
    }
    cli_say(f->call, SP_LOG_ERROR,
            "frame %" PRIu64 " is damaged (%s); give --skip-bad to leave it out", item->frame,
            brief ? brief_reason(item) : item->trouble);
    return CLI_FAILED;
}

static int take_all(cli_frames *f, const cli_frame_range *range, bool brief)
{
    const sp_cache_list *list = &f->list;
    int code = CLI_FINE;
    for (size_t i = list->frame_count; code == CLI_FINE && i > 0 && range->newest && !f->count; --i)
        code = take(f, &list->frames[i - 1], brief);
    for (size_t i = 0; code == CLI_FINE && i < list->frame_count && !range->newest; ++i)
        if (takes(range, list->frames[i].frame)) code = take(f, &list->frames[i], brief);
    return code;
}

/// A movie that silently jumps is worse than none: says how many frames of the range are not there, and which is
/// the first of them. Of all frames, the range begins with the first one that is there.
static int check_gaps(const cli_frames *f, cli_frame_range range)
{
    const sp_cache_list *list = &f->list;
    if (range.last == UINT64_MAX) {
        range.first = list->frames[0].frame;
        range.last = list->frames[list->frame_count - 1].frame;
    }
    const uint64_t asked = (range.last - range.first) / range.step + 1;
    uint64_t there = 0, next = range.first; // next: the first frame that was not met so far
    for (size_t i = 0; i < list->frame_count; ++i) {
        if (!takes(&range, list->frames[i].frame)) continue;
        ++there;
        if (list->frames[i].frame == next) next += range.step;
    }
    if (there == 0 || there == asked) return CLI_FINE;
    const bool skip = cli_given(f->call, "skip-bad");
    cli_say(f->call, skip ? SP_LOG_WARNING : SP_LOG_ERROR,
            "%s: %" PRIu64 " of %" PRIu64 " frames are missing, the first is frame %" PRIu64 "%s",
            f->dir, asked - there, asked, next, skip ? "" : "; give --skip-bad to leave them out");
    return skip ? CLI_FINE : CLI_FAILED;
}

static int no_frame(const cli_frames *f, bool brief)
{
    const char *one = cli_value(f->call, "frame"), *many = cli_value(f->call, "frames");
    if (one) return cli_bad_input(f->call, "%s: no frame %s", f->dir, one);
    if (!brief) return cli_bad_input(f->call, "%s: no good frame in that range", f->dir);
    if (many) return cli_bad_input(f->call, "%s: no good frame in %s", f->dir, many);
    return cli_bad_input(f->call, "%s: no good frame", f->dir);
}

int cli_frames_open(const cli_call *call, const char *dir, const sp_host *host, cli_frames *out)
{
    sp_error err = {0};
    *out = (cli_frames){.call = call, .dir = dir, .host = host};
    if (sp_cache_list_open(dir, host, &out->list, &err) == SP_OK) return CLI_FINE;
    return cli_unreadable(call, &err);
}

int cli_frames_choose(cli_frames *f, const cli_frame_range *range, bool brief)
{
    f->items = sp_allocate(f->host, f->list.frame_count + 1, sizeof *f->items);
    if (!f->items) {
        sp_error err;
        sp_fail(&err, SP_NO_MEMORY, "no memory for a list of %zu frames", f->list.frame_count);
        return cli_failed(f->call, &err);
    }
    const int code = take_all(f, range, brief);
    if (code != CLI_FINE) return code;
    if (f->count == 0) return no_frame(f, brief);
    if (f->count > 1) close_frame(f); // a single one is not read a second time
    if (range->newest) return CLI_FINE;
    return check_gaps(f, *range);
}

void cli_frames_close(cli_frames *f)
{
    close_frame(f);
    if (f->host) sp_release(f->host, f->items);
    sp_cache_list_close(&f->list);
    *f = (cli_frames){0};
}

sp_status cli_frames_get(void *frames, size_t k, const sp_frame **frame, sp_error *err)
{
    cli_frames *f = frames;
    if (!f->open || f->open_at != k) {
        char path[4200];
        close_frame(f);
        sp_cache_frame_path(f->dir, f->items[k]->frame, path, sizeof path);
        SP_TRY(sp_frame_file_open(path, f->host, &f->open, err));
        f->open_at = k;
    }
    *frame = sp_frame_file_frame(f->open);
    return SP_OK;
}
