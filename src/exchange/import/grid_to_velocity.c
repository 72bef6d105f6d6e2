// SPDX-License-Identifier: Apache-2.0
/// An imported velocity on the low faces of our voxels. Where the source has no data, values are
/// extrapolated within tiles that have some. Tiles without any data are marked as unknown: zero
/// velocity would be wrong there.
#include "exchange/import/import_internal.h"

/// Layers that fill a tile from any of its voxels.
enum { FILL_LAYERS = 3 * (SP_TILE - 1) };

typedef struct reading {
    sp_import_water *water;
    const import_grid *grids;
    int count;
    bool staggered;
    double turn[3][3];        ///< our components from the grid's, with the unit conversion
    sp_tile_mask *known[3];   ///< faces that have data
    import_map to_grid[3][3]; ///< [our axis][their component]: our index to the grid's
} reading;

/// Conversion of vectors: the axes, and the grid's rotation if vectors are in the grid's own space.
static void set_turn(reading *r, const sp_import_plan *plan)
{
    const import_map ours = import_map_ours(plan);
    const import_grid *first = &r->grids[0];
    double length[3], cell = 0.0;
    for (int c = 0; c < 3; ++c) {
        const double(*m)[4] = first->to_ours.m;
        length[c] = sqrt(m[0][c] * m[0][c] + m[1][c] * m[1][c] + m[2][c] * m[2][c]);
        cell += length[c] / 3.0;
    }
    const double unit = plan->cells ? SP_IMPORT_UNITS * cell : plan->scale;
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c)
            r->turn[a][c] = unit * (first->info.local ? first->to_ours.m[a][c] / length[c]
                                                      : ours.m[a][c] / plan->scale);
}

static void set_places(reading *r)
{
    const double h = r->water->voxel;
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) {
            import_map faces = {{{h, 0, 0, 0}, {0, h, 0, 0}, {0, 0, h, 0}}};
            for (int k = 0; k < 3; ++k)
                faces.m[k][3] = r->water->origin[k] + (k == a ? 0.0 : 0.5 * h);
            const import_grid *grid = &r->grids[r->count == 3 ? c : 0];
            r->to_grid[a][c] = import_map_after(&grid->from_ours, &faces);
            // component c of a staggered voxel lies half an index below it
            if (r->staggered) r->to_grid[a][c].m[c][3] += 0.5;
        }
}

/// Component c of the grid at an index of our faces; false: too little is known there.
static bool component(const reading *r, int a, int c, const double j[3], uint32_t *hint,
                      double *value)
{
    const import_grid *grid = &r->grids[r->count == 3 ? c : 0];
    const float *values = grid->values[r->count == 3 ? 0 : c];
    double at[3], sum = 0.0, weight = 0.0;
    import_stencil s;
    import_map_apply(&r->to_grid[a][c], j, at);
    import_grid_find(grid, at, hint, &s);
    for (int n = 0; n < 8; ++n) {
        if (s.at[n] == IMPORT_NOWHERE || !import_grid_has(grid, s.at[n])) continue;
        sum += s.weight[n] * (double)values[s.at[n]];
        weight += s.weight[n];
    }
    *value = weight > 0.0 ? sum / weight : 0.0;
    return weight > 0.49;
}

static void read_tiles(void *arg, size_t begin, size_t end)
{
    const reading *r = arg;
    uint32_t hint[3] = {SP_NO_TILE, SP_NO_TILE, SP_NO_TILE};
    for (size_t v = begin * SP_TILE_VOXELS; v < end * SP_TILE_VOXELS; ++v) {
        double j[3];
        import_voxel_at(&r->water->tiles, v, j);
        for (int a = 0; a < 3; ++a) {
            double sum = 0.0, value;
            bool known = true;
            for (int c = 0; known && c < 3; ++c) {
                if (fabs(r->turn[a][c]) < 1e-12) continue;
                known = component(r, a, c, j, &hint[r->count == 3 ? c : 0], &value);
                sum += r->turn[a][c] * value;
            }
            if (!known) continue;
            r->water->u[a][v] = (float)sum;
            sp_tile_mask_add(r->known[a][v / SP_TILE_VOXELS], (int)(v % SP_TILE_VOXELS));
        }
    }
}

static bool any(const sp_tile_mask mask)
{
    uint64_t bits = 0;
    for (int k = 0; k < SP_TILE; ++k)
        bits |= mask[k];
    return bits != 0;
}

/// Measures the share of water that stands still or is unknown, before anything is extrapolated.
static void measure_still(const reading *r)
{
    sp_import_water *w = r->water;
    size_t water = 0, still = 0;
    double top = -(double)INFINITY, still_top = -(double)INFINITY;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        if (!(w->phi[v] < 0.0f)) continue;
        double at[3];
        import_voxel_at(&w->tiles, v, at);
        const double y = at[1] * w->voxel;
        bool moves = false; // unknown values are still 0
        for (int a = 0; a < 3; ++a)
            moves = moves || w->u[a][v] != 0.0f;
        ++water;
        still += !moves;
        top = fmax(top, y);
        if (!moves) still_top = fmax(still_top, y);
    }
    w->still = water ? (double)still / (double)water : 0.0;
    w->depth = still ? top - still_top : 0.0;
}

void import_measure_speed(sp_import_water *w)
{
    float most = 0.0f;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v)
        if (w->phi[v] < 0.0f)
            most = fmaxf(most, w->u[0][v] * w->u[0][v] + w->u[1][v] * w->u[1][v] +
                                   w->u[2][v] * w->u[2][v]);
    w->speed = sqrt((double)most);
}

sp_status import_velocity_memory(sp_import_water *w, sp_tile_mask *known[3], sp_error *err)
{
    bool enough = (w->known = sp_allocate(w->host, w->tiles.count, sizeof *w->known)) != NULL;
    for (int a = 0; a < 3; ++a) {
        enough &= (w->u[a] = sp_tiles_field(&w->tiles, 0.0f)) != NULL;
        enough &= (known[a] = sp_allocate(w->host, w->tiles.count, sizeof *known[a])) != NULL;
    }
    return enough ? SP_OK : import_no_memory(err, w->tiles.count);
}

sp_status import_velocity_read(sp_import_water *water, const import_grid *grids, int count,
                               const sp_import_plan *plan, sp_error *err)
{
    reading r = {.water = water, .grids = grids, .count = count};
    r.staggered = plan->staggered && count == 1;
    sp_status status = import_velocity_memory(water, r.known, err);
    if (status == SP_OK && count > 0) {
        set_turn(&r, plan);
        set_places(&r);
        sp_tiles_parallel(&water->tiles, read_tiles, &r);
        measure_still(&r);
    }
    for (size_t t = 0; status == SP_OK && t < water->tiles.count; ++t)
        water->known[t] =
            count == 0 || (any(r.known[0][t]) && any(r.known[1][t]) && any(r.known[2][t]));
    for (int a = 0; status == SP_OK && count > 0 && a < 3; ++a)
        status = sp_tiles_extrapolate(&water->tiles, water->u[a], r.known[a], FILL_LAYERS, err);
    for (int a = 0; a < 3; ++a)
        sp_release(water->host, r.known[a]);
    if (status == SP_OK) import_measure_speed(water);
    return status;
}
