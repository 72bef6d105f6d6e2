// SPDX-License-Identifier: Apache-2.0
/// Moves a surface along its normals: subtracts a constant from the distance, then redistances.
#include "tiles/internal.h"

typedef struct offsetting {
    float *phi, distance;
} offsetting;

static void subtract_distance(void *arg, size_t begin, size_t end)
{
    const offsetting *o = arg;
    float *restrict phi = o->phi;
    const float distance = o->distance;
    for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
        phi[i] -= distance;
}

sp_status sp_levelset_offset(const sp_tiles *tiles, float *phi, float distance, float band,
                             sp_error *err)
{
    sp_tiles_parallel(tiles, subtract_distance, &(offsetting){phi, distance});
    return sp_levelset_redistance(tiles, phi, band, err);
}
