// SPDX-License-Identifier: Apache-2.0
/// Finds the divergence that makes particles and phi agree about the volume of water.
///
/// A velocity without divergence conserves volume only if particles follow it exactly. They do not:
/// they crowd in some places and thin out in others (a dam break of 18 voxels' height had 10 % too
/// many a voxel after 10 s, and so much less volume). phi does not have the right volume either:
/// where surfaces meet it closes over gaps, and it makes spray wider than its particles. So both
/// are compared, and the pressure solve gets a divergence that makes them agree (as in Losasso et
/// al. 2008; Kugelstadt et al. 2019 solve for it separately): with
///
///     have   particles of a voxel over particles_per_cell
///     want   share of it that is water, by phi, solids and the bubbles in it
///     e      = K*have/K*want - 1,   K the weights 1/4, 1/2, 1/4 along each axis
///
/// water expands at a rate of e/0.05 s, after 0.05 is taken off |e| for the noise of particles, at
/// most 6 1/s either way. The mean of e over all water has no noise: it is corrected within 0.02 s.
/// If particles crowd, this starts beyond 0.005 (the accuracy of the radii); long steps make them
/// crowd (5 voxels a step lost 8 % of a dam break in 10 s). If phi has more volume than the
/// particles, it starts beyond 0.02; spray causes that. Below a narrow band the grid's water counts
/// as much as phi says, and gets no divergence.
///
/// For 8 particles a voxel at random places, K*have has a deviation of 8 %. A wider K would reach
/// through sheets.
#include "liquid/particles/voxels.h"
#include "liquid/pressure/volume.h"

static const float noise = 0.05f, time_scale = 0.05f, most = 6.0f; // of e; s; 1/s
static const float mean_time_scale = 0.02f;                        // s
static const float least = 0.25f; // K*want, below which there is too little water to compare

typedef struct measuring {
    const liquid_volume_def *d;
    float *have, *want, *source;
    double (*sum)[2]; ///< of have and want, by tile
    float level;      ///< the value of K*have/K*want that counts as e = 0
    float mean;       ///< the part of the mean of e over all water that is corrected
    float everywhere; ///< m/s; added to every voxel of `source`
} measuring;

/// One voxel above the end of the band, so that particles fill the water above that depth.
float liquid_grid_depth(const sp_liquid_def *def)
{
    return def->narrow_band > 0 ? -((float)def->narrow_band - 1.0f) * def->voxel : -INFINITY;
}

/// ---- Measured volume ---------------------------------------------------------------------------

/// phi of deep water as the grid advected it; NULL: there is no narrow band.
static const float *deep_phi(const liquid_volume_def *d, size_t t)
{
    return d->def->narrow_band > 0 ? d->grid->phi_advected + t * SP_TILE_VOXELS : NULL;
}

static void measure_tile(const measuring *m, size_t t)
{
    const liquid_volume_def *d = m->d;
    float *have = m->have + t * SP_TILE_VOXELS, *want = m->want + t * SP_TILE_VOXELS;
    const float per = 1.0f / (float)d->def->particles_per_cell, deep = liquid_grid_depth(d->def);
    const float *carried = deep_phi(d, t);
    liquid_voxels first;
    liquid_voxels_of(d->particles, t, first);
    liquid_find_shares(d->grid, d->solids, d->def, t, want);
    for (int v = 0; d->air && v < SP_TILE_VOXELS; ++v)
        want[v] *= 1.0f - d->air[t * SP_TILE_VOXELS + (size_t)v];
    double sum[2] = {0};
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        const bool grids = carried && carried[v] < deep;
        have[v] = grids ? want[v] : (float)(first[v + 1] - first[v]) * per;
        sum[0] += (double)have[v];
        sum[1] += (double)want[v];
    }
    memcpy(m->sum[t], sum, sizeof sum);
}

static void measure_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        measure_tile(arg, t);
}

/// Where nothing flows in or out, the debt of reseeding is known exactly. (Particles that pass into
/// the grid's water and back do not quite match the volume of that water.)
static void measure_particle_debt(const liquid_volume_def *d, liquid_balance *balance, double have)
{
    const double per_cell = (double)d->def->particles_per_cell;
    const double gone = (double)(d->figures->left + d->figures->stuck) / per_cell;
    if (!balance->closed) return;
    if (d->first) balance->water = have + gone;
    balance->debt_eighths = (int64_t)((balance->water - gone - have) * per_cell * 8.0);
}

/// ---- Wanted divergence -------------------------------------------------------------------------

/// K applied to the values of a tile.
static void smooth(const sp_tiles *tiles, const float *x, size_t t, float out[SP_TILE_VOXELS])
{
    float a[SP_TILE_BLOCK], b[SP_TILE_BLOCK];
    sp_tiles_block(tiles, x, (uint32_t)t, 0.0f, a);
    memcpy(b, a, sizeof b); // the ends of b are never read
    for (int n = 1; n < SP_TILE_BLOCK - 1; ++n)
        b[n] = 0.25f * (a[n - 1] + a[n + 1]) + 0.5f * a[n];
    for (int n = 10; n < SP_TILE_BLOCK - 10; ++n)
        a[n] = 0.25f * (b[n - 10] + b[n + 10]) + 0.5f * b[n];
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float *c = a + 111 + n % 8 + 10 * (n / 8 % 8) + 100 * (n / 64);
        out[n] = 0.25f * (c[-100] + c[100]) + 0.5f * c[0];
    }
}

static void divergence_of_tile(const measuring *m, size_t t)
{
    const liquid_volume_def *d = m->d;
    const float voxel = d->grid->voxel;
    float have[SP_TILE_VOXELS], want[SP_TILE_VOXELS];
    float *out = m->source + t * SP_TILE_VOXELS;
    const float *carried = deep_phi(d, t);
    const float deep = liquid_grid_depth(d->def), per_time = voxel / time_scale;
    smooth(&d->grid->tiles, m->have, t, have);
    smooth(&d->grid->tiles, m->want, t, want);
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        const bool measured = want[v] > least && !(carried && carried[v] < deep);
        const float e = measured ? have[v] / want[v] - m->level - m->mean : 0.0f;
        const float beyond_noise = (e > noise    ? e - noise
                                    : e < -noise ? e + noise
                                                 : 0.0f) +
                                   (measured ? m->mean * (time_scale / mean_time_scale) : 0.0f);
        const float wanted = fminf(fmaxf(beyond_noise * per_time, -most * voxel), most * voxel);
        out[v] = wanted + m->everywhere;
    }
}

/// Whether a tile has water, phi < 0. Elsewhere nothing reads the divergence.
static bool has_water(const float *phi)
{
    float deepest = phi[0];
    for (int n = 1; n < SP_TILE_VOXELS; ++n)
        deepest = phi[n] < deepest ? phi[n] : deepest;
    return deepest < 0.0f;
}

static void divergence_of_tiles(void *arg, size_t begin, size_t end)
{
    const measuring *m = arg;
    for (size_t t = begin; t < end; ++t)
        if (has_water(m->d->grid->phi + t * SP_TILE_VOXELS))
            divergence_of_tile(m, t);
        else
            sp_tile_fill(m->source + t * SP_TILE_VOXELS, 0.0f);
}

/// ---- All of it ---------------------------------------------------------------------------------

static bool spread(const liquid_volume_def *d, liquid_balance *balance, float *source,
                   sp_scratch *scratch)
{
    const sp_tiles *tiles = &d->grid->tiles;
    const size_t count = tiles->count, voxels = count * SP_TILE_VOXELS;
    measuring m = {.d = d, .source = source, .level = 1.0f};
    m.have = sp_scratch_array(scratch, float, voxels);
    m.want = sp_scratch_array(scratch, float, voxels);
    m.sum = sp_scratch_take(scratch, count, sizeof *m.sum);
    if (!m.have || !m.want || !m.sum) return false;
    sp_tiles_parallel(tiles, measure_tiles, &m);
    const double have = sp_exact_total(m.sum[0], count, 2),
                 want = sp_exact_total(m.sum[0] + 1, count, 2);
    measure_particle_debt(d, balance, have);
    if (want > 0.0) {
        const double owed =
            (double)balance->debt_eighths / (8.0 * (double)d->def->particles_per_cell);
        const double missing = (have + owed) / want - 1.0;
        m.everywhere = (float)liquid_volume_rate(d->def, missing) * d->grid->voxel;
        m.level = (float)(1.0 + (double)d->def->volume_correction * (have / want - 1.0));
        const double mean = have / want - (double)m.level, exact = 0.005, wide = 0.02;
        m.mean = (float)(fmax(0.0, mean - exact) + fmin(0.0, mean + wide));
    }
    sp_tiles_parallel(tiles, divergence_of_tiles, &m);
    return true;
}

bool liquid_divergence_of_particles(const liquid_volume_def *d, liquid_balance *balance,
                                    float *source, sp_scratch *scratch)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const bool done = spread(d, balance, source, scratch);
    sp_scratch_rewind(scratch, mark);
    return done;
}

void liquid_divergence_everywhere(const liquid_grid *g, const sp_liquid_def *def, double missing,
                                  float *source)
{
    const float everywhere = (float)liquid_volume_rate(def, missing) * g->voxel;
    for (size_t i = 0; i < g->tiles.count * SP_TILE_VOXELS; ++i)
        source[i] = everywhere;
}
