// SPDX-License-Identifier: Apache-2.0
/// The surface of the water out of particles (L9): Zhu and Bridson's mean of particles within two
/// voxels, minus a radius.
#include "liquid/seed.h"

/// The radius decides where water ends, so it is measured: such that balls of radius 8 voxels, seeded
/// anywhere, have the volume of a ball once phi is a distance. 24 balls of 8 particles a voxel come
/// out at 1.000 with a deviation of 0.0012, 10 of 27 at 1.000 +- 0.0006, 40 of 1 at 1.000 +- 0.0046
/// (there the number of particles alone is off by that much). A pool's flat surface then lies 0.010,
/// 0.015 and -0.010 voxel above where it was filled to. Half the diagonal of the cube that belongs to
/// a particle, the usual guess, would lose 7 % of the ball's volume with 8 a voxel.
float liquid_particle_radius(const liquid *s)
{
    const int32_t per_cell = s->def.particles_per_cell;
    const float voxels = per_cell == 1 ? 0.700f : per_cell == 8 ? 0.5643f : 0.5574f;
    return voxels * s->voxel;
}

sp_status liquid_surface(liquid *s, sp_error *err)
{
    const float *const x[3] = {s->particles.x[0], s->particles.x[1], s->particles.x[2]};
    return sp_levelset_sorted(&s->tiles, s->particles.start, x, 2.0f * s->voxel,
                              liquid_particle_radius(s), s->band, s->phi, &s->scratch, err);
}
