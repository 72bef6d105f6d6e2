// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_INTERNAL_H
#define SP_PARTICLES_INTERNAL_H

#include "particles/particles.h"

/// ---- Sorting keys (sort.c) --------------------------------------------------------------------

/// A stable sort of 32-bit keys that gives the same order for every number of threads.
typedef struct sp_sorter {
    const sp_host *host;
    size_t capacity;
    uint32_t *key;     ///< per particle; filled by the caller
    uint64_t *pair[2]; ///< key << 32 | particle; pair[1] is in order after sp_sorter_run
    bool borrowed;     ///< the caller owns the memory of the pairs
    uint32_t *count;   ///< per block: one count per bucket
    uint32_t *start;   ///< first place of each bucket
} sp_sorter;

/// Makes room for n keys. `lent` is memory of the caller for the pairs, 16 bytes per particle; the
/// sorter uses it until the caller has read the order. NULL: the sorter allocates. False: no
/// memory; the sorter is unchanged.
bool sp_sorter_reserve(sp_sorter *sorter, size_t n, void *lent);
void sp_sorter_close(sp_sorter *sorter);
void sp_sorter_run(sp_sorter *sorter, size_t n, uint32_t largest_key);
/// Permutes an array by the sorted order: the entry of pair k's particle moves to place k.
/// Overwrites the keys.
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

/// Sets the strides of the cells' keys, with `margin` empty cells around the box.
void sp_cells_lay(sp_cells *cells, uint64_t margin);
/// The key of the cell of particle i.
uint64_t sp_cells_key(const sp_cells *cells, const float *const position[3], size_t i);
/// The same for particles begin ... end - 1; keys must fit 32 bits.
void sp_cells_find_keys(const sp_cells *cells, const float *const position[3], size_t begin,
                        size_t end, uint32_t *keys);
/// First entry of the table whose key is not below `key`.
size_t sp_cells_find(const sp_cells *cells, uint64_t key);

#endif
