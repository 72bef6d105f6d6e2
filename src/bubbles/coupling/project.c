// SPDX-License-Identifier: Apache-2.0
/// h  The pore pressure (WSB25, 47, 48). Its gradient moves particles and water, each by its own
/// compliance, until the mixture of both has the wanted divergence S (0, but for volume/):
///
///     div(beta grad q) = div(phi_b ub + (1 - phi_b) u) - S
///
/// Cells at the border of the tiles have q = 0: the pressure of still water.
#include "bubbles/guided/internal.h"

/// ---- Differences of q --------------------------------------------------------------------------

typedef struct differing {
    bubbles *s;
    bool all; ///< also in tiles without particles
} differing;

/// Particles read gradients of busy tiles alone; values in solids come from whatever tiles are around them.
static bool needs_all_gradients(const bubbles *s)
{
    return s->guide ? s->guide->any_closed : s->has_solids || s->water;
}

/// How far the low faces of a tile are open, or NULL where all are.
static const float *openings_of(const bubbles *s, uint32_t t, int axis)
{
    static const float none[SP_TILE_VOXELS];
    if (s->guide) return bubbles_guide_open(s->guide, t, axis);
    if (!s->has_solids || s->solids.row[t] == SP_FLOW_TILE_OPEN) return NULL;
    return sp_flow_is_cut(&s->solids, t) ? s->solids.tile[s->solids.row[t]].open[axis] : none;
}

static void find_differences(const bubbles *s, uint32_t t, int axis, float out[SP_TILE_VOXELS])
{
    const bubbles_grid *g = &s->grid;
    const float *restrict q = g->q + (size_t)t * SP_TILE_VOXELS;
    float below[SP_TILE_VOXELS];
    sp_tiles_shift(&g->tiles, g->q, t, axis, -1, 0.0f, below);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = q[n] - below[n];
    const float *open = openings_of(s, t, axis);
    for (int n = 0; open && n < SP_TILE_VOXELS; ++n)
        out[n] = open[n] > 0.0f ? out[n] : 0.0f;
}

static void find_gradients(void *arg, size_t begin, size_t end)
{
    const differing *d = arg;
    const bubbles_grid *g = &d->s->grid;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a)
            if (d->all || bubbles_is_busy(g, t))
                find_differences(d->s, (uint32_t)t, a, g->gradient[a] + t * SP_TILE_VOXELS);
}

void bubbles_find_gradient(bubbles *s)
{
    differing d = {s, needs_all_gradients(s)};
    sp_tiles_parallel(&s->grid.tiles, find_gradients, &d);
}

/// ---- New velocities ----------------------------------------------------------------------------

typedef struct updating {
    bubbles *s;
    float *const *loose; ///< compliance of water at faces; NULL: 1
    float *change;       ///< by tile: largest change of u in this iteration
    float *fastest;      ///< by tile
} updating;

/// The largest |v|, or the largest |v - from|.
SP_INLINE float largest(const float *v, const float *from)
{
    float most = 0.0f;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float size = fabsf(from ? v[n] - from[n] : v[n]);
        most = size > most ? size : most;
    }
    return most;
}

/// Water alone: flux is what it was before the solve.
static void update_alone(const updating *y, size_t t, int axis)
{
    const bubbles_grid *g = &y->s->grid;
    const size_t first = t * SP_TILE_VOXELS;
    const float *restrict flux = g->flux[axis] + first, *gradient = g->gradient[axis] + first;
    float *restrict u = g->u[axis] + first, here[SP_TILE_VOXELS];
    if (!needs_all_gradients(y->s)) {
        find_differences(y->s, (uint32_t)t, axis, here);
        gradient = here;
    }
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        u[n] = flux[n] - gradient[n];
    y->fastest[t] = fmaxf(y->fastest[t], largest(u, NULL));
}

static void update_mixed(const updating *y, size_t t, int axis)
{
    const bubbles_grid *g = &y->s->grid;
    const size_t first = t * SP_TILE_VOXELS;
    const float *restrict gradient = g->gradient[axis] + first, *restrict soft =
                                                                    g->soft[axis] + first;
    float *restrict u = g->u[axis] + first, *restrict ub = g->ub[axis] + first;
    const float *restrict loose = y->loose ? y->loose[axis] + first : NULL;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        u[n] -= loose ? loose[n] * gradient[n] : gradient[n];
        ub[n] -= soft[n] * gradient[n];
    }
    y->fastest[t] = fmaxf(y->fastest[t], largest(u, NULL));
    y->change[t] = fmaxf(y->change[t], largest(u, g->u_last[axis] + first));
}

static void update_tiles(void *arg, size_t begin, size_t end)
{
    const updating *y = arg;
    for (size_t t = begin; t < end; ++t) {
        y->fastest[t] = y->change[t] = 0.0f;
        for (int a = 0; a < 3; ++a)
            (bubbles_is_busy(&y->s->grid, t) ? update_mixed : update_alone)(y, t, a);
    }
}

sp_status bubbles_update_velocity(bubbles *s, float *const loose[3], sp_error *err)
{
    const size_t tiles = s->grid.tiles.count;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    updating y = {.s = s,
                  .loose = loose,
                  .change = sp_scratch_array(&s->scratch, float, tiles + 1),
                  .fastest = sp_scratch_array(&s->scratch, float, tiles + 1)};
    if (!y.change || !y.fastest)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the pressure of %zu tiles",
                       tiles);
    sp_tiles_parallel(&s->grid.tiles, update_tiles, &y);
    s->water_speed = s->water_change = 0.0;
    for (size_t t = 0; t < tiles; ++t) {
        s->water_speed = fmax(s->water_speed, (double)y.fastest[t]);
        s->water_change = fmax(s->water_change, (double)y.change[t]);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

/// ---- What the solver reports -------------------------------------------------------------------

static sp_status judge(bubbles *s, const sp_poisson_report *report, sp_error *err)
{
    enum { PATIENCE = 10 };
    s->failed_in_a_row = report->converged ? 0 : s->failed_in_a_row + 1;
    s->figures.failures += !report->converged;
    if (report->converged) return SP_OK;
    if (s->failed_in_a_row < PATIENCE) {
        if (s->failed_in_a_row == 1)
            sp_log(s->host, SP_LOG_WARNING,
                   "bubbles: pressure stopped at a residual of %.1e after %d iterations (wanted "
                   "%.1e) at t = %.4g s; it goes on",
                   report->residual, report->iterations, s->def.pressure.tolerance, s->time);
        return SP_OK;
    }
    return sp_fail(
        err, SP_DIVERGED,
        "bubbles: pressure did not converge in %d solves in a row (t = %.4g s): residual "
        "%.1e after %d iterations, wanted %.1e; try more substeps",
        PATIENCE, s->time, report->residual, report->iterations, s->def.pressure.tolerance);
}

static void note(bubbles *s, const sp_poisson_report *report, double dt)
{
    sp_bubbles_figures *f = &s->figures;
    f->iterations = report->iterations;
    f->total_iterations += (uint64_t)report->iterations;
    ++f->solves;
    f->residual = report->residual;
    f->divergence = report->residual * report->start * dt / (double)s->grid.voxel;
}

/// ---- All of it ---------------------------------------------------------------------------------

/// The first of several Newton iterations needs no exact pressure: the next one changes drag, and so the right
/// side, by more than what this leaves. It saves a fifth of all iterations of conjugate gradients.
static double tolerance_of_solve(const bubbles *s)
{
    const double wanted = s->def.pressure.tolerance;
    return s->more_iterations ? fmax(wanted, fmin(30.0 * wanted, 0.01)) : wanted;
}

static sp_status solve(bubbles *s, const sp_flow_equation *equation, double dt, sp_error *err)
{
    sp_flow_system system;
    s->solved = (sp_poisson_report){0};
    SP_TRY(sp_flow_system_make(equation, &s->scratch, &system, err));
    sp_poisson_set_tolerance(s->poisson, tolerance_of_solve(s));
    SP_TRY(sp_flow_system_solve(&system, s->poisson, s->grid.q, &s->solved, err));
    note(s, &s->solved, dt);
    if (s->solved.singular > 0) bubbles_warn_of_closed(s);
    return judge(s, &s->solved, err);
}

sp_status bubbles_solve_pressure(bubbles *s, const sp_flow_equation *equation, double dt,
                                 sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = solve(s, equation, dt, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

sp_status bubbles_project(bubbles *s, float *const loose[3], double dt, sp_error *err)
{
    const bubbles_grid *g = &s->grid;
    const sp_flow_equation equation = {
        .tiles = &g->tiles,
        .solids = s->has_solids ? &s->solids : NULL,
        .level = g->level,
        .beta = {g->beta[0], g->beta[1], g->beta[2]},
        .beta_is_one = g->plain,
        .beta_outside = 1.0f,
        .flux = {g->flux[0], g->flux[1], g->flux[2]},
        .source = s->has_source ? g->source : NULL,
    };
    SP_TRY(bubbles_solve_pressure(s, &equation, dt, err));
    bubbles_find_gradient(s);
    return bubbles_update_velocity(s, loose, err);
}

/// ---- Water where there is none -----------------------------------------------------------------

static void follow_tiles(void *arg, size_t begin, size_t end)
{
    const bubbles *s = arg;
    const bubbles_grid *g = &s->grid;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; bubbles_is_busy(g, t) && a < 3; ++a) {
            const size_t first = t * SP_TILE_VOXELS;
            const float *restrict share = g->share[a] + first, *restrict ub = g->ub[a] + first;
            float *restrict u = g->u[a] + first;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                u[n] = 1.0f - share[n] < s->def.phantom_eps ? ub[n] : u[n];
        }
}

void bubbles_follow(bubbles *s)
{
    if (s->def.phantom_follow) sp_tiles_parallel(&s->grid.tiles, follow_tiles, s);
}
