// SPDX-License-Identifier: Apache-2.0
/// Removes the divergence of the air's velocity right above water, for water without particles.
///
/// phi is advected by u at the surface, mostly in voxels whose centres are air. If u there were
/// only extrapolated from the water, the flow through the surface would not sum to zero: with waves
/// of height a and wavenumber k it lacks a du/dy, that is k d(a^2/2)/dt. While ripples grow, volume
/// is lost; while they fall, it comes back. But on a grid ripples do not fall, they are smoothed
/// away, and that volume stays lost (a dam break 64 voxels long lost 60 % in 4 s, and more the
/// better its ripples were kept).
///
/// So faces that no water touches ("free" faces) are changed until voxels with 0 <= phi < voxel
/// have no divergence:
///
///     u_f += w_f (d_c - d_n),   d_c = (sum of flux out of c)/(sum of w over its free faces),
///
/// c and n being the voxels above and below f, in a few Jacobi passes. Water leaves such a voxel
/// across the surface, so w is the square of phi's slope across a face: level water is then exact
/// after the first pass. Voxels in corners need the other faces, which therefore have a small
/// weight too.
///
/// Only phi is advected with this velocity. Air that leaves a closing pocket is fast, and water
/// that enters there must not take over its velocity: with steps of half a voxel it amplified a
/// sloshing tank.
#include "liquid/internal.h"

enum { PASSES = 16 };

/// Weight of faces along the surface, and share of d that is applied from the second pass on:
/// without damping, voxels that are only connected to each other would oscillate for ever.
static const float least = 0.05f, damping = 0.9f;
/// Bound on free faces, in speeds of the fastest water: closing pockets have few free faces.
static const float haste = 4.0f;

typedef struct balancing {
    const liquid_grid *grid;
    const sp_flow_solids *solids;
    float *const *u;        ///< the velocity to change
    float most;             ///< m/s; bound on free faces
    float *weight[3];       ///< of faces, where tiles are `beside`
    float *per;             ///< 1/(sum of weights) of voxels at the surface, else 0
    float *d;               ///< m/s
    uint8_t *near, *beside; ///< by tile: it has voxels at the surface; it or a tile below has
    float share;            ///< of d that is applied
} balancing;

static bool at_surface(float phi, float voxel)
{
    return phi >= 0.0f && phi < voxel;
}

static void find_near(void *arg, size_t begin, size_t end)
{
    const balancing *b = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *phi = b->grid->phi + t * SP_TILE_VOXELS;
        int any = 0;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            any |= at_surface(phi[n], b->grid->voxel);
        b->near[t] = any && !sp_flow_is_solid(b->solids, t);
        memset(b->d + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *b->d);
    }
}

/// ---- Weights of faces and voxels ---------------------------------------------------------------

static void weigh_faces(const balancing *b, size_t t, int axis)
{
    const liquid_grid *g = b->grid;
    const uint32_t row = b->solids->row[t];
    const float *phi = g->phi + t * SP_TILE_VOXELS, per_voxel = 1.0f / g->voxel;
    const float *open = sp_flow_is_row(row) ? b->solids->tile[row].open[axis] : NULL;
    float *weight = b->weight[axis] + t * SP_TILE_VOXELS, low[SP_TILE_VOXELS];
    sp_tiles_shift(&g->tiles, g->phi, (uint32_t)t, axis, -1, g->band, low);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float slope = (phi[n] - low[n]) * per_voxel;
        const bool fixed = row == SP_FLOW_TILE_SOLID || (open && open[n] == 0.0f) ||
                           phi[n] < 0.0f || low[n] < 0.0f;
        weight[n] = fixed ? 0.0f : fminf(fmaxf(slope * slope, least), 1.0f);
    }
}

static void weigh_tiles(void *arg, size_t begin, size_t end)
{
    static const int low[3] = {SP_TILES_SELF - 1, SP_TILES_SELF - 3, SP_TILES_SELF - 9};
    const balancing *b = arg;
    for (size_t t = begin; t < end; ++t) {
        b->beside[t] = b->near[t];
        for (int a = 0; a < 3; ++a) {
            const uint32_t there = b->grid->tiles.around[t][low[a]];
            b->beside[t] |= there != SP_NO_TILE && b->near[there];
        }
        for (int axis = 0; axis < 3 && b->beside[t]; ++axis)
            weigh_faces(b, t, axis);
    }
}

static void sum_weights(void *arg, size_t begin, size_t end)
{
    const balancing *b = arg;
    const liquid_grid *g = b->grid;
    for (size_t t = begin; t < end; ++t) {
        if (!b->near[t]) continue;
        float sum[SP_TILE_VOXELS] = {0}, low[SP_TILE_VOXELS], high[SP_TILE_VOXELS];
        float next[SP_TILE_VOXELS], *per = b->per + t * SP_TILE_VOXELS;
        for (int axis = 0; axis < 3; ++axis) {
            const float *weight = b->weight[axis] + t * SP_TILE_VOXELS;
            const bool cut =
                sp_flow_open_fractions(b->solids, &g->tiles, (uint32_t)t, axis, low, high);
            sp_tiles_shift(&g->tiles, b->weight[axis], (uint32_t)t, axis, 1, 0.0f, next);
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                sum[n] += (cut ? low[n] : 1.0f) * weight[n] + (cut ? high[n] : 1.0f) * next[n];
        }
        const float *phi = g->phi + t * SP_TILE_VOXELS;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            per[n] = at_surface(phi[n], g->voxel) && sum[n] > 0.0f ? 1.0f / sum[n] : 0.0f;
    }
}

/// ---- Passes ------------------------------------------------------------------------------------

static void find_excess(void *arg, size_t begin, size_t end)
{
    const balancing *b = arg;
    const liquid_grid *g = b->grid;
    for (size_t t = begin; t < end; ++t) {
        if (!b->near[t]) continue;
        float flux[SP_TILE_VOXELS] = {0}, next[SP_TILE_VOXELS];
        float low[SP_TILE_VOXELS], high[SP_TILE_VOXELS];
        for (int axis = 0; axis < 3; ++axis) {
            const float *u = b->u[axis] + t * SP_TILE_VOXELS;
            float solid[2][SP_TILE_VOXELS] = {{0}};
            sp_tiles_shift(&g->tiles, b->u[axis], (uint32_t)t, axis, 1, 0.0f, next);
            const bool cut =
                sp_flow_open_fractions(b->solids, &g->tiles, (uint32_t)t, axis, low, high);
            if (cut)
                sp_flow_solid_velocity(b->solids, &g->tiles, (uint32_t)t, axis, solid[0], solid[1]);
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                flux[n] += cut ? high[n] * next[n] + (1.0f - high[n]) * solid[1][n] -
                                     low[n] * u[n] - (1.0f - low[n]) * solid[0][n]
                               : next[n] - u[n];
        }
        const float *per = b->per + t * SP_TILE_VOXELS;
        float *d = b->d + t * SP_TILE_VOXELS;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            d[n] = b->share * per[n] * flux[n];
    }
}

static void change_faces(void *arg, size_t begin, size_t end)
{
    const balancing *b = arg;
    const liquid_grid *g = b->grid;
    for (size_t t = begin; t < end; ++t)
        for (int axis = 0; axis < 3 && b->beside[t]; ++axis) {
            float *u = b->u[axis] + t * SP_TILE_VOXELS, low[SP_TILE_VOXELS];
            const float *weight = b->weight[axis] + t * SP_TILE_VOXELS;
            const float *d = b->d + t * SP_TILE_VOXELS;
            sp_tiles_shift(&g->tiles, b->d, (uint32_t)t, axis, -1, 0.0f, low);
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                u[n] += weight[n] * (d[n] - low[n]);
        }
}

static void limit_faces(void *arg, size_t begin, size_t end)
{
    const balancing *b = arg;
    const float most = b->most;
    for (size_t t = begin; t < end; ++t)
        for (int axis = 0; axis < 3 && b->beside[t]; ++axis) {
            float *u = b->u[axis] + t * SP_TILE_VOXELS;
            const float *weight = b->weight[axis] + t * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                u[n] = weight[n] > 0.0f ? fminf(fmaxf(u[n], -most), most) : u[n];
        }
}

/// False: no memory.
static bool take_memory(balancing *b, sp_scratch *scratch)
{
    const size_t tiles = b->grid->tiles.count, voxels = tiles * SP_TILE_VOXELS;
    for (int a = 0; a < 3; ++a)
        b->weight[a] = sp_scratch_array(scratch, float, voxels);
    b->per = sp_scratch_array(scratch, float, voxels);
    b->d = sp_scratch_array(scratch, float, voxels);
    b->near = sp_scratch_array(scratch, uint8_t, tiles);
    b->beside = sp_scratch_array(scratch, uint8_t, tiles);
    return b->weight[0] && b->weight[1] && b->weight[2] && b->per && b->d && b->near && b->beside;
}

sp_status liquid_balance_air(const liquid_grid *g, const sp_flow_solids *solids, double speed,
                             float *const u[3], sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    balancing b = {
        .grid = g, .solids = solids, .u = u, .most = haste * (float)speed, .share = 1.0f};
    const bool enough = take_memory(&b, scratch);
    if (enough) {
        sp_tiles_parallel(&g->tiles, find_near, &b);
        sp_tiles_parallel(&g->tiles, weigh_tiles, &b);
        sp_tiles_parallel(&g->tiles, sum_weights, &b);
        for (int pass = 0; pass < PASSES; ++pass) {
            sp_tiles_parallel(&g->tiles, find_excess, &b);
            sp_tiles_parallel(&g->tiles, change_faces, &b);
            b.share = damping;
        }
        sp_tiles_parallel(&g->tiles, limit_faces, &b);
    }
    sp_scratch_rewind(scratch, mark);
    return enough ? SP_OK
                  : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to continue the velocity");
}
