// SPDX-License-Identifier: Apache-2.0
/// A topology: sorted tile coordinates, a hash table to find them, and the table of neighbours.
#include "tiles/internal.h"

#include <string.h>

sp_status sp_tiles_check_voxel(float voxel, sp_error *err)
{
    if (voxel >= 1e-9f && voxel <= 1e9f) return SP_OK; // refuses NaN too
    return sp_fail(err, SP_BAD_INPUT, "tiles: a voxel of %g m; expected 1e-9 to 1e9",
                   (double)voxel);
}

static sp_status check_period(const int32_t period[3], sp_error *err)
{
    for (int a = 0; a < 3; ++a)
        if (period[a] < 0 || period[a] > SP_TILES_REACH)
            return sp_fail(err, SP_BAD_INPUT,
                           "tiles: space repeats after %d tiles along %c; expected 0 to %d",
                           period[a], 'x' + a, SP_TILES_REACH);
    return SP_OK;
}

/// First hash slot of a tile. Neighbours along an axis differ by an odd number; the last product
/// mixes differences in the high bits into the bits that are used.
static size_t first_slot(const int32_t at[3], size_t slot_mask)
{
    const uint64_t sum = (uint64_t)(uint32_t)at[0] * 0x9e3779b97f4a7c15u +
                         (uint64_t)(uint32_t)at[1] * 0xc2b2ae3d27d4eb4fu +
                         (uint64_t)(uint32_t)at[2] * 0x165667b19e3779f9u;
    return (size_t)((sum ^ sum >> 29) * 0xbf58476d1ce4e5b9u >> 32) & slot_mask;
}

uint32_t sp_tiles_find(const sp_tiles *tiles, const int32_t anywhere[3])
{
    if (tiles->count == 0) return SP_NO_TILE;
    const int32_t at[3] = {sp_tile_wrap(anywhere[0], tiles->period[0]),
                           sp_tile_wrap(anywhere[1], tiles->period[1]),
                           sp_tile_wrap(anywhere[2], tiles->period[2])};
    size_t slot = first_slot(at, tiles->slot_mask);
    for (;; slot = (slot + 1) & tiles->slot_mask) {
        const uint32_t tile = tiles->slots[slot];
        if (tile == SP_NO_TILE) return SP_NO_TILE;
        const int32_t *there = tiles->at[tile];
        if (there[0] == at[0] && there[1] == at[1] && there[2] == at[2]) return tile;
    }
}

static void fill_slots(sp_tiles *tiles)
{
    memset(tiles->slots, 0xff, (tiles->slot_mask + 1) * sizeof *tiles->slots);
    for (size_t t = 0; t < tiles->count; ++t) {
        size_t slot = first_slot(tiles->at[t], tiles->slot_mask);
        while (tiles->slots[slot] != SP_NO_TILE)
            slot = (slot + 1) & tiles->slot_mask;
        tiles->slots[slot] = (uint32_t)t;
    }
}

static void find_neighbours(void *arg, size_t begin, size_t end)
{
    const sp_tiles *tiles = arg;
    for (size_t t = begin; t < end; ++t)
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const int32_t at[3] = {tiles->at[t][0] + n % 3 - 1, tiles->at[t][1] + n / 3 % 3 - 1,
                                   tiles->at[t][2] + n / 9 - 1};
            tiles->around[t][n] = n == SP_TILES_SELF ? (uint32_t)t : sp_tiles_find(tiles, at);
        }
}

static sp_status take_memory(sp_tiles *tiles, sp_error *err)
{
    size_t slots = 16;
    while (slots < 2 * tiles->count)
        slots *= 2;
    tiles->slot_mask = slots - 1;
    tiles->at = sp_allocate(tiles->host, tiles->count, sizeof *tiles->at);
    tiles->around = sp_allocate(tiles->host, tiles->count, sizeof *tiles->around);
    tiles->slots = sp_allocate(tiles->host, slots, sizeof *tiles->slots);
    if (tiles->at && tiles->around && tiles->slots) return SP_OK;
    const size_t count = tiles->count;
    sp_tiles_close(tiles);
    return sp_fail(err, SP_NO_MEMORY, "tiles: no memory for %zu tiles", count);
}

sp_status sp_tiles_lay_out(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t *period,
                           const uint64_t *codes, size_t count, sp_error *err)
{
    *tiles = (sp_tiles){0};
    if (count >= SP_NO_TILE)
        return sp_fail(err, SP_NO_MEMORY, "tiles: %zu tiles; expected fewer than %u", count,
                       SP_NO_TILE);
    *tiles = (sp_tiles){.host = host, .voxel = voxel, .count = count};
    if (period) memcpy(tiles->period, period, sizeof tiles->period);
    SP_TRY(take_memory(tiles, err));
    for (size_t t = 0; t < count; ++t)
        sp_morton_decode(codes[t], tiles->at[t]);
    fill_slots(tiles);
    sp_parallel(host, count, 256, find_neighbours, tiles);
    SP_VALIDATE(sp_tiles_is_valid(tiles));
    return SP_OK;
}

sp_status sp_tiles_copy(sp_tiles *tiles, const sp_tiles *from, sp_error *err)
{
    *tiles = *from;
    if (!from->host) return SP_OK;
    SP_TRY(take_memory(tiles, err));
    memcpy(tiles->at, from->at, from->count * sizeof *from->at);
    memcpy(tiles->around, from->around, from->count * sizeof *from->around);
    memcpy(tiles->slots, from->slots, (from->slot_mask + 1) * sizeof *from->slots);
    return SP_OK;
}

sp_status sp_tiles_build(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t *period,
                         uint64_t *codes, size_t n, sp_error *err)
{
    *tiles = (sp_tiles){0};
    uint64_t *helper = sp_allocate(host, n, sizeof *helper);
    if (!helper) return sp_fail(err, SP_NO_MEMORY, "tiles: no memory to sort %zu tiles", n);
    sp_morton_sort(codes, helper, n);
    sp_release(host, helper);
    return sp_tiles_lay_out(tiles, host, voxel, period, codes, sp_morton_unique(codes, n), err);
}

/// Wraps coordinates and turns them into codes; fails if one is out of reach.
static sp_status encode(const int32_t period[3], const int32_t (*at)[3], size_t count,
                        uint64_t *codes, sp_error *err)
{
    for (size_t t = 0; t < count; ++t) {
        int32_t kept[3];
        for (int a = 0; a < 3; ++a)
            kept[a] = sp_tile_wrap(at[t][a], period[a]);
        if (!sp_tiles_within_reach(kept))
            return sp_fail(err, SP_BAD_INPUT,
                           "tiles: tile %zu is at (%d, %d, %d); expected within +-%d", t, at[t][0],
                           at[t][1], at[t][2], SP_TILES_REACH);
        codes[t] = sp_tiles_morton(kept);
    }
    return SP_OK;
}

sp_status sp_tiles_open_periodic(sp_tiles *tiles, const sp_host *host, float voxel,
                                 const int32_t period[3], const int32_t (*at)[3], size_t count,
                                 sp_error *err)
{
    *tiles = (sp_tiles){0};
    SP_TRY(sp_tiles_check_voxel(voxel, err));
    SP_TRY(check_period(period, err));
    uint64_t *codes = sp_allocate(host, count, sizeof *codes);
    if (!codes) return sp_fail(err, SP_NO_MEMORY, "tiles: no memory for %zu tiles", count);
    sp_status status = encode(period, at, count, codes, err);
    if (status == SP_OK) status = sp_tiles_build(tiles, host, voxel, period, codes, count, err);
    sp_release(host, codes);
    return status;
}

sp_status sp_tiles_restore(sp_tiles *tiles, const sp_tiles *like, size_t count, sp_walk *walk,
                           sp_error *err)
{
    *tiles = (sp_tiles){0};
    int32_t(*at)[3] = sp_allocate(like->host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "tiles: no memory for %zu of them", count);
    sp_walk_piece(walk, at, count * sizeof *at);
    const sp_status status = sp_tiles_open_periodic(tiles, like->host, like->voxel, like->period,
                                                    (const int32_t(*)[3])at, count, err);
    sp_release(like->host, at);
    SP_TRY(status);
    if (tiles->count == count) return SP_OK;
    sp_tiles_close(tiles);
    return sp_fail(err, SP_DAMAGED, "tiles: the saved coordinates repeat");
}

sp_status sp_tiles_open(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t (*at)[3],
                        size_t count, sp_error *err)
{
    return sp_tiles_open_periodic(tiles, host, voxel, (const int32_t[3]){0}, at, count, err);
}

void sp_tiles_close(sp_tiles *tiles)
{
    if (tiles->host) {
        sp_release(tiles->host, tiles->at);
        sp_release(tiles->host, tiles->around);
        sp_release(tiles->host, tiles->slots);
    }
    *tiles = (sp_tiles){0};
}

bool sp_tiles_is_valid(const sp_tiles *tiles)
{
    uint64_t last = 0;
    for (size_t t = 0; t < tiles->count; ++t) {
        if (!sp_tiles_within_reach(tiles->at[t])) return false;
        for (int a = 0; a < 3; ++a)
            if (sp_tile_wrap(tiles->at[t][a], tiles->period[a]) != tiles->at[t][a]) return false;
        const uint64_t code = sp_tiles_morton(tiles->at[t]);
        if (t > 0 && code <= last) return false;
        last = code;
        if (sp_tiles_find(tiles, tiles->at[t]) != t) return false;
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const uint32_t there = tiles->around[t][n];
            if (there == SP_NO_TILE) continue;
            if (there >= tiles->count || tiles->around[there][SP_TILES_AROUND - 1 - n] != t)
                return false;
        }
    }
    return true;
}

bool sp_tiles_same(const sp_tiles *a, const sp_tiles *b)
{
    if (a->count != b->count || a->voxel != b->voxel) return false;
    if (memcmp(a->period, b->period, sizeof a->period) != 0) return false;
    return a->count == 0 || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0;
}

void sp_tiles_bounds(const int32_t (*at)[3], size_t n, int32_t low[3], int32_t high[3])
{
    for (int a = 0; a < 3; ++a) {
        low[a] = INT32_MAX;
        high[a] = INT32_MIN;
        for (size_t t = 0; t < n; ++t) {
            low[a] = at[t][a] < low[a] ? at[t][a] : low[a];
            high[a] = at[t][a] > high[a] ? at[t][a] : high[a];
        }
    }
}

size_t sp_tiles_bytes(const sp_tiles *tiles)
{
    if (!tiles->host) return 0;
    return tiles->count * (sizeof *tiles->at + sizeof *tiles->around) +
           (tiles->slot_mask + 1) * sizeof *tiles->slots;
}

void sp_tiles_parallel(const sp_tiles *tiles, sp_range_body *body, void *arg)
{
    if (tiles->count) sp_parallel(tiles->host, tiles->count, SP_TILES_GRAIN, body, arg);
}
