// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PARTICLES_VELOCITY_AT_H
#define SP_LIQUID_PARTICLES_VELOCITY_AT_H

/// Interpolates the grid's velocity at particles: the velocity around a tile as squares
/// (tiles/patch.h), sampled for a register of particles at a time.

#include "liquid/internal.h"

/// ---- Memory (memory.c) -------------------------------------------------------------------------

/// Points x, v, c and id at the set's columns.
void liquid_particles_point(liquid_particles *p);
/// Room for n particles in the spare set, whose contents are lost.
sp_status liquid_spare_reserve(liquid_particles *p, size_t n, sp_error *err);
/// Makes the n particles of the spare set the particles, with the starts of `tiles` tiles.
void liquid_spare_use(liquid_particles *p, size_t n, const uint32_t *start, size_t tiles);

/// Calls body for every tile that has particles, with work_size floats of scratch for its thread,
/// uninitialised.
typedef void liquid_tile_body(void *arg, uint32_t tile, float *work);
void liquid_each_tile(const liquid_particles *p, const sp_tiles *tiles, liquid_tile_body *body,
                      void *arg);

/// Voxels around a tile that a step may read: cfl + 1 voxels of travel and half a voxel more. A
/// patch reaches at most 8 voxels, so from a cfl of 6 on the travel is clamped to 7 voxels.
static inline int liquid_pad(float cfl)
{
    const int pad = (int)ceilf(cfl) + 2;
    return pad < SP_PATCH_PAD ? pad : SP_PATCH_PAD;
}

/// For velocity at the particles of a tile, where they are.
enum { LIQUID_PAD_HERE = 2 };

/// Work memory for a tile: squares of the three components, and two patches to build them; in a
/// patch for steps, and in one around the tile itself.
static inline size_t liquid_patch_floats(int pad)
{
    const size_t edge = (size_t)sp_patch_edge(pad);
    return sp_pad16(edge * edge * edge);
}
static inline size_t liquid_work_floats(int pad)
{
    return (3 * 4 + 2) * (liquid_patch_floats(pad) + liquid_patch_floats(LIQUID_PAD_HERE));
}

/// ---- Velocity at particles ---------------------------------------------------------------------

/// Positions are looked up `pad` voxels further along each axis, where they are positive. The patch
/// itself may begin later: `shift` is the index that it lacks.
typedef struct liquid_flow {
    const float *squares[3]; ///< of the components
    int row, layer, shift;
    float pad;
} liquid_flow;

/// A register of positions along an axis, relative to faces of that axis and, half a voxel off, to
/// faces of the other axes.
typedef struct liquid_along {
    sp_flags at[2];
    sp_part beyond[2]; ///< fractions
} liquid_along;

SP_INLINE liquid_along liquid_look_along(sp_part x, float pad)
{
    liquid_along l;
    const sp_part place[2] = {x + pad, x + (pad - 0.5f)};
    for (int h = 0; h < 2; ++h) {
        l.at[h] = __builtin_convertvector(place[h], sp_flags);
        l.beyond[h] = place[h] - __builtin_convertvector(l.at[h], sp_part);
    }
    return l;
}

/// The corners around a register of positions for one component, and the fractions.
typedef struct liquid_corners {
    sp_quad low, high; ///< squares at z and z + 1
    sp_part fx, fy, fz;
} liquid_corners;

SP_INLINE liquid_corners liquid_corners_of(const liquid_flow *flow, const liquid_along along[3],
                                           int component)
{
    const int hx = component != 0, hy = component != 1, hz = component != 2;
    const sp_flags at =
        along[0].at[hx] + flow->row * along[1].at[hy] + flow->layer * along[2].at[hz] - flow->shift;
    uint32_t index[SP_PART];
    memcpy(index, &at, sizeof index);
    const float *low = flow->squares[component], *high = low + 4 * flow->layer;
    return (liquid_corners){sp_quad_take(low, index), sp_quad_take(high, index),
                            along[0].beyond[hx], along[1].beyond[hy], along[2].beyond[hz]};
}

SP_INLINE sp_part liquid_blend(sp_part a, sp_part b, sp_part f)
{
    return sp_part_fma(f, b - a, a);
}

SP_INLINE sp_part liquid_component_at(const liquid_flow *flow, const liquid_along along[3],
                                      int component)
{
    const liquid_corners c = liquid_corners_of(flow, along, component);
    const sp_part low = liquid_blend(liquid_blend(c.low.x, c.low.y, c.fx),
                                     liquid_blend(c.low.z, c.low.w, c.fx), c.fy),
                  high = liquid_blend(liquid_blend(c.high.x, c.high.y, c.fx),
                                      liquid_blend(c.high.z, c.high.w, c.fx), c.fy);
    return liquid_blend(low, high, c.fz);
}

/// Trilinear velocity at a register of positions (voxels from the tile's low corner), which must be
/// within pad - 1 voxels of the tile. Unrolled, so that components are constants.
SP_INLINE void liquid_velocity_at(const liquid_flow *flow, const sp_part x[3], sp_part u[3])
{
    const liquid_along along[3] = {liquid_look_along(x[0], flow->pad),
                                   liquid_look_along(x[1], flow->pad),
                                   liquid_look_along(x[2], flow->pad)};
    u[0] = liquid_component_at(flow, along, 0);
    u[1] = liquid_component_at(flow, along, 1);
    u[2] = liquid_component_at(flow, along, 2);
}

/// ---- Registers of particles at the end of a tile -----------------------------------------------

/// Loads positions, clamped to the tile: lanes beyond the last particle may hold anything.
SP_INLINE sp_part liquid_load_place(const float *x)
{
    const sp_part most = sp_part_all(SP_POINT_LAST);
    return sp_part_min(sp_part_max(sp_part_load(x), sp_part_all(0.0f)), most);
}

/// Stores the first n lanes.
SP_INLINE void liquid_store_some(float *p, sp_part v, size_t n)
{
    if (n >= SP_PART)
        sp_part_store(p, v);
    else
        memcpy(p, &v, n * sizeof *p);
}

#endif
