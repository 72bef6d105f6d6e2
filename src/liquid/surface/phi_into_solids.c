// SPDX-License-Identifier: Apache-2.0
/// Extrapolates phi into solids.
///
/// Walls are no surface of the water. Near them and in them phi is extrapolated from the open side:
/// at a voxel with psi < 1 voxel, linearly from a point one voxel away from the wall,
///
///     phi(x) = phi(x') + grad phi(x') . (x - x'),   x' a voxel away from all solids,
///
/// so that a level surface stays level up to a sloping wall (constant extrapolation would bend it
/// to meet the wall at a right angle, and still water would creep). Deeper in solids constant
/// extrapolation is enough.
#include "liquid/internal.h"

enum { PAD = 4, DEEP_LAYERS = 8 };

typedef struct phi_extension {
    liquid_grid *grid;
    const sp_flow_solids *solids;
    bool particles;
    float *fresh;        ///< 512 a cut tile, by row
    sp_tile_mask *known; ///< by tile: voxels that are not deep in solids
} phi_extension;

/// Trilinear value and gradient (per voxel) of a patch at a point in its coordinates.
static float sample(const float *patch, int edge, const float p[3], float gradient[3])
{
    int at[3];
    float f[3];
    for (int a = 0; a < 3; ++a) {
        const float clamped = fminf(fmaxf(p[a], 0.0f), (float)edge - 1.001f);
        at[a] = (int)clamped;
        f[a] = clamped - (float)at[a];
    }
    const float *c = patch + at[0] + edge * (at[1] + edge * at[2]);
    float x[4], dx[4];
    for (int e = 0; e < 4; ++e) {
        const float *v = c + (e & 1) * edge + (e >> 1) * edge * edge;
        dx[e] = v[1] - v[0];
        x[e] = v[0] + f[0] * dx[e];
    }
    const float y0 = x[0] + f[1] * (x[1] - x[0]), y1 = x[2] + f[1] * (x[3] - x[2]);
    gradient[0] = sp_mix(sp_mix(dx[0], dx[1], f[1]), sp_mix(dx[2], dx[3], f[1]), f[2]);
    gradient[1] = sp_mix(x[1] - x[0], x[3] - x[2], f[2]);
    gradient[2] = y1 - y0;
    return y0 + f[2] * (y1 - y0);
}

/// phi of voxel n, extrapolated from outside the solid. A surface along the wall (phi rises
/// straight into it) is not extrapolated: it would persist in the solid for ever. Without
/// particles, nor is a film on the wall that reaches no voxel's centre: pressure does not see it,
/// so that it would follow its neighbours instead of gravity. Such films climbed to the top of a
/// tank, and the energy of a dam break grew by half and more; without them, but before
/// air_divergence.c existed, it still grew by 2/5 in a tank 32 voxels wide.
static float extrapolated_phi(const float *patch, int n, const sp_flow_escape *escape, float film)
{
    const int edge = sp_patch_edge(PAD), at[3] = {n & 7, n >> 3 & 7, n >> 6};
    float p[3], gradient[3], fall = 0.0f, steep = 0.0f, far = 0.0f;
    for (int a = 0; a < 3; ++a)
        p[a] = (float)(at[a] + PAD) + escape->displacement[a][n];
    const float there = sample(patch, edge, p, gradient);
    for (int a = 0; a < 3; ++a) {
        fall += gradient[a] * escape->displacement[a][n];
        steep += gradient[a] * gradient[a];
        far += escape->displacement[a][n] * escape->displacement[a][n];
    }
    const bool along = (fall < 0.0f || there > film) && fall * fall > 0.5f * steep * far;
    return along ? there : there - fall;
}

static void extend_tile(const phi_extension *e, size_t t, float *patch)
{
    const liquid_grid *g = e->grid;
    const uint32_t row = e->solids->row[t];
    const sp_solid_tile *solid = &e->solids->tile[row];
    const sp_flow_escape *escape = &e->solids->escape[row];
    const float *phi = g->phi + t * SP_TILE_VOXELS;
    float *fresh = e->fresh + (size_t)row * SP_TILE_VOXELS;
    const float per_voxel = 1.0f / g->voxel;
    const float film = e->particles ? INFINITY : 0.5f * g->voxel; // phi a voxel away from the wall
    // not the band where there is no tile: extrapolating that jump would put water into the wall
    sp_tiles_patch(&g->tiles, g->phi, (uint32_t)t, PAD, liquid_phi_far(g, e->particles), patch);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float psi = sp_flow_solid_depth(solid, n & 7, n >> 3 & 7, n >> 6) * per_voxel;
        fresh[n] = phi[n];
        if (psi < -1.0f) {
            fresh[n] = g->band;
            e->known[t][n >> 6] &= ~((uint64_t)1 << (n & 63));
        } else if (psi < (e->particles ? 1.0f : 0.0f)) {
            const float line = extrapolated_phi(patch, n, escape, film);
            fresh[n] = psi < 0.0f || line < phi[n] ? line : phi[n];
        }
        fresh[n] = fminf(fmaxf(fresh[n], -g->band), g->band);
    }
}

static void extend_tiles(void *arg, size_t begin, size_t end)
{
    const phi_extension *e = arg;
    float patch[SP_PATCH_MOST];
    for (size_t t = begin; t < end; ++t) {
        memset(e->known[t], sp_flow_is_solid(e->solids, t) ? 0 : 0xff, sizeof *e->known);
        if (sp_flow_is_cut(e->solids, t)) extend_tile(e, t, patch);
    }
}

static void write_back(void *arg, size_t begin, size_t end)
{
    const phi_extension *e = arg;
    for (size_t t = begin; t < end; ++t) {
        float *phi = e->grid->phi + t * SP_TILE_VOXELS;
        if (sp_flow_is_cut(e->solids, t))
            memcpy(phi, e->fresh + (size_t)e->solids->row[t] * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof *phi);
        else if (sp_flow_is_solid(e->solids, t))
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                phi[n] = e->grid->band;
    }
}

sp_status liquid_phi_into_solids(liquid_grid *g, const sp_flow_solids *solids, bool particles,
                                 sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    phi_extension e = {.grid = g,
                       .solids = solids,
                       .particles = particles,
                       .fresh = sp_scratch_array(scratch, float, solids->rows *SP_TILE_VOXELS),
                       .known = sp_scratch_array(scratch, sp_tile_mask, g->tiles.count)};
    sp_status status = SP_OK;
    if (e.fresh && e.known) {
        sp_tiles_parallel(&g->tiles, extend_tiles, &e);
        sp_tiles_parallel(&g->tiles, write_back, &e);
        status = sp_tiles_extrapolate(&g->tiles, g->phi, e.known, DEEP_LAYERS, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "liquid: no memory to continue the surface");
    }
    sp_scratch_rewind(scratch, mark);
    if (status != SP_OK) return status;
    return particles ? sp_levelset_redistance(&g->tiles, g->phi, g->band, err)
                     : sp_levelset_refresh(&g->tiles, g->phi, g->band, err);
}
