// SPDX-License-Identifier: Apache-2.0
/// The projection: solves for pressure and takes its gradient off the velocity (L5, L6).
#include "liquid/system.h"

/// ---- Velocity ----------------------------------------------------------------------------------

/// A tile's voxels and those below them along an axis.
typedef struct pair_view {
    float cell[SP_TILE_VOXELS], q[SP_TILE_VOXELS], outside[SP_TILE_VOXELS], kappa[SP_TILE_VOXELS];
    float open[SP_TILE_VOXELS], high_open[SP_TILE_VOXELS];
} pair_view;

static void look_below(const liquid_system *y, uint32_t t, int axis, pair_view *v)
{
    const liquid *s = y->s;
    sp_tiles_shift(&s->tiles, y->cell, t, axis, -1, s->band, v->cell);
    sp_tiles_shift(&s->tiles, s->q, t, axis, -1, 0.0f, v->q);
    if (y->outside)
        sp_tiles_shift(&s->tiles, y->outside, t, axis, -1, 0.0f, v->outside);
    else
        memset(v->outside, 0, sizeof v->outside);
    if (y->kappa)
        sp_tiles_shift(&s->tiles, y->kappa, t, axis, -1, 0.0f, v->kappa);
    else
        memset(v->kappa, 0, sizeof v->kappa);
    if (!liquid_open_shares(s, t, axis, v->open, v->high_open))
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            v->open[n] = 1.0f;
}

/// What pressure takes off each low face: the difference between two wet voxels, or between a wet
/// one and the surface. `touched` tells where there is a wet one, an open face and no emitter.
static void find_gradient(const liquid_system *y, uint32_t t, const pair_view *restrict v,
                          float *restrict gradient, uint8_t *restrict touched)
{
    const size_t first = (size_t)t * SP_TILE_VOXELS;
    const float *restrict cell = y->cell + first, *restrict q = y->s->q + first;
    const float *restrict outside = y->outside ? y->outside + first : NULL;
    const float *restrict kappa = y->kappa ? y->kappa + first : NULL;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float c = cell[n], m = v->cell[n];
        const bool up = c < 0.0f, down = m < 0.0f;
        const float wet = up ? c : m, air = up ? m : c;
        const float theta = liquid_theta(wet, air);
        const float k_c = kappa ? kappa[n] : 0.0f, k_m = v->kappa[n];
        const float out = up ? v->outside[n] : outside ? outside[n] : 0.0f;
        const float at_surface =
            liquid_surface_q(out, y->tension, up ? k_c : k_m, up ? k_m : k_c, theta);
        const float above = up ? q[n] : at_surface, below = down ? v->q[n] : at_surface;
        const float way = (up & down) ? 1.0f : theta;
        gradient[n] = (above - below) / way;
        touched[n] = (up | down) & (v->open[n] > 0.0f) & (c < INFINITY) & (m < INFINITY);
    }
}

static void update_faces(const liquid_system *y, uint32_t t, int axis)
{
    liquid *s = y->s;
    pair_view below;
    float gradient[SP_TILE_VOXELS];
    uint8_t touched[SP_TILE_VOXELS];
    look_below(y, t, axis, &below);
    find_gradient(y, t, &below, gradient, touched);
    const float *cell = y->cell + (size_t)t * SP_TILE_VOXELS;
    float *restrict u = s->u[axis] + (size_t)t * SP_TILE_VOXELS;
    uint64_t *known = s->known[axis][t];
    memcpy(s->splatted[axis][t], known, sizeof(sp_tile_mask));
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        u[n] -= touched[n] ? gradient[n] : 0.0f;
    for (int k = 0; k < SP_TILE; ++k) {
        uint64_t bits = 0, slits = 0;
        for (int b = 0; b < 64; ++b) {
            const int n = 64 * k + b;
            const bool pinned = cell[n] == INFINITY || below.cell[n] == INFINITY;
            bits |= (uint64_t)(touched[n] || pinned) << b;
            slits |= (uint64_t)(touched[n] && below.open[n] < LIQUID_SLIT) << b;
        }
        known[k] = bits & ~slits;
        for (int b = 0; b < 64; ++b) // gravity alone would make what is not water ever faster
            u[64 * k + b] = bits >> b & 1 ? u[64 * k + b] : 0.0f;
    }
}

static double fastest_of(const liquid *s, size_t t)
{
    double most = 0.0;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        double sum = 0.0;
        for (int a = 0; a < 3; ++a)
            if (liquid_mask_has(s->known[a][t], n)) {
                const double u = (double)s->u[a][t * SP_TILE_VOXELS + (size_t)n];
                sum += u * u;
            }
        most = sum > most ? sum : most;
    }
    return most;
}

static bool any_wet_near(const liquid_system *y, size_t t)
{
    static const int low[3] = {SP_TILES_SELF - 1, SP_TILES_SELF - 3, SP_TILES_SELF - 9};
    bool any = y->state[t] != 0;
    for (int a = 0; a < 3; ++a) {
        const uint32_t there = y->s->tiles.around[t][low[a]];
        any |= there != SP_NO_TILE && y->state[there] != 0;
    }
    return any;
}

static void update_tiles(void *arg, size_t begin, size_t end)
{
    const liquid_system *y = arg;
    for (size_t t = begin; t < end; ++t) {
        if (any_wet_near(y, t) || liquid_has_particles(y->s) || y->s->emitters > 0)
            for (int axis = 0; axis < 3; ++axis)
                update_faces(y, (uint32_t)t, axis);
        else
            for (int axis = 0; axis < 3; ++axis) {
                memset(y->s->known[axis][t], 0, sizeof(sp_tile_mask));
                memset(y->s->splatted[axis][t], 0, sizeof(sp_tile_mask));
                memset(y->s->u[axis] + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof(float));
            }
        y->most[t] = fastest_of(y->s, t);
    }
}

/// ---- What is left ------------------------------------------------------------------------------

/// Largest |flux out| of a wet voxel, m/s: what the right side would be if it were asked again.
static void measure_left(void *arg, size_t begin, size_t end)
{
    const liquid_system *y = arg;
    const liquid *s = y->s;
    for (size_t t = begin; t < end; ++t) {
        float sum[SP_TILE_VOXELS] = {0}, open[SP_TILE_VOXELS] = {0};
        y->leftover[t] = 0.0;
        if (y->row[t] == SP_POISSON_EMPTY) continue;
        for (int axis = 0; axis < 3; ++axis) {
            float low[SP_TILE_VOXELS], high[SP_TILE_VOXELS], solid[2][SP_TILE_VOXELS] = {{0}};
            float up[SP_TILE_VOXELS];
            const float *u = s->u[axis] + t * SP_TILE_VOXELS;
            sp_tiles_shift(&s->tiles, s->u[axis], (uint32_t)t, axis, 1, 0.0f, up);
            const bool cut = liquid_open_shares(s, (uint32_t)t, axis, low, high);
            liquid_solid_velocity(s, (uint32_t)t, axis, solid[0], solid[1]);
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const float a = cut ? low[n] : 1.0f, b = cut ? high[n] : 1.0f;
                open[n] += a + b;
                sum[n] +=
                    b * up[n] + (1.0f - b) * solid[1][n] - a * u[n] - (1.0f - a) * solid[0][n];
            }
        }
        float excess[SP_TILE_VOXELS];
        if (liquid_squeezed(s, (uint32_t)t, excess))
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                sum[n] += excess[n];
        const float *cell = y->cell + t * SP_TILE_VOXELS;
        float most = 0.0f;
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const bool asked = cell[n] < 0.0f && open[n] > 0.0f;
            const float left =
                asked ? fabsf(sum[n] - y->source[t * SP_TILE_VOXELS + (size_t)n]) : 0.0f;
            most = left > most ? left : most;
        }
        y->leftover[t] = (double)most;
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; ++i)
        most = x[i] > most ? x[i] : most;
    return most;
}

static void note_figures(liquid_system *y, const sp_poisson_report *report)
{
    liquid *s = y->s;
    const size_t tiles = s->tiles.count;
    s->figures.speed = sqrt(largest(y->most, tiles));
    const double left = largest(y->leftover, tiles);
    s->figures.divergence = s->figures.speed > 0.0 ? left / s->figures.speed : 0.0;
    s->figures.iterations = report->iterations;
    s->figures.residual = report->residual;
    s->figures.unknowns = report->unknowns;
    s->figures.removed = report->incompatible * pow((double)s->voxel, 2.0);
}

/// ---- All of it ---------------------------------------------------------------------------------

static void scale_q(liquid *s, float by)
{
    float *restrict q = s->q;
    for (size_t i = 0; i < s->tiles.count * SP_TILE_VOXELS; ++i)
        q[i] *= by;
}

static void where_is(const liquid *s, const int32_t voxel[3], double p[3])
{
    for (int a = 0; a < 3; ++a)
        p[a] = s->origin[a] + (double)s->voxel * (voxel[a] + 0.5);
}

/// Pockets of water that solids squeeze and that have no surface cannot keep their volume. (Nor can
/// they follow what is asked for to spread particles, and that is no loss.)
static void warn_of_pockets(const liquid_system *y, const sp_poisson_report *report)
{
    liquid *s = y->s;
    if (report->incompatible <= sp_exact_total(y->asked, s->tiles.count, 1)) return;
    const double h = (double)s->voxel, removed = report->incompatible * h * h;
    double p[3];
    if (s->said_pocket || removed < 1e-3 * h * h * fmax(s->figures.speed, 1e-3)) return;
    s->said_pocket = true;
    where_is(s, report->worst_piece, p);
    sp_log(
        s->host, SP_LOG_WARNING,
        "liquid: closed pocket of %zu voxels near (%.3g, %.3g, %.3g) m cannot conserve volume at "
        "t = %.4g s: removed %.2g m3/s (said once)",
        report->worst_piece_cells, p[0], p[1], p[2], s->time, removed);
}

/// Said once a frame: a solve that needed more than max_iterations, or never reached its tolerance.
static void warn_of_residual(liquid *s, const sp_poisson_report *report, const double p[3])
{
    const double wanted = s->def.pressure.tolerance;
    if (s->said_residual) return;
    s->said_residual = true;
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

/// Ten solves in a row that end short of their tolerance end the run.
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

static sp_status solve(liquid_system *y, sp_poisson_report *report, sp_error *err)
{
    liquid *s = y->s;
    const sp_poisson_system system = {.tiles = &s->tiles,
                                      .row = y->row,
                                      .rows = y->rows,
                                      .face = {y->face[0], y->face[1], y->face[2]},
                                      .extra = y->extra};
    SP_TRY(sp_poisson_build(s->poisson, &system, err));
    if (s->last_dt > 0.0) scale_q(s, (float)(y->dt / s->last_dt)); // q holds dt: start from p
    SP_TRY(sp_poisson_solve(s->poisson, y->b, s->q, report, err));
    warn_of_pockets(y, report);
    return judge(s, report, err);
}

sp_status liquid_project(liquid *s, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    liquid_system y;
    sp_poisson_report report = {0};
    sp_status status = liquid_system_make(s, dt, &y, err);
    if (status == SP_OK) status = solve(&y, &report, err);
    if (status == SP_OK) {
        sp_tiles_parallel(&s->tiles, update_tiles, &y);
        sp_tiles_parallel(&s->tiles, measure_left, &y);
        note_figures(&y, &report);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
