// SPDX-License-Identifier: Apache-2.0
/// The union of spheres as a level set: phi(x) = min over spheres of |x - c| - r, within +-band.
///
/// Outside this is the distance to the union. Inside it is only a bound (two overlapping spheres are deeper
/// where they overlap than either is alone); redistancing makes it a distance.
#include "tiles/internal.h"

typedef struct unite {
    const sp_tiles *tiles;
    const sp_tile_bins *bins;
    const float *x, *y, *z, *r;
    float radius, band;
    float *phi;
} unite;

/// The cells of a tile that one sphere may reach.
typedef struct region {
    int j0, j1, k0, k1;
    float dx2
        [SP_TILE]; ///< squared distances along x, whole rows: a vector costs as much as a part of it
    float y, z;
} region;

static region region_of(const float local[3], float reach)
{
    region q = {.y = local[1], .z = local[2]};
    sp_tile_span(local[1], reach, &q.j0, &q.j1);
    sp_tile_span(local[2], reach, &q.k0, &q.k1);
    for (int i = 0; i < SP_TILE; ++i) {
        const float dx = (float)i - local[0];
        q.dx2[i] = dx * dx;
    }
    return q;
}

/// Spheres of one size need no root until all is compared: least[] holds squared distances.
static void nearest_centre(float *restrict least, const region *q)
{
    for (int k = q->k0; k <= q->k1; ++k)
        for (int j = q->j0; j <= q->j1; ++j) {
            const float dy = (float)j - q->y, dz = (float)k - q->z, d2 = dy * dy + dz * dz;
            float *restrict row = least + 8 * j + 64 * k;
            for (int i = 0; i < SP_TILE; ++i) {
                const float d = q->dx2[i] + d2;
                row[i] = d < row[i] ? d : row[i];
            }
        }
}

static void nearest_surface(float *restrict least, const region *q, float r)
{
    for (int k = q->k0; k <= q->k1; ++k)
        for (int j = q->j0; j <= q->j1; ++j) {
            const float dy = (float)j - q->y, dz = (float)k - q->z, d2 = dy * dy + dz * dz;
            float *restrict row = least + 8 * j + 64 * k;
            for (int i = 0; i < SP_TILE; ++i) {
                const float d = sqrtf(q->dx2[i] + d2) - r;
                row[i] = d < row[i] ? d : row[i];
            }
        }
}

static void unite_tile(const unite *u, size_t t)
{
    _Alignas(64) float least[SP_TILE_VOXELS];
    const float voxel = u->tiles->voxel, band = u->band / voxel;
    const float radius = u->r ? 0.0f : u->radius / voxel; // in voxels from here on
    const float most = u->r ? band : (band + radius) * (band + radius);
    for (int i = 0; i < SP_TILE_VOXELS; ++i)
        least[i] = most;
    for (uint32_t n = u->bins->start[t]; n < u->bins->start[t + 1]; ++n) {
        const uint32_t s = u->bins->item[n];
        float local[3];
        sp_tile_local(u->tiles, t, u->x[s], u->y[s], u->z[s], local);
        const float r = u->r ? u->r[s] / voxel : radius;
        const region q = region_of(local, r + band);
        if (u->r)
            nearest_surface(least, &q, r);
        else
            nearest_centre(least, &q);
    }
    float *restrict phi = u->phi + t * SP_TILE_VOXELS;
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const float d = voxel * (u->r ? least[i] : sqrtf(least[i]) - radius);
        phi[i] = d < -u->band ? -u->band : d > u->band ? u->band : d;
    }
}

static void unite_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        unite_tile(arg, t);
}

sp_status sp_levelset_spheres(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                              const float *z, const float *r, float radius, float band, float *phi,
                              sp_error *err)
{
    if (tiles->count == 0) return SP_OK;
    sp_tile_bins bins;
    SP_TRY(sp_tile_bins_open(&bins, tiles, n, x, y, z, r, r ? band : radius + band, err));
    unite u = {tiles, &bins, x, y, z, r, radius, band, phi};
    sp_tiles_parallel(tiles, unite_tiles, &u);
    sp_tile_bins_close(&bins);
    return SP_OK;
}
