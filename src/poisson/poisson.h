// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POISSON_H
#define SP_POISSON_H

/// The pressure solver: conjugate gradients, preconditioned by one cycle of aggregation multigrid,
/// on tiles and without a matrix. It knows faces with coefficients and nothing of water:
///
///     sum over faces f of cell c of a_f (x_c - x_n)  +  extra_c x_c  =  b_c
///
/// a_f >= 0 joins two cells; extra_c >= 0 joins a cell to a place where x is 0 (its share of b,
/// when it is not 0 there, is the caller's). The system is symmetric and semidefinite.

#include "tiles/tiles.h"

enum { SP_POISSON_W, SP_POISSON_V };          ///< cycle
enum { SP_POISSON_FLOAT, SP_POISSON_DOUBLE }; ///< precision of all vectors; sums are double anyway

typedef struct sp_poisson_def {
    double tolerance;       ///< of max |residual|, relative to max |b|; 1e-5
    int cycle;              ///< SP_POISSON_W
    int32_t smooth;         ///< local sweeps a visit of a tile; 2
    int32_t max_iterations; ///< 60
    int precision;          ///< SP_POISSON_FLOAT
} sp_poisson_def;
sp_poisson_def sp_poisson_defaults(void);

/// What a tile is to the solver.
#define SP_POISSON_EMPTY UINT32_MAX      ///< no unknown in it
#define SP_POISSON_FULL (UINT32_MAX - 1) ///< see below

typedef struct sp_poisson_system {
    const sp_tiles *tiles;
    /// A tile is EMPTY; or FULL: 512 unknowns, and all 6*512 faces around them have coefficient 1
    /// and none an extra (so all six neighbours exist); or a row of the arrays below.
    const uint32_t *row;
    size_t rows;
    /// Row r: values 512*r ... 512*r + 511. Low faces of the voxels; a face between a cell that is
    /// an unknown and one that is not has 0, and so has a face to a tile that is missing or empty.
    const float *face[3];
    const float *extra;
} sp_poisson_system;
/// A cell of a row is an unknown when its faces and its extra are not all 0.

typedef struct sp_poisson_report {
    int iterations;
    bool converged, fell_back; ///< fell_back: plain conjugate gradients had to finish
    /// max |b - Ax| / max |b| at the end, of what was solved (means of b taken off), before x is
    /// rounded to floats: that costs some 1e-7 max |x| more.
    double residual;
    double start; ///< max |b|
    size_t unknowns;
    size_t components, singular; ///< pieces of the domain, and those without any extra
    double incompatible;      ///< sum over singular pieces of |mean of b| * cells: what was removed
    size_t worst_piece_cells; ///< the piece from which most was removed: its size
    int32_t worst_piece[3];   ///< and one of its voxels
    int32_t worst[3];         ///< voxel of the largest residual
    double bytes_per_iteration; ///< of memory moved, by the model in docs/poisson.md
} sp_poisson_report;

typedef struct sp_poisson sp_poisson;
/// On failure *out is NULL and nothing is left allocated.
sp_status sp_poisson_open(const sp_poisson_def *def, const sp_host *host, sp_poisson **out,
                          sp_error *err);
void sp_poisson_close(sp_poisson *solver); ///< NULL is welcome
/// Makes the hierarchy: once for each set of coefficients. The system and its topology must stay as
/// they are until the last solve. Memory is kept from build to build and grows when it must.
sp_status sp_poisson_build(sp_poisson *solver, const sp_poisson_system *system, sp_error *err);
/// Solves. b and x are tile fields; x is where it starts from (zeros are fine) and is 0 afterwards
/// in cells that are no unknowns. b is left as it was. Singular pieces: the mean of b is taken off,
/// and x gets mean 0 over the piece. Not converging is no failure: the report says so.
sp_status sp_poisson_solve(sp_poisson *solver, const float *b, float *x, sp_poisson_report *report,
                           sp_error *err);
size_t sp_poisson_bytes(const sp_poisson *solver); ///< memory held

#endif
