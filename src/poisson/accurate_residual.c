// SPDX-License-Identifier: Apache-2.0
/// Reads the caller's b and x, writes x back, and computes the residual accurately. Vectors of
/// floats are enough for corrections. But x itself, in water n voxels deep, is about n times larger
/// than the resolution of b, and rounding x to floats leaves a residual of n * 1e-7. So x is a sum,
///
///     x = hi + lo + d
///
/// hi is the caller's guess (unused if that was 0), d collects corrections. Once the residual is
/// small, d is moved to lo and a new d begins, small enough that its rounding does not matter. This
/// costs only the pass that recomputes the residual. If it happens again, all three are folded into
/// hi and lo, which together have twice the digits of a float.
#define REAL double
#define BITS 64
#include "poisson/parts.h"

typedef float float16 __attribute__((vector_size(64), aligned(64), may_alias));

SP_INLINE float16 *floats_of(float *values, size_t tile)
{
    return __builtin_assume_aligned(values + tile * SP_TILE_VOXELS, 64);
}

/// ---- Load b and x ------------------------------------------------------------------------------

typedef struct taking {
    sp_poisson *s;
    const float *b;
    float *x;
} taking;

/// A tile of the caller's field in our layout, 0 where there is no unknown.
static void load_tile_of(const sp_poisson *s, size_t t, const float *from, float *values)
{
    float *to = (float *)floats_of(values, t);
    const poisson_diagonal *diagonal = diagonal_of(&s->level[0], t);
    from += (size_t)s->tile[t] * SP_TILE_VOXELS;
    for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 8; ++j)
            poisson_split_row(from + 8 * j + 64 * k, to + poisson_place(0, j, k),
                              to + poisson_place(1, j, k));
    for (int i = 0; i < SP_TILE_VOXELS && diagonal; ++i)
        to[i] = (&diagonal->inverse[0][0])[i] > 0.0f ? to[i] : 0.0f;
}

static void peak_of_right(const sp_poisson *s, size_t t)
{
    vec peak = {0};
    for (int i = 0; i < 32; ++i)
        peak = max_abs16(peak, __builtin_convertvector(floats_of(s->right, t)[i], vec));
    s->peaks[t] = peak16(peak);
}

static void load_tiles(void *arg, size_t begin, size_t end)
{
    const taking *w = arg;
    sp_poisson *s = w->s;
    for (size_t t = begin; t < end; ++t) {
        load_tile_of(s, t, w->b, s->right);
        load_tile_of(s, t, w->x, s->hi);
        int any = 0;
        for (size_t c = t * SP_TILE_VOXELS; c < (t + 1) * SP_TILE_VOXELS; ++c)
            any |= !(s->hi[c] == 0.0f); // true for NaN as well
        s->sums[t] = any;
        peak_of_right(s, t);
        if (!s->pieces.singular) continue;
        vec value[32];
        for (int i = 0; i < 32; ++i)
            value[i] = __builtin_convertvector(floats_of(s->right, t)[i], vec);
        sum_parts(s, t, value);
    }
}

static void subtract_from_right(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t) {
        float16 *right = floats_of(s->right, t);
        vec value[32];
        for (int i = 0; i < 32; ++i)
            value[i] = __builtin_convertvector(right[i], vec);
        subtract_means(s, t, s->pieces.mean, value);
        for (int i = 0; i < 32; ++i)
            right[i] = __builtin_convertvector(value[i], float16);
        peak_of_right(s, t);
    }
}

double poisson_load(sp_poisson *s, const float *b, const float *x)
{
    const size_t n = s->level[0].count;
    poisson_pieces *p = &s->pieces;
    taking work = {s, b, (float *)(uintptr_t)x};
    sp_parallel(s->host, n, POISSON_GRAIN, load_tiles, &work);
    memset(p->mean, 0, p->count * sizeof *p->mean);
    if (p->singular) {
        poisson_piece_means(p, p->mean);
        sp_parallel(s->host, n, POISSON_GRAIN, subtract_from_right, s);
    }
    s->hi_used = s->lo_used = s->d_used = false;
    for (size_t t = 0; t < n; ++t)
        s->hi_used |= s->sums[t] > 0.0;
    return poisson_largest(s->peaks, n);
}

/// ---- hi + lo + d -------------------------------------------------------------------------------

/// hi + lo + d of sixteen voxels.
SP_INLINE vec sum16(const void *from, size_t tile, int i)
{
    const sp_poisson *s = from;
    const size_t at = tile * SP_TILE_VOXELS + 16 * (size_t)i;
    vec sum = {0};
    if (s->real == sizeof(float)) {
        if (s->lo_used) sum += vec_of_floats((const float *)s->lo + at);
        if (s->d_used) sum += vec_of_floats((const float *)s->d + at);
    } else {
        if (s->lo_used) sum += const_tile_of(s->lo, tile)[i];
        if (s->d_used) sum += const_tile_of(s->d, tile)[i];
    }
    if (s->hi_used) sum += vec_of_floats(s->hi + at);
    return sum;
}

/// Adds all three up into hi and lo.
static void fold_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t)
        for (int i = 0; i < 32; ++i) {
            const vec sum = sum16(s, t, i);
            const float16 hi = __builtin_convertvector(sum, float16);
            const vec lo = sum - __builtin_convertvector(hi, vec);
            floats_of(s->hi, t)[i] = hi;
            if (s->real == sizeof(float))
                floats_of(s->lo, t)[i] = __builtin_convertvector(lo, float16);
            else
                tile_of(s->lo, t)[i] = lo;
        }
}

/// Moves d to lo, or adds all up into hi and lo if lo is in use; d is empty afterwards.
static void set_aside(sp_poisson *s)
{
    if (!s->d_used) return;
    if (s->lo_used) {
        sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, fold_tiles, s);
        s->hi_used = true;
    } else {
        void *swap = s->lo;
        s->lo = s->d;
        s->d = swap;
    }
    s->lo_used = true;
    s->d_used = false;
}

/// ---- The residual ------------------------------------------------------------------------------

/// Prefetches the data of the tile after the next.
static void prefetch_ahead(const sp_poisson *s, size_t t)
{
    const poisson_level *l = &s->level[0];
    if (l->count < MANY || t + AHEAD >= l->count) return;
    const void *part[3] = {s->hi_used ? s->hi : NULL, s->lo_used ? s->lo : NULL,
                           s->d_used ? s->d : NULL};
    const size_t bytes[3] = {sizeof(float), s->real, s->real};
    prefetch_row(l, t + AHEAD, true);
    soon_bytes(s->right + (t + AHEAD) * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *s->right);
    for (int n = 0; n < 3; ++n) {
        const size_t tile = SP_TILE_VOXELS * bytes[n];
        if (!part[n]) continue;
        soon_bytes((const char *)part[n] + (t + AHEAD) * tile, tile);
        for (int side = 0; side < 6; ++side)
            soon_bytes((const char *)part[n] + l->near[t + AHEAD][side] * tile, tile);
    }
}

/// b - Ax; equal to b where x is 0.
static void residual_tile(const sp_poisson *s, size_t t, vec r[32])
{
    const poisson_level *l = &s->level[0];
    for (int i = 0; i < 32; ++i)
        r[i] = __builtin_convertvector(floats_of(s->right, t)[i], vec);
    if (!s->hi_used && !s->lo_used && !s->d_used) return;
    unpacked room;
    const coefficients a = coefficients_of(l, t, true, &room);
    block b;
    vec ax[32];
    load_halo(&b, sum16, s, l->near[t]);
    load_inside(&b, sum16, s, t);
    apply_tile(&b, &a, ax);
    for (int i = 0; i < 32; ++i)
        r[i] -= ax[i];
}

static void residual_tiles(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t) {
        vec r[32], peak = {0};
        prefetch_ahead(s, t);
        residual_tile(s, t, r);
        for (int i = 0; i < 32; ++i) {
            peak = max_abs16(peak, r[i]);
            if (s->real == sizeof(float))
                floats_of(s->level[0].b, t)[i] = __builtin_convertvector(r[i], float16);
            else
                tile_of(s->level[0].b, t)[i] = r[i];
        }
        s->peaks[t] = peak16(peak);
    }
}

double poisson_refresh(sp_poisson *s)
{
    set_aside(s);
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, residual_tiles, s);
    return poisson_largest(s->peaks, s->level[0].count);
}

/// ---- Write x back ------------------------------------------------------------------------------

static void sum_answer(void *arg, size_t begin, size_t end)
{
    const taking *w = arg;
    for (size_t t = begin; t < end; ++t) {
        vec value[32];
        for (int i = 0; i < 32; ++i)
            value[i] = sum16(w->s, t, i);
        sum_parts(w->s, t, value);
    }
}

static void unload_tiles(void *arg, size_t begin, size_t end)
{
    const taking *w = arg;
    const sp_poisson *s = w->s;
    for (size_t t = begin; t < end; ++t) {
        vec value[32];
        float16 out[32];
        for (int i = 0; i < 32; ++i)
            value[i] = sum16(s, t, i);
        if (s->pieces.singular) subtract_means(s, t, s->pieces.mean, value);
        for (int i = 0; i < 32; ++i)
            out[i] = __builtin_convertvector(value[i], float16);
        const float *from = (const float *)out;
        float *to = w->x + (size_t)s->tile[t] * SP_TILE_VOXELS;
        for (int k = 0; k < 8; ++k)
            for (int j = 0; j < 8; ++j)
                poisson_join_row(from + poisson_place(0, j, k), from + poisson_place(1, j, k),
                                 to + 8 * j + 64 * k);
    }
}

void poisson_unload(sp_poisson *s, float *x)
{
    taking work = {.s = s, .x = x};
    if (s->pieces.singular) {
        sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, sum_answer, &work);
        poisson_piece_means(&s->pieces, s->pieces.mean);
    }
    for (size_t t = 0; t < s->tiles; ++t)
        if (s->slot[t] == SP_NO_TILE) memset(x + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *x);
    sp_parallel(s->host, s->level[0].count, POISSON_GRAIN, unload_tiles, &work);
}
