// SPDX-License-Identifier: Apache-2.0
/// What is in a run's directory, and what of it must not be used.
#include "cache/internal.h"

#include <stdio.h>

static sp_status no_memory(const char *dir, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "%s: no memory for the list of its files", dir);
}

/// The tile's place in Morton order; what a file says may be out of all reach, and then comes last.
static uint64_t code_of(const int32_t at[3])
{
    for (int a = 0; a < 3; ++a)
        if (at[a] < -SP_TILES_REACH || at[a] > SP_TILES_REACH) return UINT64_MAX;
    return sp_tiles_morton(at);
}

/// Distances of the tile at `at`, NULL where the field has none. `*from` is where to look: tiles of
/// all fields are in Morton order.
static const float *distances_at(const sp_field *phi, const int32_t at[3], size_t *from)
{
    const uint64_t code = code_of(at);
    while (*from < phi->tile_count && code_of(phi->tiles + 3 * *from) < code)
        ++*from;
    const bool found = *from < phi->tile_count && code_of(phi->tiles + 3 * *from) == code;
    return found ? phi->values + 512 * *from : NULL;
}

/// Velocity goes on some voxels beyond the water, where it may be larger: only the water's counts. Of
/// vectors on faces it is that of a voxel's low faces, which is as good for a figure.
static double largest_speed(const sp_frame *frame)
{
    const sp_field *u = sp_frame_field(frame, "velocity"), *phi = sp_frame_field(frame, "surface");
    if (!u || u->layout != SP_FIELD_TILES || u->components != 3) return -1.0;
    if (phi && (phi->layout != SP_FIELD_TILES || phi->components != 1)) phi = NULL;
    float most = 0.0f;
    size_t from = 0;
    for (size_t t = 0; t < u->tile_count; ++t) {
        const float *d = phi ? distances_at(phi, u->tiles + 3 * t, &from) : NULL;
        for (size_t v = 0; (d || !phi) && v < 512; ++v) {
            const float *x = u->values + 3 * (512 * t + v);
            if (!d || d[v] < 0.0f) most = fmaxf(most, x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        }
    }
    return sqrt((double)most);
}

static sp_status look_at_frame(const char *path, const sp_host *host, sp_cache_item *item,
                               sp_seal *seal, sp_error *err)
{
    sp_frame_file *file;
    SP_TRY(sp_frame_file_open(path, host, &file, err));
    *seal = *sp_frame_file_seal(file);
    item->voxel = sp_frame_file_frame(file)->voxel;
    item->speed = largest_speed(sp_frame_file_frame(file));
    sp_frame_file_close(file);
    return SP_OK;
}

static sp_status look_at_checkpoint(const char *dir, uint64_t frame, const sp_cache_list *list,
                                    sp_seal *seal, sp_error *err)
{
    char *bytes;
    size_t count;
    SP_TRY(sp_checkpoint_read(dir, frame, list->scene_hash, list->host, &bytes, &count, seal, err));
    sp_release(list->host, bytes);
    return SP_OK;
}

/// Fills in one item. Only a lack of memory is a failure: damage is what lists are for.
static sp_status look(const char *dir, bool checkpoint, sp_cache_list *list, sp_cache_item *item,
                      sp_error *err)
{
    char path[SP_PATH];
    sp_seal seal = {0};
    sp_error trouble = {0};
    if (checkpoint)
        sp_checkpoint_path(dir, item->frame, path, sizeof path);
    else
        sp_cache_frame_path(dir, item->frame, path, sizeof path);
    item->bytes = sp_cache_file_size(path);
    item->status = checkpoint ? look_at_checkpoint(dir, item->frame, list, &seal, &trouble)
                              : look_at_frame(path, list->host, item, &seal, &trouble);
    if (item->status == SP_OK && seal.frame != item->frame)
        item->status = sp_fail(&trouble, SP_DAMAGED, "%s: holds frame %llu under another's name",
                               path, (unsigned long long)seal.frame);
    if (item->status == SP_NO_MEMORY) return sp_fail(err, SP_NO_MEMORY, "%s", trouble.text);
    if (item->status != SP_OK) {
        ++list->damaged;
        item->voxel = item->speed = 0.0;
        item->trouble = sp_copy_text(list->host, trouble.text);
        return item->trouble ? SP_OK : no_memory(dir, err);
    }
    item->time = seal.time;
    item->hash = seal.hash;
    item->digest = seal.digest;
    return SP_OK;
}

static sp_status fill(const char *dir, bool checkpoint, sp_cache_list *list, sp_cache_item **items,
                      size_t *item_count, sp_error *err)
{
    char path[SP_PATH];
    uint64_t *frames;
    size_t count;
    snprintf(path, sizeof path, "%s/%s", dir, checkpoint ? "checkpoint" : "frames");
    SP_TRY(
        sp_cache_dir_frames(path, checkpoint ? ".ckpt" : ".h5", list->host, &frames, &count, err));
    *items = sp_allocate(list->host, count, sizeof **items);
    sp_status st = *items ? SP_OK : no_memory(dir, err);
    if (st == SP_OK) *item_count = count;
    for (size_t i = 0; st == SP_OK && i < count; ++i) {
        (*items)[i].frame = frames[i];
        st = look(dir, checkpoint, list, &(*items)[i], err);
    }
    sp_release(list->host, frames);
    return st;
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
    list->scene_hash = facts.scene_hash;
    list->fps = facts.fps;
    if (facts.solver[0] && !(list->solver = sp_copy_text(host, facts.solver)))
        return no_memory(dir, err);
    if (facts.origin[0] && !(list->origin = sp_copy_text(host, facts.origin)))
        return no_memory(dir, err);
    snprintf(path, sizeof path, "%s/scene.json", dir);
    // A scene that cannot be read stays NULL: the frames still count.
    if (sp_file_read(path, 0, host, &list->scene_text, &length, NULL) == SP_NO_MEMORY)
        return no_memory(dir, err);
    SP_TRY(fill(dir, false, list, &list->frames, &list->frame_count, err));
    SP_TRY(fill(dir, true, list, &list->checkpoints, &list->checkpoint_count, err));
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
    sp_release(list->host, list->scene_text);
    sp_release(list->host, list->solver);
    sp_release(list->host, list->origin);
    *list = (sp_cache_list){0};
}
