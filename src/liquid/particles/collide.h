// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PARTICLES_COLLIDE_H
#define SP_LIQUID_PARTICLES_COLLIDE_H

/// Particles of a tile once they have moved (collide.c). Both functions return how many are gone that
/// were not.

#include "liquid/internal.h"

/// Particles beyond an open side of the domain are gone.
size_t liquid_leave(liquid_particles *p, const liquid_grid *g, const sp_liquid_def *def,
                    uint32_t tile);
/// Particles in solids, or nearer to one than a tenth of a voxel, are pushed out; those that three
/// pushes leave inside are gone.
size_t liquid_push_out(liquid_particles *p, const liquid_grid *g, const sp_flow_solids *solids,
                       uint32_t tile);

#endif
