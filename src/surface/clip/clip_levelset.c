// SPDX-License-Identifier: Apache-2.0
/// Clips a level set: phi = max(phi, clip).
#include "surface/internal.h"

enum { TILES_A_TASK = 8 };

typedef struct clipping {
    const sp_tiles *tiles;
    float *phi;
    const sp_clip *clip;
    float low[3], high[3]; ///< m, from the tiles' origin
} clipping;

/// Distance to a box: exact inside and next to its faces, too small beyond edges, where there is no
/// surface.
static float box_at(const clipping *c, const float p[3])
{
    float most = -INFINITY;
    for (int a = 0; a < 3; ++a)
        most = fmaxf(most, fmaxf(c->low[a] - p[a], p[a] - c->high[a]));
    return most;
}

static void clip_tiles(void *arg, size_t begin, size_t end)
{
    const clipping *c = arg;
    const float voxel = c->tiles->voxel;
    for (size_t v = begin * SP_TILE_VOXELS; v < end * SP_TILE_VOXELS; ++v) {
        const int32_t *at = c->tiles->at[v / SP_TILE_VOXELS];
        const int in[3] = {(int)(v & 7), (int)(v >> 3 & 7), (int)(v >> 6 & 7)};
        float p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = ((float)(at[a] * SP_TILE + in[a]) + 0.5f) * voxel;
        if (c->clip->use_box) c->phi[v] = fmaxf(c->phi[v], box_at(c, p));
        if (c->clip->tiles)
            c->phi[v] = fmaxf(c->phi[v], sp_tiles_sample(c->clip->tiles, c->clip->phi, SP_AT_CELLS,
                                                         3.0f * c->clip->tiles->voxel, p, NULL));
    }
}

void sp_surface_clip(const sp_tiles *tiles, float *phi, const sp_clip *clip, const double origin[3])
{
    if (!clip || (!clip->use_box && !clip->tiles)) return;
    clipping c = {.tiles = tiles, .phi = phi, .clip = clip};
    for (int a = 0; a < 3; ++a) {
        c.low[a] = (float)(clip->low[a] - origin[a]);
        c.high[a] = (float)(clip->high[a] - origin[a]);
    }
    sp_parallel(tiles->host, tiles->count, TILES_A_TASK, clip_tiles, &c);
}
