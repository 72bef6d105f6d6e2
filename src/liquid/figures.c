// SPDX-License-Identifier: Apache-2.0
/// Sums up the water at one moment: volume, energies, counts.
#include "liquid/pressure/pressure_boundaries.h"
#include "liquid/pressure/volume.h"

typedef struct summing {
    const liquid *s;
    double (*tile)[3];
} summing;

/// Wet voxels, their kinetic energy and their height, in units of a voxel's mass.
static void sum_tile(const liquid *s, size_t t, double out[3])
{
    float shares[SP_TILE_VOXELS], high[3][SP_TILE_VOXELS];
    out[0] = out[1] = out[2] = 0.0;
    liquid_find_shares(&s->grid, &s->solids, &s->def, t, shares);
    for (int a = 0; a < 3; ++a)
        sp_tiles_shift(&s->grid.tiles, s->grid.u[a], (uint32_t)t, a, 1, 0.0f, high[a]);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const double share = (double)shares[n];
        if (share == 0.0) continue;
        double speed2 = 0.0, p[3], height = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double u =
                0.5 * (double)(s->grid.u[a][t * SP_TILE_VOXELS + (size_t)n] + high[a][n]);
            speed2 += u * u;
        }
        liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
        for (int a = 0; a < 3; ++a)
            height -= (double)s->gravity[a] * p[a];
        out[0] += share;
        out[1] += 0.5 * share * speed2;
        out[2] += share * height;
    }
}

static void sum_tiles(void *arg, size_t begin, size_t end)
{
    const summing *m = arg;
    for (size_t t = begin; t < end; ++t)
        sum_tile(m->s, t, m->tile[t]);
}

/// Sums over all water: voxels, kinetic and potential energy of voxels of mass 1; 0 without memory.
static void sum_water(liquid *s, double sum[3])
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    summing m = {.s = s};
    m.tile = sp_scratch_take(&s->scratch, s->grid.tiles.count, sizeof *m.tile);
    sum[0] = sum[1] = sum[2] = 0.0;
    if (m.tile) {
        sp_tiles_parallel(&s->grid.tiles, sum_tiles, &m);
        for (int k = 0; k < 3; ++k)
            sum[k] = sp_exact_total(m.tile[0] + k, s->grid.tiles.count, 3);
    }
    sp_scratch_rewind(&s->scratch, mark);
}

/// ---- Divergence --------------------------------------------------------------------------------

typedef struct diverging {
    const sp_flow_equation *equation;
    float *size; ///< |divergence| voxel by cell, m/s; -1 in cells that are not water
} diverging;

static void diverge_tiles(void *arg, size_t begin, size_t end)
{
    const diverging *d = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *level = d->equation->level + t * SP_TILE_VOXELS;
        float *size = d->size + t * SP_TILE_VOXELS;
        sp_flow_divergence(d->equation, (uint32_t)t, size);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            size[n] = level[n] < 0.0f ? fabsf(size[n]) : -1.0f;
    }
}

/// The value that a share of all values >= 0 does not exceed, rounded up by at most an eighth.
static double quantile(const float *values, size_t count, double share)
{
    enum { BINS = 1 << 12, SHIFT = 20 }; // the bits of floats: eight bins for each power of 2
    size_t bins[BINS] = {0}, all = 0, seen = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bins[bits >> SHIFT] += values[i] >= 0.0f;
        all += values[i] >= 0.0f;
    }
    uint32_t bin = 0;
    while (bin < BINS && (double)(seen += bins[bin]) < share * (double)all)
        ++bin;
    const uint32_t bits = ((bin + 1) << SHIFT) - 1;
    float value;
    memcpy(&value, &bits, sizeof value);
    return all > 0 ? (double)value : 0.0;
}

/// |divergence| voxel/speed of the velocity as frames publish it: in 99 % of the water it is less
/// than out[0], and nowhere more than out[1]. 0 without memory.
static void measure_divergence(liquid *s, double out[2])
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const size_t voxels = s->grid.tiles.count * SP_TILE_VOXELS;
    const liquid_equation_def def = {&s->grid, &s->solids, &s->def, s->gravity, true, s->last_dt};
    sp_flow_equation equation;
    diverging d = {&equation, sp_scratch_array(&s->scratch, float, voxels)};
    sp_error ignored;
    out[0] = out[1] = 0.0;
    if (d.size && s->figures.speed > 0.0 &&
        liquid_equation_make(&def, &s->scratch, &equation, &ignored) == SP_OK) {
        sp_tiles_parallel(&s->grid.tiles, diverge_tiles, &d);
        out[0] = quantile(d.size, voxels, 0.99) / s->figures.speed;
        for (size_t i = 0; i < voxels; ++i)
            out[1] = fmax(out[1], (double)d.size[i]);
        out[1] /= s->figures.speed;
    }
    sp_scratch_rewind(&s->scratch, mark);
}

/// ---- All of it ---------------------------------------------------------------------------------

static size_t bytes_of(const liquid *s)
{
    const size_t fields = 10 + (s->grid.phi_advected || s->grid.phi_last ? 4 : 0) +
                          (s->grid.aeration ? 1 : 0) + (s->grid.spread[0] ? 3 : 0);
    return sp_bulk_pasts_bytes(&s->pasts) +
           s->grid.store.room *
               (fields * SP_TILE_VOXELS * sizeof(float) + 5 * sizeof(sp_tile_mask)) +
           s->solids.room * sizeof *s->solids.tile + sp_poisson_bytes(s->poisson) +
           s->scratch.size + s->particles.set.capacity * (7 * sizeof(float) + sizeof(uint64_t)) +
           sp_tiles_bytes(&s->grid.tiles);
}

sp_liquid_figures sp_liquid_last(const liquid *s)
{
    sp_liquid_figures f = s->figures;
    f.time = s->time;
    f.steps = s->steps;
    f.particles = s->particles.set.count;
    f.tiles = s->grid.tiles.count;
    f.bytes = bytes_of(s);
    return f;
}

sp_liquid_figures sp_liquid_look(liquid *s)
{
    sp_liquid_figures f = sp_liquid_last(s);
    double sum[3];
    sum_water(s, sum);
    const double mass = (double)s->def.density * liquid_voxel_volume(&s->def);
    f.volume = sum[0] * liquid_voxel_volume(&s->def);
    f.wanted_volume = liquid_wanted_volume(&s->def, &s->figures);
    f.left_volume = f.outflow + (double)f.left * liquid_voxel_volume(&s->def) /
                                    (double)s->def.particles_per_cell;
    f.cells = (size_t)sum[0];
    f.kinetic = mass * sum[1];
    f.potential = mass * sum[2];
    measure_divergence(s, f.divergence);
    return f;
}
