// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PUSH_H
#define SP_LIQUID_PUSH_H

/// What becomes of particles of a tile once they have moved (push.c). Both return how many are gone
/// that were not.

#include "liquid/internal.h"

/// Particles beyond an open side of the domain are gone.
size_t liquid_leave(liquid *s, uint32_t tile);
/// Particles in solids, or nearer to one than a tenth of a voxel, are pushed out; those that three
/// pushes leave inside are gone.
size_t liquid_push_out(liquid *s, uint32_t tile);

#endif
