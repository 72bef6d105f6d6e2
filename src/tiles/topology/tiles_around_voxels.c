// SPDX-License-Identifier: Apache-2.0
/// Finds the tiles near wet voxels. Which of the 27 tiles around a wet voxel is near depends only
/// on the voxel's distance to the faces of its own tile:
///
///     voxel i of 0 ... 7    is i + 1 voxels from the tile before, 8 - i from the one after
///
/// so within R <= 8 voxels the first R voxels of an axis reach the tile before, and the last R the
/// tile after. A tile's mask is reduced along z, then y, then x, to one bit for each of the 27.
/// Distances above 8 add whole rings of tiles.
///
/// Most tiles exist already. They are kept in order, and only new ones are sorted and merged in.
#include "tiles/internal.h"
#include "tiles/mac.h"

#include <string.h>

enum { ALL_AROUND = (1 << SP_TILES_AROUND) - 1, GRAIN = 256 };

typedef struct search {
    const sp_tiles *from;
    const sp_tile_mask *wet;
    const uint32_t *reach;
    int voxels; ///< at most 8
    const int32_t *low, *high;
    uint32_t *near;  ///< per tile: bits of the 27 tiles to include
    uint32_t *fresh; ///< per tile: those of `near` that do not exist yet
    uint8_t *keep;   ///< per tile: whether it stays
} search;

/// ---- Tiles near the wet voxels of one tile -----------------------------------------------------

/// The OR of a word's rows of 8 bits.
static uint32_t fold_rows(uint64_t word)
{
    word |= word >> 32;
    word |= word >> 16;
    return (uint32_t)(word | word >> 8) & 0xff;
}

/// First and last n of 8 groups of `width` bits.
static uint64_t first_groups(int n, int width)
{
    return n == 0 ? 0 : ~(uint64_t)0 >> (64 - n * width);
}
static uint64_t last_groups(int n, int width)
{
    return n == 0 ? 0 : first_groups(n, width) << (8 - n) * width;
}

uint32_t sp_tile_mask_around(const sp_tile_mask wet, int voxels)
{
    uint64_t slab[3] = {0}; // voxels near the tile at z - 1; all; near z + 1
    for (int k = 0; k < SP_TILE; ++k) {
        slab[1] |= wet[k];
        if (k < voxels) slab[0] |= wet[k];
        if (k >= SP_TILE - voxels) slab[2] |= wet[k];
    }
    if (!slab[1]) return 0;
    const uint64_t rows[3] = {first_groups(voxels, 8), ~(uint64_t)0, last_groups(voxels, 8)};
    const uint32_t back = (uint32_t)first_groups(voxels, 1),
                   forward = (uint32_t)last_groups(voxels, 1);
    uint32_t around = 0;
    for (int n = 0; n < 9; ++n) {
        const uint32_t row = fold_rows(slab[n / 3] & rows[n % 3]);
        const uint32_t three =
            (uint32_t)((row & back) != 0) | (row != 0) << 1 | ((row & forward) != 0) << 2;
        around |= three << 3 * n;
    }
    return around;
}

static void look_around(void *arg, size_t begin, size_t end)
{
    const search *s = arg;
    for (size_t t = begin; t < end; ++t) {
        uint32_t near = s->wet ? sp_tile_mask_around(s->wet[t], s->voxels)
                               : (s->voxels ? ALL_AROUND : 1u << SP_TILES_SELF);
        if (s->reach) near |= s->reach[t] & ALL_AROUND;
        s->near[t] = near;
    }
}

/// ---- Tiles that stay, and new ones -------------------------------------------------------------

/// Wraps a tile's coordinates along periodic axes. False if they are outside the box along another.
static bool place(const search *s, const int32_t at[3], int32_t kept[3])
{
    for (int a = 0; a < 3; ++a) {
        kept[a] = sp_tile_wrap(at[a], s->from->period[a]);
        if (s->from->period[a] == 0 && (kept[a] < s->low[a] || kept[a] > s->high[a])) return false;
    }
    return sp_tiles_within_reach(kept);
}

static void decide(void *arg, size_t begin, size_t end)
{
    const search *s = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t *around = s->from->around[t];
        uint32_t missing = 0;
        bool wanted = false;
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const bool there = around[n] != SP_NO_TILE;
            missing |= (uint32_t)!there << n;
            // seen from tile around[n], this tile is at the opposite offset
            wanted |= there && (s->near[around[n]] >> (SP_TILES_AROUND - 1 - n) & 1);
        }
        int32_t kept[3];
        s->keep[t] = wanted && place(s, s->from->at[t], kept);
        s->fresh[t] = s->near[t] & missing;
    }
}

/// Writes the codes of tiles that do not exist yet, with duplicates; returns how many.
static size_t list_fresh(const search *s, uint64_t *codes)
{
    size_t n = 0;
    for (size_t t = 0; t < s->from->count; ++t)
        for (uint32_t left = s->fresh[t]; left; left &= left - 1) {
            const int offset = __builtin_ctz(left);
            const int32_t *here = s->from->at[t];
            const int32_t at[3] = {here[0] + offset % 3 - 1, here[1] + offset / 3 % 3 - 1,
                                   here[2] + offset / 9 - 1};
            int32_t kept[3];
            if (place(s, at, kept)) codes[n++] = sp_tiles_morton(kept);
        }
    return n;
}

/// Merges the tiles that stay with n sorted codes into `all`; returns the total.
static size_t merge(const search *s, const uint64_t *fresh, size_t n, uint64_t *all)
{
    size_t count = 0, next = 0;
    for (size_t t = 0; t < s->from->count; ++t) {
        if (!s->keep[t]) continue;
        const uint64_t code = sp_tiles_morton(s->from->at[t]);
        while (next < n && fresh[next] < code)
            all[count++] = fresh[next++];
        all[count++] = code;
    }
    while (next < n)
        all[count++] = fresh[next++];
    return count;
}

static sp_status out_of_memory(const search *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "tiles: no memory to look around %zu tiles", s->from->count);
}

static sp_status rebuild(const search *s, size_t stay, size_t wanted, sp_tiles *out, sp_error *err)
{
    const sp_host *host = s->from->host;
    uint64_t *fresh = sp_allocate(host, wanted, sizeof *fresh);
    uint64_t *all = sp_allocate(host, stay + wanted, sizeof *all);
    sp_status status = SP_OK;
    if (fresh && all) {
        size_t n = list_fresh(s, fresh);
        sp_morton_sort(fresh, all, n);
        n = sp_morton_unique(fresh, n);
        n = merge(s, fresh, n, all);
        status = sp_tiles_lay_out(out, host, s->from->voxel, s->from->period, all, n, err);
    } else {
        status = out_of_memory(s, err);
    }
    sp_release(host, fresh);
    sp_release(host, all);
    return status;
}

/// For distances up to 8 voxels.
static sp_status search_once(search *s, sp_tiles *out, sp_error *err)
{
    *out = (sp_tiles){0};
    const sp_host *host = s->from->host;
    const size_t count = s->from->count;
    s->near = sp_allocate(host, count, sizeof *s->near);
    s->fresh = sp_allocate(host, count, sizeof *s->fresh);
    s->keep = sp_allocate(host, count, sizeof *s->keep);
    sp_status status = SP_OK;
    if (s->near && s->fresh && s->keep) {
        sp_parallel(host, count, GRAIN, look_around, s);
        sp_parallel(host, count, GRAIN, decide, s);
        size_t stay = 0, wanted = 0;
        for (size_t t = 0; t < count; ++t) {
            stay += s->keep[t];
            wanted += (size_t)__builtin_popcount(s->fresh[t]);
        }
        status = stay == count && wanted == 0 ? sp_tiles_copy(out, s->from, err)
                                              : rebuild(s, stay, wanted, out, err);
    } else {
        status = out_of_memory(s, err);
    }
    sp_release(host, s->near);
    sp_release(host, s->fresh);
    sp_release(host, s->keep);
    return status;
}

sp_status sp_tiles_near(sp_tiles *out, const sp_tiles *from, const sp_tile_mask *wet,
                        const uint32_t *reach, int voxels, const int32_t low[3],
                        const int32_t high[3], sp_error *err)
{
    SP_ASSERT(voxels >= 0);
    *out = (sp_tiles){0};
    if (!from->host) return SP_OK;
    const int rings = voxels > SP_TILE ? (voxels - 1) / SP_TILE : 0;
    search s = {.from = from,
                .wet = wet,
                .reach = reach,
                .voxels = voxels - rings * SP_TILE,
                .low = low,
                .high = high};
    sp_status status = search_once(&s, out, err);
    for (int ring = 0; ring < rings && status == SP_OK; ++ring) {
        sp_tiles inner = *out;
        search more = {.from = &inner, .voxels = SP_TILE, .low = low, .high = high};
        status = search_once(&more, out, err);
        sp_tiles_close(&inner);
    }
    return status;
}
