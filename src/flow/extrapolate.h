// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_EXTRAPOLATE_H
#define SP_FLOW_EXTRAPOLATE_H

/// Velocity beyond the water and in solids. Constant extrapolation, layer by layer, is
/// sp_tiles_extrapolate_faces of tiles/mac.h; here is what goes before and after it.

#include "flow/solids.h"

typedef struct sp_flow_line {
    int axis;       ///< lines run along this axis; -1: along none
    float steepest; ///< slope of a line a voxel, as a share of the velocity; INFINITY: any
    float calm;     ///< m/s; and of no more velocity than this; INFINITY: any
} sp_flow_line;

/// Gives the first layer of unknown faces beside known ones a velocity: along line->axis by a
/// straight line through the three known faces next to it, else the mean of known neighbours
/// (extrapolate_linear.c). `known` grows by that layer. Into closed faces u is always continued as a
/// constant. Fails for want of memory, with u and known as they were.
sp_status sp_flow_extrapolate_linear(const sp_tiles *tiles, const sp_flow_solids *solids,
                                     const sp_flow_line *line, float *const u[3],
                                     sp_tile_mask *const known[3], sp_scratch *scratch,
                                     sp_error *err);

/// ---- At solids (extrapolate_solids.c) ----------------------------------------------------------

/// Limits the velocity at slits (SP_FLOW_SLIT) to 3/2 of the fastest of the solid and of the faces
/// of their kind around them that are no slits. Slits whose velocity is not 0 become known. Fails
/// for want of memory, with u and known as they were.
sp_status sp_flow_limit_slits(const sp_tiles *tiles, const sp_flow_solids *solids,
                              float *const u[3], sp_tile_mask *const known[3], sp_scratch *scratch,
                              sp_error *err);
/// Gives closed faces the solid's velocity across the wall, and along it the part of their own (as
/// extrapolated) that the solid's slip leaves. Fails for want of memory, with u as it was.
sp_status sp_flow_constrain(const sp_tiles *tiles, const sp_flow_solids *solids, float *const u[3],
                            sp_scratch *scratch, sp_error *err);

#endif
