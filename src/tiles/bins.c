// SPDX-License-Identifier: Apache-2.0
/// Lists of balls by tile, by counting: blocks of balls count for themselves how often they touch each
/// tile, a scan over (tile, block) tells each block where to write, and then all write at once. Within a
/// tile balls stay in order, whatever the number of threads, so that sums over a list are the same.
#include "tiles/internal.h"

enum { BLOCKS = 16, SMALLEST_BLOCK = 1024 };

typedef struct binning {
    const sp_tiles *tiles;
    size_t n, block; ///< balls, and balls in a block
    const float *x, *y, *z, *r;
    float reach;             ///< m
    int32_t low[3], high[3]; ///< the box that holds all tiles
    uint32_t *place;         ///< a row of tiles for each block: counts, then places
    uint32_t *item;          ///< NULL while counting
    size_t *refused;         ///< first ball of a block that is not finite; n for none
} binning;

static void bound_tiles(binning *b)
{
    for (int a = 0; a < 3; ++a) {
        b->low[a] = SP_TILES_REACH;
        b->high[a] = -SP_TILES_REACH;
    }
    for (size_t t = 0; t < b->tiles->count; ++t)
        for (int a = 0; a < 3; ++a) {
            const int32_t at = b->tiles->at[t][a];
            if (at < b->low[a]) b->low[a] = at;
            if (at > b->high[a]) b->high[a] = at;
        }
}

/// Tiles along an axis that have cell centres within reach of x (all in voxels).
static void span(const binning *b, int axis, double x, double reach, int32_t *low, int32_t *high)
{
    const double first = floor((x - reach - 7.5) / 8.0), last = floor((x + reach - 0.5) / 8.0);
    *low = first > b->low[axis] ? first < b->high[axis] ? (int32_t)first : b->high[axis]
                                : b->low[axis];
    *high =
        last < b->high[axis] ? last > b->low[axis] ? (int32_t)last : b->low[axis] : b->high[axis];
}

/// How far a local coordinate is outside 0...7, where the centres of a tile's cells are.
static float outside(float local)
{
    return local < 0.0f ? -local : local > 7.0f ? local - 7.0f : 0.0f;
}

static void put_ball(const binning *b, uint32_t *place, size_t i)
{
    const double per_voxel = 1.0 / (double)b->tiles->voxel;
    const float reach = (float)(((double)b->reach + (b->r ? (double)b->r[i] : 0.0)) * per_voxel);
    if (reach < 0.0f) return;
    int32_t low[3], high[3];
    span(b, 0, (double)b->x[i] * per_voxel, (double)reach, &low[0], &high[0]);
    span(b, 1, (double)b->y[i] * per_voxel, (double)reach, &low[1], &high[1]);
    span(b, 2, (double)b->z[i] * per_voxel, (double)reach, &low[2], &high[2]);
    for (int32_t tz = low[2]; tz <= high[2]; ++tz)
        for (int32_t ty = low[1]; ty <= high[1]; ++ty)
            for (int32_t tx = low[0]; tx <= high[0]; ++tx) {
                const uint32_t tile = sp_tiles_find(b->tiles, (int32_t[3]){tx, ty, tz});
                if (tile == SP_NO_TILE) continue;
                float local[3];
                sp_tile_local(b->tiles, tile, b->x[i], b->y[i], b->z[i], local);
                const float dx = outside(local[0]), dy = outside(local[1]), dz = outside(local[2]);
                if (!(dx * dx + dy * dy + dz * dz <= reach * reach)) continue;
                if (b->item) b->item[place[tile]] = (uint32_t)i;
                ++place[tile];
            }
}

static void run_blocks(void *arg, size_t begin, size_t end)
{
    binning *b = arg;
    for (size_t block = begin; block < end; ++block) {
        const size_t last = (block + 1) * b->block < b->n ? (block + 1) * b->block : b->n;
        for (size_t i = block * b->block; i < last; ++i) {
            const float sum = b->x[i] + b->y[i] + b->z[i] + (b->r ? b->r[i] : 0.0f);
            if (isfinite(sum))
                put_ball(b, b->place + block * b->tiles->count, i);
            else if (b->refused[block] == b->n)
                b->refused[block] = i;
        }
    }
}

/// Turns counts into places; the total, or more than 32 bits hold when there are too many.
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

sp_status sp_tile_bins_open(sp_tile_bins *bins, const sp_tiles *tiles, size_t n, const float *x,
                            const float *y, const float *z, const float *r, float reach,
                            sp_error *err)
{
    *bins = (sp_tile_bins){.host = tiles->host};
    if (n >= UINT32_MAX)
        return sp_fail(err, SP_NO_MEMORY, "levelset: %zu points; expected fewer than 2^32", n);
    binning b = {.tiles = tiles, .n = n, .x = x, .y = y, .z = z, .r = r, .reach = reach};
    b.block = n / BLOCKS + 1 < SMALLEST_BLOCK ? SMALLEST_BLOCK : n / BLOCKS + 1;
    const size_t blocks = (n + b.block - 1) / b.block;
    bound_tiles(&b);
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

void sp_tile_bins_close(sp_tile_bins *bins)
{
    if (bins->host) {
        sp_release(bins->host, bins->start);
        sp_release(bins->host, bins->item);
    }
    *bins = (sp_tile_bins){0};
}
