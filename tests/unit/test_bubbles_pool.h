// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_BUBBLES_POOL_H
#define SP_TEST_BUBBLES_POOL_H

/// A bubbles solver with tiles, particles and shares, and nothing else. Particles are rasterised
/// and values interpolated face by face.

#include "bubbles/sources/sizes.h"
#include "bubbles/tension/tension.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

typedef struct pool {
    bubbles s; // first, so that the basis finds the rest
    sp_host host;
    size_t n, room;
    double (*x)[3]; ///< voxels; places of particles
} pool;

static inline float unit_noise(uint32_t i, uint32_t k) ///< in [0, 1)
{
    uint32_t x = i * 2654435761u + k * 40503u + 12345u;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (float)((x ^ x >> 16) >> 8) * 0x1p-24f;
}

/// The eight faces of axis a around a particle: their values in a field, or -1, and their weights.
static inline void weights_of(const pool *p, const double x[3], int axis, int64_t at[8],
                              double weight[8])
{
    int32_t low[3];
    double f[3];
    for (int a = 0; a < 3; ++a) {
        const double y = x[a] - (a == axis ? 0.0 : 0.5);
        low[a] = (int32_t)floor(y);
        f[a] = y - low[a];
    }
    for (int n = 0; n < 8; ++n) {
        const int32_t v[3] = {low[0] + (n & 1), low[1] + (n >> 1 & 1), low[2] + (n >> 2)};
        const uint32_t tile = sp_tiles_find(
            &p->s.grid.tiles, (int32_t[3]){sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])});
        at[n] = tile == SP_NO_TILE
                    ? -1
                    : (int64_t)tile * SP_TILE_VOXELS + sp_tile_place(v[0], v[1], v[2]);
        weight[n] = 1.0;
        for (int a = 0; a < 3; ++a)
            weight[n] *= n >> a & 1 ? f[a] : 1.0 - f[a];
    }
}

static inline sp_status interpolate(bubbles *s, float *const field[3], float *const out[3],
                                    sp_error *err)
{
    const pool *p = (const pool *)s;
    (void)err;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < p->n; ++i) {
            int64_t at[8];
            double weight[8], sum = 0.0;
            weights_of(p, p->x[i], axis, at, weight);
            for (int n = 0; n < 8; ++n)
                if (at[n] >= 0 && weight[n] > 0.0) sum += weight[n] * (double)field[axis][at[n]];
            out[axis][i] = (float)sum;
        }
    return SP_OK;
}

static inline sp_status rasterise(bubbles *s, const bubbles_raster *raster, uint8_t *reached,
                                  sp_error *err)
{
    const pool *p = (const pool *)s;
    const size_t values = s->grid.tiles.count * SP_TILE_VOXELS;
    (void)err;
    if (reached) memset(reached, 1, s->grid.tiles.count);
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < BUBBLES_QUAD; ++k) {
            float *to = raster->to[axis][k];
            if (to) memset(to, 0, values * sizeof *to);
            for (size_t i = 0; to && i < p->n; ++i) {
                int64_t at[8];
                double weight[8];
                weights_of(p, p->x[i], axis, at, weight);
                for (int n = 0; n < 8; ++n)
                    if (at[n] >= 0)
                        to[at[n]] += (float)(weight[n] * (double)raster->from[axis][k][i]);
            }
        }
    return SP_OK;
}

static const bubbles_basis stub_basis = {.rasterise = rasterise, .interpolate = interpolate};

/// Tiles from `low` to `high`, without those that `holes` leaves out (one in so many; 0: none).
static inline void open_pool(pool *p, int threads, const int32_t low[3], const int32_t high[3],
                             uint32_t holes, const int32_t period[3])
{
    static const int32_t none[3] = {0};
    int32_t at[512][3];
    size_t count = 0;
    uint32_t number = 0;
    *p = (pool){.host = sp_host_default(threads)};
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t j = low[1]; j <= high[1]; ++j)
            for (int32_t i = low[0]; i <= high[0]; ++i, ++number) {
                if (holes && number % holes == 1) continue;
                at[count][0] = i;
                at[count][1] = j;
                at[count++][2] = k;
            }
    bubbles *s = &p->s;
    bubbles_grid *g = &s->grid;
    s->host = &p->host;
    s->basis = &stub_basis;
    g->voxel = 0.00125f;
    s->def.tension = (sp_bubbles_tension_def){.coefficient = 0.0072f,
                                              .filter = true,
                                              .drift = true,
                                              .curvature_passes = 1,
                                              .pocket_min_voxels = 24};
    s->def.volume_gain = 0.5f;
    assert_ok(sp_tiles_open_periodic(&g->tiles, s->host, g->voxel, period ? period : none,
                                     (const int32_t(*)[3])at, count, ERR));
    for (int a = 0; a < 3; ++a) {
        assert_non_null(g->share[a] = sp_tiles_field(&g->tiles, 0.0f));
        assert_non_null(g->fill[a] = sp_tiles_field(&g->tiles, 0.0f));
        assert_non_null(g->place[a] = sp_tiles_field(&g->tiles, 0.0f));
        assert_non_null(g->force[a] = sp_tiles_field(&g->tiles, NAN));
    }
    assert_non_null(g->source = sp_tiles_field(&g->tiles, NAN));
    assert_non_null(g->busy = sp_allocate(s->host, count, 1));
    assert_true(sp_scratch_open(&s->scratch, s->host, 0));
}

static inline void close_pool(pool *p)
{
    bubbles *s = &p->s;
    assert_int_equal(s->scratch.used, 0);
    for (int a = 0; a < 3; ++a) {
        sp_release(s->host, s->grid.share[a]);
        sp_release(s->host, s->grid.fill[a]);
        sp_release(s->host, s->grid.place[a]);
        sp_release(s->host, s->grid.force[a]);
        sp_release(s->host, s->at.force[a]);
    }
    sp_release(s->host, s->grid.source);
    sp_release(s->host, s->grid.busy);
    sp_release(s->host, s->particles.radius);
    sp_release(s->host, s->particles.place);
    sp_scratch_close(&s->scratch);
    sp_tiles_close(&s->grid.tiles);
    free(p->x);
}

/// m
static inline float surfacing_in(const pool *p)
{
    return bubbles_surfacing_radius(p->s.grid.voxel);
}

/// x in voxels, the radius in m.
static inline void add_particle(pool *p, const double x[3], float radius)
{
    if (p->n == p->room) {
        const size_t room = p->room ? 2 * p->room : 1024;
        assert_non_null(p->x = realloc(p->x, room * sizeof *p->x));
        assert_true(sp_regrow(p->s.host, (void **)&p->s.particles.radius, p->n, room, 4));
        assert_true(sp_regrow(p->s.host, (void **)&p->s.particles.place, p->n, room, 4));
        for (int a = 0; a < 3; ++a)
            assert_true(sp_regrow(p->s.host, (void **)&p->s.at.force[a], p->n, room, 4));
        p->room = room;
    }
    memcpy(p->x[p->n], x, sizeof *p->x);
    p->s.particles.place[p->n] = 0.0f;
    p->s.particles.radius[p->n++] = radius;
    p->s.particles.set.count = p->n;
}

/// Lets the last particle stand for a place of a lattice; spacing in voxels.
static inline void stand_for(pool *p, float spacing)
{
    const float edge = spacing * p->s.grid.voxel;
    p->s.particles.place[p->n - 1] = edge * edge * edge;
}

/// A ball of particles on a lattice of half a voxel, shifted by up to `jitter` of it either way.
/// Every `thin`-th is left out at random (0: none).
static inline void add_ball(pool *p, const double centre[3], double radius, float jitter,
                            float thin)
{
    const int n = (int)(2.0 * radius) + 2;
    uint32_t seed = 1;
    for (int k = -n; k < n; ++k)
        for (int j = -n; j < n; ++j)
            for (int i = -n; i < n; ++i, ++seed) {
                const double d[3] = {0.5 * i + 0.25, 0.5 * j + 0.25, 0.5 * k + 0.25};
                if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > radius * radius) continue;
                if (unit_noise(seed, 3) < thin) continue;
                double x[3];
                for (int a = 0; a < 3; ++a)
                    x[a] = centre[a] + d[a] +
                           0.5 * (double)jitter * ((double)unit_noise(seed, (uint32_t)a) - 0.5);
                add_particle(p, x, surfacing_in(p));
                stand_for(p, 0.5f);
            }
    p->s.places = true;
}

/// Shares from fill, and the tiles that are busy.
static inline void clamp_fill(pool *p)
{
    bubbles_grid *g = &p->s.grid;
    for (size_t t = 0; t < g->tiles.count; ++t) {
        g->busy[t] = 0;
        for (int a = 0; a < 3; ++a)
            for (size_t n = t * SP_TILE_VOXELS; n < (t + 1) * SP_TILE_VOXELS; ++n) {
                if (g->fill[a][n] < BUBBLES_EMPTY) g->fill[a][n] = 0.0f;
                g->share[a][n] = fminf(g->fill[a][n], 1.0f);
                if (g->share[a][n] > 0.0f) g->busy[t] = 1;
            }
    }
}

static inline void fill_from_particles(pool *p)
{
    bubbles_grid *g = &p->s.grid;
    float *volume = malloc(2 * (p->n + 1) * sizeof *volume), *place = volume + p->n + 1;
    bubbles_raster raster = {0};
    for (size_t i = 0; i < p->n; ++i) {
        const float voxels = 1.0f / (g->voxel * g->voxel * g->voxel);
        volume[i] = bubbles_volume(p->s.particles.radius[i] / g->voxel);
        place[i] = p->s.particles.place[i] > 0.0f ? voxels * p->s.particles.place[i] : volume[i];
    }
    for (int a = 0; a < 3; ++a) {
        raster.from[a][0] = volume;
        raster.to[a][0] = g->fill[a];
        raster.from[a][1] = place;
        raster.to[a][1] = g->place[a];
    }
    assert_ok(rasterise(&p->s, &raster, NULL, ERR));
    free(volume);
    clamp_fill(p);
}

/// The place of a face (or, with axis -1, of a cell's centre), voxels.
static inline void place_of(const pool *p, size_t i, int axis, double x[3])
{
    const int32_t *at = p->s.grid.tiles.at[i / SP_TILE_VOXELS];
    for (int a = 0; a < 3; ++a)
        x[a] = 8.0 * at[a] + (double)(i >> (3 * a) & 7) + (a == axis ? 0.0 : 0.5);
}

static inline double length(const double x[3], const double from[3])
{
    return sqrt((x[0] - from[0]) * (x[0] - from[0]) + (x[1] - from[1]) * (x[1] - from[1]) +
                (x[2] - from[2]) * (x[2] - from[2]));
}

static inline size_t values_of(const pool *p)
{
    return p->s.grid.tiles.count * SP_TILE_VOXELS;
}

/// A smooth ball: the share falls from 1 to 0 over `width` voxels on either side of the radius.
static inline void fill_smooth_ball(pool *p, const double centre[3], double radius, double width)
{
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < values_of(p); ++i) {
            double x[3];
            place_of(p, i, axis, x);
            const double d = (radius - length(x, centre)) / width;
            const double e = fmin(fmax(0.5 * d + 0.5, 0.0), 1.0);
            p->s.grid.fill[axis][i] =
                (float)(e * e * e * e * (35.0 + e * (-84.0 + e * (70.0 - 20.0 * e))));
        }
    clamp_fill(p);
}

static const int32_t box_low[3] = {-2, -2, -2}, box_high[3] = {1, 1, 1};

#endif
