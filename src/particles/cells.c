// SPDX-License-Identifier: Apache-2.0
/// Particles by cell: keys, the table of all cells, and queries.
///
/// A table of all cells is filled by a stable counting sort. Few particles, and any number on one
/// thread, are sorted in one pass. Many are sorted in two levels:
///
///   cell[]   --blocks of particles, in parallel: into up to 64 ranges of cells-->   pair[]
///   pair[]   --each range, in parallel: counting sort by cell-->                    order[]
///
/// Each block counts its particles of each range; a scan over (range, block) gives each block its
/// places to write. The order is that of the serial sort. A count of every cell in every block
/// would cost more than the sort: there are often more cells than particles.
#include "particles/internal.h"

#include <string.h>

enum {
    CELL_BLOCK = 1 << 12, // particles a block, at least
    CELL_BLOCKS = 64,
    CELL_RANGES = 64,
    CELL_MANY = 1 << 13, // particles; below it a second thread does not pay
};

sp_status sp_cells_open(sp_cells *cells, const sp_host *host, size_t cell_capacity,
                        size_t particle_capacity, sp_error *err)
{
    *cells = (sp_cells){.host = host,
                        .cell_capacity = cell_capacity ? cell_capacity : 1,
                        .particle_capacity = particle_capacity};
    const size_t starts = cells->cell_capacity + 1, particles = particle_capacity + SP_LANES;
    const bool many = particle_capacity >= CELL_MANY;
    const size_t pairs = many ? particle_capacity : 0,
                 counts = many ? CELL_BLOCKS * CELL_RANGES : 0;
    const bool countable = starts < UINT32_MAX && particles < UINT32_MAX;
    if (countable && (cells->start = sp_allocate(host, starts, sizeof *cells->start)) &&
        (cells->order = sp_allocate(host, particles, sizeof *cells->order)) &&
        (cells->cell = sp_allocate(host, particles, sizeof *cells->cell)) &&
        (cells->pair = sp_allocate(host, pairs, sizeof *cells->pair)) &&
        (cells->place = sp_allocate(host, counts, sizeof *cells->place)))
        return SP_OK;
    sp_cells_close(cells);
    return sp_fail(err, SP_NO_MEMORY, "particles: no memory for %zu cells and %zu particles",
                   cell_capacity, particle_capacity);
}

void sp_cells_close(sp_cells *cells)
{
    if (cells->host) {
        sp_release(cells->host, cells->start);
        sp_release(cells->host, cells->order);
        sp_release(cells->host, cells->cell);
        sp_release(cells->host, cells->pair);
        sp_release(cells->host, cells->place);
        sp_release(cells->host, cells->key);
        for (int a = 0; a < 3; ++a)
            sp_release(cells->host, cells->copy[a]);
        if (cells->sorter) sp_sorter_close(cells->sorter);
        sp_release(cells->host, cells->sorter);
    }
    *cells = (sp_cells){0};
}

/// `margin`: empty cells around the box, so that a neighbour's key never wraps to the opposite
/// side.
void sp_cells_lay(sp_cells *cells, uint64_t margin)
{
    const sp_lattice *l = &cells->lattice;
    cells->row = (uint64_t)l->n[0] + 2 * margin;
    cells->layer = cells->row * ((uint64_t)l->n[1] + 2 * margin);
    cells->first = margin * (1 + cells->row + (l->dims == 3 ? cells->layer : 0));
    cells->count = 0;
}

void sp_cells_shape(sp_cells *cells, int dims, const float low[3], const float high[3], float edge)
{
    sp_lattice_shape(&cells->lattice, dims, low, high, edge, cells->cell_capacity);
    sp_cells_lay(cells, 0);
}

/// ---- Keys -------------------------------------------------------------------------------------

uint64_t sp_cells_key(const sp_cells *cells, const float *const position[3], size_t i)
{
    const sp_lattice *l = &cells->lattice;
    uint64_t key = cells->first + (uint64_t)sp_lattice_at(l, 0, position[0][i]);
    key += (uint64_t)sp_lattice_at(l, 1, position[1][i]) * cells->row;
    return l->dims == 2 ? key : key + (uint64_t)sp_lattice_at(l, 2, position[2][i]) * cells->layer;
}

void sp_cells_find_keys(const sp_cells *cells, const float *const position[3], size_t begin,
                        size_t end, uint32_t *keys)
{
    const sp_lattice *l = &cells->lattice;
    const int32_t row = (int32_t)cells->row, layer = (int32_t)cells->layer;
    const sp_i16 first = sp_i16_all((int32_t)cells->first);
    size_t i = begin;
    for (; i + SP_LANES <= end && l->anchored == 0.0; i += SP_LANES) {
        sp_i16 key = first + sp_lattice_at16(l, 0, position[0] + i);
        key += sp_lattice_at16(l, 1, position[1] + i) * row;
        if (l->dims == 3) key += sp_lattice_at16(l, 2, position[2] + i) * layer;
        memcpy(keys + i, &key, sizeof key);
    }
    for (; i < end; ++i)
        keys[i] = (uint32_t)sp_cells_key(cells, position, i);
}

/// ---- All cells --------------------------------------------------------------------------------

typedef struct filling {
    sp_cells *cells;
    size_t n;
    const float *const *position;
    size_t block;                    ///< particles a block
    int shift;                       ///< range of cell c: c >> shift
    size_t ranges;                   ///< no more than CELL_RANGES
    uint32_t first[CELL_RANGES + 1]; ///< first place of each range
} filling;

static void find_cells(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    sp_cells_find_keys(f->cells, f->position, begin, end, f->cells->cell);
}

static void fill_serially(sp_cells *cells, size_t n, size_t cell_count)
{
    uint32_t *restrict start = cells->start, *restrict order = cells->order;
    const uint32_t *restrict cell = cells->cell;
    // Counts are stored one place to the right. Placing the particles advances each start to where
    // the next cell begins, which is its final value.
    memset(start, 0, (cell_count + 1) * sizeof *start);
    for (size_t i = 0; i < n; ++i)
        ++start[cell[i] + 1];
    uint32_t before = 0;
    for (size_t c = 1; c <= cell_count; ++c) {
        const uint32_t count = start[c];
        start[c] = before;
        before += count;
    }
    for (size_t i = 0; i < n; ++i)
        order[start[cell[i] + 1]++] = (uint32_t)i;
}

static uint32_t *block_places(const sp_cells *cells, size_t block)
{
    return cells->place + block * CELL_RANGES;
}

static void count_blocks(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    for (size_t b = begin; b < end; ++b) {
        uint32_t *restrict count = block_places(f->cells, b);
        const uint32_t *restrict cell = f->cells->cell;
        const size_t last = (b + 1) * f->block < f->n ? (b + 1) * f->block : f->n;
        memset(count, 0, CELL_RANGES * sizeof *count);
        for (size_t i = b * f->block; i < last; ++i)
            ++count[cell[i] >> f->shift];
    }
}

/// Turns the counts into the places where each block writes to each range.
static void place_ranges(filling *f, size_t blocks)
{
    uint32_t at = 0;
    for (size_t r = 0; r < f->ranges; ++r) {
        f->first[r] = at;
        for (size_t b = 0; b < blocks; ++b) {
            uint32_t *place = block_places(f->cells, b) + r;
            const uint32_t count = *place;
            *place = at;
            at += count;
        }
    }
    f->first[f->ranges] = at;
}

static void scatter_blocks(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    for (size_t b = begin; b < end; ++b) {
        uint32_t *restrict place = block_places(f->cells, b);
        const uint32_t *restrict cell = f->cells->cell;
        uint64_t *restrict pair = f->cells->pair;
        const size_t last = (b + 1) * f->block < f->n ? (b + 1) * f->block : f->n;
        for (size_t i = b * f->block; i < last; ++i)
            pair[place[cell[i] >> f->shift]++] = (uint64_t)cell[i] << 32 | i;
    }
}

/// The counting sort of one range of cells.
static void sort_range(const filling *f, size_t range)
{
    const size_t first = range << f->shift, after = (range + 1) << f->shift,
                 last = after < f->cells->cells ? after : f->cells->cells;
    const uint64_t *restrict pair = f->cells->pair;
    uint32_t *restrict start = f->cells->start, *restrict order = f->cells->order;
    const uint32_t from = f->first[range], to = f->first[range + 1];
    memset(start + first, 0, (last - first) * sizeof *start);
    for (uint32_t k = from; k < to; ++k)
        ++start[sp_pair_key(pair[k])];
    uint32_t at = from;
    for (size_t c = first; c < last; ++c) {
        const uint32_t count = start[c];
        start[c] = at;
        at += count;
    }
    for (uint32_t k = from; k < to; ++k)
        order[start[sp_pair_key(pair[k])]++] = sp_pair_particle(pair[k]);
    // Placing advanced each start to where the next cell begins.
    memmove(start + first + 1, start + first, (last - first - 1) * sizeof *start);
    start[first] = from;
}

static void sort_ranges(void *arg, size_t begin, size_t end)
{
    for (size_t range = begin; range < end; ++range)
        sort_range(arg, range);
}

static void fill_in_two_levels(filling *f)
{
    sp_cells *cells = f->cells;
    while ((cells->cells - 1) >> f->shift >= CELL_RANGES)
        ++f->shift;
    f->ranges = ((cells->cells - 1) >> f->shift) + 1;
    f->block = f->n > (size_t)CELL_BLOCK * CELL_BLOCKS ? (f->n + CELL_BLOCKS - 1) / CELL_BLOCKS
                                                       : CELL_BLOCK;
    const size_t blocks = (f->n + f->block - 1) / f->block;
    sp_parallel(cells->host, blocks, 1, count_blocks, f);
    place_ranges(f, blocks);
    sp_parallel(cells->host, blocks, 1, scatter_blocks, f);
    sp_parallel(cells->host, f->ranges, 1, sort_ranges, f);
    cells->start[cells->cells] = (uint32_t)f->n;
}

void sp_cells_fill(sp_cells *cells, size_t n, const float *x, const float *y, const float *z)
{
    SP_ASSERT(n <= cells->particle_capacity && cells->lattice.dims && !cells->key);
    const float *const position[3] = {x, y, z};
    filling f = {.cells = cells, .n = n, .position = position};
    cells->cells = cells->layer * (size_t)cells->lattice.n[2];
    cells->count = n;
    sp_parallel(cells->host, n, CELL_BLOCK, find_cells, &f);
    if (n < CELL_MANY || cells->host->threads <= 1)
        fill_serially(cells, n, cells->cells);
    else
        fill_in_two_levels(&f);
}

/// ---- Queries ----------------------------------------------------------------------------------

size_t sp_cells_find(const sp_cells *cells, uint64_t key)
{
    size_t low = 0, high = cells->cells;
    if (!cells->key) return (size_t)key;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cells->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sp_cell_run sp_cells_run(const sp_cells *cells, int32_t first, int32_t last, int32_t j, int32_t k)
{
    const int32_t *n = cells->lattice.n;
    if (first < 0) first = 0;
    if (last >= n[0]) last = n[0] - 1;
    if (first > last || j < 0 || j >= n[1] || k < 0 || k >= n[2] || cells->count == 0)
        return (sp_cell_run){0, 0};
    const uint64_t row = cells->first + (uint64_t)j * cells->row + (uint64_t)k * cells->layer;
    return (sp_cell_run){cells->start[sp_cells_find(cells, row + (uint64_t)first)],
                         cells->start[sp_cells_find(cells, row + (uint64_t)last + 1)]};
}
