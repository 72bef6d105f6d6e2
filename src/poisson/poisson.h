// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POISSON_H
#define SP_POISSON_H

/// The pressure solver: conjugate gradients, preconditioned by one cycle of aggregation multigrid,
/// matrix-free on tiles. The input is coefficients on faces, independent of any physics:
///
///     sum over faces f of cell c of a_f (x_c - x_n)  +  extra_c x_c  =  b_c
///
/// a_f >= 0 couples two cells. extra_c >= 0 couples a cell to a Dirichlet value of 0; for another
/// value the caller adds its share to b. The system is symmetric and positive semidefinite.

#include "tiles/tiles.h"

enum { SP_POISSON_W, SP_POISSON_V };          ///< cycle
enum { SP_POISSON_FLOAT, SP_POISSON_DOUBLE }; ///< precision of all vectors; sums are always double

typedef struct sp_poisson_def {
    double tolerance;       ///< of max |residual|, relative to max |b|; 1e-5
    int cycle;              ///< SP_POISSON_W
    int32_t smooth;         ///< smoothing sweeps per visit of a tile; 2
    int32_t max_iterations; ///< 60
    int precision;          ///< SP_POISSON_FLOAT
} sp_poisson_def;
sp_poisson_def sp_poisson_defaults(void);

/// Kinds of tiles.
#define SP_POISSON_EMPTY UINT32_MAX      ///< has no unknowns
#define SP_POISSON_FULL (UINT32_MAX - 1) ///< see below

typedef struct sp_poisson_system {
    const sp_tiles *tiles;
    /// A tile is EMPTY; or FULL: 512 unknowns, all their faces have coefficient 1 and no extra (so
    /// all six neighbours exist); or a row number of the arrays below.
    const uint32_t *row;
    size_t rows;
    /// Row r: values 512*r ... 512*r + 511. Low faces of the voxels. A face between an unknown and
    /// a cell that is not one is 0, and so is a face to a missing or empty tile.
    const float *face[3];
    const float *extra;
} sp_poisson_system;
/// A cell of a row is an unknown when its faces and its extra are not all 0.

typedef struct sp_poisson_report {
    int iterations;
    bool converged, fell_back; ///< fell_back: finished with Jacobi-preconditioned CG
    /// max |b - Ax| / max |b| at the end, for b without its means, before x is rounded to floats.
    /// The rounding adds about 1e-7 max |x|.
    double residual;
    double start; ///< max |b|
    size_t unknowns;
    size_t components, singular; ///< connected pieces of the domain; those without any extra
    double incompatible;         ///< removed: sum over singular pieces of |mean of b| * cells
    size_t worst_piece_cells;    ///< size of the piece from which most was removed
    int32_t worst_piece[3];      ///< one of its voxels
    int32_t worst[3];            ///< voxel of the largest residual
    double bytes_per_iteration;  ///< memory traffic, by the model in docs/poisson.md
} sp_poisson_report;

typedef struct sp_poisson sp_poisson;
/// On failure *out is NULL and nothing is left allocated.
sp_status sp_poisson_open(const sp_poisson_def *def, const sp_host *host, sp_poisson **out,
                          sp_error *err);
void sp_poisson_close(sp_poisson *solver); ///< NULL is allowed
/// Builds the hierarchy, once for each set of coefficients. The system and its topology must not
/// change until the last solve. Memory is kept between builds and grows as needed.
sp_status sp_poisson_build(sp_poisson *solver, const sp_poisson_system *system, sp_error *err);
/// Solves. b and x are tile fields. x is the initial guess (may be 0); afterwards it is 0 in cells
/// that are not unknowns. b is not changed. In singular pieces the mean of b is subtracted, and x
/// gets mean 0. Failing to converge is not an error; see report->converged.
sp_status sp_poisson_solve(sp_poisson *solver, const float *b, float *x, sp_poisson_report *report,
                           sp_error *err);
/// The tolerance of the solves to come.
void sp_poisson_set_tolerance(sp_poisson *solver, double tolerance);
/// The same to another tolerance, with at most so many iterations of the cycle and no other ones.
sp_status sp_poisson_solve_roughly(sp_poisson *solver, double tolerance, int iterations,
                                   const float *b, float *x, sp_poisson_report *report,
                                   sp_error *err);
/// Whether an unknown of the last build is in a piece without any extra: nothing can flow out of it.
bool sp_poisson_is_closed(const sp_poisson *solver, size_t tile, int voxel);
size_t sp_poisson_bytes(const sp_poisson *solver); ///< memory in use

#endif
