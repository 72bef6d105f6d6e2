// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_GATHER_H
#define SP_POND_GATHER_H

/// Sums over near particles in whole vectors. Particles are sorted by cell into columns; targets
/// are taken in strips of neighbouring cells, and all candidates of a strip are copied side by side
/// into a block that stays in L1. A strip is as wide as it takes to share the copying among some
/// eight targets: with one cell at a time the copying cost more than the sums.

#include "core/core.h"
#include "particles/particles.h"

#include <string.h>

enum { POND_BLOCK = 512, POND_COLUMNS = 9 };

typedef struct pond_block {
    float column[POND_COLUMNS][POND_BLOCK + SP_LANES];
    size_t count;
} pond_block;

/// Copies as much of the run [begin, end) as there is room for, and says how much that was. Whole
/// vectors are copied: both sides are padded by one.
SP_INLINE size_t pond_block_add(pond_block *block, float *const *sorted, int columns, size_t begin,
                                size_t end)
{
    const size_t room = POND_BLOCK - block->count, left = end - begin,
                 n = left < room ? left : room;
    for (size_t k = 0; k < n; k += SP_LANES)
        for (int c = 0; c < columns; ++c)
            sp_f16_store(block->column[c] + block->count + k, sp_f16_load(sorted[c] + begin + k));
    block->count += n;
    return n;
}

/// Fills the last vector of a block with candidates that are too far away to count. The first three
/// columns are places, the others get zero.
SP_INLINE void pond_block_close(pond_block *block, int columns)
{
    for (int c = 0; c < columns; ++c)
        sp_f16_store(block->column[c] + block->count, sp_f16_all(c < 3 ? 1e9f : 0.0f));
}

/// Cells [first, last] of row `row`, and their particles: sorted places [begin, end).
typedef struct pond_strip {
    int32_t row, first, last;
    size_t begin, end;
} pond_strip;

/// The next strip of a row that holds anything, from column `from` on; false when there is none. It is as
/// wide as it takes to share the gathering among `enough` targets.
SP_INLINE bool pond_next_strip(const sp_cells *cells, int32_t row, int32_t from, uint32_t enough,
                               pond_strip *strip)
{
    enum { WIDEST = 8 };
    const uint32_t *start = cells->start + (size_t)row * (size_t)cells->n[0];
    const int32_t n = cells->n[0];
    while (from < n && start[from] == start[from + 1])
        ++from;
    if (from == n) return false;
    int32_t last = from;
    while (last + 1 < n && last + 1 < from + WIDEST && start[last + 1] - start[from] < enough)
        ++last;
    *strip = (pond_strip){row, from, last, start[from], start[last + 1]};
    return true;
}

#endif
