// SPDX-License-Identifier: Apache-2.0
/// One solve, from the caller's b and x to the report.
#include "poisson/internal.h"

#include <string.h>

enum { PLAIN_ITERATIONS = 2000 }; ///< of Jacobi-preconditioned CG, when the cycle stops converging

/// The voxel at the caller's place in one of our tiles.
static void voxel_at(const sp_poisson *s, size_t tile, size_t place, int32_t voxel[3])
{
    for (int a = 0; a < 3; ++a)
        voxel[a] = 8 * s->level[0].at[tile][a] + (int32_t)(place >> 3 * a & 7);
}

static double value_at(const sp_poisson *s, const void *values, size_t i)
{
    return s->real == sizeof(float) ? (double)((const float *)values)[i]
                                    : ((const double *)values)[i];
}

static void find_worst(const sp_poisson *s, sp_poisson_report *report)
{
    size_t worst = 0;
    for (size_t t = 1; t < s->level[0].count; ++t)
        if (s->peaks[t] > s->peaks[worst]) worst = t;
    size_t place = 0;
    double most = -1.0;
    for (size_t c = 0; c < SP_TILE_VOXELS && s->level[0].count; ++c) {
        const double size = fabs(value_at(s, s->level[0].b, worst * SP_TILE_VOXELS + c));
        if (size > most) {
            most = size;
            place = c;
        }
    }
    if (s->level[0].count) voxel_at(s, worst, poisson_caller_place(place), report->worst);
}

/// How much subtracting the means of b removed, and from which piece most.
static void report_pieces(const sp_poisson *s, sp_poisson_report *report)
{
    const poisson_pieces *p = &s->pieces;
    report->unknowns = s->level[0].unknowns;
    report->components = p->count;
    report->singular = p->singular;
    double most = 0.0;
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < p->count; ++i) {
        const double off = p->has_extra[i] ? 0.0 : fabs(p->mean[i]) * p->size[i];
        report->incompatible += off;
        if (off > most) {
            most = off;
            worst = i;
        }
    }
    if (worst == SIZE_MAX) return;
    report->worst_piece_cells = (size_t)p->size[worst];
    for (size_t t = 0; t < s->level[0].count; ++t)
        for (int c = 0; c < SP_TILE_VOXELS && p->node[t] != p->node[t + 1]; ++c)
            if (poisson_piece_of(s, t, c) == worst) {
                voxel_at(s, t, (size_t)c, report->worst_piece);
                return;
            }
}

static void iterate(sp_poisson *s, poisson_run *run)
{
    (s->real == sizeof(float) ? poisson_conjugate_float : poisson_conjugate_double)(s, run);
    if (!run->fresh) run->residual = poisson_refresh(s);
}

/// Loads b and x and iterates with the cycle until the goal or the last iteration is reached.
static sp_status begin(sp_poisson *s, const float *b, const float *x, double tolerance,
                       poisson_run *run, sp_poisson_report *report, sp_error *err)
{
    *report = (sp_poisson_report){0};
    SP_ASSERT(s->built);
    report->start = poisson_load(s, b, x);
    report_pieces(s, report);
    if (!(report->start < HUGE_VAL))
        return sp_fail(err, SP_BAD_INPUT, "poisson: the right-hand side is not finite");
    run->goal = tolerance * report->start;
    run->residual = poisson_refresh(s);
    if (!(run->residual < HUGE_VAL))
        return sp_fail(err, SP_BAD_INPUT, "poisson: the initial guess is not finite");
    run->fresh = true;
    iterate(s, run);
    return SP_OK;
}

static void end(sp_poisson *s, const poisson_run *run, float *x, sp_poisson_report *report)
{
    report->iterations = run->iterations;
    report->bytes_per_iteration = poisson_bytes_of_iteration(s);
    report->converged = run->residual <= run->goal;
    report->residual = report->start > 0.0 ? run->residual / report->start : 0.0;
    find_worst(s, report);
    poisson_unload(s, x);
}

void sp_poisson_set_tolerance(sp_poisson *s, double tolerance)
{
    s->def.tolerance = tolerance;
}

sp_status sp_poisson_solve(sp_poisson *s, const float *b, float *x, sp_poisson_report *report,
                           sp_error *err)
{
    poisson_run run = {.most = s->def.max_iterations};
    SP_TRY(begin(s, b, x, s->def.tolerance, &run, report, err));
    if (!(run.residual <= run.goal)) {
        report->fell_back = true;
        run.plain = true;
        run.most = run.iterations + PLAIN_ITERATIONS;
        iterate(s, &run);
    }
    end(s, &run, x, report);
    return SP_OK;
}

sp_status sp_poisson_solve_roughly(sp_poisson *s, double tolerance, int iterations, const float *b,
                                   float *x, sp_poisson_report *report, sp_error *err)
{
    poisson_run run = {.most = iterations};
    SP_TRY(begin(s, b, x, tolerance, &run, report, err));
    end(s, &run, x, report);
    return SP_OK;
}
