// SPDX-License-Identifier: Apache-2.0
/// Redistancing: turns a field into a signed distance with the same zero level set. Two stages,
/// each of Jacobi passes over tiles: a pass reads one array and writes another, so the result
/// depends neither on the order of tiles nor on threads, and within a tile every loop runs over 512
/// independent values.
///
/// 1  Seeds. A cell with a neighbour of the other sign gets |phi|*q with q = 1/|grad phi|. The
///    crossing on an edge stays exactly where it is if both ends have the same q; so each seed
///    takes the mean of its own q and the q of its neighbours across the surface (compare Hartmann,
///    Meinke and Schroeder 2010). More rounds of this mean keep the crossings of rough fields even
///    better, but make their distances worse: one round is the compromise. Where phi was a distance
///    and may still be one, q is 1, corners included, so that the surface does not move however
///    often this is done. (Distances to crossings, as in Russo and Smereka (2000), are off by the
///    surface's curvature each time.)
/// 2  All other cells solve |grad d| = 1 with upwind differences (Rouy and Tourin 1992):
///    three-point where the second neighbour is also nearer to the surface (Sethian 1999), else
///    two-point. Two-point differences alone are off by about h/(2r) in |grad d| at distance r from
///    a centre of curvature; three-point ones by its square. All cells begin at the band. Each
///    depends on nearer cells only, so distances converge from the seeds outward, about a cell a
///    pass, and passes end when nothing changes.
///
/// Fast sweeping (Zhao 2005) would need fewer passes, but cannot be vectorised, and tiles would
/// have to wait for each other; a band is only a few cells wide. Converging first order first and
/// then second order gave the same numbers in twice the passes. A tile is skipped while it and its
/// neighbours do not change.
#include "tiles/internal.h"

#include <string.h>

/// Value of cells in tiles that do not exist.
#define MISSING INFINITY

typedef struct redistancing {
    const sp_tiles *tiles;
    float *phi;       ///< the field; in stage 2 even passes read it
    float *next;      ///< q in stage 1; in stage 2 odd passes read it
    uint8_t *crossed; ///< per cell: bit 2*axis + (1 for the high side) where phi crosses 0
    uint8_t
        *changed[2]; ///< per tile, marked_sides() of changed cells: in the last pass, in this one
    uint8_t *signs;  ///< per tile: HAS_INSIDE, HAS_OUTSIDE, NOT_FINITE
    float band, voxel;
    bool trusted; ///< phi was a distance before the last step
    int pass;
} redistancing;

enum { HAS_INSIDE = 1, HAS_OUTSIDE = 2, NOT_FINITE = 4 };

/// Face neighbours in the neighbour table: low x, high x, low y ...
static const int faces[] = {SP_TILES_SELF - 1, SP_TILES_SELF + 1, SP_TILES_SELF - 3,
                            SP_TILES_SELF + 3, SP_TILES_SELF - 9, SP_TILES_SELF + 9};

/// Values at one and two steps from each cell of a tile: low x, high x, low y ...
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
/// 2*axis + 1 of its high face. Neighbours read no farther than two cells.
static uint8_t marked_sides(const uint8_t marked[SP_TILE_VOXELS])
{
    uint64_t all = 0, y[2] = {0}, z[2] = {0}; // one row of cells per word
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const int j = row % SP_TILE, k = row / SP_TILE;
        uint64_t cells;
        memcpy(&cells, marked + row * SP_TILE, sizeof cells);
        all |= cells;
        if (j < 2 || j > 5) y[j > 5] |= cells;
        if (k < 2 || k > 5) z[k > 5] |= cells;
    }
    uint8_t ends[SP_TILE]; // cell i of all rows; correct for either byte order
    memcpy(ends, &all, sizeof ends);
    return (uint8_t)((ends[0] | ends[1] ? 1 : 0) | (ends[6] | ends[7] ? 2 : 0) | (y[0] ? 4 : 0) |
                     (y[1] ? 8 : 0) | (z[0] ? 16 : 0) | (z[1] ? 32 : 0) | (all ? 64 : 0));
}

/// ---- 1 Seeds -----------------------------------------------------------------------------------

/// The slope of phi along an axis from its falls towards both sides (positive: nearer to the
/// surface). Where phi is smooth it is the central difference, which is more accurate by one order.
/// At a kink, where the falls differ by more than a third of the steepest slope around, it is
/// blended towards the steeper fall, because a central difference would mix both sides of the kink.
static inline float slope(float fall_low, float fall_high, float per_steepest)
{
    const float central = 0.5f * fabsf(fall_low - fall_high);
    const float steeper = sp_most(sp_most(fall_low, fall_high), 0.0f);
    const float kink = (fabsf(fall_low + fall_high) * per_steepest - 0.3f) * 2.5f;
    const float share = kink < 0.0f ? 0.0f : kink > 1.0f ? 1.0f : kink;
    return central + share * (steeper - central);
}

/// Estimates of |grad phi|^2, each a sum of squares over the axes.
typedef struct steepness {
    float best;          ///< by `slope`
    float central;       ///< by central differences
    float towards, away; ///< by falls towards the surface; by the steepest on any side
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

/// |grad phi| of a seed. Around corners and in sheets of a voxel the estimates differ, and none is
/// right: for a true distance they range from 0.6 to 1.5. To use one of them each step would move
/// the surface a little each time, always in the same direction. So if phi is trusted and 1 lies
/// between the estimates, or within 2 %, phi is taken as a distance; from 4 % on the best estimate
/// is used. Other fields are never trusted: the surface from particles is as rough as their
/// positions are random, and would lie 0.009 voxel lower.
static inline float gradient_of(const float fall[6], bool trusted)
{
    const steepness g = steepness_of(fall);
    if (!trusted) return sqrtf(g.best);
    const float least = sqrtf(sp_least(g.central, g.towards)), most = sqrtf(g.away);
    const float off = sp_most(sp_most(least - 1.0f, 1.0f - most), 0.0f);
    const float doubt = sp_least(sp_most(off * 50.0f - 1.0f, 0.0f), 1.0f);
    return 1.0f + doubt * (sqrtf(g.best) - 1.0f);
}

/// q = 1/|grad phi| of one seed. The slope is at least that of the steepest crossing, so that no
/// seed is farther from the surface than its crossing along an axis. fall[] is the fall of phi
/// towards each side, positive towards the surface.
static inline float seed_scale(const float fall[6], uint8_t crossed, bool trusted)
{
    float crossing = 0.0f;
    for (int s = 0; s < 6; ++s)
        crossing = sp_most(crossing, crossed >> s & 1 ? fall[s] : 0.0f);
    return 1.0f / sp_most(gradient_of(fall, trusted), crossing);
}

/// There are no crossings towards tiles that do not exist: the topology ends where a band or a box
/// ends, which says nothing about a surface there.
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
    for (int s = 0; s < 6; ++s) // no tile: extrapolate linearly
        if (side[s][i] == MISSING) fall[s] = side[s ^ 1][i] == MISSING ? 0.0f : -fall[s ^ 1];
    return seed_scale(fall, crossed, r->trusted);
}

/// Whether a tile and its face neighbours all have one sign, as most tiles do.
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
        r->changed[0][t] = 0;
        if (one_sign(r, t)) continue; // next and crossed are zero already
        const float *restrict phi = r->phi + t * SP_TILE_VOXELS;
        float *restrict q = r->next + t * SP_TILE_VOXELS;
        uint8_t *restrict crossed = r->crossed + t * SP_TILE_VOXELS;
        surroundings near;
        look_around(r, r->phi, (uint32_t)t, 1, MISSING, near.one);
        find_crossings(phi, near.one, crossed);
        for (int i = 0; i < SP_TILE_VOXELS; ++i)
            if (crossed[i]) q[i] = scale_at(r, phi, near.one, i, crossed[i]);
        r->changed[0][t] = marked_sides(crossed);
    }
}

/// Seeds get their distance, all other cells the band; signs stay.
static void write_seeds(const redistancing *r, size_t t)
{
    float *restrict phi = r->phi + t * SP_TILE_VOXELS;
    const float *restrict q = r->next + t * SP_TILE_VOXELS;
    const uint8_t *restrict crossed = r->crossed + t * SP_TILE_VOXELS;
    surroundings near;
    if (r->changed[0][t]) look_around(r, r->next, (uint32_t)t, 1, 0.0f, near.one);
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        float distance = r->band;
        if (crossed[i]) {
            float sum = 0.0f, count = 0.0f;
            for (int s = 0; s < 6; ++s) {
                const float across = crossed[i] >> s & 1 ? near.one[s][i] : 0.0f;
                sum += across;
                count += across > 0.0f ? 1.0f : 0.0f; // q is 0 in a tile that does not exist
            }
            const float scale = count > 0.0f ? 0.5f * (q[i] + sum / count) : q[i];
            distance = sp_least(fabsf(phi[i]) * scale, r->band);
        }
        phi[i] = phi[i] < 0.0f ? -distance : distance;
    }
}

static void write_seeds_of_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        write_seeds(arg, t);
}

/// ---- 2 All other cells -------------------------------------------------------------------------

/// One axis of the equation: weight*(u - at)^2. at = (4 a1 - a2)/3 and weight 9/4 if the second
/// neighbour is also nearer to the surface, else at = a1 and weight 1.
typedef struct upwind {
    float at, weight;
} upwind;

static inline upwind choose(float sign, float low1, float low2, float high1, float high2)
{
    // the first neighbours have this cell's sign, because it is no seed; the second ones may be
    // across the surface
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

/// Solves sum of weight*(u - at)^2 = h^2 over the axes with at < u. Values are relative to the
/// least `at`, which avoids cancellation.
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
    return marked_sides(changed);
}

/// ---- Passes ------------------------------------------------------------------------------------

/// Whether the tile changed in the last pass, or a neighbour changed within two cells of it.
static bool needs_pass(const redistancing *r, size_t t)
{
    const uint8_t *changed = r->changed[r->pass & 1];
    bool needed = changed[t] != 0;
    for (int f = 0; f < 6; ++f) { // f ^ 1: our low face is the neighbour's high face
        const uint32_t there = r->tiles->around[t][faces[f]];
        if (there != SP_NO_TILE) needed |= changed[there] >> (f ^ 1) & 1;
    }
    return needed;
}

typedef struct passing {
    redistancing *r;
    const float *from;
    float *to;
    bool first; ///< `to` is not yet initialised
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
        const bool needed = needs_pass(r, t);
        if (needed) {
            surroundings near;
            look_around(r, p->from, (uint32_t)t, 1, r->band, near.one);
            look_around(r, p->from, (uint32_t)t, 2, MISSING, near.two);
            changed = solve_tile(r, old, &near, crossed, out);
        }
        // a skipped tile must be the same in both arrays
        if (!changed && (needed || p->first)) memcpy(out, old, SP_TILE_VOXELS * sizeof *out);
        r->changed[(r->pass + 1) & 1][t] = changed;
    }
}

static bool any_changed(const redistancing *r)
{
    uint8_t any = 0;
    for (size_t t = 0; t < r->tiles->count; ++t)
        any |= r->changed[r->pass & 1][t];
    return any != 0;
}

static void run_passes(redistancing *r, int most)
{
    for (int n = 0; n < most && any_changed(r); ++n) {
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
    sp_tiles_parallel(r->tiles, write_seeds_of_tiles, r);
    // a distance of n cells takes at most 3n steps along axes; after that only rounding changes
    const int cells = (int)ceilf(sp_least(r->band / r->voxel, 1e6f));
    run_passes(r, 3 * cells + 2);
    if (r->pass % 2) sp_tiles_parallel(r->tiles, copy_back, r);
    return SP_OK;
}

/// Allocates the arrays, runs both stages, and frees the arrays.
static sp_status run(redistancing r, sp_error *err)
{
    const sp_tiles *tiles = r.tiles;
    const sp_host *host = tiles->host;
    SP_ASSERT(r.band > 0.0f);
    if (tiles->count == 0) return SP_OK;
    r.next = sp_allocate(host, tiles->count, SP_TILE_VOXELS * sizeof *r.next);
    r.crossed = sp_allocate(host, tiles->count, SP_TILE_VOXELS);
    r.changed[0] = sp_allocate(host, tiles->count, 1);
    r.changed[1] = sp_allocate(host, tiles->count, 1);
    r.signs = sp_allocate(host, tiles->count, 1);
    const sp_status status =
        r.next && r.crossed && r.changed[0] && r.changed[1] && r.signs
            ? redistance(&r, err)
            : sp_fail(err, SP_NO_MEMORY, "levelset: no memory to redistance %zu tiles",
                      tiles->count);
    sp_release(host, r.next);
    sp_release(host, r.crossed);
    sp_release(host, r.changed[0]);
    sp_release(host, r.changed[1]);
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
