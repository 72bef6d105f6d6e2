// SPDX-License-Identifier: Apache-2.0
/// How choppy the surface may be. With D the displacement for choppiness 1, whose derivatives are symmetric, the
/// Jacobian is (1 + lambda a)(1 + lambda b), a <= b their eigenvalues: the surface folds where lambda > -1/a.
#include "ocean/internal.h"

enum { TIMES = 8, ROWS = 4 };
/// Share of the choppiness that would just fold somewhere; the rest is left for crests between samples and times.
static const double margin = 0.95;

/// Samples along an edge, and where they are: on lines that shift from row to row, as the samples of a finer cascade
/// would else be at the same places in each of its patches.
static void sample_of(const ocean *o, size_t row, size_t i, double rest[2])
{
    const double spacing = o->cascade[0].length / (double)o->def.grid, golden = 0.6180339887;
    const double a = golden * (double)row, b = golden * (double)i;
    rest[0] = spacing * ((double)i + (o->cascades > 1 ? a - floor(a) : 0.0));
    rest[1] = spacing * ((double)row + (o->cascades > 1 ? b - floor(b) : 0.0));
}

typedef struct search {
    const ocean *o;
    float chop, bound;
    ocean_row_found *rows;
} search;

static float smaller_eigenvalue(const ocean_point *p)
{
    const float a = p->by_x[0] - 1.0f, d = p->by_z[2] - 1.0f, b = 0.5f * (p->by_z[0] + p->by_x[2]),
                half = 0.5f * (a - d);
    return 0.5f * (a + d) - sqrtf(half * half + b * b);
}

static void search_rows(void *arg, size_t begin, size_t end)
{
    const search *s = arg;
    for (size_t row = begin; row < end; ++row) {
        ocean_row_found here = {0};
        for (size_t i = 0; i < (size_t)s->o->def.grid; ++i) {
            double rest[2];
            ocean_point p;
            sample_of(s->o, row, i, rest);
            ocean_point_at(s->o, rest[0], rest[1], &p);
            const float least = smaller_eigenvalue(&p);
            here.least = fminf(here.least, least);
            here.folded += s->chop * least < -1.0f;
            here.low += ocean_point_jacobian(&p) < s->bound;
        }
        s->rows[row] = here;
    }
}

static ocean_row_found search_all(search *s)
{
    const size_t n = (size_t)s->o->def.grid;
    ocean_row_found all = {0};
    sp_parallel(s->o->host, n, ROWS, search_rows, s);
    for (size_t row = 0; row < n; ++row) {
        all.least = fminf(all.least, s->rows[row].least);
        all.folded += s->rows[row].folded;
        all.low += s->rows[row].low;
    }
    return all;
}

/// Looks at the surface at several times, with choppiness 1.
void ocean_choose_chop(ocean *o)
{
    const double samples = (double)o->def.grid * (double)o->def.grid * TIMES;
    search s = {.o = o, .chop = (float)o->def.choppiness, .rows = o->rows};
    float least = 0.0f;
    double folded = 0.0;
    o->chop = 1.0f;
    for (int n = 0; n < TIMES; ++n) {
        ocean_compute(o, &o->moment[0], 1.37 * n * o->figures.period, false);
        o->now = &o->moment[0];
        const ocean_row_found all = search_all(&s);
        least = fminf(least, all.least);
        folded += (double)all.folded;
    }
    o->now = NULL;
    o->figures.folded = folded / samples;
    o->figures.choppiness = o->def.choppiness;
    if (folded > 0.0) o->figures.choppiness = margin / (double)-least;
    o->chop = (float)o->figures.choppiness;
    if (folded > 0.0)
        sp_log(o->host, SP_LOG_WARNING,
               "ocean folds (J<0) on %.2g %% of the patch at choppiness %.3g: using %.2g",
               100.0 * o->figures.folded, o->def.choppiness, o->figures.choppiness);
}

double sp_ocean_share_below(const sp_bulk *bulk, float bound)
{
    const ocean *o = bulk->user;
    search s = {.o = o, .bound = bound, .rows = o->rows};
    const ocean_row_found all = search_all(&s);
    return (double)all.low / ((double)o->def.grid * (double)o->def.grid);
}

void sp_ocean_jacobian(const sp_bulk *bulk, const double *x, const double *z, float *jacobian,
                       size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        ocean_point p;
        ocean_point_above(bulk->user, x[i], z[i], &p);
        jacobian[i] = ocean_point_jacobian(&p);
    }
}
