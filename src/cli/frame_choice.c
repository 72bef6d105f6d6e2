// SPDX-License-Identifier: Apache-2.0
#include "cli/frame_choice.h"

#include <inttypes.h>

/// A damaged frame inside the range is named before anything is written, with what to do about it.
static int refuse_damaged(const cli_call *call, const sp_cache_item *item)
{
    cli_say(call, SP_LOG_ERROR,
            "frame %" PRIu64 " is damaged (%s); give --skip-bad to leave it out", item->frame,
            item->trouble ? item->trouble : "unreadable");
    return CLI_FAILED;
}

static int choose(const cli_call *call, cli_frames *f)
{
    uint64_t first = 0, last = UINT64_MAX;
    bool is_range;
    if (!cli_range(call, "frames", &first, &last, &is_range)) return CLI_BAD_INPUT;
    for (size_t i = 0; i < f->list.frame_count; ++i) {
        const sp_cache_item *item = &f->list.frames[i];
        if (item->frame < first || item->frame > last) continue;
        if (item->status == SP_OK)
            f->numbers[f->count++] = item->frame;
        else if (!cli_given(call, "skip-bad"))
            return refuse_damaged(call, item);
        else
            cli_say(call, SP_LOG_WARNING, "left out: %s", item->trouble);
    }
    if (f->count == 0) return cli_bad_input(call, "%s: no good frame in that range", f->dir);
    return CLI_FINE;
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
