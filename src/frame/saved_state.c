// SPDX-License-Identifier: Apache-2.0
#include "frame/saved_state.h"

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
