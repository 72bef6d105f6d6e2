// SPDX-License-Identifier: Apache-2.0
/// The same surfaces as a cache would hold them: on tiles, at a few moments.
#include "validate/foam/proofs.h"

enum { BAND = 4 }; ///< voxels

/// Tiles that the surface passes within the band, in a box of `columns` tiles along x and z.
static size_t list_tiles(const foam_gridded *g, double t, int32_t (*at)[3])
{
    foam_surface s = g->surface;
    size_t n = 0;
    const double tile = SP_TILE * (double)g->voxel;
    s.t = t;
    for (int32_t k = 0; k < g->columns; ++k)
        for (int32_t i = 0; i < g->columns; ++i)
            for (int32_t j = -g->deep; j < g->deep; ++j) {
                double gradient[3], u[3];
                const double p[3] = {tile * (i + 0.5), tile * (j + 0.5), tile * (k + 0.5)};
                if (!g->all &&
                    fabs(foam_surface_at(&s, p, gradient, u)) > tile + BAND * (double)g->voxel)
                    continue;
                if (at) memcpy(at[n], (int32_t[3]){i, j, k}, sizeof *at);
                ++n;
            }
    return n;
}

static void fill_voxel(const foam_surface *s, double h, const double cell[3], sp_bulk_loaded *to,
                       size_t n)
{
    double gradient[3], u[3];
    const double phi = foam_surface_at(s, cell, gradient, u), band = BAND * h;
    to->phi[n] = (float)fmax(-band, fmin(band, phi));
    for (int a = 0; a < 3; ++a) {
        double face[3] = {cell[0], cell[1], cell[2]};
        face[a] -= 0.5 * h;
        foam_surface_at(s, face, gradient, u);
        to->u[a][n] = (float)u[a];
    }
}

static void fill(const foam_gridded *g, double t, sp_bulk_loaded *to)
{
    foam_surface s = g->surface;
    const double h = (double)g->voxel;
    s.t = t;
    for (size_t n = 0; n < to->tiles.count * SP_TILE_VOXELS; ++n) {
        const int32_t *at = to->tiles.at[n / SP_TILE_VOXELS];
        double cell[3];
        for (int a = 0; a < 3; ++a)
            cell[a] = h * (SP_TILE * at[a] + (int32_t)(n >> 3 * a & 7) + 0.5);
        fill_voxel(&s, h, cell, to, n);
    }
}

static sp_status load(void *user, size_t k, sp_bulk_loaded *to, sp_error *err)
{
    const foam_gridded *g = user;
    const size_t count = list_tiles(g, g->times[k], NULL);
    int32_t(*at)[3] = sp_allocate(to->host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "foam: no memory for %zu tiles", count);
    list_tiles(g, g->times[k], at);
    const sp_status status =
        sp_tiles_open(&to->tiles, to->host, g->voxel, (const int32_t(*)[3])at, count, err);
    sp_release(to->host, at);
    SP_TRY(status);
    bool enough = (to->phi = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    for (int a = 0; a < 3; ++a)
        enough &= (to->u[a] = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "foam: no memory for %zu tiles", count);
    to->time = g->times[k];
    to->band = BAND * g->voxel;
    fill(g, to->time, to);
    return SP_OK;
}

sp_status foam_gridded_bulk(foam_gridded *g, const sp_host *host, sp_bulk *bulk, sp_error *err)
{
    const sp_bulk_source source = {
        .user = g, .count = g->moments, .times = g->times, .voxel = g->voxel, .load = load};
    for (size_t k = 0; k < g->moments; ++k)
        g->times[k] = (double)k / g->fps;
    return sp_bulk_serve(&source, host, bulk, err);
}
