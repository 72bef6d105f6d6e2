// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_BUBBLES_GATHER_NEIGHBOURS_H
#define SP_POND_BUBBLES_GATHER_NEIGHBOURS_H

/// Sums over near particles in whole vectors: who is near, side by side.

#include "particles/particles.h"

enum { POND_BLOCK = 512, POND_COLUMNS = 9, POND_CLASSES = 5 };

/// Up to POND_BLOCK candidates, column by column; 18 kB, so it stays in L1. The last part is filled up
/// with candidates that are too far away to count: their places (the first three columns) are 1e9,
/// everything else is 1 (0 would bring vortices near again: distances are times 1/a).
typedef struct pond_block {
    float column[POND_COLUMNS][POND_BLOCK + SP_LANES];
    size_t count;
} pond_block;

/// What to do with a block: add it to the targets at sorted places [begin, end).
typedef void pond_sums(void *arg, const pond_block *block, size_t begin, size_t end);

/// Where candidates come from: cells, where their particles begin in the sorted columns, and how far from
/// a target they can matter.
typedef struct pond_reach {
    const sp_cells *cells;
    size_t base;
    float distance; ///< m
    float per_edge; ///< 1/m; filled in by pond_gather()
} pond_reach;

typedef struct pond_gathering {
    const sp_cells *targets;
    pond_reach from[POND_CLASSES];
    int from_count;
    float *const *sorted; ///< columns, padded by a vector
    int columns;          ///< 3, 5, 8 or 9
    pond_sums *sums;
    void *arg;
} pond_gathering;

/// Calls sums for every target and everything within reach of it, in parallel over rows of cells.
void pond_gather(const sp_host *host, const pond_gathering *gathering);

#endif
