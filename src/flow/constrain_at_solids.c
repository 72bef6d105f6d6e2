// SPDX-License-Identifier: Apache-2.0
/// Velocity at faces that solids close, and at slits that solids leave open.
#include "flow/extrapolate.h"

#include <string.h>

typedef struct at_solids {
    const sp_tiles *tiles;
    const sp_flow_solids *solids;
    float *const *u;
    sp_tile_mask *const *known; ///< for slits; else NULL
    float *fresh[3];            ///< new velocity: 512 per cut tile, by row
    bool relative;              ///< u is relative to the solids and slips freely
} at_solids;

/// Allocates `fresh`; false when memory is short.
static bool take_memory(at_solids *e, sp_scratch *scratch)
{
    bool good = true;
    for (int a = 0; a < 3; ++a) {
        e->fresh[a] = sp_scratch_array(scratch, float, e->solids->rows *SP_TILE_VOXELS);
        good &= e->fresh[a] != NULL;
    }
    return good;
}

/// ---- Closed faces ------------------------------------------------------------------------------

/// The velocity vector at the middle of a low face: its own component, and for each other axis the
/// mean of the four nearest faces. The patch begins one voxel before the tile.
static void vector_at(const float *const patch[3], const int at[3], int axis, float v[3])
{
    enum { EDGE = SP_TILE + 2 };
    static const int step[3] = {1, EDGE, EDGE * EDGE};
    const int c = (at[0] + 1) + EDGE * ((at[1] + 1) + EDGE * (at[2] + 1));
    for (int a = 0; a < 3; ++a) {
        const float *p = patch[a] + c;
        v[a] = a == axis
                   ? p[0]
                   : 0.25f * ((p[0] + p[step[a]]) + (p[-step[axis]] + p[step[a] - step[axis]]));
    }
}

/// The solid's velocity across the wall, plus the tangential velocity of the face times slip.
static float constrained(const sp_solid_tile *solid, bool relative, const float *const patch[3],
                         const int at[3], int axis)
{
    const int n = at[0] + 8 * at[1] + 64 * at[2];
    float normal[3], v[3], across = 0.0f;
    sp_flow_solid_depth(solid, at[0], at[1], at[2], normal);
    vector_at(patch, at, axis, v);
    for (int a = 0; a < 3; ++a) {
        v[a] -= relative ? 0.0f : solid->velocity[a][n];
        across += v[a] * normal[a];
    }
    const float along = v[axis] - across * normal[axis];
    return relative ? along : solid->velocity[axis][n] + solid->slip[axis][n] * along;
}

static void constrain_tile(const at_solids *e, size_t t)
{
    const uint32_t row = e->solids->row[t];
    const sp_solid_tile *solid = &e->solids->tile[row];
    float block[3][SP_TILE_BLOCK];
    for (int a = 0; a < 3; ++a)
        sp_tiles_block(e->tiles, e->u[a], (uint32_t)t, 0.0f, block[a]);
    const float *const patch[3] = {block[0], block[1], block[2]};
    for (int axis = 0; axis < 3; ++axis) {
        float *fresh = e->fresh[axis] + (size_t)row * SP_TILE_VOXELS;
        memcpy(fresh, e->u[axis] + t * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *fresh);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            if (solid->open[axis][n] == 0.0f)
                fresh[n] = constrained(solid, e->relative, patch,
                                       (int[3]){n & 7, n >> 3 & 7, n >> 6}, axis);
    }
}

static void constrain_tiles(void *arg, size_t begin, size_t end)
{
    const at_solids *e = arg;
    for (size_t t = begin; t < end; ++t)
        if (sp_flow_is_cut(e->solids, t)) constrain_tile(e, t);
}

static void write_u(void *arg, size_t begin, size_t end)
{
    const at_solids *e = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && sp_flow_is_cut(e->solids, t); ++a)
            memcpy(e->u[a] + t * SP_TILE_VOXELS,
                   e->fresh[a] + (size_t)e->solids->row[t] * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof(float));
}

/// ---- Slits -------------------------------------------------------------------------------------
///
/// Water leaves a slit as a jet, faster the narrower the slit is, but the water as a whole does not
/// move like that. The velocity of a slit is limited to 3/2 of the largest speed of the solid and
/// of the neighbouring faces of the same axis that are not slits.

static bool is_slit(float open)
{
    return open > 0.0f && open < SP_FLOW_SLIT;
}

/// Moves the velocities of slits to `fresh` and sets u to 0, so that one slit does not limit
/// another.
static void save_slit_velocity(void *arg, size_t begin, size_t end)
{
    const at_solids *e = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && sp_flow_is_cut(e->solids, t); ++a) {
            const uint32_t row = e->solids->row[t];
            float *u = e->u[a] + t * SP_TILE_VOXELS,
                  *saved = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const bool slit = is_slit(e->solids->tile[row].open[a][n]);
                saved[n] = slit ? u[n] : 0.0f;
                u[n] = slit ? 0.0f : u[n];
            }
        }
}

static void limit_slit_velocity(void *arg, size_t begin, size_t end)
{
    enum { EDGE = SP_TILE + 2 };
    static const int step[3] = {1, EDGE, EDGE * EDGE};
    const at_solids *e = arg;
    float block[SP_TILE_BLOCK];
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && sp_flow_is_cut(e->solids, t); ++a) {
            const uint32_t row = e->solids->row[t];
            float *saved = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
            sp_tiles_block(e->tiles, e->u[a], (uint32_t)t, 0.0f, block);
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                if (saved[n] == 0.0f) continue;
                const float *c =
                    block + ((n & 7) + 1) + EDGE * (((n >> 3 & 7) + 1) + EDGE * ((n >> 6) + 1));
                float most = fabsf(e->solids->tile[row].velocity[a][n]);
                for (int b = 0; b < 3; ++b)
                    most = fmaxf(most, fmaxf(fabsf(c[step[b]]), fabsf(c[-step[b]])));
                saved[n] = fminf(fmaxf(saved[n], -1.5f * most), 1.5f * most);
            }
        }
}

/// Writes the limited velocities back. Slits with flow become known.
static void restore_slit_velocity(void *arg, size_t begin, size_t end)
{
    const at_solids *e = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && sp_flow_is_cut(e->solids, t); ++a) {
            const uint32_t row = e->solids->row[t];
            const float *saved = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                if (saved[n] == 0.0f) continue;
                e->u[a][t * SP_TILE_VOXELS + (size_t)n] = saved[n];
                sp_tile_mask_add(e->known[a][t], n);
            }
        }
}

static sp_status no_memory(sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "flow: no memory for the velocity at solids");
}

sp_status sp_flow_limit_slits(const sp_tiles *tiles, const sp_flow_solids *solids,
                              float *const u[3], sp_tile_mask *const known[3], sp_scratch *scratch,
                              sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    at_solids e = {.tiles = tiles, .solids = solids, .u = u, .known = known};
    const bool enough = take_memory(&e, scratch);
    if (enough) {
        sp_tiles_parallel(tiles, save_slit_velocity, &e);
        sp_tiles_parallel(tiles, limit_slit_velocity, &e);
        sp_tiles_parallel(tiles, restore_slit_velocity, &e);
    }
    sp_scratch_rewind(scratch, mark);
    return enough ? SP_OK : no_memory(err);
}

static sp_status constrain(at_solids e, sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const bool enough = take_memory(&e, scratch);
    if (enough) {
        sp_tiles_parallel(e.tiles, constrain_tiles, &e);
        sp_tiles_parallel(e.tiles, write_u, &e);
    }
    sp_scratch_rewind(scratch, mark);
    return enough ? SP_OK : no_memory(err);
}

sp_status sp_flow_constrain(const sp_tiles *tiles, const sp_flow_solids *solids, float *const u[3],
                            sp_scratch *scratch, sp_error *err)
{
    return constrain((at_solids){.tiles = tiles, .solids = solids, .u = u}, scratch, err);
}

sp_status sp_flow_constrain_relative(const sp_tiles *tiles, const sp_flow_solids *solids,
                                     float *const u[3], sp_scratch *scratch, sp_error *err)
{
    return constrain((at_solids){.tiles = tiles, .solids = solids, .u = u, .relative = true},
                     scratch, err);
}
