// SPDX-License-Identifier: Apache-2.0
/// Makes a signed distance out of any field with the right zero. Two stages, each of Jacobi passes
/// over tiles: a pass reads one array and writes another, so neither the order of tiles nor threads
/// matter, and within a tile every loop runs over 512 values that do not depend on each other.
///
/// 1  Seeds. A cell with a neighbour of the other sign gets |phi|*q with q = 1/|grad phi|. Along an
///    edge that the surface crosses, the crossing stays exactly where it is when both ends have the
///    same q; so each seed takes the mean of its own q and those across the surface (compare
///    Hartmann, Meinke and Schroeder 2010). Taking the mean again and again keeps crossings of wild
///    fields even better, and makes their distances worse: once is the compromise. Where phi is
///    known to have been a distance and may still be one, q is 1, corners included, so that its
///    surface stays where it is however often this is done. (Distances to crossings, as Russo and
///    Smereka (2000) take them, are off by the surface's bend each time.)
/// 2  Everyone else solves |grad d| = 1 with upwind differences (Rouy and Tourin 1992), over three
///    points where the second neighbour is on the way to the surface too (Sethian 1999), else over
///    two. Two points alone are off by about h/(2r) in |grad d| at distance r from a centre of
///    curvature; three by its square. All cells begin at the band; each depends on nearer ones only,
///    so distances settle from the seeds outward, a cell or so a pass, and passes end when nothing
///    changes.
///
/// Fast sweeping (Zhao 2005) would need fewer passes, but cannot be vectorised, and has tiles wait
/// for each other; a band is only a few cells wide. Settling first order first and second order
/// after it gave the same numbers in twice the passes. A tile sleeps while it and its neighbours do
/// not change.
#include "tiles/internal.h"

#include <string.h>

/// What stands for the values of a tile that does not exist, where that matters.
#define MISSING INFINITY

typedef struct redistancing {
    const sp_tiles *tiles;
    float *phi;  ///< the field; after stage 1 the array that is read by even passes
    float *next; ///< q during stage 1, then the other array
    uint8_t
        *crossed; ///< a byte a cell: bit 2*axis + (1 for the high side) where the surface crosses
    uint8_t *awake[2]; ///< a byte a tile: where it changed in the last pass, and in this one
    uint8_t *signs;    ///< a byte a tile: what it holds
    float band, voxel;
    bool trusted; ///< phi was a distance a little while ago
    int pass;
} redistancing;

enum { HAS_INSIDE = 1, HAS_OUTSIDE = 2, NOT_FINITE = 4 };

/// Those that share a face with a tile, in the table of neighbours: low x, high x, low y ...
static const int faces[] = {SP_TILES_SELF - 1, SP_TILES_SELF + 1, SP_TILES_SELF - 3,
                            SP_TILES_SELF + 3, SP_TILES_SELF - 9, SP_TILES_SELF + 9};

/// A tile's own values, those one step along each axis and those two steps: low side first.
typedef struct surroundings {
    _Alignas(64) float one[6][SP_TILE_VOXELS];
    _Alignas(64) float two[6][SP_TILE_VOXELS];
} surroundings;

static void look_around(const redistancing *r, const float *values, uint32_t tile, int step,
                        float background, float side[6][SP_TILE_VOXELS])
{
    for (int axis = 0; axis < 3; ++axis) {
        sp_tiles_shift(r->tiles, values, tile, axis, -step, background, side[2 * axis]);
        sp_tiles_shift(r->tiles, values, tile, axis, step, background, side[2 * axis + 1]);
    }
}

/// Where a tile has marked cells: bit 6 anywhere, bit 2*axis within two cells of its low face,
/// 2*axis + 1 of its high face. Beyond two cells neighbours do not look.
static uint8_t where(const uint8_t marked[SP_TILE_VOXELS])
{
    uint64_t all = 0, y[2] = {0}, z[2] = {0}; // a row of cells at a time
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const int j = row % SP_TILE, k = row / SP_TILE;
        uint64_t cells;
        memcpy(&cells, marked + row * SP_TILE, sizeof cells);
        all |= cells;
        if (j < 2 || j > 5) y[j > 5] |= cells;
        if (k < 2 || k > 5) z[k > 5] |= cells;
    }
    uint8_t ends[SP_TILE]; // of rows, in whatever order the machine keeps bytes
    memcpy(ends, &all, sizeof ends);
    return (uint8_t)((ends[0] | ends[1] ? 1 : 0) | (ends[6] | ends[7] ? 2 : 0) | (y[0] ? 4 : 0) |
                     (y[1] ? 8 : 0) | (z[0] ? 16 : 0) | (z[1] ? 32 : 0) | (all ? 64 : 0));
}

/// ---- 1 Seeds -----------------------------------------------------------------------------------

/// The slope of phi along an axis out of its falls towards both sides (positive: nearer to the
/// surface). Where phi is smooth it is the central difference, which is better by an order; across
/// a kink, where the falls disagree by more than a third of the steepest slope around, more and
/// more the steeper fall, because a central difference would mix both sides of the kink.
static inline float slope(float fall_low, float fall_high, float per_steepest)
{
    const float central = 0.5f * fabsf(fall_low - fall_high);
    const float steeper = sp_most(sp_most(fall_low, fall_high), 0.0f);
    const float kink = (fabsf(fall_low + fall_high) * per_steepest - 0.3f) * 2.5f;
    const float share = kink < 0.0f ? 0.0f : kink > 1.0f ? 1.0f : kink;
    return central + share * (steeper - central);
}

/// What |grad phi| may be, out of sums of squares over the axes.
typedef struct steepness {
    float best;          ///< by `slope`
    float central;       ///< by central differences
    float towards, away; ///< by the falls towards the surface, and by the steepest on any side
} steepness;

static inline steepness steepness_of(const float fall[6])
{
    float steepest = 0.0f;
    for (int s = 0; s < 6; ++s)
        steepest = sp_most(steepest, fabsf(fall[s]));
    const float per_steepest = 1.0f / steepest;
    steepness g = {0};
    for (int a = 0; a < 3; ++a) {
        const float low = fall[2 * a], high = fall[2 * a + 1], central = 0.5f * (low - high);
        const float best = slope(low, high, per_steepest);
        const float towards = sp_most(sp_most(low, high), 0.0f);
        const float away = sp_most(fabsf(low), fabsf(high));
        g.best += best * best;
        g.central += central * central;
        g.towards += towards * towards;
        g.away += away * away;
    }
    return g;
}

/// |grad phi| of a seed. Around corners and in sheets of a voxel differences disagree, and none is
/// right: a distance's come out anywhere from 0.6 to 1.5. Whoever believed one of them each step
/// would move the surface a little each time, always the same way. So where 1 lies between them, or
/// within 2 %, a trusted phi is taken for the distance that it can be; from 4 % on the best of them
/// is believed. Others are never trusted: the surface out of particles is as rough as their places
/// are random, and would lie 0.009 voxel lower.
static inline float gradient_of(const float fall[6], bool trusted)
{
    const steepness g = steepness_of(fall);
    if (!trusted) return sqrtf(g.best);
    const float least = sqrtf(sp_least(g.central, g.towards)), most = sqrtf(g.away);
    const float off = sp_most(sp_most(least - 1.0f, 1.0f - most), 0.0f);
    const float doubt = sp_least(sp_most(off * 50.0f - 1.0f, 0.0f), 1.0f);
    return 1.0f + doubt * (sqrtf(g.best) - 1.0f);
}

/// q = 1/|grad phi| of one seed; never less steep than the steepest crossing, so that no seed is
/// farther from the surface than a crossing along an axis is. The falls are those of phi towards
/// each side, positive towards the surface.
static inline float seed_scale(const float fall[6], uint8_t crossed, bool trusted)
{
    float crossing = 0.0f;
    for (int s = 0; s < 6; ++s)
        crossing = sp_most(crossing, crossed >> s & 1 ? fall[s] : 0.0f);
    return 1.0f / sp_most(gradient_of(fall, trusted), crossing);
}

/// Crossings towards tiles that do not exist are none: whatever cut the tiles out (a band around
/// the surface, a box) says nothing about a surface there.
static void find_crossings(const float *restrict phi, float (*restrict side)[SP_TILE_VOXELS],
                           uint8_t *restrict crossed)
{
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const int inside = phi[i] < 0.0f;
        int bits = 0;
        for (int s = 0; s < 6; ++s)
            bits |= (((side[s][i] < 0.0f) != inside) & (side[s][i] < MISSING)) << s;
        crossed[i] = (uint8_t)bits;
    }
}

static float scale_at(const redistancing *r, const float *phi, float side[6][SP_TILE_VOXELS], int i,
                      uint8_t crossed)
{
    const float per_voxel = (phi[i] < 0.0f ? -1.0f : 1.0f) / r->voxel;
    float fall[6];
    for (int s = 0; s < 6; ++s)
        fall[s] = per_voxel * (phi[i] - side[s][i]);
    for (int s = 0; s < 6; ++s) // straight on where there is no tile
        if (side[s][i] == MISSING) fall[s] = side[s ^ 1][i] == MISSING ? 0.0f : -fall[s ^ 1];
    return seed_scale(fall, crossed, r->trusted);
}

/// Whether a tile and those that share a face with it are all of one sign: most are far from the
/// surface.
static bool one_sign(const redistancing *r, size_t t)
{
    for (int f = 0; f < 6; ++f) {
        const uint32_t there = r->tiles->around[t][faces[f]];
        if (there != SP_NO_TILE && r->signs[there] != r->signs[t]) return false;
    }
    return r->signs[t] != (HAS_INSIDE | HAS_OUTSIDE);
}

static void read_signs(void *arg, size_t begin, size_t end)
{
    const redistancing *r = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *restrict phi = r->phi + t * SP_TILE_VOXELS;
        int inside = 0, outside = 0, finite = 1;
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            inside |= phi[i] < 0.0f;
            outside |= phi[i] >= 0.0f;
            finite &= fabsf(phi[i]) < INFINITY;
        }
        r->signs[t] = (uint8_t)((inside ? HAS_INSIDE : 0) | (outside ? HAS_OUTSIDE : 0) |
                                (finite ? 0 : NOT_FINITE));
    }
}

static void seed_tiles(void *arg, size_t begin, size_t end)
{
    const redistancing *r = arg;
    for (size_t t = begin; t < end; ++t) {
        r->awake[0][t] = 0;
        if (one_sign(r, t)) continue; // next and crossed are zero already
        const float *restrict phi = r->phi + t * SP_TILE_VOXELS;
        float *restrict q = r->next + t * SP_TILE_VOXELS;
        uint8_t *restrict crossed = r->crossed + t * SP_TILE_VOXELS;
        surroundings near;
        look_around(r, r->phi, (uint32_t)t, 1, MISSING, near.one);
        find_crossings(phi, near.one, crossed);
        for (int i = 0; i < SP_TILE_VOXELS; ++i)
            if (crossed[i]) q[i] = scale_at(r, phi, near.one, i, crossed[i]);
        r->awake[0][t] = where(crossed);
    }
}

/// Seeds get their distance, everyone else the band; signs stay.
static void settle_tile(const redistancing *r, size_t t)
{
    float *restrict phi = r->phi + t * SP_TILE_VOXELS;
    const float *restrict q = r->next + t * SP_TILE_VOXELS;
    const uint8_t *restrict crossed = r->crossed + t * SP_TILE_VOXELS;
    surroundings near;
    if (r->awake[0][t]) look_around(r, r->next, (uint32_t)t, 1, 0.0f, near.one);
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        float distance = r->band;
        if (crossed[i]) {
            float sum = 0.0f, count = 0.0f;
            for (int s = 0; s < 6; ++s) {
                const float across = crossed[i] >> s & 1 ? near.one[s][i] : 0.0f;
                sum += across;
                count += across > 0.0f ? 1.0f : 0.0f; // none in a tile that does not exist
            }
            const float scale = count > 0.0f ? 0.5f * (q[i] + sum / count) : q[i];
            distance = sp_least(fabsf(phi[i]) * scale, r->band);
        }
        phi[i] = phi[i] < 0.0f ? -distance : distance;
    }
}

static void settle_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        settle_tile(arg, t);
}

/// ---- 2 Everyone else ---------------------------------------------------------------------------

/// One axis of the equation: weight*(u - at)^2, with at = (4 a1 - a2)/3 and weight 9/4 when
/// the second neighbour is on the way to the surface too, else at = a1 and weight 1.
typedef struct upwind {
    float at, weight;
} upwind;

static inline upwind choose(float sign, float low1, float low2, float high1, float high2)
{
    // the nearer ones have this cell's sign, it being no seed; the farther ones may be across the
    // surface
    low1 = fabsf(low1);
    high1 = fabsf(high1);
    low2 = low2 < MISSING ? sign * low2 : MISSING;
    high2 = high2 < MISSING ? sign * high2 : MISSING;
    const float one = low1 < high1 ? low1 : high1, two = low1 < high1 ? low2 : high2;
    const float at = (4.0f * one - two) * (1.0f / 3.0f);
    return (upwind){two < one ? at : one, two < one ? 2.25f : 1.0f};
}

static inline void order(upwind *a, upwind *b)
{
    const upwind x = *a, y = *b;
    const int swap = y.at < x.at;
    a->at = swap ? y.at : x.at;
    a->weight = swap ? y.weight : x.weight;
    b->at = swap ? x.at : y.at;
    b->weight = swap ? x.weight : y.weight;
}

/// Solves sum of weight*(u - at)^2 = h^2 over the axes with at < u, counted from the least so that
/// nothing is lost by cancellation.
static inline float solve(upwind a, upwind b, upwind c, float h)
{
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    const float e = b.at - a.at, f = c.at - a.at, h2 = h * h;
    const float be = b.weight * e, cf = c.weight * f;
    const float two_weights = a.weight + b.weight, weights = two_weights + c.weight;
    const float one = h * (a.weight > 1.0f ? 1.0f / 1.5f : 1.0f);
    const float two =
        (be + sqrtf(sp_most(be * be - two_weights * (be * e - h2), 0.0f))) / two_weights;
    const float sum = be + cf;
    const float three =
        (sum + sqrtf(sp_most(sum * sum - weights * (be * e + cf * f - h2), 0.0f))) / weights;
    const float u = e < one ? two : one;
    return a.at + (f < u ? three : u);
}

/// Returns where cells changed by more than a thousandth of a voxel.
static uint8_t solve_tile(const redistancing *r, const float *restrict old, surroundings *near,
                          const uint8_t *restrict crossed, float *restrict out)
{
    const float h = r->voxel, band = r->band, tolerance = 1e-3f * h;
    float(*restrict one)[SP_TILE_VOXELS] = near->one, (*restrict two)[SP_TILE_VOXELS] = near->two;
    uint8_t changed[SP_TILE_VOXELS];
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const float sign = old[i] < 0.0f ? -1.0f : 1.0f, was = fabsf(old[i]);
        const upwind x = choose(sign, one[0][i], two[0][i], one[1][i], two[1][i]);
        const upwind y = choose(sign, one[2][i], two[2][i], one[3][i], two[3][i]);
        const upwind z = choose(sign, one[4][i], two[4][i], one[5][i], two[5][i]);
        const float u = sp_least(solve(x, y, z, h), band);
        const float now = crossed[i] ? was : u;
        changed[i] = fabsf(was - now) > tolerance;
        out[i] = copysignf(now, old[i]);
    }
    return where(changed);
}

/// ---- Passes ------------------------------------------------------------------------------------

/// Whether the tile changed in the last pass, or a neighbour did where this one looks.
static bool is_awake(const redistancing *r, size_t t)
{
    const uint8_t *changed = r->awake[r->pass & 1];
    bool awake = changed[t] != 0;
    for (int f = 0; f < 6; ++f) { // the neighbour's face on this side is the other one
        const uint32_t there = r->tiles->around[t][faces[f]];
        if (there != SP_NO_TILE) awake |= changed[there] >> (f ^ 1) & 1;
    }
    return awake;
}

typedef struct passing {
    redistancing *r;
    const float *from;
    float *to;
    bool first; ///< the other array holds nothing yet
} passing;

static void pass_tiles(void *arg, size_t begin, size_t end)
{
    const passing *p = arg;
    const redistancing *r = p->r;
    for (size_t t = begin; t < end; ++t) {
        const float *old = p->from + t * SP_TILE_VOXELS;
        float *out = p->to + t * SP_TILE_VOXELS;
        const uint8_t *crossed = r->crossed + t * SP_TILE_VOXELS;
        uint8_t changed = 0;
        const bool awake = is_awake(r, t);
        if (awake) {
            surroundings near;
            look_around(r, p->from, (uint32_t)t, 1, r->band, near.one);
            look_around(r, p->from, (uint32_t)t, 2, MISSING, near.two);
            changed = solve_tile(r, old, &near, crossed, out);
        }
        // a tile that falls asleep must be the same in both arrays
        if (!changed && (awake || p->first)) memcpy(out, old, SP_TILE_VOXELS * sizeof *out);
        r->awake[(r->pass + 1) & 1][t] = changed;
    }
}

static bool any_awake(const redistancing *r)
{
    uint8_t any = 0;
    for (size_t t = 0; t < r->tiles->count; ++t)
        any |= r->awake[r->pass & 1][t];
    return any != 0;
}

static void run_passes(redistancing *r, int most)
{
    for (int n = 0; n < most && any_awake(r); ++n) {
        const bool even = r->pass % 2 == 0;
        passing p = {r, even ? r->phi : r->next, even ? r->next : r->phi, n == 0};
        sp_tiles_parallel(r->tiles, pass_tiles, &p);
        ++r->pass;
    }
}

static void copy_back(void *arg, size_t begin, size_t end)
{
    const redistancing *r = arg;
    memcpy(r->phi + begin * SP_TILE_VOXELS, r->next + begin * SP_TILE_VOXELS,
           (end - begin) * SP_TILE_VOXELS * sizeof *r->phi);
}

/// Names the first value that is not finite.
static sp_status check_finite(const redistancing *r, sp_error *err)
{
    for (size_t t = 0; t < r->tiles->count; ++t) {
        if (!(r->signs[t] & NOT_FINITE)) continue;
        int i = 0;
        while (isfinite(r->phi[t * SP_TILE_VOXELS + (size_t)i]))
            ++i;
        const int32_t *at = r->tiles->at[t];
        return sp_fail(err, SP_DIVERGED, "levelset: the value in voxel (%d, %d, %d) is not finite",
                       8 * at[0] + i % 8, 8 * at[1] + i / 8 % 8, 8 * at[2] + i / 64);
    }
    return SP_OK;
}

static sp_status redistance(redistancing *r, sp_error *err)
{
    sp_tiles_parallel(r->tiles, read_signs, r);
    SP_TRY(check_finite(r, err));
    sp_tiles_parallel(r->tiles, seed_tiles, r);
    sp_tiles_parallel(r->tiles, settle_tiles, r);
    // a distance of n cells takes at most 3n steps along axes; beyond that only rounding is left to
    // change
    const int cells = (int)ceilf(sp_least(r->band / r->voxel, 1e6f));
    run_passes(r, 3 * cells + 2);
    if (r->pass % 2) sp_tiles_parallel(r->tiles, copy_back, r);
    return SP_OK;
}

/// Takes memory, and gives it back.
static sp_status run(redistancing r, sp_error *err)
{
    const sp_tiles *tiles = r.tiles;
    const sp_host *host = tiles->host;
    SP_ASSERT(r.band > 0.0f);
    if (tiles->count == 0) return SP_OK;
    r.next = sp_allocate(host, tiles->count, SP_TILE_VOXELS * sizeof *r.next);
    r.crossed = sp_allocate(host, tiles->count, SP_TILE_VOXELS);
    r.awake[0] = sp_allocate(host, tiles->count, 1);
    r.awake[1] = sp_allocate(host, tiles->count, 1);
    r.signs = sp_allocate(host, tiles->count, 1);
    const sp_status status =
        r.next && r.crossed && r.awake[0] && r.awake[1] && r.signs
            ? redistance(&r, err)
            : sp_fail(err, SP_NO_MEMORY, "levelset: no memory to redistance %zu tiles",
                      tiles->count);
    sp_release(host, r.next);
    sp_release(host, r.crossed);
    sp_release(host, r.awake[0]);
    sp_release(host, r.awake[1]);
    sp_release(host, r.signs);
    return status;
}

sp_status sp_levelset_redistance(const sp_tiles *tiles, float *phi, float band, sp_error *err)
{
    return run((redistancing){.tiles = tiles, .phi = phi, .band = band, .voxel = tiles->voxel},
               err);
}

sp_status sp_levelset_refresh(const sp_tiles *tiles, float *phi, float band, sp_error *err)
{
    return run(
        (redistancing){
            .tiles = tiles, .phi = phi, .band = band, .voxel = tiles->voxel, .trusted = true},
        err);
}
