// SPDX-License-Identifier: Apache-2.0
/// Rasterises ellipsoids onto tiles: each voxel takes the least distance. Each ellipsoid is listed
/// with every tile that its box touches, and each tile takes the minimum over its own list: a
/// gather, so that no two threads write to one voxel. The minimum does not depend on the order of
/// the lists.
///
/// With A = R D^-2 R^T of an ellipsoid and d = x - centre, q^2 = d.A d and |grad q| = |A d|/q, so
/// that
///
///     phi = (q - 1)/|grad q| = (q^2 - q)/|A d|
///
/// takes nine products and two roots. It is exact for balls and correct to first order near every
/// surface. Only values next to the surface are used, because the field is redistanced afterwards.
/// So boxes end two voxels outside.
#include "surface/internal.h"

#include <stdatomic.h>
#include <string.h>

enum { ITEMS_A_TASK = 1 << 12, TILES_A_TASK = 4 };

typedef struct box {
    int32_t low[3], high[3]; ///< voxels, both included
} box;

typedef struct rastering {
    const sp_tiles *tiles;
    const surface_ellipsoid *all;
    size_t count;
    float offset, band, reach;
    const surface_deep *deep;
    atomic_uint *cursor; ///< per tile: number of ellipsoids, then place of the next one
    uint32_t *start;     ///< first item of each tile; tiles + 1 entries
    uint32_t *item;      ///< NULL while counting
    float *phi;
} rastering;

/// Voxels whose centres lie in an ellipsoid's bounding box, grown by `reach`.
static box box_of(const surface_ellipsoid *e, float reach, float voxel)
{
    box b;
    const float inverse = 1.0f / voxel;
    for (int c = 0; c < 3; ++c) {
        b.low[c] = (int32_t)ceilf((e->center[c] - e->half[c] - reach) * inverse - 0.5f);
        b.high[c] = (int32_t)floorf((e->center[c] + e->half[c] + reach) * inverse - 0.5f);
    }
    return b;
}

/// ---- Lists -------------------------------------------------------------------------------------

/// Loops over the tiles of a box; `at` is the tile coordinate.
#define FOR_TILES_OF(b)                                                                            \
    for (int32_t at[3] = {0, 0, sp_tile_of((b).low[2])}; at[2] <= sp_tile_of((b).high[2]);         \
         ++at[2])                                                                                  \
        for (at[1] = sp_tile_of((b).low[1]); at[1] <= sp_tile_of((b).high[1]); ++at[1])            \
            for (at[0] = sp_tile_of((b).low[0]); at[0] <= sp_tile_of((b).high[0]); ++at[0])

/// Counts the ellipsoids of each tile, or lists them if `item` is allocated.
static void list_items(void *arg, size_t begin, size_t end)
{
    const rastering *r = arg;
    for (size_t k = begin; k < end; ++k) {
        const box b = box_of(&r->all[k], r->reach, r->tiles->voxel);
        FOR_TILES_OF(b)
        {
            const uint32_t tile = sp_tiles_find(r->tiles, at);
            if (tile == SP_NO_TILE) continue;
            const uint32_t place =
                atomic_fetch_add_explicit(&r->cursor[tile], 1, memory_order_relaxed);
            if (r->item) r->item[place] = (uint32_t)k;
        }
    }
}

static sp_status make_lists(rastering *r, sp_error *err)
{
    const sp_host *host = r->tiles->host;
    const size_t n = r->tiles->count;
    r->cursor = sp_allocate(host, n, sizeof *r->cursor);
    r->start = sp_allocate(host, n + 1, sizeof *r->start);
    if (!r->cursor || !r->start)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for the lists of %zu tiles", n);
    sp_parallel(host, r->count, ITEMS_A_TASK, list_items, r);
    size_t total = 0;
    for (size_t t = 0; t < n; ++t) {
        const uint32_t count = atomic_load(&r->cursor[t]);
        r->start[t] = (uint32_t)total;
        atomic_store(&r->cursor[t], (uint32_t)total);
        total += count;
    }
    r->start[n] = (uint32_t)total;
    if (total < UINT32_MAX) r->item = sp_allocate(host, total, sizeof *r->item);
    if (!r->item)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu entries of %zu tiles", total,
                       n);
    sp_parallel(host, r->count, ITEMS_A_TASK, list_items, r);
    return SP_OK;
}

/// ---- Tiles -------------------------------------------------------------------------------------

/// Positions of the samples of a layer, voxels from the tile's corner.
typedef struct layer {
    float x[64], y[64];
} layer;

/// Takes the minimum with one ellipsoid over the rows and layers of a tile that its box touches.
/// `corner` is the tile's low corner, m.
static void lay_ellipsoid(const surface_ellipsoid *e, const layer *l, const float corner[3],
                          const int low[3], const int high[3], float voxel, float reach, float *phi)
{
    const float cx = corner[0] - e->center[0], cy = corner[1] - e->center[1],
                cz = corner[2] - e->center[2];
    const float *a = e->a;
    // (q - 1) thin is at most the distance: values farther out than `reach` are not needed
    const float far = (1.0f + reach / e->thin) * (1.0f + reach / e->thin);
    const int first = 8 * low[1] / SP_PART * SP_PART, last = 8 * high[1] + 8;
    for (int k = low[2]; k <= high[2]; ++k) {
        const float dz = ((float)k + 0.5f) * voxel + cz;
        const float xz = a[4] * dz, yz = a[5] * dz, zz = a[2] * dz;
        float *row = phi + 64 * k;
        for (int v = first; v < last; v += SP_PART) {
            const sp_part dx = sp_part_load(l->x + v) + cx, dy = sp_part_load(l->y + v) + cy;
            const sp_part gx = dx * a[0] + dy * a[3] + xz, gy = dx * a[3] + dy * a[1] + yz,
                          gz = dx * a[4] + dy * a[5] + zz;
            const sp_part q2 = gx * dx + gy * dy + gz * dz;
            // Outside this ellipsoid its value is not negative, so a voxel already inside another
            // one keeps its value.
            const sp_part old = sp_part_load(row + v);
            const sp_part limit =
                sp_part_select((sp_flags)(old > 0.0f), sp_part_all(far), sp_part_all(1.0f));
            if (!sp_flags_any((sp_flags)(q2 < limit))) continue;
            const sp_part slope = sp_part_sqrt(gx * gx + gy * gy + gz * gz);
            const sp_part value = (q2 - sp_part_sqrt(q2)) / slope;
            const sp_part safe =
                sp_part_select((sp_flags)(q2 < 0.0025f), sp_part_all(-e->thin), value);
            sp_part_store(row + v, sp_part_min(safe, old));
        }
    }
}

static void lay_item(const rastering *r, size_t t, const layer *l, const float corner[3],
                     uint32_t item, float *phi)
{
    const surface_ellipsoid *e = &r->all[item];
    const box b = box_of(e, r->reach, r->tiles->voxel);
    int low[3], high[3];
    for (int c = 0; c < 3; ++c) {
        const int32_t origin = r->tiles->at[t][c] * SP_TILE;
        low[c] = b.low[c] > origin ? b.low[c] - origin : 0;
        high[c] = b.high[c] < origin + SP_TILE - 1 ? b.high[c] - origin : SP_TILE - 1;
    }
    lay_ellipsoid(e, l, corner, low, high, r->tiles->voxel, r->reach, phi);
}

/// The deep voxels of a tile; NULL when it has none.
static const uint64_t *deep_bits(const rastering *r, size_t t)
{
    if (!r->deep->count) return NULL;
    const uint32_t tile = sp_tiles_find(&r->deep->tiles, r->tiles->at[t]);
    return tile == SP_NO_TILE ? NULL : r->deep->inside[tile];
}

static void lay_tiles(void *arg, size_t begin, size_t end)
{
    const rastering *r = arg;
    const float voxel = r->tiles->voxel, band = r->band;
    layer l;
    for (int v = 0; v < 64; ++v) {
        l.x[v] = ((float)(v & 7) + 0.5f) * voxel;
        l.y[v] = ((float)(v >> 3) + 0.5f) * voxel;
    }
    for (size_t t = begin; t < end; ++t) {
        float *phi = r->phi + t * SP_TILE_VOXELS, corner[3];
        const uint64_t *deep = deep_bits(r, t);
        if (deep && sp_tile_mask_all(deep)) {
            sp_tile_fill(phi, -band);
            continue;
        }
        sp_tile_fill(phi, band + r->offset);
        for (int v = 0; deep && v < SP_TILE_VOXELS; ++v)
            if (sp_tile_mask_has(deep, v)) phi[v] = -INFINITY;
        for (int c = 0; c < 3; ++c)
            corner[c] = (float)(r->tiles->at[t][c] * SP_TILE) * voxel;
        for (uint32_t k = r->start[t]; k < r->start[t + 1]; ++k)
            lay_item(r, t, &l, corner, r->item[k], phi);
        for (int v = 0; v < SP_TILE_VOXELS; ++v) // + 0: the sign of 0 would depend on the order
            phi[v] = sp_clamp(phi[v] - r->offset, -band, band) + 0.0f;
    }
}

sp_status surface_raster(const sp_tiles *tiles, const surface_ellipsoid *all, size_t count,
                         const surface_deep *deep, float offset, float band, float *phi,
                         sp_error *err)
{
    const float reach = SURFACE_RASTER_MARGIN * tiles->voxel + fmaxf(offset, 0.0f);
    rastering r = {.tiles = tiles,
                   .all = all,
                   .count = count,
                   .offset = offset,
                   .band = band,
                   .reach = reach,
                   .deep = deep,
                   .phi = phi};
    const sp_status status = make_lists(&r, err);
    if (status == SP_OK) sp_parallel(tiles->host, tiles->count, TILES_A_TASK, lay_tiles, &r);
    sp_release(tiles->host, r.cursor);
    sp_release(tiles->host, r.start);
    sp_release(tiles->host, r.item);
    return status;
}

/// ---- Which tiles -------------------------------------------------------------------------------

static sp_status join_tiles(sp_tiles *tiles, const sp_tiles *near, const surface_deep *deep,
                            sp_error *err)
{
    const sp_host *host = near->host;
    int32_t(*at)[3] = sp_allocate(host, near->count + deep->count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu tiles", near->count);
    memcpy(at, near->at, near->count * sizeof *at);
    size_t n = near->count;
    for (size_t t = 0; t < deep->tiles.count; ++t)
        if (sp_tile_mask_any(deep->inside[t])) memcpy(at[n++], deep->tiles.at[t], sizeof *at);
    const sp_status status =
        sp_tiles_open(tiles, host, near->voxel, (const int32_t(*)[3])at, n, err);
    sp_release(host, at);
    return status;
}

sp_status surface_raster_tiles(sp_tiles *tiles, const sp_host *host, float voxel,
                               const surface_ellipsoid *all, size_t count, const surface_deep *deep,
                               float reach, sp_error *err)
{
    float *column = sp_allocate(host, 4 * sp_pad16(count + 1), sizeof *column);
    if (!column) return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu boxes", count);
    const size_t stride = sp_pad16(count + 1);
    float *x = column, *y = x + stride, *z = y + stride, *r = z + stride;
    for (size_t k = 0; k < count; ++k) {
        x[k] = all[k].center[0];
        y[k] = all[k].center[1];
        z[k] = all[k].center[2];
        r[k] = fmaxf(all[k].half[0], fmaxf(all[k].half[1], all[k].half[2]));
    }
    sp_tiles near = {0};
    sp_status status = sp_tiles_cover(&near, host, voxel, count, x, y, z, r, reach, err);
    sp_release(host, column);
    if (status == SP_OK && deep->count) {
        status = join_tiles(tiles, &near, deep, err);
        sp_tiles_close(&near);
    } else if (status == SP_OK) {
        *tiles = near;
    }
    return status;
}
