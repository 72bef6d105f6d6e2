// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_H
#define SP_PARTICLES_H

/// Particle sets as structures of arrays, sorting, and neighbour search.

#include "core/core.h"

#include <spume/frame.h>

/// ---- Sets (set.c) ----------------------------------------------------------------------------

enum { SP_MAX_COLUMNS = 32 };

/// A column of a set: one array of `kind` with one value per particle ("px", "vol", "id"...).
typedef struct sp_column_def {
    const char *name; ///< must outlive the set
    sp_kind kind;
} sp_column_def;

/// Particles in columns of equal length, each 64-byte aligned and padded to whole vectors of 16
/// (entries beyond `count` can be read but are undefined). Removal keeps the order.
typedef struct sp_particles {
    const sp_host *host;
    size_t count, capacity;
    int column_count;
    sp_column_def def[SP_MAX_COLUMNS];
    void *data[SP_MAX_COLUMNS]; ///< owned
} sp_particles;

/// A zeroed set may be closed. On failure nothing is left allocated.
sp_status sp_particles_open(sp_particles *set, const sp_host *host, const sp_column_def *columns,
                            int column_count, size_t capacity, sp_error *err);
void sp_particles_close(sp_particles *set);
/// Makes room for at least `capacity` particles in total, growing geometrically; arrays may move.
/// On failure the set is unchanged.
sp_status sp_particles_reserve(sp_particles *set, size_t capacity, sp_error *err);
/// Adds n zeroed particles at the end and returns the index of the first. The caller must have
/// reserved the room.
size_t sp_particles_append(sp_particles *set, size_t n);
/// The first i in [from, n) with marks[i] != 0; n when there is none. Reads eight marks at a time.
size_t sp_next_marked(const uint8_t *marks, size_t from, size_t n);
/// Removes every particle i with gone[i] != 0 and closes the gaps, keeping the order.
void sp_particles_remove(sp_particles *set, const uint8_t *gone);
/// Permutes: particle order[k] moves to place k. `scratch` must hold 8 bytes per particle.
void sp_particles_reorder(sp_particles *set, const uint32_t *order, void *scratch);
void *sp_particles_data(const sp_particles *set, const char *name); ///< NULL when unknown
/// Walks through the columns up to `count`. The caller saves and restores `count` itself.
void sp_particles_walk(sp_particles *set, sp_walk *walk);
bool sp_particles_is_valid(const sp_particles *set);

/// ---- Lattice of cells (lattice.c) -------------------------------------------------------------

/// A box divided into equal cells. A position outside the box belongs to the nearest cell: this
/// adds candidates to a search and loses none.
typedef struct sp_lattice {
    int dims;           ///< 2 (z is ignored) or 3
    float low[3], edge; ///< m; not used where anchored
    int32_t n[3];       ///< cells along each axis; n[2] = 1 in 2D
    /// m; above 0: cells have this edge and begin at multiples of it, the first one at from[].
    double anchored;
    int32_t from[3];
} sp_lattice;

/// Most cells of a lattice whose sparse table has 32-bit keys.
#define SP_LATTICE_MOST ((size_t)1 << 31)
/// Cells of an anchored lattice lie within +-SP_LATTICE_REACH along each axis.
#define SP_LATTICE_REACH 1048575

/// Sets the box and the edge. The edge is enlarged if there would be more than `most` cells or more
/// than 2^20 along an axis, and always by the possible rounding error, so a neighbour within `edge`
/// is always in one of the 3^dims cells around.
void sp_lattice_shape(sp_lattice *lattice, int dims, const float low[3], const float high[3],
                      float edge, size_t most);
/// The same with cells that begin at multiples of the edge, wherever the box begins. Which points
/// share a cell, and so the order of sums over cells, then does not depend on points far away.
void sp_lattice_anchor(sp_lattice *lattice, int dims, const float low[3], const float high[3],
                       float edge);
/// The cell coordinate of a position along one axis, clamped to the box; NaN gives 0. Not for
/// anchored lattices: sp_lattice_at() handles both.
static inline int32_t sp_lattice_at_shaped(const sp_lattice *lattice, int axis, float position)
{
    const float at = (position - lattice->low[axis]) / lattice->edge;
    const int32_t last = lattice->n[axis] - 1;
    return !(at > 0.0f) ? 0 : at >= (float)last ? last : (int32_t)at;
}

static inline int32_t sp_lattice_at(const sp_lattice *lattice, int axis, float position)
{
    if (!(lattice->anchored > 0.0)) return sp_lattice_at_shaped(lattice, axis, position);
    const double at = floor((double)position / lattice->anchored) - lattice->from[axis];
    const int32_t last = lattice->n[axis] - 1;
    return !(at > 0.0) ? 0 : at >= last ? last : (int32_t)at;
}

/// sp_lattice_at_shaped() for sixteen positions, bit for bit: minimum and maximum treat NaN as the
/// scalar comparisons do.
SP_INLINE sp_i16 sp_lattice_at16(const sp_lattice *lattice, int axis, const float *position)
{
    const sp_f16 at = (sp_f16_load(position) - sp_f16_all(lattice->low[axis])) / lattice->edge;
    const sp_f16 above = sp_f16_max(at, sp_f16_all(0.0f));
    const sp_f16 within = sp_f16_min(above, sp_f16_all((float)(lattice->n[axis] - 1)));
    return __builtin_convertvector(within, sp_i16);
}

/// ---- Particles by cell (cells.c, cells_sparse.c, around.c) ------------------------------------

/// Places begin ... end - 1 of the order.
typedef struct sp_cell_run {
    uint32_t begin, end;
} sp_cell_run;

/// The cells of the neighbour search: which particles are in which cell of a lattice. Particles are
/// sorted by cell, x fastest, and keep their order within a cell, so successive cells along x are
/// one run of `order`. The table of cells has two forms:
///
///   all cells   start[] by key; for a bounded box with few cells (sp_cells_open, sp_cells_fill)
///   sparse      key[] and start[] of cells with particles; for a space of any size
///               (sp_cells_open_sparse, sp_cells_sort)
///
/// Three queries: a run of cells (sp_cells_run), the cells around each cell in turn (sp_around),
/// and neighbour lists (sp_lists, sp_rows).
typedef struct sp_cells {
    const sp_host *host;
    sp_lattice lattice;
    size_t count;
    uint32_t *order; ///< the particle at each place
    /// Key of cell (i, j, k): first + i + j*row + k*layer.
    uint64_t first, row, layer;
    /// Entry c of the table has the places start[c] ... start[c + 1] - 1. Its cell has the key
    /// key[c], or c where `key` is NULL. Keys ascend. After the last entry, key is UINT64_MAX and
    /// start is `count`.
    uint32_t *start;
    uint64_t *key;
    size_t cells; ///< entries of the table
    size_t cell_capacity, particle_capacity;
    /// Positions by place, padded by a vector, for building lists: the caller's arrays, or copies
    /// (sp_cells_copy_positions).
    const float *x, *y, *z; ///< z is NULL in 2D
    float *copy[3];
    size_t copy_capacity;
    uint32_t *cell;           ///< all cells: cell of each particle
    uint64_t *pair;           ///< all cells: (cell, particle) by range of cells; internal
    uint32_t *place;          ///< all cells: where each block writes; internal
    struct sp_sorter *sorter; ///< sparse; internal
} sp_cells;

/// Opens a table of all cells. On failure the cells are zeroed; zeroed cells may be closed.
sp_status sp_cells_open(sp_cells *cells, const sp_host *host, size_t cell_capacity,
                        size_t particle_capacity, sp_error *err);
/// Sets the box and the edge as sp_lattice_shape does, with no more cells than the capacity.
void sp_cells_shape(sp_cells *cells, int dims, const float low[3], const float high[3], float edge);
/// Sorts n particles (n <= particle_capacity). No allocation. z may be NULL in 2D.
void sp_cells_fill(sp_cells *cells, size_t n, const float *x, const float *y, const float *z);

/// Opens a table of only the cells with particles. On failure the cells are zeroed.
sp_status sp_cells_open_sparse(sp_cells *cells, const sp_host *host, sp_error *err);
/// Sorts n particles into the cells of a lattice, which several sets may share. Particles of one
/// cell are ordered by id (NULL: by index), so that sums along lists do not depend on the order of
/// the set. Memory is kept and grows only when there are more particles than ever before. The
/// caller may lend 16 bytes per particle of it for the call (NULL: the cells have their own).
sp_status sp_cells_sort(sp_cells *cells, const sp_lattice *lattice, size_t n,
                        const float *const position[3], const uint64_t *id, void *lent,
                        sp_error *err);

/// Copies positions into the order of places, for callers whose arrays have another order.
sp_status sp_cells_copy_positions(sp_cells *cells, const float *const position[3], sp_error *err);

void sp_cells_close(sp_cells *cells);
size_t sp_cells_bytes(const sp_cells *cells); ///< sparse
/// Places of the particles in cells first ... last of row (j, k). Cells outside the box are empty.
sp_cell_run sp_cells_run(const sp_cells *cells, int32_t first, int32_t last, int32_t j, int32_t k);

/// Runs of the 3^dims cells around a cell, by ascending key. Cells must be visited by ascending
/// key, so each run only moves forward and needs no search.
enum { SP_AROUND = 9 };
typedef struct sp_around {
    size_t cursor[SP_AROUND];  ///< first entry of the table that may be in the run
    uint64_t shift[SP_AROUND]; ///< key of the run's middle cell minus the cell's key
    int runs;                  ///< 9, or 3 in 2D
    sp_cell_run run[SP_AROUND];
    size_t total; ///< particles in all runs
} sp_around;

/// Starts a walk through sparse cells at the cell with this key.
void sp_around_from(sp_around *around, const sp_cells *among, uint64_t key);
/// Finds the runs around the cell with this key; keys must not decrease between calls.
void sp_around_to(sp_around *around, const sp_cells *among, uint64_t key);

/// ---- Z-order (zorder.c) -----------------------------------------------------------------------

/// Sorts particles along the Z-curve (Morton order) through cells of a given edge: particles near
/// in space are then near in memory. To reorder a set:
///     sp_zorder_find(curve, n, px, py, pz, edge, err);
///     sp_particles_reorder(set, sp_zorder_order(curve), scratch);
/// Memory is kept from call to call and grows when n does.
typedef struct sp_zorder sp_zorder;

/// dims is 2 or 3. On failure *out is NULL and nothing is left allocated.
sp_status sp_zorder_open(int dims, const sp_host *host, sp_zorder **out, sp_error *err);
void sp_zorder_close(sp_zorder *zorder); ///< NULL is allowed
/// Particles of one cell keep their order. z may be NULL in 2D. Cells are enlarged if there would
/// be more than 65536 (2D) or 1024 (3D) along an axis. Fails with SP_NO_MEMORY, or with SP_DIVERGED
/// when a position is not finite.
sp_status sp_zorder_find(sp_zorder *zorder, size_t n, const float *x, const float *y,
                         const float *z, float edge, sp_error *err);
/// Particle at each place of the curve, n entries; valid until the next find or close.
const uint32_t *sp_zorder_order(const sp_zorder *zorder);

/// ---- Bounding box (bounds.c) ------------------------------------------------------------------

/// The bounding box of all particles, the same for every number of threads. SP_DIVERGED names the
/// first particle whose position is not finite. For n = 0 the box is the point 0.
sp_status sp_bounds(const sp_host *host, int dims, size_t n, const float *const position[3],
                    float low[3], float high[3], sp_error *err);

/// Shrinks a box until cells of `edge`, with one empty cell around, number less than `most` and
/// less than `most_along` along each axis. Halves the longest side each time and keeps the half
/// with most particles: a few particles far away must not make all other cells coarse.
void sp_bounds_trim(int dims, size_t n, const float *const position[3], float edge, double most,
                    double most_along, float low[3], float high[3]);

/// ---- Neighbour lists (lists.c) ----------------------------------------------------------------

typedef struct sp_neighbour_list {
    uint32_t start, count; ///< neighbours are index[start] ... index[start + count - 1]
} sp_neighbour_list;

/// j is a neighbour of i when j != i and |x_j - x_i|^2 < reach^2, in f32 and in this order:
/// fma(dz, dz, fma(dy, dy, dx*dx)). Each list is ordered by place. Lists are the same for every
/// number of threads; only their positions in `index` may differ. Sixteen entries beyond each list
/// are readable and are valid places: a whole vector may be loaded first and masked later.
typedef struct sp_lists {
    const sp_host *host;
    sp_neighbour_list *list; ///< one per place
    size_t capacity;
    uint32_t *index; ///< places
    size_t index_capacity, index_used;
    uint64_t pairs; ///< sum of all counts
} sp_lists;

/// Neighbour lists of all places of sparse cells, within one set. A zeroed struct with a host is an
/// empty sp_lists. With `names`, list and entries use names[place] (the caller's particle numbers)
/// instead of places.
sp_status sp_lists_make(sp_lists *lists, const sp_cells *cells, float reach, const uint32_t *names,
                        sp_error *err);
void sp_lists_close(sp_lists *lists);
size_t sp_lists_bytes(const sp_lists *lists);

/// A place of one set and its neighbours among the places of another set.
typedef struct sp_row {
    uint32_t who;          ///< place
    uint32_t start, count; ///< count may be 0
} sp_row;

/// Lists from one set to another that is near it only in places (water to walls, water to air):
/// rows by ascending `who`, only for cells that have a cell of the other set around them.
typedef struct sp_rows {
    const sp_host *host;
    sp_row *row;
    size_t count, capacity;
    uint32_t *index; ///< places in `among`, padded as in sp_lists
    size_t index_capacity, index_used;
    uint64_t pairs;
} sp_rows;

/// Both sets must have been sorted with the same lattice.
sp_status sp_rows_make(sp_rows *rows, const sp_cells *of, const sp_cells *among, float reach,
                       sp_error *err);
void sp_rows_close(sp_rows *rows);
/// The first row whose place is not below `who`; `count` when there is none.
size_t sp_rows_from(const sp_rows *rows, size_t who);
size_t sp_rows_bytes(const sp_rows *rows);

/// ---- Neighbours of a single set (neighbours.c) ------------------------------------------------

/// All pairs of particles nearer than a support radius, as one neighbour list per particle. Lists
/// hold the caller's indices, ordered by cell (x fastest), then by index.
typedef struct sp_neighbours sp_neighbours;

/// Belongs to its sp_neighbours; valid until the next call or close.
typedef struct sp_neighbours_view {
    size_t count;                  ///< particles
    const sp_neighbour_list *list; ///< one per particle
    /// Sixteen entries beyond each list are readable and are valid particles: a whole vector may be
    /// gathered first and masked later.
    const uint32_t *index;
    const uint32_t *order; ///< particles by cell: the order in which lists were built
    uint64_t pairs;        ///< sum of all counts: each pair counts twice
    size_t cells;          ///< cells with particles
    size_t bytes;          ///< memory in use
} sp_neighbours_view;

/// dims is 2 or 3. On failure *out is NULL and nothing is left allocated.
sp_status sp_neighbours_open(int dims, const sp_host *host, sp_neighbours **out, sp_error *err);
void sp_neighbours_close(sp_neighbours *neighbours); ///< NULL is allowed
/// Builds cells, then lists. Memory is kept and grows only when there are more particles or pairs
/// than ever before. x, y, z (NULL in 2D) are read only during the call and need no padding. Sorted
/// particles (sp_zorder) make this call and all loops over the lists faster. Fails with
/// SP_NO_MEMORY, with SP_DIVERGED when a position is not finite, with SP_BAD_INPUT when support is
/// not positive; then there are no lists.
sp_status sp_neighbours_build(sp_neighbours *neighbours, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err);
/// The two halves of sp_neighbours_build, for timing them.
sp_status sp_neighbours_cells(sp_neighbours *neighbours, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err);
sp_status sp_neighbours_lists(sp_neighbours *neighbours, sp_error *err);
sp_neighbours_view sp_neighbours_look(const sp_neighbours *neighbours);

/// ---- Particles of a frame (publish.c) ---------------------------------------------------------

/// Finds the order of ascending ids; a stable sort. The caller may lend 16 bytes of memory per
/// particle for the call (NULL: it is allocated).
sp_status sp_order_by_id(const sp_host *host, size_t n, const uint64_t *id, uint32_t *order,
                         void *lent, sp_error *err);

/// The columns that every set of a frame has; ids ascend. If host is NULL, the caller owns the
/// arrays.
typedef struct sp_published {
    const sp_host *host;
    size_t count, capacity;
    float (*position)[3], (*velocity)[3]; ///< m, from the frame's origin; m/s
    float *radius;                        ///< m
    uint64_t *id;
} sp_published;

/// Makes room for `capacity` particles in total. False: no memory; the old contents are unchanged.
bool sp_published_reserve(sp_published *published, size_t capacity);
void sp_published_close(sp_published *published);
/// The caller must have reserved the room.
void sp_published_add(sp_published *published, const float position[3], const float velocity[3],
                      float radius, uint64_t id);

enum { SP_PUBLISHED_COLUMNS = 4 };
/// The set with `count` columns of `more` added. `columns` must have room for all and outlive the
/// frame.
sp_set sp_published_set(const sp_published *published, const char *name, sp_column *columns,
                        const sp_column *more, size_t count);

#endif
