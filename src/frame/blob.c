// SPDX-License-Identifier: Apache-2.0
#include "frame/frame.h"

#include <string.h>

void sp_blob_put(sp_blob *blob, const void *bytes, size_t count)
{
    if (blob->failed || count == 0) return;
    if (count > blob->capacity - blob->size) {
        const size_t capacity = (blob->size + count) * 2;
        if (!sp_regrow(blob->host, (void **)&blob->bytes, blob->size, capacity, 1)) {
            blob->failed = true;
            return;
        }
        blob->capacity = capacity;
    }
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
