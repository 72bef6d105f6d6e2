// SPDX-License-Identifier: Apache-2.0
/// The projection: solves for pressure and subtracts its gradient from the velocity (L5, L6). With
/// another phase in the water (mixture.h) it solves for the pressure of the mixture, as often as that
/// phase asks for it.
#include "liquid/pressure/pressure_boundaries.h"
#include "liquid/pressure/spread.h"

/// ---- Velocity ----------------------------------------------------------------------------------

typedef struct updating {
    liquid_grid *grid;
    const sp_flow_solids *solids;
    bool pins;
    double *most; ///< by tile: largest speed squared
} updating;

/// Low faces along an axis of voxels that emitters pin, of a plane of 64.
static uint64_t pinned_faces(const liquid_grid *g, size_t t, int axis, int k)
{
    static const int below[3] = {SP_TILES_SELF - 1, SP_TILES_SELF - 3, SP_TILES_SELF - 9};
    const uint64_t first_column = 0x0101010101010101u, self = g->pinned[t][k];
    const uint32_t there = g->tiles.around[t][below[axis]];
    const uint64_t *beside = there == SP_NO_TILE ? NULL : g->pinned[there];
    if (axis == 0)
        return self | (self << 1 & ~first_column) | (beside ? beside[k] >> 7 & first_column : 0);
    if (axis == 1) return self | self << 8 | (beside ? beside[k] >> 56 : 0);
    return self | (k > 0 ? g->pinned[t][k - 1] : beside ? beside[SP_TILE - 1] : 0);
}

/// Faces of a plane of 64 that are slits.
static uint64_t slits_of(const sp_flow_solids *solids, size_t t, int axis, int k)
{
    uint64_t slits = 0;
    if (!sp_flow_is_cut(solids, t)) return 0;
    const float *open = solids->tile[solids->row[t]].open[axis] + 64 * k;
    for (int b = 0; b < 64; ++b)
        slits |= (uint64_t)(open[b] < SP_FLOW_SLIT) << b;
    return slits;
}

/// Faces that pressure changed or an emitter pins keep their velocity, and are known unless they
/// are slits. All other faces get 0: otherwise gravity would accelerate air without end.
static void keep_known(const updating *y, size_t t, int axis)
{
    liquid_grid *g = y->grid;
    float *u = g->u[axis] + t * SP_TILE_VOXELS;
    for (int k = 0; k < SP_TILE; ++k) {
        const uint64_t touched = g->known[axis][t][k];
        const uint64_t bits = touched | (y->pins ? pinned_faces(g, t, axis, k) : 0);
        g->known[axis][t][k] = bits & ~(touched & slits_of(y->solids, t, axis, k));
        for (int b = 0; b < 64 && bits != ~(uint64_t)0; ++b)
            u[64 * k + b] = bits >> b & 1 ? u[64 * k + b] : 0.0f;
    }
}

static double fastest_of(const liquid_grid *g, size_t t)
{
    double most = 0.0;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        double sum = 0.0;
        for (int a = 0; a < 3; ++a)
            if (sp_tile_mask_has(g->known[a][t], n)) {
                const double u = (double)g->u[a][t * SP_TILE_VOXELS + (size_t)n];
                sum += u * u;
            }
        most = sum > most ? sum : most;
    }
    return most;
}

static void keep_tiles(void *arg, size_t begin, size_t end)
{
    const updating *y = arg;
    for (size_t t = begin; t < end; ++t) {
        for (int axis = 0; axis < 3; ++axis)
            keep_known(y, t, axis);
        y->most[t] = fastest_of(y->grid, t);
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; ++i)
        most = x[i] > most ? x[i] : most;
    return most;
}

/// After the pressure; `known` marks the faces that water touches.
static void finish_velocity(liquid *s, double *by_tile)
{
    liquid_grid *g = &s->grid;
    const updating y = {g, &s->solids, s->sources.emitters > 0, by_tile};
    sp_tiles_parallel(&g->tiles, keep_tiles, (void *)(uintptr_t)&y);
    s->figures.speed = sqrt(largest(by_tile, g->tiles.count));
}

/// ---- What the solver reports -------------------------------------------------------------------

static void where_is(const liquid *s, const int32_t voxel[3], double p[3])
{
    for (int a = 0; a < 3; ++a)
        p[a] = s->grid.origin[a] + (double)s->grid.voxel * (voxel[a] + 0.5);
}

/// Warns of pockets of water that solids squeeze and that have no surface: they cannot keep their
/// volume.
static void warn_of_pockets(liquid *s, const sp_poisson_report *report)
{
    if (report->incompatible <= 0.0) return;
    const double h = (double)s->grid.voxel, removed = report->incompatible * h * h;
    double p[3];
    if (s->warned_pocket || removed < 1e-3 * h * h * fmax(s->figures.speed, 1e-3)) return;
    s->warned_pocket = true;
    where_is(s, report->worst_piece, p);
    sp_log(
        s->host, SP_LOG_WARNING,
        "liquid: closed pocket of %zu voxels near (%.3g, %.3g, %.3g) m cannot conserve volume at "
        "t = %.4g s: removed %.2g m3/s (said once)",
        report->worst_piece_cells, p[0], p[1], p[2], s->time, removed);
}

/// Warns once a frame of a solve that needed more than max_iterations, or missed its tolerance.
static void warn_of_residual(liquid *s, const sp_poisson_report *report, const double p[3])
{
    const double wanted = s->def.pressure.tolerance;
    if (s->warned_residual) return;
    s->warned_residual = true;
    if (report->converged)
        sp_log(
            s->host, SP_LOG_WARNING,
            "liquid: pressure did not reach %.1e within max_iterations, %d, at t = %.4g s: plain "
            "conjugate gradients did after %d in all (said once a frame)",
            wanted, s->def.pressure.max_iterations, s->time, report->iterations);
    else
        sp_log(
            s->host, SP_LOG_WARNING,
            "liquid: pressure stopped after %d iterations at t = %.4g s: residual %.1e instead of "
            "%.1e, worst near (%.3g, %.3g, %.3g) m (said once a frame)",
            report->iterations, s->time, report->residual, wanted, p[0], p[1], p[2]);
}

/// Ends the run after ten solves in a row that missed their tolerance.
static sp_status judge(liquid *s, const sp_poisson_report *report, sp_error *err)
{
    enum { PATIENCE = 10 };
    double p[3];
    s->failed_in_a_row = report->converged ? 0 : s->failed_in_a_row + 1;
    where_is(s, report->worst, p);
    if (s->failed_in_a_row < PATIENCE) {
        if (!report->converged || report->fell_back) warn_of_residual(s, report, p);
        return SP_OK;
    }
    return sp_fail(err, SP_DIVERGED,
                   "liquid: pressure did not converge in %d steps in a row (t = %.4g s): %d "
                   "iterations, residual %.1e, wanted %.1e; check what emits and moves near (%.3g, "
                   "%.3g, %.3g) m",
                   PATIENCE, s->time, report->iterations, report->residual,
                   s->def.pressure.tolerance, p[0], p[1], p[2]);
}

/// ---- The solve ---------------------------------------------------------------------------------

typedef struct liquid_solving {
    sp_flow_equation equation; ///< of water alone
    sp_flow_system system;     ///< of the last solve
    sp_scratch_mark mark;      ///< before the system
    float *q;
} solving;

/// q contains dt: the same pressure is another q with another dt. This keeps the initial pressure.
static void rescale(float *restrict q, size_t n, float by)
{
    for (size_t i = 0; i < n; ++i)
        q[i] *= by;
}

static sp_status solve(liquid *s, const sp_flow_equation *equation, solving *w, sp_error *err)
{
    const double h = (double)s->grid.voxel;
    sp_poisson_report report = {0};
    SP_TRY(sp_flow_system_make(equation, &s->scratch, &w->system, err));
    SP_TRY(sp_flow_system_solve(&w->system, s->poisson, w->q, &report, err));
    s->figures.iterations = report.iterations;
    s->figures.residual = report.residual;
    s->figures.unknowns = report.unknowns;
    s->figures.removed = report.incompatible * h * h;
    warn_of_pockets(s, &report);
    return judge(s, &report, err);
}

static sp_status solve_alone(liquid *s, solving *w, sp_error *err)
{
    SP_TRY(solve(s, &w->equation, w, err));
    sp_flow_subtract_gradient(&w->system, w->q, NULL, s->grid.u, s->grid.known);
    return SP_OK;
}

/// ---- Another phase -----------------------------------------------------------------------------

void sp_liquid_set_phase(liquid *s, sp_liquid_phase *phase)
{
    s->phase = phase;
}

sp_liquid_water sp_liquid_now(const liquid *s)
{
    const liquid_grid *g = &s->grid;
    sp_liquid_water w = {.tiles = &g->tiles, .phi = g->phi, .solids = &s->solids};
    memcpy(w.origin, g->origin, sizeof w.origin);
    memcpy(w.domain, g->domain, sizeof w.domain);
    memcpy(w.low, g->low, sizeof w.low);
    memcpy(w.high, g->high, sizeof w.high);
    memcpy(w.period, g->period, sizeof w.period);
    for (int a = 0; a < 3; ++a) {
        w.u[a] = g->u[a];
        w.known[a] = g->known[a];
    }
    return w;
}

static void negate_tiles(void *arg, size_t begin, size_t end)
{
    float *const *x = arg;
    for (int a = 0; a < 3; ++a)
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
            x[a][i] = -x[a][i];
}

static void clear(const sp_tiles *tiles, float *const gradient[3])
{
    for (int a = 0; a < 3; ++a)
        memset(gradient[a], 0, tiles->count * SP_TILE_VOXELS * sizeof *gradient[a]);
}

void sp_liquid_last_gradient(const liquid *s, float *const gradient[3],
                             sp_tile_mask *const touched[3])
{
    const sp_tiles *tiles = &s->grid.tiles;
    clear(tiles, gradient);
    sp_flow_subtract_gradient_of(&s->solving->equation, s->solving->q, gradient, touched);
    sp_tiles_parallel(tiles, negate_tiles, (void *)(uintptr_t)gradient);
}

sp_status sp_liquid_project_mixture(liquid *s, const sp_liquid_mixture *mixture,
                                    float *const gradient[3], sp_error *err)
{
    const sp_tiles *tiles = &s->grid.tiles;
    solving *w = s->solving;
    sp_flow_equation equation = w->equation;
    for (int a = 0; a < 3; ++a) {
        equation.flux[a] = mixture->flux[a];
        equation.beta[a] = mixture->beta[a];
    }
    clear(tiles, gradient);
    equation.beta_is_one = mixture->beta_is_one;
    equation.beta_outside = 1.0f;
    equation.source = mixture->source;
    sp_scratch_rewind(&s->scratch, w->mark);
    SP_TRY(solve(s, &equation, w, err));
    sp_flow_subtract_gradient(&w->system, w->q, NULL, gradient, s->grid.known);
    sp_tiles_parallel(tiles, negate_tiles, (void *)(uintptr_t)gradient);
    return SP_OK;
}

static sp_status solve_mixture(liquid *s, solving *w, double dt, sp_error *err)
{
    s->solving = w;
    const sp_status status = s->phase->couple(s->phase->arg, dt, err);
    s->solving = NULL;
    s->figures.air_volume = s->phase->volume - s->phase->replaced;
    return status;
}

/// ---- All of it ---------------------------------------------------------------------------------

/// Makes a flow with the wanted divergence, on the hierarchy of the last solve.
static sp_status spread(liquid *s, const solving *w, liquid_wanted *wanted, sp_error *err)
{
    float *source = sp_scratch_array(&s->scratch, float, s->grid.tiles.count *SP_TILE_VOXELS);
    if (!source || !wanted(s, source))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to spread %zu particles",
                       s->particles.set.count);
    return liquid_spread(&s->grid, &w->system, s->poisson, source, &s->scratch, err);
}

static sp_status project(liquid *s, float *q, liquid_wanted *wanted, double dt, sp_error *err)
{
    const size_t tiles = s->grid.tiles.count;
    double *by_tile = sp_scratch_array(&s->scratch, double, tiles);
    if (!by_tile)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the pressure of %zu tiles", tiles);
    const liquid_equation_def def = {
        &s->grid, &s->solids, &s->def, s->gravity, s->sources.emitters > 0, dt};
    solving w = {.q = q};
    SP_TRY(liquid_equation_make(&def, &s->scratch, &w.equation, err));
    w.mark = sp_scratch_here(&s->scratch);
    if (s->last_dt > 0.0) rescale(q, tiles * SP_TILE_VOXELS, (float)(dt / s->last_dt));
    SP_TRY(s->phase ? solve_mixture(s, &w, dt, err) : solve_alone(s, &w, err));
    finish_velocity(s, by_tile);
    return wanted ? spread(s, &w, wanted, err) : SP_OK;
}

sp_status liquid_project(liquid *s, float *q, liquid_wanted *wanted, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = project(s, q, wanted, dt, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
