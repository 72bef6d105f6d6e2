// SPDX-License-Identifier: Apache-2.0
/// Particles by cell: keys, the table of all cells, and queries.
///
/// A table of all cells is filled by a stable counting sort. Few particles are sorted by one
/// thread. Many are divided into four blocks, whatever the number of threads. Each block counts its
/// own particles, and one pass over the cells turns the four counts into four places to write from,
/// so that blocks write in parallel and the order is that of the serial sort.
#include "particles/internal.h"

#include <string.h>

enum {
    CELL_BLOCKS = 4,
    CELL_GRAIN = 1 << 13, // particles per task when cells are found
    CELL_MANY = 1 << 15,  // particles; below it a second thread does not pay
};

sp_status sp_cells_open(sp_cells *cells, const sp_host *host, size_t cell_capacity,
                        size_t particle_capacity, sp_error *err)
{
    *cells = (sp_cells){.host = host,
                        .cell_capacity = cell_capacity ? cell_capacity : 1,
                        .particle_capacity = particle_capacity};
    const size_t starts = cells->cell_capacity + 1, particles = particle_capacity + SP_LANES;
    const size_t blocks = particle_capacity < CELL_MANY ? 0 : CELL_BLOCKS;
    const bool countable = starts < UINT32_MAX / CELL_BLOCKS && particles < UINT32_MAX;
    if (countable && (cells->start = sp_allocate(host, starts, sizeof *cells->start)) &&
        (cells->order = sp_allocate(host, particles, sizeof *cells->order)) &&
        (cells->cell = sp_allocate(host, particles, sizeof *cells->cell)) &&
        (cells->place = sp_allocate(host, blocks * starts, sizeof *cells->place)))
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

static size_t block_begin(const filling *f, size_t block)
{
    return f->n * block / CELL_BLOCKS;
}

static uint32_t *block_places(const sp_cells *cells, size_t block)
{
    return cells->place + block * (cells->cell_capacity + 1);
}

static void count_blocks(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    for (size_t b = begin; b < end; ++b) {
        uint32_t *restrict count = block_places(f->cells, b);
        const uint32_t *restrict cell = f->cells->cell;
        memset(count, 0, f->cells->cells * sizeof *count);
        for (size_t i = block_begin(f, b); i < block_begin(f, b + 1); ++i)
            ++count[cell[i]];
    }
}

static void place_blocks(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    for (size_t b = begin; b < end; ++b) {
        uint32_t *restrict place = block_places(f->cells, b), *restrict order = f->cells->order;
        const uint32_t *restrict cell = f->cells->cell;
        for (size_t i = block_begin(f, b); i < block_begin(f, b + 1); ++i)
            order[place[cell[i]]++] = (uint32_t)i;
    }
}

static void fill_blocks(filling *f, size_t cell_count)
{
    sp_cells *cells = f->cells;
    sp_parallel(cells->host, CELL_BLOCKS, 1, count_blocks, f);
    uint32_t at = 0;
    for (size_t c = 0; c < cell_count; ++c) {
        cells->start[c] = at;
        for (size_t b = 0; b < CELL_BLOCKS; ++b) {
            uint32_t *place = block_places(cells, b) + c;
            const uint32_t count = *place;
            *place = at;
            at += count;
        }
    }
    cells->start[cell_count] = at;
    sp_parallel(cells->host, CELL_BLOCKS, 1, place_blocks, f);
}

void sp_cells_fill(sp_cells *cells, size_t n, const float *x, const float *y, const float *z)
{
    SP_ASSERT(n <= cells->particle_capacity && cells->lattice.dims && !cells->key);
    const float *const position[3] = {x, y, z};
    filling f = {cells, n, position};
    const size_t cell_count = cells->cells = cells->layer * (size_t)cells->lattice.n[2];
    cells->count = n;
    sp_parallel(cells->host, n, CELL_GRAIN, find_cells, &f);
    // With more cells than particles most time goes into loops over cells, which every block
    // repeats.
    if (n < CELL_MANY || cell_count > n || cells->host->threads <= 1)
        fill_serially(cells, n, cell_count);
    else
        fill_blocks(&f, cell_count);
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
