// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_POINTS_H
#define SP_TILES_POINTS_H

/// Points that lie sorted by tile and voxel, in voxels from their tile's low corner, 0 <= x < 8.

#include "tiles/mac.h"

#include <string.h>

/// Points of voxel v of a tile are first[v] ... first[v+1] - 1.
typedef uint32_t sp_tile_starts[SP_TILE_VOXELS + 1];

static inline uint32_t sp_point_voxel(float x, float y, float z)
{
    return (uint32_t)(int32_t)x + 8 * (uint32_t)(int32_t)y + 64 * (uint32_t)(int32_t)z;
}

/// Finds where voxels begin among the points begin ... end - 1 of one tile. Each point says that
/// its voxel ends behind it, and the last one of a voxel is right: to count would be to wait for
/// each sum in turn.
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

/// ---- The surface of liquid (from_sorted_particles.c) -------------------------------------------

typedef struct sp_sorted_points {
    /// Points of tile t are start[t] ... start[t+1] - 1, by voxel (i + 8j + 64k). Arrays must hold
    /// numbers, any, for eight entries beyond the last.
    const uint32_t *start;
    const float *x[3];
    /// Voxels that count as if they held points (those in solids), so that there is no surface
    /// towards them; NULL: none.
    const sp_tile_mask *full;
    /// Voxels of which one point makes enough (see `dense`); NULL: none.
    const sp_tile_mask *loose;
    /// m, at cells: where it is less than -depth the inside of the liquid is known from elsewhere;
    /// NULL: nowhere.
    const float *sure;
    float depth;
    /// Where there are fewer points than this, seen from as far away as their mean is (zhu_bridson.h), the
    /// radius shrinks with the root of their number, so that lone points count for no more liquid
    /// than they are; 0: it never does.
    float thin;
    /// Cells are -radius without being asked where they and their 26 neighbours hold so many points;
    /// 0: one. A voxel that the surface cuts low holds some, and the cell below it is no deeper than
    /// half a voxel: with half as many as water has, it is deeper than one.
    uint32_t dense;
} sp_sorted_points;

/// As sp_levelset_particles, but that cells whose 26 neighbours hold no points get +band even if a
/// point is within the support, and cells that are sure get -radius, neither of them being asked.
/// The support is two voxels at most.
sp_status sp_levelset_sorted(const sp_tiles *tiles, const sp_sorted_points *points, float support,
                             float radius, float band, float *phi, sp_scratch *scratch,
                             sp_error *err);

#endif
