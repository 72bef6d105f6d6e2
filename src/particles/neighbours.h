// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_NEIGHBOURS_H
#define SP_PARTICLES_NEIGHBOURS_H

/// What neighbours.c (cells) and lists.c (lists) share.

#include "particles/internal.h"

struct sp_neighbours {
    const sp_host *host;
    int dims;
    float support; ///< m
    size_t count, capacity;
    sp_sorter sorter;
    /// Particles in cell order, padded by a vector: where they are and who they are.
    float *x, *y, *z;
    uint32_t *order;
    /// Cells that hold something, by ascending key. A key counts cells x fastest, with one empty
    /// cell around the box, so that key +- 1 and +- a row never meets the far side. One more entry
    /// ends the table: the largest key there is, starting at `count`.
    uint32_t *cell_key, *cell_start;
    size_t cells;
    uint32_t row, layer; ///< keys from one row to the next, and from one layer to the next
    sp_neighbour_list *list;
    uint32_t *index;
    size_t index_capacity, index_used;
    uint64_t pairs;
};

#endif
