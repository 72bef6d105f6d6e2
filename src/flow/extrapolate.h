// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_EXTRAPOLATE_H
#define SP_FLOW_EXTRAPOLATE_H

/// Extrapolates velocity beyond the water and into solids. Constant extrapolation, layer by layer,
/// is sp_tiles_extrapolate_faces of tiles/mac.h; this header has the stages before and after it.

#include "flow/solids.h"

typedef struct sp_flow_line {
    int axis;        ///< axis of linear extrapolation; -1: none
    float max_slope; ///< largest slope per voxel, as a fraction of velocity; INFINITY: any
    float max_speed; ///< m/s; velocity above it counts as this; INFINITY: no limit
} sp_flow_line;

/// Extrapolates the first layer of unknown faces next to known ones: linearly along line->axis from
/// the three nearest known faces, else as the mean of known neighbours (extrapolate_linear.c).
/// `known` grows by that layer. Into closed faces the extrapolation is always constant. Fails if
/// memory is short; u and known are unchanged then.
sp_status sp_flow_extrapolate_linear(const sp_tiles *tiles, const sp_flow_solids *solids,
                                     const sp_flow_line *line, float *const u[3],
                                     sp_tile_mask *const known[3], sp_scratch *scratch,
                                     sp_error *err);

/// ---- At solids (velocity_at_solids.c) ----------------------------------------------------------

/// Limits the velocity at slits (SP_FLOW_SLIT) to 3/2 of the largest speed of the solid and of the
/// neighbouring faces of the same axis that are not slits. Slits with a velocity other than 0
/// become known. Fails if memory is short; u and known are unchanged then.
sp_status sp_flow_limit_slits(const sp_tiles *tiles, const sp_flow_solids *solids,
                              float *const u[3], sp_tile_mask *const known[3], sp_scratch *scratch,
                              sp_error *err);
/// Sets closed faces to the solid's velocity: its normal part, plus the tangential part of the
/// extrapolated velocity as far as the solid's slip allows. Fails if memory is short; u is
/// unchanged then.
sp_status sp_flow_constrain(const sp_tiles *tiles, const sp_flow_solids *solids, float *const u[3],
                            sp_scratch *scratch, sp_error *err);
/// The same for a velocity relative to the solids, which slips freely along them.
sp_status sp_flow_constrain_relative(const sp_tiles *tiles, const sp_flow_solids *solids,
                                     float *const u[3], sp_scratch *scratch, sp_error *err);

#endif
