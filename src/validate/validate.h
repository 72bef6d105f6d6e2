// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_H
#define SP_VALIDATE_H

/// The proofs behind `spume validate`: each room's checks measure what it computes against theory,
/// experiments or brute force. One folder a room; the program and the tests link them, the library
/// does not.

#include "validate/check.h"

/// A room and its checks.
typedef struct sp_subject {
    const char *name; ///< of the room, and of the subject on the command line
    const sp_check *checks;
    size_t count;
} sp_subject;

extern const sp_subject sp_validate_bubbles, sp_validate_liquid, sp_validate_pond, sp_validate_sph,
    sp_validate_still, sp_validate_foam, sp_validate_bulk, sp_validate_poisson, sp_validate_shapes,
    sp_validate_surface, sp_validate_render, sp_validate_whitewater; ///< each in <room>/proofs.c

/// All of them, in the order they run in.
enum { SP_SUBJECTS = 12 };
extern const sp_subject *const sp_subjects[SP_SUBJECTS];

#endif
