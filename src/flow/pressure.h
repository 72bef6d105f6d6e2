// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_PRESSURE_H
#define SP_FLOW_PRESSURE_H

/// The pressure equation on tiles. Each unknown cell c asks for
///
///     sum over its faces of w beta (x_c - x_n)/theta
///         = source_c + sum over low faces of F - sum over high faces of F,   F = w flux + (1-w) u_s
///
/// w is the share of a face that solids leave open, u_s the velocity of the solid there. The caller
/// says what beta, flux and source are; x is then pressure in a unit of the caller's choice. Liquid
/// has beta = 1, flux = u and x = p dt/(density voxel) in m/s; a mixture of water and bubbles has
/// beta and flux of its own.
///
/// `level` says what each cell is:
///
///     < 0               an unknown
///     0 ... < INFINITY  fixed (Dirichlet). x is known where level is 0 on the line between the two
///                       centres: theta = level_c/(level_c - level_n) of a voxel away from c, at
///                       least 0.01. With level_n = 0 that is the fixed cell's centre, theta = 1;
///                       with signed distances it is the surface (ghost fluid).
///     INFINITY          closed: no unknown, and its faces keep the velocity that they have
///
/// x at that place is fixed_n + jump_scale (jump_c + theta (jump_n - jump_c)).

#include "flow/solids.h"
#include "poisson/poisson.h"

typedef struct sp_flow_equation {
    const sp_tiles *tiles;
    const sp_flow_solids *solids; ///< open shares w and velocities u_s; NULL: all faces are open
    const float *level;           ///< by cell, see above
    float level_outside;          ///< of cells outside all tiles
    const float *fixed;           ///< by cell: x of fixed cells; NULL: 0. It is 0 outside all tiles
    const float *jump;            ///< by cell; NULL: 0
    float jump_scale;
    const float *beta[3]; ///< on low faces, >= 0; NULL: 1 everywhere
    float beta_outside;   ///< of faces that no tile owns, where beta is given
    const float *flux[3]; ///< on low faces, m/s; NULL: 0. It is 0 on faces that no tile owns
    const float *source;  ///< by cell, m/s: wanted divergence times voxel; NULL: 0
} sp_flow_equation;

/// The equation as the solver takes it. All memory is the scratch's.
typedef struct sp_flow_system {
    sp_flow_equation equation;
    uint8_t *state; ///< by tile: 0 where it has no unknown
    uint32_t *row;  ///< by tile, as in sp_poisson_system
    float *face[3], *extra;
    size_t rows;
    float *b; ///< right side, by cell, m/s
} sp_flow_system;

/// Puts the system together (pressure_system.c). Its memory stays taken until the caller rewinds the
/// scratch. The equation's arrays must stay as they are until the system is no longer used, but for
/// `flux`. Fails for want of memory.
sp_status sp_flow_system_make(const sp_flow_equation *equation, sp_scratch *scratch,
                              sp_flow_system *system, sp_error *err);
/// Solves it for x (by cell), starting from what x holds. Fails as sp_poisson_solve does; that it
/// did not converge is no failure but told by the report.
sp_status sp_flow_system_solve(const sp_flow_system *system, sp_poisson *poisson, float *x,
                               sp_poisson_report *report, sp_error *err);

/// ---- Velocity (pressure_gradient.c) ------------------------------------------------------------

/// Takes scale times the difference of x across each face, over theta, off u. `scale` on low faces;
/// NULL: 1. `touched` tells where: faces that are open at all, beside an unknown and not closed.
/// Other faces are left alone.
void sp_flow_subtract_gradient(const sp_flow_system *system, const float *x,
                               const float *const scale[3], float *const u[3],
                               sp_tile_mask *const touched[3]);
/// Largest |sum of F out of a cell - source| over the unknowns that have an open face, with flux = u,
/// m/s: what the right side would be if it were made again. `most` is memory for a number a tile.
double sp_flow_imbalance(const sp_flow_system *system, const float *const u[3], double *most);

#endif
