// SPDX-License-Identifier: Apache-2.0
/// Open sides. Beyond them there is air, or still water up to `sides.level`, whose pressure is a
/// boundary condition of the solve (pressure/pressure_boundaries.c). Water that flows out is removed. Where
/// water flows in, it must exist: phi beyond the side is that of still water, and voxels just
/// inside that particles have left are filled again, with the grid's velocity there.
#include "liquid/internal.h"

bool liquid_inside_span(const liquid_grid *g, const sp_liquid_def *def, size_t tile, int first[3],
                        int last[3])
{
    int kind[6];
    bool any = false;
    liquid_side_kinds(&def->sides, kind);
    for (int a = 0; a < 3; ++a) {
        const double base = SP_TILE * (double)g->tiles.at[tile][a];
        const double low = (g->domain[0][a] - g->origin[a]) / (double)g->voxel - base,
                     high = (g->domain[1][a] - g->origin[a]) / (double)g->voxel - base;
        first[a] = 0;
        last[a] = 7;
        if (kind[2 * a] == SP_LIQUID_OPEN) first[a] = (int)fmax(0.0, fmin(8.0, ceil(low - 0.5)));
        if (kind[2 * a + 1] == SP_LIQUID_OPEN)
            last[a] = (int)fmin(7.0, fmax(-1.0, ceil(high - 0.5) - 1.0));
        any |= first[a] > 0 || last[a] < 7;
    }
    return any;
}

typedef struct side_filling {
    liquid *s;
    sp_tile_mask *wanted;
} side_filling;

/// Whether a voxel within the sides lies just inside one.
static bool is_beside(int n, const int first[3], const int last[3])
{
    const int at[3] = {n & 7, n >> 3 & 7, n >> 6};
    bool beside = false;
    for (int a = 0; a < 3; ++a)
        beside |= (at[a] == first[a] && first[a] > 0) || (at[a] == last[a] && last[a] < 7);
    return beside;
}

static void fill_tile(const side_filling *f, size_t t, const int first[3], const int last[3])
{
    liquid *s = f->s;
    uint8_t count[SP_TILE_VOXELS] = {0};
    const int least = (s->def.particles_per_cell + 1) / 2;
    if (liquid_has_particles(&s->def)) liquid_count_particles(&s->particles, t, count);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const bool beyond = liquid_is_beyond(n, first, last);
        if (!beyond && !is_beside(n, first, last)) continue;
        double p[3];
        liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
        const float depth = (float)(p[1] - (double)s->def.sides.level);
        float *phi = &s->grid.phi[t * SP_TILE_VOXELS + (size_t)n];
        if (beyond)
            *phi = fminf(fmaxf(depth, -s->grid.band), s->grid.band);
        else if (depth < -0.5f * s->grid.voxel && count[n] < least &&
                 !liquid_is_deep(&s->grid, &s->def, t, n))
            sp_tile_mask_add(f->wanted[t], n);
    }
}

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    const side_filling *f = arg;
    for (size_t t = begin; t < end; ++t) {
        int first[3], last[3];
        memset(f->wanted[t], 0, sizeof *f->wanted);
        const bool near = liquid_inside_span(&f->s->grid, &f->s->def, t, first, last);
        if (near && !sp_flow_is_solid(&f->s->solids, t)) fill_tile(f, t, first, last);
    }
}

sp_status liquid_fill_sides(liquid *s, sp_error *err)
{
    if (!liquid_has_level(&s->def)) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    side_filling f = {.s = s,
                      .wanted = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count)};
    const liquid_seeder seeder = liquid_seeder_of(s);
    sp_status status = SP_OK;
    uint64_t count = 0;
    if (f.wanted) {
        sp_tiles_parallel(&s->grid.tiles, fill_tiles, &f);
        if (liquid_has_particles(&s->def))
            status =
                liquid_seed(&seeder, (const sp_tile_mask *)f.wanted, NULL, NULL, NULL, &count, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "liquid: no memory to fill the open sides");
    }
    s->figures.emitted += count;
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
