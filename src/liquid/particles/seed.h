// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PARTICLES_SEED_H
#define SP_LIQUID_PARTICLES_SEED_H

/// Particles that come and go between steps, with the order of all others kept.

#include "liquid/particles/voxels.h"

/// Particles that are to come. Each tile has a stretch of the arrays to itself, of which the first
/// `count` are used; they lie by voxel. Positions as in liquid_particles.
typedef struct liquid_arrivals {
    uint32_t *start; ///< where a tile's stretch begins; one entry more than tiles
    uint32_t *count; ///< by tile
    float *x[3];
    uint64_t *id;
} liquid_arrivals;

/// ---- particle_exchange.c -----------------------------------------------------------------------

/// Takes arrivals in, each behind those that are in its voxel already, with velocity v or (NULL)
/// the grid's, and drops particles p with gone[p] = 1, others being 0 (gone may be NULL). On
/// failure all is as it was.
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
/// Where particle `id`, the n-th of those that fill a voxel, begins.
void liquid_seed_place(const liquid_seeder *s, uint64_t id, int n, int voxel, float x[3]);
/// Such a place again, moved within its cube so that places are as many in all parts of it. They keep
/// clear of its sides, and a cut through a voxel would else count too many or too few of them.
void liquid_seed_spread(const liquid_grid *g, const sp_liquid_def *def, const double p[3],
                        double even[3]);
/// Whether a place is in no solid and not beyond an open side. (Particles keep a tenth of a voxel away
/// from solids once they move; were places that near left out, there would be fewer particles than
/// water, and wanted_divergence.c would shrink it.)
bool liquid_is_open(const liquid_seeder *s, size_t tile, const float x[3]);

#endif
