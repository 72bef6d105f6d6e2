// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_INTERNAL_H
#define SP_PARTICLES_INTERNAL_H

#include "particles/particles.h"

/// ---- Sorting keys (sort.c) --------------------------------------------------------------------

/// A stable sort of 32-bit keys that gives the same order for every number of threads.
typedef struct sp_sorter {
    const sp_host *host;
    size_t capacity;
    uint32_t *key;     ///< one a particle; the caller fills these in
    uint64_t *pair[2]; ///< key << 32 | particle; pair[1] is in order after sp_sorter_run
    bool borrowed;     ///< the pairs are someone else's memory
    uint32_t *count;   ///< a row of buckets a block
    uint32_t *start;   ///< first place of each bucket
} sp_sorter;

/// Room for n keys. Pairs may live in memory that the caller lends until the order was taken over:
/// 16 bytes a particle; NULL: the sorter has its own. False: no memory, and it is as it was.
bool sp_sorter_reserve(sp_sorter *sorter, size_t n, void *lent);
void sp_sorter_close(sp_sorter *sorter);
void sp_sorter_run(sp_sorter *sorter, size_t n, uint32_t largest_key);
/// Rearranges an order by the one that was found: what stood at pair k's particle comes to k. The
/// keys are lost.
void sp_sorter_apply(sp_sorter *sorter, size_t n, uint32_t *order);
size_t sp_sorter_bytes(const sp_sorter *sorter);

/// The particle of a sorted pair, and its key.
static inline uint32_t sp_pair_particle(uint64_t pair)
{
    return (uint32_t)pair;
}
static inline uint32_t sp_pair_key(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

/// ---- Keys of cells (cells.c) ------------------------------------------------------------------

/// Lays out the keys of the cells' lattice, with so many empty cells around the box.
void sp_cells_lay(sp_cells *cells, uint64_t margin);
/// The key of the cell that particle i lies in.
uint64_t sp_cells_key(const sp_cells *cells, const float *const position[3], size_t i);
/// The same for particles begin ... end - 1, where keys fit 32 bits.
void sp_cells_find_keys(const sp_cells *cells, const float *const position[3], size_t begin,
                        size_t end, uint32_t *keys);
/// First entry of the table whose key is not below `key`.
size_t sp_cells_find(const sp_cells *cells, uint64_t key);

#endif
