// SPDX-License-Identifier: Apache-2.0
/// A stable counting sort of particles into the cells of a box.
///
/// Few particles are counted and placed by one thread. Many are cut into four blocks, whatever the
/// number of threads; each block counts for itself, and one pass over the cells turns the four
/// counts into four places to write from, so that blocks place their particles side by side and the
/// order is that of the serial sort.
#include "particles/particles.h"

#include <string.h>

enum {
    CELL_BLOCKS = 4,
    CELL_GRAIN = 1 << 13,     // particles whose cell is found in one go
    CELL_MANY = 1 << 15,      // particles from which on a second thread saves more than counts cost
    CELL_MOST_ALONG = 1 << 20 // cells along an axis, so that a float still tells neighbours apart
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
    }
    *cells = (sp_cells){0};
}

/// Cells along an axis of `length`; at least one.
static double cells_along(double length, double edge)
{
    const double n = ceil(length / edge);
    return n > 1.0 ? n : 1.0;
}

/// Whether cells of this edge fit; fills in how many there are along each axis.
static bool cells_fit(sp_cells *cells, const double length[3], double edge)
{
    double product = 1.0;
    for (int a = 0; a < 3; ++a) {
        const double n = cells_along(length[a], edge);
        if (n > (double)CELL_MOST_ALONG) return false;
        product *= n;
        cells->n[a] = (int32_t)n;
    }
    return product <= (double)cells->cell_capacity;
}

void sp_cells_shape(sp_cells *cells, int dims, const float low[3], const float high[3], float edge)
{
    SP_ASSERT((dims == 2 || dims == 3) && edge > 0.0f);
    cells->dims = dims;
    double length[3] = {0.0, 0.0, 0.0}, longest = 0.0;
    for (int a = 0; a < 3; ++a) {
        cells->low[a] = a < dims ? low[a] : 0.0f;
        if (a < dims) length[a] = (double)high[a] - (double)low[a];
        longest = length[a] > longest ? length[a] : longest;
    }
    // A cell coordinate is rounded twice, by up to 2^-24 of itself each time. Without this slack
    // two particles one edge apart could come to lie two cells apart.
    const double along = cells_along(longest, (double)edge);
    double wide =
        (double)edge * (1.0 + 0x1p-21 * (along < CELL_MOST_ALONG ? along : CELL_MOST_ALONG));
    while (!cells_fit(cells, length, wide))
        wide *= 1.03125; // a power would be quicker, but differs between libms
    cells->edge = (float)wide;
    cells->count = 0;
}

typedef struct filling {
    sp_cells *cells;
    size_t n;
    const float *x, *y, *z;
} filling;

static uint32_t cell_of(const filling *f, size_t i)
{
    const sp_cells *cells = f->cells;
    int32_t c = cells->dims == 3 ? sp_cells_at(cells, 2, f->z[i]) : 0;
    c = c * cells->n[1] + sp_cells_at(cells, 1, f->y[i]);
    return (uint32_t)(c * cells->n[0] + sp_cells_at(cells, 0, f->x[i]));
}

static void find_cells(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    const sp_cells *cells = f->cells;
    const bool deep = cells->dims == 3;
    size_t i = begin;
    for (; i + SP_LANES <= end; i += SP_LANES) {
        sp_i16 c = deep ? sp_cells_at16(cells, 2, f->z + i) : sp_i16_all(0);
        c = c * cells->n[1] + sp_cells_at16(cells, 1, f->y + i);
        c = c * cells->n[0] + sp_cells_at16(cells, 0, f->x + i);
        memcpy(cells->cell + i, &c, sizeof c);
    }
    for (; i < end; ++i)
        cells->cell[i] = cell_of(f, i);
}

static void fill_serially(sp_cells *cells, size_t n, size_t cell_count)
{
    uint32_t *restrict start = cells->start, *restrict order = cells->order;
    const uint32_t *restrict cell = cells->cell;
    // Counted one place to the right and started one place further: after the particles are placed,
    // each start has moved up to where the next cell begins, which is where it belongs.
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

static size_t cell_count_of(const sp_cells *cells)
{
    return (size_t)cells->n[0] * (size_t)cells->n[1] * (size_t)cells->n[2];
}

static void count_blocks(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    for (size_t b = begin; b < end; ++b) {
        uint32_t *restrict count = block_places(f->cells, b);
        const uint32_t *restrict cell = f->cells->cell;
        memset(count, 0, cell_count_of(f->cells) * sizeof *count);
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
    SP_ASSERT(n <= cells->particle_capacity && cells->dims);
    filling f = {cells, n, x, y, z};
    const size_t cell_count = cell_count_of(cells);
    cells->count = n;
    sp_parallel(cells->host, n, CELL_GRAIN, find_cells, &f);
    // With more cells than particles the sort is all about walking the cells, which blocks only
    // repeat.
    if (n < CELL_MANY || cell_count > n || cells->host->threads <= 1)
        fill_serially(cells, n, cell_count);
    else
        fill_blocks(&f, cell_count);
}
