// SPDX-License-Identifier: Apache-2.0
/// Level set of liquid from unsorted particles (Zhu and Bridson 2005; equations in zhu_bridson.h).
///
/// Each tile sums over its own list of particles, in voxels. A particle's kernel is added to two
/// rows at a time, sixteen cells, and the thirteen sums of those sixteen cells lie together:
///
///     sums of rows 2p and 2p+1 of a slice:   [k: 16 cells][k dx: 16][k dy: 16] ... [q^2 dz dx: 16]
///
/// Most cells are deep in the liquid: they and their 26 neighbours all hold particles. These get -r
/// without a sum, and pairs of rows with only such cells are skipped.
#include "tiles/internal.h"
#include "tiles/levelset/zhu_bridson.h"

#include <string.h>

/// Pairs of rows in a tile, and the edge of a tile with a halo of one cell.
enum { PAIRS = SP_TILE_VOXELS / SP_LANES, EDGE = SP_TILE + 2 };

/// Sums and flags of the cells of one tile.
typedef struct tile_sums {
    sp_f16 sum[PAIRS][SP_MEAN_SUMS];
    uint8_t deep[SP_TILE_VOXELS]; ///< in place order
    bool wanted[PAIRS];           ///< pairs of rows with cells that are not deep
} tile_sums;

typedef struct gathering {
    const sp_tiles *tiles;
    const sp_tile_bins *bins;
    const float *x, *y, *z;
    float support, radius, band;
    float *phi;
} gathering;

/// ---- Which cells are deep ----------------------------------------------------------------------

/// Marks the cells of the tile and of a halo of one cell that hold particles of its list.
static void mark_occupied(const gathering *g, size_t t, uint8_t occupied[SP_TILE_BLOCK])
{
    memset(occupied, 0, SP_TILE_BLOCK);
    for (uint32_t n = g->bins->start[t]; n < g->bins->start[t + 1]; ++n) {
        const uint32_t p = g->bins->item[n];
        float local[3];
        sp_tile_local(g->tiles, t, g->x[p], g->y[p], g->z[p], local);
        const float i = local[0] + 1.5f, j = local[1] + 1.5f, k = local[2] + 1.5f;
        if (i >= 0.0f && i < EDGE && j >= 0.0f && j < EDGE && k >= 0.0f && k < EDGE)
            occupied[(int)i + EDGE * (int)j + EDGE * EDGE * (int)k] = 1;
    }
}

/// Keeps a mark where both neighbours at +-stride have it too.
static void shrink(const uint8_t *restrict from, uint8_t *restrict to, int stride)
{
    memset(to, 0, SP_TILE_BLOCK);
    for (int n = stride; n < SP_TILE_BLOCK - stride; ++n)
        to[n] = from[n - stride] & from[n] & from[n + stride];
}

static void find_deep(const gathering *g, size_t t, tile_sums *s)
{
    uint8_t a[SP_TILE_BLOCK], b[SP_TILE_BLOCK];
    mark_occupied(g, t, a);
    shrink(a, b, 1);
    shrink(b, a, EDGE);
    shrink(a, b, EDGE * EDGE);
    for (int row = 0; row < SP_TILE * SP_TILE; ++row)
        memcpy(s->deep + row * SP_TILE,
               b + 1 + EDGE * (row % SP_TILE + 1) + EDGE * EDGE * (row / SP_TILE + 1), SP_TILE);
    for (int pair = 0; pair < PAIRS; ++pair)
        s->wanted[pair] = memchr(s->deep + pair * SP_LANES, 0, SP_LANES) != NULL;
}

/// ---- Sums --------------------------------------------------------------------------------------

/// Adds a particle to sixteen cells; dx, dy, dz point from the cells to the particle.
SP_INLINE void add_kernel(sp_f16 *restrict sum, sp_f16 dx, sp_f16 dy, float dz, float per_square)
{
    const sp_f16 near = 1.0f - (dx * dx + dy * dy + dz * dz) * per_square;
    const sp_f16 q = sp_f16_max(near, sp_f16_all(0.0f));
    const sp_f16 q2 = q * q, k = q2 * q, ax = q2 * dx, ay = q2 * dy, az = q2 * dz;
    sum[SP_MEAN_K] += k;
    sum[SP_MEAN_KX] += k * dx;
    sum[SP_MEAN_KY] += k * dy;
    sum[SP_MEAN_KZ] += k * dz;
    sum[SP_MEAN_QX] += ax;
    sum[SP_MEAN_QY] += ay;
    sum[SP_MEAN_QZ] += az;
    sum[SP_MEAN_XX] += ax * dx;
    sum[SP_MEAN_YY] += ay * dy;
    sum[SP_MEAN_ZZ] += az * dz;
    sum[SP_MEAN_XY] += ax * dy;
    sum[SP_MEAN_YZ] += ay * dz;
    sum[SP_MEAN_ZX] += az * dx;
}

static void add_particle(tile_sums *s, const float local[3], float support)
{
    const sp_f16 columns = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    const sp_f16 rows = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    const sp_f16 dx = local[0] - columns;
    const float square = support * support, per_square = 1.0f / square;
    int j0, j1, k0, k1;
    sp_tile_span(local[1], support, &j0, &j1);
    sp_tile_span(local[2], support, &k0, &k1);
    for (int k = k0; k <= k1; ++k)
        for (int pair = j0 / 2; pair <= j1 / 2; ++pair) {
            if (!s->wanted[pair + 4 * k]) continue;
            const float y = local[1] - 2.0f * (float)pair, dz = local[2] - (float)k;
            const float nearest = y < 0.0f ? -y : y > 1.0f ? y - 1.0f : 0.0f;
            if (nearest * nearest + dz * dz >= square) continue;
            add_kernel(s->sum[pair + 4 * k], dx, y - rows, dz, per_square);
        }
}

/// ---- Distances ---------------------------------------------------------------------------------

static void write_pair(const gathering *g, const tile_sums *s, int pair, float *restrict phi)
{
    const float voxel = g->tiles->voxel, support = g->support / voxel, radius = g->radius / voxel;
    const float scale = 6.0f / (support * support), band = g->band, inside = -g->radius;
    float sum[SP_MEAN_SUMS][SP_LANES];
    memcpy(sum, s->sum[pair], sizeof sum);
    const uint8_t *restrict deep = s->deep + pair * SP_LANES;
    for (int l = 0; l < SP_LANES; ++l) {
        const float seen =
            voxel * sp_mean_distance(sum, l, scale, radius, 0.0f); // computed for deep cells too
        const float known = sum[SP_MEAN_K][l] > 1e-12f ? seen : band;
        const float d = deep[l] ? inside : known;
        phi[l] = d < -band ? -band : d > band ? band : d;
    }
}

static void gather_tile(const gathering *g, size_t t, tile_sums *s)
{
    find_deep(g, t, s);
    for (int pair = 0; pair < PAIRS; ++pair)
        if (s->wanted[pair]) memset(s->sum[pair], 0, sizeof s->sum[pair]);
    for (uint32_t n = g->bins->start[t]; n < g->bins->start[t + 1]; ++n) {
        const uint32_t p = g->bins->item[n];
        float local[3];
        sp_tile_local(g->tiles, t, g->x[p], g->y[p], g->z[p], local);
        add_particle(s, local, g->support / g->tiles->voxel);
    }
    float *phi = g->phi + t * SP_TILE_VOXELS;
    const float inside = sp_most(-g->radius, -g->band);
    for (int pair = 0; pair < PAIRS; ++pair) {
        if (s->wanted[pair])
            write_pair(g, s, pair, phi + pair * SP_LANES);
        else
            for (int l = 0; l < SP_LANES; ++l)
                phi[pair * SP_LANES + l] = inside;
    }
}

static void gather_tiles(void *arg, size_t begin, size_t end)
{
    tile_sums s;
    for (size_t t = begin; t < end; ++t)
        gather_tile(arg, t, &s);
}

sp_status sp_levelset_particles(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                                const float *z, float support, float radius, float band, float *phi,
                                sp_error *err)
{
    if (tiles->count == 0) return SP_OK;
    sp_tile_bins bins;
    SP_TRY(sp_tile_bins_open(&bins, tiles, n, x, y, z, NULL, support, err));
    gathering g = {tiles, &bins, x, y, z, support, radius, band, phi};
    sp_tiles_parallel(tiles, gather_tiles, &g);
    sp_tile_bins_close(&bins);
    return SP_OK;
}
