// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_SMOOTH_PATCH_H
#define SP_BUBBLES_SMOOTH_PATCH_H

/// Smooths a cubic patch of voxels with weights 1/4, 1/2, 1/4 along each axis.

#include "bubbles/internal.h"

/// The mean of three neighbours `step` apart, at the places first ... last - 1.
SP_INLINE void bubbles_blur(const float *restrict f, int step, int first, int last,
                            float *restrict out)
{
    for (int n = first; n < last; ++n)
        out[n] = 0.25f * (f[n - step] + f[n + step]) + 0.5f * f[n];
}

/// One pass over a patch of `edge` voxels. Values within a voxel of its border become meaningless.
static inline void bubbles_smooth_patch(float *patch, float *other, int edge)
{
    const int layer = edge * edge, count = layer * edge, row = edge + 1, rows = layer + edge + 1;
    bubbles_blur(patch, 1, 1, count - 1, other);
    bubbles_blur(other, edge, row, count - row, patch);
    bubbles_blur(patch, layer, rows, count - rows, other);
    memcpy(patch + rows, other + rows, (size_t)(count - 2 * rows) * sizeof *patch);
}

#endif
