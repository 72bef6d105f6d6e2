// SPDX-License-Identifier: Apache-2.0
/// The union of spheres as a level set: phi(x) = min over spheres of |x - c| - r, within +-band.
///
/// Outside, this is the distance to the union. Inside, it is only a bound (where two spheres
/// overlap the true depth is larger than that of either); redistancing makes it a distance.
#include "tiles/internal.h"

typedef struct unite {
    const sp_tiles *tiles;
    const sp_tile_bins *bins;
    const float *x, *y, *z, *r;
    float radius, band;
    float *phi;
} unite;

enum { PAIRS = SP_TILE_VOXELS / SP_LANES }; // pairs of rows in a tile, sixteen cells each

/// Compares one sphere with the sixteen cells of each pair of rows that it may reach. If all
/// spheres have one size, no root is needed until the end: least[] then holds squared distances to
/// the nearest centre.
SP_INLINE void compare(sp_f16 least[PAIRS], const float local[3], float reach, float r, bool root)
{
    const sp_f16 columns = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    const sp_f16 rows = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    const sp_f16 dx = local[0] - columns, dx2 = dx * dx;
    int j0, j1, k0, k1;
    sp_tile_span(local[1], reach, &j0, &j1);
    sp_tile_span(local[2], reach, &k0, &k1);
    for (int k = k0; k <= k1; ++k) {
        const float dz = local[2] - (float)k;
        for (int pair = j0 / 2; pair <= j1 / 2; ++pair) {
            const sp_f16 dy = local[1] - 2.0f * (float)pair - rows;
            sp_lanes d = {dx2 + (dy * dy + dz * dz)};
            for (int p = 0; root && p < SP_PARTS; ++p)
                d.part[p] = sp_part_sqrt(d.part[p]) - r;
            least[pair + 4 * k] = sp_f16_min(d.all, least[pair + 4 * k]);
        }
    }
}

static void unite_tile(const unite *u, size_t t)
{
    const float voxel = u->tiles->voxel, band = u->band / voxel;
    const float radius = u->r ? 0.0f : u->radius / voxel; // in voxels from here on
    union {
        sp_f16 pair[PAIRS];
        float cell[SP_TILE_VOXELS];
    } least;
    const float most = u->r ? band : (band + radius) * (band + radius);
    for (int i = 0; i < SP_TILE_VOXELS; ++i)
        least.cell[i] = most;
    for (uint32_t n = u->bins->start[t]; n < u->bins->start[t + 1]; ++n) {
        const uint32_t s = u->bins->item[n];
        float local[3];
        sp_tile_local(u->tiles, t, u->x[s], u->y[s], u->z[s], local);
        const float r = u->r ? u->r[s] / voxel : radius;
        if (u->r)
            compare(least.pair, local, r + band, r, true);
        else
            compare(least.pair, local, r + band, r, false);
    }
    float *restrict phi = u->phi + t * SP_TILE_VOXELS;
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const float d = voxel * (u->r ? least.cell[i] : sqrtf(least.cell[i]) - radius);
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
