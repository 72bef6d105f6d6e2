// SPDX-License-Identifier: Apache-2.0
/// Finds isolated particles. Opening (erode, then dilate) removes all parts into which no ball of
/// the opening's radius fits: the union of spheres of a pocket survives; that of a line, a pair or
/// a single layer does not.
///
/// The raw union of spheres, min |x - x_p| - R, is nowhere below -R, so it must be redistanced
/// before it is eroded: otherwise nothing would survive. A block of 2x2x2 particles leaves a ball
/// of 0.16 voxels, which the grid must resolve. Cells of a quarter of a voxel resolve it wherever
/// the block lies; cells of half a voxel (tried: 12 places) mostly missed it, and sometimes missed
/// two layers.
#include "surface/internal.h"

#include <string.h>

static const float opening = 1.02f;    // times R; the inscribed ball of a line or a layer is R
static const float grid_share = 0.25f; // cell of the grid, voxels

static sp_status open_union(const sp_tiles *tiles, const surface_points *p, float radius,
                            float *phi, sp_error *err)
{
    // Each step needs a distance in a band as wide as the next step moves the surface, plus a
    // voxel.
    const float moved = opening * radius, dilated = tiles->voxel, eroded = moved + dilated,
                laid = moved + eroded;
    SP_TRY(sp_levelset_spheres(tiles, p->n, p->x, p->y, p->z, NULL, radius, laid, phi, err));
    SP_TRY(sp_levelset_redistance(tiles, phi, laid, err));
    SP_TRY(sp_levelset_offset(tiles, phi, -moved, eroded, err));
    return sp_levelset_offset(tiles, phi, moved, dilated, err);
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

/// On a grid, a pocket of air consists of particles that each stand for an eighth of a voxel: a
/// ball of that volume has a radius of 0.31 voxels. Particles of another size are whole bubbles,
/// however close they are in a plume.
static bool stands_for_a_share(float radius, float voxel)
{
    const float share = SURFACE_SHARE * voxel;
    return radius > 0.75f * share && radius < 1.25f * share;
}

/// Marks all particles as isolated and lists those that may belong to a pocket.
static size_t choose(const sp_set *set, float voxel, uint8_t *isolated, uint32_t *chosen)
{
    const float *radius = sp_set_floats(set, "radius", 1);
    size_t n = 0;
    memset(isolated, 1, set->count);
    for (size_t i = 0; i < set->count; ++i)
        if (!radius || stands_for_a_share(radius[i], voxel)) chosen[n++] = (uint32_t)i;
    return n;
}

sp_status sp_surface_split(const sp_frame *frame, const char *name, const sp_host *host,
                           uint8_t *isolated, sp_error *err)
{
    const sp_set *set = sp_frame_set(frame, name);
    const float voxel = (float)frame->voxel;
    if (!set) return sp_fail(err, SP_BAD_INPUT, "the frame has no set \"%s\"", name);
    if (!(voxel > 0.0f))
        return sp_fail(err, SP_BAD_INPUT, "the frame of set \"%s\" has no voxel size", name);
    uint32_t *chosen = sp_allocate(host, set->count, sizeof *chosen);
    if (!chosen)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu particles", set->count);
    const size_t n = choose(set, voxel, isolated, chosen);
    sp_status status = SP_OK;
    if (n > 0) {
        surface_points points;
        status = surface_points_open(&points, frame, set, chosen, n, voxel, host, err);
        if (status == SP_OK) {
            status = split_points(&points, voxel, host, isolated, err);
            surface_points_close(&points);
        }
    }
    sp_release(host, chosen);
    return status;
}
