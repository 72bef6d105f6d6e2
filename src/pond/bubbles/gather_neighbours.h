// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_BUBBLES_GATHER_NEIGHBOURS_H
#define SP_POND_BUBBLES_GATHER_NEIGHBOURS_H

/// Neighbour sums in whole vectors: candidates are copied side by side into blocks.

#include "particles/particles.h"

enum { POND_BLOCK = 512, POND_COLUMNS = 9, POND_CLASSES = 5 };

/// Up to POND_BLOCK candidates, column by column; 18 kB, so it stays in L1. The last part is padded
/// with candidates that are out of range: their positions (the first three columns) are 1e9, the
/// other columns are 1. They are not 0, because vortices multiply distances by 1/a, and 0 would put
/// them in range.
typedef struct pond_block {
    float column[POND_COLUMNS][POND_BLOCK + SP_LANES];
    size_t count;
} pond_block;

/// Adds a block to the targets at sorted places [begin, end).
typedef void pond_sums(void *arg, const pond_block *block, size_t begin, size_t end);

/// A source of candidates: its cells, the place in the sorted columns where its particles begin,
/// and its range.
typedef struct pond_reach {
    const sp_cells *cells;
    size_t base;
    float distance; ///< m; range
    float per_edge; ///< 1/m; filled in by pond_gather()
} pond_reach;

typedef struct pond_gathering {
    const sp_cells *targets;
    pond_reach from[POND_CLASSES];
    int from_count;
    float *const *sorted; ///< columns, padded by one vector
    int columns;          ///< 3, 5, 8 or 9
    pond_sums *sums;
    void *arg;
} pond_gathering;

/// Copies particles into the order of the sums, so that a run of cells is contiguous in memory:
/// sorted[c][k] = from[c][member[k]].
typedef struct pond_packing {
    const uint32_t *member;
    const float *from[POND_COLUMNS];
    float *const *sorted;
    int columns;
    float *index; ///< receives member[k] itself
} pond_packing;
void pond_pack(const pond_packing *packing, size_t begin, size_t end);

/// Calls sums() for each target with all candidates in range, in parallel over rows of cells.
void pond_gather(const sp_host *host, const pond_gathering *gathering);

#endif
