// SPDX-License-Identifier: Apache-2.0
/// Particles far below the surface need no ellipsoid. A voxel is covered when a particle lies within R0 of its centre, so
/// that it is inside the union of spheres; a tile is deep when it and four voxels around it are covered. The union's
/// surface lies at most 1.4 spacings outside that of the ellipsoids, so all of a deep tile is inside.
///
/// Covering is done with bits: a particle sets the bit of its voxel, and bits spread to the six neighbours as often as no
/// distance from a voxel's centre to the particle can exceed R0:
///
///     · · · · ·        · · # · ·
///     · · p · ·   ─▶   · # # # ·      sqrt((n + 1/2)^2 + 1/2) voxels <= R0 after n times
///     · · · · ·        · · # · ·
#include "surface/internal.h"

#include <string.h>

enum { RIM = 4, TILES_A_TASK = 32, POINTS_A_TASK = 1 << 13 };

typedef struct covering {
    uint64_t layer[SP_TILE]; ///< bit i + 8j of layer k
} covering;

typedef struct deepening {
    const sp_tiles *tiles;
    covering *bits, *spread;
    uint8_t *deep;
} deepening;

static int32_t voxel_at(double voxel, float x)
{
    return (int32_t)floor((double)x / voxel);
}

static int spreads(const surface_shape *shape, float voxel)
{
    const double most = 1.0001 * (double)shape->radius / (double)voxel; // R0 exactly is enough
    int n = 0;
    while (sqrt((n + 1.5) * (n + 1.5) + 0.5) <= most)
        ++n;
    return n;
}

static uint64_t layer_of(const deepening *d, size_t t, int dx, int dy, int k)
{
    const uint32_t tile = d->tiles->around[t][(1 + dx) + 3 * (1 + dy) + 9 * (1 + (k >> 3))];
    return tile == SP_NO_TILE ? 0 : d->bits[tile].layer[k & 7];
}

static void spread_tiles(void *arg, size_t begin, size_t end)
{
    static const uint64_t first = 0x0101010101010101u, last = 0x8080808080808080u;
    const deepening *d = arg;
    for (size_t t = begin; t < end; ++t)
        for (int k = 0; k < SP_TILE; ++k) {
            const uint64_t own = d->bits[t].layer[k];
            uint64_t all = own | layer_of(d, t, 0, 0, k - 1) | layer_of(d, t, 0, 0, k + 1);
            all |= (own << 1 & ~first) | (layer_of(d, t, -1, 0, k) >> 7 & first);
            all |= (own >> 1 & ~last) | (layer_of(d, t, 1, 0, k) << 7 & last);
            all |= own << 8 | layer_of(d, t, 0, -1, k) >> 56;
            all |= own >> 8 | layer_of(d, t, 0, 1, k) << 56;
            d->spread[t].layer[k] = all;
        }
}

/// Whether the part of a neighbour that lies within RIM voxels is covered.
static bool rim_covered(const deepening *d, size_t t, int a)
{
    static const uint64_t x[3] = {0xf0f0f0f0f0f0f0f0u, ~(uint64_t)0, 0x0f0f0f0f0f0f0f0fu};
    static const uint64_t y[3] = {0xffffffff00000000u, ~(uint64_t)0, 0x00000000ffffffffu};
    const uint32_t tile = d->tiles->around[t][a];
    if (tile == SP_NO_TILE) return false;
    const uint64_t rim = x[a % 3] & y[a / 3 % 3];
    const int low = a / 9 == 0 ? SP_TILE - RIM : 0, high = a / 9 == 2 ? RIM : SP_TILE;
    for (int k = low; k < high; ++k)
        if ((d->bits[tile].layer[k] & rim) != rim) return false;
    return true;
}

static void find_deep(void *arg, size_t begin, size_t end)
{
    const deepening *d = arg;
    for (size_t t = begin; t < end; ++t) {
        bool covered = rim_covered(d, t, SP_TILES_SELF);
        for (int a = 0; covered && a < SP_TILES_AROUND; ++a)
            covered = rim_covered(d, t, a);
        d->deep[t] = covered;
    }
}

/// Tile coordinates of points, without repeating one that came just before. NULL: no memory.
static int32_t (*list_tiles(const surface_points *p, float voxel, size_t *count))[3]
{
    size_t room = p->n / 8 + 64, used = 0;
    int32_t(*at)[3] = sp_allocate(p->host, room, sizeof *at);
    for (size_t i = 0; at && i < p->n; ++i) {
        const int32_t tile[3] = {sp_tile_of(voxel_at((double)voxel, p->x[i])),
                                 sp_tile_of(voxel_at((double)voxel, p->y[i])),
                                 sp_tile_of(voxel_at((double)voxel, p->z[i]))};
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
    uint32_t tile = SP_NO_TILE;
    int32_t last[3] = {0, 0, 0};
    for (size_t i = 0; i < p->n; ++i) {
        const int32_t v[3] = {voxel_at((double)voxel, p->x[i]), voxel_at((double)voxel, p->y[i]),
                              voxel_at((double)voxel, p->z[i])};
        const int32_t at[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
        if (tile == SP_NO_TILE || memcmp(at, last, sizeof at) != 0) {
            tile = sp_tiles_find(d->tiles, at);
            memcpy(last, at, sizeof at);
        }
        d->bits[tile].layer[v[2] & 7] |= (uint64_t)1 << ((v[0] & 7) + 8 * (v[1] & 7));
    }
}

static bool find_all(surface_deep *deep, const surface_shape *shape, const surface_points *points,
                     float voxel)
{
    const sp_host *host = points->host;
    const size_t n = deep->tiles.count;
    deepening d = {.tiles = &deep->tiles,
                   .bits = sp_allocate(host, n, sizeof *d.bits),
                   .spread = sp_allocate(host, n, sizeof *d.spread),
                   .deep = deep->deep = sp_allocate(host, n, sizeof *d.deep)};
    const bool good = d.bits && d.spread && d.deep;
    if (good) {
        mark_points(&d, points, voxel);
        // Radii that vary may be smaller than R0 by as much as they may be larger.
        surface_shape least = *shape;
        if (shape->vary) least.radius /= SURFACE_SCALE_MOST;
        for (int k = spreads(&least, voxel); k > 0; --k) {
            sp_parallel(host, n, TILES_A_TASK, spread_tiles, &d);
            covering *old = d.bits;
            d.bits = d.spread;
            d.spread = old;
        }
        sp_parallel(host, n, TILES_A_TASK, find_deep, &d);
        for (size_t t = 0; t < n; ++t)
            deep->count += deep->deep[t];
    }
    sp_release(host, d.bits);
    sp_release(host, d.spread);
    return good;
}

sp_status surface_deep_open(surface_deep *deep, const surface_shape *shape,
                            const surface_points *points, float voxel, sp_error *err)
{
    *deep = (surface_deep){0};
    size_t count = 0;
    int32_t(*at)[3] = list_tiles(points, voxel, &count);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "surface: no memory for tiles");
    sp_status status =
        sp_tiles_open(&deep->tiles, points->host, voxel, (const int32_t(*)[3])at, count, err);
    sp_release(points->host, at);
    if (status == SP_OK && !find_all(deep, shape, points, voxel))
        status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu tiles", deep->tiles.count);
    if (status != SP_OK) surface_deep_close(deep, points->host);
    return status;
}

void surface_deep_close(surface_deep *deep, const sp_host *host)
{
    sp_tiles_close(&deep->tiles);
    sp_release(host, deep->deep);
    *deep = (surface_deep){0};
}

/// ---- Points that are needed --------------------------------------------------------------------

typedef struct wanting {
    const surface_deep *deep;
    const surface_points *points;
    float reach;
    uint8_t *wanted;
} wanting;

static bool cube_is_deep(const surface_deep *deep, const float x[3], float reach)
{
    const double voxel = (double)deep->tiles.voxel;
    int32_t low[3], high[3], at[3];
    for (int c = 0; c < 3; ++c) {
        low[c] = sp_tile_of(voxel_at(voxel, x[c] - reach));
        high[c] = sp_tile_of(voxel_at(voxel, x[c] + reach));
    }
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                const uint32_t tile = sp_tiles_find(&deep->tiles, at);
                if (tile == SP_NO_TILE || !deep->deep[tile]) return false;
            }
    return true;
}

static void find_wanted(void *arg, size_t begin, size_t end)
{
    const wanting *w = arg;
    for (size_t i = begin; i < end; ++i) {
        const float x[3] = {w->points->x[i], w->points->y[i], w->points->z[i]};
        w->wanted[i] = !cube_is_deep(w->deep, x, w->reach);
    }
}

void surface_deep_wanted(const surface_deep *deep, const surface_points *points, float reach,
                         uint8_t *wanted)
{
    if (deep->count == 0) {
        memset(wanted, 1, points->n);
        return;
    }
    wanting w = {deep, points, reach, wanted};
    sp_parallel(points->host, points->n, POINTS_A_TASK, find_wanted, &w);
}
