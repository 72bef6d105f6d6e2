// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_BLOB_H
#define SP_CORE_BLOB_H

#include <spume/host.h>

#include <stdbool.h>

/// A solver's state as bytes: written by save, read back by restore. It grows as needed.
typedef struct sp_blob {
    const sp_host *host;
    unsigned char *bytes;
    size_t size, capacity;
    size_t at;   ///< reading: next byte
    bool failed; ///< writing: no memory; reading: past the end
} sp_blob;

/// Reserves `count` more bytes. Without it a blob grows by doubling, which takes three times the state for a
/// moment.
void sp_blob_reserve(sp_blob *blob, size_t count);
void sp_blob_put(sp_blob *blob, const void *bytes, size_t count);
/// Leaves `bytes` zeroed and sets `failed` when fewer are left.
void sp_blob_get(sp_blob *blob, void *bytes, size_t count);
void sp_blob_close(sp_blob *blob);

#endif
