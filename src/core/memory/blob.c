// SPDX-License-Identifier: Apache-2.0
#include "core/memory/blob.h"

#include "core/memory/memory.h"

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
