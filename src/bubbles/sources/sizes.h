// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_SIZES_H
#define SP_BUBBLES_SIZES_H

/// Radii and volumes of the particles that emitters let in (sizes.c).

#include "bubbles/internal.h"

/// m; the smallest ball that contains at least one point of a lattice of voxels, wherever it lies:
/// bubbles of many such particles have no holes.
float bubbles_surfacing_radius(float voxel);
/// m; what frames show. Particles of surfacing radius overlap, eight to a voxel of air: each stands for
/// an eighth of a voxel, and one that is alone is shown as a ball of that volume.
float bubbles_shown_radius(float voxel, float radius);
/// m; radius of particle `id`.
float bubbles_draw_radius(const sp_bubbles_emitter_def *def, float voxel, uint64_t seed,
                          uint64_t id);
/// m3; mean volume of its particles.
double bubbles_mean_volume(const sp_bubbles_emitter_def *def, float voxel);

#endif
