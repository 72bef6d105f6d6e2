// SPDX-License-Identifier: Apache-2.0
/// Sorts particles by cell and builds the table of cells with particles:
///
///     positions -> keys -sort-> pairs (key, particle) -> order[]
///                                                     -> key[], start[]
///
/// Blocks of pairs first count the cells that begin in them, so that the table has exactly the
/// right length and blocks write their parts in parallel.
///
/// Keys of very wide lattices have more bits than the sort handles. Such particles are sorted axis
/// by axis, x first, which gives the same order. Then cells are numbered in that order, and the
/// numbers serve as keys until the table is built.
#include "particles/internal.h"

enum {
    BLOCK = 1 << 13, // particles per block: their part of the tables fits the L2 cache
    CELLS = 512      // cells per task when sorting by id
};

sp_status sp_cells_open_sparse(sp_cells *cells, const sp_host *host, sp_error *err)
{
    *cells = (sp_cells){.host = host};
    cells->sorter = sp_allocate(host, 1, sizeof *cells->sorter);
    if (!cells->sorter) {
        *cells = (sp_cells){0};
        return sp_fail(err, SP_NO_MEMORY, "particles: no memory for cells");
    }
    cells->sorter->host = host;
    return SP_OK;
}

size_t sp_cells_bytes(const sp_cells *cells)
{
    return sp_sorter_bytes(cells->sorter) + cells->particle_capacity * sizeof *cells->order +
           cells->cell_capacity * (sizeof *cells->key + sizeof *cells->start) +
           cells->copy_capacity * (cells->copy[2] ? 3 : 2) * sizeof(float);
}

typedef struct sorting_in {
    sp_cells *cells;
    const float *const *position;
    const uint64_t *id;
    uint32_t *found; ///< cells that begin in each block, then where it writes them
    int axis;        ///< wide lattices: axis of the current sort
} sorting_in;

/// ---- Order ------------------------------------------------------------------------------------

static void find_keys(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    sp_cells_find_keys(s->cells, s->position, begin, end, s->cells->sorter->key);
}

static void find_keys_along(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const float *x = s->position[s->axis];
    for (size_t k = begin; k < end; ++k)
        s->cells->sorter->key[k] =
            (uint32_t)sp_lattice_at(&s->cells->lattice, s->axis, x[s->cells->order[k]]);
}

/// Sorts by each axis in turn, then numbers the cells.
static void sort_wide(sorting_in *s)
{
    sp_cells *cells = s->cells;
    sp_sorter *sorter = cells->sorter;
    for (size_t k = 0; k < cells->count; ++k)
        cells->order[k] = (uint32_t)k;
    for (s->axis = 0; s->axis < cells->lattice.dims; ++s->axis) {
        sp_parallel(cells->host, cells->count, BLOCK, find_keys_along, s);
        sp_sorter_run(sorter, cells->count, (uint32_t)cells->lattice.n[s->axis]);
        sp_sorter_apply(sorter, cells->count, cells->order);
    }
    uint64_t number = 0, before = 0;
    for (size_t k = 0; k < cells->count; ++k) {
        const uint64_t key = sp_cells_key(cells, s->position, cells->order[k]);
        number += key != before;
        before = key;
        sorter->pair[1][k] = number << 32 | cells->order[k];
    }
}

static uint64_t largest_key(const sp_cells *cells)
{
    const int32_t *n = cells->lattice.n;
    return cells->first + (uint64_t)(n[0] - 1) + (uint64_t)(n[1] - 1) * cells->row +
           (uint64_t)(n[2] - 1) * cells->layer;
}

/// ---- The table --------------------------------------------------------------------------------

/// Key of the pair before a block's first; 0, which is outside the box, if there is none.
static uint32_t key_before(const uint64_t *pair, size_t first)
{
    return first ? sp_pair_key(pair[first - 1]) : 0;
}

static void count_cells(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const uint64_t *restrict pair = s->cells->sorter->pair[1];
    for (size_t b = begin; b < end; ++b) {
        const size_t first = b * BLOCK, left = s->cells->count - first,
                     last = first + (left < BLOCK ? left : BLOCK);
        uint32_t before = key_before(pair, first), found = 0;
        for (size_t k = first; k < last; ++k) {
            const uint32_t key = sp_pair_key(pair[k]);
            found += key != before;
            before = key;
        }
        s->found[b] = found;
    }
}

static void write_cells(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    sp_cells *cells = s->cells;
    const uint64_t *restrict pair = cells->sorter->pair[1];
    for (size_t b = begin; b < end; ++b) {
        const size_t first = b * BLOCK, left = cells->count - first,
                     last = first + (left < BLOCK ? left : BLOCK);
        uint32_t before = key_before(pair, first);
        size_t cell = s->found[b];
        for (size_t k = first; k < last; ++k) {
            const uint32_t key = sp_pair_key(pair[k]);
            cells->order[k] = sp_pair_particle(pair[k]);
            if (key != before) {
                cells->key[cell] = key;
                cells->start[cell++] = (uint32_t)k;
            }
            before = key;
        }
    }
}

/// Insertion sort: a cell holds about eight particles. A cell with very many would take quadratic
/// time, but so do its lists.
static void order_by_id(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const sp_cells *cells = s->cells;
    for (size_t c = begin; c < end; ++c)
        for (size_t k = cells->start[c] + 1; k < cells->start[c + 1]; ++k) {
            const uint32_t particle = cells->order[k];
            const uint64_t id = s->id[particle];
            size_t to = k;
            for (; to > cells->start[c] && s->id[cells->order[to - 1]] > id; --to)
                cells->order[to] = cells->order[to - 1];
            cells->order[to] = particle;
        }
}

static bool reserve(sp_cells *cells, size_t n, void *lent)
{
    if (!sp_sorter_reserve(cells->sorter, n, lent)) return false;
    if (n + SP_LANES <= cells->particle_capacity)
        return true; // padding: names are read by whole vectors
    const size_t capacity = n + n / 16 + 2 * SP_LANES;
    if (!sp_regrow(cells->host, (void **)&cells->order, 0, capacity, sizeof *cells->order))
        return false;
    cells->particle_capacity = capacity;
    return true;
}

static bool reserve_cells(sp_cells *cells, size_t n)
{
    if (n < cells->cell_capacity) return true;
    const size_t capacity = n + n / 8 + 1;
    if (!sp_regrow(cells->host, (void **)&cells->key, 0, capacity, sizeof *cells->key) ||
        !sp_regrow(cells->host, (void **)&cells->start, 0, capacity, sizeof *cells->start))
        return false;
    cells->cell_capacity = capacity;
    return true;
}

static sp_status make_table(sorting_in *s, bool wide, sp_error *err)
{
    sp_cells *cells = s->cells;
    const size_t n = cells->count, blocks = (n + BLOCK - 1) / BLOCK;
    sp_parallel(cells->host, blocks, 1, count_cells, s);
    const size_t found = sp_scan(s->found, blocks);
    if (!reserve_cells(cells, found)) {
        cells->count = 0;
        return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu cells", found);
    }
    sp_parallel(cells->host, blocks, 1, write_cells, s);
    for (size_t c = 0; c < found && wide; ++c) // replace numbers by keys
        cells->key[c] = sp_cells_key(cells, s->position, cells->order[cells->start[c]]);
    cells->cells = found;
    cells->key[found] = UINT64_MAX;
    cells->start[found] = (uint32_t)n;
    if (s->id) sp_parallel(cells->host, found, CELLS, order_by_id, s);
    return SP_OK;
}

sp_status sp_cells_sort(sp_cells *cells, const sp_lattice *lattice, size_t n,
                        const float *const position[3], const uint64_t *id, void *lent,
                        sp_error *err)
{
    cells->count = cells->cells = 0;
    if (n >= INT32_MAX || !reserve(cells, n, lent))
        return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu particles", n);
    cells->lattice = *lattice;
    sp_cells_lay(cells, 1);
    cells->count = n;
    // The sorter's keys are no longer needed when blocks count their cells.
    sorting_in s = {cells, position, id, cells->sorter->key, 0};
    const uint64_t largest = largest_key(cells);
    if (largest > UINT32_MAX) {
        sort_wide(&s);
    } else {
        sp_parallel(cells->host, n, BLOCK, find_keys, &s);
        sp_sorter_run(cells->sorter, n, (uint32_t)largest);
    }
    return make_table(&s, largest > UINT32_MAX, err);
}

/// ---- Positions --------------------------------------------------------------------------------

static bool reserve_copies(sp_cells *cells, size_t n)
{
    if (n <= cells->copy_capacity && cells->copy[0]) return true;
    const size_t room = n + n / 8 + 2 * SP_LANES;
    cells->copy_capacity = 0;
    for (int a = 0; a < cells->lattice.dims; ++a)
        if (!sp_regrow(cells->host, (void **)&cells->copy[a], 0, room, sizeof(float))) return false;
    cells->copy_capacity = room - 2 * SP_LANES;
    return true;
}

static void copy_positions(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const uint32_t *order = s->cells->order;
    float *const *copy = s->cells->copy;
    const bool deep = s->cells->lattice.dims == 3;
    for (size_t k = begin; k < end; ++k) {
        copy[0][k] = s->position[0][order[k]];
        copy[1][k] = s->position[1][order[k]];
        if (deep) copy[2][k] = s->position[2][order[k]];
    }
}

sp_status sp_cells_copy_positions(sp_cells *cells, const float *const position[3], sp_error *err)
{
    if (!reserve_copies(cells, cells->count))
        return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu particles", cells->count);
    sp_parallel(cells->host, cells->count, BLOCK, copy_positions,
                &(sorting_in){.cells = cells, .position = position});
    cells->x = cells->copy[0], cells->y = cells->copy[1];
    cells->z = cells->lattice.dims == 3 ? cells->copy[2] : NULL;
    return SP_OK;
}
