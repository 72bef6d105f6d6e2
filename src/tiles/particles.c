// SPDX-License-Identifier: Apache-2.0
/// Liquid out of particles (Zhu and Bridson 2005). With d_p = x_p - x and k = (1 - d^2/R^2)^3,
///
///     mean d = sum k d_p / sum k,      phi = |mean d| - f r.
///
/// Between two particles that part, the mean jumps from one to the other and phi makes false liquid; there its
/// derivative is large (Solenthaler, Schlaefli and Pajarola 2007). With q = 1 - d^2/R^2,
///
///     d(mean)_a/dx_b = 6/(R^2 sum k) * sum q^2 d_b (d_a - (mean d)_a)
///
/// and the radius fades, f = 1 - (1 - g)^3 with g = (2 - e)/(2 - 0.4), as the largest eigenvalue e goes
/// from 0.4 to 2. The matrix is symmetric but for the mean, which points where sum q^2 d does, or nearly; e is
/// taken of its symmetric part, whose largest eigenvalue is no less than the real part of any of the matrix's.
///
/// All sums run in cells of a tile, over the tile's own list of particles, in voxels.
#include "tiles/internal.h"

/// The sums of a tile's cells.
typedef struct sums {
    _Alignas(64) float k[SP_TILE_VOXELS];
    _Alignas(64) float kx[SP_TILE_VOXELS], ky[SP_TILE_VOXELS], kz[SP_TILE_VOXELS];
    _Alignas(64) float qx[SP_TILE_VOXELS], qy[SP_TILE_VOXELS], qz[SP_TILE_VOXELS];
    _Alignas(64) float xx[SP_TILE_VOXELS], yy[SP_TILE_VOXELS], zz[SP_TILE_VOXELS];
    _Alignas(64) float xy[SP_TILE_VOXELS], yz[SP_TILE_VOXELS], zx[SP_TILE_VOXELS];
} sums;

typedef struct gathering {
    const sp_tiles *tiles;
    const sp_tile_bins *bins;
    const float *x, *y, *z;
    float support, radius, band;
    float *phi;
} gathering;

static void add_particle(sums *restrict s, const float local[3], float support)
{
    const float per_square = 1.0f / (support * support);
    int j0, j1, k0, k1;
    sp_tile_span(local[1], support, &j0, &j1);
    sp_tile_span(local[2], support, &k0, &k1);
    for (int k = k0; k <= k1; ++k)
        for (int j = j0; j <= j1; ++j) {
            const float dy = local[1] - (float)j, dz = local[2] - (float)k;
            const float far2 = dy * dy + dz * dz;
            if (far2 >= support * support) continue;
            const int row = 8 * j + 64 * k;
            SP_VECTOR_LOOP
            for (int i = row; i < row + SP_TILE; ++i) {
                const float dx = local[0] - (float)(i - row);
                const float q = fmaxf(1.0f - (dx * dx + far2) * per_square, 0.0f);
                const float q2 = q * q, w = q2 * q;
                const float ax = q2 * dx, ay = q2 * dy, az = q2 * dz;
                s->k[i] += w;
                s->kx[i] += w * dx;
                s->ky[i] += w * dy;
                s->kz[i] += w * dz;
                s->qx[i] += ax;
                s->qy[i] += ay;
                s->qz[i] += az;
                s->xx[i] += ax * dx;
                s->yy[i] += ay * dy;
                s->zz[i] += az * dz;
                s->xy[i] += ax * dy;
                s->yz[i] += ay * dz;
                s->zx[i] += az * dx;
            }
        }
}

/// The largest eigenvalue of a symmetric matrix. With m a third of the trace and the matrix written as
/// m + p*B, tr(B^2) = 6, its eigenvalues are m + p*t with t^3 - 3t = det B. The largest t is in [1, 2], and
/// t = 1 + sqrt((2 + det B)/3) is above it, from where Newton comes down; three steps give 1e-4.
static inline float largest_eigenvalue(float xx, float yy, float zz, float xy, float yz, float zx)
{
    const float m = (xx + yy + zz) * (1.0f / 3.0f);
    const float a = xx - m, b = yy - m, c = zz - m;
    const float p2 = (a * a + b * b + c * c + 2.0f * (xy * xy + yz * yz + zx * zx)) * (1.0f / 6.0f);
    const float p = sqrtf(p2);
    const float det = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx);
    const float cubed = fmaxf(p2 * p, 1e-30f);
    const float right = fminf(fmaxf(det / cubed, -2.0f), 2.0f);
    float t = 1.0f + sqrtf((2.0f + right) * (1.0f / 3.0f)) + 1e-4f; // off the double root at t = 1
    for (int n = 0; n < 3; ++n)
        t -= (t * (t * t - 3.0f) - right) / (3.0f * (t * t - 1.0f));
    return m + p * t;
}

static inline float distance_at(const sums *s, int i, float scale, float radius)
{
    const float per_k = 1.0f / fmaxf(s->k[i], 1e-20f);
    const float mx = s->kx[i] * per_k, my = s->ky[i] * per_k, mz = s->kz[i] * per_k;
    const float f = scale * per_k;
    const float e = largest_eigenvalue(
        f * (s->xx[i] - mx * s->qx[i]), f * (s->yy[i] - my * s->qy[i]),
        f * (s->zz[i] - mz * s->qz[i]), f * (s->xy[i] - 0.5f * (mx * s->qy[i] + my * s->qx[i])),
        f * (s->yz[i] - 0.5f * (my * s->qz[i] + mz * s->qy[i])),
        f * (s->zx[i] - 0.5f * (mz * s->qx[i] + mx * s->qz[i])));
    const float left = fminf(fmaxf((e - 0.4f) * (1.0f / 1.6f), 0.0f), 1.0f); // 1 - g
    return sqrtf(mx * mx + my * my + mz * mz) - radius * (1.0f - left * left * left);
}

static void gather_tile(const gathering *g, size_t t, sums *s)
{
    const float voxel = g->tiles->voxel, support = g->support / voxel, radius = g->radius / voxel;
    float *restrict phi = g->phi + t * SP_TILE_VOXELS;
    *s = (sums){0};
    for (uint32_t n = g->bins->start[t]; n < g->bins->start[t + 1]; ++n) {
        const uint32_t p = g->bins->item[n];
        float local[3];
        sp_tile_local(g->tiles, t, g->x[p], g->y[p], g->z[p], local);
        add_particle(s, local, support);
    }
    const float scale = 6.0f / (support * support);
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const float d = voxel * distance_at(s, i, scale, radius);
        const float bounded = d < -g->band ? -g->band : d > g->band ? g->band : d;
        phi[i] = s->k[i] > 1e-12f ? bounded : g->band;
    }
}

static void gather_tiles(void *arg, size_t begin, size_t end)
{
    sums s;
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
