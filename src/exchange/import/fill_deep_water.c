// SPDX-License-Identifier: Apache-2.0
/// Blender stores particles near the surface only, so a surface built from them is a shell: a block
/// is hollow, a tank is a sheet. This file finds the water behind the shell. The cells of the
/// domain that no particle covers form connected regions:
///
///     a region that reaches the top of the domain is air;
///     of the others, those with known velocity are water: velocity is known in all water and a few
///     cells around it, and not in the air farther away.
///
/// The outermost cells of the domain are walls. They do not belong to regions, which would
/// otherwise be connected along them. They take the value of the next inner cell, so that there is
/// no gap between water and wall; once distances are computed, the water is cut at the wall's face.
#include "exchange/import/import_internal.h"

#include <string.h>

enum { OPEN, COVERED, RIM, AIR, WATER }; // what a cell is; RIM: next to a covered cell

typedef struct domain {
    const sp_host *host;
    int32_t low[3], size[3]; ///< our cells, without the walls
    bool walls; ///< the file tells the domain's size; else it is the box of the velocity
    unsigned char *cell;
    uint32_t *queue; ///< of the region being visited
    size_t room;
} domain;

static size_t cells(const domain *d)
{
    return (size_t)d->size[0] * (size_t)d->size[1] * (size_t)d->size[2];
}

static bool inside(const domain *d, const int32_t v[3])
{
    for (int a = 0; a < 3; ++a)
        if (v[a] < d->low[a] || v[a] >= d->low[a] + d->size[a]) return false;
    return true;
}

static size_t cell_at(const domain *d, const int32_t v[3])
{
    return (size_t)(v[0] - d->low[0]) +
           (size_t)d->size[0] *
               ((size_t)(v[1] - d->low[1]) + (size_t)d->size[1] * (size_t)(v[2] - d->low[2]));
}

static void place_of(const domain *d, size_t cell, int32_t v[3])
{
    v[0] = d->low[0] + (int32_t)(cell % (size_t)d->size[0]);
    v[1] = d->low[1] + (int32_t)(cell / (size_t)d->size[0] % (size_t)d->size[1]);
    v[2] = d->low[2] + (int32_t)(cell / (size_t)d->size[0] / (size_t)d->size[1]);
}

/// The domain's box from the file, in our cells; false if it is missing or too thin.
static bool find_box(domain *d, const sp_import_water *w, const import_grid *velocity)
{
    const sp_vdb_grid_info *info = &velocity->info;
    int32_t first[3], last[3];
    d->walls = info->base[0] > 0;
    for (int a = 0; a < 3; ++a) {
        first[a] = d->walls ? 0 : info->low[a];
        last[a] = d->walls ? info->base[a] - 1 : info->high[a];
    }
    if (!d->walls && !info->bounded) return false;
    const double i[2][3] = {{first[0], first[1], first[2]}, {last[0], last[1], last[2]}};
    double p[2][3], all = 1.0;
    import_map_apply(&velocity->to_ours, i[0], p[0]);
    import_map_apply(&velocity->to_ours, i[1], p[1]);
    for (int a = 0; a < 3; ++a) {
        const double low = (fmin(p[0][a], p[1][a]) - w->origin[a]) / w->voxel - 0.5,
                     high = (fmax(p[0][a], p[1][a]) - w->origin[a]) / w->voxel - 0.5;
        if (!(fabs(low) < 1e6 && fabs(high) < 1e6)) return false;
        d->low[a] = (int32_t)lround(low) + 1;
        d->size[a] = (int32_t)lround(high) - d->low[a];
        if (d->size[a] < 1) return false;
        all *= (double)d->size[a];
    }
    return all < 4e9; // cells are numbered with 32 bits
}

/// Marks cells that particles cover, with a rim of half a voxel so that a thin spot is not a hole.
static void mark_covered(domain *d, const sp_import_water *w)
{
    const float limit = 0.5f * (float)w->voxel;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        int32_t at[3];
        if (!(w->phi[v] < limit)) continue;
        import_voxel_index(&w->tiles, v, at);
        if (inside(d, at)) d->cell[cell_at(d, at)] = w->phi[v] < 0.0f ? COVERED : RIM;
    }
}

static bool push(domain *d, size_t *count, size_t cell)
{
    if (!sp_make_room(d->host, (void **)&d->queue, *count, &d->room, sizeof *d->queue))
        return false;
    d->cell[cell] = AIR;
    d->queue[(*count)++] = (uint32_t)cell;
    return true;
}

/// Collects the open cells connected to `from` in the queue; marks them as air for now.
static bool flood_fill(domain *d, size_t from, size_t *count)
{
    *count = 0;
    if (!push(d, count, from)) return false;
    for (size_t next = 0; next < *count; ++next) {
        int32_t v[3];
        place_of(d, d->queue[next], v);
        for (int n = 0; n < 6; ++n) {
            int32_t at[3] = {v[0], v[1], v[2]};
            at[n >> 1] += n & 1 ? 1 : -1;
            if (!inside(d, at)) continue;
            const size_t cell = cell_at(d, at);
            if (d->cell[cell] == OPEN && !push(d, count, cell)) return false;
        }
    }
    return true;
}

static bool has_velocity(const import_grid *velocity, const sp_import_water *w, const int32_t v[3],
                         uint32_t *hint)
{
    double p[3];
    for (int a = 0; a < 3; ++a)
        p[a] = w->origin[a] + ((double)v[a] + 0.5) * w->voxel;
    const size_t there = import_grid_nearest(velocity, p, hint);
    return there != IMPORT_NOWHERE && import_grid_has(velocity, there);
}

static bool is_water(const domain *d, size_t count, const sp_import_water *w,
                     const import_grid *velocity)
{
    size_t known = 0;
    uint32_t hint = SP_NO_TILE;
    for (size_t k = 0; k < count; ++k) {
        int32_t v[3];
        place_of(d, d->queue[k], v);
        if (v[1] == d->low[1] + d->size[1] - 1) return false;
        known += has_velocity(velocity, w, v, &hint);
    }
    return 2 * known > count;
}

static sp_status classify_regions(domain *d, const sp_import_water *w, const import_grid *velocity,
                                  size_t *water, sp_error *err)
{
    *water = 0;
    for (size_t c = 0; c < cells(d); ++c) {
        size_t count;
        if (d->cell[c] != OPEN) continue;
        if (!flood_fill(d, c, &count))
            return sp_fail(err, SP_NO_MEMORY, "import: no memory to look for deep water");
        if (!is_water(d, count, w, velocity)) continue;
        *water += count;
        for (size_t k = 0; k < count; ++k)
            d->cell[d->queue[k]] = WATER;
    }
    return SP_OK;
}

static bool beside_water(const domain *d, const int32_t v[3])
{
    for (int n = 0; n < 6; ++n) {
        int32_t at[3] = {v[0], v[1], v[2]};
        at[n >> 1] += n & 1 ? 1 : -1;
        if (inside(d, at) && d->cell[cell_at(d, at)] == WATER) return true;
    }
    return false;
}

/// Rim cells next to water become water. The rim is one cell thick, seldom two.
static bool fill_rim(domain *d)
{
    for (int pass = 0; pass < 2; ++pass) {
        size_t count = 0;
        for (size_t c = 0; c < cells(d); ++c) {
            int32_t v[3];
            if (d->cell[c] != RIM) continue;
            place_of(d, c, v);
            if (beside_water(d, v) && !push(d, &count, c)) return false;
        }
        for (size_t k = 0; k < count; ++k)
            d->cell[d->queue[k]] = WATER;
    }
    return true;
}

/// Adds the tiles of the new water cells and of the walls around them.
static sp_status add_tiles(const domain *d, sp_import_water *w, sp_error *err)
{
    int32_t first[3], count[3];
    size_t n = w->tiles.count, most = n;
    for (int a = 0; a < 3; ++a) {
        first[a] = sp_tile_of(d->low[a] - 1);
        count[a] = sp_tile_of(d->low[a] + d->size[a]) - first[a] + 1;
    }
    most += (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
    int32_t(*at)[3] = sp_allocate(w->host, most, sizeof *at);
    unsigned char *hit = sp_allocate(w->host, most, 1);
    sp_status status = at && hit ? SP_OK : import_no_memory(err, most);
    for (size_t c = 0; status == SP_OK && c < cells(d); ++c) {
        if (d->cell[c] != WATER) continue;
        int32_t v[3], t[3];
        place_of(d, c, v);
        for (int k = 0; k < 27; ++k) { // its neighbours' tiles too
            const int32_t step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            for (int a = 0; a < 3; ++a)
                t[a] = sp_tile_of(v[a] + step[a]);
            const size_t slot = (size_t)(t[0] - first[0]) +
                                (size_t)count[0] * ((size_t)(t[1] - first[1]) +
                                                    (size_t)count[1] * (size_t)(t[2] - first[2]));
            if (!hit[slot]) memcpy(at[n++], t, sizeof t);
            hit[slot] = 1;
        }
    }
    if (status == SP_OK) {
        memcpy(at, w->tiles.at, w->tiles.count * sizeof *at);
        status = import_retile(w, (const int32_t(*)[3])at, n, err);
    }
    sp_release(w->host, at);
    sp_release(w->host, hit);
    return status;
}

/// What a cell of our tiles is; a wall is what the next inner cell is.
static int cell_of(const domain *d, const int32_t v[3], int32_t before[3])
{
    bool wall = d->walls || inside(d, v);
    for (int a = 0; a < 3; ++a) {
        const int32_t last = d->low[a] + d->size[a] - 1;
        wall = wall && v[a] >= d->low[a] - 1 && v[a] <= last + 1;
        before[a] = v[a] < d->low[a] ? d->low[a] : v[a] > last ? last : v[a];
    }
    return wall ? d->cell[cell_at(d, before)] : AIR;
}

static void fill(const domain *d, sp_import_water *w)
{
    const float deep = -0.5f * (float)w->voxel;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        int32_t at[3], before[3];
        import_voxel_index(&w->tiles, v, at);
        const int what = cell_of(d, at, before);
        if (what == WATER)
            w->phi[v] = fminf(w->phi[v], deep);
        else if ((what == COVERED || what == RIM) && !inside(d, at))
            w->phi[v] = fminf(w->phi[v], sp_tiles_value(&w->tiles, w->phi, before, w->band));
    }
}

sp_status import_deep_fill(sp_import_water *w, const import_grid *velocity, sp_error *err)
{
    domain d = {.host = w->host};
    if (!find_box(&d, w, velocity)) return SP_OK;
    d.cell = sp_allocate(w->host, cells(&d), 1);
    if (!d.cell) return sp_fail(err, SP_NO_MEMORY, "import: no memory to look for deep water");
    size_t water = 0, covered = 0;
    mark_covered(&d, w);
    sp_status status = classify_regions(&d, w, velocity, &water, err);
    if (status == SP_OK && !fill_rim(&d))
        status = sp_fail(err, SP_NO_MEMORY, "import: no memory to look for deep water");
    for (size_t c = 0; c < cells(&d); ++c)
        covered += d.cell[c] == COVERED;
    if (status == SP_OK) status = add_tiles(&d, w, err);
    if (status == SP_OK) {
        fill(&d, w);
        w->filled = water ? (double)water / (double)(water + covered) : 0.0;
    }
    sp_release(w->host, d.cell);
    sp_release(w->host, d.queue);
    return status;
}

void import_cut_at_walls(sp_import_water *w, const import_grid *velocity)
{
    domain d = {0};
    if (!find_box(&d, w, velocity) || !d.walls) return;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        int32_t at[3], outside = INT32_MIN; // half voxels
        import_voxel_index(&w->tiles, v, at);
        for (int a = 0; a < 3; ++a) {
            const int32_t centre = 2 * (at[a] - d.low[a]) + 1, beyond = centre - 2 * d.size[a];
            outside = -centre > outside ? -centre : outside;
            outside = beyond > outside ? beyond : outside;
        }
        w->phi[v] = fmaxf(w->phi[v], 0.5f * (float)w->voxel * (float)outside);
    }
}
