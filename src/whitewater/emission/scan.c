// SPDX-License-Identifier: Apache-2.0
/// Finds the voxels of a moment that want air, and the share of them that it should fill (W13):
///
///     share = air_share clamp((A - min)/(max - min), 0, 1) w masks,   w: share of the voxel that is water
///
/// The paper has no w: it asks for air in voxels that are air already, which is lost there.
#include "whitewater/emission/internal.h"

/// What a tile holds.
typedef struct scanned {
    sp_tile_mask wants;
    uint32_t first, cells, near;
    float most;
} scanned;

typedef struct scanning {
    whitewater_emission *e;
    const sp_bulk_moment *moment;
    scanned *tile;
} scanning;

static void mark_tile(const scanning *g, size_t t)
{
    const float voxel = g->moment->tiles->voxel, band = 2.0f * voxel, dry = 0.5f * voxel,
                least = g->e->aeration.min;
    const float *phi = g->moment->phi + t * SP_TILE_VOXELS,
                *aeration = g->e->field + t * SP_TILE_VOXELS;
    scanned *out = &g->tile[t];
    uint32_t near = 0;
    float most = 0.0f;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        near += fabsf(phi[n]) <= band;
    out->near = near;
    for (int n = 0; n < SP_TILE_VOXELS && near > 0; ++n)
        most = aeration[n] > most ? aeration[n] : most;
    out->most = most;
    for (int k = 0; k < SP_TILE && most > least; ++k) {
        uint64_t wants = 0;
        for (int n = 64 * k; n < 64 * (k + 1); ++n)
            wants |= (uint64_t)(aeration[n] > least && phi[n] < dry) << (n & 63);
        out->wants[k] = g->moment->no_data ? wants & ~g->moment->no_data[t][k] : wants;
        out->cells += (uint32_t)__builtin_popcountll(out->wants[k]);
    }
}

static void mark_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        mark_tile(arg, t);
}

/// ---- Cells -------------------------------------------------------------------------------------

static float share_of(const scanning *g, size_t at, const int32_t voxel[3])
{
    const whitewater_emission *e = g->e;
    const sp_aeration_def *d = &e->aeration;
    const double h = e->held.voxel;
    const float ramp = sp_clamp((e->field[at] - d->min) / (d->max - d->min), 0.0f, 1.0f),
                water = sp_clamp(0.5f - g->moment->phi[at] / (float)h, 0.0f, 1.0f);
    double p[3];
    for (int a = 0; a < 3; ++a)
        p[a] = e->held.origin[a] + ((double)voxel[a] + 0.5) * h;
    return e->def.air_share * ramp * water * emission_mask_at(e, p);
}

static void fill_tile(const scanning *g, size_t t)
{
    const sp_bulk_moment *m = g->moment;
    const int32_t *at = m->tiles->at[t];
    float high[3][SP_TILE_VOXELS];
    emission_cell *cell = g->e->held.cell + g->tile[t].first;
    for (int a = 0; a < 3; ++a)
        sp_tiles_shift(m->tiles, m->u[a], (uint32_t)t, a, 1, 0.0f, high[a]);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        if (!sp_tile_mask_has(g->tile[t].wants, n)) continue;
        for (int a = 0; a < 3; ++a) {
            cell->at[a] = SP_TILE * at[a] + (n >> 3 * a & 7);
            cell->u[a] = 0.5f * (m->u[a][t * SP_TILE_VOXELS + (size_t)n] + high[a][n]);
        }
        cell->rate = share_of(g, t * SP_TILE_VOXELS + (size_t)n, cell->at);
        ++cell;
    }
}

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    const scanning *g = arg;
    for (size_t t = begin; t < end; ++t)
        if (g->tile[t].cells > 0) fill_tile(g, t);
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status make_room(emission_held *h, const sp_host *host, size_t cells, sp_error *err)
{
    const size_t room = cells + cells / 4;
    if (cells <= h->room) return SP_OK;
    if (!sp_regrow(host, (void **)&h->cell, 0, room, sizeof *h->cell))
        return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu voxels", cells);
    h->room = room;
    return SP_OK;
}

sp_status emission_scan(whitewater_emission *e, const sp_bulk_moment *moment, sp_error *err)
{
    emission_held *h = &e->held;
    const size_t tiles = moment->tiles->count;
    scanning g = {e, moment, sp_allocate(e->host, tiles, sizeof *g.tile)};
    if (!g.tile) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu tiles", tiles);
    sp_tiles_parallel(moment->tiles, mark_tiles, &g);
    h->near = h->count = 0;
    h->most = 0.0;
    for (size_t t = 0; t < tiles; ++t) {
        g.tile[t].first = (uint32_t)h->count;
        h->count += g.tile[t].cells;
        h->near += g.tile[t].near;
        h->most = fmax(h->most, (double)g.tile[t].most);
    }
    const sp_status status = make_room(h, e->host, (size_t)h->count, err);
    if (status == SP_OK)
        sp_tiles_parallel(moment->tiles, fill_tiles, &g);
    else
        h->count = 0;
    sp_release(e->host, g.tile);
    return status;
}
