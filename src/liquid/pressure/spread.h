// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PRESSURE_SPREAD_H
#define SP_LIQUID_PRESSURE_SPREAD_H

/// The velocity that keeps the volume of water, apart from the water's own (spread.c).

#include "liquid/internal.h"

/// After the projection, while poisson holds its hierarchy and g->known marks the faces that water
/// touches: g->spread becomes a flow with the divergence `source` (times voxel, m/s by cell; L12),
/// on faces in and right beside the water. Solids stop it. Fails if memory is short.
sp_status liquid_spread(liquid_grid *g, const sp_flow_system *pressure, sp_poisson *poisson,
                        const float *source, sp_scratch *scratch, sp_error *err);
/// sum = u + v, on all faces; sum may be one of them.
void liquid_add_velocities(const sp_tiles *tiles, float *const sum[3], float *const u[3],
                           float *const v[3]);

#endif
