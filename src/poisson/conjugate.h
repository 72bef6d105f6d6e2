// SPDX-License-Identifier: Apache-2.0
/// Conjugate gradients, preconditioned by one multigrid cycle.
#include "poisson/passes.h"

/// ---- The cycle ---------------------------------------------------------------------------------

/// The coarsest level has at most 512 unknowns: smoothing alone solves it well enough.
static void solve_coarsest(const sp_poisson *s, const poisson_level *l, bool zero)
{
    enum { ROUNDS = 15 };
    for (int n = 0; n < ROUNDS; ++n)
        smooth_down(s->host, l, NULL, s->def.smooth, zero && n == 0);
    for (int n = 0; n < ROUNDS; ++n)
        smooth_up(s->host, l, NULL, s->def.smooth, l == s->level ? s : NULL);
}

typedef struct averaging {
    REAL *x;
    uint32_t copies;
} averaging;

static void average_tiles(void *arg, size_t begin, size_t end)
{
    const averaging *w = arg;
    for (int a = 0; a < 3; ++a) {
        const size_t half = (size_t)2 << 3 * a; // to the voxel 4 further, same colour
        if (!(w->copies >> a & 1)) continue;
        for (size_t c = begin * SP_TILE_VOXELS; c < end * SP_TILE_VOXELS; ++c)
            if (!(c & half)) w->x[c] = w->x[c + half] = (REAL)0.5 * (w->x[c] + w->x[c + half]);
    }
}

/// Where a child fills both halves of a coarse tile (see hierarchy.c), it gets the mean of both
/// halves: the transpose of restricting its residual to both. The halves differ slightly, because
/// sweeps start at one end.
static void average_copies(const sp_poisson *s, const poisson_level *fine,
                           const poisson_level *coarse)
{
    averaging work = {coarse->x, fine->copies};
    if (fine->copies) sp_parallel(s->host, coarse->count, POISSON_GRAIN, average_tiles, &work);
}

/// One cycle on a level: improves x. `zero`: x is 0 at the start.
static void cycle(const sp_poisson *s, int level, bool zero)
{
    const poisson_level *l = &s->level[level], *coarse = l + 1;
    if (level == s->levels - 1) {
        solve_coarsest(s, l, zero);
        return;
    }
    smooth_down(s->host, l, coarse, s->def.smooth, zero);
    restrict_level(s->host, l, coarse);
    cycle(s, level + 1, true);
    if (s->def.cycle == SP_POISSON_W && level + 1 < s->levels - 1 && !coarse->loses_period)
        cycle(s, level + 1, false);
    average_copies(s, l, coarse);
    smooth_up(s->host, l, coarse, s->def.smooth, level == 0 ? s : NULL);
}

void CYCLE(sp_poisson *s)
{
    cycle(s, 0, true);
}

/// ---- Vectors -----------------------------------------------------------------------------------

static double total_of_sums(const sp_poisson *s)
{
    return sp_exact_total(s->sums, s->level[0].count, 1);
}

typedef struct stepping {
    sp_poisson *s;
    REAL factor;
    bool first; ///< the vector has no previous value
} stepping;

/// ---- Steps -------------------------------------------------------------------------------------

/// z = r / diagonal.
static void jacobi_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    const poisson_level *l = &s->level[0];
    for (size_t t = begin; t < end; ++t) {
        const vec *r = const_tile_of(l->b, t);
        const poisson_diagonal *a = diagonal_of(l, t);
        vec *z = tile_of(l->x, t);
        for (int i = 0; i < 32; ++i)
            z[i] = r[i] * (a ? vec_of_floats(&a->inverse[i / 16][16 * (i % 16)])
                             : vec_all((REAL)(1.0 / 6.0)));
        sum_tile(s, t);
    }
}

/// p = z + factor p, without the means over singular pieces.
static void direction_tiles(void *arg, size_t begin, size_t end)
{
    const stepping *w = arg;
    const poisson_pieces *pieces = &w->s->pieces;
    for (size_t t = begin; t < end; ++t) {
        const vec *z = const_tile_of(w->s->level[0].x, t);
        vec *p = tile_of(w->s->p, t);
        for (int i = 0; i < 32; ++i) {
            vec next = z[i];
            if (!w->first) next += w->factor * p[i];
            p[i] = next;
        }
        if (pieces->singular) subtract_means(w->s, t, pieces->mean, p);
    }
}

/// Whether there is a tile to prefetch.
SP_INLINE bool has_ahead(const sp_poisson *s, size_t t)
{
    return s->level[0].count >= MANY && t + AHEAD < s->level[0].count;
}

SP_INLINE void load_direction(const sp_poisson *s, size_t t, block *p, vec out[32])
{
    unpacked room;
    const coefficients a = coefficients_of(&s->level[0], t, true, &room);
    if (has_ahead(s, t)) {
        prefetch_row(&s->level[0], t + AHEAD, true);
        prefetch_tile(s->p, t + AHEAD);
        prefetch_around(s->p, s->level[0].near[t + AHEAD]);
    }
    load_halo(p, fetch_plain, s->p, s->level[0].near[t]);
    load_inside(p, fetch_plain, s->p, t);
    apply_tile(p, &a, out);
}

/// p'Ap.
static void energy_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t) {
        block p;
        vec ap[32];
        load_direction(s, t, &p, ap);
        s->sums[t] = dot_tile(const_tile_of(s->p, t), ap);
    }
}

/// d += factor p, r -= factor Ap. Ap is recomputed instead of stored, which moves fewer bytes. The
/// mean that rounding adds to r is subtracted one step later, when all tiles are done.
static void step_tiles(void *arg, size_t begin, size_t end)
{
    const stepping *w = arg;
    const sp_poisson *s = w->s;
    for (size_t t = begin; t < end; ++t) {
        vec *r = tile_of(s->level[0].b, t), *d = tile_of(s->d, t), ap[32], peak = {0}, size = {0};
        block p;
        if (has_ahead(s, t)) {
            prefetch_tile(s->level[0].b, t + AHEAD);
            prefetch_tile(s->d, t + AHEAD);
        }
        load_direction(s, t, &p, ap);
        if (s->pieces.singular) subtract_means(s, t, s->pieces.residual_mean, r);
        for (int i = 0; i < 32; ++i) {
            vec more = w->factor * p.cell[i / 16][i % 16 / 2 + 1][1 + i % 2];
            if (!w->first) more += d[i];
            d[i] = more;
            r[i] -= w->factor * ap[i];
            peak = max_abs16(peak, r[i]);
            size = max_abs16(size, more);
        }
        if (s->pieces.singular) sum_parts(s, t, r);
        s->peaks[t] = peak16(peak);
        s->sums[t] = peak16(size);
    }
}

/// ---- Iterations --------------------------------------------------------------------------------

static void sum_residual(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t)
        sum_parts(s, t, const_tile_of(s->level[0].b, t));
}

static void subtract_from_residual(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t)
        subtract_means(s, t, s->pieces.residual_mean, tile_of(s->level[0].b, t));
}

/// Subtracts the means over singular pieces from a recomputed residual.
static void subtract_residual_means(sp_poisson *s)
{
    poisson_pieces *p = &s->pieces;
    if (!p->singular) return;
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, sum_residual, s);
    poisson_piece_means(p, p->residual_mean);
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, subtract_from_residual, s);
    memset(p->residual_mean, 0, p->count * sizeof *p->residual_mean);
}

/// z = M r, the means of z over singular pieces, and z'r. The means do not change z'r, because r
/// has mean 0.
static double precondition(sp_poisson *s, bool plain)
{
    if (plain)
        sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, jacobi_tiles, s);
    else
        CYCLE(s);
    if (s->pieces.singular) poisson_piece_means(&s->pieces, s->pieces.mean);
    return total_of_sums(s);
}

/// Recomputes the residual when it is small enough to stop, or when the rounding of d becomes
/// visible. Rounding errors of d contribute trace(A) (epsilon d)^2, while the residual contributes
/// rho = r'Mr. d is moved into hi and lo while they are still small, because search directions
/// found with another residual lose their value. Returns false when the recomputed residual is much
/// larger: then the directions are useless.
static bool refresh_residual(sp_poisson *s, poisson_run *run, double rho)
{
    const double epsilon = BITS == 32 ? 0x1p-24 : 0x1p-53,
                 rounding = epsilon * poisson_largest(s->sums, s->level[0].count),
                 noise = s->trace * rounding * rounding, said = run->residual;
    run->fresh = false;
    if (said > run->goal && (rho > 300.0 * noise || rho > 1e-3 * run->last_rho)) return true;
    run->residual = poisson_refresh(s);
    run->last_rho = rho;
    run->fresh = true;
    return run->residual < 1.2 * said;
}

void CONJUGATE(sp_poisson *s, poisson_run *run)
{
    const size_t n = s->level[0].count;
    double rho = 0.0;
    run->last_rho = HUGE_VAL;
    while (run->residual > run->goal && run->iterations < run->most) {
        double last = rho;
        if (run->fresh) subtract_residual_means(s);
        rho = precondition(s, run->plain);
        if (run->fresh && rho > last) last = 0.0; // restart
        stepping work = {s, last > 0.0 ? (REAL)(rho / last) : 0, !(last > 0.0)};
        sp_parallel(s->host, n, POISSON_GRAIN, direction_tiles, &work);
        sp_parallel(s->host, n, POISSON_GRAIN, energy_tiles, s);
        const double energy = total_of_sums(s);
        if (!(rho > 0.0 && energy > 0.0)) break;
        work.factor = (REAL)(rho / energy);
        work.first = !s->d_used;
        sp_parallel(s->host, n, POISSON_GRAIN, step_tiles, &work);
        if (s->pieces.singular) poisson_piece_means(&s->pieces, s->pieces.residual_mean);
        s->d_used = true;
        run->residual = poisson_largest(s->peaks, n);
        ++run->iterations;
        if (!refresh_residual(s, run, rho)) rho = 0.0;
    }
}
