// SPDX-License-Identifier: Apache-2.0
/// What is to be said of the water at one moment.
#include "liquid/internal.h"

typedef struct summing {
    const liquid *s;
    double (*tile)[3];
} summing;

static float clamp01(float x)
{
    return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

/// Open share of a voxel out of its corners: the mean of two cuts across z, at Gauss's places, so
/// that a wall that runs along a side takes nothing off.
static float open_volume(const float *corner)
{
    static const float place[2] = {0.21132487f, 0.78867513f};
    static const int around[4] = {0, 1, 10, 9};
    float sum = 0.0f;
    for (int cut = 0; cut < 2; ++cut) {
        float psi[4];
        for (int c = 0; c < 4; ++c)
            psi[c] = sp_mix(corner[around[c]], corner[around[c] + 81], place[cut]);
        sum += 0.5f * sp_face_open(psi[0], psi[1], psi[2], psi[3]);
    }
    return sum;
}

void liquid_find_shares(const liquid *s, size_t t, float share[SP_TILE_VOXELS])
{
    const float *phi = s->phi + t * SP_TILE_VOXELS, per_voxel = 1.0f / s->voxel;
    const uint32_t row = s->solid.row[t];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        share[n] = row == LIQUID_TILE_SOLID ? 0.0f : clamp01(0.5f - phi[n] * per_voxel);
    for (int n = 0; n < SP_TILE_VOXELS && row < LIQUID_TILE_SOLID; ++n) {
        const float *corner = s->solid.tile[row].psi + (n & 7) + 9 * (n >> 3 & 7) + 81 * (n >> 6);
        share[n] *= open_volume(corner);
    }
}

/// Wet voxels, their kinetic energy and their height, in units of a voxel's mass.
static void sum_tile(const liquid *s, size_t t, double out[3])
{
    float shares[SP_TILE_VOXELS], high[3][SP_TILE_VOXELS];
    out[0] = out[1] = out[2] = 0.0;
    liquid_find_shares(s, t, shares);
    for (int a = 0; a < 3; ++a)
        sp_tiles_shift(&s->tiles, s->u[a], (uint32_t)t, a, 1, 0.0f, high[a]);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const double share = (double)shares[n];
        if (share == 0.0) continue;
        double speed2 = 0.0, p[3], height = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double u = 0.5 * (double)(s->u[a][t * SP_TILE_VOXELS + (size_t)n] + high[a][n]);
            speed2 += u * u;
        }
        liquid_voxel_center(s, (uint32_t)t, n, p);
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

/// Sums over all water: voxels, kinetic and potential energy of voxels of mass 1. False: no memory.
static bool sum_water(liquid *s, double sum[3])
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    summing m = {.s = s};
    m.tile = sp_scratch_take(&s->scratch, s->tiles.count, sizeof *m.tile);
    sum[0] = sum[1] = sum[2] = 0.0;
    if (m.tile) {
        sp_tiles_parallel(&s->tiles, sum_tiles, &m);
        for (int k = 0; k < 3; ++k)
            sum[k] = sp_exact_total(m.tile[0] + k, s->tiles.count, 3);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return m.tile != NULL;
}

double liquid_wanted_volume(const liquid *s)
{
    const sp_liquid_figures *f = &s->figures;
    const double went = (double)(f->drained + f->left + f->stuck);
    return f->start_volume + ((double)f->emitted - went) * pow((double)s->voxel, 3.0) /
                                 (double)s->def.particles_per_cell;
}

double liquid_missing(liquid *s)
{
    double sum[3];
    if (s->def.volume_correction <= 0.0f || !sum_water(s, sum) || sum[0] <= 0.0) return 0.0;
    return liquid_wanted_volume(s) / (sum[0] * pow((double)s->voxel, 3.0)) - 1.0;
}

double liquid_volume_rate(const liquid *s, double missing)
{
    const double time = 0.05, most = 0.5; // s to put it right in, and 1/s: more could be seen
    return fmin(most, fmax(-most, (double)s->def.volume_correction * missing / time));
}

static size_t bytes_of(const liquid *s)
{
    const size_t fields = 10 + (s->carried_phi ? 4 : 0) + (s->aeration ? 1 : 0);
    return s->field_room * (fields * SP_TILE_VOXELS * sizeof(float) + 5 * sizeof(sp_tile_mask)) +
           s->solid.room * sizeof *s->solid.tile + sp_poisson_bytes(s->poisson) + s->scratch.size +
           s->particles.set.capacity * (7 * sizeof(float) + sizeof(uint64_t)) +
           sp_tiles_bytes(&s->tiles);
}

sp_liquid_figures sp_liquid_last(const liquid *s)
{
    sp_liquid_figures f = s->figures;
    f.time = s->time;
    f.steps = s->steps;
    f.particles = s->particles.set.count;
    f.tiles = s->tiles.count;
    return f;
}

sp_liquid_figures sp_liquid_look(liquid *s)
{
    sp_liquid_figures f = sp_liquid_last(s);
    double sum[3];
    sum_water(s, sum);
    const double mass = (double)s->def.density * pow((double)s->voxel, 3.0);
    f.volume = sum[0] * pow((double)s->voxel, 3.0);
    f.wanted_volume = liquid_wanted_volume(s);
    f.cells = (size_t)sum[0];
    f.kinetic = mass * sum[1];
    f.potential = mass * sum[2];
    f.bytes = bytes_of(s);
    return f;
}
