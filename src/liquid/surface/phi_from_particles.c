// SPDX-License-Identifier: Apache-2.0
/// The level set of the water from particles (L9): Zhu and Bridson's mean of particles within two
/// voxels, minus a radius.
#include "liquid/particles/seed.h"

/// The radius decides where water ends, so it is calibrated: balls of radius 8 voxels, seeded
/// anywhere, get the volume of a ball once phi is corrected (phi_correct.c) and redistanced. 10
/// balls of 8 particles a voxel come out at 1.0001 with a deviation of 0.0012, 10 of 27 at 1.0001
/// +- 0.0005, 24 of 1 at 1.001 +- 0.006 (there the number of particles alone is off by that much).
/// A pool's flat surface then lies 0.02 voxel above where it was filled to.
float liquid_particle_radius(const sp_liquid_def *def)
{
    const int32_t per_cell = def->particles_per_cell;
    const float voxels = per_cell == 1 ? 0.683f : per_cell == 8 ? 0.5529f : 0.5459f;
    return voxels * def->voxel;
}

/// Within water the weights sum up to 5.1 for one particle a voxel (8*4 pi*16/315). Where the sum
/// is less than a tenth of that, a full radius would give each particle a ball of six times its
/// volume. With the square root of the sum, one, two or three particles come out at 0.7 to 1.3
/// times their volume (calculated, not measured). It does not cure the volume that splashing gains:
/// a dam break gained 6.8 % in 2.2 s with it and 6.5 % without.
#define THIN 0.51f

typedef struct marking {
    const sp_flow_solids *solids;
    float voxel; ///< m
    sp_tile_mask *solid, *beside;
} marking;

/// Voxels whose centre is in a solid, and voxels up to two voxels away from one. There the mean is
/// drawn away from the wall, so cells are not evaluated where water may be deep.
static void mark_solid(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = m->solids->row[t];
        memset(m->solid[t], row == SP_FLOW_TILE_SOLID ? 0xff : 0, sizeof *m->solid);
        memset(m->beside[t], 0, sizeof *m->beside);
        if (row >= SP_FLOW_TILE_SOLID) continue;
        const float *psi = m->solids->tile[row].psi, near = 1.5f * m->voxel; // of a corner
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const float *c = psi + v % 8 + 9 * (v / 8 % 8) + 81 * (v / 64);
            const float sum =
                ((c[0] + c[1]) + (c[9] + c[10])) + ((c[81] + c[82]) + (c[90] + c[91]));
            const float least = fminf(fminf(fminf(c[0], c[1]), fminf(c[9], c[10])),
                                      fminf(fminf(c[81], c[82]), fminf(c[90], c[91])));
            m->solid[t][v / 64] |= (uint64_t)(sum < 0.0f) << v % 64;
            m->beside[t][v / 64] |= (uint64_t)(least < near) << v % 64;
        }
    }
}

static sp_status find_surface(liquid_grid *g, const liquid_particles *p,
                              const sp_flow_solids *solids, const sp_liquid_def *def,
                              sp_scratch *scratch, sp_error *err)
{
    const float radius = liquid_particle_radius(def);
    marking m = {.solids = solids, .voxel = g->voxel};
    if (solids->row) { // water that touches a wall has no surface there
        m.solid = sp_scratch_array(scratch, sp_tile_mask, g->tiles.count);
        m.beside = sp_scratch_array(scratch, sp_tile_mask, g->tiles.count);
        if (!m.solid || !m.beside)
            return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to find walls in %zu tiles",
                           g->tiles.count);
        sp_tiles_parallel(&g->tiles, mark_solid, &m);
    }
    sp_sorted_points points = {.start = p->start,
                               .x = {p->x[0], p->x[1], p->x[2]},
                               .full = (const sp_tile_mask *)m.solid,
                               .full_with_one = (const sp_tile_mask *)m.beside,
                               .min_points = THIN * (float)def->particles_per_cell,
                               .full_count = (uint32_t)def->particles_per_cell / 2};
    if (def->narrow_band > 0) {
        // Below the band the advected phi decides, moved inward by half a voxel. Where that is less
        // than -radius, phi from particles is not read.
        points.known_phi = g->phi_advected;
        points.depth = radius + 0.5f * g->voxel;
    }
    return sp_levelset_sorted(&g->tiles, &points, 2.0f * g->voxel, radius, g->band, g->phi, scratch,
                              err);
}

sp_status liquid_phi_from_particles(liquid_grid *g, const liquid_particles *p,
                                    const sp_flow_solids *solids, const sp_liquid_def *def,
                                    sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status status = find_surface(g, p, solids, def, scratch, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}
