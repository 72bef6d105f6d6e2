// SPDX-License-Identifier: Apache-2.0
/// Which particles stand alone. Opening (erode, then dilate) removes what no ball of the opening's radius fits into: the union
/// of spheres of a pocket survives it, that of a line, a pair or a single layer does not.
///
/// The union of spheres as it is laid down, min |x - x_p| - R, is nowhere below -R, so it has to be made a
/// distance before it is eroded: otherwise nothing at all would survive. What is left of a block of 2x2x2 particles
/// is a ball of 0.16 voxels, which the grid has to see: with a quarter of a voxel it does wherever the
/// block falls, with half a voxel (tried: 12 places) it missed that block mostly and two layers now and then.
#include "surface/internal.h"

static const float opening = 1.02f;    // of R; the inscribed ball of a line or a layer is exactly R
static const float grid_share = 0.25f; // of a voxel

static sp_status open_union(const sp_tiles *tiles, const surface_points *p, float radius,
                            float *phi, sp_error *err)
{
    // Each step needs a distance that reaches as far as the next one moves the surface, and a voxel more.
    const float moved = opening * radius, dilated = tiles->voxel, eroded = moved + dilated,
                laid = moved + eroded;
    SP_TRY(sp_levelset_spheres(tiles, p->n, p->x, p->y, p->z, NULL, radius, laid, phi, err));
    SP_TRY(sp_levelset_redistance(tiles, phi, laid, err));
    SP_TRY(sp_levelset_erode(tiles, phi, moved, eroded, err));
    return sp_levelset_dilate(tiles, phi, moved, dilated, err);
}

static sp_status split_points(const surface_points *p, float voxel, const sp_host *host,
                              uint8_t *isolated, sp_error *err)
{
    const float radius = sqrtf(0.75f) * voxel, grid = grid_share * voxel;
    sp_tiles tiles = {0};
    SP_TRY(sp_tiles_cover(&tiles, host, grid, p->n, p->x, p->y, p->z, NULL,
                          radius + 2.0f * opening * radius + 2.0f * grid, err));
    float *phi = sp_tiles_field(&tiles, grid), *value = sp_allocate(host, p->n, sizeof *value);
    sp_status status =
        phi && value ? open_union(&tiles, p, radius, phi, err)
                     : sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu tiles", tiles.count);
    if (status == SP_OK) {
        sp_tiles_sample_many(&tiles, phi, SP_AT_CELLS, grid, p->n, p->x, p->y, p->z, value, NULL);
        for (size_t i = 0; i < p->n; ++i)
            isolated[p->from[i]] = value[i] > 0.0f;
    }
    sp_release(host, phi);
    sp_release(host, value);
    sp_tiles_close(&tiles);
    return status;
}

sp_status sp_surface_split(const sp_frame *frame, const char *name, const sp_host *host,
                           uint8_t *isolated, sp_error *err)
{
    const sp_set *set = sp_frame_set(frame, name);
    if (!set) return sp_fail(err, SP_BAD_SCENE, "the frame has no set \"%s\"", name);
    if (!(frame->voxel > 0.0))
        return sp_fail(err, SP_BAD_SCENE, "the frame of set \"%s\" has no voxel size", name);
    if (set->count == 0) return SP_OK;
    surface_points points;
    SP_TRY(surface_points_open(&points, frame, set, NULL, 0, (float)frame->voxel, host, err));
    const sp_status status = split_points(&points, (float)frame->voxel, host, isolated, err);
    surface_points_close(&points);
    return status;
}
