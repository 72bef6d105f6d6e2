// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_H
#define SP_PARTICLES_H

/// Particle sets as structures of arrays, sorting, and neighbour search.

#include "core/core.h"

#include <spume/frame.h>

/// ---- Sets (set.c) ----------------------------------------------------------------------------

enum { SP_MAX_COLUMNS = 32 };

/// What a set is made of: one array of `kind` a column, one value a particle ("px", "vol", "id"...).
typedef struct sp_column_def {
    const char *name; ///< must outlive the set
    sp_kind kind;
} sp_column_def;

/// Particles in columns of equal length, each 64-byte aligned and padded to whole vectors of 16 (what
/// lies beyond `count` is there to be read but means nothing). Order is never lost: removal keeps it.
typedef struct sp_particles {
    const sp_host *host;
    size_t count, capacity;
    int column_count;
    sp_column_def def[SP_MAX_COLUMNS];
    void *data[SP_MAX_COLUMNS]; ///< owned
} sp_particles;

/// A zeroed set is safe to close. On failure nothing is left allocated.
sp_status sp_particles_open(sp_particles *set, const sp_host *host, const sp_column_def *columns,
                            int column_count, size_t capacity, sp_error *err);
void sp_particles_close(sp_particles *set);
/// Makes room for at least `capacity` in all, growing geometrically; arrays may move. On failure the set
/// is as it was.
sp_status sp_particles_reserve(sp_particles *set, size_t capacity, sp_error *err);
/// Adds n zeroed particles at the end and returns the index of the first. Room must have been reserved.
size_t sp_particles_append(sp_particles *set, size_t n);
/// Removes every particle i with gone[i] != 0 and closes the gaps, keeping the order.
void sp_particles_remove(sp_particles *set, const uint8_t *gone);
/// Rearranges: particle order[k] comes to place k. `scratch` must hold 8 bytes a particle.
void sp_particles_reorder(sp_particles *set, const uint32_t *order, void *scratch);
void *sp_particles_data(const sp_particles *set, const char *name); ///< NULL when unknown
bool sp_particles_is_valid(const sp_particles *set);

/// ---- Cells (cells.c) --------------------------------------------------------------------------

/// A box cut into equal cells, and which particles lie in each: a stable counting sort, x fastest, so
/// cells that follow each other along x are one run of `order`. Particles outside the box count to
/// the nearest cell. Used where the domain is bounded and small against the particle count.
typedef struct sp_cells {
    const sp_host *host;
    int dims;           ///< 2 (z is ignored) or 3
    float low[3], edge; ///< m
    int32_t n[3];       ///< cells along each axis; n[2] = 1 in 2D
    size_t cell_capacity, particle_capacity, count;
    uint32_t *start; ///< n[0]*n[1]*n[2] + 1 entries: cell c holds order[start[c]] ... order[start[c+1]-1]
    uint32_t *order; ///< particle index at each sorted place
    uint32_t *cell;  ///< cell of each particle
    uint32_t *place; ///< where blocks of particles are written to, while filling; internal
} sp_cells;

sp_status sp_cells_open(sp_cells *cells, const sp_host *host, size_t cell_capacity,
                        size_t particle_capacity, sp_error *err);
void sp_cells_close(sp_cells *cells);
/// Sets the box and the wanted edge. The edge is enlarged where the cells would not fit the capacity, so
/// a neighbour within the wanted edge is always in one of the 3^dims cells around.
void sp_cells_shape(sp_cells *cells, int dims, const float low[3], const float high[3], float edge);
/// Sorts n particles (n <= particle_capacity). No allocation. z may be NULL in 2D.
void sp_cells_fill(sp_cells *cells, size_t n, const float *x, const float *y, const float *z);
/// The cell coordinate of a position along one axis, clamped into the box.
static inline int32_t sp_cells_at(const sp_cells *cells, int axis, float position)
{
    const float at = (position - cells->low[axis]) / cells->edge;
    const int32_t last = cells->n[axis] - 1;
    return !(at > 0.0f) ? 0 : at >= (float)last ? last : (int32_t)at;
}

#endif
