// SPDX-License-Identifier: Apache-2.0
/// The surface: the inverse of its displacement, finer grids, seams, folds, threads.
#include "validate/ocean/proofs.h"

#include <string.h>

/// ---- The inverse -------------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

sp_status ocean_prove_inverse(sp_check_report *report, sp_error *err)
{
    enum { POINTS = 100000 };
    for (int n = 0; n < 2; ++n) {
        sp_ocean_def def = ocean_case_def();
        sp_bulk bulk;
        def.cascades = 1 + n;
        SP_TRY(sp_ocean_bulk(&def, 1, report->host, &bulk, err));
        float *off = sp_allocate(report->host, POINTS, sizeof *off);
        sp_status status = off ? bulk.prepare(bulk.user, 7.0, err)
                               : sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
        for (uint32_t i = 0; i < POINTS && status == SP_OK; ++i) {
            const sp_random4 r = sp_random(2, 0, i, 0, 0);
            const double x = 400.0 * (double)sp_unit(r.x[0]), z = 400.0 * (double)sp_unit(r.x[1]);
            ocean_point p;
            ocean_point_above(bulk.user, x, z, &p);
            off[i] = (float)hypot(p.x - x, p.z - z);
        }
        if (status == SP_OK) {
            const char *kind = n ? ", two cascades" : "";
            qsort(off, POINTS, sizeof *off, ascending);
            sp_at_most(report, sp_label(report, "error of the place at rest, 99 %%%s, m", kind),
                       (double)off[POINTS / 100 * 99], 7e-5,
                       "what six fixed-point steps alone leave (made apart from this program)");
            sp_at_most(report, sp_label(report, "the same, the largest%s, m", kind),
                       (double)off[POINTS - 1], 1e-4,
                       "steps of Newton follow; without them 1.1 mm");
        }
        sp_release(report->host, off);
        sp_bulk_close(&bulk);
        SP_TRY(status);
    }
    return SP_OK;
}

/// ---- Finer grids -------------------------------------------------------------------------------

/// The amplitude of wave (i, j), by the response of its grid's spline.
static void amplitude_of(const ocean_cascade *c, int32_t i, int32_t j, double h[2])
{
    const double turn = 2.0 * SP_PI_D / c->n,
                 response = (2.0 + cos(turn * i)) * (2.0 + cos(turn * j)) / 9.0;
    const size_t at = (size_t)ocean_row(j, c->n) * c->columns + (size_t)i;
    for (int a = 0; a < 2; ++a)
        h[a] = response * (double)c->ahead[a][at];
}

/// The largest difference between waves of a cascade that both grids hold, over the largest wave.
static void compare(const ocean_cascade *few, const ocean_cascade *many, double *off, double *most)
{
    for (int32_t j = 1 - few->n / 2; j < few->n / 2; ++j)
        for (int32_t i = 0; i < few->n / 2; ++i) {
            double a[2], b[2];
            if (hypot(i, j) >= few->n / 2) continue;
            amplitude_of(few, i, j, a);
            amplitude_of(many, i, j, b);
            *off = fmax(*off, hypot(a[0] - b[0], a[1] - b[1]));
            *most = fmax(*most, hypot(a[0], a[1]));
        }
}

sp_status ocean_prove_refined(sp_check_report *report, sp_error *err)
{
    for (int cascades = 1; cascades <= 2; ++cascades) {
        sp_ocean_def def = ocean_case_def();
        sp_bulk few, many;
        double off = 0.0, most = 0.0;
        def.cascades = cascades;
        def.cascade_ratio = 4;
        def.grid = 128;
        SP_TRY(sp_ocean_bulk(&def, 5, report->host, &few, err));
        def.grid = 512;
        const sp_status status = sp_ocean_bulk(&def, 5, report->host, &many, err);
        for (int k = 0; k < cascades && status == SP_OK; ++k)
            compare(&((const ocean *)few.user)->cascade[k], &((const ocean *)many.user)->cascade[k],
                    &off, &most);
        sp_bulk_close(&few);
        sp_bulk_close(&many);
        SP_TRY(status);
        sp_at_most(report,
                   sp_label(report, "waves that 512 samples have otherwise than 128, %d cascades",
                            cascades),
                   off / most, 1e-6,
                   "random numbers are drawn by wavevector; amplitudes are floats");
    }
    return SP_OK;
}

/// ---- Seams -------------------------------------------------------------------------------------

static double difference(const ocean_asked *a, const ocean_asked *b)
{
    double worst = 0.0;
    for (size_t i = 0; i < OCEAN_ASKED; ++i) {
        worst = fmax(worst, fabs((double)(a->phi[i] - b->phi[i])));
        for (int c = 0; c < 3; ++c) {
            worst = fmax(worst, fabs((double)(a->u[c][i] - b->u[c][i])));
            worst = fmax(worst, fabs((double)(a->normal[c][i] - b->normal[c][i])));
        }
    }
    return worst;
}

sp_status ocean_prove_seams(sp_check_report *report, sp_error *err)
{
    for (int cascades = 1; cascades <= 2; ++cascades) {
        sp_ocean_def def = ocean_case_def();
        ocean_asked *a = sp_allocate(report->host, 2, sizeof *a);
        sp_bulk bulk = {0};
        double repeats = 0.0, jump = 0.0;
        def.cascades = cascades;
        def.patch = 256.0;
        sp_status status = a ? sp_ocean_bulk(&def, 1, report->host, &bulk, err)
                             : sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
        if (status == SP_OK) {
            ocean_asked_scatter(a, def.patch, -1.0);
            status = ocean_ask(a, &bulk, report->host, 7.0, err);
            a[1] = a[0];
            for (size_t i = 0; i < OCEAN_ASKED; ++i) {
                a[1].at[0][i] += 3.0 * def.patch;
                a[1].at[2][i] -= 1000.0 * def.patch;
            }
            if (status == SP_OK) status = ocean_ask(&a[1], &bulk, report->host, 7.0, err);
            repeats = difference(&a[0], &a[1]);
            for (size_t i = 0; i < OCEAN_ASKED; ++i) { // either side of both seams
                const int axis = i % 2 ? 0 : 2;
                a[0].at[axis][i] = def.patch - 1e-6;
                a[1].at[axis][i] = 1e-6;
                a[1].at[2 - axis][i] = a[0].at[2 - axis][i];
            }
            if (status == SP_OK) status = ocean_ask(&a[0], &bulk, report->host, 7.0, err);
            if (status == SP_OK) status = ocean_ask(&a[1], &bulk, report->host, 7.0, err);
            jump = difference(&a[0], &a[1]);
        }
        sp_release(report->host, a);
        sp_bulk_close(&bulk);
        SP_TRY(status);
        sp_exact(report,
                 sp_label(report, "difference three patches east, a thousand north, %d cascades",
                          cascades),
                 repeats, 0.0, "a patch of 256 m: places differ by no rounding");
        sp_at_most(report, sp_label(report, "jump across a seam, %d cascades", cascades), jump,
                   2e-5, "2 micrometres apart; rounding of floats near 1");
    }
    return SP_OK;
}

/// ---- Folds -------------------------------------------------------------------------------------

/// A sea that is asked to be far too choppy gets what does not fold, at times that were not looked at too.
sp_status ocean_prove_folds(sp_check_report *report, sp_error *err)
{
    sp_ocean_def def = ocean_case_def();
    sp_bulk bulk;
    sp_host silent = *report->host;
    double folded = 0.0, mean = 0.0;
    enum { TIMES = 20 };
    def.wind = 20.0;
    def.choppiness = 2.0;
    def.grid = 512;
    silent.log = NULL;
    SP_TRY(sp_ocean_bulk(&def, 1, &silent, &bulk, err));
    const sp_ocean_figures figures = sp_ocean_figures_of(&bulk);
    sp_status status = SP_OK;
    for (int n = 0; n < TIMES && status == SP_OK; ++n) {
        status = bulk.prepare(bulk.user, 33.3 + 17.1 * n, err);
        folded += sp_ocean_share_below(&bulk, 0.0f) / TIMES;
    }
    for (uint32_t i = 0; i < 20000; ++i) { // over the area in space, 1/J is the area at rest
        const sp_random4 r = sp_random(3, 0, i, 0, 0);
        const double x = 400.0 * (double)sp_unit(r.x[0]), z = 400.0 * (double)sp_unit(r.x[1]);
        float jacobian;
        sp_ocean_jacobian(&bulk, &x, &z, &jacobian, 0, 1);
        mean += 1.0 / (double)jacobian / 20000.0;
    }
    sp_bulk_close(&bulk);
    SP_TRY(status);
    sp_at_least(report, "share of the sea that folds at choppiness 2, wind 20 m/s", figures.folded,
                1e-9, "else the rows below prove nothing");
    sp_at_most(report, "choppiness that is used instead", figures.choppiness, 1.999,
               "it is reduced");
    sp_at_most(report, "share that then folds, at 20 other times", folded, 1e-5,
               "the margin is 5 %; rare crests may pass it");
    sp_within(report, "mean of 1/J over the patch", mean, 1.0, 0.02,
              "the patch at rest has the patch's area; 20,000 places");
    return SP_OK;
}

/// ---- Threads -----------------------------------------------------------------------------------

static sp_status hash_on(int threads, int cascades, bool twice, uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_ocean_def def = ocean_case_def();
    ocean_asked *a = sp_allocate(&host, 1, sizeof *a);
    sp_bulk bulk = {0};
    def.cascades = cascades;
    sp_status status = a ? sp_ocean_bulk(&def, 1, &host, &bulk, err)
                         : sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
    if (status == SP_OK) ocean_asked_scatter(a, def.patch, -0.7);
    for (int n = twice ? 0 : 3; n < 4 && status == SP_OK; ++n)
        status = ocean_ask(a, &bulk, &host, n % 2 ? 7.0 : 7.04 + n, err);
    if (status == SP_OK) {
        const double share = sp_ocean_share_below(&bulk, 0.7f);
        *hash = sp_hash(sp_hash(sp_hash(0, a->phi, sizeof a->phi), a->u, sizeof a->u), &share,
                        sizeof share);
    }
    sp_bulk_close(&bulk);
    sp_release(&host, a);
    return status;
}

sp_status ocean_prove_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    for (int cascades = 1; cascades <= 2; ++cascades) {
        uint64_t one, other;
        SP_TRY(hash_on(1, cascades, false, &one, err));
        for (size_t n = 0; n < sizeof threads / sizeof *threads; ++n) {
            SP_TRY(hash_on(threads[n], cascades, false, &other, err));
            sp_exact(report,
                     sp_label(report, "%d threads give what one gives, %d cascades", threads[n],
                              cascades),
                     other == one, 1.0, "bit for bit");
        }
        SP_TRY(hash_on(2, cascades, true, &other, err));
        sp_exact(report, sp_label(report, "the same after other times, %d cascades", cascades),
                 other == one, 1.0, "bit for bit");
    }
    return SP_OK;
}
