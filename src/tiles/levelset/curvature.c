// SPDX-License-Identifier: Apache-2.0
/// Curvature of level sets and curvature flow. With subscripts for central differences (19 points
/// in all),
///
///     kappa = div(grad phi / |grad phi|)
///           = [ phi_x^2 (phi_yy + phi_zz) + phi_y^2 (phi_xx + phi_zz) + phi_z^2 (phi_xx + phi_yy)
///             - 2 (phi_x phi_y phi_xy + phi_y phi_z phi_yz + phi_z phi_x phi_zx) ] / |grad phi|^3
///
/// which is 2/r on a ball of radius r: positive where the inside is convex.
#include "tiles/internal.h"

#include <string.h>

enum { EDGE = SP_TILE + 2, X = 1, Y = EDGE, Z = EDGE * EDGE }; // strides of a block

/// Below this |grad phi| the field is flat (beyond its band) and has no normal.
#define FLAT 0.01f

/// Curvature times the voxel, clamped to +-most, and |grad phi|; c points into a block.
static inline float bend(const float *c, float per_voxel, float most, float *slope)
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
    const float steep = sp_most(square, FLAT * FLAT), root = sqrtf(steep);
    const float kappa = up * per_voxel * per_voxel * per_voxel / (steep * root);
    const float bounded = kappa < -most ? -most : kappa > most ? most : kappa;
    *slope = root;
    return square < FLAT * FLAT ? 0.0f : bounded;
}

/// All of a block but its outermost values, in one loop. A third of the results belong to
/// neighbours and are not used, but compilers do not vectorise loops over rows of eight.
static void bend_block(const float *restrict block, float per_voxel, float most,
                       float *restrict kappa, float *restrict slope)
{
    for (int n = X + Y + Z; n < SP_TILE_BLOCK - (X + Y + Z); ++n)
        kappa[n] = bend(block + n, per_voxel, most, &slope[n]);
}

/// Index in a block of the first cell of a row of the tile.
static int row_at(int row)
{
    return X + Y * (row % SP_TILE + 1) + Z * (row / SP_TILE + 1);
}

typedef struct bending {
    const sp_tiles *tiles;
    const float *phi;
    float *out, band;
    float most; ///< bound on the curvature times the voxel
} bending;

static bool in_band(const bending *b, size_t t)
{
    int any = 0;
    for (size_t n = t * SP_TILE_VOXELS; n < (t + 1) * SP_TILE_VOXELS; ++n)
        any |= fabsf(b->phi[n]) < b->band;
    return any != 0;
}

static void curve_tiles(void *arg, size_t begin, size_t end)
{
    const bending *b = arg;
    const float per_voxel = 1.0f / b->tiles->voxel;
    float block[SP_TILE_BLOCK], kappa[SP_TILE_BLOCK], slope[SP_TILE_BLOCK];
    for (size_t t = begin; t < end; ++t) {
        sp_tiles_block(b->tiles, b->phi, (uint32_t)t, b->band, block);
        bend_block(block, per_voxel, b->most, kappa, slope);
        for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
            const int at = row_at(row);
            float *restrict out = b->out + t * SP_TILE_VOXELS + (size_t)row * SP_TILE;
            for (int i = 0; i < SP_TILE; ++i)
                out[i] = kappa[at + i] * per_voxel;
        }
    }
}

void sp_levelset_curvature(const sp_tiles *tiles, const float *phi, float band, float most,
                           float *kappa)
{
    sp_tiles_parallel(tiles, curve_tiles, &(bending){tiles, phi, kappa, band, most});
}

/// One pass: phi + 0.1 h^2 kappa |grad phi|. The factor is a fifth of the stability limit, so that
/// a bump of a voxel vanishes in a few passes without oscillation.
static void smooth_tile(const bending *b, size_t t)
{
    const float voxel = b->tiles->voxel, band = b->band;
    float block[SP_TILE_BLOCK], kappa[SP_TILE_BLOCK], slope[SP_TILE_BLOCK];
    sp_tiles_block(b->tiles, b->phi, (uint32_t)t, band, block);
    bend_block(block, 1.0f / voxel, b->most, kappa, slope);
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const int at = row_at(row);
        float *restrict out = b->out + t * SP_TILE_VOXELS + (size_t)row * SP_TILE;
        for (int i = 0; i < SP_TILE; ++i) {
            const float was = block[at + i];
            const float moved = was + 0.1f * voxel * kappa[at + i] * slope[at + i];
            const float bounded = moved < -band ? -band : moved > band ? band : moved;
            out[i] = fabsf(was) < band ? bounded : was;
        }
    }
}

static void smooth_tiles(void *arg, size_t begin, size_t end)
{
    const bending *b = arg;
    for (size_t t = begin; t < end; ++t) {
        const size_t first = t * SP_TILE_VOXELS;
        if (in_band(b, t))
            smooth_tile(b, t);
        else
            memcpy(b->out + first, b->phi + first, SP_TILE_VOXELS * sizeof *b->out);
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
        sp_tiles_parallel(tiles, smooth_tiles, &(bending){tiles, from, to, band, 1.0f});
        float *last = from;
        from = to;
        to = last;
    }
    if (from != phi) memcpy(phi, from, tiles->count * SP_TILE_VOXELS * sizeof *phi);
    sp_release(tiles->host, other);
    return SP_OK;
}
