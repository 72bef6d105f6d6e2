// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_RESOLVED_VALUE_H
#define SP_CORE_TEXT_RESOLVED_VALUE_H

#include <stddef.h>

/// The value of a top-level key of a resolved scene, and its length; NULL when there is none.
/// Resolved scenes have each such key on its own line, indented by two blanks; the value ends with
/// the line, or with a bracket that is indented likewise.
const char *sp_resolved_value(const char *text, const char *key, size_t *length);

#endif
