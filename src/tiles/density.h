// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_DENSITY_H
#define SP_TILES_DENSITY_H

/// Particles as a density: the share of each voxel that their volume fills.

#include "tiles/tiles.h"

typedef struct sp_density_points {
    size_t count;
    const float *position; ///< three a particle, m from the origin
    const float *radius;   ///< m
    const float *number;   ///< of balls that a particle stands for; NULL: one each
    const float *velocity; ///< three a particle, m/s; NULL: not asked for
} sp_density_points;

typedef struct sp_density {
    sp_tiles tiles;
    float *share;    ///< volume of the particles over that of the voxel; above 1 where they overlap
    float *velocity; ///< mean of the particles, weighted by volume, three a voxel; 0 without any
} sp_density;

/// Largest radius, in voxels.
enum { SP_DENSITY_LARGEST = 128 };

/// Distributes the volume number * 4/3 pi r^3 of each particle over the voxels around it by a cubic
/// B-spline along each axis, with weights that sum to 1: the sum of `share` times the voxel's
/// volume is the particles' volume up to rounding. Parallel by tile; the result depends only on the
/// particles and their order. Fails for particles that are not finite, negative or too large;
/// `out` is zeroed then.
sp_status sp_density_open(sp_density *out, const sp_host *host, double voxel,
                          const sp_density_points *points, sp_error *err);
void sp_density_close(sp_density *density); ///< may be zeroed

#endif
