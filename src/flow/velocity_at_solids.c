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

enum { EDGE = SP_TILE + 2 }; ///< of a tile with the values around it

/// Component a of the velocity at the middle of a low face across `axis`: its own value, or the
/// mean of the four nearest faces. p points into the patch of the component.
SP_INLINE float component_at(const float *p, int axis, int a)
{
    static const int step[3] = {1, EDGE, EDGE * EDGE};
    return a == axis ? p[0]
                     : 0.25f * ((p[0] + p[step[a]]) + (p[-step[axis]] + p[step[a] - step[axis]]));
}

/// Closed faces across an axis get the solid's velocity across the wall, plus the tangential
/// velocity of the face times slip. `axis` and `relative` are constants in each call.
SP_INLINE void constrain_axis(const sp_solid_tile *solid, bool relative,
                              float block[3][SP_TILE_BLOCK], float normal[3][SP_TILE_VOXELS],
                              int axis, const float *u, float *fresh)
{
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const int n = SP_TILE * row,
                  at = 1 + EDGE * (row % SP_TILE + 1 + EDGE * (row / SP_TILE + 1));
        SP_VECTOR_LOOP
        for (int i = 0; i < SP_TILE; ++i) {
            float v[3], across = 0.0f;
            for (int a = 0; a < 3; ++a) {
                v[a] = component_at(block[a] + at + i, axis, a) -
                       (relative ? 0.0f : solid->velocity[a][n + i]);
                across += v[a] * normal[a][n + i];
            }
            const float along = v[axis] - across * normal[axis][n + i];
            const float closed =
                relative ? along : solid->velocity[axis][n + i] + solid->slip[axis][n + i] * along;
            fresh[n + i] = solid->open[axis][n + i] == 0.0f ? closed : u[n + i];
        }
    }
}

static void constrain_tile(const at_solids *e, size_t t)
{
    const uint32_t row = e->solids->row[t];
    const sp_solid_tile *solid = &e->solids->tile[row];
    float block[3][SP_TILE_BLOCK], normal[3][SP_TILE_VOXELS], *fresh[3];
    const float *u[3];
    for (int a = 0; a < 3; ++a) {
        sp_tiles_block(e->tiles, e->u[a], (uint32_t)t, 0.0f, block[a]);
        fresh[a] = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
        u[a] = e->u[a] + t * SP_TILE_VOXELS;
    }
    sp_flow_solid_normals(solid, normal);
    if (e->relative) {
        constrain_axis(solid, true, block, normal, 0, u[0], fresh[0]);
        constrain_axis(solid, true, block, normal, 1, u[1], fresh[1]);
        constrain_axis(solid, true, block, normal, 2, u[2], fresh[2]);
    } else {
        constrain_axis(solid, false, block, normal, 0, u[0], fresh[0]);
        constrain_axis(solid, false, block, normal, 1, u[1], fresh[1]);
        constrain_axis(solid, false, block, normal, 2, u[2], fresh[2]);
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
