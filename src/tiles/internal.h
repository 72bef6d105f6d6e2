// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_INTERNAL_H
#define SP_TILES_INTERNAL_H

#include "tiles/tiles.h"

/// Tiles in one chunk of a parallel loop: 8 tiles are 4096 voxels, about ten microseconds of the
/// cheapest work.
enum { SP_TILES_GRAIN = 8 };

/// Minimum and maximum of two numbers, neither of which may be NaN. C's fminf and fmaxf treat NaN
/// in a way that no machine instruction does, so gcc leaves loops with them scalar: five times as
/// slow here.
static inline float sp_least(float a, float b)
{
    return a < b ? a : b;
}
static inline float sp_most(float a, float b)
{
    return a > b ? a : b;
}

/// ---- Morton codes (morton_code.c) --------------------------------------------------------------

/// Adds the bias to a coordinate and moves its bit k to bit 3k. The code of a tile is x | y << 1 |
/// z << 2 of the three results.
uint64_t sp_morton_spread(int32_t coordinate);
void sp_morton_decode(uint64_t code, int32_t at[3]);
/// Sorts n codes in place; `helper` is scratch space for n codes.
void sp_morton_sort(uint64_t *codes, uint64_t *helper, size_t n);
/// Removes duplicates from sorted codes; returns how many are left.
size_t sp_morton_unique(uint64_t *codes, size_t n);

/// ---- Building (topology.c) ---------------------------------------------------------------------

/// Builds a topology from codes in any order; duplicates are allowed. Sorts `codes`. Codes must be
/// of wrapped coordinates. period NULL: no axis is periodic.
sp_status sp_tiles_build(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t *period,
                         uint64_t *codes, size_t n, sp_error *err);
/// The same for codes that are sorted and without duplicates.
sp_status sp_tiles_lay_out(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t *period,
                           const uint64_t *codes, size_t count, sp_error *err);
sp_status sp_tiles_check_voxel(float voxel, sp_error *err);

/// ---- Balls by tile (spheres_by_tile.c) ---------------------------------------------------------

/// Lists of balls by tile: the balls of tile t are item[start[t]] ... item[start[t + 1] - 1], in
/// ascending order.
typedef struct sp_tile_bins {
    const sp_host *host;
    uint32_t *start; ///< tiles + 1 entries
    uint32_t *item;
} sp_tile_bins;

/// Bins n balls with radius r[i] + reach (r NULL: reach alone). A tile lists a ball when the centre
/// of one of its cells may lie inside the ball. Fails for points that are not finite.
sp_status sp_tile_bins_open(sp_tile_bins *bins, const sp_tiles *tiles, size_t n, const float *x,
                            const float *y, const float *z, const float *r, float reach,
                            sp_error *err);
/// The same for cubes of half edge half[i].
sp_status sp_tile_bins_open_cubes(sp_tile_bins *bins, const sp_tiles *tiles, size_t n,
                                  const float *x, const float *y, const float *z, const float *half,
                                  sp_error *err);
void sp_tile_bins_close(sp_tile_bins *bins);

/// A point relative to a tile: in voxels, from the centre of the tile's first voxel, so that voxel
/// (i, j, k) of the tile sits at (i, j, k). Differences are taken in double, because a float far
/// from the origin has no digits left for the fraction of a voxel.
static inline void sp_tile_local(const sp_tiles *tiles, size_t tile, float x, float y, float z,
                                 float local[3])
{
    const double per_voxel = 1.0 / (double)tiles->voxel;
    local[0] = (float)((double)x * per_voxel - 8.0 * tiles->at[tile][0] - 0.5);
    local[1] = (float)((double)y * per_voxel - 8.0 * tiles->at[tile][1] - 0.5);
    local[2] = (float)((double)z * per_voxel - 8.0 * tiles->at[tile][2] - 0.5);
}

/// Along one axis, the voxels first ... last of a tile whose centres are within `reach` of `local`
/// (both in voxels); first > last when there are none.
static inline void sp_tile_span(float local, float reach, int *first, int *last)
{
    const float low = ceilf(local - reach), high = floorf(local + reach);
    *first = low > 0.0f ? low < 8.0f ? (int)low : 8 : 0;
    *last = high < 7.0f ? high >= 0.0f ? (int)high : -1 : 7;
}

#endif
