// SPDX-License-Identifier: Apache-2.0
/// A grid of a file as tiles, and the maps between its indices and our metres.
#include "exchange/import/import_internal.h"

#include <string.h>

/// ---- Affine maps -------------------------------------------------------------------------------

void import_map_apply(const import_map *map, const double x[3], double y[3])
{
    for (int r = 0; r < 3; ++r)
        y[r] = map->m[r][0] * x[0] + map->m[r][1] * x[1] + map->m[r][2] * x[2] + map->m[r][3];
}

import_map import_map_after(const import_map *second, const import_map *first)
{
    import_map both = {{{0}}};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k)
                both.m[r][c] += second->m[r][k] * first->m[k][c];
        both.m[r][3] += second->m[r][3];
    }
    return both;
}

/// False: singular.
static bool invert(const import_map *map, import_map *back)
{
    const double(*m)[4] = map->m;
    double cofactor[3][3], determinant = 0.0, size = 0.0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            const int a = (r + 1) % 3, b = (r + 2) % 3, d = (c + 1) % 3, e = (c + 2) % 3;
            cofactor[r][c] = m[a][d] * m[b][e] - m[a][e] * m[b][d];
            size = fmax(size, fabs(m[r][c]));
        }
    for (int c = 0; c < 3; ++c)
        determinant += m[0][c] * cofactor[0][c];
    if (!(fabs(determinant) > 1e-9 * size * size * size) || !isfinite(determinant)) return false;
    for (int r = 0; r < 3; ++r) {
        back->m[r][3] = 0.0;
        for (int c = 0; c < 3; ++c)
            back->m[r][c] = cofactor[c][r] / determinant;
        for (int c = 0; c < 3; ++c)
            back->m[r][3] -= back->m[r][c] * m[c][3];
    }
    return true;
}

import_map import_map_ours(const sp_import_plan *plan)
{
    const double s = plan->scale;
    if (!plan->z_up) return (import_map){{{s, 0, 0, 0}, {0, s, 0, 0}, {0, 0, s, 0}}};
    return (import_map){{{s, 0, 0, 0}, {0, 0, s, 0}, {0, -s, 0, 0}}}; // (x, y, z) to (x, z, -y)
}

/// ---- Grids -------------------------------------------------------------------------------------

sp_status import_no_memory(sp_error *err, size_t tiles)
{
    return sp_fail(err, SP_NO_MEMORY, "import: no memory for %zu tiles", tiles);
}

static sp_status set_maps(import_grid *grid, double shift, const sp_import_plan *plan,
                          sp_error *err)
{
    const import_map ours = import_map_ours(plan);
    const import_map shifted = {{{1, 0, 0, shift}, {0, 1, 0, shift}, {0, 0, 1, shift}}};
    import_map world;
    if (!grid->info.linear)
        return sp_fail(err, SP_UNSUPPORTED,
                       "grid %s has a camera frustum transform; resample it first",
                       grid->info.name);
    memcpy(world.m, grid->info.to_world, sizeof world.m);
    const import_map file = import_map_after(&world, &shifted);
    grid->to_ours = import_map_after(&ours, &file);
    if (invert(&grid->to_ours, &grid->from_ours)) return SP_OK;
    return sp_fail(err, SP_DAMAGED, "grid %s has a transform that cannot be inverted",
                   grid->info.name);
}

static sp_status fill(import_grid *grid, const sp_vdb_volume *volume, sp_error *err)
{
    const size_t n = sp_vdb_volume_tiles(volume);
    int32_t(*at)[3] = sp_allocate(grid->host, n, sizeof *at);
    uint32_t *slot = sp_allocate(grid->host, n, sizeof *slot);
    sp_status status = at && slot ? SP_OK : import_no_memory(err, n);
    if (status == SP_OK) {
        sp_vdb_volume_at(volume, at);
        status = sp_tiles_open(&grid->tiles, grid->host, 1.0f, (const int32_t(*)[3])at, n, err);
    }
    if (status == SP_OK) {
        bool enough = true;
        for (int c = 0; c < grid->components; ++c)
            enough &= (grid->values[c] = sp_tiles_field(&grid->tiles, 0.0f)) != NULL;
        grid->active = sp_allocate(grid->host, grid->tiles.count, sizeof *grid->active);
        if (!enough || !grid->active) status = import_no_memory(err, n);
    }
    if (status == SP_OK) {
        for (size_t k = 0; k < n; ++k)
            slot[k] = sp_tiles_find(&grid->tiles, at[k]);
        sp_vdb_volume_fill(volume, slot, grid->values, grid->active);
    }
    sp_release(grid->host, at);
    sp_release(grid->host, slot);
    return status;
}

/// A NaN would spread through every stencil.
static sp_status check_finite(const import_grid *grid, sp_error *err)
{
    for (int c = 0; c < grid->components; ++c)
        for (size_t v = 0; v < grid->tiles.count * SP_TILE_VOXELS; ++v)
            if (!isfinite(grid->values[c][v]))
                return sp_fail(err, SP_DAMAGED, "grid %s holds a value that is not a number",
                               grid->info.name);
    return SP_OK;
}

sp_status import_grid_open(import_grid *grid, sp_vdb_file *file, int index, double shift,
                           const sp_import_plan *plan, const sp_host *host, sp_error *err)
{
    sp_vdb_volume *volume;
    *grid = (import_grid){.host = host, .info = *sp_vdb_file_look(file, (size_t)index)};
    grid->components = grid->info.kind == SP_VDB_VECTORS ? 3 : 1;
    SP_TRY(set_maps(grid, shift, plan, err));
    SP_TRY(sp_vdb_volume_open(file, (size_t)index, &volume, err));
    grid->background = sp_vdb_volume_background(volume);
    sp_status status = fill(grid, volume, err);
    sp_vdb_volume_close(volume);
    if (status == SP_OK) status = check_finite(grid, err);
    if (status != SP_OK) import_grid_close(grid);
    return status;
}

void import_grid_close(import_grid *grid)
{
    if (!grid->host) return;
    for (int c = 0; c < 3; ++c)
        sp_release(grid->host, grid->values[c]);
    sp_release(grid->host, grid->active);
    sp_tiles_close(&grid->tiles);
    *grid = (import_grid){0};
}

/// ---- Lookup ------------------------------------------------------------------------------------

static size_t voxel_at(const import_grid *grid, const int32_t v[3], uint32_t *hint)
{
    const int32_t at[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
    if (*hint == SP_NO_TILE || memcmp(grid->tiles.at[*hint], at, sizeof at) != 0) {
        const uint32_t tile = sp_tiles_find(&grid->tiles, at);
        if (tile == SP_NO_TILE) return IMPORT_NOWHERE;
        *hint = tile;
    }
    return (size_t)*hint * SP_TILE_VOXELS + sp_tile_place(v[0], v[1], v[2]);
}

void import_grid_find(const import_grid *grid, const double at[3], uint32_t *hint,
                      import_stencil *s)
{
    const double snap = 1e-6;
    int32_t base[3] = {0, 0, 0};
    double f[3] = {0, 0, 0};
    bool within = true;
    for (int a = 0; a < 3; ++a) {
        const double low = floor(at[a] + snap);
        within = within && fabs(low) < (double)SP_TILE * SP_TILES_REACH - 8.0;
        if (!within) break;
        base[a] = (int32_t)low;
        f[a] = at[a] - low;
        if (f[a] < snap) f[a] = 0.0;
    }
    for (int n = 0; n < 8; ++n) {
        const int bit[3] = {n & 1, n >> 1 & 1, n >> 2};
        const int32_t v[3] = {base[0] + bit[0], base[1] + bit[1], base[2] + bit[2]};
        s->weight[n] = within ? 1.0 : 0.0;
        for (int a = 0; a < 3; ++a)
            s->weight[n] *= bit[a] ? f[a] : 1.0 - f[a];
        s->at[n] = s->weight[n] > 0.0 ? voxel_at(grid, v, hint) : IMPORT_NOWHERE;
    }
    if (!within) s->weight[0] = 1.0; // it is entirely outside
}

size_t import_grid_nearest(const import_grid *grid, const double p[3], uint32_t *hint)
{
    double at[3];
    import_stencil s;
    import_map_apply(&grid->from_ours, p, at);
    for (int a = 0; a < 3; ++a)
        at[a] = floor(at[a] + 0.5);
    import_grid_find(grid, at, hint, &s);
    return s.at[0];
}

bool import_grid_has(const import_grid *grid, size_t voxel)
{
    const size_t tile = voxel / SP_TILE_VOXELS, place = voxel % SP_TILE_VOXELS;
    if (grid->active[tile][place >> 6] >> (place & 63) & 1) return true;
    for (int c = 0; c < grid->components; ++c)
        if (grid->values[c][voxel] != 0.0f) return true;
    return false;
}
