// SPDX-License-Identifier: Apache-2.0
#include "core/memory/blob.h"

#include "core/memory/memory.h"
#include "core/text/status.h"

#include <string.h>

void sp_blob_reserve(sp_blob *blob, size_t count)
{
    if (blob->failed || count <= blob->capacity - blob->size) return;
    const size_t capacity = blob->size + count;
    blob->failed = !sp_regrow(blob->host, (void **)&blob->bytes, blob->size, capacity, 1);
    if (!blob->failed) blob->capacity = capacity;
}

void sp_blob_put(sp_blob *blob, const void *bytes, size_t count)
{
    if (blob->failed || count == 0) return;
    if (count > blob->capacity - blob->size) sp_blob_reserve(blob, blob->size + 2 * count);
    if (blob->failed) return;
    memcpy(blob->bytes + blob->size, bytes, count);
    blob->size += count;
}

void sp_blob_get(sp_blob *blob, void *bytes, size_t count)
{
    if (count == 0) return;
    if (blob->failed || count > blob->size - blob->at) {
        blob->failed = true;
        memset(bytes, 0, count);
        return;
    }
    memcpy(bytes, blob->bytes + blob->at, count);
    blob->at += count;
}

void sp_blob_close(sp_blob *blob)
{
    if (blob->host) sp_release(blob->host, blob->bytes);
    *blob = (sp_blob){0};
}

/// ---- States by the lists of their pieces ---------------------------------------------------------

void sp_blob_save(sp_blob *blob, sp_state_list *list, const void *state)
{
    void *pieces = (void *)(uintptr_t)state; // counting and saving only read
    sp_walk count = {.way = SP_WALK_COUNT};
    list(pieces, &count);
    sp_blob_reserve(blob, count.bytes);
    if (blob->failed) return;
    sp_walk save = {.way = SP_WALK_SAVE, .at = blob->bytes + blob->size, .left = count.bytes};
    list(pieces, &save);
    SP_ASSERT(!save.failed && save.left == 0);
    blob->size += count.bytes;
}

sp_walk sp_blob_begin(sp_blob *blob)
{
    return (sp_walk){.way = SP_WALK_RESTORE,
                     .at = blob->bytes + blob->at,
                     .left = blob->size - blob->at,
                     .failed = blob->failed};
}

void sp_blob_end(sp_blob *blob, const sp_walk *walk)
{
    blob->at = blob->size - walk->left;
    blob->failed = walk->failed;
}
