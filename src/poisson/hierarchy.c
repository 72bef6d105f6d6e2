// SPDX-License-Identifier: Apache-2.0
/// Builds the levels. Aggregates of 2x2x2 voxels become one voxel, and P copies a coarse value to
/// its eight children. Half the Galerkin product P'AP (the half corrects for P being only piecewise
/// constant: Braess 1995) has as coarse coefficient half the sum of the four that cross a coarse
/// face, and as extra half the sum of the children's extras. Both sides of a coarse level's
/// equation are divided by two once more, so that a coefficient is the mean of four and FULL stays
/// FULL:
///
///     a = (a1 + a2 + a3 + a4) / 4     extra = (e1 + ... + e8) / 4     b = (r1 + ... + r8) / 2
///
/// The a and e are softened first if faces next to them conduct much worse (coarsen.c).
///
/// Where the domain is periodic with a period of one tile, its eight voxels become four that fill
/// both halves of a coarse tile: the coarse tile contains the period twice, with the same values,
/// and is again its own neighbour. A period of two tiles becomes one tile, and then the same. With
/// an odd period of three or more the coarse levels are not periodic. A component that varies
/// around the whole period then has too little energy on the coarse level and is overcorrected, and
/// a second visit would make it worse: levels above such a cut are visited once.
#include "poisson/internal.h"

#include <string.h>

static sp_status no_memory(size_t tiles, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for a level of %zu tiles", tiles);
}

static bool reserve_level(sp_poisson *s, poisson_level *l, size_t count)
{
    const size_t tile = SP_TILE_VOXELS * s->real;
    l->count = count;
    if (!poisson_reserve(s, &l->at, count, sizeof *l->at) ||
        !poisson_reserve(s, &l->near, count, sizeof *l->near) ||
        !poisson_reserve(s, &l->row, count, sizeof *l->row) ||
        !poisson_reserve(s, &l->parent, count + 1, sizeof *l->parent) ||
        !poisson_reserve(s, &l->order, count, sizeof *l->order) ||
        !poisson_reserve(s, &l->x, count + 1, tile) || !poisson_reserve(s, &l->b, count + 1, tile))
        return false;
    memset((char *)l->x + count * tile, 0, tile); // the tile of zeros
    // blocks of coarse tiles without a child are never written again
    if (l != &s->level[0]) memset(l->b, 0, (count + 1) * tile);
    return true;
}

/// Sorts tiles by colour. Chessboard colours are enough except for odd periods, where two tiles of
/// one colour touch; then the later one takes the first colour that none of its earlier neighbours
/// has. Where a tile is its own neighbour, a last colour without tiles is added, so that no pass
/// relies on the order of a tile and its neighbours (smooth_down, smooth_up).
static void colour(poisson_level *l, uint32_t *colours)
{
    uint32_t counts[POISSON_COLOURS + 1] = {0};
    bool own = false;
    l->colours = 1;
    for (size_t t = 0; t < l->count; ++t) {
        uint32_t taken = 0;
        for (int n = 0; n < 6; ++n) {
            own |= l->near[t][n] == t;
            if (l->near[t][n] < t) taken |= 1u << colours[l->near[t][n]];
        }
        uint32_t c = (uint32_t)(l->at[t][0] + l->at[t][1] + l->at[t][2]) & 1;
        if (taken >> c & 1)
            for (c = 2; taken >> c & 1;)
                ++c;
        colours[t] = c;
        ++counts[c];
        if ((int)c >= l->colours) l->colours = (int)c + 1;
    }
    if (own) l->colours = l->colours < 2 ? 3 : l->colours + 1;
    sp_scan(counts, POISSON_COLOURS + 1);
    memcpy(l->start, counts, sizeof l->start);
    for (size_t t = 0; t < l->count; ++t)
        l->order[counts[colours[t]]++] = (uint32_t)t;
}

static sp_status finish_level(sp_poisson *s, poisson_level *l, sp_tile_mask *active, sp_error *err)
{
    colour(l, l->parent); // `parent` is not filled yet and serves as scratch
    SP_TRY(poisson_fill_rows(s, l, active, err));
    l->unknowns = 0;
    for (size_t t = 0; t < l->count; ++t)
        l->unknowns += l->row[t] == SP_POISSON_FULL ? SP_TILE_VOXELS : l->kind[l->row[t]].cells;
    return SP_OK;
}

/// ---- The finest level --------------------------------------------------------------------------

static const uint8_t around[6] = {12, 14, 10, 16, 4, 22}; // indices of face neighbours among 27

static sp_status number_tiles(sp_poisson *s, const sp_poisson_system *system, size_t *count,
                              sp_error *err)
{
    const size_t n = s->tiles = system->tiles->count;
    if (!poisson_reserve(s, &s->slot, n, sizeof *s->slot)) return no_memory(n, err);
    *count = 0;
    for (size_t t = 0; t < n; ++t)
        s->slot[t] = system->row[t] == SP_POISSON_EMPTY ? SP_NO_TILE : (uint32_t)(*count)++;
    if (!poisson_reserve(s, &s->tile, *count, sizeof *s->tile) ||
        !poisson_reserve(s, &s->active, system->rows, sizeof *s->active))
        return no_memory(*count, err);
    for (size_t t = 0; t < n; ++t)
        if (s->slot[t] != SP_NO_TILE) s->tile[s->slot[t]] = (uint32_t)t;
    return SP_OK;
}

static sp_status build_finest(sp_poisson *s, const sp_poisson_system *system, sp_error *err)
{
    size_t count = 0;
    SP_TRY(number_tiles(s, system, &count, err));
    poisson_level *l = &s->level[0];
    if (!reserve_level(s, l, count)) return no_memory(count, err);
    l->rows = system->rows;
    for (size_t t = 0; t < count; ++t) {
        const uint32_t tile = s->tile[t];
        memcpy(l->at[t], system->tiles->at[tile], sizeof *l->at);
        l->row[t] = system->row[tile];
        SP_ASSERT(l->row[t] == SP_POISSON_FULL || l->row[t] < system->rows);
        for (int n = 0; n < 6; ++n) {
            const uint32_t there = system->tiles->around[tile][around[n]];
            const uint32_t slot = there == SP_NO_TILE ? SP_NO_TILE : s->slot[there];
            l->near[t][n] = slot == SP_NO_TILE ? (uint32_t)count : slot;
            SP_ASSERT(l->row[t] != SP_POISSON_FULL || slot != SP_NO_TILE);
        }
    }
    for (int a = 0; a < 3; ++a) {
        l->face[a] = system->face[a];
        l->period[a] = system->tiles->period[a];
    }
    l->extra = system->extra;
    SP_TRY(finish_level(s, l, s->active, err));
    sp_exact_sum trace = {0};
    for (size_t t = 0; t < count; ++t)
        sp_exact_add(&trace, l->row[t] == SP_POISSON_FULL ? 6.0 * SP_TILE_VOXELS
                                                          : (double)l->kind[l->row[t]].trace);
    s->trace = sp_exact_round(&trace);
    return SP_OK;
}

/// ---- Coarse levels -----------------------------------------------------------------------------

/// Children of a tile are consecutive, because Morton codes of a block differ only in the last
/// bits.
static size_t find_parents(poisson_level *fine)
{
    size_t count = 0;
    for (size_t t = 0; t < fine->count; ++t) {
        const int32_t *at = fine->at[t], *last = t ? fine->at[t - 1] : NULL;
        if (!last || at[0] >> 1 != last[0] >> 1 || at[1] >> 1 != last[1] >> 1 ||
            at[2] >> 1 != last[2] >> 1)
            ++count;
        const uint32_t block = (uint32_t)((at[0] & 1) | (at[1] & 1) << 1 | (at[2] & 1) << 2);
        fine->parent[t] = (uint32_t)(count - 1) << 3 | block;
    }
    fine->parent[fine->count] = (uint32_t)count << 3;
    return count;
}

/// The periods of the next level.
static void halve_periods(poisson_level *fine, poisson_level *coarse)
{
    fine->copies = 0;
    for (int a = 0; a < 3; ++a) {
        const int32_t period = fine->period[a];
        if (period == 1) fine->copies |= 1u << a;
        coarse->period[a] = period == 1 ? 1 : period % 2 ? 0 : period / 2;
    }
}

/// Two coarse tiles are neighbours if children of theirs are, across the coarse face. A link around
/// an odd period does not cross a coarse face and is dropped: the cycle is only approximate there.
static void link_tiles(const poisson_level *fine, poisson_level *coarse)
{
    for (size_t t = 0; t < coarse->count; ++t)
        for (int n = 0; n < 6; ++n)
            coarse->near[t][n] = (uint32_t)coarse->count;
    for (size_t t = 0; t < fine->count; ++t) {
        const uint32_t parent = fine->parent[t] >> 3, block = fine->parent[t] & 7;
        for (int n = 0; n < 6; ++n) {
            const uint32_t there = fine->near[t][n];
            if (there == t && (fine->copies >> n / 2 & 1)) coarse->near[parent][n] = parent;
            if (there == fine->count || (block >> n / 2 & 1) != (n & 1u)) continue;
            if ((fine->parent[there] >> n / 2 & 1) != (n & 1u))
                coarse->near[parent][n] = fine->parent[there] >> 3;
        }
    }
}

static void list_children(const poisson_level *fine, poisson_level *coarse)
{
    for (size_t t = fine->count; t-- > 0;) {
        const uint32_t parent = fine->parent[t] >> 3;
        coarse->first[parent] = (uint32_t)t;
        const int32_t *at = fine->at[t];
        for (int a = 0; a < 3; ++a)
            coarse->at[parent][a] = at[a] >> 1;
    }
    coarse->first[coarse->count] = (uint32_t)fine->count;
}

static bool is_full(const poisson_level *fine, const poisson_level *coarse, size_t t)
{
    const int wanted = 8 >> __builtin_popcount(fine->copies);
    if ((int)(coarse->first[t + 1] - coarse->first[t]) != wanted) return false;
    for (size_t c = coarse->first[t]; c < coarse->first[t + 1]; ++c)
        if (fine->row[c] != SP_POISSON_FULL) return false;
    for (int n = 0; n < 6; ++n)
        if (coarse->near[t][n] == coarse->count) return false;
    return true;
}

static sp_status build_coarse(sp_poisson *s, poisson_level *fine, poisson_level *l, sp_error *err)
{
    const size_t count = find_parents(fine);
    if (!poisson_reserve(s, &l->first, count + 1, sizeof *l->first) || !reserve_level(s, l, count))
        return no_memory(count, err);
    list_children(fine, l);
    halve_periods(fine, l);
    link_tiles(fine, l);
    size_t rows = 0;
    for (size_t t = 0; t < count; ++t)
        l->row[t] = is_full(fine, l, t) ? SP_POISSON_FULL : (uint32_t)rows++;
    if (!poisson_reserve(s, &l->natural, 4 * rows, SP_TILE_VOXELS * sizeof *l->natural))
        return no_memory(count, err);
    l->rows = rows;
    for (size_t a = 0; a < 3; ++a)
        l->face[a] = l->natural + a * rows * SP_TILE_VOXELS;
    l->extra = l->natural + 3 * rows * SP_TILE_VOXELS;
    poisson_coarsen_rows(s->host, fine, l);
    return finish_level(s, l, NULL, err);
}

static void mark_torn_levels(sp_poisson *s)
{
    bool loses_period = false;
    for (int n = s->levels - 1; n >= 0; --n) {
        poisson_level *l = &s->level[n];
        for (int a = 0; a < 3; ++a)
            loses_period |= n + 1 < s->levels && l->period[a] > 1 && l->period[a] % 2;
        l->loses_period = loses_period;
    }
}

sp_status poisson_build_levels(sp_poisson *s, const sp_poisson_system *system, sp_error *err)
{
    SP_TRY(build_finest(s, system, err));
    s->levels = 1;
    for (;; ++s->levels) {
        poisson_level *last = &s->level[s->levels - 1];
        if (s->levels == POISSON_LEVELS || (last->count <= 8 && last->unknowns <= POISSON_COARSEST))
            break;
        SP_TRY(build_coarse(s, last, &s->level[s->levels], err));
    }
    mark_torn_levels(s);
    return SP_OK;
}
