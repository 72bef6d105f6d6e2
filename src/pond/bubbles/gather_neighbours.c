// SPDX-License-Identifier: Apache-2.0
/// Gathers neighbour candidates into blocks. Particles are sorted by cell. Targets are processed in
/// strips of neighbouring cells, and the candidates of a strip are copied into a block once for all
/// its targets. With strips of one cell the copy cost more than the sums.
#include "pond/bubbles/gather_neighbours.h"

#include <string.h>

static void pack_column(size_t n, const uint32_t *restrict member, const float *restrict from,
                        float *restrict to)
{
    for (size_t k = 0; k < n; ++k)
        to[k] = from[member[k]];
}

/// Column by column for as many particles as stay in L1.
void pond_pack(const pond_packing *p, size_t begin, size_t end)
{
    enum { SOME = 512 };
    for (size_t k = begin; k < end; k += SOME) {
        const size_t n = end - k < SOME ? end - k : SOME;
        for (int c = 0; c < p->columns; ++c)
            pack_column(n, p->member + k, p->from[c], p->sorted[c] + k);
        memcpy(p->index + k, p->member + k, n * sizeof *p->member);
    }
}

/// Cells [first, last] of row `row`, and their particles at sorted places [begin, end).
typedef struct strip {
    int32_t row, first, last;
    size_t begin, end;
} strip;

/// The next strip of a row that has particles, from column `from` on; false when there is none.
/// About eight targets share one gathering; 4 to 12 are equally fast.
static bool next_strip(const sp_cells *cells, int32_t row, int32_t from, strip *s)
{
    enum { ENOUGH = 8, WIDEST = 8 };
    const uint32_t *start = cells->start + (size_t)row * (size_t)cells->lattice.n[0];
    const int32_t n = cells->lattice.n[0];
    while (from < n && start[from] == start[from + 1])
        ++from;
    if (from == n) return false;
    int32_t last = from;
    while (last + 1 < n && last + 1 < from + WIDEST && start[last + 1] - start[from] < ENOUGH)
        ++last;
    *s = (strip){row, from, last, start[from], start[last + 1]};
    return true;
}

/// Copies n particles to place `at` of the block. It copies whole vectors of SP_LANES, because most
/// runs end within the first vector; source and block are padded by one vector. `columns` is a
/// constant wherever this is inlined, and the pointers are locals, so that they stay in registers.
SP_INLINE void copy_run(pond_block *block, float *const sorted[POND_COLUMNS], int columns,
                        size_t at, size_t begin, size_t n)
{
    float *to = block->column[0] + at;
    for (size_t k = 0; k < n; k += SP_LANES)
        for (int c = 0; c < columns; ++c)
            sp_f16_store(to + c * (POND_BLOCK + SP_LANES) + k, sp_f16_load(sorted[c] + begin + k));
}

SP_INLINE void use_block(const pond_gathering *g, pond_block *block, int columns, size_t count,
                         const strip *s)
{
    for (int c = 0; c < columns; ++c)
        sp_part_store(block->column[c] + count, sp_part_all(c < 3 ? 1e9f : 1.0f));
    block->count = count;
    g->sums(g->arg, block, s->begin, s->end);
}

/// Cells within reach of [low, high] along one axis. Rounding may add an unneeded cell but never
/// omits one: the margin of 1e-4 cells is larger than the rounding error.
SP_INLINE void near_cells(const pond_reach *from, int axis, float low, float high, int32_t *first,
                          int32_t *last)
{
    const float per_edge = from->per_edge, most = (float)(from->cells->lattice.n[axis] - 1);
    float a = (low - from->distance) * per_edge - 1e-4f,
          b = (high + from->distance) * per_edge + 1e-4f;
    a = a > 0.0f ? a : 0.0f;
    b = b < most ? b : most;
    *first = (int32_t)(a < most ? a : most);
    *last = (int32_t)(b > 0.0f ? b : 0.0f);
}

SP_INLINE void gather_strip(const pond_gathering *g, pond_block *block, int columns, const strip *s)
{
    const float edge = g->targets->lattice.edge, y0 = (float)s->row * edge, y1 = y0 + edge;
    const float x0 = (float)s->first * edge, x1 = (float)(s->last + 1) * edge;
    float *sorted[POND_COLUMNS];
    for (int c = 0; c < columns; ++c)
        sorted[c] = g->sorted[c];
    size_t count = 0;
    for (int f = 0; f < g->from_count; ++f) {
        const pond_reach *from = &g->from[f];
        int32_t i0, i1, j0, j1;
        near_cells(from, 0, x0, x1, &i0, &i1);
        near_cells(from, 1, y0, y1, &j0, &j1);
        const size_t row = (size_t)from->cells->lattice.n[0];
        const uint32_t *start = from->cells->start + (size_t)j0 * row;
        for (int32_t j = j0; j <= j1; ++j, start += row) {
            const size_t end = from->base + start[i1 + 1];
            for (size_t at = from->base + start[i0]; at < end;) {
                const size_t room = POND_BLOCK - count, n = end - at < room ? end - at : room;
                copy_run(block, sorted, columns, count, at, n);
                at += n;
                count += n;
                if (count < POND_BLOCK) continue;
                use_block(g, block, columns, count, s);
                count = 0;
            }
        }
    }
    if (count > 0) use_block(g, block, columns, count, s);
}

static void gather_rows(void *arg, size_t begin, size_t end)
{
    const pond_gathering *g = arg;
    pond_block block;
    for (size_t row = begin; row < end; ++row) {
        strip s = {.last = -1};
        while (next_strip(g->targets, (int32_t)row, s.last + 1, &s))
            switch (g->columns) { // constants, so that the copy loop unrolls
            case 3:
                gather_strip(g, &block, 3, &s);
                break;
            case 5:
                gather_strip(g, &block, 5, &s);
                break;
            case 8:
                gather_strip(g, &block, 8, &s);
                break;
            default:
                gather_strip(g, &block, POND_COLUMNS, &s);
                break;
            }
    }
}

void pond_gather(const sp_host *host, const pond_gathering *gathering)
{
    pond_gathering g = *gathering;
    for (int f = 0; f < g.from_count; ++f)
        g.from[f].per_edge = 1.0f / g.from[f].cells->lattice.edge;
    const size_t rows = (size_t)g.targets->lattice.n[1],
                 parts = 1 + g.targets->count / 2048; // targets a task
    sp_parallel(host, rows, (rows + parts - 1) / parts, gather_rows, &g);
}
