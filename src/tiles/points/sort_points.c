// SPDX-License-Identifier: Apache-2.0
/// Sorts points after they have moved: by tile, then by voxel; the order within a voxel is kept.
///
/// A point moves less than a tile in a step, so a tile's new points come from the 27 tiles around
/// it, and most of them from itself. Each tile first records where its points go:
///
///     key      voxel in the tile that it goes to (9 bits), and which of the 27 that is, above them
///     leavers  points that go to another tile, grouped by tile
///
/// Then each new tile counts its voxels over the points that stay and over its groups of the tiles
/// around, in the order of tiles; computes each point's place; and gathers all columns at once.
/// Nothing depends on threads, and memory is written in order.
#include "tiles/points.h"

enum { VOXEL_BITS = 9, VOXEL_MASK = SP_TILE_VOXELS - 1, GONE = SP_TILES_AROUND };

/// The tile around that a particle is in, and the voxel there: x may be anywhere in [-8, 16).
static inline uint32_t key_of(float x, float y, float z)
{
    const int32_t i = (int32_t)floorf(x), j = (int32_t)floorf(y), k = (int32_t)floorf(z);
    const int32_t tile = SP_TILES_SELF + (i >> 3) + 3 * (j >> 3) + 9 * (k >> 3);
    return (uint32_t)tile << VOXEL_BITS | sp_tile_place(i, j, k);
}

/// ---- Which tiles are needed --------------------------------------------------------------------

typedef struct reaching {
    const sp_moved_points *p;
    uint32_t *reach;
} reaching;

static void find_reach(void *arg, size_t begin, size_t end)
{
    const reaching *r = arg;
    const sp_moved_points *p = r->p;
    const float *restrict x = p->x[0], *restrict y = p->x[1], *restrict z = p->x[2];
    for (size_t t = begin; t < end; ++t) {
        uint32_t bits = 0;
        for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const uint32_t bit = 1u << (key_of(x[i], y[i], z[i]) >> VOXEL_BITS);
            bits |= p->id[i] == SP_POINT_GONE ? 0 : bit;
        }
        r->reach[t] = bits;
    }
}

void sp_points_reach(const sp_moved_points *points, uint32_t *reach)
{
    sp_tiles_parallel(points->tiles, find_reach, &(reaching){points, reach});
}

/// ---- Where points go ---------------------------------------------------------------------------

/// Points that leave a tile. Group n is leaver[group[n]] ... leaver[group[n + 1] - 1].
typedef struct leaving {
    uint32_t group[SP_TILES_AROUND + 1];
    uint32_t stay; ///< number of points that stay
} leaving;

typedef struct sorting {
    const sp_moved_points *p;
    const sp_tiles *from, *to;
    const sp_point_column *column;
    int columns;
    uint16_t *key;    ///< by point
    uint32_t *leaver; ///< points; a tile's begin at the index of its first point
    leaving *leave;   ///< by tile of `from`
    /// If an axis is periodic with one or two tiles, several offsets lead to the same tile; this is
    /// the offset that represents them.
    uint16_t same[SP_TILES_AROUND];
    uint32_t *order, *start; ///< new order: index of the point; by tile of `to`
} sorting;

static void name_same_offsets(sorting *w, const int32_t period[3])
{
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        int off[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        for (int a = 0; a < 3; ++a) {
            if (period[a] == 1) off[a] = 0;
            if (period[a] == 2 && off[a] < 0) off[a] = 1;
        }
        w->same[n] = (uint16_t)(SP_TILES_SELF + off[0] + 3 * off[1] + 9 * off[2]);
    }
}

static void write_keys(const sorting *w, size_t begin, size_t end)
{
    const sp_moved_points *p = w->p;
    const float *restrict x = p->x[0], *restrict y = p->x[1], *restrict z = p->x[2];
    const uint64_t *restrict id = p->id;
    uint16_t *restrict key = w->key;
    for (size_t i = begin; i < end; ++i)
        key[i] = (uint16_t)(id[i] == SP_POINT_GONE ? (uint32_t)GONE << VOXEL_BITS
                                                   : key_of(x[i], y[i], z[i]));
}

static void find_leavers(const sorting *w, size_t tile)
{
    const uint32_t begin = w->p->start[tile], end = w->p->start[tile + 1];
    uint32_t count[SP_TILES_AROUND + 1] = {0};
    write_keys(w, begin, end);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t n = w->key[i] >> VOXEL_BITS;
        if (n == SP_TILES_SELF) continue;
        const uint32_t goes = n == GONE ? GONE : w->same[n];
        w->key[i] = (uint16_t)(goes << VOXEL_BITS | (w->key[i] & VOXEL_MASK));
        ++count[goes];
    }
    leaving *l = &w->leave[tile];
    uint32_t at = begin, place[SP_TILES_AROUND];
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        place[n] = l->group[n] = at;
        at += n == SP_TILES_SELF ? 0 : count[n];
    }
    l->group[SP_TILES_AROUND] = at;
    l->stay = end - at - count[GONE];
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t n = w->key[i] >> VOXEL_BITS;
        if (n != SP_TILES_SELF && n != GONE) w->leaver[place[n]++] = i;
    }
}

static void find_all_leavers(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        find_leavers(arg, t);
}

/// ---- Where they come from ----------------------------------------------------------------------

/// Points that come to a tile from one tile: found by key if it is the same tile, else by list.
typedef struct source {
    uint32_t tile, n; ///< tile of `from`; offset by which they come
    uint32_t count;
} source;

static uint32_t coming(const sorting *w, uint32_t tile, uint32_t n)
{
    const leaving *l = &w->leave[tile];
    return n == SP_TILES_SELF ? l->stay : l->group[n + 1] - l->group[n];
}

/// Lists the sources of a tile in the order of tiles; an insertion sort of a few.
static int sources_of(const sorting *w, size_t tile, source list[SP_TILES_AROUND])
{
    const int32_t *at = w->to->at[tile];
    const uint32_t here = sp_tiles_find(w->from, at);
    int count = 0;
    for (uint32_t n = 0; n < SP_TILES_AROUND; ++n) {
        if (w->same[n] != n) continue;
        const int off[3] = {(int)n % 3 - 1, (int)n / 3 % 3 - 1, (int)n / 9 - 1};
        const int32_t back[3] = {at[0] - off[0], at[1] - off[1], at[2] - off[2]};
        const uint32_t there = here != SP_NO_TILE ? w->from->around[here][SP_TILES_AROUND - 1 - n]
                                                  : sp_tiles_find(w->from, back);
        if (there == SP_NO_TILE || coming(w, there, n) == 0) continue;
        int k = count++;
        for (; k > 0 && list[k - 1].tile > there; --k)
            list[k] = list[k - 1];
        list[k] = (source){there, n, coming(w, there, n)};
    }
    return count;
}

static void count_all(void *arg, size_t begin, size_t end)
{
    const sorting *w = arg;
    for (size_t t = begin; t < end; ++t) {
        source list[SP_TILES_AROUND];
        const int n = sources_of(w, t, list);
        w->start[t] = 0;
        for (int k = 0; k < n; ++k)
            w->start[t] += list[k].count;
    }
}

/// Prefetches a point's values, which are read once the whole tile is counted. Points from other
/// tiles lie scattered: without prefetching, sorting waits for them a quarter of its time.
SP_INLINE void prefetch_point(const sorting *w, size_t i)
{
    for (int c = 0; c < w->columns; ++c)
        __builtin_prefetch((const char *)w->column[c].from + w->column[c].bytes * i);
}

/// Counts the points of each voxel (order NULL), or gives each point its place.
SP_INLINE void visit(const sorting *w, const source *from, uint32_t *voxel, uint32_t *order)
{
    const uint16_t *restrict key = w->key;
    if (from->n != SP_TILES_SELF) {
        const uint32_t *leaver = w->leaver + w->leave[from->tile].group[from->n];
        for (uint32_t k = 0; k < from->count; ++k) {
            const uint32_t i = leaver[k], at = voxel[key[i] & VOXEL_MASK]++;
            if (order)
                order[at] = i;
            else
                prefetch_point(w, i);
        }
        return;
    }
    for (uint32_t i = w->p->start[from->tile]; i < w->p->start[from->tile + 1]; ++i) {
        if (!order && i % 8 == 0) prefetch_point(w, i);
        if (key[i] >> VOXEL_BITS != SP_TILES_SELF) continue;
        const uint32_t at = voxel[key[i] & VOXEL_MASK]++;
        if (order) order[at] = i;
    }
}

/// ---- Gathering the columns ---------------------------------------------------------------------

/// Wraps positions into the new tile. Adding 8 to a tiny negative number gives 8 itself.
static void fetch_places(const float *restrict from, const uint32_t *restrict order, size_t n,
                         float *restrict to)
{
    for (size_t k = 0; k < n; ++k) {
        const float x = from[order[k]];
        const float y = x < 0.0f ? x + 8.0f : x >= 8.0f ? x - 8.0f : x;
        to[k] = y < SP_POINT_LAST ? y : SP_POINT_LAST;
    }
}

static void fetch4(const uint32_t *restrict from, const uint32_t *restrict order, size_t n,
                   uint32_t *restrict to)
{
    for (size_t k = 0; k < n; ++k)
        to[k] = from[order[k]];
}

static void fetch8(const uint64_t *restrict from, const uint32_t *restrict order, size_t n,
                   uint64_t *restrict to)
{
    for (size_t k = 0; k < n; ++k)
        to[k] = from[order[k]];
}

static void fetch_tile(const sorting *w, size_t tile)
{
    const size_t first = w->start[tile], n = w->start[tile + 1] - first;
    const uint32_t *order = w->order + first;
    for (int c = 0; c < w->columns; ++c) {
        const sp_point_column *column = &w->column[c];
        if (c < 3)
            fetch_places(column->from, order, n, (float *)column->to + first);
        else if (column->bytes == sizeof(uint64_t))
            fetch8(column->from, order, n, (uint64_t *)column->to + first);
        else
            fetch4(column->from, order, n, (uint32_t *)column->to + first);
    }
}

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    const sorting *w = arg;
    for (size_t t = begin; t < end; ++t) {
        source list[SP_TILES_AROUND];
        uint32_t voxel[SP_TILE_VOXELS] = {0};
        const int n = sources_of(w, t, list);
        for (int k = 0; k < n; ++k)
            visit(w, &list[k], voxel, NULL);
        sp_scan(voxel, SP_TILE_VOXELS);
        for (int k = 0; k < n; ++k)
            visit(w, &list[k], voxel, w->order + w->start[t]);
        fetch_tile(w, t);
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status take_memory(sorting *w, sp_scratch *scratch, sp_error *err)
{
    const size_t n = w->p->start[w->from->count] + 1; // an empty array would look like a failure
    w->key = sp_scratch_array(scratch, uint16_t, n);
    w->leaver = sp_scratch_array(scratch, uint32_t, n);
    w->order = sp_scratch_array(scratch, uint32_t, n);
    w->leave = sp_scratch_array(scratch, leaving, w->from->count + 1);
    if (!w->key || !w->leaver || !w->order || !w->leave)
        return sp_fail(err, SP_NO_MEMORY, "tiles: no memory to sort %zu points", n - 1);
    return SP_OK;
}

static uint32_t count_alive(const sorting *w)
{
    uint32_t n = 0;
    for (size_t t = 0; t < w->from->count; ++t)
        n += w->leave[t].stay + w->leave[t].group[SP_TILES_AROUND] - w->leave[t].group[0];
    return n;
}

/// Returns how many points were in tiles that do not exist.
static uint64_t sort_all(sorting *w)
{
    const sp_host *host = w->to->host;
    sp_parallel(host, w->from->count, 8, find_all_leavers, w);
    sp_parallel(host, w->to->count, 64, count_all, w);
    w->start[w->to->count] = 0;
    const uint32_t total = sp_scan(w->start, w->to->count + 1);
    sp_parallel(host, w->to->count, 8, fill_tiles, w);
    return count_alive(w) - total;
}

sp_status sp_points_sort(const sp_moved_points *points, const sp_tiles *to,
                         const sp_point_column *column, int columns, sp_scratch *scratch,
                         uint32_t *start, uint64_t *lost, sp_error *err)
{
    sorting w = {.p = points,
                 .from = points->tiles,
                 .to = to,
                 .column = column,
                 .columns = columns,
                 .start = start};
    name_same_offsets(&w, w.from->period);
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status st = take_memory(&w, scratch, err);
    if (st == SP_OK) *lost += sort_all(&w);
    sp_scratch_rewind(scratch, mark);
    return st;
}

/// ---- The same points on more tiles -------------------------------------------------------------

void sp_points_remap(const sp_tiles *from, const uint32_t *old, const sp_tiles *to, uint32_t *start)
{
    size_t f = 0;
    for (size_t t = 0; t < to->count; ++t) {
        start[t] = old[f];
        if (f < from->count && memcmp(from->at[f], to->at[t], sizeof *from->at) == 0) ++f;
    }
    start[to->count] = old[f];
    SP_ASSERT(f == from->count);
}
