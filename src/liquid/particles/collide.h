// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PARTICLES_COLLIDE_H
#define SP_LIQUID_PARTICLES_COLLIDE_H

/// Collisions of a tile's particles after they have moved (collide.c). Both functions return how
/// many particles they removed.

#include "liquid/internal.h"

#include <stdatomic.h>

/// Sums over particles that left, in units of LIQUID_LEFT_UNIT: integers, so that their order does
/// not matter.
#define LIQUID_LEFT_UNIT 0x1p-20
typedef struct liquid_left_sums {
    atomic_llong kinetic;  ///< of v^2/2, m2/s2
    atomic_llong place[3]; ///< of positions, m
} liquid_left_sums;

/// Removes particles beyond an open side of the domain and adds them to the sums.
size_t liquid_remove_beyond_open_sides(liquid_particles *p, const liquid_grid *g,
                                       const sp_liquid_def *def, uint32_t tile,
                                       liquid_left_sums *sums);
/// Pushes particles out of solids and to a tenth of a voxel from them. Removes particles that are
/// still inside after three pushes.
size_t liquid_push_out(liquid_particles *p, const liquid_grid *g, const sp_flow_solids *solids,
                       uint32_t tile);

#endif
