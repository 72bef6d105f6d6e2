// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_H
#define SP_FLOW_H

/// Velocity on the faces of tiles, for every solver that keeps water on a sparse grid. Each stage
/// takes the arrays that it reads and writes, and knows no solver:
///
///     flow/solids.h       which faces solids close, how far, and how fast the solid moves there
///     flow/advect.h       fields carried along a velocity (MacCormack)
///     flow/extrapolate.h  velocity beyond the water and into solids
///     flow/pressure.h     the pressure equation: coefficients on faces, right side, fixed cells
///     flow/retile.h       fields carried to another set of tiles
///
/// Arrays are fields of `tiles` (512 floats a tile): u[axis] on the low faces of voxels in m/s,
/// others at the centres of voxels. Masks have a bit a voxel, or a bit a low face. Memory that a
/// stage needs only while it runs comes from a scratch, which it leaves as it found it. The number
/// of threads is that of tiles->host, and no result depends on it.

#include "flow/advect.h"
#include "flow/extrapolate.h"
#include "flow/pressure.h"
#include "flow/retile.h"
#include "flow/solids.h"

#endif
