// SPDX-License-Identifier: Apache-2.0
/// Keeps particles evenly spread: flow thins them out in some places and crowds them in others.
///
///     voxel                          fewer than       more than
///     phi < -voxel (deep)            4: lacks some    13: has some to give, the largest ids first
///     -voxel <= phi < 0 (surface)    1: lacks one     never gives: it would take volume away
///     phi >= 0                       never            never
///
/// These bounds are for 8 a voxel. They are in proportion for 27, and at least one for 1. Where
/// solids cut a voxel or bubbles fill a part of it, the lower bounds shrink with the rest. New particles keep a particle's
/// radius away from the surface.
///
/// Reseeding conserves the particle count. Where surfaces meet, phi closes over gaps, and filling
/// them would create water (without a balance there were 9 % more particles after 3 s of a dam
/// break). balance->debt_eighths is the number of particles removed and not yet added back, in
/// eighths. Voxels that lack particles get them from voxels that have too many. If either side is
/// short, all get or give the same share. While there are too many particles in total, voxels give
/// what they have above 10.
///
/// A new particle takes the best of six random places: the one farthest from the particles in its
/// voxel and in the 26 voxels around it. Particles added in the same step count only within one
/// voxel, so that tiles can be processed in any order.
///
/// In a narrow band of n voxels, voxels deeper than n + 1/2 lose all their particles. Water of the
/// band's last voxel, and water that rose from it or from below, belongs to the grid
/// (wanted_divergence.c): it counts as full, however many particles it has, and is reset to 8 where
/// they are 4 too few or too many. At depths from n to n + 1/2 nothing happens, so that water that
/// moves up and down does not seed and drop the same voxels again and again. Water that passes
/// between grid and particles counts as the particles that fill it; the difference from the actual
/// number is owed.
#include "liquid/particles/seed.h"
#include "liquid/pressure/volume.h"

enum { CANDIDATES = 6 };

/// Bounds for the number of particles in a voxel.
typedef struct bounds {
    int few, most; ///< deep
    int surface;   ///< at the surface, the lower bound
} bounds;

typedef struct reseeding {
    const liquid_seeder *s;
    liquid_voxels *voxels; ///< by tile
    uint8_t *gone;         ///< by particle
    /// Particles that voxels of earlier tiles lack and can give; and the totals to add and to
    /// remove:
    uint32_t *lack, *spare; ///< by tile; one entry more than tiles
    uint64_t get, give;
    uint32_t *dropped;     ///< by tile: number removed
    int64_t *debt_eighths; ///< by tile: resulting change of liquid_balance.debt_eighths
    liquid_arrivals arrivals;
    bounds count;
    float band;    ///< m; depth down to which voxels are filled; INFINITY: no narrow band
    float deepest; ///< m; depth from which on voxels are emptied
    float radius;  ///< m
    float grids;   ///< m; phi below which water was the grid's, see liquid_grid_depth()
} reseeding;

static bounds bounds_of(int32_t per_cell)
{
    switch (per_cell) {
    case 1:
        return (bounds){1, 3, 1};
    case 8:
        return (bounds){4, 13, 1};
    default:
        return (bounds){14, 41, 3};
    }
}

/// ---- Numbers of particles ----------------------------------------------------------------------

/// Eighths of a voxel that are open.
static int open_eighths(const liquid_seeder *s, size_t t, int v)
{
    const uint32_t row = s->solids->row ? s->solids->row[t] : SP_FLOW_TILE_OPEN;
    if (row == SP_FLOW_TILE_OPEN) return 8;
    const int known = liquid_voxel_is_open(s, t, v);
    if (known >= 0) return known ? 8 : 0;
    int open = 0;
    for (int n = 0; n < 8; ++n) {
        const float x[3] = {(float)(v % 8) + (n & 1 ? 0.75f : 0.25f),
                            (float)(v / 8 % 8) + (n & 2 ? 0.75f : 0.25f),
                            (float)(v / 64) + (n & 4 ? 0.75f : 0.25f)};
        open += liquid_is_open(s, t, x);
    }
    return open;
}

/// So many of `n` particles fill what solids and bubbles leave of a voxel.
static int fitting(const liquid_seeder *s, size_t t, int v, int n)
{
    const int open = n * open_eighths(s, t, v) / 8;
    const float air = s->air ? s->air[t * SP_TILE_VOXELS + (size_t)v] : 0.0f;
    return air > 0.0f ? (int)((float)open * (1.0f - air) + 0.5f) : open;
}

/// Whether a voxel's water belonged to the grid before it was advected.
static bool was_deep(const reseeding *g, size_t t, int v)
{
    const float *carried = g->s->grid->phi_advected;
    return g->band < INFINITY && (!carried || carried[t * SP_TILE_VOXELS + (size_t)v] < g->grids);
}

/// Changes of a voxel: `add` and `remove` particles for the narrow band, unconditionally; `lack`
/// and `spare` are balanced over all voxels.
typedef struct change {
    int add, remove, lack, spare;
} change;

static change change_of(const reseeding *g, size_t t, int v, float phi, int count)
{
    const int32_t per_cell = g->s->def->particles_per_cell;
    const bool deep = phi < -g->s->grid->voxel;
    change c = {0};
    if (phi < -g->deepest) {
        c.remove = count;
    } else if (deep && was_deep(g, t, v)) {
        if (phi < -g->band) return c;
        const int off = count - fitting(g->s, t, v, per_cell);
        if (off < -(3 * per_cell / 8)) c.add = -off;
        if (off > 3 * per_cell / 8) c.remove = off;
    } else if (deep && count > g->count.most) {
        c.spare = count - g->count.most;
    } else if (phi < 0.0f) {
        const int wanted = deep ? g->count.few : g->count.surface;
        const int lack = count < wanted ? fitting(g->s, t, v, wanted) - count : 0;
        c.lack = lack > 0 ? lack : 0;
    }
    return c;
}

static void count_tiles(void *arg, size_t begin, size_t end)
{
    const reseeding *g = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *phi = g->s->grid->phi + t * SP_TILE_VOXELS;
        uint32_t *first = g->voxels[t];
        change sum = {0};
        liquid_voxels_of(g->s->particles, t, first);
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const change c = change_of(g, t, v, phi[v], (int)(first[v + 1] - first[v]));
            sum.add += c.add;
            sum.lack += c.lack;
            sum.spare += c.spare;
        }
        g->arrivals.start[t] = (uint32_t)sum.add;
        g->lack[t] = (uint32_t)sum.lack;
        g->spare[t] = (uint32_t)sum.spare;
    }
}

/// Number of particles that the voxels up to a running sum `sum` of `all` get (or give) if all get
/// `part` together: equal shares in whole numbers.
static uint64_t part_of(uint64_t sum, uint64_t part, uint64_t all)
{
    return all > 0 ? sum * part / all : 0;
}

/// The part for one voxel that lacks `n`, where `sum` includes it. Mostly n is 0, which avoids the
/// divisions.
static int part_for(int n, uint64_t sum, uint64_t part, uint64_t all)
{
    return n > 0 ? (int)(part_of(sum, part, all) - part_of(sum - (uint64_t)n, part, all)) : 0;
}

/// Balances lacking particles with spare and owed ones, and assigns each tile its range of
/// arrivals.
static void share_out(reseeding *g, int64_t eighths)
{
    const size_t tiles = g->s->grid->tiles.count;
    const int64_t lack = g->lack[tiles] = sp_scan(g->lack, tiles);
    const int64_t spare = g->spare[tiles] = sp_scan(g->spare, tiles);
    const int64_t owed = eighths / 8, most = spare + owed; // that can be added
    const int64_t get = most < 0 ? 0 : most < lack ? most : lack, give = get - owed;
    g->get = (uint64_t)get;
    g->give = (uint64_t)(give < 0 ? 0 : give > spare ? spare : give);
    for (size_t t = 0; t < tiles; ++t)
        g->arrivals.start[t] += (uint32_t)(part_of(g->lack[t + 1], g->get, g->lack[tiles]) -
                                           part_of(g->lack[t], g->get, g->lack[tiles]));
    g->arrivals.start[tiles] = sp_scan(g->arrivals.start, tiles);
}

/// ---- Places ------------------------------------------------------------------------------------

/// Candidate places, one in each lane (two lanes are unused), and the squared distance from each to
/// the nearest particle.
enum { LANES = 8 };
typedef struct candidates {
    float x[3][LANES], square[LANES];
} candidates;

/// Compares with particles first ... last - 1 of a tile that begins at `tile`.
static void compare(candidates *c, const float *const x[3], uint32_t first, uint32_t last,
                    const float tile[3])
{
    for (uint32_t n = first; n < last; ++n) {
        const float px = x[0][n] + tile[0], py = x[1][n] + tile[1], pz = x[2][n] + tile[2];
        for (int l = 0; l < LANES; ++l) {
            const float dx = c->x[0][l] - px, dy = c->x[1][l] - py, dz = c->x[2][l] - pz;
            const float square = dx * dx + dy * dy + dz * dz;
            c->square[l] = square < c->square[l] ? square : c->square[l];
        }
    }
}

/// Compares with the particles of voxel v and of those around it.
static void compare_around(const reseeding *g, size_t t, int v, candidates *c)
{
    const liquid_particles *p = g->s->particles;
    const float *const x[3] = {p->x[0], p->x[1], p->x[2]};
    for (int n = 0; n < 27; ++n) {
        const int at[3] = {v % 8 + n % 3 - 1, v / 8 % 8 + n / 3 % 3 - 1, v / 64 + n / 9 - 1};
        const float begin[3] = {(float)(at[0] & ~7), (float)(at[1] & ~7), (float)(at[2] & ~7)};
        const uint32_t tile =
            g->s->grid->tiles
                .around[t][((at[0] >> 3) + 1) + 3 * ((at[1] >> 3) + 1) + 9 * ((at[2] >> 3) + 1)];
        if (tile == SP_NO_TILE) continue;
        const uint32_t *first = g->voxels[tile] + sp_tile_place(at[0], at[1], at[2]);
        compare(c, x, first[0], first[1], begin);
    }
}

typedef struct tile_work {
    const reseeding *g;
    size_t t;
    float phi[SP_TILE_BLOCK];
} tile_work;

/// Whether a particle may be added at x: outside solids and not at the surface.
static bool may_seed_at(const tile_work *w, const float x[3])
{
    const float at[3] = {x[0] + 0.5f, x[1] + 0.5f, x[2] + 0.5f};
    float slope[3];
    return liquid_block_value(w->phi, at, slope) < -w->g->radius &&
           liquid_is_open(w->g->s, w->t, x);
}

/// The best place in voxel v for a particle, also away from arrivals from ... to - 1; false if no
/// candidate is allowed.
static bool best_place(const tile_work *w, int v, uint64_t id, uint32_t from, uint32_t to,
                       float best[3])
{
    const reseeding *g = w->g;
    const int corner[3] = {v % 8, v / 8 % 8, v / 64};
    const float *const newcomers[3] = {g->arrivals.x[0], g->arrivals.x[1], g->arrivals.x[2]};
    candidates c = {.square = {0}};
    for (int l = 0; l < CANDIDATES; ++l) {
        const sp_random4 random = sp_random(g->s->seed, LIQUID_RANDOM_RESEED, id, 0, (uint32_t)l);
        for (int a = 0; a < 3; ++a)
            c.x[a][l] = (float)corner[a] + 0.999f * sp_unit(random.x[a]); // not in the next voxel
        c.square[l] = 9.0f;
    }
    compare_around(g, w->t, v, &c);
    compare(&c, newcomers, from, to, (float[3]){0});
    float farthest = -1.0f;
    for (int l = 0; l < CANDIDATES; ++l) {
        const float x[3] = {c.x[0][l], c.x[1][l], c.x[2][l]};
        if (c.square[l] <= farthest || !may_seed_at(w, x)) continue;
        farthest = c.square[l];
        memcpy(best, x, sizeof x);
    }
    return farthest >= 0.0f;
}

/// ---- Adding and removing -----------------------------------------------------------------------

/// Adds `n` particles to a voxel, as far as places are found; returns the index behind them.
static uint32_t fill_voxel(const tile_work *w, int v, int n, uint32_t *place, uint32_t to)
{
    const reseeding *g = w->g;
    const liquid_arrivals *a = &g->arrivals;
    const uint32_t from = to;
    const bool whole = n == g->s->def->particles_per_cell; // a voxel that enters a narrow band
    for (int k = 0; k < n; ++k) {
        const uint64_t id = g->s->particles->next_id + (*place)++;
        float x[3];
        if (whole) liquid_seed_place(g->s, id, k, v, x);
        if (whole ? !may_seed_at(w, x) : !best_place(w, v, id, from, to, x)) continue;
        for (int b = 0; b < 3; ++b)
            a->x[b][to] = x[b];
        a->id[to++] = id;
    }
    return to;
}

/// Marks the `n` of first ... last - 1 that have the largest ids.
static void drop(const reseeding *g, uint32_t first, uint32_t last, int n)
{
    for (int k = 0; k < n; ++k) {
        uint32_t newest = last;
        for (uint32_t p = first; p < last; ++p)
            if (!g->gone[p] &&
                (newest == last || g->s->particles->id[p] > g->s->particles->id[newest]))
                newest = p;
        g->gone[newest] = 1;
    }
}

/// Change of the debt when the water of a voxel passes between particles (`before` and `after` are
/// their numbers) and grid, where it counts as the particles that would fill it.
static int64_t exchanged(const reseeding *g, size_t t, int v, float phi, int before, int after)
{
    const bool was = was_deep(g, t, v), is = phi < g->grids;
    if (was == is) return was ? 8 * (int64_t)(after - before) : 0;
    const int full = g->s->air ? 8 * fitting(g->s, t, v, g->s->def->particles_per_cell)
                               : g->s->def->particles_per_cell * open_eighths(g->s, t, v);
    return (was ? full - 8 * before : 0) - (is ? full - 8 * after : 0);
}

static void change_tile(const reseeding *g, size_t t)
{
    const liquid_arrivals *a = &g->arrivals;
    const size_t tiles = g->s->grid->tiles.count;
    const float *phi = g->s->grid->phi + t * SP_TILE_VOXELS;
    const uint32_t *first = g->voxels[t];
    uint32_t place = a->start[t], to = place, dropped = 0;
    uint64_t lack = g->lack[t], spare = g->spare[t];
    int64_t debt_eighths = 0;
    tile_work w = {.g = g, .t = t};
    if (a->start[t + 1] > place)
        sp_tiles_block(&g->s->grid->tiles, g->s->grid->phi, (uint32_t)t, g->s->grid->band, w.phi);
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        const int count = (int)(first[v + 1] - first[v]);
        const change c = change_of(g, t, v, phi[v], count);
        const uint32_t before = to;
        lack += (uint64_t)c.lack;
        spare += (uint64_t)c.spare;
        const int get = part_for(c.lack, lack, g->get, g->lack[tiles]);
        const int give = part_for(c.spare, spare, g->give, g->spare[tiles]);
        if (c.add + get > 0) to = fill_voxel(&w, v, c.add + get, &place, to);
        if (c.remove + give > 0) drop(g, first[v], first[v + 1], c.remove + give);
        dropped += (uint32_t)(c.remove + give);
        debt_eighths +=
            8 * ((int64_t)give + c.remove - (int64_t)(to - before)) +
            exchanged(g, t, v, phi[v], count, (int)(count - c.remove - give + (int)(to - before)));
    }
    SP_ASSERT(place == a->start[t + 1]);
    a->count[t] = to - a->start[t];
    g->dropped[t] = dropped;
    g->debt_eighths[t] = debt_eighths;
}

static void change_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        change_tile(arg, t);
}

/// ---- All of it ---------------------------------------------------------------------------------

static bool take_memory(const liquid_seeder *s, reseeding *g)
{
    const size_t tiles = s->grid->tiles.count + 1; // never 0
    g->voxels = sp_scratch_array(s->scratch, liquid_voxels, tiles);
    g->gone = sp_scratch_array(s->scratch, uint8_t, s->particles->set.count + 1);
    g->dropped = sp_scratch_array(s->scratch, uint32_t, tiles);
    g->lack = sp_scratch_array(s->scratch, uint32_t, tiles);
    g->spare = sp_scratch_array(s->scratch, uint32_t, tiles);
    g->debt_eighths = sp_scratch_array(s->scratch, int64_t, tiles);
    g->arrivals.start = sp_scratch_array(s->scratch, uint32_t, tiles);
    g->arrivals.count = sp_scratch_array(s->scratch, uint32_t, tiles);
    return g->voxels && g->gone && g->dropped && g->lack && g->spare && g->debt_eighths &&
           g->arrivals.start && g->arrivals.count;
}

static bool take_arrivals(const liquid_seeder *s, reseeding *g, size_t n)
{
    for (int b = 0; b < 3; ++b)
        g->arrivals.x[b] = sp_scratch_array(s->scratch, float, n + 1);
    g->arrivals.id = sp_scratch_array(s->scratch, uint64_t, n + 1);
    return g->arrivals.x[0] && g->arrivals.x[1] && g->arrivals.x[2] && g->arrivals.id;
}

static sp_status reseed(const liquid_seeder *s, reseeding *g, liquid_balance *balance,
                        sp_liquid_figures *figures, sp_error *err)
{
    bool room = take_memory(s, g);
    uint32_t places = 0;
    if (room) {
        memset(g->gone, 0, s->particles->set.count);
        sp_tiles_parallel(&s->grid->tiles, count_tiles, g);
        share_out(g, balance->debt_eighths);
        places = g->arrivals.start[s->grid->tiles.count];
        room = take_arrivals(s, g, places);
    }
    if (!room)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to spread %zu particles evenly",
                       s->particles->set.count);
    sp_tiles_parallel(&s->grid->tiles, change_tiles, g);
    uint64_t seeded = 0, thinned = 0;
    int64_t debt_eighths = balance->debt_eighths;
    for (size_t t = 0; t < s->grid->tiles.count; ++t) {
        seeded += g->arrivals.count[t];
        thinned += g->dropped[t];
        debt_eighths += g->debt_eighths[t];
    }
    if (seeded + thinned == 0) return SP_OK; // the debt is unchanged too
    SP_TRY(liquid_exchange(s, &g->arrivals, g->gone, NULL, err));
    s->particles->next_id += places;
    balance->debt_eighths = debt_eighths;
    figures->seeded += seeded;
    figures->thinned += thinned;
    return SP_OK;
}

sp_status liquid_reseed(const liquid_seeder *s, liquid_balance *balance, sp_liquid_figures *figures,
                        sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    reseeding g = {.s = s,
                   .count = bounds_of(s->def->particles_per_cell),
                   .band = INFINITY,
                   .grids = liquid_grid_depth(s->def),
                   .deepest = INFINITY,
                   .radius = liquid_particle_radius(s->def)};
    if (balance->debt_eighths < 0) // more particles were added than removed
        g.count.most = (5 * s->def->particles_per_cell + 3) / 4;
    if (s->def->narrow_band > 0) { // phi is clamped to s->grid->band
        const float depth = (float)s->def->narrow_band * s->grid->voxel;
        g.band = fminf(depth, 0.998f * s->grid->band);
        g.deepest = fminf(depth + 0.5f * s->grid->voxel, 0.999f * s->grid->band);
    }
    const sp_status status = reseed(s, &g, balance, figures, err);
    sp_scratch_rewind(s->scratch, mark);
    return status;
}
