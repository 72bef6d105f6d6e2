// SPDX-License-Identifier: Apache-2.0
/// Trilinear sampling. A point lies between eight samples; with f the fraction along each axis,
///
///     v(f) = sum over corners of w_x w_y w_z * value,   w = f or 1 - f
///
/// and the gradient is the exact derivative of this interpolant (so it jumps between cells).
#include "tiles/internal.h"

#include <string.h>

/// The eight samples around a point and its fractions between them.
typedef struct corners {
    float value[8]; ///< x fastest
    float f[3];
} corners;

static void gather_inside(const float *values, uint32_t tile, const int32_t base[3],
                          float corner[8])
{
    const float *v =
        values + (size_t)tile * SP_TILE_VOXELS + sp_tile_place(base[0], base[1], base[2]);
    for (int n = 0; n < 8; ++n)
        corner[n] = v[(n & 1) + 8 * (n >> 1 & 1) + 64 * (n >> 2)];
}

static void gather_across(const sp_tiles *tiles, const float *values, uint32_t tile,
                          const int32_t base[3], float background, float corner[8])
{
    // offsets are relative to the tile of `base`, not to tiles->at, which is wrapped
    const int32_t from[3] = {sp_tile_of(base[0]), sp_tile_of(base[1]), sp_tile_of(base[2])};
    for (int n = 0; n < 8; ++n) {
        const int32_t i = base[0] + (n & 1), j = base[1] + (n >> 1 & 1), k = base[2] + (n >> 2);
        const int32_t at[3] = {sp_tile_of(i), sp_tile_of(j), sp_tile_of(k)};
        uint32_t there;
        if (tile != SP_NO_TILE)
            there = tiles->around[tile][SP_TILES_SELF + (at[0] - from[0]) + 3 * (at[1] - from[1]) +
                                        9 * (at[2] - from[2])];
        else
            there = sp_tiles_find(tiles, at);
        corner[n] = there == SP_NO_TILE
                        ? background
                        : values[(size_t)there * SP_TILE_VOXELS + sp_tile_place(i, j, k)];
    }
}

/// False when the point is out of reach.
static bool gather(const sp_tiles *tiles, const float *values, sp_tile_place_kind where,
                   float background, const float p[3], uint32_t *hint, corners *c)
{
    int32_t base[3];
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
        // in double: a float far from the origin has no digits left for the fraction of a voxel
        const double g =
            (double)p[a] / (double)tiles->voxel - ((int)where == SP_AT_FACES_X + a ? 0.0 : 0.5);
        const double low = floor(g);
        if (!(fabs(low) < (double)SP_TILE * SP_TILES_REACH)) return false;
        base[a] = (int32_t)low;
        c->f[a] = (float)(g - low);
        inside &= (base[a] & 7) < 7;
    }
    const int32_t at[3] = {sp_tile_of(base[0]), sp_tile_of(base[1]), sp_tile_of(base[2])};
    const uint32_t tile = sp_tiles_find_near(tiles, at, hint);
    if (inside && tile != SP_NO_TILE)
        gather_inside(values, tile, base, c->value);
    else
        gather_across(tiles, values, tile, base, background, c->value);
    return true;
}

static float sample(const sp_tiles *tiles, const float *values, sp_tile_place_kind where,
                    float background, const float p[3], float gradient[3], uint32_t *hint)
{
    corners c;
    if (gradient) memset(gradient, 0, 3 * sizeof *gradient);
    if (!tiles->count || !gather(tiles, values, where, background, p, hint, &c)) return background;
    const float value = sp_trilinear(c.value, c.f, gradient), per_voxel = 1.0f / tiles->voxel;
    for (int a = 0; gradient && a < 3; ++a)
        gradient[a] *= per_voxel;
    return value;
}

float sp_tiles_sample(const sp_tiles *tiles, const float *values, sp_tile_place_kind where,
                      float background, const float p[3], float gradient[3])
{
    uint32_t hint = SP_NO_TILE;
    return sample(tiles, values, where, background, p, gradient, &hint);
}

typedef struct sampling {
    const sp_tiles *tiles;
    const float *values;
    sp_tile_place_kind where;
    float background;
    const float *x, *y, *z;
    float *out, (*gradient)[3];
} sampling;

static void sample_range(void *arg, size_t begin, size_t end)
{
    const sampling *s = arg;
    uint32_t hint = SP_NO_TILE;
    for (size_t i = begin; i < end; ++i) {
        const float p[3] = {s->x[i], s->y[i], s->z[i]};
        s->out[i] = sample(s->tiles, s->values, s->where, s->background, p,
                           s->gradient ? s->gradient[i] : NULL, &hint);
    }
}

void sp_tiles_sample_many(const sp_tiles *tiles, const float *values, sp_tile_place_kind where,
                          float background, size_t n, const float *x, const float *y,
                          const float *z, float *out, float (*gradient)[3])
{
    sampling s = {tiles, values, where, background, x, y, z, out, gradient};
    if (tiles->host)
        sp_parallel(tiles->host, n, 512, sample_range, &s);
    else
        sample_range(&s, 0, n); // a zeroed topology has no host
}
