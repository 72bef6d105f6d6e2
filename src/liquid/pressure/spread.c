// SPDX-License-Identifier: Apache-2.0
/// Moves particles and surface so that the volume of water is kept, without a change of velocity.
///
/// Crowded particles must spread and lost volume must come back (wanted_divergence.c). Both need a
/// flow with a divergence, and the velocity of water has none. So the water has two velocities:
///
///     u        has no divergence; frames publish it, and particles keep its change (L2)
///     spread   -grad x, with the wanted divergence; it moves the water too, at the beginning of
///              the next substep, and is forgotten then
///
/// Particles move by spread first, from where they were when it was found, and then with u: a step
/// of 5 voxels with the sum of both takes them out of the crowd before they have spread (a dam
/// break lost 1.2 % of its volume, now 0.3 %). Deep water and phi move with the sum.
///
/// x solves the same equation as the pressure, with another right side (Losasso et al. 2008,
/// Kugelstadt et al. 2019): the hierarchy is built already. A displacement needs no accuracy, what
/// is left is wanted again in the next substep: a residual of 0.1 ends the solve.
#include "liquid/pressure/spread.h"

static const double tolerance = 0.1;
enum { MOST_ITERATIONS = 5, LAYERS = 2 }; ///< LAYERS: interpolation at the surface reads air

typedef struct spreading {
    liquid_grid *grid;
    const float *level, *source;
    float *b;
    sp_tile_mask *touched[3];
    double *most; ///< by tile: largest |b|
} spreading;

static void make_right_side(void *arg, size_t begin, size_t end)
{
    const spreading *s = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *level = s->level + t * SP_TILE_VOXELS,
                    *source = s->source + t * SP_TILE_VOXELS;
        float *b = s->b + t * SP_TILE_VOXELS, most = 0.0f;
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            b[n] = level[n] < 0.0f ? source[n] : 0.0f;
            most = fmaxf(most, fabsf(b[n]));
        }
        s->most[t] = (double)most;
        for (int a = 0; a < 3; ++a)
            memset(s->grid->spread[a] + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof(float));
    }
}

/// Slits are left alone: `known` lacks them.
static void leave_out_unknown(void *arg, size_t begin, size_t end)
{
    const spreading *s = arg;
    const liquid_grid *g = s->grid;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            float *spread = g->spread[a] + t * SP_TILE_VOXELS;
            for (int k = 0; k < SP_TILE; ++k) {
                const uint64_t out = s->touched[a][t][k] & ~g->known[a][t][k];
                for (int b = 0; b < 64 && out; ++b)
                    if (out >> b & 1) spread[64 * k + b] = 0.0f;
                s->touched[a][t][k] = g->known[a][t][k];
            }
        }
}

static sp_status solve(const sp_flow_system *pressure, sp_poisson *poisson, const spreading *s,
                       float *x, sp_error *err)
{
    sp_flow_system system = *pressure;
    sp_poisson_report report;
    system.equation.fixed = system.equation.jump = NULL;
    SP_TRY(sp_poisson_solve_roughly(poisson, tolerance, MOST_ITERATIONS, s->b, x, &report, err));
    sp_flow_subtract_gradient(&system, x, NULL, s->grid->spread, s->touched);
    sp_tiles_parallel(&s->grid->tiles, leave_out_unknown, (void *)(uintptr_t)s);
    return sp_tiles_extrapolate_faces(&s->grid->tiles, s->grid->spread, s->touched, LAYERS, err);
}

static sp_status spread(liquid_grid *g, const sp_flow_system *pressure, sp_poisson *poisson,
                        const float *source, sp_scratch *scratch, sp_error *err)
{
    const size_t tiles = g->tiles.count, voxels = tiles * SP_TILE_VOXELS;
    spreading s = {.grid = g, .level = pressure->equation.level, .source = source};
    float *x = sp_scratch_array(scratch, float, voxels);
    s.b = sp_scratch_array(scratch, float, voxels);
    s.most = sp_scratch_array(scratch, double, tiles);
    bool enough = x && s.b && s.most;
    for (int a = 0; a < 3; ++a) {
        s.touched[a] = sp_scratch_array(scratch, sp_tile_mask, tiles);
        enough &= s.touched[a] != NULL;
    }
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to spread particles");
    sp_tiles_parallel(&g->tiles, make_right_side, &s);
    double most = 0.0;
    for (size_t t = 0; t < tiles; ++t)
        most = fmax(most, s.most[t]);
    if (most == 0.0) return SP_OK;
    memset(x, 0, voxels * sizeof *x);
    SP_TRY(solve(pressure, poisson, &s, x, err));
    return sp_flow_constrain_relative(&g->tiles, pressure->equation.solids, g->spread, scratch,
                                      err);
}

sp_status liquid_spread(liquid_grid *g, const sp_flow_system *pressure, sp_poisson *poisson,
                        const float *source, sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status status = spread(g, pressure, poisson, source, scratch, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}

typedef struct adding {
    float *const *sum, *const *u, *const *v;
} adding;

static void add_tiles(void *arg, size_t begin, size_t end)
{
    const adding *d = arg;
    for (int a = 0; a < 3; ++a)
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
            d->sum[a][i] = d->u[a][i] + d->v[a][i];
}

void liquid_add_velocities(const sp_tiles *tiles, float *const sum[3], float *const u[3],
                           float *const v[3])
{
    sp_tiles_parallel(tiles, add_tiles, &(adding){sum, u, v});
}
