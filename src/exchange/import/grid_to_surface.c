// SPDX-License-Identifier: Apache-2.0
/// An imported surface as signed distance on our voxels. Grids whose voxels are cubes along our
/// axes keep their voxels, and distances in the band keep their values. For everything else
/// (non-cubic voxels, rotated grids, densities, clamped fields) only the zero level is kept, after
/// sampling where needed, and distances are recomputed.
#include "exchange/import/import_internal.h"

#include <string.h>

/// ---- Our voxels --------------------------------------------------------------------------------

static double column_length(const import_map *map, int c)
{
    return sqrt(map->m[0][c] * map->m[0][c] + map->m[1][c] * map->m[1][c] +
                map->m[2][c] * map->m[2][c]);
}

/// Our index is j = i where a grid axis has our direction and j = -1 - i where it is opposite, so
/// that tiles map to tiles.
import_lattice import_lattice_of(const import_grid *surface)
{
    const import_map *map = &surface->to_ours;
    import_lattice l = {.voxel = (double)INFINITY, .own = true};
    double widest = 0.0;
    for (int c = 0; c < 3; ++c) {
        l.voxel = fmin(l.voxel, column_length(map, c));
        widest = fmax(widest, column_length(map, c));
    }
    for (int r = 0; r < 3; ++r) {
        int large = 0, axis = 0;
        for (int c = 0; c < 3; ++c) {
            if (fabs(map->m[r][c]) <= 1e-6 * widest) continue;
            ++large;
            axis = c;
        }
        l.own = l.own && large == 1;
        l.origin[r] = map->m[r][3] + (map->m[r][axis] > 0.0 ? -0.5 : 0.5) * l.voxel;
    }
    l.own = l.own && widest - l.voxel <= 1e-5 * widest;
    if (!l.own) memset(l.origin, 0, sizeof l.origin);
    return l;
}

/// Our tiles that a tile of the grid touches, first to last along each axis.
typedef struct span {
    int32_t first[3], last[3];
} span;

static span span_of(const import_grid *grid, const import_lattice *l, size_t tile)
{
    const double margin = l->own ? 0.0 : 1.0; // interpolation needs one value more
    double low[3], high[3];
    for (int n = 0; n < 8; ++n) {
        double corner[3], p[3];
        for (int a = 0; a < 3; ++a)
            corner[a] = 8.0 * grid->tiles.at[tile][a] + (n >> a & 1 ? 7.0 + margin : -margin);
        import_map_apply(&grid->to_ours, corner, p);
        for (int a = 0; a < 3; ++a) {
            const double j = (p[a] - l->origin[a]) / l->voxel - 0.5;
            low[a] = n ? fmin(low[a], j) : j;
            high[a] = n ? fmax(high[a], j) : j;
        }
    }
    span s;
    const double reach = (double)SP_TILES_REACH + 1.0; // farther away the topology reports an error
    for (int a = 0; a < 3; ++a) {
        s.first[a] = (int32_t)fmax(-reach, floor((low[a] + 1e-4) / 8.0));
        s.last[a] = (int32_t)fmin(reach, floor((high[a] - (l->own ? -1e-4 : 0.0)) / 8.0));
    }
    return s;
}

static size_t span_count(const span *s)
{
    size_t n = 1;
    for (int a = 0; a < 3; ++a)
        n *= s->last[a] < s->first[a] ? 0 : (size_t)(s->last[a] - s->first[a] + 1);
    return n;
}

static sp_status cover_grid(const import_grid *grid, const import_lattice *l, sp_tiles *tiles,
                            sp_error *err)
{
    size_t n = 0, k = 0;
    for (size_t t = 0; t < grid->tiles.count; ++t) {
        const span s = span_of(grid, l, t);
        n += span_count(&s);
    }
    int32_t(*at)[3] = sp_allocate(grid->host, n, sizeof *at);
    if (!at) return import_no_memory(err, n);
    for (size_t t = 0; t < grid->tiles.count; ++t) {
        const span s = span_of(grid, l, t);
        for (int32_t z = s.first[2]; z <= s.last[2]; ++z)
            for (int32_t y = s.first[1]; y <= s.last[1]; ++y)
                for (int32_t x = s.first[0]; x <= s.last[0]; ++x, ++k) {
                    at[k][0] = x;
                    at[k][1] = y;
                    at[k][2] = z;
                }
    }
    sp_tiles tight = {0};
    sp_status status =
        sp_tiles_open(&tight, grid->host, (float)l->voxel, (const int32_t(*)[3])at, n, err);
    // one layer of tiles with air, so that a surface that ends at its tiles is closed
    if (status == SP_OK) status = sp_tiles_dilate(tiles, &tight, 1, err);
    sp_tiles_close(&tight);
    sp_release(grid->host, at);
    return status;
}

/// ---- Sampling ----------------------------------------------------------------------------------

typedef struct sampling {
    const import_grid *grid;
    const sp_tiles *tiles;
    import_map to_grid; ///< from our cell index to the grid's
    double outside;     ///< value where the grid has no tile
    float *out;
} sampling;

static void sample_tiles(void *arg, size_t begin, size_t end)
{
    const sampling *g = arg;
    uint32_t hint = SP_NO_TILE;
    for (size_t v = begin * SP_TILE_VOXELS; v < end * SP_TILE_VOXELS; ++v) {
        double j[3], at[3], sum = 0.0;
        import_stencil s;
        import_voxel_at(g->tiles, v, j);
        import_map_apply(&g->to_grid, j, at);
        import_grid_find(g->grid, at, &hint, &s);
        for (int n = 0; n < 8; ++n)
            if (s.weight[n] > 0.0)
                sum +=
                    s.weight[n] *
                    (s.at[n] == IMPORT_NOWHERE ? g->outside : (double)g->grid->values[0][s.at[n]]);
        g->out[v] = (float)sum;
    }
}

static void sample_cells(const import_grid *grid, const sp_tiles *tiles, double voxel,
                         const double origin[3], double outside, float *out)
{
    import_map cells = {{{voxel, 0, 0, 0}, {0, voxel, 0, 0}, {0, 0, voxel, 0}}};
    for (int a = 0; a < 3; ++a)
        cells.m[a][3] = origin[a] + 0.5 * voxel;
    sampling g = {grid, tiles, import_map_after(&grid->from_ours, &cells), outside, out};
    sp_tiles_parallel(tiles, sample_tiles, &g);
}

sp_status import_numbers_read(const sp_import_water *water, const import_grid *grid, double factor,
                              double outside, float **out, sp_error *err)
{
    *out = sp_tiles_field(&water->tiles, 0.0f);
    if (!*out) return import_no_memory(err, water->tiles.count);
    sample_cells(grid, &water->tiles, water->voxel, water->origin, outside, *out);
    for (size_t v = 0; v < water->tiles.count * SP_TILE_VOXELS; ++v)
        (*out)[v] *= (float)factor;
    return SP_OK;
}

/// ---- Distances ---------------------------------------------------------------------------------

/// The meaning of a grid's values: phi = add + factor*value, in metres.
typedef struct meaning {
    double outside; ///< the value where there is no tile
    double add, factor;
    double band; ///< m; distances below it are correct; 0: none are
} meaning;

static float largest(const import_grid *grid)
{
    float most = 0.0f;
    for (size_t v = 0; v < grid->tiles.count * SP_TILE_VOXELS; ++v)
        most = fmaxf(most, fabsf(grid->values[0][v]));
    return most;
}

static meaning meaning_of(const import_grid *grid, const import_lattice *l,
                          const sp_import_plan *plan, bool flip)
{
    const double background = fabs((double)grid->background), turn = flip ? -1.0 : 1.0;
    if (plan->fog) return (meaning){0.0, 0.5 * l->voxel, -l->voxel, 0.0};
    // Blender's grid is active everywhere, with a background of 0, which is not a surface
    const double outside = turn * (background > 0.0 ? background : (double)largest(grid));
    if (plan->style == SP_IMPORT_BLENDER) return (meaning){outside, 0.0, turn * l->voxel, 0.0};
    return (meaning){outside, 0.0, turn * plan->scale, l->own ? background * plan->scale : 0.0};
}

/// Recomputes distances beyond the band of the source, up to `water->band`; those within it stay.
static sp_status extend(sp_import_water *water, double band, sp_error *err)
{
    const size_t n = water->tiles.count * SP_TILE_VOXELS;
    const float keep = 0.999f * (float)band;
    float *anew = sp_tiles_field(&water->tiles, 0.0f);
    if (!anew) return import_no_memory(err, water->tiles.count);
    memcpy(anew, water->phi, n * sizeof *anew);
    const sp_status status = sp_levelset_redistance(&water->tiles, anew, water->band, err);
    for (size_t v = 0; status == SP_OK && v < n; ++v) {
        if (fabsf(water->phi[v]) < keep) continue;
        const float far = fmaxf(fabsf(anew[v]), keep);
        water->phi[v] = water->phi[v] < 0.0f ? -far : far;
    }
    sp_release(water->host, anew);
    return status;
}

sp_status import_retile(sp_import_water *water, const int32_t (*at)[3], size_t count, sp_error *err)
{
    sp_tiles tiles;
    SP_TRY(sp_tiles_open(&tiles, water->host, water->tiles.voxel, at, count, err));
    float *phi = sp_tiles_field(&tiles, water->band);
    if (!phi) {
        sp_tiles_close(&tiles);
        return import_no_memory(err, count);
    }
    sp_tiles_carry(&water->tiles, water->phi, &tiles, phi, water->band);
    sp_tiles_close(&water->tiles);
    sp_release(water->host, water->phi);
    water->tiles = tiles;
    water->phi = phi;
    return SP_OK;
}

sp_status import_drop_air(sp_import_water *water, sp_error *err)
{
    size_t n = 0;
    int32_t(*at)[3] = sp_allocate(water->host, water->tiles.count, sizeof *at);
    if (!at) return import_no_memory(err, water->tiles.count);
    for (size_t t = 0; t < water->tiles.count; ++t) {
        float least = water->band;
        for (size_t v = t * SP_TILE_VOXELS; v < (t + 1) * SP_TILE_VOXELS; ++v)
            least = fminf(least, water->phi[v]);
        if (least < water->band) memcpy(at[n++], water->tiles.at[t], sizeof *at);
    }
    const sp_status status = import_retile(water, (const int32_t(*)[3])at, n, err);
    sp_release(water->host, at);
    return status;
}

sp_status import_surface_read(sp_import_water *water, const import_grid *grid,
                              const sp_import_plan *plan, bool flip, bool all, sp_error *err)
{
    const import_lattice l = import_lattice_of(grid);
    const meaning m = meaning_of(grid, &l, plan, flip);
    water->voxel = l.voxel;
    memcpy(water->origin, l.origin, sizeof l.origin);
    SP_TRY(cover_grid(grid, &l, &water->tiles, err));
    water->phi = sp_tiles_field(&water->tiles, 0.0f);
    if (!water->phi) return import_no_memory(err, water->tiles.count);
    sample_cells(grid, &water->tiles, l.voxel, l.origin, m.outside, water->phi);
    for (size_t v = 0; v < water->tiles.count * SP_TILE_VOXELS; ++v)
        water->phi[v] = (float)(m.add + m.factor * (double)water->phi[v]);
    // twice the source's band, at least 4 voxels (enough for all uses), at most 8 (the air layer)
    water->band = (float)fmin(8.0 * l.voxel, fmax(4.0 * l.voxel, 2.0 * m.band));
    SP_TRY(m.band > 0.0 ? extend(water, m.band, err)
                        : sp_levelset_redistance(&water->tiles, water->phi, water->band, err));
    return all ? SP_OK : import_drop_air(water, err);
}
