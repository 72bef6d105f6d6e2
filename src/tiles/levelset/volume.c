// SPDX-License-Identifier: Apache-2.0
/// The volume inside a level set. A cell whose centre is at distance phi is filled by 1/2 - phi/h,
/// clamped to 0 ... 1: exact for planes along an axis, and for others on average, since the
/// variance of n.x over a cube is h^2/12 for every direction n. Within a cell a curved surface
/// departs from its plane by (h^2/24) lap phi on average; without this correction a ball of radius
/// r comes out h^2/(4 r^2) too large.
#include "tiles/internal.h"

enum { WAVE = 512 }; // tiles whose sums are kept on the stack

typedef struct measuring {
    const sp_tiles *tiles;
    const float *phi;
    size_t first;
    double sum[WAVE];
} measuring;

/// A neighbour's distance minus this cell's; a distance changes by no more than h.
static inline float step(float there, float here, float h)
{
    const float d = there - here;
    return d < -h ? -h : d > h ? h : d;
}

static double tile_volume(const measuring *m, uint32_t tile)
{
    const float *restrict phi = m->phi + (size_t)tile * SP_TILE_VOXELS;
    const float h = m->tiles->voxel, per_voxel = 1.0f / h;
    float bend[SP_TILE_VOXELS] = {0}, side[SP_TILE_VOXELS];
    for (int axis = 0; axis < 3; ++axis)
        for (int s = -1; s <= 1; s += 2) {
            sp_tiles_shift(m->tiles, m->phi, tile, axis, s, h, side);
            for (int i = 0; i < SP_TILE_VOXELS; ++i)
                bend[i] += step(side[i], phi[i], h);
        }
    sp_d16 lane = {0};
    for (int i = 0; i < SP_TILE_VOXELS; i += SP_LANES)
        for (int l = 0; l < SP_LANES; ++l) {
            const float at = phi[i + l] + bend[i + l] * (1.0f / 24.0f);
            const float share = 0.5f - at * per_voxel;
            lane[l] += (double)(share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share);
        }
    return sp_d16_sum(lane);
}

static void measure_tiles(void *arg, size_t begin, size_t end)
{
    measuring *m = arg;
    for (size_t n = begin; n < end; ++n)
        m->sum[n] = tile_volume(m, (uint32_t)(m->first + n));
}

double sp_levelset_volume(const sp_tiles *tiles, const float *phi)
{
    double cells = 0.0;
    for (size_t first = 0; first < tiles->count; first += WAVE) {
        measuring m = {.tiles = tiles, .phi = phi, .first = first};
        const size_t left = tiles->count - first, n = left < WAVE ? left : WAVE;
        sp_parallel(tiles->host, n, SP_TILES_GRAIN, measure_tiles, &m);
        for (size_t t = 0; t < n; ++t)
            cells += m.sum[t];
    }
    const double h = (double)tiles->voxel;
    return cells * h * h * h;
}
