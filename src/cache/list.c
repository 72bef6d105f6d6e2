// SPDX-License-Identifier: Apache-2.0
/// Lists the contents of a run's directory and finds damaged files.
#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

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
        item->half = sp_frame_file_is_half(opened);
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

/// Fills in a file after it was checked, like fill_item().
static sp_status fill_file(sp_cache_list *list, const char *name, sp_status status,
                           const sp_error *trouble, sp_error *err)
{
    sp_cache_file *file = list->files;
    while (file->name && strcmp(file->name, name) != 0)
        ++file;
    SP_ASSERT(file < list->files + SP_CACHE_FILES);
    file->name = name;
    if (status == SP_OK || file->trouble) return SP_OK;
    if (status == SP_NO_MEMORY) return sp_fail(err, status, "%s", trouble->text);
    ++list->damaged;
    file->trouble = sp_copy_text(list->host, trouble->text);
    return file->trouble ? SP_OK : no_memory(list->dir, err);
}

static sp_status check_files(sp_cache_list *list, sp_error *err)
{
    char path[SP_PATH];
    sp_seals seals;
    sp_error trouble = {0};
    sp_status st = sp_seals_read(list->dir, list->host, &seals, &trouble);
    SP_TRY(fill_file(list, SP_SEALS_FILE, st, &trouble, err));
    for (int i = 0; i < SP_SEALED_COUNT; ++i) {
        if (i == SP_SEALED_SCENE) continue; // it may be edited
        st = sp_sealed_check(&seals, (sp_sealed)i, list->dir, list->host, &trouble);
        SP_TRY(fill_file(list, sp_sealed_name((sp_sealed)i), st, &trouble, err));
    }
    snprintf(path, sizeof path, "%s/stats.jsonl", list->dir);
    st = sp_cache_stats_check(path, list->frames, list->frame_count, list->host, &trouble);
    return fill_file(list, "stats.jsonl", st, &trouble, err);
}

sp_status sp_cache_list_check(sp_cache_list *list, sp_error *err)
{
    SP_TRY(check_files(list, err));
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

/// Whether scene.json is as the run wrote it. Damaged seals are found by sp_cache_list_check().
static sp_status compare_scene(sp_cache_list *list, sp_error *err)
{
    sp_seals seals;
    const char *text = list->scene_text;
    if (sp_seals_read(list->dir, list->host, &seals, NULL) == SP_NO_MEMORY)
        return no_memory(list->dir, err);
    list->scene_sealed = seals.given;
    list->scene_parts = seals.scene;
    list->scene_edited = text && !sp_seals_fit(&seals, SP_SEALED_SCENE, text, strlen(text));
    return SP_OK;
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
    SP_TRY(compare_scene(list, err));
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
    for (int i = 0; i < SP_CACHE_FILES; ++i)
        sp_release(list->host, list->files[i].trouble);
    sp_release(list->host, list->dir);
    sp_release(list->host, list->scene_text);
    sp_release(list->host, list->solver);
    sp_release(list->host, list->origin);
    *list = (sp_cache_list){0};
}
