// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_UTF8_H
#define SP_CORE_TEXT_UTF8_H

#include <stddef.h>

/// Bytes of the UTF-8 character at `at`, 1 to 4; 0 at the text's end and where there is none.
size_t sp_utf8_length(const char *at);
/// The character at `at` as it stands in a JSON string, zero-ended; returns how many bytes of the
/// text it takes. A byte that is no UTF-8 (names of files and grids may be anything) is taken as
/// Latin-1.
size_t sp_json_letter(const char *at, char out[8]);

#endif
