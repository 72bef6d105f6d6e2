// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FRAME_SAVED_STATE_H
#define SP_FRAME_SAVED_STATE_H

/// States of solvers into blobs and back, by the lists of their pieces.

#include "frame/frame.h"

/// Lists all pieces of a state.
typedef void sp_state_list(void *state, sp_walk *walk);
/// Counts, makes room for just as much, and appends. Without memory the blob has `failed`.
void sp_blob_save(sp_blob *blob, sp_state_list *list, const void *state);
/// A walk that restores pieces from what is left of a blob; sp_blob_end() tells the blob how far it
/// came, and whether it failed.
sp_walk sp_blob_begin(sp_blob *blob);
void sp_blob_end(sp_blob *blob, const sp_walk *walk);

#endif
