// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_POINTS_H
#define SP_TILES_POINTS_H

/// Points sorted by tile and voxel. Coordinates are in voxels from the tile's low corner, 0 <= x <
/// 8.

#include "tiles/mac.h"

#include <string.h>

/// Points of voxel v of a tile are first[v] ... first[v+1] - 1.
typedef uint32_t sp_tile_starts[SP_TILE_VOXELS + 1];

static inline uint32_t sp_point_voxel(float x, float y, float z)
{
    return (uint32_t)(int32_t)x + 8 * (uint32_t)(int32_t)y + 64 * (uint32_t)(int32_t)z;
}

/// Finds where voxels begin among the points begin ... end - 1 of one tile. Each point writes its
/// index + 1 as the end of its voxel, and the last point of a voxel overwrites the earlier ones.
/// Counting is slower, because each increment waits for the one before.
static inline void sp_tile_starts_of(const float *x, const float *y, const float *z, uint32_t begin,
                                     uint32_t end, sp_tile_starts first)
{
    memset(first, 0, sizeof(sp_tile_starts));
    for (uint32_t n = begin; n < end; ++n) {
        const uint32_t v = sp_point_voxel(x[n], y[n], z[n]);
        SP_ASSERT(v < SP_TILE_VOXELS);
        first[v + 1] = n + 1;
    }
    first[0] = begin;
    for (int v = 1; v <= SP_TILE_VOXELS; ++v)
        first[v] = first[v] > first[v - 1] ? first[v] : first[v - 1];
}

/// ---- Level set of liquid (from_sorted_particles.c) ---------------------------------------------

typedef struct sp_sorted_points {
    /// Points of tile t are start[t] ... start[t+1] - 1, sorted by voxel (i + 8j + 64k). The arrays
    /// must be readable, with any numbers, for eight entries beyond the last.
    const uint32_t *start;
    const float *x[3];
    /// Voxels that count as full of points (voxels in solids), so that no surface forms next to
    /// them; NULL: none.
    const sp_tile_mask *full;
    /// Voxels that one point makes full, whatever `full_count` is; NULL: none.
    const sp_tile_mask *full_with_one;
    /// A level set at cells, m: cells where it is less than -depth are inside the liquid; NULL: no
    /// such cells.
    const float *known_phi;
    float depth;
    /// Number of points, measured at the distance of their mean (zhu_bridson.h), below which the
    /// radius shrinks with the square root of the number, so that isolated points do not make more
    /// liquid than they stand for; 0: the radius never shrinks.
    float min_points;
    /// Points per voxel that make it full: a cell is -radius without a sum if it and its 26
    /// neighbours are full. 0 means 1. A voxel that the surface cuts near its bottom still holds a
    /// few points, and the cell below it is only half a voxel deep. With half the points of a voxel
    /// of water, the cell below is deeper than one voxel.
    uint32_t full_count;
} sp_sorted_points;

/// As sp_levelset_particles, with two shortcuts: a cell gets +band if it and its 26 neighbours hold
/// no points, even if a point is within the support; other cells with known_phi < -depth get
/// -radius. The support is two voxels at most.
sp_status sp_levelset_sorted(const sp_tiles *tiles, const sp_sorted_points *points, float support,
                             float radius, float band, float *phi, sp_scratch *scratch,
                             sp_error *err);

#endif
