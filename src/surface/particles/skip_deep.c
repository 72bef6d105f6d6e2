// SPDX-License-Identifier: Apache-2.0
/// Skips particles far below the surface, which need no ellipsoid. A voxel is covered when a
/// particle lies within R0 of its centre, so that it is inside the union of spheres; it is deep
/// when all voxels within four voxels are covered. The union's surface lies at most 1.4 spacings
/// outside that of the ellipsoids, so deep voxels are inside. A particle is skipped when it reaches
/// only deep voxels.
///
/// The test uses bits, 64 voxels at a time. A particle sets the bit of its voxel. Bits are dilated
/// to the six neighbours as long as the distance from a voxel's centre to the particle cannot
/// exceed R0; then the result is eroded, voxel by voxel.
///
///     · · · · ·        · · # · ·
///     · · p · ·   ─▶   · # # # ·      sqrt((n + 1/2)^2 + 1/2) voxels <= R0 after n times
///     · · · · ·        · · # · ·
#include "surface/internal.h"

#include <string.h>

enum { RIM = 4, TILES_A_TASK = 32, POINTS_A_TASK = 1 << 13 };

typedef struct deepening {
    const sp_tiles *tiles;
    sp_tile_mask *bits, *spread; ///< read from and written to by a pass
    int axis;                    ///< direction of an erosion pass
} deepening;

static int32_t voxel_at(double voxel, float x)
{
    return (int32_t)floor((double)x / voxel);
}

/// The voxel and the tile of a point.
static void place_of(const surface_points *p, double voxel, size_t i, int32_t v[3], int32_t at[3])
{
    v[0] = voxel_at(voxel, p->x[i]);
    v[1] = voxel_at(voxel, p->y[i]);
    v[2] = voxel_at(voxel, p->z[i]);
    for (int c = 0; c < 3; ++c)
        at[c] = sp_tile_of(v[c]);
}

static int dilation_count(const surface_shape *shape, float voxel)
{
    const double most = 1.0001 * (double)shape->radius / (double)voxel; // R0 itself counts
    int n = 0;
    while (sqrt((n + 1.5) * (n + 1.5) + 0.5) <= most)
        ++n;
    return n;
}

static uint64_t layer_of(const deepening *d, size_t t, int dx, int dy, int k)
{
    const uint32_t tile = d->tiles->around[t][(1 + dx) + 3 * (1 + dy) + 9 * (1 + (k >> 3))];
    return tile == SP_NO_TILE ? 0 : d->bits[tile][k & 7];
}

/// Layer k of tile t shifted by one voxel down and up an axis: bits of each voxel's two neighbours.
static void beside(const deepening *d, size_t t, int k, int axis, uint64_t *low, uint64_t *high)
{
    static const uint64_t first = 0x0101010101010101u, last = 0x8080808080808080u;
    const uint64_t own = d->bits[t][k];
    if (axis == 0) {
        *low = (own << 1 & ~first) | (layer_of(d, t, -1, 0, k) >> 7 & first);
        *high = (own >> 1 & ~last) | (layer_of(d, t, 1, 0, k) << 7 & last);
    } else if (axis == 1) {
        *low = own << 8 | layer_of(d, t, 0, -1, k) >> 56;
        *high = own >> 8 | layer_of(d, t, 0, 1, k) << 56;
    } else {
        *low = layer_of(d, t, 0, 0, k - 1);
        *high = layer_of(d, t, 0, 0, k + 1);
    }
}

static void dilate_tiles(void *arg, size_t begin, size_t end)
{
    const deepening *d = arg;
    for (size_t t = begin; t < end; ++t)
        for (int k = 0; k < SP_TILE; ++k) {
            uint64_t all = d->bits[t][k], low, high;
            for (int axis = 0; axis < 3; ++axis) {
                beside(d, t, k, axis, &low, &high);
                all |= low | high;
            }
            d->spread[t][k] = all;
        }
}

/// Erodes along the axis: keeps a bit whose two neighbours are set.
static void erode_tiles(void *arg, size_t begin, size_t end)
{
    const deepening *d = arg;
    for (size_t t = begin; t < end; ++t)
        for (int k = 0; k < SP_TILE; ++k) {
            uint64_t low, high;
            beside(d, t, k, d->axis, &low, &high);
            d->spread[t][k] = d->bits[t][k] & low & high;
        }
}

static void run_pass(deepening *d, sp_range_body *body)
{
    sp_parallel(d->tiles->host, d->tiles->count, TILES_A_TASK, body, d);
    sp_tile_mask *old = d->bits;
    d->bits = d->spread;
    d->spread = old;
}

/// Erodes by `voxels` in all directions, diagonals included.
static void erode(deepening *d, int voxels)
{
    for (int n = 0; n < voxels; ++n)
        for (d->axis = 0; d->axis < 3; ++d->axis)
            run_pass(d, erode_tiles);
}

/// Tile coordinates of points, without consecutive duplicates. NULL: no memory.
static int32_t (*list_tiles(const surface_points *p, float voxel, size_t *count))[3]
{
    size_t room = p->n / 8 + 64, used = 0;
    int32_t(*at)[3] = sp_allocate(p->host, room, sizeof *at);
    for (size_t i = 0; at && i < p->n; ++i) {
        int32_t v[3], tile[3];
        place_of(p, (double)voxel, i, v, tile);
        if (used && memcmp(tile, at[used - 1], sizeof tile) == 0) continue;
        if (used == room) {
            if (!sp_regrow(p->host, (void **)&at, used, p->n + 1, sizeof *at)) {
                sp_release(p->host, at);
                return NULL;
            }
            room = p->n + 1;
        }
        memcpy(at[used++], tile, sizeof tile);
    }
    *count = used;
    return at;
}

static void mark_points(const deepening *d, const surface_points *p, float voxel)
{
    uint32_t hint = SP_NO_TILE;
    for (size_t i = 0; i < p->n; ++i) {
        int32_t v[3], at[3];
        place_of(p, (double)voxel, i, v, at);
        const uint32_t tile = sp_tiles_find_near(d->tiles, at, &hint);
        sp_tile_mask_add(d->bits[tile], (int)sp_tile_place(v[0], v[1], v[2]));
    }
}

static size_t count_tiles(const sp_tile_mask *bits, size_t n)
{
    size_t count = 0;
    for (size_t t = 0; t < n; ++t)
        count += sp_tile_mask_any(bits[t]);
    return count;
}

/// Covers voxels, erodes to the deep ones, and erodes again by `reach` to the core.
static bool find_all(surface_deep *deep, const surface_shape *shape, const surface_points *points,
                     float reach)
{
    const sp_host *host = points->host;
    const size_t n = deep->tiles.count;
    const float voxel = deep->tiles.voxel;
    deepening d = {.tiles = &deep->tiles,
                   .bits = sp_allocate(host, n, sizeof *d.bits),
                   .spread = sp_allocate(host, n, sizeof *d.spread)};
    deep->inside = sp_allocate(host, n, sizeof *deep->inside);
    const bool good = d.bits && d.spread && deep->inside;
    if (good) {
        mark_points(&d, points, voxel);
        // Radii that vary may be smaller than R0 by the same factor as they may be larger.
        surface_shape least = *shape;
        if (shape->vary) least.radius /= SURFACE_SCALE_MOST;
        for (int k = dilation_count(&least, voxel); k > 0; --k)
            run_pass(&d, dilate_tiles);
        erode(&d, RIM);
        memcpy(deep->inside, d.bits, n * sizeof *d.bits);
        deep->count = count_tiles((const sp_tile_mask *)d.bits, n);
        // A particle is up to half a voxel away from the centre of its voxel.
        if (deep->count) erode(&d, (int)ceilf(reach / voxel + 0.5f));
    }
    deep->core = d.bits;
    sp_release(host, d.spread);
    return good;
}

sp_status surface_deep_open(surface_deep *deep, const surface_shape *shape,
                            const surface_points *points, float voxel, float reach, sp_error *err)
{
    *deep = (surface_deep){0};
    size_t count = 0;
    int32_t(*at)[3] = list_tiles(points, voxel, &count);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "surface: no memory for tiles");
    sp_status status =
        sp_tiles_open(&deep->tiles, points->host, voxel, (const int32_t(*)[3])at, count, err);
    sp_release(points->host, at);
    if (status == SP_OK && !find_all(deep, shape, points, reach))
        status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu tiles", deep->tiles.count);
    if (status != SP_OK) surface_deep_close(deep, points->host);
    return status;
}

void surface_deep_close(surface_deep *deep, const sp_host *host)
{
    sp_tiles_close(&deep->tiles);
    sp_release(host, deep->inside);
    sp_release(host, deep->core);
    *deep = (surface_deep){0};
}

/// ---- Points that need an ellipsoid -------------------------------------------------------------

typedef struct wanting {
    const surface_deep *deep;
    const surface_points *points;
    uint8_t *wanted;
} wanting;

static void find_wanted(void *arg, size_t begin, size_t end)
{
    const wanting *w = arg;
    const sp_tiles *tiles = &w->deep->tiles;
    uint32_t hint = SP_NO_TILE;
    for (size_t i = begin; i < end; ++i) {
        int32_t v[3], at[3];
        place_of(w->points, (double)tiles->voxel, i, v, at);
        const uint32_t tile = sp_tiles_find_near(tiles, at, &hint);
        w->wanted[i] = !sp_tile_mask_has(w->deep->core[tile], (int)sp_tile_place(v[0], v[1], v[2]));
    }
}

void surface_deep_wanted(const surface_deep *deep, const surface_points *points, uint8_t *wanted)
{
    if (deep->count == 0) {
        memset(wanted, 1, points->n);
        return;
    }
    wanting w = {deep, points, wanted};
    sp_parallel(points->host, points->n, POINTS_A_TASK, find_wanted, &w);
}
