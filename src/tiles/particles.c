// SPDX-License-Identifier: Apache-2.0
/// Liquid out of particles (Zhu and Bridson 2005). With d_p = x_p - x and k = (1 - d^2/R^2)^3,
///
///     mean d = sum k d_p / sum k,      phi = |mean d| - f r.
///
/// Between two particles that part, the mean jumps from one to the other and phi makes false
/// liquid; there its derivative is large (Solenthaler, Schlaefli and Pajarola 2007). With q = 1 -
/// d^2/R^2,
///
///     d(mean)_a/dx_b = 6/(R^2 sum k) * sum q^2 d_b (d_a - (mean d)_a)
///
/// and the radius fades, f = 1 - (1 - g)^3 with g = (2 - e)/(2 - 0.4), as the largest eigenvalue e
/// goes from 0.4 to 2. The matrix is symmetric but for the mean, which points where sum q^2 d does,
/// or nearly; e is taken of its symmetric part, whose largest eigenvalue is no less than the real
/// part of any of the matrix's.
///
/// Each tile sums over its own list of particles, in voxels. A particle's kernel is added to two
/// rows at a time, sixteen cells, and the thirteen sums of those sixteen cells lie together:
///
///     sums of rows 2p and 2p+1 of a slice:   [k: 16 cells][k dx: 16][k dy: 16] ... [q^2 dz dx: 16]
///
/// Most cells are deep in the liquid and would end up at -r with much work: those whose 26
/// neighbours all hold particles are told so beforehand, and rows that hold no others are left out.
#include "tiles/internal.h"

#include <string.h>

/// Sums of k, of k*d, of q^2*d and of q^2*d*d.
enum { K, KX, KY, KZ, QX, QY, QZ, XX, YY, ZZ, XY, YZ, ZX, SUMS };
/// Pairs of rows in a tile, and the edge of a tile with the cells around it.
enum { PAIRS = SP_TILE_VOXELS / SP_LANES, EDGE = SP_TILE + 2 };

/// What is known about the cells of one tile.
typedef struct tile_sums {
    sp_f16 sum[PAIRS][SUMS];
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

/// Marks the cells, of the tile and one around, that hold particles of its list.
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

/// Adds a particle to sixteen cells; dx, dy, dz lead from them to it.
SP_INLINE void add_kernel(sp_f16 *restrict sum, sp_f16 dx, sp_f16 dy, float dz, float per_square)
{
    const sp_f16 near = 1.0f - (dx * dx + dy * dy + dz * dz) * per_square;
    const sp_f16 q = sp_f16_max(near, sp_f16_all(0.0f));
    const sp_f16 q2 = q * q, k = q2 * q, ax = q2 * dx, ay = q2 * dy, az = q2 * dz;
    sum[K] += k;
    sum[KX] += k * dx;
    sum[KY] += k * dy;
    sum[KZ] += k * dz;
    sum[QX] += ax;
    sum[QY] += ay;
    sum[QZ] += az;
    sum[XX] += ax * dx;
    sum[YY] += ay * dy;
    sum[ZZ] += az * dz;
    sum[XY] += ax * dy;
    sum[YZ] += ay * dz;
    sum[ZX] += az * dx;
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

/// The largest eigenvalue of a symmetric matrix. With m a third of the trace and the matrix written
/// as m + p*B, tr(B^2) = 6, its eigenvalues are m + p*t with t^3 - 3t = det B. The largest t is in
/// [1, 2], and t = 1 + sqrt((2 + det B)/3) is above it, from where Newton comes down; three steps
/// give 1e-4.
static inline float largest_eigenvalue(float xx, float yy, float zz, float xy, float yz, float zx)
{
    const float m = (xx + yy + zz) * (1.0f / 3.0f);
    const float a = xx - m, b = yy - m, c = zz - m;
    const float p2 = (a * a + b * b + c * c + 2.0f * (xy * xy + yz * yz + zx * zx)) * (1.0f / 6.0f);
    const float p = sqrtf(p2);
    const float det = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx);
    const float cubed = sp_most(p2 * p, 1e-30f);
    const float right = sp_least(sp_most(det / cubed, -2.0f), 2.0f);
    float t = 1.0f + sqrtf((2.0f + right) * (1.0f / 3.0f)) + 1e-4f; // off the double root at t = 1
    for (int n = 0; n < 3; ++n)
        t -= (t * (t * t - 3.0f) - right) / (3.0f * (t * t - 1.0f));
    return m + p * t;
}

/// |mean d| - f r of one cell, lane l of its pair of rows.
static inline float distance_at(float (*s)[SP_LANES], int l, float scale, float radius)
{
    const float per_k = 1.0f / sp_most(s[K][l], 1e-20f);
    const float mx = s[KX][l] * per_k, my = s[KY][l] * per_k, mz = s[KZ][l] * per_k;
    const float f = scale * per_k;
    const float e = largest_eigenvalue(
        f * (s[XX][l] - mx * s[QX][l]), f * (s[YY][l] - my * s[QY][l]),
        f * (s[ZZ][l] - mz * s[QZ][l]), f * (s[XY][l] - 0.5f * (mx * s[QY][l] + my * s[QX][l])),
        f * (s[YZ][l] - 0.5f * (my * s[QZ][l] + mz * s[QY][l])),
        f * (s[ZX][l] - 0.5f * (mz * s[QX][l] + mx * s[QZ][l])));
    const float left = sp_least(sp_most((e - 0.4f) * (1.0f / 1.6f), 0.0f), 1.0f); // 1 - g
    return sqrtf(mx * mx + my * my + mz * mz) - radius * (1.0f - left * left * left);
}

static void write_pair(const gathering *g, const tile_sums *s, int pair, float *restrict phi)
{
    const float voxel = g->tiles->voxel, support = g->support / voxel, radius = g->radius / voxel;
    const float scale = 6.0f / (support * support), band = g->band, inside = -g->radius;
    float sum[SUMS][SP_LANES];
    memcpy(sum, s->sum[pair], sizeof sum);
    const uint8_t *restrict deep = s->deep + pair * SP_LANES;
    for (int l = 0; l < SP_LANES; ++l) {
        const float seen = voxel * distance_at(sum, l, scale, radius); // asked of deep ones too
        const float known = sum[K][l] > 1e-12f ? seen : band;
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
