// SPDX-License-Identifier: Apache-2.0
#include "exchange/exchange.h"

#include <string.h>

bool sp_export_names_from(const char *word, sp_export_names *names)
{
    static const char *const words[] = {"plain", "houdini", "blender"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strcmp(word, words[i]) != 0) continue;
        *names = (sp_export_names)i;
        return true;
    }
    return false;
}
