// SPDX-License-Identifier: Apache-2.0
/// Passes over the tiles of a level: smoother, restriction and prolongation. Transfers are fused
/// into the smoothing passes where possible, while a tile is in the cache. Each pass is parallel
/// over tiles that do not read what other tiles of the same pass write.
#include "poisson/parts.h"

/// ---- Sweeps inside a tile ----------------------------------------------------------------------

/// 1 / diagonal. The stored value is rounded to float: a smoother that used it would belong to a
/// slightly different matrix, and in double the cycle would be symmetric only to 1e-9.
SP_INLINE vec inverse16(const coefficients *a, int c, int q)
{
    const vec stored = vec_of_floats(&a->diagonal->inverse[c][16 * q]);
    if (BITS == 32) return stored;
    vec n[POISSON_FACES];
    for (int f = 0; f < POISSON_FACES; ++f)
        n[f] = vec_all(1);
    const vec sum = weighted_sum(a, c, q, n) + vec_of_floats(&a->diagonal->extra[c][16 * q]);
    return stored * (2 - stored * sum); // one Newton step
}

/// Sets two vectors of colour c to the values that make their residual 0.
SP_INLINE void relax_plane(block *x, const vec *b, const coefficients *a, int c, int k, int odd)
{
    for (int h = 0; h < 2; ++h) {
        vec n[POISSON_FACES];
        neighbours(x, c, k, h, odd, n);
        const int q = 2 * k + h;
        const vec sum = b[16 * c + q] + weighted_sum(a, c, q, n);
        x->cell[c][k + 1][1 + h] =
            sum * (a->diagonal ? inverse16(a, c, q) : vec_all((REAL)(1.0 / 6.0)));
    }
}

SP_INLINE void relax_colour(block *x, const vec *b, const coefficients *a, int c)
{
    for (int k = 0; k < 8; k += 2) {
        relax_plane(x, b, a, c, k, c);
        relax_plane(x, b, a, c, k + 1, 1 - c);
    }
}

/// Sweeps red, black, red, black, ... or, if `back`, black, red, ...
SP_INLINE void sweep(block *x, const vec *b, const coefficients *a, int sweeps, bool back)
{
    for (int n = 0; n < 2 * sweeps; ++n)
        if ((n & 1) == back)
            relax_colour(x, b, a, 0);
        else
            relax_colour(x, b, a, 1);
}

/// The same, with one branch per tile for the three kinds of tiles.
static void sweep_tile(block *x, const vec *b, const coefficients *a, int sweeps, bool back)
{
    const coefficients full = {0}, bits = {.open = a->open, .diagonal = a->diagonal};
    if (a->faces)
        sweep(x, b, &(coefficients){NULL, a->faces, a->diagonal, false}, sweeps, back);
    else if (a->open)
        sweep(x, b, &bits, sweeps, back);
    else
        sweep(x, b, &full, sweeps, back);
}

/// ---- Between levels ----------------------------------------------------------------------------

/// Place of a row of four voxels of colour c in a coarse tile.
SP_INLINE size_t coarse_place(uint32_t parent, int c, int j, int k)
{
    const uint32_t tile = parent >> 3, x = parent & 1, y = parent >> 1 & 1, z = parent >> 2 & 1;
    return (size_t)tile * SP_TILE_VOXELS + (size_t)(POISSON_HALF * c + 4 * j + 32 * k) + 2 * x +
           16 * y + 128 * z;
}

/// Restriction: the right-hand side of a coarse voxel is half the sum over 2x2x2 voxels. `r` holds
/// residuals; voxels of the two colours at one place are neighbours in x.
static void restrict_tile(const vec r[32], uint32_t parent, REAL *coarse)
{
    for (int k = 0; k < 4; ++k)
        for (int h = 0; h < 2; ++h) {
            const int q = 4 * k + h;
            vec sum = (r[q] + r[16 + q]) + (r[q + 2] + r[16 + q + 2]);
            sum += __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9,
                                           10, 11);
            sum *= (REAL)0.5;
            for (int row = 0; row < 2; ++row) {
                const int j = 2 * h + row, s = (j + k) & 1, at = 8 * row;
                REAL *even = coarse + coarse_place(parent, s, j, k),
                     *odd = coarse + coarse_place(parent, 1 - s, j, k);
                even[0] = sum[at];
                odd[0] = sum[at + 1];
                even[1] = sum[at + 2];
                odd[1] = sum[at + 3];
            }
        }
}

/// Lane indices that duplicate rows j and j + 1 of a coarse block: each value twice in x and each
/// row twice. The lanes are those of `red` and `black`, the two colours of four coarse rows. `low`
/// is the place of the first value in its row and s the colour of the block's first voxel in row j.
#define SPREAD(low, j, s)                                                                          \
    __builtin_shufflevector(red, black, 4 * (j) + (low) + 16 * (s),                                \
                            4 * (j) + (low) + 16 * (1 - (s)), 4 * (j) + (low) + 1 + 16 * (s),      \
                            4 * (j) + (low) + 1 + 16 * (1 - (s)), 4 * (j) + (low) + 16 * (s),      \
                            4 * (j) + (low) + 16 * (1 - (s)), 4 * (j) + (low) + 1 + 16 * (s),      \
                            4 * (j) + (low) + 1 + 16 * (1 - (s)),                                  \
                            4 * (j) + 4 + (low) + 16 * (1 - (s)), 4 * (j) + 4 + (low) + 16 * (s),  \
                            4 * (j) + 5 + (low) + 16 * (1 - (s)), 4 * (j) + 5 + (low) + 16 * (s),  \
                            4 * (j) + 4 + (low) + 16 * (1 - (s)), 4 * (j) + 4 + (low) + 16 * (s),  \
                            4 * (j) + 5 + (low) + 16 * (1 - (s)), 4 * (j) + 5 + (low) + 16 * (s))

/// Prolongation: values of the coarse voxels that contain the i-th vector of a fine tile.
SP_INLINE vec spread16(const void *coarse, uint32_t parent, int i)
{
    const int k = i % 16 / 4, h = i % 2;
    const vec *from = const_tile_of(coarse, parent >> 3);
    const uint32_t q = 2 * (4 * (parent >> 2 & 1) + (uint32_t)k) + (parent >> 1 & 1);
    const vec red = from[q], black = from[16 + q];
    if (parent & 1)
        return h ? (k & 1 ? SPREAD(2, 2, 1) : SPREAD(2, 2, 0))
                 : (k & 1 ? SPREAD(2, 0, 1) : SPREAD(2, 0, 0));
    return h ? (k & 1 ? SPREAD(0, 2, 1) : SPREAD(0, 2, 0))
             : (k & 1 ? SPREAD(0, 0, 1) : SPREAD(0, 0, 0));
}

/// x plus the prolonged coarse correction.
typedef struct corrected {
    const void *x, *coarse;
    const uint32_t *parent;
} corrected;

SP_INLINE vec fetch_corrected(const void *from, size_t tile, int i)
{
    const corrected *w = from;
    return const_tile_of(w->x, tile)[i] + spread16(w->coarse, w->parent[tile], i);
}

/// ---- Sums --------------------------------------------------------------------------------------

/// Products are rounded to REAL, sums are double.
SP_INLINE sp_d16 dot16(sp_d16 sum, vec a, vec b)
{
    return sum + __builtin_convertvector(a * b, sp_d16);
}

/// ---- Smoothing a level -------------------------------------------------------------------------

typedef struct smoothing {
    const poisson_level *level, *coarse;
    const uint32_t *order;
    const sp_poisson *sums; ///< or NULL: get x'b by tile and sums of x over singular pieces
    int sweeps;
    bool back;           ///< black before red
    bool zero;           ///< x of the tile is 0 at the start
    bool alone;          ///< and so is x around the tile
    bool correct;        ///< first add the coarse correction to the tile
    bool around;         ///< and to the values around it
    bool restrict_after; ///< then restrict the residual: all other tiles are done
} smoothing;

SP_INLINE vec fetch_zero(const void *from, size_t tile, int i)
{
    (void)from, (void)tile, (void)i;
    return (vec){0};
}

/// If a tile is alone its halo is 0 already.
SP_INLINE void load_for(const smoothing *w, size_t t, block *x)
{
    const poisson_level *l = w->level;
    const corrected both = {l->x, w->coarse ? w->coarse->x : NULL, l->parent};
    if (w->zero)
        load_inside(x, fetch_zero, NULL, t);
    else if (w->correct)
        load_inside(x, fetch_corrected, &both, t);
    else
        load_inside(x, fetch_plain, l->x, t);
    if (w->around)
        load_halo(x, fetch_corrected, &both, l->near[t]);
    else if (!w->alone)
        load_halo(x, fetch_plain, l->x, l->near[t]);
}

static double dot_tile(const vec a[32], const vec b[32])
{
    sp_d16 sum = {0};
    for (int i = 0; i < 32; ++i)
        sum = dot16(sum, a[i], b[i]);
    return sp_d16_sum(sum);
}

/// The sums over a tile of the finest level that conjugate gradients need.
static void sum_tile(const sp_poisson *s, size_t t)
{
    const vec *x = const_tile_of(s->level[0].x, t);
    s->sums[t] = dot_tile(x, const_tile_of(s->level[0].b, t));
    if (s->pieces.singular) sum_parts(s, t, x);
}

static void restrict_residual(const block *x, const vec *b, const coefficients *a,
                              const poisson_level *l, size_t t, REAL *coarse)
{
    vec r[32];
    apply_tile(x, a, r);
    for (int i = 0; i < 32; ++i)
        r[i] = b[i] - r[i];
    for (uint32_t copy = 0; copy <= l->copies; ++copy)
        if ((copy & ~l->copies) == 0) restrict_tile(r, l->parent[t] | copy, coarse);
}

/// Prefetches the data of the tile after the next.
static void prefetch_ahead(const smoothing *w, size_t i)
{
    const poisson_level *l = w->level;
    if (l->count < MANY || w->order + i + AHEAD >= l->order + l->count) return;
    const size_t t = w->order[i + AHEAD];
    prefetch_tile(l->b, t);
    if (!w->zero) prefetch_tile(l->x, t);
    if (!w->alone) prefetch_around(l->x, l->near[t]);
    prefetch_row(l, t, false);
}

static void smooth_tiles(void *arg, size_t begin, size_t end)
{
    const smoothing *w = arg;
    const poisson_level *l = w->level;
    block x;
    if (w->alone) memset(&x, 0, sizeof x);
    for (size_t i = begin; i < end; ++i) {
        const size_t t = w->order[i];
        prefetch_ahead(w, i);
        const vec *b = const_tile_of(l->b, t);
        unpacked room;
        const coefficients a = coefficients_of(l, t, false, &room);
        load_for(w, t, &x);
        sweep_tile(&x, b, &a, w->sweeps, w->back);
        store_inside(&x, l->x, t);
        if (w->restrict_after) restrict_residual(&x, b, &a, l, t, w->coarse->b);
        if (w->sums) sum_tile(w->sums, t);
    }
}

static void smooth_colour(const sp_host *host, int colour, smoothing work)
{
    const poisson_level *l = work.level;
    work.order = l->order + l->start[colour];
    sp_parallel(host, l->start[colour + 1] - l->start[colour], POISSON_GRAIN, smooth_tiles, &work);
}

/// Smoothing before the coarse correction: tile colours in ascending order, red before black
/// inside. With `zero` x is not read where it is 0: tiles of the first of two colours read no
/// neighbours, those of the second read the first. The last colour restricts its residual at once.
static void smooth_down(const sp_host *host, const poisson_level *l, const poisson_level *coarse,
                        int sweeps, bool zero)
{
    const bool two = l->colours == 2;
    if (zero && !two) memset(l->x, 0, l->count * SP_TILE_VOXELS * sizeof(REAL));
    for (int c = 0; c < l->colours; ++c)
        smooth_colour(host, c,
                      (smoothing){.level = l,
                                  .coarse = coarse,
                                  .sweeps = sweeps,
                                  .zero = zero && two,
                                  .alone = zero && two && c == 0,
                                  .restrict_after = coarse && c == l->colours - 1});
}

static void restrict_tiles(void *arg, size_t begin, size_t end)
{
    const smoothing *w = arg;
    const poisson_level *l = w->level;
    for (size_t i = begin; i < end; ++i) {
        const size_t t = w->order[i];
        prefetch_ahead(w, i);
        unpacked room;
        const coefficients a = coefficients_of(l, t, false, &room);
        block x;
        load_inside(&x, fetch_plain, l->x, t);
        load_halo(&x, fetch_plain, l->x, l->near[t]);
        restrict_residual(&x, const_tile_of(l->b, t), &a, l, t, w->coarse->b);
    }
}

/// Restricts the residuals of all colours but the last.
static void restrict_level(const sp_host *host, const poisson_level *l, const poisson_level *coarse)
{
    smoothing work = {.level = l, .coarse = coarse, .order = l->order};
    sp_parallel(host, l->start[l->colours - 1], POISSON_GRAIN, restrict_tiles, &work);
}

static void correct_tiles(void *arg, size_t begin, size_t end)
{
    const corrected *w = arg;
    for (size_t t = begin; t < end; ++t)
        for (int i = 0; i < 32; ++i)
            tile_of((void *)(uintptr_t)w->x, t)[i] = fetch_corrected(w, t, i);
}

/// Smoothing after the correction: everything in reverse order, so that the cycle is symmetric.
/// `coarse` is NULL when there is no correction to add. Of two colours, the first adds the
/// correction to its neighbours as it reads them; for the second it has been added already.
static void smooth_up(const sp_host *host, const poisson_level *l, const poisson_level *coarse,
                      int sweeps, const sp_poisson *sums)
{
    const bool two = l->colours == 2;
    corrected work = {l->x, coarse ? coarse->x : NULL, l->parent};
    if (coarse && !two) sp_parallel(host, l->count, POISSON_GRAIN, correct_tiles, &work);
    for (int c = l->colours; c-- > 0;)
        smooth_colour(host, c,
                      (smoothing){.level = l,
                                  .coarse = coarse,
                                  .sums = sums,
                                  .sweeps = sweeps,
                                  .back = true,
                                  .correct = coarse && two,
                                  .around = coarse && two && c == 1});
}
