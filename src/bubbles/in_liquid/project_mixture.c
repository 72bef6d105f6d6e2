// SPDX-License-Identifier: Apache-2.0
/// h  The pressure of bubbles and liquid together. Everywhere else the solver works with the pressure less
/// that of still water, and without weight. The liquid's surface is at the pressure of air wherever it is,
/// so here weight is added before the solve, to all velocities by their compliance,
///
///     u += dt g,   ub += s (rho_w/rho_b) dt g,   flux += beta dt g,
///
/// and taken off the gradient after it: grad q - dt g is what lone bubbles rise by.
#include "bubbles/in_liquid/in_liquid.h"

enum { LAYERS = 3 }; ///< of faces in air and solids that interpolation reads

typedef struct mixing {
    bubbles *s;
    float *const *loose; ///< compliance of water at faces; NULL: 1
    float fall[3];       ///< m/s; dt g
    sp_liquid_water water;
    sp_tile_mask *known[3]; ///< faces that the solve gave a velocity, and then those around them
} mixing;

/// ---- Weight ------------------------------------------------------------------------------------

static void add_weight(void *arg, size_t begin, size_t end)
{
    const mixing *m = arg;
    const bubbles_grid *g = &m->s->grid;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const size_t first = t * SP_TILE_VOXELS;
            const bool busy = bubbles_is_busy(g, t);
            const float fall = m->fall[a], *restrict beta = g->beta[a] + first,
                        *restrict soft = g->soft[a] + first,
                        *restrict loose = m->loose && busy ? m->loose[a] + first : NULL;
            float *restrict u = g->u[a] + first, *restrict ub = g->ub[a] + first,
                            *restrict flux = g->flux[a] + first;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                flux[n] += beta[n] * fall;
            for (int n = 0; busy && n < SP_TILE_VOXELS; ++n) {
                u[n] += loose ? loose[n] * fall : fall;
                ub[n] += soft[n] * fall;
            }
        }
}

/// Also notes which faces the solve has changed.
static void take_off_weight(void *arg, size_t begin, size_t end)
{
    const mixing *m = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            float *restrict gradient = m->s->grid.gradient[a] + t * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                gradient[n] -= m->fall[a];
            memcpy(m->known[a][t], m->water.known[a][t], sizeof *m->known[a]);
        }
}

/// ---- Faces without a velocity ------------------------------------------------------------------

sp_status bubbles_extend_in_liquid(bubbles *s, sp_tile_mask *const known[3], float *const u[3],
                                   bool solid, sp_error *err)
{
    const sp_tiles *tiles = &s->grid.tiles;
    SP_TRY(sp_tiles_extrapolate_faces(tiles, u, known, LAYERS, err));
    return solid ? sp_flow_constrain(tiles, &s->solids, u, &s->scratch, err) : SP_OK;
}

static sp_status extend(mixing *m, sp_error *err)
{
    bubbles *s = m->s;
    const size_t tiles = s->grid.tiles.count;
    sp_tile_mask *again[3];
    for (int a = 0; a < 3; ++a) {
        again[a] = sp_scratch_array(&s->scratch, sp_tile_mask, tiles + 1);
        if (!again[a]) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", tiles);
        memcpy(again[a], m->known[a], tiles * sizeof *again[a]);
    }
    SP_TRY(bubbles_extend_in_liquid(s, again, s->grid.u, true, err));
    return bubbles_extend_in_liquid(s, m->known, s->grid.gradient, false, err);
}

/// ---- The first guess ---------------------------------------------------------------------------

/// The gradient of the last solution less the weight, spread to faces in air. The first substep keeps that of
/// still water: there is no last one.
static sp_status guess(mixing *m, sp_error *err)
{
    bubbles *s = m->s;
    sp_liquid_last_gradient(s->water, s->grid.gradient, m->water.known);
    sp_tiles_parallel(&s->grid.tiles, take_off_weight, m);
    return bubbles_extend_in_liquid(s, m->known, s->grid.gradient, false, err);
}

/// ---- All of it ---------------------------------------------------------------------------------

static void note(bubbles *s)
{
    const sp_liquid_figures f = sp_liquid_last(s->water);
    s->figures.iterations = f.iterations;
    s->figures.total_iterations += (uint64_t)f.iterations;
    ++s->figures.solves;
    s->figures.residual = f.residual;
}

static sp_status project(mixing *m, sp_error *err)
{
    bubbles *s = m->s;
    const bubbles_grid *g = &s->grid;
    const sp_liquid_mixture mixture = {.flux = {g->flux[0], g->flux[1], g->flux[2]},
                                       .beta = {g->beta[0], g->beta[1], g->beta[2]},
                                       .beta_is_one = g->plain,
                                       .source = s->has_source ? g->source : NULL};
    sp_tiles_parallel(&g->tiles, add_weight, m);
    SP_TRY(sp_liquid_project_mixture(s->water, &mixture, g->gradient, err));
    note(s);
    SP_TRY(bubbles_update_velocity(s, m->loose, err));
    s->water_speed = sp_liquid_last(s->water).speed; // faces in air fall freely, for nobody
    sp_tiles_parallel(&g->tiles, take_off_weight, m);
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_PRESSURE, SP_OK));
    bubbles_follow(s);
    return extend(m, err);
}

/// Runs `stage` with what it needs, in memory that is free again afterwards.
static sp_status mix(bubbles *s, float *const loose[3], double dt,
                     sp_status (*stage)(mixing *m, sp_error *err), sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    mixing m = {.s = s, .loose = loose, .water = sp_liquid_now(s->water)};
    sp_status status = SP_OK;
    for (int a = 0; a < 3; ++a) {
        m.fall[a] = (float)((double)s->gravity[a] * dt);
        m.known[a] = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count + 1);
        if (!m.known[a])
            status =
                sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", s->grid.tiles.count);
    }
    if (status == SP_OK) status = stage(&m, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

sp_status bubbles_guess_in_liquid(bubbles *s, double dt, sp_error *err)
{
    if (s->substeps == 0) return SP_OK;
    return bubbles_timed(s, SP_BUBBLES_STAGE_PRESSURE, mix(s, NULL, dt, guess, err));
}

sp_status bubbles_project_in_liquid(bubbles *s, float *const loose[3], double dt, sp_error *err)
{
    return bubbles_timed(s, SP_BUBBLES_STAGE_PRESSURE, mix(s, loose, dt, project, err));
}
