// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BULK_INTERNAL_H
#define SP_BULK_INTERNAL_H

/// What the files of bulk share.

#include "tiles/mac.h"

/// Voxels of extrapolation of velocity beyond the water.
enum { BULK_BEYOND = SP_TILE };

/// Whether `age` is at least `time`, or would be without rounding.
static inline bool bulk_is_past(double age, double time)
{
    return age >= time * (1.0 - 1e-6);
}

/// Adds the low faces of a tile along an axis that have water on a side to `mask`.
static inline void bulk_mark_beside_water(const sp_tiles *tiles, const float *phi, float band,
                                          uint32_t t, int axis, sp_tile_mask mask)
{
    float before[SP_TILE_VOXELS];
    const float *here = phi + (size_t)t * SP_TILE_VOXELS;
    sp_tiles_shift(tiles, phi, t, axis, -1, band, before);
    for (int v = 0; v < SP_TILE_VOXELS; ++v)
        if (here[v] < 0.0f || before[v] < 0.0f) sp_tile_mask_add(mask, v);
}

/// Subtracts from vectors in cells their mean over the 5x5x5 cells around, of those that are known;
/// unknown values are NAN and stay so (local_mean.c).
sp_status bulk_subtract_local_mean(const sp_tiles *tiles, float *const vector[3], sp_error *err);

#endif
