// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_INTERNAL_H
#define SP_TILES_INTERNAL_H

#include "tiles/tiles.h"

/// Tile loops are handed out this many at a time: 8 tiles are 4096 voxels, some ten microseconds of
/// the cheapest work.
enum { SP_TILES_GRAIN = 8 };

/// Of two numbers that are none of them NaN. C's fminf and fmaxf care for NaN, which no machine's
/// instructions do, so gcc leaves loops with them scalar: five times as slow here.
static inline float sp_least(float a, float b)
{
    return a < b ? a : b;
}
static inline float sp_most(float a, float b)
{
    return a > b ? a : b;
}

/// ---- Morton codes (morton_code.c) --------------------------------------------------------------

/// Biases a coordinate and moves its bit k to bit 3k; a code is x | y << 1 | z << 2 of these.
uint64_t sp_morton_spread(int32_t coordinate);
void sp_morton_decode(uint64_t code, int32_t at[3]);
bool sp_tiles_within_reach(const int32_t at[3]);
/// Sorts n codes with the help of a second array of n; the sorted ones end up in `codes`.
void sp_morton_sort(uint64_t *codes, uint64_t *helper, size_t n);
/// Removes repetitions from sorted codes; returns how many are left.
size_t sp_morton_unique(uint64_t *codes, size_t n);

/// ---- Building (topology.c) ---------------------------------------------------------------------

/// Builds a topology out of codes in any order with repetitions; the codes are sorted on the way.
/// Codes are those of wrapped coordinates; period NULL: space does not repeat.
sp_status sp_tiles_build(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t *period,
                         uint64_t *codes, size_t n, sp_error *err);
sp_status sp_tiles_check_period(const int32_t period[3], sp_error *err);
/// The same of codes that are in order and differ.
sp_status sp_tiles_lay_out(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t *period,
                           const uint64_t *codes, size_t count, sp_error *err);
sp_status sp_tiles_check_voxel(float voxel, sp_error *err);

/// ---- Who touches which tile (spheres_by_tile.c) ------------------------------------------------

/// Lists of balls by tile: those of tile t are item[start[t]] ... item[start[t + 1] - 1],
/// ascending.
typedef struct sp_tile_bins {
    const sp_host *host;
    uint32_t *start; ///< one more than there are tiles
    uint32_t *item;
} sp_tile_bins;

/// Balls of radius r[i] (r may be NULL) + reach around n points; a tile lists a ball when one of
/// its cells' centres may lie inside. Fails for points that are not finite.
sp_status sp_tile_bins_open(sp_tile_bins *bins, const sp_tiles *tiles, size_t n, const float *x,
                            const float *y, const float *z, const float *r, float reach,
                            sp_error *err);
void sp_tile_bins_close(sp_tile_bins *bins);

/// A point as seen from a tile: in voxels, counted from the centre of the tile's first voxel, so
/// that voxel (i, j, k) of the tile sits at (i, j, k). Differences are taken in double: far from
/// the origin floats would round a voxel's fraction away.
static inline void sp_tile_local(const sp_tiles *tiles, size_t tile, float x, float y, float z,
                                 float local[3])
{
    const double per_voxel = 1.0 / (double)tiles->voxel;
    local[0] = (float)((double)x * per_voxel - 8.0 * tiles->at[tile][0] - 0.5);
    local[1] = (float)((double)y * per_voxel - 8.0 * tiles->at[tile][1] - 0.5);
    local[2] = (float)((double)z * per_voxel - 8.0 * tiles->at[tile][2] - 0.5);
}

/// The voxels first ... last of a tile (along one axis) whose centres are within reach of a local
/// coordinate; first > last when there are none.
static inline void sp_tile_span(float local, float reach, int *first, int *last)
{
    const float low = ceilf(local - reach), high = floorf(local + reach);
    *first = low > 0.0f ? low < 8.0f ? (int)low : 8 : 0;
    *last = high < 7.0f ? high >= 0.0f ? (int)high : -1 : 7;
}

#endif
