// SPDX-License-Identifier: Apache-2.0
/// Sums up particles and water at one moment: volumes, momentum, the fullest face.
#include "bubbles/sources/sizes.h"

/// Sums over a tile: shares of all faces; volume of particles, m3; momentum of particles and water, kg m/s
/// over the volume of a voxel; faces with more than a whole share; and the largest fill.
enum { AIR, VOLUME, MOMENTUM, OVERFULL = MOMENTUM + 3, SUMS, FULLEST = SUMS, FIGURES };

typedef struct summing {
    const bubbles *s;
    double (*tile)[FIGURES];
} summing;

static void sum_particles(const bubbles *s, size_t t, double sum[FIGURES])
{
    const bubbles_particles *p = &s->particles;
    const double h = (double)s->grid.voxel, voxel = h * h * h;
    for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
        const double volume = (double)bubbles_volume(p->radius[i]);
        sum[VOLUME] += (double)bubbles_volume(bubbles_shown_radius(p->radius[i], p->place[i]));
        for (int a = 0; a < 3; ++a)
            sum[MOMENTUM + a] += (double)p->density[i] * volume / voxel * (double)p->v[a][i];
    }
}

/// Tiles without particles have water alone; other fields are not up to date there.
static void sum_faces(const bubbles *s, size_t t, double sum[FIGURES])
{
    const bubbles_grid *g = &s->grid;
    const size_t first = t * SP_TILE_VOXELS;
    const bool busy = bubbles_is_busy(g, t);
    for (int a = 0; a < 3; ++a) {
        double water = 0.0, air = 0.0;
        for (size_t n = first; n < first + SP_TILE_VOXELS; ++n) {
            const double share = busy ? (double)g->share[a][n] : 0.0,
                         fill = busy ? (double)g->fill[a][n] : 0.0;
            air += share;
            water += (1.0 - share) * (double)g->u[a][n];
            sum[FULLEST] = fmax(sum[FULLEST], fill);
            sum[OVERFULL] += fill > 1.0;
        }
        sum[AIR] += air;
        sum[MOMENTUM + a] += (double)s->def.density * water;
    }
}

static void sum_tiles(void *arg, size_t begin, size_t end)
{
    const summing *m = arg;
    for (size_t t = begin; t < end; ++t) {
        memset(m->tile[t], 0, sizeof *m->tile);
        sum_particles(m->s, t, m->tile[t]);
        sum_faces(m->s, t, m->tile[t]);
    }
}

/// The sums over all tiles, whatever the threads; all 0 without memory.
static void sum_all(const bubbles *s, double sum[FIGURES])
{
    const size_t tiles = s->grid.tiles.count;
    summing m = {s, sp_allocate(s->host, tiles, sizeof *m.tile)};
    memset(sum, 0, FIGURES * sizeof *sum);
    if (!m.tile) return;
    sp_tiles_parallel(&s->grid.tiles, sum_tiles, &m);
    for (size_t k = 0; k < SUMS && tiles > 0; ++k)
        sum[k] = sp_exact_total(m.tile[0] + k, tiles, FIGURES);
    for (size_t t = 0; t < tiles; ++t)
        sum[FULLEST] = fmax(sum[FULLEST], m.tile[t][FULLEST]);
    sp_release(s->host, m.tile);
}

/// ---- All of it ---------------------------------------------------------------------------------

static size_t busy_tiles(const bubbles *s)
{
    size_t count = 0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        count += bubbles_is_busy(&s->grid, t);
    return count;
}

static size_t bytes_of(const bubbles *s)
{
    enum { FIELDS = 48 + 1 }; // with the spare one
    const size_t columns = 11 * sizeof(float) + sizeof(uint32_t) + sizeof(uint64_t),
                 entry = 3 * sizeof(double) + 6 * sizeof(float);
    return s->grid.store.room * FIELDS * SP_TILE_VOXELS * sizeof(float) +
           s->grid.tile_room * (2 + sizeof *s->grid.idle) + sp_tiles_bytes(&s->grid.tiles) +
           (s->water ? sp_liquid_last(s->water).bytes
                     : s->solids.room * sizeof *s->solids.tile + sp_poisson_bytes(s->poisson)) +
           s->scratch.size + (s->particles.set.capacity + s->particles.spare.capacity) * columns +
           s->fresh.room * entry;
}

sp_bubbles_figures sp_bubbles_last(const bubbles *s)
{
    sp_bubbles_figures f = s->figures;
    f.time = s->time;
    f.dt = s->last_dt;
    f.substeps = s->substeps;
    f.particles = s->particles.set.count;
    f.tiles = s->grid.tiles.count;
    f.busy_tiles = busy_tiles(s);
    return f;
}

sp_bubbles_figures sp_bubbles_look(const bubbles *s)
{
    const double h = (double)s->grid.voxel, voxel = h * h * h;
    sp_bubbles_figures f = sp_bubbles_last(s);
    double sum[FIGURES];
    sum_all(s, sum);
    f.air_volume = voxel * sum[AIR] / 3.0;
    f.particle_volume = sum[VOLUME];
    for (int a = 0; a < 3; ++a)
        f.momentum[a] = voxel * sum[MOMENTUM + a];
    f.fullest = sum[FULLEST];
    f.overfull = (size_t)sum[OVERFULL];
    f.bytes = bytes_of(s);
    return f;
}
