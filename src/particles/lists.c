// SPDX-License-Identifier: Apache-2.0
/// Builds neighbour lists from sorted cells: one list per particle.
///
/// All particles of a cell share their candidates: the particles of the 27 (2D: 9) cells around.
/// Three successive cells along x are one run of the sorted particles, so the candidates are nine
/// runs. They are copied to contiguous arrays once per cell and then tested sixteen at a time for
/// each particle of the cell:
///
///     run 0  ..[ x-1 | x | x+1 ]..  ┐
///     run 1  ..[ x-1 | x | x+1 ]..  ├─▶ x[] y[] z[] index[] ─test─▶ mask ─compress─▶ list
///      ...                          ┘
///
/// Cells and candidates may belong to two different sets.
#include "particles/candidates.h"
#include "particles/internal.h"

#include <stdatomic.h>
#include <string.h>

enum {
    CELLS = 512,        // cells per task: the unused end of its last chunk is then small
    GATHERED = 2048,    // most candidates that are copied; more are tested in place
    CHUNK = 1 << 13,    // entries of `index` that a task takes at a time
    LISTS_A_CHUNK = 16, // at least: the unused end of a chunk is then small
    AHEAD = 16,         // prefetch distance for list entries, particles
};

/// A job: neighbour lists from one set to another, or within one set.
typedef struct listing {
    const sp_cells *of, *among;
    float limit;             ///< reach^2, m^2
    const uint32_t *names;   ///< numbers for lists and entries; NULL: places
    uint32_t *index;         ///< output: the lists
    size_t capacity;         ///< entries of `index`
    sp_neighbour_list *list; ///< one per particle; NULL: rows
    sp_row *row;
    const uint32_t *first_row; ///< one per task
    atomic_size_t used;        ///< entries of `index` taken, or needed if more
    atomic_size_t pairs;
} listing;

/// Contiguous candidates: copies, or the sorted particles themselves.
typedef struct candidates {
    const float *x, *y, *z;
    const uint32_t *index;
} candidates;

typedef struct gathered {
    float x[GATHERED + SP_LANES], y[GATHERED + SP_LANES], z[GATHERED + SP_LANES];
    uint32_t index[GATHERED + SP_LANES];
} gathered;

static const sp_i16 counting = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Copies the runs one after the other, whole vectors at a time; the next run overwrites what is
/// too much at the end of one.
static void gather_runs(const sp_around *w, const sp_cells *among, const uint32_t *names,
                        gathered *g)
{
    size_t to = 0;
    for (int r = 0; r < w->runs; ++r) {
        const size_t begin = w->run[r].begin, n = w->run[r].end - begin;
        for (size_t k = 0; k < n; k += SP_LANES) {
            memcpy(g->x + to + k, among->x + begin + k, sizeof(sp_f16));
            memcpy(g->y + to + k, among->y + begin + k, sizeof(sp_f16));
            if (among->z) memcpy(g->z + to + k, among->z + begin + k, sizeof(sp_f16));
            const sp_i16 places = counting + (int32_t)(begin + k);
            memcpy(g->index + to + k, names ? (const void *)(names + begin + k) : &places,
                   sizeof(sp_i16));
        }
        to += n;
    }
    sp_f16_store(g->x + to, sp_f16_all(INFINITY)); // padding: never within reach
}

typedef struct query {
    float x, y, z, limit; ///< m, m^2
    size_t self;          ///< candidate that is the particle itself; >= n: none
    bool own;             ///< the particle is among the candidates
} query;

/// Appends those of n candidates that are within reach to a list; returns how many. Six tenths of a
/// build are spent here, a third of that on storing. On Zen 4 none of these was faster: two
/// particles per pass, storing half a vector where that suffices, lists staged in the cache, cells
/// thinner along x, a mask without branches, removing the particle itself from the copies (the load
/// waits for the store).
SP_INLINE size_t take_near(const candidates *c, size_t n, const query *q, uint32_t *out, bool deep)
{
    size_t count = 0;
    for (size_t at = 0; at < n; at += SP_LANES) {
        const sp_f16 dx = sp_f16_load(c->x + at) - q->x;
        const sp_f16 dy = sp_f16_load(c->y + at) - q->y;
        const sp_f16 dz = deep ? sp_f16_load(c->z + at) - q->z : sp_f16_all(0.0f);
        uint32_t mask = sp_near(dx, dy, dz, q->limit);
        if (n - at < SP_LANES) mask &= (1u << (n - at)) - 1;
        if (q->self - at < SP_LANES) mask &= ~(1u << (q->self - at));
        count += sp_compress(out + count, mask, c->index + at);
    }
    return count;
}

/// Where a task writes its lists: one chunk of `index` after the other.
typedef struct writer {
    listing *l;
    size_t at, end;
    bool full; ///< `index` is too short: lists are counted but not kept
    uint32_t sink[GATHERED + 2 * SP_LANES]; ///< output if `full`
} writer;

/// Ensures room for a list with `total` candidates, and for a vector beyond its end.
static void make_room(writer *w, size_t total)
{
    const size_t need = total + 2 * SP_LANES;
    if (w->end - w->at >= need) return;
    const size_t size = sp_pad16(LISTS_A_CHUNK * need > CHUNK ? LISTS_A_CHUNK * need : CHUNK);
    w->at = atomic_fetch_add_explicit(&w->l->used, size, memory_order_relaxed);
    w->end = w->at + size;
    w->full = w->end > w->l->capacity;
}

/// Candidates of one cell: the runs of sorted particles, and their contiguous copies.
typedef struct surroundings {
    const sp_around *walk;
    const gathered *gathered; ///< NULL when there are too many candidates
    size_t middle;            ///< where the middle run begins in the copies
} surroundings;

SP_INLINE size_t list_gathered(const surroundings *s, query q, size_t k, uint32_t *out, bool deep)
{
    const gathered *g = s->gathered;
    q.self = !q.own ? SIZE_MAX : s->middle + (k - s->walk->run[s->walk->runs / 2].begin);
    return take_near(&(candidates){g->x, g->y, g->z, g->index}, s->walk->total, &q, out, deep);
}

/// Lists from runs in place, in pieces that fit the writer's sink and `places`.
SP_INLINE size_t list_runs(const listing *l, const sp_around *around, query q, size_t k,
                           uint32_t *out, bool keep, bool deep)
{
    size_t count = 0;
    uint32_t places[GATHERED + SP_LANES];
    for (int r = 0; r < around->runs; ++r)
        for (size_t at = around->run[r].begin; at < around->run[r].end; at += GATHERED) {
            const size_t left = around->run[r].end - at, n = left < GATHERED ? left : GATHERED;
            for (size_t i = 0; i < n; ++i)
                places[i] = (uint32_t)(at + i);
            const candidates c = {l->among->x + at, l->among->y + at,
                                  deep ? l->among->z + at : NULL,
                                  l->names ? l->names + at : places};
            q.self = q.own ? k - at : SIZE_MAX;
            count += take_near(&c, n, &q, keep ? out + count : out, deep);
        }
    return count;
}

/// Writes the list of the particle at place k at the writer's position; returns its length.
SP_INLINE size_t list_one(const listing *l, size_t k, const surroundings *s, writer *w, bool deep)
{
    const sp_cells *of = l->of;
    make_room(w, s->walk->total);
    uint32_t *out = w->full ? w->sink : l->index + w->at;
    const query q = {.x = of->x[k],
                     .y = of->y[k],
                     .z = deep ? of->z[k] : 0.0f,
                     .limit = l->limit,
                     .own = l->of == l->among};
    const size_t count = s->gathered ? list_gathered(s, q, k, out, deep)
                                     : list_runs(l, s->walk, q, k, out, !w->full, deep);
    if (!w->full) memset(out + count, 0, SP_LANES * sizeof *out); // 0 is a valid place
    return count;
}

SP_INLINE size_t list_cell(const listing *l, size_t cell, const surroundings *s, writer *w,
                           sp_row **row, bool deep)
{
    size_t pairs = 0;
    const size_t last = l->of->count - 1;
    for (size_t k = l->of->start[cell]; k < l->of->start[cell + 1]; ++k) {
        if (l->names)
            __builtin_prefetch(l->list + l->names[k + AHEAD < last ? k + AHEAD : last], 1);
        const size_t count = list_one(l, k, s, w, deep);
        if (l->list)
            l->list[l->names ? l->names[k] : k] =
                (sp_neighbour_list){(uint32_t)w->at, (uint32_t)count};
        else
            *(*row)++ = (sp_row){(uint32_t)k, (uint32_t)w->at, (uint32_t)count};
        w->at += count;
        pairs += count;
    }
    return pairs;
}

SP_INLINE void list_task(listing *l, size_t begin, size_t end, bool deep)
{
    writer out = {.l = l};
    gathered g;
    sp_around around;
    size_t pairs = 0;
    sp_row *row = l->row ? l->row + l->first_row[begin / CELLS] : NULL;
    sp_around_from(&around, l->among, l->of->key[begin]);
    for (size_t cell = begin; cell < end; ++cell) {
        sp_around_to(&around, l->among, l->of->key[cell]);
        if (l->row && around.total == 0) continue;
        surroundings s = {.walk = &around};
        if (around.total <= GATHERED) {
            gather_runs(&around, l->among, l->names, &g);
            s.gathered = &g;
            for (int r = 0; r < around.runs / 2; ++r)
                s.middle += around.run[r].end - around.run[r].begin;
        }
        pairs += list_cell(l, cell, &s, &out, &row, deep);
    }
    atomic_fetch_add_explicit(&l->pairs, pairs, memory_order_relaxed);
}

static void list_flat(void *arg, size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at += CELLS) // a single thread gets all cells in one call
        list_task(arg, at, at + CELLS < end ? at + CELLS : end, false);
}

static void list_deep(void *arg, size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at += CELLS)
        list_task(arg, at, at + CELLS < end ? at + CELLS : end, true);
}

static void list_all(listing *l)
{
    const bool flat = l->of->lattice.dims == 2;
    atomic_init(&l->used, 0);
    atomic_init(&l->pairs, 0);
    sp_parallel(l->of->host, l->of->cells, CELLS, flat ? list_flat : list_deep, l);
}

/// Builds the lists; if memory was too short, enlarges it and builds them again. False: no memory.
static bool list_and_grow(listing *l, uint32_t **index, size_t *capacity, size_t *used)
{
    const sp_host *host = l->of->host;
    l->index = *index;
    l->capacity = *capacity;
    list_all(l);
    *used = atomic_load(&l->used);
    if (*used <= *capacity) return true;
    const size_t wanted = *used + *used / 32;
    sp_release(host, *index);
    *index = NULL;
    *capacity = 0;
    if (wanted < UINT32_MAX) *index = sp_allocate(host, wanted, sizeof **index);
    if (!*index) return false;
    l->index = *index;
    l->capacity = *capacity = wanted;
    list_all(l);
    *used = atomic_load(&l->used); // chunks may be divided differently this time
    return *used <= *capacity;
}

static sp_status fail_lists(size_t n, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu lists", n);
}

/// ---- Within one set ---------------------------------------------------------------------------

sp_status sp_lists_make(sp_lists *lists, const sp_cells *cells, float reach, const uint32_t *names,
                        sp_error *err)
{
    lists->index_used = 0;
    lists->pairs = 0;
    if (cells->count > lists->capacity) {
        sp_release(lists->host, lists->list);
        lists->capacity = cells->count + cells->count / 16;
        lists->list = sp_allocate(lists->host, lists->capacity + SP_LANES, sizeof *lists->list);
        if (!lists->list) lists->capacity = 0;
        if (!lists->list) return fail_lists(cells->count, err);
    }
    listing l = {
        .of = cells, .among = cells, .limit = reach * reach, .names = names, .list = lists->list};
    if (!list_and_grow(&l, &lists->index, &lists->index_capacity, &lists->index_used))
        return fail_lists(cells->count, err);
    lists->pairs = atomic_load(&l.pairs);
    return SP_OK;
}

void sp_lists_close(sp_lists *lists)
{
    if (lists->host) {
        sp_release(lists->host, lists->list);
        sp_release(lists->host, lists->index);
    }
    *lists = (sp_lists){0};
}

size_t sp_lists_bytes(const sp_lists *lists)
{
    return lists->capacity * sizeof *lists->list + lists->index_capacity * sizeof *lists->index;
}

/// ---- From one set to another ------------------------------------------------------------------

typedef struct counting_rows {
    const sp_cells *of, *among;
    uint32_t *rows; ///< one per task
} counting_rows;

static void count_rows(void *arg, size_t begin, size_t end)
{
    const counting_rows *c = arg;
    for (size_t task = begin; task < end; ++task) {
        const size_t first = task * CELLS,
                     last = first + CELLS < c->of->cells ? first + CELLS : c->of->cells;
        sp_around around;
        sp_around_from(&around, c->among, c->of->key[first]);
        c->rows[task] = 0;
        for (size_t cell = first; cell < last; ++cell) {
            sp_around_to(&around, c->among, c->of->key[cell]);
            if (around.total > 0) c->rows[task] += c->of->start[cell + 1] - c->of->start[cell];
        }
    }
}

sp_status sp_rows_make(sp_rows *rows, const sp_cells *of, const sp_cells *among, float reach,
                       sp_error *err)
{
    rows->count = rows->index_used = 0;
    rows->pairs = 0;
    if (of->count == 0 || among->count == 0) return SP_OK;
    const size_t tasks = (of->cells + CELLS - 1) / CELLS;
    uint32_t *first = of->sorter->key; // no longer needed after sorting
    sp_parallel(of->host, tasks, 4, count_rows, &(counting_rows){of, among, first});
    const size_t wanted = sp_scan(first, tasks);
    if (wanted > rows->capacity) {
        sp_release(rows->host, rows->row);
        rows->capacity = wanted + wanted / 8;
        rows->row = sp_allocate(rows->host, rows->capacity, sizeof *rows->row);
        if (!rows->row) rows->capacity = 0;
        if (!rows->row) return fail_lists(wanted, err);
    }
    listing l = {
        .of = of, .among = among, .limit = reach * reach, .row = rows->row, .first_row = first};
    if (wanted > 0 && !list_and_grow(&l, &rows->index, &rows->index_capacity, &rows->index_used))
        return fail_lists(wanted, err);
    rows->count = wanted;
    rows->pairs = wanted > 0 ? atomic_load(&l.pairs) : 0;
    return SP_OK;
}

void sp_rows_close(sp_rows *rows)
{
    if (rows->host) {
        sp_release(rows->host, rows->row);
        sp_release(rows->host, rows->index);
    }
    *rows = (sp_rows){0};
}

size_t sp_rows_from(const sp_rows *rows, size_t who)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rows->row[middle].who < who)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t sp_rows_bytes(const sp_rows *rows)
{
    return rows->capacity * sizeof *rows->row + rows->index_capacity * sizeof *rows->index;
}
