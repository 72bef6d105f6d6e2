// SPDX-License-Identifier: Apache-2.0
/// A run's directory, read frame by frame: the public way to read what was written.
#include "cache/internal.h"

#include <spume/run.h>

struct sp_run {
    const sp_host *host;
    sp_cache_list list;
    sp_frame_file *file; ///< the frame read last
};

sp_status sp_run_open(const char *dir, const sp_host *host, sp_run **out, sp_error *err)
{
    *out = NULL;
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    sp_run *run = sp_allocate(host, 1, sizeof *run);
    if (!run) return sp_fail(err, SP_NO_MEMORY, "%s: no memory to read it", dir);
    run->host = host;
    const sp_status status = sp_cache_list_open(dir, host, &run->list, err);
    if (status == SP_OK)
        *out = run;
    else
        sp_run_close(run);
    return status;
}

void sp_run_close(sp_run *run)
{
    if (!run) return;
    sp_frame_file_close(run->file);
    sp_cache_list_close(&run->list);
    sp_release(run->host, run);
}

sp_run_info sp_run_get_info(const sp_run *run)
{
    const sp_cache_list *list = &run->list;
    return (sp_run_info){list->solver, list->origin, list->scene_text, list->fps,
                         list->frame_count};
}

uint64_t sp_run_number(const sp_run *run, size_t index)
{
    return index < run->list.frame_count ? run->list.frames[index].frame : UINT64_MAX;
}

sp_status sp_run_read(sp_run *run, size_t index, const sp_frame **frame, sp_error *err)
{
    char path[SP_PATH];
    *frame = NULL;
    sp_frame_file_close(run->file);
    run->file = NULL;
    if (index >= run->list.frame_count)
        return sp_fail(err, SP_BAD_INPUT, "%s: no frame of that index; it has %zu", run->list.dir,
                       run->list.frame_count);
    const uint64_t number = run->list.frames[index].frame;
    sp_cache_frame_path(run->list.dir, number, path, sizeof path);
    SP_TRY(sp_frame_file_open(path, run->host, &run->file, err));
    const sp_frame *read = sp_frame_file_frame(run->file);
    if (read->frame != number)
        return sp_fail(err, SP_DAMAGED, "%s: holds frame %llu under another's name", path,
                       (unsigned long long)read->frame);
    *frame = read;
    return SP_OK;
}
