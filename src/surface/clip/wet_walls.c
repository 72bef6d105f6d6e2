// SPDX-License-Identifier: Apache-2.0
/// Extends liquid up to the walls that it wets. Particles keep a spacing away from solids, so their
/// surface ends before the glass and the gap would be visible. A point nearer to a solid than `wet`
/// therefore takes the value at distance `wet` from the wall, along the wall's normal, and the
/// liquid ends a little inside the solid:
///
///         air        |glass           the value at x is that of q; below the water line
///     ~~~~~~~.q--->x |                there is no gap left, and the line itself meets the
///       water  .     |                wall at a right angle
#include "surface/internal.h"

enum { TILES_A_TASK = 4, CORNER = 3 }; // three walls meet in a corner of a box

typedef struct wetting {
    const sp_tiles *from, *to;
    const float *old;
    float *phi;
    float band;
    const sp_clip *clip;
    const double *origin;
} wetting;

/// The new value at a world position; `old` is its present value.
static float wet_at(const wetting *w, double x[3], float old)
{
    const sp_clip *clip = w->clip;
    double away[3], s = clip->solid(clip->solids, x, away);
    const double wet = (double)clip->wet, end = -s - (double)clip->sink;
    if (s >= wet) return old;
    for (int k = 0; k < CORNER && s < wet; ++k) {
        for (int c = 0; c < 3; ++c)
            x[c] += (wet - s) * away[c];
        s = clip->solid(clip->solids, x, away);
    }
    float q[3];
    for (int c = 0; c < 3; ++c)
        q[c] = (float)(x[c] - w->origin[c]);
    const float there = sp_tiles_sample(w->from, w->old, SP_AT_CELLS, w->band, q, NULL);
    return fmaxf(fminf(old, there), (float)end);
}

static void wet_tiles(void *arg, size_t begin, size_t end)
{
    const wetting *w = arg;
    const double voxel = (double)w->to->voxel;
    for (size_t v = begin * SP_TILE_VOXELS; v < end * SP_TILE_VOXELS; ++v) {
        const int32_t *at = w->to->at[v / SP_TILE_VOXELS];
        const int in[3] = {(int)(v & 7), (int)(v >> 3 & 7), (int)(v >> 6 & 7)};
        double x[3];
        for (int c = 0; c < 3; ++c)
            x[c] = w->origin[c] + ((double)(at[c] * SP_TILE + in[c]) + 0.5) * voxel;
        w->phi[v] = wet_at(w, x, w->phi[v]);
    }
}

sp_status surface_wet(sp_tiles *tiles, float **phi, float band, const sp_clip *clip,
                      const double origin[3], sp_error *err)
{
    if (!clip || !clip->solid || !(clip->wet > 0.0f)) return SP_OK;
    const sp_host *host = tiles->host;
    sp_tiles wider = {0};
    SP_TRY(sp_tiles_dilate(&wider, tiles, 1, err));
    float *values = sp_tiles_field(&wider, band);
    if (!values) {
        sp_tiles_close(&wider);
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory to wet %zu tiles", tiles->count);
    }
    sp_tiles_carry(tiles, *phi, &wider, values, band);
    wetting w = {.from = tiles,
                 .to = &wider,
                 .old = *phi,
                 .phi = values,
                 .band = band,
                 .clip = clip,
                 .origin = origin};
    sp_parallel(host, wider.count, TILES_A_TASK, wet_tiles, &w);
    sp_release(host, *phi);
    sp_tiles_close(tiles);
    *tiles = wider;
    *phi = values;
    return SP_OK;
}
