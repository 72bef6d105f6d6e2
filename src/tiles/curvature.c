// SPDX-License-Identifier: Apache-2.0
/// Curvature of level sets and flow by it. With subscripts for central differences (19 points in all),
///
///     kappa = div(grad phi / |grad phi|)
///           = [ phi_x^2 (phi_yy + phi_zz) + phi_y^2 (phi_xx + phi_zz) + phi_z^2 (phi_xx + phi_yy)
///               - 2 (phi_x phi_y phi_xy + phi_y phi_z phi_yz + phi_z phi_x phi_zx) ] / |grad phi|^3
///
/// which is 2/r on a ball of radius r: positive where the inside is convex.
#include "tiles/internal.h"

#include <string.h>

enum { EDGE = SP_TILE + 2, X = 1, Y = EDGE, Z = EDGE * EDGE }; // strides of a block

/// Where |grad phi| is less than this the field is flat (beyond its band) and has no normal.
#define FLAT 0.01f

/// Curvature times the voxel, at most 1 either way, and |grad phi|; c points into a block.
static inline float bend(const float *c, float per_voxel, float *slope)
{
    const float x = 0.5f * (c[X] - c[-X]), y = 0.5f * (c[Y] - c[-Y]), z = 0.5f * (c[Z] - c[-Z]);
    const float xx = c[X] + c[-X] - 2.0f * c[0], yy = c[Y] + c[-Y] - 2.0f * c[0],
                zz = c[Z] + c[-Z] - 2.0f * c[0];
    const float xy = 0.25f * ((c[X + Y] + c[-X - Y]) - (c[X - Y] + c[Y - X]));
    const float yz = 0.25f * ((c[Y + Z] + c[-Y - Z]) - (c[Y - Z] + c[Z - Y]));
    const float zx = 0.25f * ((c[Z + X] + c[-Z - X]) - (c[Z - X] + c[X - Z]));
    const float square = (x * x + y * y + z * z) * per_voxel * per_voxel;
    const float up = x * x * (yy + zz) + y * y * (xx + zz) + z * z * (xx + yy) -
                     2.0f * (x * y * xy + y * z * yz + z * x * zx);
    *slope = sqrtf(square);
    const float floor_square = fmaxf(square, FLAT * FLAT);
    const float scaled = up * per_voxel * per_voxel * per_voxel;
    const float kappa = scaled / (floor_square * sqrtf(floor_square));
    const float bounded = kappa < -1.0f ? -1.0f : kappa > 1.0f ? 1.0f : kappa;
    return square < FLAT * FLAT ? 0.0f : bounded;
}

typedef struct bending {
    const sp_tiles *tiles;
    const float *phi;
    float *out, band;
} bending;

static void curve_tiles(void *arg, size_t begin, size_t end)
{
    const bending *b = arg;
    const float per_voxel = 1.0f / b->tiles->voxel;
    float block[SP_TILE_BLOCK];
    for (size_t t = begin; t < end; ++t) {
        sp_tiles_block(b->tiles, b->phi, (uint32_t)t, b->band, block);
        for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
            const float *c = block + X + Y * (row % SP_TILE + 1) + Z * (row / SP_TILE + 1);
            float *restrict out = b->out + t * SP_TILE_VOXELS + (size_t)row * SP_TILE;
            for (int i = 0; i < SP_TILE; ++i) {
                float slope;
                out[i] = bend(c + i, per_voxel, &slope) * per_voxel;
            }
        }
    }
}

void sp_levelset_curvature(const sp_tiles *tiles, const float *phi, float band, float *kappa)
{
    sp_tiles_parallel(tiles, curve_tiles, &(bending){tiles, phi, kappa, band});
}

/// One pass: phi + 0.1 h^2 kappa |grad phi|. A fifth of what is stable (h^2/2 for one kink), so that a bump of a
/// voxel goes in a few passes and nothing rings.
static void smooth_tiles(void *arg, size_t begin, size_t end)
{
    const bending *b = arg;
    const float voxel = b->tiles->voxel, per_voxel = 1.0f / voxel, band = b->band;
    float block[SP_TILE_BLOCK];
    for (size_t t = begin; t < end; ++t) {
        sp_tiles_block(b->tiles, b->phi, (uint32_t)t, band, block);
        for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
            const float *c = block + X + Y * (row % SP_TILE + 1) + Z * (row / SP_TILE + 1);
            float *restrict out = b->out + t * SP_TILE_VOXELS + (size_t)row * SP_TILE;
            for (int i = 0; i < SP_TILE; ++i) {
                float slope;
                const float kappa = bend(c + i, per_voxel, &slope);
                const float moved = c[i] + 0.1f * voxel * kappa * slope;
                const float bounded = moved < -band ? -band : moved > band ? band : moved;
                out[i] = fabsf(c[i]) < band ? bounded : c[i];
            }
        }
    }
}

sp_status sp_levelset_smooth(const sp_tiles *tiles, float *phi, float band, int passes,
                             sp_error *err)
{
    if (tiles->count == 0 || passes <= 0) return SP_OK;
    float *other = sp_tiles_field(tiles, 0.0f), *from = phi, *to = other;
    if (!other)
        return sp_fail(err, SP_NO_MEMORY, "levelset: no memory to smooth %zu tiles", tiles->count);
    for (int n = 0; n < passes; ++n) {
        sp_tiles_parallel(tiles, smooth_tiles, &(bending){tiles, from, to, band});
        float *last = from;
        from = to;
        to = last;
    }
    if (from != phi) memcpy(phi, from, tiles->count * SP_TILE_VOXELS * sizeof *phi);
    sp_release(tiles->host, other);
    return SP_OK;
}
