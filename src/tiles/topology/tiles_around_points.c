// SPDX-License-Identifier: Apache-2.0
/// Finds the tiles that points reach, or the rings around other tiles. Both give few tiles with
/// many duplicates, so each block of work keeps a small cache of the codes it wrote and skips
/// those; little is left to sort.
///
///     points --blocks--> count codes --scan--> write codes --sort, unique--> topology
#include "tiles/internal.h"

#include <string.h>

enum {
    BLOCK = 4096,     // points or tiles per cache; fixed, so that threads do not matter
    REMEMBERED = 512, // codes
    MOST = 1 << 28,   // tiles that one point may reach: 137 thousand million voxels
};

/// The work of a block. A block runs twice: first it counts, then, with `out` set, it writes.
typedef struct covering {
    size_t n;
    float voxel, reach;
    int32_t period[3];
    const float *x, *y, *z, *radius;
    const sp_tiles *from; ///< for rings around tiles; no points then
    int rings;
    size_t *count;   ///< codes of each block, then where its codes begin
    size_t *refused; ///< per block: first point out of reach; n for none
    uint64_t *out;   ///< NULL while counting
} covering;

/// Direct-mapped cache of the codes that a block wrote last.
typedef struct code_cache {
    const int32_t *period;
    uint64_t seen[REMEMBERED]; ///< code + 1; 0 is an empty entry
    bool any;
    int32_t last[6]; ///< the last box
    size_t count;
    uint64_t *out;
} code_cache;

static void put_row(code_cache *m, int32_t low, int32_t high, uint64_t yz)
{
    for (int32_t i = low; i <= high; ++i) {
        const uint64_t code = sp_morton_spread(sp_tile_wrap(i, m->period[0])) | yz;
        uint64_t *seen = &m->seen[(code ^ code >> 9) % REMEMBERED];
        if (*seen == code + 1) continue;
        *seen = code + 1;
        if (m->out) m->out[m->count] = code;
        ++m->count;
    }
}

static void put_box(code_cache *m, const int32_t low[3], const int32_t high[3])
{
    const int32_t box[6] = {low[0], low[1], low[2], high[0], high[1], high[2]};
    if (m->any && memcmp(box, m->last, sizeof box) == 0) return; // often the same box
    m->any = true;
    memcpy(m->last, box, sizeof box);
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t j = low[1]; j <= high[1]; ++j)
            put_row(m, low[0], high[0],
                    sp_morton_spread(sp_tile_wrap(j, m->period[1])) << 1 |
                        sp_morton_spread(sp_tile_wrap(k, m->period[2])) << 2);
}

/// False when a tile coordinate is out of reach or not a number.
static bool span(float x, float reach, double per_tile, int32_t *low, int32_t *high)
{
    const double a = floor(((double)x - (double)reach) * per_tile);
    const double b = floor(((double)x + (double)reach) * per_tile);
    if (!(a >= -SP_TILES_REACH && b <= SP_TILES_REACH)) return false;
    *low = (int32_t)a;
    *high = (int32_t)b;
    return true;
}

static bool put_point(const covering *c, code_cache *m, size_t i)
{
    const float reach = c->reach + (c->radius ? c->radius[i] : 0.0f);
    const double per_tile = 1.0 / (SP_TILE * (double)c->voxel);
    int32_t low[3], high[3];
    if (!(reach >= 0.0f) || !span(c->x[i], reach, per_tile, &low[0], &high[0]) ||
        !span(c->y[i], reach, per_tile, &low[1], &high[1]) ||
        !span(c->z[i], reach, per_tile, &low[2], &high[2]))
        return false;
    if ((high[0] - low[0] + 1.0) * (high[1] - low[1] + 1.0) * (high[2] - low[2] + 1.0) > MOST)
        return false;
    put_box(m, low, high);
    return true;
}

static bool put_rings(const covering *c, code_cache *m, size_t t)
{
    int32_t low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = c->from->at[t][a] - c->rings;
        high[a] = c->from->at[t][a] + c->rings;
    }
    if (!sp_tiles_within_reach(low) || !sp_tiles_within_reach(high)) return false;
    put_box(m, low, high);
    return true;
}

static void run_blocks(void *arg, size_t begin, size_t end)
{
    covering *c = arg;
    for (size_t b = begin; b < end; ++b) {
        code_cache m = {.period = c->period, .out = c->out ? c->out + c->count[b] : NULL};
        const size_t last = (b + 1) * BLOCK < c->n ? (b + 1) * BLOCK : c->n;
        for (size_t i = b * BLOCK; i < last; ++i)
            if (!(c->from ? put_rings(c, &m, i) : put_point(c, &m, i))) {
                if (c->refused[b] == c->n) c->refused[b] = i;
            }
        if (!c->out) c->count[b] = m.count;
    }
}

/// Reports the point (or tile) i that is out of reach.
static sp_status refuse(const covering *c, size_t i, sp_error *err)
{
    if (c->from)
        return sp_fail(err, SP_BAD_INPUT,
                       "tiles: %d rings around tile (%d, %d, %d) go beyond +-%d tiles", c->rings,
                       c->from->at[i][0], c->from->at[i][1], c->from->at[i][2], SP_TILES_REACH);
    return sp_fail(
        err, SP_BAD_INPUT,
        "tiles: point %zu at (%g, %g, %g) m, reaching %g m, is beyond +-%d tiles of %g m "
        "or reaches more than %d of them",
        i, (double)c->x[i], (double)c->y[i], (double)c->z[i],
        (double)(c->reach + (c->radius ? c->radius[i] : 0.0f)), SP_TILES_REACH,
        SP_TILE * (double)c->voxel, MOST);
}

static sp_status write_codes(covering *c, sp_tiles *tiles, const sp_host *host, size_t blocks,
                             sp_error *err)
{
    size_t total = 0;
    for (size_t b = 0; b < blocks; ++b) {
        if (c->refused[b] < c->n) return refuse(c, c->refused[b], err);
        const size_t count = c->count[b];
        c->count[b] = total;
        total += count;
    }
    c->out = sp_allocate(host, total, sizeof *c->out);
    if (!c->out) return sp_fail(err, SP_NO_MEMORY, "tiles: no memory to list %zu tiles", total);
    sp_parallel(host, blocks, 1, run_blocks, c);
    const sp_status status = sp_tiles_build(tiles, host, c->voxel, c->period, c->out, total, err);
    sp_release(host, c->out);
    return status;
}

static sp_status cover(covering *c, sp_tiles *tiles, const sp_host *host, sp_error *err)
{
    *tiles = (sp_tiles){0};
    const size_t blocks = (c->n + BLOCK - 1) / BLOCK;
    c->count = sp_allocate(host, blocks, sizeof *c->count);
    c->refused = sp_allocate(host, blocks, sizeof *c->refused);
    sp_status status;
    if (c->count && c->refused) {
        for (size_t b = 0; b < blocks; ++b)
            c->refused[b] = c->n;
        sp_parallel(host, blocks, 1, run_blocks, c);
        status = write_codes(c, tiles, host, blocks, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "tiles: no memory to cover %zu points", c->n);
    }
    sp_release(host, c->count);
    sp_release(host, c->refused);
    return status;
}

sp_status sp_tiles_cover(sp_tiles *tiles, const sp_host *host, float voxel, size_t n,
                         const float *x, const float *y, const float *z, const float *radius,
                         float reach, sp_error *err)
{
    *tiles = (sp_tiles){0};
    SP_TRY(sp_tiles_check_voxel(voxel, err));
    covering c = {.n = n, .voxel = voxel, .reach = reach, .x = x, .y = y, .z = z, .radius = radius};
    return cover(&c, tiles, host, err);
}

sp_status sp_tiles_dilate(sp_tiles *tiles, const sp_tiles *from, int rings, sp_error *err)
{
    SP_ASSERT(rings >= 0);
    *tiles = (sp_tiles){0};
    if (!from->host) return SP_OK; // a zeroed topology has nothing around it
    covering c = {.n = from->count, .voxel = from->voxel, .from = from, .rings = rings};
    memcpy(c.period, from->period, sizeof c.period);
    return cover(&c, tiles, from->host, err);
}
