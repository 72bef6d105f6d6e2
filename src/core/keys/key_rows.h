// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_KEYS_KEY_ROWS_H
#define SP_CORE_KEYS_KEY_ROWS_H

/// Macros for tables of keys, one row a field:
///
///     static const sp_key sun_rows[] = {
///         {F32(sp_look_sun, elevation), .unit = "degrees", .value = 38, RANGE(-5, 90),
///          .doc = "Above the horizon"},
///     };
///     const sp_keys sun_keys = TABLE("sun", sun_rows, sp_look_sun);
///
/// Only files that hold such tables include this header: its names are short so that rows are easy
/// to read, and too short for anything else.

#include "core/keys/keys.h"

#define AT(owner, field) .name = #field, .offset = offsetof(owner, field)

// Numbers: with .unit, .value and RANGE.
#define F32(owner, field) AT(owner, field), .type = SP_KEY_F32
#define F64(owner, field) AT(owner, field), .type = SP_KEY_F64
#define I32(owner, field) AT(owner, field), .type = SP_KEY_I32
#define U64(owner, field) AT(owner, field), .type = SP_KEY_U64
#define VEC3(owner, field) AT(owner, field), .type = SP_KEY_VEC3
#define RANGE(low, high) .min = (low), .max = (high)

// What has no unit: with .value.
#define BOOL(owner, field) AT(owner, field), .type = SP_KEY_BOOL, .unit = "", RANGE(0, 1)
#define WORD(owner, field, words)                                                                  \
    AT(owner, field), .type = SP_KEY_CHOICE, .unit = "", .choices = (words)
#define TEXT(owner, field) AT(owner, field), .type = SP_KEY_TEXT, .unit = ""

// Structs with keys of their own; of a list, RANGE is that of its length.
#define OBJECT(owner, field, keys)                                                                 \
    AT(owner, field), .type = SP_KEY_OBJECT, .unit = "", .items = &(keys)
#define OPTION(owner, field, keys)                                                                 \
    AT(owner, field), .type = SP_KEY_OPTION, .unit = "", .items = &(keys)
#define LIST(owner, field, number, keys)                                                           \
    AT(owner, field), .type = SP_KEY_LIST, .unit = "", .count_offset = offsetof(owner, number),    \
                      .items = &(keys)

#define TABLE(name, rows, owner)                                                                   \
    {                                                                                              \
        name, rows, sizeof(rows) / sizeof *(rows), sizeof(owner)                                   \
    }

#endif
