// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_MEMORY_STATE_WALK_H
#define SP_CORE_MEMORY_STATE_WALK_H

/// A walk through the pieces of a state. One function lists the pieces, in one order; counting,
/// saving, restoring and hashing all walk that list, so none can forget a piece. Pieces are plain
/// little-endian numbers and arrays without padding.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sp_walk_way {
    SP_WALK_COUNT, ///< only `bytes`
    SP_WALK_SAVE,
    SP_WALK_RESTORE,
    SP_WALK_HASH,
} sp_walk_way;

typedef struct sp_walk {
    sp_walk_way way;
    unsigned char *at; ///< saving and restoring: the next byte; not owned
    size_t left;       ///< bytes from there on
    size_t bytes;      ///< of all pieces so far
    uint64_t hash;     ///< of what was hashed before the walk; then with all pieces so far
    bool failed; ///< a piece had more bytes than were left; restored pieces are zero from there
} sp_walk;

/// Nothing but SP_WALK_RESTORE changes the piece.
void sp_walk_piece(sp_walk *walk, void *piece, size_t bytes);
#define SP_PIECE(walk, variable) sp_walk_piece((walk), &(variable), sizeof(variable))

#endif
