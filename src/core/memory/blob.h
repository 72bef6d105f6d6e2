// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_BLOB_H
#define SP_CORE_BLOB_H

#include "core/memory/state_walk.h"

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

/// Lists all pieces of a state.
typedef void sp_state_list(void *state, sp_walk *walk);
/// Reserves exactly the bytes of the listed pieces and appends them. `failed` is set when there is no memory.
void sp_blob_save(sp_blob *blob, sp_state_list *list, const void *state);
/// A walk that restores pieces from the rest of a blob. sp_blob_end() moves the blob's read position and
/// sets `failed` when the walk failed.
sp_walk sp_blob_begin(sp_blob *blob);
void sp_blob_end(sp_blob *blob, const sp_walk *walk);

#endif
