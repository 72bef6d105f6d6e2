// SPDX-License-Identifier: Apache-2.0
/// Blender's default cache has no surface, only particles: the surface is built from them.
#include "exchange/import/import_internal.h"

#include <string.h>

typedef struct cloud {
    const sp_host *host;
    size_t n;
    float *x[3]; ///< m, from our origin
} cloud;

static void cloud_close(cloud *c)
{
    for (int a = 0; a < 3; ++a)
        sp_release(c->host, c->x[a]);
}

static sp_status cloud_fill(cloud *c, const sp_vdb_cloud *from, const import_map *to_ours,
                            const double origin[3], sp_error *err)
{
    double(*place)[3] = sp_allocate(c->host, c->n, sizeof *place);
    bool enough = place != NULL;
    for (int a = 0; a < 3; ++a)
        enough &= (c->x[a] = sp_allocate(c->host, c->n, sizeof *c->x[a])) != NULL;
    sp_status status = enough
                           ? sp_vdb_cloud_fill(from, place, err)
                           : sp_fail(err, SP_NO_MEMORY, "import: no memory for %zu points", c->n);
    for (size_t i = 0; status == SP_OK && i < c->n; ++i) {
        double p[3];
        import_map_apply(to_ours, place[i], p);
        for (int a = 0; a < 3; ++a)
            c->x[a][i] = (float)(p[a] - origin[a]);
    }
    sp_release(c->host, place);
    return status;
}

/// Distance of neighbouring points, m, from the number of points in voxels that have some.
static sp_status spacing_of(const cloud *c, float voxel, double *spacing, sp_error *err)
{
    sp_tiles tiles = {0};
    SP_TRY(
        sp_tiles_cover(&tiles, c->host, voxel, c->n, c->x[0], c->x[1], c->x[2], NULL, 0.0f, err));
    unsigned char *hit = sp_allocate(c->host, tiles.count, SP_TILE_VOXELS);
    size_t voxels = 0;
    for (size_t i = 0; hit && i < c->n; ++i) {
        int32_t v[3];
        for (int a = 0; a < 3; ++a)
            v[a] = (int32_t)floor((double)c->x[a][i] / (double)voxel);
        const int32_t at[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
        const uint32_t tile = sp_tiles_find(&tiles, at);
        if (tile == SP_NO_TILE) continue; // rounding moved it across a border
        unsigned char *here = &hit[(size_t)tile * SP_TILE_VOXELS + sp_tile_place(v[0], v[1], v[2])];
        voxels += !*here;
        *here = 1;
    }
    sp_release(c->host, hit);
    const size_t tile_count = tiles.count;
    sp_tiles_close(&tiles);
    if (!hit) return import_no_memory(err, tile_count);
    *spacing = voxels ? (double)voxel * cbrt((double)voxels / (double)c->n) : 0.5 * (double)voxel;
    return SP_OK;
}

/// Blender's own surface: spheres of 0.87 cells around its particles, the diagonal of half a cell and
/// 1 % more, so that a default cache gives the water that `phi` of a resumable one gives. (The
/// radius is a setting of Blender's that is not in the files; this is its default.)
static sp_status add_spheres(sp_import_water *water, const cloud *c, sp_error *err)
{
    const float h = (float)water->voxel, radius = 0.5f * sqrtf(3.0f) * 1.01f * h;
    SP_TRY(sp_tiles_cover(&water->tiles, water->host, h, c->n, c->x[0], c->x[1], c->x[2], NULL,
                          water->band + radius, err));
    water->phi = sp_tiles_field(&water->tiles, water->band);
    if (!water->phi) return import_no_memory(err, water->tiles.count);
    return sp_levelset_spheres(&water->tiles, c->n, c->x[0], c->x[1], c->x[2], NULL, radius,
                               water->band, water->phi, err);
}

/// The surface of Zhu and Bridson (2005), as in our own liquid solver.
static sp_status add_blobs(sp_import_water *water, const cloud *c, sp_error *err)
{
    const float h = (float)water->voxel;
    double spacing = 0.0;
    SP_TRY(spacing_of(c, h, &spacing, err));
    // Eight points a voxel have a spacing of half a voxel; the support is four spacings. Sparser
    // points need more to reach each other. The radius gives the rounded cube of one voxel its
    // volume.
    const double between = fmax(0.5 * water->voxel, spacing);
    const float support = (float)(4.0 * between),
                radius = (float)(0.5 * sqrt(3.0) * between * 1.02);
    SP_TRY(sp_tiles_cover(&water->tiles, water->host, h, c->n, c->x[0], c->x[1], c->x[2], NULL,
                          water->band + support, err));
    water->phi = sp_tiles_field(&water->tiles, water->band);
    if (!water->phi) return import_no_memory(err, water->tiles.count);
    return sp_levelset_particles(&water->tiles, c->n, c->x[0], c->x[1], c->x[2], support, radius,
                                 water->band, water->phi, err);
}

static sp_status build_surface(sp_import_water *water, const cloud *c, const import_grid *velocity,
                               bool blender, sp_error *err)
{
    water->band = 4.0f * (float)water->voxel;
    SP_TRY(blender ? add_spheres(water, c, err) : add_blobs(water, c, err));
    if (velocity) SP_TRY(import_deep_fill(water, velocity, err));
    return sp_levelset_redistance(&water->tiles, water->phi, water->band, err);
}

sp_status import_points_read(sp_import_water *water, sp_vdb_file *file, int index,
                             const sp_import_plan *plan, const import_grid *velocity, sp_error *err)
{
    const sp_vdb_grid_info *info = sp_vdb_file_look(file, (size_t)index);
    const import_map ours = import_map_ours(plan);
    import_map world;
    memcpy(world.m, info->to_world, sizeof world.m);
    // Points are at their coordinates; the centres of cells are half an index above whole numbers.
    import_grid cells = {.to_ours = import_map_after(&ours, &world)};
    const import_map to_ours = cells.to_ours;
    for (int r = 0; r < 3; ++r)
        cells.to_ours.m[r][3] += 0.5 * (to_ours.m[r][0] + to_ours.m[r][1] + to_ours.m[r][2]);
    const import_lattice l = import_lattice_of(&cells);
    if (!info->linear || !(l.voxel > 0.0 && isfinite(l.voxel)))
        return sp_fail(err, SP_UNSUPPORTED, "points %s have no voxel size", info->name);
    water->voxel = l.voxel;
    memcpy(water->origin, l.origin, sizeof l.origin);
    sp_vdb_cloud *from;
    SP_TRY(sp_vdb_cloud_open(file, (size_t)index, &from, err));
    cloud c = {.host = water->host, .n = sp_vdb_cloud_count(from)};
    sp_status status = cloud_fill(&c, from, &to_ours, l.origin, err);
    sp_vdb_cloud_close(from);
    if (status == SP_OK)
        status = build_surface(water, &c, velocity, plan->style == SP_IMPORT_BLENDER, err);
    cloud_close(&c);
    return status;
}
