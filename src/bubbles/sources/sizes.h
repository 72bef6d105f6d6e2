// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_SIZES_H
#define SP_BUBBLES_SIZES_H

/// Radii and volumes of the particles that emitters let in (sizes.c).

#include "bubbles/internal.h"

/// m; the smallest ball that contains at least one point of a lattice of voxels, wherever it lies:
/// bubbles of many such particles have no holes.
float bubbles_surfacing_radius(float voxel);
/// Whether each particle of an emitter stands for a place of its lattice: "surfacing" particles, which
/// are larger than their places so that together they fill the grid, and lattices of given sizes.
bool bubbles_has_places(const sp_bubbles_emitter_def *def);
/// m3; the volume of that place; 0: the particle stands for its own volume.
float bubbles_place_volume(const sp_bubbles_emitter_def *def, float voxel, float radius);
/// m; what frames show: a ball of the volume that a particle stands for.
float bubbles_shown_radius(float radius, float place);
/// m; radius of particle `id`.
float bubbles_draw_radius(const sp_bubbles_emitter_def *def, float voxel, uint64_t seed,
                          uint64_t id);
/// m3; mean volume of its particles.
double bubbles_mean_volume(const sp_bubbles_emitter_def *def, float voxel);

#endif
