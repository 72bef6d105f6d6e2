// SPDX-License-Identifier: Apache-2.0
/// Checkpoints: a seal (header block), then the exact state as the solver's save() wrote it.
#include "cache/internal.h"

#include <stdio.h>

void sp_checkpoint_path(const char *dir, uint64_t frame, char *path, size_t size)
{
    snprintf(path, size, "%s/checkpoint/%06llu.ckpt", dir, (unsigned long long)frame);
}

sp_status sp_checkpoint_write(const char *dir, const sp_seal *facts, const sp_blob *state,
                              bool sync, sp_error *err)
{
    char path[SP_PATH];
    unsigned char block[SP_SEAL];
    sp_seal seal = *facts;
    seal.format = SP_CHECKPOINT_FORMAT;
    sp_checkpoint_path(dir, seal.frame, path, sizeof path);
    sp_seal_stamp(block, SP_CHECKPOINT_MAGIC, &seal, state->bytes, state->size);
    const sp_file_part parts[] = {{block, sizeof block}, {state->bytes, state->size}};
    return sp_cache_file_write(path, parts, 2, sync, err);
}

static sp_status check(const char *path, const char *bytes, size_t count, uint64_t frame,
                       uint64_t scene_hash, sp_seal *seal, sp_error *err)
{
    SP_TRY(sp_seal_check(path, SP_CHECKPOINT_MAGIC, SP_CHECKPOINT_FORMAT,
                         (const unsigned char *)bytes, count, seal, err));
    if (seal->frame != frame)
        return sp_fail(err, SP_DAMAGED, "%s: holds frame %llu under another's name", path,
                       (unsigned long long)seal->frame);
    if (seal->scene_hash != scene_hash)
        return sp_fail(err, SP_DAMAGED, "%s: belongs to another scene", path);
    return SP_OK;
}

sp_status sp_checkpoint_read(const char *dir, uint64_t frame, uint64_t scene_hash,
                             const sp_host *host, char **bytes, size_t *count, sp_seal *seal,
                             sp_error *err)
{
    char path[SP_PATH];
    sp_checkpoint_path(dir, frame, path, sizeof path);
    *seal = (sp_seal){0};
    SP_TRY(sp_file_read(path, 0, host, bytes, count, err));
    const sp_status st = check(path, *bytes, *count, frame, scene_hash, seal, err);
    if (st == SP_OK) return SP_OK;
    sp_release(host, *bytes);
    *bytes = NULL;
    *count = 0;
    return st;
}

sp_status sp_checkpoint_prune(const char *dir, uint64_t newest, uint64_t keep, const sp_host *host,
                              sp_error *err)
{
    char path[SP_PATH];
    uint64_t *frames;
    size_t count;
    SP_TRY(sp_cache_dir_frames(dir, "checkpoint", ".ckpt", host, &frames, &count, err));
    sp_status st = SP_OK;
    uint64_t kept = 0;
    for (size_t i = count; st == SP_OK && i-- > 0;) {
        if (frames[i] > newest || ++kept <= keep) continue;
        sp_checkpoint_path(dir, frames[i], path, sizeof path);
        st = sp_cache_file_remove(path, err);
    }
    sp_release(host, frames);
    return st;
}
