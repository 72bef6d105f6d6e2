// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_VOXELS_H
#define SP_LIQUID_VOXELS_H

/// Which particles are in which voxel.

#include "liquid/internal.h"

typedef sp_tile_starts liquid_voxels;

static inline void liquid_voxels_of(const liquid_particles *p, size_t tile, liquid_voxels first)
{
    sp_tile_starts_of(p->x[0], p->x[1], p->x[2], p->start[tile], p->start[tile + 1], first);
}

#endif
