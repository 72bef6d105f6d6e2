// SPDX-License-Identifier: Apache-2.0
/// Particles in order of cells, and the table of cells that hold something:
///
///     positions -> keys -sort-> pairs (key, particle) -> order[]
///                                                     -> cell_key[], cell_start[]
///
/// Blocks of pairs first count the cells that begin in them, so that the table is no longer than
/// need be and blocks write their part of it side by side.
#include "particles/internal.h"

#include <string.h>

enum {
    BLOCK = 1 << 13, // particles a block: their share of the tables fits the second-level cache
    CELLS = 512      // cells that are put in order of ids in one go
};

sp_status sp_grid_open(sp_grid *grid, const sp_host *host, sp_error *err)
{
    *grid = (sp_grid){.host = host};
    grid->sorter = sp_allocate(host, 1, sizeof *grid->sorter);
    if (!grid->sorter) return sp_fail(err, SP_NO_MEMORY, "particles: no memory for a grid");
    grid->sorter->host = host;
    return SP_OK;
}

void sp_grid_close(sp_grid *grid)
{
    if (grid->host) {
        if (grid->sorter) sp_sorter_close(grid->sorter);
        sp_release(grid->host, grid->sorter);
        sp_release(grid->host, grid->order);
        sp_release(grid->host, grid->cell_key);
        sp_release(grid->host, grid->cell_start);
    }
    *grid = (sp_grid){0};
}

size_t sp_grid_bytes(const sp_grid *grid)
{
    return sp_sorter_bytes(grid->sorter) + grid->capacity * sizeof *grid->order +
           grid->cell_capacity * (sizeof *grid->cell_key + sizeof *grid->cell_start);
}

void sp_lattice_shape(sp_lattice *lattice, int dims, const float low[3], const float high[3],
                      float reach)
{
    *lattice = (sp_lattice){.box.cell_capacity = (size_t)1 << 31};
    sp_cells_shape(&lattice->box, dims, low, high, reach);
    lattice->row = (uint32_t)lattice->box.n[0] + 2;
    lattice->layer = lattice->row * ((uint32_t)lattice->box.n[1] + 2);
    lattice->last = lattice->layer * (dims == 2 ? 1 : (uint32_t)lattice->box.n[2] + 2) - 1;
}

typedef struct sorting_in {
    sp_grid *grid;
    const float *const *position;
    const uint64_t *id;
    uint32_t *found; ///< cells that begin in each block, then where it writes them
} sorting_in;

static uint32_t key_of(const sorting_in *s, size_t i)
{
    const sp_lattice *l = &s->grid->lattice;
    const uint32_t x = (uint32_t)sp_cells_at(&l->box, 0, s->position[0][i]) + 1;
    const uint32_t y = (uint32_t)sp_cells_at(&l->box, 1, s->position[1][i]) + 1;
    if (l->box.dims == 2) return y * l->row + x;
    return ((uint32_t)sp_cells_at(&l->box, 2, s->position[2][i]) + 1) * l->layer + y * l->row + x;
}

static void find_keys(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const sp_lattice *l = &s->grid->lattice;
    const int32_t row = (int32_t)l->row, layer = (int32_t)l->layer;
    size_t i = begin;
    for (; i + SP_LANES <= end; i += SP_LANES) {
        sp_i16 key = sp_cells_at16(&l->box, 0, s->position[0] + i) + 1;
        key += (sp_cells_at16(&l->box, 1, s->position[1] + i) + 1) * row;
        if (l->box.dims == 3) key += (sp_cells_at16(&l->box, 2, s->position[2] + i) + 1) * layer;
        memcpy(s->grid->sorter->key + i, &key, sizeof key);
    }
    for (; i < end; ++i)
        s->grid->sorter->key[i] = key_of(s, i);
}

/// Key of the pair before a block's first; key 0 is outside the box.
static uint32_t key_before(const uint64_t *pair, size_t first)
{
    return first ? sp_pair_key(pair[first - 1]) : 0;
}

static void count_cells(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const uint64_t *restrict pair = s->grid->sorter->pair[1];
    for (size_t b = begin; b < end; ++b) {
        const size_t first = b * BLOCK, left = s->grid->count - first,
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
    sp_grid *grid = s->grid;
    const uint64_t *restrict pair = grid->sorter->pair[1];
    for (size_t b = begin; b < end; ++b) {
        const size_t first = b * BLOCK, left = grid->count - first,
                     last = first + (left < BLOCK ? left : BLOCK);
        uint32_t before = key_before(pair, first);
        size_t cell = s->found[b];
        for (size_t k = first; k < last; ++k) {
            const uint32_t key = sp_pair_key(pair[k]);
            grid->order[k] = sp_pair_particle(pair[k]);
            if (key != before) {
                grid->cell_key[cell] = key;
                grid->cell_start[cell++] = (uint32_t)k;
            }
            before = key;
        }
    }
}

/// Insertion sort: a cell holds some eight particles. A cell that fills up beyond reason would take
/// squared time, but then its lists do as well.
static void order_by_id(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const sp_grid *grid = s->grid;
    for (size_t c = begin; c < end; ++c)
        for (size_t k = grid->cell_start[c] + 1; k < grid->cell_start[c + 1]; ++k) {
            const uint32_t particle = grid->order[k];
            const uint64_t id = s->id[particle];
            size_t to = k;
            for (; to > grid->cell_start[c] && s->id[grid->order[to - 1]] > id; --to)
                grid->order[to] = grid->order[to - 1];
            grid->order[to] = particle;
        }
}

static bool reserve(sp_grid *grid, size_t n, void *lent)
{
    if (!sp_sorter_reserve(grid->sorter, n, lent)) return false;
    if (n + SP_LANES <= grid->capacity) return true; // names are read by vectors, beyond the last
    const size_t capacity = n + n / 16 + 2 * SP_LANES;
    if (!sp_regrow(grid->host, (void **)&grid->order, 0, capacity, sizeof *grid->order))
        return false;
    grid->capacity = capacity;
    return true;
}

static bool reserve_cells(sp_grid *grid, size_t cells)
{
    if (cells < grid->cell_capacity) return true;
    const size_t capacity = cells + cells / 8 + 1;
    if (!sp_regrow(grid->host, (void **)&grid->cell_key, 0, capacity, sizeof *grid->cell_key) ||
        !sp_regrow(grid->host, (void **)&grid->cell_start, 0, capacity, sizeof *grid->cell_start))
        return false;
    grid->cell_capacity = capacity;
    return true;
}

sp_status sp_grid_sort(sp_grid *grid, const sp_lattice *lattice, size_t n,
                       const float *const position[3], const uint64_t *id, void *lent,
                       sp_error *err)
{
    grid->count = grid->cells = 0;
    if (n >= INT32_MAX || !reserve(grid, n, lent))
        return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu particles", n);
    grid->count = n;
    grid->lattice = *lattice;
    // The sorter's keys are free again by the time that blocks count their cells.
    sorting_in s = {grid, position, id, grid->sorter->key};
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    sp_parallel(grid->host, n, BLOCK, find_keys, &s);
    sp_sorter_run(grid->sorter, n, lattice->last);
    sp_parallel(grid->host, blocks, 1, count_cells, &s);
    const size_t cells = sp_scan(s.found, blocks);
    if (!reserve_cells(grid, cells)) {
        grid->count = 0;
        return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu cells", cells);
    }
    sp_parallel(grid->host, blocks, 1, write_cells, &s);
    grid->cells = cells;
    grid->cell_key[cells] = UINT32_MAX;
    grid->cell_start[cells] = (uint32_t)n;
    if (id) sp_parallel(grid->host, cells, CELLS, order_by_id, &s);
    return SP_OK;
}
