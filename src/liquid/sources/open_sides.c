// SPDX-License-Identifier: Apache-2.0
/// Open sides. Beyond them there is air, or still water up to `sides.level`, whose pressure is a
/// boundary condition of the solve (pressure/equation.c). Water that flows out is removed. Where
/// water flows in, it must exist: phi beyond the side is that of still water, and voxels just
/// inside that particles have left are filled again, with the grid's velocity there.
#include "liquid/internal.h"

bool liquid_inside_span(const liquid_grid *g, const sp_liquid_def *def, uint32_t tile, int axis,
                        int *first, int *last)
{
    int kind[6];
    liquid_side_kinds(&def->sides, kind);
    const double base = SP_TILE * (double)g->tiles.at[tile][axis];
    const double low = (g->domain[0][axis] - g->origin[axis]) / (double)g->voxel - base,
                 high = (g->domain[1][axis] - g->origin[axis]) / (double)g->voxel - base;
    *first = 0;
    *last = 7;
    if (kind[2 * axis] == SP_LIQUID_OPEN) *first = (int)fmax(0.0, fmin(8.0, ceil(low - 0.5)));
    if (kind[2 * axis + 1] == SP_LIQUID_OPEN)
        *last = (int)fmin(7.0, fmax(-1.0, ceil(high - 0.5) - 1.0));
    return *first > 0 || *last < 7;
}

typedef struct side_filling {
    liquid *s;
    sp_tile_mask *wanted;
} side_filling;

/// Whether a voxel lies beyond an open side, or just inside one.
typedef struct side_place {
    bool beyond, beside;
} side_place;

static side_place place_of(const int at[3], const int first[3], const int last[3])
{
    side_place p = {false, false};
    for (int a = 0; a < 3; ++a) {
        p.beyond |= at[a] < first[a] || at[a] > last[a];
        p.beside |= (at[a] == first[a] && first[a] > 0) || (at[a] == last[a] && last[a] < 7);
    }
    p.beside &= !p.beyond;
    return p;
}

static void fill_tile(const side_filling *f, size_t t, const int first[3], const int last[3])
{
    liquid *s = f->s;
    uint8_t count[SP_TILE_VOXELS] = {0};
    const int least = (s->def.particles_per_cell + 1) / 2;
    if (liquid_has_particles(&s->def)) liquid_count_particles(&s->particles, t, count);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const int at[3] = {n & 7, n >> 3 & 7, n >> 6};
        const side_place place = place_of(at, first, last);
        if (!place.beyond && !place.beside) continue;
        double p[3];
        liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
        const float depth = (float)(p[1] - (double)s->def.sides.level);
        float *phi = &s->grid.phi[t * SP_TILE_VOXELS + (size_t)n];
        if (place.beyond) *phi = fminf(fmaxf(depth, -s->grid.band), s->grid.band);
        if (place.beside && depth < -0.5f * s->grid.voxel && count[n] < least &&
            !liquid_is_deep(&s->grid, &s->def, t, n))
            f->wanted[t][n >> 6] |= (uint64_t)1 << (n & 63);
    }
}

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    const side_filling *f = arg;
    for (size_t t = begin; t < end; ++t) {
        int first[3], last[3];
        bool near = false;
        memset(f->wanted[t], 0, sizeof *f->wanted);
        for (int a = 0; a < 3; ++a)
            near |=
                liquid_inside_span(&f->s->grid, &f->s->def, (uint32_t)t, a, &first[a], &last[a]);
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
