// SPDX-License-Identifier: Apache-2.0
/// Keeps large sets in the order of space. Particles are born all over the pond, so in order of age
/// neighbours lie far apart in memory: with 250,000 foam bubbles every access missed the cache.
/// From time to time a large set is put into the order of its cells, row by row. Between two such
/// sorts the order stays nearly right, because bubbles move a few cells and few are born.
///
/// When a set is sorted depends on the number of its particles and on the frame. The order of
/// particles is saved and hashed with the state, so it is the same after a resume.
#include "pond/internal.h"

enum {
    LARGE = 1 << 12, ///< particles; fewer stay in the order of their ids
    EVERY = 8,       ///< frames; the sets take turns
};

/// `scratch`: 8 bytes a particle.
static void sort_set(const sp_pond *pond, sp_particles *set, sp_cells *cells, const float *x,
                     const float *y, void *scratch)
{
    if (set->count < LARGE) return;
    pond_shape_cells(cells, &pond->water, pond->water.dx, set->count);
    sp_cells_fill(cells, set->count, x, y, NULL);
    sp_particles_reorder(set, cells->order, scratch);
}

/// What was drawn is valid until the next step, so its arrays serve as scratch.
void pond_keep_spatial_order(sp_pond *pond)
{
    const uint64_t turn = pond->frame % EVERY;
    if (turn == 0)
        sort_set(pond, &pond->bubbles.set, &pond->target_cells, pond->bubbles.px, pond->bubbles.py,
                 pond->bubble_instances);
    if (turn == 3)
        sort_set(pond, &pond->ghosts.set, &pond->sources.classes.cells[0], pond->ghosts.cx,
                 pond->ghosts.cy, pond->vortex_instances);
    if (turn == 6)
        sort_set(pond, &pond->foam.set, &pond->foam_cells, pond->foam.px, pond->foam.py,
                 pond->foam_instances);
}
