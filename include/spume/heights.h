// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_HEIGHTS_H
#define SPUME_HEIGHTS_H

#include <stddef.h>

/// Ground heights: everywhere `constant`, or width x height samples when `values` is set, stretched over
/// the whole domain (row 0 lies at y = 0, column 0 at x = 0). A zeroed struct is flat ground at 0.
typedef struct sp_heights {
    float constant;      ///< m
    const float *values; ///< m, row by row; NULL for a constant ground
    size_t width, height;
    const char *file; ///< where the values came from, for messages; may be NULL
} sp_heights;

#endif
