// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_PRESSURE_H
#define SP_FLOW_PRESSURE_H

/// The pressure equation on tiles. For each unknown cell c it is
///
///     sum over its faces of w beta (x_c - x_n)/theta
///         = source_c + sum over low faces of F - sum over high faces of F,   F = w flux + (1-w)
///         u_s
///
/// w is the fraction of a face that solids leave open, u_s the velocity of the solid there. The
/// caller defines beta, flux and source; x is then pressure in a unit of the caller's choice.
/// Liquid has beta = 1, flux = u and x = p dt/(density voxel) in m/s; a mixture of water and
/// bubbles has its own beta and flux.
///
/// `level` defines the kind of each cell:
///
///     < 0               an unknown
///     0 ... < INFINITY  fixed (Dirichlet). x is known at the point between the two centres where
///                       level is 0: theta = level_c/(level_c - level_n) of a voxel away from c, at
///                       least 0.01. With level_n = 0 that is the fixed cell's centre, theta = 1;
///                       with signed distances it is the surface (ghost fluid).
///     INFINITY          closed: no unknown, and its faces keep their velocity
///
/// x at that point is fixed_n + jump_scale (jump_c + theta (jump_n - jump_c)).

#include "flow/solids.h"
#include "poisson/poisson.h"

typedef struct sp_flow_equation {
    const sp_tiles *tiles;
    const sp_flow_solids *solids; ///< open fractions w, velocities u_s; NULL: all faces are open
    const float *level;           ///< by cell, see above
    float level_outside;          ///< level of cells outside all tiles
    const float *fixed;           ///< by cell: x of fixed cells; NULL: 0. It is 0 outside all tiles
    const float *jump;            ///< by cell; NULL: 0
    float jump_scale;
    const float *beta[3]; ///< on low faces, >= 0; NULL: 1 everywhere
    /// By tile: beta is 1 on all its low faces, so that the tile may need no coefficients; NULL: in none.
    const uint8_t *beta_is_one;
    float beta_outside;   ///< of faces that no tile owns, if beta is not NULL
    const float *flux[3]; ///< on low faces, m/s; NULL: 0. It is 0 on faces that no tile owns
    const float *source;  ///< by cell, m/s: prescribed divergence times voxel; NULL: 0
} sp_flow_equation;

/// The linear system for sp_poisson. All its memory is from the scratch.
typedef struct sp_flow_system {
    sp_flow_equation equation;
    uint8_t *state; ///< by tile: 0 if it has no unknown
    uint32_t *row;  ///< by tile, as in sp_poisson_system
    float *face[3], *extra;
    size_t rows;
    float *b; ///< right side, by cell, m/s
} sp_flow_system;

/// Assembles the system (pressure_system.c). Its memory stays in use until the caller rewinds the
/// scratch. The equation's arrays, except `flux`, must not change while the system is in use. Fails
/// if memory is short.
sp_status sp_flow_system_make(const sp_flow_equation *equation, sp_scratch *scratch,
                              sp_flow_system *system, sp_error *err);
/// Solves for x (by cell), with x as the initial guess. Fails as sp_poisson_solve does; if it does
/// not converge, that is no failure but is in the report.
sp_status sp_flow_system_solve(const sp_flow_system *system, sp_poisson *poisson, float *x,
                               sp_poisson_report *report, sp_error *err);

/// ---- Velocity (pressure_gradient.c) ------------------------------------------------------------

/// u -= scale * (difference of x across the face) / theta. `scale` is on low faces; NULL: 1. Sets
/// `touched` for the faces that change: open at least in part, next to an unknown and not closed.
/// Other faces keep their velocity.
void sp_flow_subtract_gradient(const sp_flow_system *system, const float *x,
                               const float *const scale[3], float *const u[3],
                               sp_tile_mask *const touched[3]);
/// The same from the equation alone, for an x that was found before: it looks at every tile.
void sp_flow_subtract_gradient_of(const sp_flow_equation *equation, const float *x,
                                  float *const u[3], sp_tile_mask *const touched[3]);
/// Divergence times voxel of the equation's flux in a tile, m/s: the sum of F out of each unknown
/// that has an open face; 0 in other cells.
void sp_flow_divergence(const sp_flow_equation *equation, uint32_t tile, float out[SP_TILE_VOXELS]);

#endif
