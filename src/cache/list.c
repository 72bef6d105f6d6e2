// SPDX-License-Identifier: Apache-2.0
/// Lists the contents of a run's directory and finds damaged files.
#include "cache/internal.h"

#include <stdio.h>

static sp_status no_memory(const char *dir, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "%s: no memory for the list of its files", dir);
}

/// Largest speed of the water; -1 unless the frame has velocity on tiles.
static double water_speed(const sp_frame *frame)
{
    return sp_field_on_tiles(sp_frame_field(frame, "velocity"), 3) ? sp_frame_speed(frame) : -1.0;
}

/// Fills in an item after its file was read. Only a lack of memory is a failure; damage is recorded
/// in the item.
static sp_status fill_item(sp_cache_list *list, sp_cache_item *item, const char *path,
                           const sp_seal *seal, sp_status status, sp_error *trouble, sp_error *err)
{
    if (status == SP_OK && seal->frame != item->frame)
        status = sp_fail(trouble, SP_DAMAGED, "%s: holds frame %llu under another's name", path,
                         (unsigned long long)seal->frame);
    if (status == SP_NO_MEMORY) return sp_fail(err, SP_NO_MEMORY, "%s", trouble->text);
    item->checked = true;
    item->bytes = sp_cache_file_size(path);
    item->status = status;
    if (status == SP_OK) {
        item->time = seal->time;
        item->hash = seal->hash;
        item->digest = seal->digest;
        return SP_OK;
    }
    ++list->damaged;
    item->voxel = item->speed = 0.0;
    item->trouble = sp_copy_text(list->host, trouble->text);
    return item->trouble ? SP_OK : no_memory(list->dir, err);
}

sp_status sp_cache_list_check_frame(sp_cache_list *list, sp_cache_item *item, sp_frame_file **file,
                                    sp_error *err)
{
    char path[SP_PATH];
    sp_frame_file *opened;
    sp_seal seal = {0};
    sp_error trouble = {0};
    SP_ASSERT(!item->checked);
    if (file) *file = NULL;
    sp_cache_frame_path(list->dir, item->frame, path, sizeof path);
    const sp_status read = sp_frame_file_open(path, list->host, &opened, &trouble);
    if (read == SP_OK) {
        seal = *sp_frame_file_seal(opened);
        item->voxel = sp_frame_file_frame(opened)->voxel;
        item->speed = water_speed(sp_frame_file_frame(opened));
    }
    const sp_status status = fill_item(list, item, path, &seal, read, &trouble, err);
    if (file && status == SP_OK && item->status == SP_OK)
        *file = opened;
    else
        sp_frame_file_close(opened);
    return status;
}

static sp_status check_checkpoint(sp_cache_list *list, sp_cache_item *item, sp_error *err)
{
    char path[SP_PATH], *bytes;
    size_t count;
    sp_seal seal;
    sp_error trouble = {0};
    sp_checkpoint_path(list->dir, item->frame, path, sizeof path);
    const sp_status read = sp_checkpoint_read(list->dir, item->frame, list->scene_hash, list->host,
                                              &bytes, &count, &seal, &trouble);
    sp_release(list->host, bytes);
    return fill_item(list, item, path, &seal, read, &trouble, err);
}

sp_status sp_cache_list_check(sp_cache_list *list, sp_error *err)
{
    for (size_t i = 0; i < list->frame_count; ++i)
        if (!list->frames[i].checked)
            SP_TRY(sp_cache_list_check_frame(list, &list->frames[i], NULL, err));
    for (size_t i = 0; i < list->checkpoint_count; ++i)
        if (!list->checkpoints[i].checked)
            SP_TRY(check_checkpoint(list, &list->checkpoints[i], err));
    return SP_OK;
}

static sp_status list_names(sp_cache_list *list, const char *folder, const char *suffix,
                            sp_cache_item **items, size_t *item_count, sp_error *err)
{
    uint64_t *frames;
    size_t count;
    SP_TRY(sp_cache_dir_frames(list->dir, folder, suffix, list->host, &frames, &count, err));
    *items = sp_allocate(list->host, count, sizeof **items);
    for (size_t i = 0; *items && i < count; ++i)
        (*items)[i].frame = frames[i];
    if (*items) *item_count = count;
    sp_release(list->host, frames);
    return *items ? SP_OK : no_memory(list->dir, err);
}

static void count_gaps(sp_cache_list *list)
{
    for (size_t i = 1; i < list->frame_count; ++i) {
        const uint64_t before = list->frames[i - 1].frame, here = list->frames[i].frame;
        if (here == before + 1) continue;
        if (list->missing == 0) list->first_missing = before + 1;
        list->missing += here - before - 1;
    }
}

sp_status sp_cache_list_open(const char *dir, const sp_host *host, sp_cache_list *list,
                             sp_error *err)
{
    char path[SP_PATH];
    size_t length;
    sp_run_facts facts;
    *list = (sp_cache_list){.host = host};
    SP_TRY(sp_run_facts_read(dir, &facts, host, err));
    if (!(list->dir = sp_copy_text(host, dir))) return no_memory(dir, err);
    list->scene_hash = facts.scene_hash;
    list->fps = facts.fps;
    if (facts.solver[0] && !(list->solver = sp_copy_text(host, facts.solver)))
        return no_memory(dir, err);
    if (facts.origin[0] && !(list->origin = sp_copy_text(host, facts.origin)))
        return no_memory(dir, err);
    snprintf(path, sizeof path, "%s/scene.json", dir);
    // A scene that cannot be read stays NULL; the frames are still usable.
    if (sp_file_read(path, 0, host, &list->scene_text, &length, NULL) == SP_NO_MEMORY)
        return no_memory(dir, err);
    SP_TRY(list_names(list, "frames", ".h5", &list->frames, &list->frame_count, err));
    SP_TRY(
        list_names(list, "checkpoint", ".ckpt", &list->checkpoints, &list->checkpoint_count, err));
    count_gaps(list);
    return SP_OK;
}

static void release_items(const sp_host *host, sp_cache_item *items, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        sp_release(host, items[i].trouble);
    sp_release(host, items);
}

void sp_cache_list_close(sp_cache_list *list)
{
    if (!list->host) return;
    release_items(list->host, list->frames, list->frame_count);
    release_items(list->host, list->checkpoints, list->checkpoint_count);
    sp_release(list->host, list->dir);
    sp_release(list->host, list->scene_text);
    sp_release(list->host, list->solver);
    sp_release(list->host, list->origin);
    *list = (sp_cache_list){0};
}
