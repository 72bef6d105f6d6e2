// SPDX-License-Identifier: Apache-2.0
#include "validate/surface/proofs.h"

double surface_proof_unit(uint32_t purpose, uint64_t n, uint32_t k)
{
    return (double)sp_unit(sp_random(1, purpose, n, 0, k).x[0]);
}

/// Box and Muller.
double surface_proof_normal(uint32_t purpose, uint64_t n, uint32_t k)
{
    const sp_random4 r = sp_random(1, purpose, n, 0, k);
    return (double)(sqrtf(-2.0f * sp_logf(sp_unit_open(r.x[0]))) *
                    sp_cosf(2.0f * SP_PI * sp_unit(r.x[1])));
}

static void fill_grid(surface_proof_grid *grid, double voxel, surface_proof_function *phi)
{
    for (size_t v = 0; v < grid->tiles.count * SP_TILE_VOXELS; ++v) {
        const int32_t *at = grid->tiles.at[v / SP_TILE_VOXELS];
        const int in[3] = {(int)(v & 7), (int)(v >> 3 & 7), (int)(v >> 6 & 7)};
        double p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = (at[a] * SP_TILE + in[a] + 0.5) * voxel;
        grid->phi[v] = (float)phi(p);
    }
}

sp_status surface_proof_grid_open(surface_proof_grid *grid, const sp_host *host, double voxel,
                                  double half, surface_proof_function *phi, sp_error *err)
{
    *grid = (surface_proof_grid){0};
    const int reach = (int)ceil((half / voxel + 1.0) / SP_TILE), side = 2 * reach;
    const size_t count = (size_t)side * (size_t)side * (size_t)side;
    int32_t(*at)[3] = sp_allocate(host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu tiles", count);
    for (int t = 0; t < (int)count; ++t) {
        at[t][0] = t % side - reach;
        at[t][1] = t / side % side - reach;
        at[t][2] = t / side / side - reach;
    }
    sp_status status =
        sp_tiles_open(&grid->tiles, host, (float)voxel, (const int32_t(*)[3])at, count, err);
    sp_release(host, at);
    SP_TRY(status);
    grid->phi = sp_tiles_field(&grid->tiles, 0.0f);
    if (!grid->phi) {
        surface_proof_grid_close(grid);
        return sp_fail(err, SP_NO_MEMORY, "no memory for %zu tiles", count);
    }
    fill_grid(grid, voxel, phi);
    return SP_OK;
}

void surface_proof_grid_close(surface_proof_grid *grid)
{
    sp_release(grid->tiles.host, grid->phi);
    sp_tiles_close(&grid->tiles);
    grid->phi = NULL;
}

sp_status surface_proof_cloud_open(surface_proof_cloud *c, const sp_host *host, size_t room,
                                   double voxel, sp_error *err)
{
    *c = (surface_proof_cloud){.host = host, .room = room};
    c->x = sp_allocate(host, room, sizeof *c->x);
    c->id = sp_allocate(host, room, sizeof *c->id);
    if (!c->x || !c->id) {
        surface_proof_cloud_close(c);
        return sp_fail(err, SP_NO_MEMORY, "no memory for %zu particles", room);
    }
    c->columns[0] = (sp_column){"position", SP_F32, 3, c->x};
    c->columns[1] = (sp_column){"id", SP_U64, 1, c->id};
    c->set = (sp_set){"liquid", 0, c->columns, 2};
    c->frame = (sp_frame){.voxel = voxel, .sets = &c->set, .set_count = 1};
    return SP_OK;
}

void surface_proof_cloud_close(surface_proof_cloud *c)
{
    if (c->host) {
        sp_release(c->host, c->x);
        sp_release(c->host, c->id);
    }
    *c = (surface_proof_cloud){0};
}

void surface_proof_add(surface_proof_cloud *c, double x, double y, double z)
{
    SP_ASSERT(c->n < c->room);
    c->x[c->n][0] = (float)x;
    c->x[c->n][1] = (float)y;
    c->x[c->n][2] = (float)z;
    c->id[c->n] = c->n;
    c->set.count = ++c->n;
}

void surface_proof_ball(surface_proof_cloud *c, double s, double radius, double jitter,
                        const double center[3])
{
    const int half = (int)ceil(radius / s) + 1;
    for (int k = -half; k <= half; ++k)
        for (int j = -half; j <= half; ++j)
            for (int i = -half; i <= half; ++i) {
                const uint64_t name = (uint64_t)(i + 500) + 1000u * (uint64_t)(j + 500) +
                                      1000000u * (uint64_t)(k + 500);
                double p[3] = {i * s, j * s, k * s};
                for (uint32_t a = 0; a < 3; ++a)
                    p[a] += s * jitter * (2.0 * surface_proof_unit(5, name, a) - 1.0);
                if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < radius * radius)
                    surface_proof_add(c, center[0] + p[0], center[1] + p[1], center[2] + p[2]);
            }
}

void surface_proof_block(surface_proof_cloud *c, double s, int nx, int ny, int nz,
                         const double corner[3])
{
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                surface_proof_add(c, corner[0] + i * s, corner[1] + j * s, corner[2] + k * s);
}
