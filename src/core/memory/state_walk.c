// SPDX-License-Identifier: Apache-2.0
#include "core/memory/state_walk.h"

#include "core/numbers/hash.h"

#include <string.h>

static void copy_piece(sp_walk *walk, void *piece, size_t bytes)
{
    if (bytes == 0) return; // there may be no array
    walk->failed = walk->failed || bytes > walk->left;
    if (walk->failed) {
        if (walk->way == SP_WALK_RESTORE) memset(piece, 0, bytes);
        return;
    }
    if (walk->way == SP_WALK_SAVE)
        memcpy(walk->at, piece, bytes);
    else
        memcpy(piece, walk->at, bytes);
    walk->at += bytes;
    walk->left -= bytes;
}

void sp_walk_piece(sp_walk *walk, void *piece, size_t bytes)
{
    walk->bytes += bytes;
    if (walk->way == SP_WALK_SAVE || walk->way == SP_WALK_RESTORE) copy_piece(walk, piece, bytes);
    if (walk->way == SP_WALK_HASH) walk->hash = sp_hash(walk->hash, piece, bytes);
}
