// SPDX-License-Identifier: Apache-2.0
/// Fills a level set from a signed distance function.
#include "tiles/internal.h"
#include "tiles/levelset.h"

typedef struct filling {
    const sp_levelset_source *source;
    const sp_tiles *tiles;
    double origin[3];
    float band, *phi;
} filling;

static float cut(double d, float band)
{
    return (float)fmin(fmax(d, -(double)band), (double)band);
}

/// The hint of the neighbour before this voxel in x, y or z that is farthest from the surface: it
/// most likely has the same sign. The first voxel of a tile uses `middle`.
static sp_distance_hint best_hint(const sp_distance_hint known[SP_TILE_VOXELS], size_t i,
                                  const sp_distance_hint *middle)
{
    const sp_distance_hint *best = middle;
    if (i % 8) best = &known[i - 1];
    if (i / 8 % 8 && (best == middle || known[i - 8].clear > best->clear)) best = &known[i - 8];
    if (i / 64 && (best == middle || known[i - 64].clear > best->clear)) best = &known[i - 64];
    return *best;
}

/// Evaluates every voxel of a tile that the surface may be near.
static void fill_near_tile(const filling *on, const double corner[3], sp_distance_hint middle,
                           float *phi)
{
    const double h = (double)on->tiles->voxel;
    sp_distance_hint known[SP_TILE_VOXELS];
    for (size_t i = 0; i < SP_TILE_VOXELS; ++i) {
        const double p[3] = {corner[0] + h * (double)(i % 8), corner[1] + h * (double)(i / 8 % 8),
                             corner[2] + h * (double)(i / 64)};
        known[i] = best_hint(known, i, &middle);
        phi[i] =
            cut(on->source->distance(on->source->what, p, (double)on->band, &known[i]), on->band);
    }
}

static void fill_tile(const filling *on, size_t tile)
{
    const double h = (double)on->tiles->voxel, band = (double)on->band;
    float *phi = on->phi + tile * SP_TILE_VOXELS;
    double corner[3], p[3];
    sp_distance_hint hint = {0};
    for (int k = 0; k < 3; ++k) {
        corner[k] = on->origin[k] + h * (SP_TILE * (double)on->tiles->at[tile][k] + 0.5);
        p[k] = corner[k] + 0.5 * h * (SP_TILE - 1);
    }
    // A distance changes no faster than the point moves: one value at the centre rules out far
    // tiles.
    const double around = 0.5 * sqrt(3.0) * h * (SP_TILE - 1);
    const double middle = on->source->distance(on->source->what, p, band + around, &hint);
    if (fabs(middle) < band + around || on->source->every_voxel) {
        fill_near_tile(on, corner, hint, phi);
        return;
    }
    sp_tile_fill(phi, cut(middle, on->band));
}

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t tile = begin; tile < end; ++tile)
        fill_tile(arg, tile);
}

void sp_levelset_from_distance(const sp_levelset_source *source, const sp_tiles *tiles,
                               const double origin[3], float band, float *phi)
{
    filling on = {source, tiles, {0}, band, phi};
    sp_copy3(on.origin, origin);
    sp_parallel(tiles->host, tiles->count, 4, fill_tiles, &on);
}
