// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_TEXT_BUILDER_H
#define SP_CORE_TEXT_TEXT_BUILDER_H

/// Text that grows, with what JSON needs: quoted strings and numbers that read back.
///
///     sp_text text = {.host = host};
///     sp_text_add(&text, "{\"name\": ");
///     sp_text_quote(&text, name);
///     sp_text_add(&text, "}\n");
///     if (!text.failed) fputs(text.bytes, stdout);
///     sp_text_close(&text);

#include "core/text/status.h"

#include <spume/host.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_text {
    const sp_host *host;
    char *bytes; ///< zero-ended once something was added; NULL before
    size_t size, capacity;
    bool failed; ///< no memory; what is added later is dropped
} sp_text;

void sp_text_put(sp_text *text, const char *bytes, size_t count);
void sp_text_add(sp_text *text, const char *words);
void sp_text_format(sp_text *text, const char *format, ...) SP_PRINTF(2, 3);
void sp_text_quote(sp_text *text, const char *words); ///< as a JSON string; NULL as null
void sp_text_xml(sp_text *text, const char *words);   ///< escaped for an attribute
/// So many significant digits; null for what is not finite, which JSON cannot write.
void sp_text_number(sp_text *text, double value, int digits);
void sp_text_float(sp_text *text, float value); ///< shortest digits that read back bit for bit
void sp_text_double(sp_text *text, double value);
void sp_text_vector(sp_text *text, const float v[3]); ///< "[0, -9.81, 0]"
void sp_text_newline(sp_text *text, int indent);      ///< and two blanks for each level
/// Hands the text to the caller, who releases it, or releases it and fails.
sp_status sp_text_finish(sp_text *text, char **out, sp_error *err);
void sp_text_close(sp_text *text); ///< may be zeroed

#endif
