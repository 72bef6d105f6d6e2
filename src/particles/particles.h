// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_H
#define SP_PARTICLES_H

/// Particle sets as structures of arrays, sorting, and neighbour search.

#include "core/core.h"

#include <spume/frame.h>

/// ---- Sets (set.c) ----------------------------------------------------------------------------

enum { SP_MAX_COLUMNS = 32 };

/// What a set is made of: one array of `kind` a column, one value a particle ("px", "vol",
/// "id"...).
typedef struct sp_column_def {
    const char *name; ///< must outlive the set
    sp_kind kind;
} sp_column_def;

/// Particles in columns of equal length, each 64-byte aligned and padded to whole vectors of 16
/// (what lies beyond `count` is there to be read but means nothing). Order is never lost: removal
/// keeps it.
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
/// Makes room for at least `capacity` in all, growing geometrically; arrays may move. On failure
/// the set is as it was.
sp_status sp_particles_reserve(sp_particles *set, size_t capacity, sp_error *err);
/// Adds n zeroed particles at the end and returns the index of the first. Room must have been
/// reserved.
size_t sp_particles_append(sp_particles *set, size_t n);
/// Removes every particle i with gone[i] != 0 and closes the gaps, keeping the order.
void sp_particles_remove(sp_particles *set, const uint8_t *gone);
/// Rearranges: particle order[k] comes to place k. `scratch` must hold 8 bytes a particle.
void sp_particles_reorder(sp_particles *set, const uint32_t *order, void *scratch);
void *sp_particles_data(const sp_particles *set, const char *name); ///< NULL when unknown
bool sp_particles_is_valid(const sp_particles *set);

/// ---- Cells (cells.c) --------------------------------------------------------------------------

/// A box cut into equal cells, and which particles lie in each: a stable counting sort, x fastest,
/// so cells that follow each other along x are one run of `order`. Particles outside the box count
/// to the nearest cell. Used where the domain is bounded and small against the particle count.
typedef struct sp_cells {
    const sp_host *host;
    int dims;           ///< 2 (z is ignored) or 3
    float low[3], edge; ///< m
    int32_t n[3];       ///< cells along each axis; n[2] = 1 in 2D
    size_t cell_capacity, particle_capacity, count;
    /// n[0]*n[1]*n[2] + 1 entries: cell c holds order[start[c]] ... order[start[c + 1] - 1].
    uint32_t *start;
    uint32_t *order; ///< particle index at each sorted place
    uint32_t *cell;  ///< cell of each particle
    uint32_t *place; ///< where blocks of particles are written to, while filling; internal
} sp_cells;

sp_status sp_cells_open(sp_cells *cells, const sp_host *host, size_t cell_capacity,
                        size_t particle_capacity, sp_error *err);
void sp_cells_close(sp_cells *cells);
/// Sets the box and the wanted edge. The edge is enlarged where the cells would not fit the
/// capacity, and in any case by what rounding may cost, so a neighbour within the wanted edge is
/// always in one of the 3^dims cells around.
void sp_cells_shape(sp_cells *cells, int dims, const float low[3], const float high[3], float edge);
/// Sorts n particles (n <= particle_capacity). No allocation. z may be NULL in 2D.
void sp_cells_fill(sp_cells *cells, size_t n, const float *x, const float *y, const float *z);
/// The cell coordinate of a position along one axis, clamped into the box; NaN goes to 0.
static inline int32_t sp_cells_at(const sp_cells *cells, int axis, float position)
{
    const float at = (position - cells->low[axis]) / cells->edge;
    const int32_t last = cells->n[axis] - 1;
    return !(at > 0.0f) ? 0 : at >= (float)last ? last : (int32_t)at;
}

/// The same for sixteen positions, bit for bit: minimum and maximum follow the rule of the
/// comparisons.
SP_INLINE sp_i16 sp_cells_at16(const sp_cells *cells, int axis, const float *position)
{
    const sp_f16 at = (sp_f16_load(position) - sp_f16_all(cells->low[axis])) / cells->edge;
    const sp_f16 above = sp_f16_max(at, sp_f16_all(0.0f));
    const sp_f16 within = sp_f16_min(above, sp_f16_all((float)(cells->n[axis] - 1)));
    return __builtin_convertvector(within, sp_i16);
}

/// ---- Z-order (zorder.c) -----------------------------------------------------------------------

/// Finds the order of particles along the Z-curve through cells of a given edge: near in space is then
/// near in memory. Sorting a set is one call more:
///     sp_zorder_find(curve, n, px, py, pz, edge, err);
///     sp_particles_reorder(set, sp_zorder_order(curve), scratch);
/// Memory is kept from call to call and grows when n does.
typedef struct sp_zorder sp_zorder;

/// dims is 2 or 3. On failure *out is NULL and nothing is left allocated.
sp_status sp_zorder_open(int dims, const sp_host *host, sp_zorder **out, sp_error *err);
void sp_zorder_close(sp_zorder *zorder); ///< NULL is welcome
/// Particles of one cell keep the order they came in. z may be NULL in 2D. Cells are enlarged where
/// there would be more than 65536 (2D) or 1024 (3D) along an axis. Fails with SP_NO_MEMORY, or with
/// SP_DIVERGED when a position is not finite.
sp_status sp_zorder_find(sp_zorder *zorder, size_t n, const float *x, const float *y,
                         const float *z, float edge, sp_error *err);
/// Particle at each place of the curve, n entries, good until the next find or close.
const uint32_t *sp_zorder_order(const sp_zorder *zorder);

/// ---- Where particles are (bounds.c) -----------------------------------------------------------

/// The box around all particles, the same for every number of threads. SP_DIVERGED names the first
/// particle that is not at a finite place. For n = 0 the box is the point 0.
sp_status sp_bounds(const sp_host *host, int dims, size_t n, const float *const position[3],
                    float low[3], float high[3], sp_error *err);

/// Cuts a box down until cells of `edge`, with one empty cell around, number less than `most` and
/// less than `most_along` along each axis. Longest sides go first, half at a time, keeping the half
/// in which most particles are: a few that flew far away must not make everyone else's cells
/// coarse.
void sp_bounds_trim(int dims, size_t n, const float *const position[3], float edge, double most,
                    double most_along, float low[3], float high[3]);

/// ---- Order of cells (grid.c) ------------------------------------------------------------------

/// Space cut into cells no smaller than the reach of whatever is looked for, shared by all sets of
/// a solver. A cell's key counts x fastest, with one empty cell around the box, so that key +- 1
/// and +- a row never meets the far side. Particles outside the box count to the nearest cell.
typedef struct sp_lattice {
    sp_cells box;              ///< its shape only
    uint32_t row, layer, last; ///< keys from row to row and from layer to layer; the largest key
} sp_lattice;

/// The box must have fewer than 2^31 cells of edge `reach`, and fewer than 2^20 along each axis.
void sp_lattice_shape(sp_lattice *lattice, int dims, const float low[3], const float high[3],
                      float reach);

/// Which particles of a set lie in which cell. Only cells that hold something are in the table, so
/// the space may be as large and as empty as it likes.
typedef struct sp_grid {
    const sp_host *host;
    struct sp_sorter *sorter; ///< owned
    sp_lattice lattice;
    size_t count, capacity;
    uint32_t *order; ///< the particle at each place: by cell, and in a cell by id or by index
    /// Cells by ascending key, and the place where each begins. One more entry ends the table: the
    /// largest number there is, beginning at `count`.
    uint32_t *cell_key, *cell_start;
    size_t cells, cell_capacity;
    /// Positions place by place, padded by a vector: the caller's, set before lists are asked for.
    const float *x, *y, *z; ///< z is NULL in 2D
} sp_grid;

/// On failure the grid is zeroed, which is safe to close.
sp_status sp_grid_open(sp_grid *grid, const sp_host *host, sp_error *err);
void sp_grid_close(sp_grid *grid);
/// Finds the order. Ids (NULL: the particles' indices) order the particles of one cell, which makes
/// everything that is summed along lists independent of how the set itself is arranged. Memory is
/// kept and grows only when there are more particles than ever before; 16 bytes a particle of it can
/// be lent for the call (NULL: the grid keeps its own).
sp_status sp_grid_sort(sp_grid *grid, const sp_lattice *lattice, size_t n,
                       const float *const position[3], const uint64_t *id, void *lent,
                       sp_error *err);
size_t sp_grid_bytes(const sp_grid *grid);

/// ---- Lists of neighbours (lists.c) ------------------------------------------------------------

typedef struct sp_neighbour_list {
    uint32_t start, count; ///< neighbours are index[start] ... index[start + count - 1]
} sp_neighbour_list;

/// j is a neighbour of i when j != i and |x_j - x_i|^2 < reach^2, in f32 and in this order:
/// fma(dz, dz, fma(dy, dy, dx*dx)). Each list is ordered by place. Lists are the same for every
/// number of threads; only where they lie in `index` may differ. Sixteen entries beyond each list
/// can be read too, and are places that exist: a whole vector may be loaded first and masked later.
typedef struct sp_lists {
    const sp_host *host;
    sp_neighbour_list *list; ///< one a place
    size_t capacity;
    uint32_t *index; ///< places
    size_t index_capacity, index_used;
    uint64_t pairs; ///< sum of all counts
} sp_lists;

/// The lists of all places of a grid among themselves. A zeroed struct with a host is empty lists.
/// With `names`, lists belong to names[place] and hold names[place] instead: the caller's particles
/// instead of places.
sp_status sp_lists_make(sp_lists *lists, const sp_grid *grid, float reach, const uint32_t *names,
                        sp_error *err);
void sp_lists_close(sp_lists *lists);
size_t sp_lists_bytes(const sp_lists *lists);

/// One place of one grid and its neighbours among the places of another.
typedef struct sp_row {
    uint32_t who;          ///< place
    uint32_t start, count; ///< may be none
} sp_row;

/// Lists from one set to another that is not everywhere near it (water to walls, water to air): rows
/// by ascending `who`, only for cells that have a cell of the other set around them.
typedef struct sp_rows {
    const sp_host *host;
    sp_row *row;
    size_t count, capacity;
    uint32_t *index; ///< places in the other grid, padded as in sp_lists
    size_t index_capacity, index_used;
    uint64_t pairs;
} sp_rows;

/// Both grids must have been sorted with the same lattice.
sp_status sp_rows_make(sp_rows *rows, const sp_grid *of, const sp_grid *among, float reach,
                       sp_error *err);
void sp_rows_close(sp_rows *rows);
/// The first row whose place is not below `who`; `count` when there is none.
size_t sp_rows_from(const sp_rows *rows, size_t who);
size_t sp_rows_bytes(const sp_rows *rows);

/// ---- Neighbours of a single set (neighbours.c) ------------------------------------------------

/// All pairs of particles nearer than a support radius, as one list a particle, to be walked by
/// many passes. Lists hold the caller's indices, ordered by cell (x fastest), then by index.
typedef struct sp_neighbours sp_neighbours;

/// Belongs to the sp_neighbours it came from; good until its next call or close.
typedef struct sp_neighbours_view {
    size_t count;                  ///< particles
    const sp_neighbour_list *list; ///< one a particle
    /// Sixteen entries beyond each list can be read too, and are particles that exist: a whole
    /// vector may be gathered first and masked later.
    const uint32_t *index;
    const uint32_t *order; ///< particles cell by cell: the order in which lists were made
    uint64_t pairs;        ///< sum of all counts: each pair is there twice
    size_t cells;          ///< cells that hold something
    size_t bytes;          ///< memory held, all told
} sp_neighbours_view;

/// dims is 2 or 3. On failure *out is NULL and nothing is left allocated.
sp_status sp_neighbours_open(int dims, const sp_host *host, sp_neighbours **out, sp_error *err);
void sp_neighbours_close(sp_neighbours *neighbours); ///< NULL is welcome
/// Cells, then lists. Memory is kept and grows only when there are more particles or pairs than
/// ever before. x, y, z (NULL in 2D) are read during the call only; they need no padding. Sorted
/// particles (sp_zorder) make this, and whatever walks the lists, faster. Fails with SP_NO_MEMORY,
/// with SP_DIVERGED when a position is not finite, with SP_BAD_SCENE when support is not positive;
/// then there are no lists.
sp_status sp_neighbours_build(sp_neighbours *neighbours, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err);
/// The two halves of sp_neighbours_build, for whoever times them.
sp_status sp_neighbours_cells(sp_neighbours *neighbours, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err);
sp_status sp_neighbours_lists(sp_neighbours *neighbours, sp_error *err);
sp_neighbours_view sp_neighbours_look(const sp_neighbours *neighbours);

#endif
