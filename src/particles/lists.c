// SPDX-License-Identifier: Apache-2.0
/// Neighbour search, second half: one list a particle.
///
/// All particles of a cell share their candidates: the particles of the 27 (2D: 9) cells around.
/// Three cells in a row along x are one run of the sorted particles, so the candidates are nine
/// runs, which are copied side by side once a cell and then tested sixteen at a time for each
/// particle of the cell:
///
///     run 0  ..[ x-1 | x | x+1 ]..  ┐
///     run 1  ..[ x-1 | x | x+1 ]..  ├─▶ x[] y[] z[] index[] ─test─▶ mask ─compress─▶ list
///      ...                          ┘
///
/// Where the runs begin is found without a hash and without a table of the whole box: cells are
/// walked by ascending key, so each of the nine runs only ever moves forward.
#include "particles/neighbours.h"

#include <stdatomic.h>
#include <string.h>

enum {
    CELLS = 256,        // cells a task
    GATHERED = 2048,    // candidates that are copied side by side; more are tested where they lie
    CHUNK = 1 << 13,    // entries of `index` that a task takes at a time
    LISTS_A_CHUNK = 16, // at least: what is left over at the end of a chunk is then little
    RUNS = 9,
    AHEAD = 16, // particles: how early a list's entry is fetched, which lies anywhere
};

typedef struct listing {
    sp_neighbours *nb;
    atomic_size_t used; ///< entries of `index` taken, or that would have been taken
    atomic_size_t pairs;
} listing;

/// Candidates in a row: copies side by side, or the sorted particles themselves.
typedef struct candidates {
    const float *x, *y, *z;
    const uint32_t *index;
} candidates;

typedef struct run {
    uint32_t begin, end; ///< sorted particles
} run;

/// One task's view of the cells around the one it is at.
typedef struct walk {
    size_t cursor[RUNS];  ///< first cell that may be in the run
    uint32_t shift[RUNS]; ///< key of the run's middle cell, less the key of the cell it is around
    int runs;
    run run[RUNS];
    size_t total;
} walk;

/// First cell whose key is not below `key`.
static size_t find_cell(const sp_neighbours *nb, uint32_t key)
{
    size_t low = 0, high = nb->cells;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (nb->cell_key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void walk_from(walk *w, const sp_neighbours *nb, size_t cell)
{
    const int layers = nb->dims == 3 ? 1 : 0;
    w->runs = 0;
    for (int dz = -layers; dz <= layers; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
            const uint32_t shift = (uint32_t)dz * nb->layer + (uint32_t)dy * nb->row;
            w->shift[w->runs] = shift;
            w->cursor[w->runs] = find_cell(nb, nb->cell_key[cell] + shift - 1);
            ++w->runs;
        }
}

/// Finds the runs around the cell with this key, which is not below the last one asked for.
static void walk_to(walk *w, const sp_neighbours *nb, uint32_t key)
{
    w->total = 0;
    for (int r = 0; r < w->runs; ++r) {
        const uint32_t first = key + w->shift[r] - 1;
        size_t c = w->cursor[r];
        while (nb->cell_key[c] < first)
            ++c;
        w->cursor[r] = c;
        w->run[r].begin = nb->cell_start[c];
        while (nb->cell_key[c] <= first + 2)
            ++c;
        w->run[r].end = nb->cell_start[c];
        w->total += w->run[r].end - w->run[r].begin;
    }
}

typedef struct gathered {
    float x[GATHERED + SP_LANES], y[GATHERED + SP_LANES], z[GATHERED + SP_LANES];
    uint32_t index[GATHERED + SP_LANES];
} gathered;

/// Copies the runs side by side, whole vectors at a time: what is copied too much at the end of a
/// run is overwritten by the next.
static void gather_runs(const walk *w, const sp_neighbours *nb, gathered *g)
{
    size_t to = 0;
    for (int r = 0; r < w->runs; ++r) {
        const size_t begin = w->run[r].begin, n = w->run[r].end - begin;
        for (size_t k = 0; k < n; k += SP_LANES) {
            memcpy(g->x + to + k, nb->x + begin + k, sizeof(sp_f16));
            memcpy(g->y + to + k, nb->y + begin + k, sizeof(sp_f16));
            if (nb->z) memcpy(g->z + to + k, nb->z + begin + k, sizeof(sp_f16));
            memcpy(g->index + to + k, nb->order + begin + k, sizeof(sp_i16));
        }
        to += n;
    }
    sp_f16_store(g->x + to, sp_f16_all(INFINITY)); // far from everything
}

typedef struct query {
    float x, y, z, limit; ///< m, m^2
    size_t self;          ///< which candidate is the particle itself; none when it is not below n
} query;

/// Appends to a list those of n candidates that are near; returns how many. Six tenths of a build are
/// spent here, a third of that on storing. On Zen 4 none of these was faster: two particles a pass,
/// storing half a vector where that suffices, lists staged in the cache, cells thinner along x, a mask
/// without branches, hiding the particle from itself among the copies (the load waits for the store).
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

/// Where a task writes its lists: a chunk of `index`, and then another.
typedef struct writer {
    listing *l;
    size_t at, end;
    bool full; ///< `index` is too short: lists are counted but not kept
    uint32_t sink[GATHERED + 2 * SP_LANES]; ///< where they go then
} writer;

/// Makes sure that a list with so many candidates can be written, with a vector beyond its end.
static void make_room(writer *w, size_t total)
{
    const size_t need = total + 2 * SP_LANES;
    if (w->end - w->at >= need) return;
    const size_t size = sp_pad16(LISTS_A_CHUNK * need > CHUNK ? LISTS_A_CHUNK * need : CHUNK);
    w->at = atomic_fetch_add_explicit(&w->l->used, size, memory_order_relaxed);
    w->end = w->at + size;
    w->full = w->end > w->l->nb->index_capacity;
}

/// The list of one particle, by runs of sorted particles or from candidates side by side.
typedef struct surroundings {
    const walk *walk;
    const gathered *gathered; ///< NULL when there are too many candidates
    size_t middle;            ///< where the middle run begins among the gathered
} surroundings;

SP_INLINE size_t list_gathered(const surroundings *s, query q, size_t k, uint32_t *out, bool deep)
{
    const gathered *g = s->gathered;
    q.self = s->middle + (k - s->walk->run[s->walk->runs / 2].begin);
    return take_near(&(candidates){g->x, g->y, g->z, g->index}, s->walk->total, &q, out, deep);
}

/// In pieces that fit the writer's sink.
SP_INLINE size_t list_runs(const sp_neighbours *nb, const walk *around, query q, size_t k,
                           uint32_t *out, bool keep, bool deep)
{
    size_t count = 0;
    for (int r = 0; r < around->runs; ++r)
        for (size_t at = around->run[r].begin; at < around->run[r].end; at += GATHERED) {
            const size_t left = around->run[r].end - at, n = left < GATHERED ? left : GATHERED;
            const candidates c = {nb->x + at, nb->y + at, deep ? nb->z + at : NULL, nb->order + at};
            q.self = k - at;
            count += take_near(&c, n, &q, keep ? out + count : out, deep);
        }
    return count;
}

SP_INLINE size_t list_cell(const sp_neighbours *nb, size_t cell, const surroundings *s, writer *w,
                           bool deep)
{
    size_t pairs = 0;
    for (size_t k = nb->cell_start[cell]; k < nb->cell_start[cell + 1]; ++k) {
        make_room(w, s->walk->total);
        __builtin_prefetch(nb->list + nb->order[k + AHEAD], 1);
        uint32_t *out = w->full ? w->sink : nb->index + w->at;
        const query q = {.x = nb->x[k],
                         .y = nb->y[k],
                         .z = deep ? nb->z[k] : 0.0f,
                         .limit = nb->support * nb->support};
        const size_t count = s->gathered ? list_gathered(s, q, k, out, deep)
                                         : list_runs(nb, s->walk, q, k, out, !w->full, deep);
        // Sixteen indices that exist follow each list.
        if (!w->full) memset(out + count, 0, SP_LANES * sizeof *out);
        nb->list[nb->order[k]] = (sp_neighbour_list){(uint32_t)w->at, (uint32_t)count};
        w->at += count;
        pairs += count;
    }
    return pairs;
}

SP_INLINE void list_task(listing *l, size_t begin, size_t end, bool deep)
{
    const sp_neighbours *nb = l->nb;
    writer out = {.l = l};
    gathered g;
    walk around;
    size_t pairs = 0;
    walk_from(&around, nb, begin);
    for (size_t cell = begin; cell < end; ++cell) {
        walk_to(&around, nb, nb->cell_key[cell]);
        surroundings s = {.walk = &around};
        if (around.total <= GATHERED) {
            gather_runs(&around, nb, &g);
            s.gathered = &g;
            for (int r = 0; r < around.runs / 2; ++r)
                s.middle += around.run[r].end - around.run[r].begin;
        }
        pairs += list_cell(nb, cell, &s, &out, deep);
    }
    atomic_fetch_add_explicit(&l->pairs, pairs, memory_order_relaxed);
}

static void list_flat(void *arg, size_t begin, size_t end)
{
    list_task(arg, begin, end, false);
}

static void list_deep(void *arg, size_t begin, size_t end)
{
    list_task(arg, begin, end, true);
}

static void list_all(listing *l)
{
    atomic_init(&l->used, 0);
    atomic_init(&l->pairs, 0);
    sp_parallel(l->nb->host, l->nb->cells, CELLS, l->nb->dims == 2 ? list_flat : list_deep, l);
}

sp_status sp_neighbours_lists(sp_neighbours *nb, sp_error *err)
{
    listing l = {.nb = nb};
    list_all(&l);
    const size_t used = atomic_load(&l.used);
    if (used > nb->index_capacity) {
        const size_t wanted = used + used / 8;
        sp_release(nb->host, nb->index);
        nb->index = NULL;
        nb->index_capacity = 0;
        if (wanted < UINT32_MAX) nb->index = sp_allocate(nb->host, wanted, sizeof *nb->index);
        if (!nb->index) {
            const size_t n = nb->count;
            nb->count = 0;
            return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu entries of %zu lists",
                           wanted, n);
        }
        nb->index_capacity = wanted;
        list_all(&l);
    }
    nb->index_used = used;
    nb->pairs = atomic_load(&l.pairs);
    return SP_OK;
}
