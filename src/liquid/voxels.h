// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_VOXELS_H
#define SP_LIQUID_VOXELS_H

/// Which particles are in which voxel. They lie sorted, so counting is enough.

#include "liquid/internal.h"

#include <string.h>

/// Particles of voxel v of a tile are first[v] ... first[v+1] - 1.
typedef uint32_t liquid_voxels[SP_TILE_VOXELS + 1];

static inline uint32_t liquid_voxel_at(float x, float y, float z)
{
    return (uint32_t)x + 8 * (uint32_t)y + 64 * (uint32_t)z;
}

static inline void liquid_voxels_of(const liquid_particles *p, size_t tile, liquid_voxels first)
{
    const float *x = p->x[0], *y = p->x[1], *z = p->x[2];
    uint32_t next = p->start[tile];
    memset(first, 0, sizeof(liquid_voxels));
    for (uint32_t n = next; n < p->start[tile + 1]; ++n) {
        const uint32_t v = liquid_voxel_at(x[n], y[n], z[n]);
        SP_ASSERT(v < SP_TILE_VOXELS);
        ++first[v];
    }
    for (int v = 0; v <= SP_TILE_VOXELS; ++v) {
        const uint32_t count = first[v];
        first[v] = next;
        next += count;
    }
}

#endif
