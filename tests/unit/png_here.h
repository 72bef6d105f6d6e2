// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_PNG_HERE_H
#define SP_TEST_PNG_HERE_H

#include "core/files/png.h"

#include <stdbool.h>

/// Whether this build writes pictures.
static inline bool built_with_png(const sp_host *host)
{
    static const unsigned char pixel[3];
    const sp_picture picture = {.width = 1, .height = 1, .pixels = pixel};
    return sp_picture_write("/nowhere/at/all.png", &picture, host, NULL) != SP_UNSUPPORTED;
}

#endif
