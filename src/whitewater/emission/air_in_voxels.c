// SPDX-License-Identifier: Apache-2.0
/// Air that bubbles bring into voxels. Volumes are added as integers, so that their order does not
/// matter.
#include "whitewater/emission/internal.h"

#include <stdatomic.h>
#include <string.h>

/// A voxel's cell by the tile of cells, in Morton order: those of tile t are first[t] ... first[t + 1] - 1, in the
/// order of the bits of its mask.
typedef struct filling {
    const emission_held *held;
    const whitewater_set *bubbles;
    double late;
    sp_tiles tiles;
    uint32_t *first;
    sp_tile_mask *wanted;
    atomic_uint_fast64_t *air; ///< shares of a voxel, times UNIT
} filling;

#define UNIT 0x1p40
#define MOST 0x1p20 ///< voxels that a bubble's air may fill; beyond, its voxel is full in any case

/// Tiles of the cells, without duplicates; returns how many.
static size_t list_tiles(const emission_held *h, int32_t (*at)[3])
{
    size_t n = 0;
    for (size_t i = 0; i < h->count; ++i) {
        const int32_t *v = h->cell[i].at;
        const int32_t tile[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
        if (n > 0 && memcmp(at[n - 1], tile, sizeof tile) == 0) continue;
        memcpy(at[n++], tile, sizeof tile);
    }
    return n;
}

/// Cells and tiles are in the same order.
static void list_cells(filling *f)
{
    const emission_held *h = f->held;
    uint32_t t = 0;
    for (uint32_t i = 0; i < h->count; ++i) {
        const int32_t *v = h->cell[i].at;
        const int32_t tile[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
        while (memcmp(f->tiles.at[t], tile, sizeof tile) != 0)
            f->first[++t] = i;
        sp_tile_mask_add(f->wanted[t], (int)sp_tile_place(v[0], v[1], v[2]));
    }
}

static uint32_t rank_in(const sp_tile_mask mask, int place)
{
    int rank = __builtin_popcountll(mask[place >> 6] & (((uint64_t)1 << (place & 63)) - 1));
    for (int k = 0; k < place >> 6; ++k)
        rank += __builtin_popcountll(mask[k]);
    return (uint32_t)rank;
}

static void add_bubbles(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    const emission_held *h = f->held;
    const double per_voxel = 1.0 / h->voxel, per_volume = per_voxel * per_voxel * per_voxel;
    uint32_t hint = SP_NO_TILE;
    for (size_t i = begin; i < end; ++i) {
        int32_t v[3];
        bool near = true;
        for (int a = 0; a < 3; ++a) { // where it was at the moment
            const double x = f->bubbles->x[a][i] - f->late * (double)f->bubbles->v[a][i];
            const double low = floor((x - h->origin[a]) * per_voxel);
            near = near && fabs(low) < (double)SP_TILE * SP_TILES_REACH;
            v[a] = near ? (int32_t)low : 0;
        }
        const int32_t at[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
        const uint32_t t = near ? sp_tiles_find_near(&f->tiles, at, &hint) : SP_NO_TILE;
        const int place = (int)sp_tile_place(v[0], v[1], v[2]);
        if (t == SP_NO_TILE || !sp_tile_mask_has(f->wanted[t], place)) continue;
        const double share = fmin(whitewater_volume(f->bubbles, i) * per_volume, MOST);
        atomic_fetch_add_explicit(&f->air[f->first[t] + rank_in(f->wanted[t], place)],
                                  (uint_fast64_t)(share * UNIT), memory_order_relaxed);
    }
}

static sp_status open_tiles(filling *f, const sp_host *host, sp_error *err)
{
    const emission_held *h = f->held;
    int32_t(*at)[3] = sp_allocate(host, h->count, sizeof *at);
    if (!at)
        return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu voxels", (size_t)h->count);
    const sp_status status =
        sp_tiles_open_periodic(&f->tiles, host, (float)h->voxel, h->period, (const int32_t(*)[3])at,
                               list_tiles(h, at), err);
    sp_release(host, at);
    return status;
}

static sp_status open_filling(filling *f, const sp_host *host, sp_error *err)
{
    SP_TRY(open_tiles(f, host, err));
    f->first = sp_allocate(host, f->tiles.count + 1, sizeof *f->first);
    f->wanted = sp_allocate(host, f->tiles.count, sizeof *f->wanted);
    f->air = sp_allocate(host, f->held->count, sizeof *f->air);
    if (f->first && f->wanted && f->air) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu voxels", (size_t)f->held->count);
}

sp_status emission_air_in_voxels(const emission_held *held, const sp_host *host,
                                 const whitewater_set *bubbles, double late, float *share,
                                 sp_error *err)
{
    filling f = {.held = held, .bubbles = bubbles, .late = late};
    const sp_status status = open_filling(&f, host, err);
    if (status == SP_OK) {
        list_cells(&f);
        sp_parallel(host, bubbles->set.count, EMISSION_GRAIN, add_bubbles, &f);
        for (size_t i = 0; i < held->count; ++i)
            share[i] = (float)((double)atomic_load(&f.air[i]) / UNIT);
    }
    sp_release(host, f.first);
    sp_release(host, f.wanted);
    sp_release(host, (void *)(uintptr_t)f.air);
    sp_tiles_close(&f.tiles);
    return status;
}
