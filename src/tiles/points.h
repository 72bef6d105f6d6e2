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

/// The largest coordinate in a tile, voxels: 8 - 2^-20, so that it stays below the next voxel when
/// whole voxels are added. The last float below 8 does not: 7.9999995 + 1 is rounded to 9.
#define SP_POINT_LAST 0x1.fffffcp+2f

/// ---- Sorting points that have moved (sort_points.c) --------------------------------------------

/// Id of removed points; sorting drops them.
#define SP_POINT_GONE UINT64_MAX

/// Points sorted by tile, after they have moved. x may be anywhere in [-8, 16) voxels from the low
/// corner of the tile that a point was sorted into.
typedef struct sp_moved_points {
    const sp_tiles *tiles;
    const uint32_t *start; ///< points of tile t are start[t] ... start[t+1] - 1
    const float *x[3];
    const uint64_t *id; ///< SP_POINT_GONE: removed
} sp_moved_points;

/// A column of values that sorting copies in the new order, of 4 or 8 bytes each.
typedef struct sp_point_column {
    const void *from;
    void *to;
    size_t bytes;
} sp_point_column;

/// Marks the tiles that points are in now: bit n of reach[t] is set when a point of tile t is in
/// the tile at offset n of `around` (t itself is SP_TILES_SELF).
void sp_points_reach(const sp_moved_points *points, uint32_t *reach);
/// Sorts points into the tiles `to` (which may be their old ones) and copies the columns; the first
/// three are x, which is wrapped to 0 ... SP_POINT_LAST. Drops removed points, and points in tiles
/// that do not exist; the latter are added to *lost. Stable: points of a voxel keep their order.
/// Writes to->count + 1 entries of `start`. On failure nothing is written.
sp_status sp_points_sort(const sp_moved_points *points, const sp_tiles *to,
                         const sp_point_column *column, int columns, sp_scratch *scratch,
                         uint32_t *start, uint64_t *lost, sp_error *err);
/// The starts of the same points on tiles `to`, which hold all tiles of `from` and more: points
/// keep their order.
void sp_points_remap(const sp_tiles *from, const uint32_t *old, const sp_tiles *to,
                     uint32_t *start);

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
