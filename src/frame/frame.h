// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FRAME_H
#define SP_FRAME_H

/// The frame waist from the inside: what every frame must hold before others read it.

#include "core/core.h"

#include <spume/frame.h>

/// Names, kinds, counts and ascending ids: what readers of frames rely on. Only a solver or a
/// body's name can be at fault, and err says which.
sp_status sp_frame_check(const sp_frame *frame, sp_error *err);
/// SP_DIVERGED, with the set, the attribute and the particle's id, when a number is not finite.
sp_status sp_frame_check_finite(const sp_frame *frame, sp_error *err);
/// The numbers of a column, or NULL where the set has none of that name, of floats, with so many
/// components.
const float *sp_set_floats(const sp_set *set, const char *name, int components);
/// The particle's id, or its index in a set without ids.
uint64_t sp_set_id(const sp_set *set, size_t index);
/// Whether a set, a column, a field, a body or a statistic may be called so: 1 to 100 bytes, no
/// slash and no control characters, and not a lone dot, because names become paths in files.
bool sp_frame_name_ok(const char *name);

#endif
