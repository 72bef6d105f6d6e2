// SPDX-License-Identifier: Apache-2.0
/// Lists the balls that reach the voxels of each tile; a ball is in the list of every tile that it
/// touches. (src/particles has neighbour lists between particles.)
///
/// A counting sort: each block of balls counts how often it touches each tile, a scan over (tile,
/// block) gives each block its place to write, and then all blocks write at once. Within a tile the
/// balls stay in order for any number of threads, so that sums over a list are the same.
#include "tiles/internal.h"

#include <string.h>

enum { BLOCKS = 16, SMALLEST_BLOCK = 1024 };

typedef struct binning {
    const sp_tiles *tiles;
    size_t n, block; ///< balls; balls per block
    const float *x, *y, *z, *r;
    float reach;             ///< m
    bool cubes;              ///< not balls
    int32_t low[3], high[3]; ///< the box that holds all tiles
    uint32_t *place;         ///< per block and tile: counts, then places
    uint32_t *item;          ///< NULL while counting
    size_t *refused;         ///< first ball of a block that is not finite; n for none
} binning;

/// Tiles along an axis that have cell centres within reach of x (all in voxels); false when there
/// are none.
static bool span(const binning *b, int axis, double x, double reach, int32_t *low, int32_t *high)
{
    const double first = fmax(ceil((x - reach - 7.5) / 8.0), (double)b->low[axis]);
    const double last = fmin(floor((x + reach - 0.5) / 8.0), (double)b->high[axis]);
    if (first > last) return false;
    *low = (int32_t)first;
    *high = (int32_t)last;
    return true;
}

/// Sets *center_tile to the tile of a ball's centre, or SP_NO_TILE. Successive balls often have the
/// same.
static void find_center_tile(const sp_tiles *tiles, const double p[3], uint32_t *center_tile)
{
    int32_t at[3];
    for (int a = 0; a < 3; ++a) // the centre of a huge ball may exceed int32_t
        at[a] = (int32_t)fmax(-2e9, fmin(2e9, floor(p[a] / 8.0)));
    if (*center_tile != SP_NO_TILE && memcmp(tiles->at[*center_tile], at, sizeof at) == 0) return;
    *center_tile = sp_tiles_find(tiles, at);
}

/// The tile at `at`; by the neighbour table when it is next to `center_tile`.
static uint32_t tile_near(const sp_tiles *tiles, uint32_t center_tile, const int32_t at[3])
{
    if (center_tile == SP_NO_TILE) return sp_tiles_find(tiles, at);
    const int32_t *from = tiles->at[center_tile];
    const int32_t i = at[0] - from[0] + 1, j = at[1] - from[1] + 1, k = at[2] - from[2] + 1;
    if (i < 0 || i > 2 || j < 0 || j > 2 || k < 0 || k > 2) return sp_tiles_find(tiles, at);
    return tiles->around[center_tile][i + 3 * j + 9 * k];
}

/// Squared distance along an axis of p (in voxels) to the nearest cell centre of tile `at`.
static double outside(double p, int32_t at)
{
    const double low = 8.0 * at + 0.5 - p, high = p - 8.0 * at - 7.5;
    const double d = low > 0.0 ? low : high > 0.0 ? high : 0.0;
    return d * d;
}

static void put_ball(const binning *b, uint32_t *place, uint32_t *center_tile, size_t i)
{
    const double per_voxel = 1.0 / (double)b->tiles->voxel;
    const double reach = ((double)b->reach + (b->r ? (double)b->r[i] : 0.0)) * per_voxel;
    if (reach < 0.0) return;
    const double p[3] = {(double)b->x[i] * per_voxel, (double)b->y[i] * per_voxel,
                         (double)b->z[i] * per_voxel};
    int32_t low[3], high[3];
    for (int a = 0; a < 3; ++a)
        if (!span(b, a, p[a], reach, &low[a], &high[a])) return;
    find_center_tile(b->tiles, p, center_tile);
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t j = low[1]; j <= high[1]; ++j) {
            const double left = reach * reach - outside(p[2], k) - outside(p[1], j);
            for (int32_t n = low[0]; n <= high[0]; ++n) {
                if (!b->cubes && outside(p[0], n) > left) continue;
                const uint32_t tile = tile_near(b->tiles, *center_tile, (int32_t[3]){n, j, k});
                if (tile == SP_NO_TILE) continue;
                if (b->item) b->item[place[tile]] = (uint32_t)i;
                ++place[tile];
            }
        }
}

static void run_blocks(void *arg, size_t begin, size_t end)
{
    binning *b = arg;
    for (size_t block = begin; block < end; ++block) {
        const size_t last = (block + 1) * b->block < b->n ? (block + 1) * b->block : b->n;
        uint32_t center_tile = SP_NO_TILE;
        for (size_t i = block * b->block; i < last; ++i) {
            const float sum = b->x[i] + b->y[i] + b->z[i] + (b->r ? b->r[i] : 0.0f);
            if (isfinite(sum))
                put_ball(b, b->place + block * b->tiles->count, &center_tile, i);
            else if (b->refused[block] == b->n)
                b->refused[block] = i;
        }
    }
}

/// Turns counts into places. Returns the total, which exceeds 32 bits when there are too many.
static uint64_t place_items(const binning *b, size_t blocks, uint32_t *start)
{
    uint64_t total = 0;
    for (size_t t = 0; t < b->tiles->count; ++t) {
        start[t] = (uint32_t)total;
        for (size_t block = 0; block < blocks; ++block) {
            uint32_t *place = &b->place[block * b->tiles->count + t];
            const uint32_t count = *place;
            *place = (uint32_t)total;
            total += count;
        }
    }
    start[b->tiles->count] = (uint32_t)total;
    return total;
}

static sp_status fill_bins(binning *b, sp_tile_bins *bins, size_t blocks, sp_error *err)
{
    const sp_host *host = b->tiles->host;
    sp_parallel(host, blocks, 1, run_blocks, b);
    for (size_t block = 0; block < blocks; ++block) {
        const size_t i = b->refused[block];
        if (i < b->n)
            return sp_fail(err, SP_DIVERGED, "levelset: point %zu at (%g, %g, %g) m is not finite",
                           i, (double)b->x[i], (double)b->y[i], (double)b->z[i]);
    }
    const uint64_t total = place_items(b, blocks, bins->start);
    if (total < UINT32_MAX) b->item = bins->item = sp_allocate(host, total, sizeof *bins->item);
    if (!b->item)
        return sp_fail(err, SP_NO_MEMORY, "levelset: no memory to list %zu points by tile", b->n);
    sp_parallel(host, blocks, 1, run_blocks, b);
    return SP_OK;
}

static sp_status open_bins(sp_tile_bins *bins, binning b, sp_error *err)
{
    const sp_tiles *tiles = b.tiles;
    const size_t n = b.n;
    *bins = (sp_tile_bins){.host = tiles->host};
    if (n >= UINT32_MAX)
        return sp_fail(err, SP_NO_MEMORY, "levelset: %zu points; expected fewer than 2^32", n);
    b.block = n / BLOCKS + 1 < SMALLEST_BLOCK ? SMALLEST_BLOCK : n / BLOCKS + 1;
    const size_t blocks = (n + b.block - 1) / b.block;
    sp_tiles_bounds((const int32_t(*)[3])tiles->at, tiles->count, b.low, b.high);
    bins->start = sp_allocate(tiles->host, tiles->count + 1, sizeof *bins->start);
    b.place = sp_allocate(tiles->host, blocks * tiles->count, sizeof *b.place);
    b.refused = sp_allocate(tiles->host, blocks, sizeof *b.refused);
    sp_status status = SP_OK;
    if (bins->start && b.place && b.refused) {
        for (size_t block = 0; block < blocks; ++block)
            b.refused[block] = n;
        status = fill_bins(&b, bins, blocks, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "levelset: no memory to list %zu points by tile", n);
    }
    sp_release(tiles->host, b.place);
    sp_release(tiles->host, b.refused);
    if (status != SP_OK) sp_tile_bins_close(bins);
    return status;
}

sp_status sp_tile_bins_open(sp_tile_bins *bins, const sp_tiles *tiles, size_t n, const float *x,
                            const float *y, const float *z, const float *r, float reach,
                            sp_error *err)
{
    return open_bins(
        bins, (binning){.tiles = tiles, .n = n, .x = x, .y = y, .z = z, .r = r, .reach = reach},
        err);
}

sp_status sp_tile_bins_open_cubes(sp_tile_bins *bins, const sp_tiles *tiles, size_t n,
                                  const float *x, const float *y, const float *z, const float *half,
                                  sp_error *err)
{
    return open_bins(
        bins, (binning){.tiles = tiles, .n = n, .x = x, .y = y, .z = z, .r = half, .cubes = true},
        err);
}

void sp_tile_bins_close(sp_tile_bins *bins)
{
    if (bins->host) {
        sp_release(bins->host, bins->start);
        sp_release(bins->host, bins->item);
    }
    *bins = (sp_tile_bins){0};
}
