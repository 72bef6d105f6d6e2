// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_POISSON_H
#define SP_TEST_POISSON_H

/// Random systems, and the operator as poisson.h defines it, voxel by voxel.

#include "poisson/poisson.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The neighbour of a voxel, as tile * 512 + place; SIZE_MAX where there is no tile.
static inline size_t beside(const sp_tiles *tiles, size_t cell, int axis, int step)
{
    static const int stride[3] = {1, 3, 9}, inside[3] = {1, 8, 64};
    const size_t tile = cell / SP_TILE_VOXELS, place = cell % SP_TILE_VOXELS;
    const int at = (int)(place >> 3 * axis) & 7;
    if (at + step >= 0 && at + step < 8) return cell + (size_t)(step * inside[axis]);
    const uint32_t there = tiles->around[tile][SP_TILES_SELF + step * stride[axis]];
    if (there == SP_NO_TILE) return SIZE_MAX;
    return there * (size_t)SP_TILE_VOXELS + place - (size_t)(7 * step * inside[axis]);
}

/// Coefficient of a voxel's low face, from the system.
static inline double low_face(const sp_poisson_system *s, size_t cell, int axis)
{
    if (cell == SIZE_MAX) return 0.0;
    const uint32_t row = s->row[cell / SP_TILE_VOXELS];
    if (row == SP_POISSON_EMPTY) return 0.0;
    if (row == SP_POISSON_FULL) return 1.0;
    return (double)s->face[axis][(size_t)row * SP_TILE_VOXELS + cell % SP_TILE_VOXELS];
}

static inline double extra_of(const sp_poisson_system *s, size_t cell)
{
    const uint32_t row = s->row[cell / SP_TILE_VOXELS];
    if (row == SP_POISSON_EMPTY || row == SP_POISSON_FULL) return 0.0;
    return (double)s->extra[(size_t)row * SP_TILE_VOXELS + cell % SP_TILE_VOXELS];
}

/// (Ax) of one voxel, and its diagonal.
static inline double apply_at(const sp_poisson_system *s, const double *x, size_t cell,
                              double *diagonal)
{
    double sum = extra_of(s, cell) * x[cell];
    *diagonal = extra_of(s, cell);
    for (int a = 0; a < 3; ++a)
        for (int side = 0; side < 2; ++side) {
            const size_t there = beside(s->tiles, cell, a, side ? 1 : -1);
            const double face = low_face(s, side ? there : cell, a);
            if (face > 0.0) sum += face * (x[cell] - x[there]);
            *diagonal += face;
        }
    return sum;
}

/// max |b - Ax| over unknowns.
static inline double worst_residual(const sp_poisson_system *s, const float *b, const float *x)
{
    const size_t n = s->tiles->count * SP_TILE_VOXELS;
    double *values = malloc(n * sizeof *values), worst = 0.0, diagonal;
    for (size_t c = 0; c < n; ++c)
        values[c] = (double)x[c];
    for (size_t c = 0; c < n; ++c) {
        const double ax = apply_at(s, values, c, &diagonal);
        if (diagonal > 0.0) worst = fmax(worst, fabs((double)b[c] - ax));
    }
    free(values);
    return worst;
}

/// ---- Random systems ----------------------------------------------------------------------------

typedef struct drawn {
    sp_tiles tiles;
    sp_poisson_system system;
    uint32_t *row;
    float *face[3], *extra, *b, *x;
} drawn;

/// Parameters of a random system.
typedef struct drawing {
    int32_t side;    ///< tiles along an axis
    double tiles;    ///< fraction of tiles that exist
    double cells;    ///< fraction of voxels that are water
    double extras;   ///< fraction of voxels with an extra
    double contrast; ///< coefficients are 1 ... this
    uint64_t seed;
} drawing;

static inline double draw(const drawing *d, uint32_t purpose, size_t id)
{
    return (double)sp_unit(sp_random(d->seed, purpose, id, 0, 0).x[0]);
}

static inline bool is_water(const drawing *d, const sp_tiles *tiles, size_t cell)
{
    (void)tiles;
    return cell != SIZE_MAX && draw(d, 1, cell) < d->cells;
}

static inline void draw_tiles(drawn *w, const drawing *d, const sp_host *host)
{
    const size_t most = (size_t)d->side * (size_t)d->side * (size_t)d->side;
    int32_t(*at)[3] = malloc(most * sizeof *at);
    size_t count = 0;
    for (size_t i = 0; i < most; ++i) {
        const int32_t s = d->side, n = (int32_t)i;
        if (draw(d, 2, i) >= d->tiles) continue;
        at[count][0] = n % s - 1;
        at[count][1] = n / s % s - 1;
        at[count++][2] = n / s / s - 1;
    }
    assert_ok(sp_tiles_open(&w->tiles, host, 1.0f, (const int32_t(*)[3])at, count, ERR));
    free(at);
}

static inline drawn draw_system(const drawing *d, const sp_host *host)
{
    drawn w = {0};
    draw_tiles(&w, d, host);
    const size_t n = w.tiles.count * SP_TILE_VOXELS;
    w.row = malloc(w.tiles.count * sizeof *w.row);
    w.extra = calloc(n, sizeof *w.extra);
    w.b = calloc(n, sizeof *w.b);
    w.x = calloc(n, sizeof *w.x);
    for (int a = 0; a < 3; ++a)
        w.face[a] = calloc(n, sizeof *w.face[a]);
    for (size_t c = 0; c < n; ++c) {
        w.row[c / SP_TILE_VOXELS] = (uint32_t)(c / SP_TILE_VOXELS);
        w.b[c] = (float)(2.0 * draw(d, 3, c) - 1.0);
        if (!is_water(d, &w.tiles, c)) continue;
        if (draw(d, 4, c) < d->extras) w.extra[c] = (float)(0.1 + 2.0 * draw(d, 5, c));
        for (int a = 0; a < 3; ++a)
            if (is_water(d, &w.tiles, beside(&w.tiles, c, a, -1)))
                w.face[a][c] = (float)pow(d->contrast, draw(d, 6 + (uint32_t)a, c));
    }
    w.system = (sp_poisson_system){.row = w.row,
                                   .rows = w.tiles.count,
                                   .face = {w.face[0], w.face[1], w.face[2]},
                                   .extra = w.extra};
    return w;
}

static inline void drop_drawn(drawn *w)
{
    free(w->row);
    free(w->extra);
    free(w->b);
    free(w->x);
    for (int a = 0; a < 3; ++a)
        free(w->face[a]);
    sp_tiles_close(&w->tiles);
}

/// Builds and solves with the settings of the def.
static inline sp_poisson_report solved(const sp_poisson_def *def, const sp_host *host,
                                       const sp_poisson_system *system, const float *b, float *x)
{
    sp_poisson *s;
    sp_poisson_report report;
    assert_ok(sp_poisson_open(def, host, &s, ERR));
    assert_ok(sp_poisson_build(s, system, ERR));
    assert_ok(sp_poisson_solve(s, b, x, &report, ERR));
    sp_poisson_close(s);
    return report;
}

#endif
