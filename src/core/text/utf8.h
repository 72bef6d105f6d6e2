// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_UTF8_H
#define SP_CORE_TEXT_UTF8_H

#include <stddef.h>

/// Bytes of the UTF-8 character at `at`, 1 to 4; 0 at the end of the text and where the bytes are
/// not UTF-8.
size_t sp_utf8_length(const char *at);
/// Writes the character at `at` as it appears in a JSON string, zero-terminated, and returns how
/// many bytes of the text it uses. A byte that is not UTF-8 (file and grid names may hold any
/// bytes) is read as Latin-1.
size_t sp_json_letter(const char *at, char out[8]);
/// Copies words into a message: cut at `size`, and what would break the line becomes '?'.
void sp_clean(const char *words, size_t length, char *out, size_t size);
/// The same for a file's name, of which the end says most.
void sp_clean_name(const char *name, char *out, size_t size);

#endif
