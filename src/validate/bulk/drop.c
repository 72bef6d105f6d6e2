// SPDX-License-Identifier: Apache-2.0
#include "validate/bulk/drop.h"

#include <string.h>

enum { BAND = 3, KNOWN = 4 }; // voxels

static void fill_tile(const bulk_drop *d, bulk_drop_moment *m, const double center[3], size_t t)
{
    const double h = (double)d->voxel;
    for (int place = 0; place < SP_TILE_VOXELS; ++place) {
        const int in[3] = {place & 7, place >> 3 & 7, place >> 6};
        double away[3], sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            away[k] = m->m.origin[k] + (8.0 * m->tiles.at[t][k] + in[k] + 0.5) * h - center[k];
            sum += away[k] * away[k];
        }
        const size_t v = t * SP_TILE_VOXELS + (size_t)place;
        m->phi[v] = (float)fmax(-BAND * h, fmin(BAND * h, sqrt(sum) - (double)d->radius));
        for (int k = 0; k < 3; ++k) {
            const double face = sum - away[k] * away[k] + (away[k] - 0.5 * h) * (away[k] - 0.5 * h);
            const bool known = sqrt(face) < (double)d->radius + KNOWN * h;
            m->u[k][v] = known ? (float)d->velocity[k] : 0.0f;
        }
    }
}

static sp_status open_moment(const bulk_drop *d, bulk_drop_moment *m, double time, sp_error *err)
{
    const double reach = (double)d->radius + (KNOWN + 1) * (double)d->voxel;
    double center[3];
    float from_origin[3];
    for (int k = 0; k < 3; ++k) {
        center[k] = d->from[k] + time * d->velocity[k];
        m->m.origin[k] = 0.25 * (double)(k + 1) * (double)d->voxel; // no lattice of the drop's own
        from_origin[k] = (float)(center[k] - m->m.origin[k]);
    }
    SP_TRY(sp_tiles_cover(&m->tiles, d->host, d->voxel, 1, &from_origin[0], &from_origin[1],
                          &from_origin[2], NULL, (float)reach, err));
    m->phi = sp_tiles_field(&m->tiles, 0.0f);
    bool enough = m->phi != NULL;
    for (int k = 0; k < 3; ++k)
        enough &= (m->u[k] = sp_tiles_field(&m->tiles, 0.0f)) != NULL;
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for a drop");
    for (size_t t = 0; t < m->tiles.count; ++t)
        fill_tile(d, m, center, t);
    m->m.time = time;
    m->m.tiles = &m->tiles;
    m->m.phi = m->phi;
    m->m.band = BAND * d->voxel;
    for (int k = 0; k < 3; ++k)
        m->m.u[k] = m->u[k];
    return SP_OK;
}

static sp_status bracket(void *user, double t, const sp_bulk_moment **before,
                         const sp_bulk_moment **after, sp_error *err)
{
    const bulk_drop *d = user;
    (void)err;
    *before = &d->moment[t >= d->moment[1].m.time].m;
    *after = &d->moment[t > d->moment[0].m.time].m;
    return SP_OK;
}

sp_status bulk_drop_open(bulk_drop *d, const sp_host *host, sp_error *err)
{
    d->host = host;
    d->bulk = (sp_bulk){.user = d, .last = d->seconds, .voxel = d->voxel, .bracket = bracket};
    memset(d->moment, 0, sizeof d->moment);
    sp_status status = SP_OK;
    for (int k = 0; status == SP_OK && k < 2; ++k)
        status = open_moment(d, &d->moment[k], k ? d->seconds : 0.0, err);
    if (status != SP_OK) bulk_drop_close(d);
    return status;
}

void bulk_drop_close(bulk_drop *d)
{
    for (int n = 0; n < 2; ++n) {
        bulk_drop_moment *m = &d->moment[n];
        sp_release(d->host, m->phi);
        for (int k = 0; k < 3; ++k)
            sp_release(d->host, m->u[k]);
        sp_tiles_close(&m->tiles);
        *m = (bulk_drop_moment){0};
    }
}

static void add_up(const float *phi, const double *const x[3], size_t n, double step,
                   bulk_drop_seen *seen)
{
    double sum = 0.0, moment[3] = {0};
    seen->least = (double)INFINITY;
    for (size_t i = 0; i < n; ++i) {
        const double share = fmin(1.0, fmax(0.0, 0.5 - (double)phi[i] / step));
        sum += share;
        for (int k = 0; k < 3; ++k)
            moment[k] += share * x[k][i];
        seen->least = fmin(seen->least, (double)phi[i]);
    }
    seen->volume = sum * step * step * step;
    seen->radius = cbrt(seen->volume * 0.75 / SP_PI_D);
    for (int k = 0; k < 3; ++k)
        seen->center[k] = moment[k] / sum;
}

sp_status bulk_drop_look(const bulk_drop *d, double t, const double about[3], double half,
                         double step, bulk_drop_seen *seen, sp_error *err)
{
    const size_t edge = (size_t)(2.0 * half / step) + 1, n = edge * edge * edge;
    double *x = sp_allocate(d->host, 3 * n, sizeof *x);
    float *phi = sp_allocate(d->host, n, sizeof *phi);
    sp_status status = x && phi ? SP_OK : sp_fail(err, SP_NO_MEMORY, "bulk: no memory to look");
    if (status == SP_OK) {
        const size_t stride[3] = {1, edge, edge * edge};
        for (size_t i = 0; i < n; ++i)
            for (size_t k = 0; k < 3; ++k)
                x[k * n + i] = about[k] - half + (double)(i / stride[k] % edge) * step;
        const double *const at[3] = {x, x + n, x + 2 * n};
        const sp_bulk_query query = {.n = n, .x = at[0], .y = at[1], .z = at[2], .phi = phi};
        status = sp_bulk_sample(&d->bulk, d->host, t, &query, err);
        if (status == SP_OK) add_up(phi, at, n, step, seen);
    }
    sp_release(d->host, x);
    sp_release(d->host, phi);
    return status;
}
