// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_H
#define SP_FLOW_H

/// Stages for velocity on the faces of tiles, shared by all solvers with water on a sparse grid.
/// Each stage takes the arrays that it reads and writes, and is independent of the solver:
///
///     flow/solids.h       open fraction of faces cut by solids, and the solid's velocity
///     flow/advect.h       advection of fields (MacCormack)
///     flow/extrapolate.h  extrapolation of velocity beyond the water and into solids
///     flow/pressure.h     pressure equation: coefficients, right side, Dirichlet cells
///     flow/retile.h       copies fields to another topology
///
/// Arrays are fields of `tiles` (512 floats a tile): u[axis] on the low faces of voxels in m/s,
/// others at the centres of voxels. Masks have one bit per voxel, or one bit per low face.
/// Temporary memory comes from a scratch, which each stage rewinds. Threads are those of
/// tiles->host, and no result depends on their number.

#include "flow/advect.h"
#include "flow/extrapolate.h"
#include "flow/pressure.h"
#include "flow/retile.h"
#include "flow/solids.h"

#endif
