// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PARTICLES_SEED_H
#define SP_LIQUID_PARTICLES_SEED_H

/// Adds and removes particles between steps; all other particles keep their order.

#include "liquid/particles/voxels.h"

/// Particles to be added. Each tile has its own range of the arrays; the first `count` entries are
/// used, sorted by voxel. Positions as in liquid_particles.
typedef struct liquid_arrivals {
    uint32_t *start; ///< start of a tile's range; one entry more than tiles
    uint32_t *count; ///< by tile
    float *x[3];
    uint64_t *id;
} liquid_arrivals;

/// ---- particle_exchange.c -----------------------------------------------------------------------

/// Adds arrivals, each behind the particles that are already in its voxel, with velocity v or
/// (NULL) the grid's. Removes particles p with gone[p] = 1; the others are 0 (gone may be NULL). On
/// failure nothing has changed.
sp_status liquid_exchange(const liquid_seeder *s, const liquid_arrivals *arrivals,
                          const uint8_t *gone, const float v[3], sp_error *err);

/// Trilinear value of a block, and its derivative a voxel, at a place counted from the first node.
float liquid_block_value(const float block[SP_TILE_BLOCK], const float at[3], float gradient[3]);

/// ---- seed.c ------------------------------------------------------------------------------------

/// How many particles fit along the edge of a voxel: 1, 2 or 3.
static inline int liquid_seed_edge(const sp_liquid_def *def)
{
    return def->particles_per_cell == 27 ? 3 : def->particles_per_cell == 8 ? 2 : 1;
}
/// Initial place of particle `id`, the n-th of those that fill a voxel.
void liquid_seed_place(const liquid_seeder *s, uint64_t id, int n, int voxel, float x[3]);
/// The same place, moved within its cube so that all parts of the cube are equally likely. Jittered
/// places keep clear of the cube's sides; a cut through a voxel would count too many or too few.
void liquid_seed_spread(const liquid_grid *g, const sp_liquid_def *def, const double p[3],
                        double even[3]);
/// Whether a place is in no solid and not beyond an open side. (Moving particles keep a tenth of a
/// voxel away from solids. If seeding left out places that near, there would be fewer particles
/// than water, and wanted_divergence.c would shrink the water.)
bool liquid_is_open(const liquid_seeder *s, size_t tile, const float x[3]);
/// Whether all places in the inner half of a voxel (a quarter of a voxel away from its sides) are
/// open (1) or none is (0); -1: that takes a look at each place.
int liquid_voxel_is_open(const liquid_seeder *s, size_t tile, int voxel);

#endif
