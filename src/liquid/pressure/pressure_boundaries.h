// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PRESSURE_BOUNDARIES_H
#define SP_LIQUID_PRESSURE_BOUNDARIES_H

/// The pressure equation of water with a free surface (L5, L6), in the form of flow/pressure.h: its
/// x is q = p dt/(density*voxel) in m/s, beta is 1 and the flux is u. `level` is phi, except
///
///     0          beyond an open side of the domain: the pressure there is known at the centre
///     INFINITY   in voxels that an emitter pins: their faces keep the emitter's velocity

#include "liquid/internal.h"

typedef struct liquid_equation_def {
    const liquid_grid *grid;
    const sp_flow_solids *solids;
    const sp_liquid_def *def;
    const float *gravity; ///< m/s2, three numbers
    bool pins;            ///< some voxels of grid->pinned may be set
    double dt;            ///< s
} liquid_equation_def;

/// Fills in the equation. The memory is from the scratch, until the caller rewinds it. Fails if
/// there is no memory.
sp_status liquid_equation_make(const liquid_equation_def *d, sp_scratch *scratch,
                               sp_flow_equation *equation, sp_error *err);

#endif
