// SPDX-License-Identifier: Apache-2.0
/// Conjugate gradients, preconditioned by one cycle of multigrid.
#include "poisson/passes.h"

/// ---- The cycle ---------------------------------------------------------------------------------

/// The coarsest level has at most 512 unknowns: sweeps alone solve it well enough.
static void solve_coarsest(const sp_poisson *s, const poisson_level *l, bool zero)
{
    enum { ROUNDS = 15 };
    for (int n = 0; n < ROUNDS; ++n)
        smooth_down(s->host, l, s->def.smooth, zero && n == 0);
    for (int n = 0; n < ROUNDS; ++n)
        smooth_up(s->host, l, s->def.smooth);
}

/// Improves x of a level, which may be 0 to begin with.
static void cycle(const sp_poisson *s, int level, bool zero)
{
    const poisson_level *l = &s->level[level];
    if (level == s->levels - 1) {
        solve_coarsest(s, l, zero);
        return;
    }
    smooth_down(s->host, l, s->def.smooth, zero);
    moving work = {l, l + 1};
    sp_parallel(s->host, l->count, POISSON_GRAIN, restrict_tiles, &work);
    cycle(s, level + 1, true);
    if (s->def.cycle == SP_POISSON_W && level + 1 < s->levels - 1) cycle(s, level + 1, false);
    sp_parallel(s->host, l->count, POISSON_GRAIN, prolong_tiles, &work);
    smooth_up(s->host, l, s->def.smooth);
}

void CYCLE(sp_poisson *s)
{
    cycle(s, 0, true);
}

/// ---- Vectors -----------------------------------------------------------------------------------

/// Sixteen sums in double, closed by a fixed tree.
typedef double sums16 __attribute__((vector_size(128), aligned(64)));

SP_INLINE sums16 dot16(sums16 sum, vec a, vec b)
{
    return sum + __builtin_convertvector(a, sums16) * __builtin_convertvector(b, sums16);
}

SP_INLINE double close16(sums16 sum)
{
    for (int width = 8; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
            sum[i] += sum[i + width];
    return sum[0];
}

static double add_up(const sp_poisson *s)
{
    double sum = 0.0;
    for (size_t t = 0; t < s->level[0].count; ++t)
        sum += s->sums[t];
    return sum;
}

typedef struct stepping {
    sp_poisson *s;
    REAL factor;
} stepping;

static void dot_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t) {
        const vec *z = tile_of(s->level[0].x, t), *r = tile_of(s->level[0].b, t);
        sums16 sum = {0};
        for (int i = 0; i < 32; ++i)
            sum = dot16(sum, z[i], r[i]);
        s->sums[t] = close16(sum);
    }
}

/// ---- Singular pieces ---------------------------------------------------------------------------

typedef struct levelling {
    const sp_poisson *s;
    REAL *values;
} levelling;

/// Which part of its tile a place of ours is in.
SP_INLINE uint32_t part_at(const poisson_pieces *p, uint32_t label, size_t place)
{
    const size_t k = place % POISSON_HALF / 32, j = place % 32 / 4,
                 i = 2 * (place % 4) + ((j + k + place / POISSON_HALF) & 1);
    return p->part[label][i + 8 * j + 64 * k];
}

static void sum_parts(void *arg, size_t begin, size_t end)
{
    const levelling *w = arg;
    const poisson_pieces *p = &w->s->pieces;
    for (size_t t = begin; t < end; ++t) {
        for (size_t n = p->node[t]; n < p->node[t + 1]; ++n)
            p->sum[n] = 0.0;
        if (p->node[t] == p->node[t + 1] || !poisson_is_loose(w->s, t)) continue;
        const REAL *value = w->values + t * SP_TILE_VOXELS;
        if (p->label[t] == UINT32_MAX) {
            sums16 sum = {0};
            for (int i = 0; i < 32; ++i)
                sum += __builtin_convertvector(tile_of(w->values, t)[i], sums16);
            p->sum[p->node[t]] = close16(sum);
            continue;
        }
        for (size_t c = 0; c < SP_TILE_VOXELS; ++c) {
            const uint32_t part = part_at(p, p->label[t], c);
            if (part != UINT16_MAX) p->sum[p->node[t] + part] += (double)value[c];
        }
    }
}

static void take_off_means(void *arg, size_t begin, size_t end)
{
    const levelling *w = arg;
    const poisson_pieces *p = &w->s->pieces;
    for (size_t t = begin; t < end; ++t) {
        if (p->node[t] == p->node[t + 1] || !poisson_is_loose(w->s, t)) continue;
        REAL *value = w->values + t * SP_TILE_VOXELS;
        const poisson_row *row = row_of(&w->s->level[0], t);
        for (size_t c = 0; c < SP_TILE_VOXELS; ++c) {
            if (row && !(row->inverse[c / POISSON_HALF][c % POISSON_HALF] > 0.0f)) continue;
            const uint32_t part = p->label[t] == UINT32_MAX ? 0 : part_at(p, p->label[t], c);
            value[c] -= (REAL)p->mean[p->piece[p->node[t] + part]];
        }
    }
}

/// Takes the mean over each singular piece off a vector. In exact arithmetic there would be none
/// left in residuals; what rounding leaves grows from cycle to cycle until nothing converges.
static void level_out(sp_poisson *s, REAL *values)
{
    if (!s->pieces.singular) return;
    levelling work = {s, values};
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, sum_parts, &work);
    poisson_close_means(&s->pieces);
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, take_off_means, &work);
}

/// ---- Steps -------------------------------------------------------------------------------------

/// z = r / diagonal.
static void jacobi_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    const poisson_level *l = &s->level[0];
    for (size_t t = begin; t < end; ++t) {
        const vec *r = tile_of(l->b, t);
        const poisson_row *row = row_of(l, t);
        vec *z = __builtin_assume_aligned((REAL *)l->x + t * SP_TILE_VOXELS, 64);
        for (int i = 0; i < 32; ++i)
            z[i] = r[i] * (row ? vec_of_floats(&row->inverse[i / 16][16 * (i % 16)])
                               : vec_all((REAL)(1.0 / 6.0)));
    }
}

/// p = z + factor p.
static void turn_tiles(void *arg, size_t begin, size_t end)
{
    const stepping *w = arg;
    const vec *z = tile_of(w->s->level[0].x, begin);
    vec *p = __builtin_assume_aligned((REAL *)w->s->p + begin * SP_TILE_VOXELS, 64);
    for (size_t i = 0; i < 32 * (end - begin); ++i)
        p[i] = z[i] + w->factor * p[i];
}

SP_INLINE vec apply_any(const block *b, const poisson_row *row, int i)
{
    const int c = i / 16, k = i % 16 / 2, h = i % 2;
    return (k + c) & 1 ? apply16(b, row, c, k, h, 1) : apply16(b, row, c, k, h, 0);
}

/// p'Ap.
static void energy_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    const poisson_level *l = &s->level[0];
    for (size_t t = begin; t < end; ++t) {
        const poisson_row *row = row_of(l, t);
        block p;
        load_frame(&p, s->p, l->near[t]);
        load_inside(&p, s->p, t);
        sums16 sum = {0};
        for (int i = 0; i < 32; ++i)
            sum = dot16(sum, p.cell[i / 16][i % 16 / 2 + 1][1 + i % 2], apply_any(&p, row, i));
        s->sums[t] = close16(sum);
    }
}

SP_INLINE vec vec_larger(vec a, vec b) ///< |b| where that is larger or NaN
{
    for (int i = 0; i < 16; ++i) {
        const REAL size = b[i] < 0 ? -b[i] : b[i];
        a[i] = size <= a[i] ? a[i] : size;
    }
    return a;
}

SP_INLINE double vec_peak(vec a)
{
    double most = 0.0;
    for (int i = 0; i < 16; ++i)
        if (!((double)a[i] <= most)) most = (double)a[i];
    return most;
}

/// d += factor p, r -= factor Ap; Ap is made again rather than kept, which moves fewer bytes.
static void step_tiles(void *arg, size_t begin, size_t end)
{
    const stepping *w = arg;
    const sp_poisson *s = w->s;
    const poisson_level *l = &s->level[0];
    for (size_t t = begin; t < end; ++t) {
        const poisson_row *row = row_of(l, t);
        vec *r = __builtin_assume_aligned((REAL *)l->b + t * SP_TILE_VOXELS, 64),
            *d = __builtin_assume_aligned((REAL *)s->d + t * SP_TILE_VOXELS, 64);
        block p;
        load_frame(&p, s->p, l->near[t]);
        load_inside(&p, s->p, t);
        vec peak = {0}, size = {0};
        for (int i = 0; i < 32; ++i) {
            r[i] -= w->factor * apply_any(&p, row, i);
            d[i] += w->factor * p.cell[i / 16][i % 16 / 2 + 1][1 + i % 2];
            peak = vec_larger(peak, r[i]);
            size = vec_larger(size, d[i]);
        }
        s->peaks[t] = vec_peak(peak);
        s->sums[t] = vec_peak(size);
    }
}

/// ---- Iterations --------------------------------------------------------------------------------

static double larger(const double *values, size_t n)
{
    double most = 0.0;
    for (size_t t = 0; t < n; ++t)
        if (!(values[t] <= most)) most = values[t];
    return most;
}

void CONJUGATE(sp_poisson *s, poisson_run *run)
{
    const size_t n = s->level[0].count;
    const double epsilon = sizeof(REAL) == sizeof(float) ? 0x1p-24 : 0x1p-53;
    double rho = 0.0, fresh = run->residual; // the residual when it was last made anew
    while (run->residual > run->goal && run->iterations < run->most) {
        level_out(s, s->level[0].b);
        if (run->plain)
            sp_parallel(s->host, n, POISSON_GRAIN, jacobi_tiles, s);
        else
            CYCLE(s);
        level_out(s, s->level[0].x);
        sp_parallel(s->host, n, POISSON_GRAIN, dot_tiles, s);
        const double last = rho;
        rho = add_up(s);
        stepping work = {s, last > 0.0 ? (REAL)(rho / last) : 0};
        sp_parallel(s->host, n, POISSON_GRAIN, turn_tiles, &work);
        sp_parallel(s->host, n, POISSON_GRAIN, energy_tiles, s);
        const double energy = add_up(s);
        if (!(rho > 0.0 && energy > 0.0)) break;
        work.factor = (REAL)(rho / energy);
        sp_parallel(s->host, n, POISSON_GRAIN, step_tiles, &work);
        run->residual = larger(s->peaks, n);
        ++run->iterations;
        const bool noisy = 8.0 * epsilon * larger(s->sums, n) > 0.1 * run->goal;
        if (run->residual <= run->goal || (noisy && run->residual < 0.01 * fresh))
            fresh = run->residual = poisson_refresh(s);
    }
}
