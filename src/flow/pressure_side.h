// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_PRESSURE_SIDE_H
#define SP_FLOW_PRESSURE_SIDE_H

/// Functions that assembling the pressure system and subtracting its gradient share.

#include "flow/pressure.h"

#include <string.h>

/// Distance from an unknown to where x is known, as a fraction of the way to the fixed cell.
static inline float sp_flow_theta(float unknown, float fixed)
{
    const float theta = unknown / (unknown - fixed);
    return theta > 0.01f ? theta : 0.01f;
}

/// Open fractions of a tile's low and high faces; false when all are 1.
static inline bool sp_flow_load_fractions(const sp_flow_equation *e, uint32_t t, int axis,
                                          float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS])
{
    if (e->solids && sp_flow_open_fractions(e->solids, e->tiles, t, axis, low, high)) return true;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        low[n] = high[n] = 1.0f;
    return false;
}

/// Values of a face field on a tile's low and high faces along its axis; NULL: 0.
static inline void sp_flow_load_flux(const sp_flow_equation *e, const float *flux, uint32_t t,
                                     int axis, float low[SP_TILE_VOXELS],
                                     float high[SP_TILE_VOXELS])
{
    if (!flux) {
        memset(low, 0, SP_TILE_VOXELS * sizeof *low);
        memset(high, 0, SP_TILE_VOXELS * sizeof *high);
        return;
    }
    memcpy(low, flux + (size_t)t * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *low);
    sp_tiles_shift(e->tiles, flux, t, axis, 1, 0.0f, high);
}

#endif
