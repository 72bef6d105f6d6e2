// SPDX-License-Identifier: Apache-2.0
#include "core/text/resolved_value.h"

#include <stdio.h>
#include <string.h>

const char *sp_resolved_value(const char *text, const char *key, size_t *length)
{
    char line[64];
    snprintf(line, sizeof line, "\n  \"%s\": ", key);
    const char *begin = text ? strstr(text, line) : NULL;
    *length = 0;
    if (!begin) return NULL;
    begin += strlen(line);
    const char *end = strchr(begin, '\n');
    if (end && (end[-1] == '{' || end[-1] == '[')) {
        end = strstr(begin, *begin == '{' ? "\n  }" : "\n  ]");
        if (end) end += 4;
    } else if (end && end > begin && end[-1] == ',') {
        --end;
    }
    *length = end ? (size_t)(end - begin) : 0;
    return end ? begin : NULL;
}
