// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POISSON_INTERNAL_H
#define SP_POISSON_INTERNAL_H

/// Data layout of the solver.
///
/// Tiles without unknowns are left out, and the rest are renumbered in the same Morton order. A
/// vector holds 512 values per tile and one extra tile of zeros at the end, which stands for
/// missing neighbours, so that kernels need no branches. Inside a tile the two colours of a
/// chessboard are stored apart, because a red-black sweep writes all of one and reads all of the
/// other:
///
///     voxel (i, j, k) of a tile   colour (i + j + k) & 1, place i/2 + 4j + 32k
///     a tile of a vector          256 values of colour 0, then 256 of colour 1
///     sixteen lanes               four rows along x: j = 0 ... 3 or 4 ... 7 of one k
///
/// The neighbours of a voxel have the other colour: in y and z at the same i/2; in x at the same
/// i/2 and at one less or one more, alternating from row to row.
///
/// Levels above the finest halve the grid: a tile becomes a block of 4x4x4 in a coarse tile. They
/// are scaled so that FULL means coefficient 1 everywhere (see hierarchy.c).

#include "poisson/poisson.h"
#include "tiles/mac.h"

#include <string.h>

enum {
    POISSON_LEVELS = 24,    ///< 2^21 tiles along an axis are halved 21 times
    POISSON_COLOURS = 8,    ///< of tiles; six neighbours need at most seven; one stays empty
    POISSON_HALF = 256,     ///< voxels of one colour in a tile
    POISSON_PLANE = 32,     ///< of one colour in a plane of a tile
    POISSON_GRAIN = 16,     ///< tiles per parallel task: about ten microseconds
    POISSON_COARSEST = 512, ///< unknowns of the coarsest level
    POISSON_ARRAYS = 14 * POISSON_LEVELS + 24, ///< at most
};

/// The six coefficients of a voxel: to its x neighbour at the same place and at the other one, then
/// low and high y, low and high z.
enum { POISSON_XS, POISSON_XO, POISSON_YL, POISSON_YH, POISSON_ZL, POISSON_ZH, POISSON_FACES };

/// Coefficients of a tile that is not FULL, by colour. Most such tiles lie along walls and at the
/// surface, where a face is open or closed: one bit per face is enough.
typedef struct poisson_open {
    uint16_t bits[2][POISSON_FACES][16]; ///< a bit for each of sixteen lanes
} poisson_open;

/// Numbers are stored only where solids cut voxels or coefficients differ, because they cost memory
/// traffic. A face lies between a voxel of colour 0 and one of colour 1, so the six of colour 0
/// cover all faces inside a tile; colour 1 has 192 more towards other tiles. faces.h describes how
/// colour 1 finds its coefficients. Offsets in a tile's list:
enum {
    POISSON_AT_XS = 0,
    POISSON_AT_XO = POISSON_HALF,
    POISSON_AT_YL = 2 * POISSON_HALF,
    POISSON_AT_YH = 3 * POISSON_HALF,
    POISSON_AT_ZL = 4 * POISSON_HALF,
    POISSON_AT_ABOVE = 5 * POISSON_HALF,                 ///< of colour 1, above plane 7
    POISSON_AT_BELOW = POISSON_AT_ABOVE + POISSON_PLANE, ///< of colour 1, below plane 0
    POISSON_AT_ZH = POISSON_AT_BELOW + POISSON_PLANE,
    POISSON_AT_SIDE = POISSON_AT_ZH + POISSON_HALF,       ///< of colour 1, one per row along x
    POISSON_AT_BEFORE = POISSON_AT_SIDE + 64,             ///< of colour 1, before row 0
    POISSON_AT_AFTER = POISSON_AT_BEFORE + POISSON_PLANE, ///< of colour 1, after row 7
    POISSON_PACKED = POISSON_AT_AFTER + POISSON_PLANE,
};
/// Floats split into upper and lower halves. The upper half alone is a float with eight binary
/// digits, which is enough for the cycle: it then preconditions with a slightly different, still
/// symmetric matrix.
typedef struct poisson_faces {
    uint16_t upper[POISSON_PACKED], lower[POISSON_PACKED];
} poisson_faces;
typedef struct poisson_diagonal {
    /// 1 / (sum of faces + extra), 0 where there is no unknown; from the rounded faces of the
    /// cycle.
    float inverse[2][POISSON_HALF];
    float extra[2][POISSON_HALF];
} poisson_diagonal;

/// Properties of a row.
typedef struct poisson_row {
    uint32_t faces; ///< index of its poisson_faces; UINT32_MAX: bits are enough
    uint32_t cells; ///< unknowns
    float trace;    ///< sum over its voxels of their faces
    bool has_extra; ///< any extra is positive
} poisson_row;

/// The memory of one array, kept between builds. Growing it discards its contents.
typedef struct poisson_store {
    const void *array; ///< address of the pointer to it
    void *data;
    size_t bytes;
} poisson_store;

typedef struct poisson_level {
    size_t count; ///< tiles; number `count` is the tile of zeros
    size_t rows, unknowns;
    int32_t (*at)[3];           ///< coordinates
    uint32_t (*near)[6];        ///< tile towards -x +x -y +y -z +z, `count` if missing
    uint32_t *row;              ///< SP_POISSON_FULL or a row
    poisson_row *kind;          ///< by row
    poisson_open *open;         ///< by row
    poisson_diagonal *diagonal; ///< by row
    poisson_faces *faces;       ///< of the rows that need them
    uint32_t *parent; ///< tile of the next level * 8 + index of the block in it; the tile of zeros
                      ///< has a parent too
    uint32_t *first;  ///< first child in the level below, one entry more than tiles
    uint32_t *order;  ///< tiles by colour
    uint32_t start[POISSON_COLOURS + 1];
    int colours;
    int32_t period[3]; ///< tiles in a period along each axis, 0: not periodic
    bool loses_period; ///< this or a coarser level has an odd period > 1, lost in the next
    uint32_t copies;   ///< bits of `parent` along which a child fills both halves (hierarchy.c)
    float *natural;    ///< memory of a coarse level's face and extra
    /// The same coefficients in the caller's layout (low faces, x fastest, 512 per row), from which
    /// the next level is built.
    const float *face[3], *extra;
    void *x, *b; ///< vectors
} poisson_level;

/// Connected pieces of the domain (pieces.c). A tile has one node for each of its connected parts;
/// all nodes of a piece share its number.
typedef struct poisson_pieces {
    size_t nodes, count, singular;
    uint32_t *node;  ///< first node of a tile; one entry more than tiles
    uint32_t *label; ///< a tile's row of `part`; UINT32_MAX: it has one part or none
    uint16_t (*part)[SP_TILE_VOXELS]; ///< part of a voxel, UINT16_MAX: none
    uint32_t *piece;                  ///< of a node
    uint8_t *has_extra;               ///< whether a node, later a piece, has an extra
    double *mean;                     ///< by piece
    double *residual_mean;            ///< by piece: means of the residual, to be subtracted
    double *size;                     ///< voxels, by node, later by piece
    double *sum;                      ///< by node
    uint32_t *by_piece;               ///< nodes, piece by piece
    uint32_t *first;                  ///< of a piece in `by_piece`; one entry more than pieces
} poisson_pieces;

struct sp_poisson {
    const sp_host *host;
    sp_poisson_def def;
    size_t real; ///< bytes of a vector's value
    bool built;
    uint32_t *tile;       ///< the caller's index of our tile
    uint32_t *slot;       ///< our index of the caller's tile
    size_t tiles;         ///< number of the caller's tiles
    sp_tile_mask *active; ///< unknowns, by row of the finest level
    double trace;         ///< sum over voxels of their faces
    int levels;
    poisson_level level[POISSON_LEVELS];
    poisson_pieces pieces;
    void *p; ///< search direction; the residual is level[0].b, preconditioned level[0].x
    /// x is the sum of these three, see accurate_residual.c; only those in use are read.
    float *hi;
    void *lo, *d;
    bool hi_used, lo_used, d_used;
    float *right;                        ///< b without its means
    double *sums, *peaks;                ///< one number per tile
    poisson_store store[POISSON_ARRAYS]; ///< those in use come first
};

/// ---- Memory (open.c) ---------------------------------------------------------------------------

/// Makes the pointer at `array`, a field of the solver, point to room for at least `count` elements.
/// False: no memory; the pointer is NULL then.
bool poisson_reserve(sp_poisson *s, void *array, size_t count, size_t size);

/// ---- Building ----------------------------------------------------------------------------------

sp_status poisson_build_levels(sp_poisson *s, const sp_poisson_system *system, sp_error *err);
/// Faces and extras of a coarse level's rows, in the caller's layout (coarsen.c).
void poisson_coarsen_rows(const sp_host *host, const poisson_level *fine,
                          const poisson_level *coarse);
/// Coefficients by colour from a level's faces (rows.c). `active` may be NULL.
sp_status poisson_fill_rows(sp_poisson *s, poisson_level *level, sp_tile_mask *active,
                            sp_error *err);
sp_status poisson_find_pieces(sp_poisson *s, sp_error *err);
/// The place in our layout of the caller's voxel (i, j, k).
static inline size_t poisson_place(int i, int j, int k)
{
    return (size_t)(POISSON_HALF * ((i + j + k) & 1) + i / 2 + 4 * j + 32 * k);
}

/// The inverse: the caller's place, i + 8j + 64k, of a place in our layout.
static inline size_t poisson_caller_place(size_t place)
{
    const size_t k = place % POISSON_HALF / 32, j = place % 32 / 4,
                 i = 2 * (place % 4) + ((j + k + place / POISSON_HALF) & 1);
    return i + 8 * j + 64 * k;
}

/// The largest of n numbers that are not negative, or NaN.
static inline double poisson_largest(const double *values, size_t n)
{
    double most = 0.0;
    for (size_t t = 0; t < n; ++t)
        if (!(values[t] <= most)) most = values[t];
    return most;
}

/// Splits a row of eight voxels along x into even and odd ones; poisson_join_row() is the inverse.
typedef float poisson_eight __attribute__((vector_size(32)));
static inline void poisson_split_row(const float from[8], float *even, float *odd)
{
    poisson_eight v;
    memcpy(&v, from, sizeof v);
    v = __builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7);
    memcpy(even, &v, 4 * sizeof *even);
    memcpy(odd, (const float *)&v + 4, 4 * sizeof *odd);
}
static inline void poisson_join_row(const float *even, const float *odd, float to[8])
{
    poisson_eight v;
    memcpy(&v, even, 4 * sizeof *even);
    memcpy((float *)&v + 4, odd, 4 * sizeof *odd);
    v = __builtin_shufflevector(v, v, 0, 4, 1, 5, 2, 6, 3, 7);
    memcpy(to, &v, sizeof v);
}

/// ---- Pieces ------------------------------------------------------------------------------------

/// Piece of a voxel (in the caller's layout) of a tile; UINT32_MAX where there is no unknown.
static inline uint32_t poisson_piece_of(const sp_poisson *s, size_t tile, int place)
{
    const poisson_pieces *p = &s->pieces;
    const uint32_t row = s->level[0].row[tile], label = p->label[tile];
    if (row != SP_POISSON_FULL && !(s->active[row][place >> 6] >> (place & 63) & 1))
        return UINT32_MAX;
    return p->piece[p->node[tile] + (label == UINT32_MAX ? 0 : p->part[label][place])];
}
/// Whether any unknown of a tile is in a piece without an extra.
bool poisson_touches_singular(const sp_poisson *s, size_t tile);
/// Means by piece from the sums of nodes; 0 for pieces with an extra.
void poisson_piece_means(const poisson_pieces *p, double *mean);

/// ---- Solving (accurate_residual.c, float.c, double.c) ------------------------------------------------------

/// Loads the caller's b and x. Returns max |b| after its means are subtracted.
double poisson_load(sp_poisson *s, const float *b, const float *x);
/// Writes x back, with mean 0 over singular pieces.
void poisson_unload(sp_poisson *s, float *x);
/// Recomputes the residual from x, after moving the corrections in `d` into hi and lo. Returns its
/// maximum.
double poisson_refresh(sp_poisson *s);

typedef struct poisson_run {
    double goal;     ///< target for max |residual|
    double residual; ///< max |residual| reached
    int iterations, most;
    bool plain;      ///< Jacobi instead of the cycle
    bool fresh;      ///< the residual was just recomputed from x
    double last_rho; ///< rho of the iteration that last recomputed it
} poisson_run;
/// Iterates from the current residual until run->goal is reached or iterations run out.
void poisson_conjugate_float(sp_poisson *s, poisson_run *run);
void poisson_conjugate_double(sp_poisson *s, poisson_run *run);
/// One cycle: level[0].x = M level[0].b. For tests of its symmetry.
void poisson_cycle_float(sp_poisson *s);
void poisson_cycle_double(sp_poisson *s);
double poisson_bytes_of_iteration(const sp_poisson *s); ///< memory_traffic.c

#endif
