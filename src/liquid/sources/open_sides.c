// SPDX-License-Identifier: Apache-2.0
/// Open sides. Beyond them there is air, or still water up to `sides.level`, whose pressure is a
/// boundary condition of the solve (pressure/pressure_boundaries.c). Water that flows out is removed. Where
/// water flows in, it must exist: phi beyond the side is that of still water, and voxels just
/// inside that particles have left are filled again, with the grid's velocity there.
///
/// Particles that leave are counted one by one (particles/collide.c). Water without particles, below
/// a narrow band or of method eulerian, is counted by its flow through the sides.
#include "liquid/pressure/volume.h"

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
    const liquid *s;
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

/// Height of a voxel's centre above the level, m.
static float height_above_level(const liquid_grid *g, const sp_liquid_def *def, size_t t, int n)
{
    double p[3];
    liquid_voxel_center(g, (uint32_t)t, n, p);
    return (float)(p[1] - (double)def->sides.level);
}

typedef struct levelling {
    liquid_grid *grid;
    const sp_liquid_def *def;
} levelling;

static void level_tiles(void *arg, size_t begin, size_t end)
{
    const levelling *l = arg;
    const liquid_grid *g = l->grid;
    for (size_t t = begin; t < end; ++t) {
        int first[3], last[3];
        if (!liquid_inside_span(g, l->def, t, first, last)) continue;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            if (liquid_is_beyond(n, first, last))
                g->phi[t * SP_TILE_VOXELS + (size_t)n] =
                    sp_clamp(height_above_level(g, l->def, t, n), -g->band, g->band);
    }
}

void liquid_level_beyond_sides(liquid_grid *g, const sp_liquid_def *def)
{
    if (liquid_has_level(def)) sp_tiles_parallel(&g->tiles, level_tiles, &(levelling){g, def});
}

static void fill_tile(const side_filling *f, size_t t, const int first[3], const int last[3])
{
    const liquid *s = f->s;
    uint8_t count[SP_TILE_VOXELS] = {0};
    const int least = (s->def.particles_per_cell + 1) / 2;
    liquid_count_particles(&s->particles, t, count);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        if (liquid_is_beyond(n, first, last) || !is_beside(n, first, last)) continue;
        const float height = height_above_level(&s->grid, &s->def, t, n);
        if (height < -0.5f * s->grid.voxel && count[n] < least &&
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

typedef struct wetting {
    liquid *s;
    double *gain; ///< by tile: voxels of water that were added
} wetting;

/// Without particles: fills voxels just inside a side that are below the level and dry, as new
/// particles would. A dry voxel there has no pressure, and water would never enter.
static void wet_tiles(void *arg, size_t begin, size_t end)
{
    const wetting *w = arg;
    const liquid_grid *g = &w->s->grid;
    const float full = -0.5f * g->voxel;
    for (size_t t = begin; t < end; ++t) {
        int first[3], last[3];
        w->gain[t] = 0.0;
        if (!liquid_inside_span(g, &w->s->def, t, first, last)) continue;
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            float *phi = &g->phi[t * SP_TILE_VOXELS + (size_t)n];
            if (liquid_is_beyond(n, first, last) || !is_beside(n, first, last) || *phi < -full ||
                height_above_level(g, &w->s->def, t, n) >= full)
                continue;
            w->gain[t] += 1.0;
            *phi = full;
        }
    }
}

static sp_status wet_sides(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    wetting w = {s, sp_scratch_array(&s->scratch, double, s->grid.tiles.count)};
    if (w.gain) {
        sp_tiles_parallel(&s->grid.tiles, wet_tiles, &w);
        s->figures.outflow -=
            liquid_voxel_volume(&s->def) * sp_exact_total(w.gain, s->grid.tiles.count, 1);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return w.gain ? SP_OK : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to fill the open sides");
}

sp_status liquid_fill_sides(liquid *s, sp_error *err)
{
    liquid_level_beyond_sides(&s->grid, &s->def);
    if (!liquid_has_level(&s->def)) return SP_OK;
    if (!liquid_has_particles(&s->def)) return wet_sides(s, err);
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    side_filling f = {.s = s,
                      .wanted = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count)};
    const liquid_seeder seeder = liquid_seeder_of(s);
    sp_status status = SP_OK;
    uint64_t count = 0;
    if (f.wanted) {
        sp_tiles_parallel(&s->grid.tiles, fill_tiles, &f);
        status =
            liquid_seed(&seeder, (const sp_tile_mask *)f.wanted, NULL, NULL, NULL, &count, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "liquid: no memory to fill the open sides");
    }
    s->figures.emitted += count;
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// ---- Outflow -----------------------------------------------------------------------------------

typedef struct counting {
    const liquid *s;
    double (*sum)[2]; ///< by tile: outflow, and the energy that it takes along, of unit voxels
} counting;

/// Share of the water of a voxel that is counted by its flow: where reseeding keeps no particles.
static float share_of(const liquid *s, float phi)
{
    const float deep = (float)s->def.narrow_band * s->grid.voxel;
    if (liquid_has_particles(&s->def)) return deep > 0.0f && phi < -deep ? 1.0f : 0.0f;
    return sp_clamp(0.5f - phi / s->grid.voxel, 0.0f, 1.0f);
}

/// Adds what flows through the low face of a voxel; `out` is 1 if the voxel lies beyond the side,
/// and -1 if it lies just inside one. phi: of the voxel inside.
static void count_face(const counting *c, size_t t, int n, int axis, float open, float phi,
                       double out)
{
    const liquid *s = c->s;
    const double u = (double)s->grid.u[axis][t * SP_TILE_VOXELS + (size_t)n];
    const double flow = out * u * (double)(open * share_of(s, phi));
    double p[3], energy = 0.5 * u * u;
    liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
    p[axis] -= 0.5 * (double)s->grid.voxel;
    for (int a = 0; a < 3; ++a)
        energy -= (double)s->gravity[a] * p[a];
    c->sum[t][0] += flow;
    c->sum[t][1] += flow * energy;
}

static void count_tile(const counting *c, size_t t, const int first[3], const int last[3])
{
    const liquid *s = c->s;
    const sp_tiles *tiles = &s->grid.tiles;
    int kind[6];
    liquid_side_kinds(&s->def.sides, kind);
    for (int axis = 0; axis < 3; ++axis) {
        float low[SP_TILE_VOXELS], high[SP_TILE_VOXELS], before[SP_TILE_VOXELS];
        const bool cut = sp_flow_open_fractions(&s->solids, tiles, (uint32_t)t, axis, low, high);
        sp_tiles_shift(tiles, s->grid.phi, (uint32_t)t, axis, -1, s->grid.band, before);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const int at[3] = {n & 7, n >> 3 & 7, n >> 6};
            const float open = cut ? low[n] : 1.0f;
            bool beside = true;
            for (int a = 0; a < 3; ++a)
                beside &= a == axis || (at[a] >= first[a] && at[a] <= last[a]);
            if (!beside) continue;
            if (at[axis] == first[axis] && first[axis] > 0)
                count_face(c, t, n, axis, open, s->grid.phi[t * SP_TILE_VOXELS + (size_t)n], -1.0);
            else if (at[axis] == last[axis] + 1)
                count_face(c, t, n, axis, open, before[n], 1.0);
        }
    }
}

static void count_tiles(void *arg, size_t begin, size_t end)
{
    const counting *c = arg;
    for (size_t t = begin; t < end; ++t) {
        int first[3], last[3];
        c->sum[t][0] = c->sum[t][1] = 0.0;
        const bool near = liquid_inside_span(&c->s->grid, &c->s->def, t, first, last);
        if (near && !sp_flow_is_solid(&c->s->solids, t)) count_tile(c, t, first, last);
    }
}

sp_status liquid_count_outflow(liquid *s, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const double h = (double)s->grid.voxel;
    counting c = {s, sp_scratch_take(&s->scratch, s->grid.tiles.count, sizeof *c.sum)};
    if (c.sum) {
        sp_tiles_parallel(&s->grid.tiles, count_tiles, &c);
        s->figures.outflow += h * h * dt * sp_exact_total(c.sum[0], s->grid.tiles.count, 2);
        s->figures.left_energy += (double)s->def.density * h * h * dt *
                                  sp_exact_total(c.sum[0] + 1, s->grid.tiles.count, 2);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return c.sum ? SP_OK : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to count the outflow");
}
