// SPDX-License-Identifier: Apache-2.0
/// The surface of the water out of particles (L9): Zhu and Bridson's mean of particles within two
/// voxels, minus a radius.
#include "liquid/seed.h"

/// The radius decides where water ends, so it is measured: such that balls of radius 8 voxels,
/// seeded anywhere, have the volume of a ball once phi is straight (straight.c) and a distance. 10
/// balls of 8 particles a voxel come out at 1.0001 with a deviation of 0.0012, 10 of 27 at 1.0001 +-
/// 0.0005, 24 of 1 at 1.001 +- 0.006 (there the number of particles alone is off by that much). A
/// pool's flat surface then lies 0.02 voxel above where it was filled to.
float liquid_particle_radius(const liquid *s)
{
    const int32_t per_cell = s->def.particles_per_cell;
    const float voxels = per_cell == 1 ? 0.683f : per_cell == 8 ? 0.5529f : 0.5459f;
    return voxels * s->voxel;
}

/// Weights of one particle a voxel sum up to 5.1 within water (8*4 pi*16/315). Where there are fewer
/// than a tenth of that, each with a full radius would be a ball of six times its own volume. With the
/// root of their number one, two or three of them come out at 0.7 to 1.3 times what they are
/// (reckoned, not measured). It does not cure the volume that splashing gains: a dam break gained 6.8 %
/// in 2.2 s with it and 6.5 % without.
#define THIN 0.51f

typedef struct marking {
    const liquid *s;
    sp_tile_mask *solid, *beside;
} marking;

/// Voxels whose centre is in a solid, and those that are up to two voxels away from one. There a mean
/// is drawn away from the wall, so that cells had better not be asked where water may be deep.
static void mark_solid(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = m->s->solid.row[t];
        memset(m->solid[t], row == LIQUID_TILE_SOLID ? 0xff : 0, sizeof *m->solid);
        memset(m->beside[t], 0, sizeof *m->beside);
        if (row >= LIQUID_TILE_SOLID) continue;
        const float *psi = m->s->solid.tile[row].psi, near = 1.5f * m->s->voxel; // of a corner
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

static sp_status find_surface(liquid *s, sp_error *err)
{
    const liquid_particles *p = &s->particles;
    const float radius = liquid_particle_radius(s);
    marking m = {.s = s};
    if (s->solid.row) { // water that touches a wall has no surface there
        m.solid = sp_scratch_array(&s->scratch, sp_tile_mask, s->tiles.count);
        m.beside = sp_scratch_array(&s->scratch, sp_tile_mask, s->tiles.count);
        if (!m.solid || !m.beside)
            return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to find walls in %zu tiles",
                           s->tiles.count);
        sp_tiles_parallel(&s->tiles, mark_solid, &m);
    }
    sp_sorted_points points = {.start = p->start,
                               .x = {p->x[0], p->x[1], p->x[2]},
                               .full = (const sp_tile_mask *)m.solid,
                               .loose = (const sp_tile_mask *)m.beside,
                               .thin = THIN * (float)s->def.particles_per_cell,
                               .dense = (uint32_t)s->def.particles_per_cell / 2};
    if (s->def.narrow_band > 0) {
        // Below the band the carried phi decides, moved inward by half a voxel; where that is less
        // than -radius, what particles say is not looked at.
        points.sure = s->carried_phi;
        points.depth = radius + 0.5f * s->voxel;
    }
    return sp_levelset_sorted(&s->tiles, &points, 2.0f * s->voxel, radius, s->band, s->phi,
                              &s->scratch, err);
}

sp_status liquid_surface(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = find_surface(s, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
