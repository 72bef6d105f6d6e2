// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PARTICLES_COLLIDE_H
#define SP_LIQUID_PARTICLES_COLLIDE_H

/// Collisions of a tile's particles after they have moved (collide.c). Both functions return how
/// many particles they removed.

#include "liquid/internal.h"

/// Removes particles beyond an open side of the domain.
size_t liquid_remove_beyond_open_sides(liquid_particles *p, const liquid_grid *g,
                                       const sp_liquid_def *def, uint32_t tile);
/// Pushes particles out of solids and to a tenth of a voxel from them. Removes particles that are
/// still inside after three pushes.
size_t liquid_push_out(liquid_particles *p, const liquid_grid *g, const sp_flow_solids *solids,
                       uint32_t tile);

#endif
