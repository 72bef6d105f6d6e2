// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FRAME_H
#define SP_FRAME_H

/// Frames inside the library: the checks that every frame passes before others read it, and
/// look-up.

#include "core/core.h"

#include <spume/frame.h>

/// Checks names, kinds, counts and ascending ids. Only a solver or the name of a body can be wrong;
/// err says which.
sp_status sp_frame_check(const sp_frame *frame, sp_error *err);
/// SP_DIVERGED, with the set, the attribute and the particle's id, when a value is not finite.
sp_status sp_frame_check_finite(const sp_frame *frame, sp_error *err);
/// The values of a column. NULL if the set has no column of that name with floats and this many
/// components.
const float *sp_set_floats(const sp_set *set, const char *name, int components);
/// The particle's id, or its index in a set without ids.
uint64_t sp_set_id(const sp_set *set, size_t index);
/// Whether `name` is allowed for a set, a column, a field, a body or a statistic: 1 to 100 bytes,
/// no slash and no control characters, and not a single dot, because names become paths in files.
bool sp_frame_name_ok(const char *name);

#endif
