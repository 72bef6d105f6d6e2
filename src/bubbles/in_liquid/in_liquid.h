// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_IN_LIQUID_H
#define SP_BUBBLES_IN_LIQUID_H

/// Bubbles in water that has a surface and particles of its own: the solver `liquid` (WFS22 figure 14).
///
/// The liquid leads. In its substep, in place of its pressure solve, it calls the bubbles' substep on the
/// same tiles: the stages are those of still water but for advection, which the liquid has done, and the
/// solve, which has the liquid's surface, solids and sides. The grid's u is the liquid's without the
/// velocity that gravity adds in the substep, as in still water; project_mixture.c adds it.

#include "bubbles/step.h"

/// Opens the water of the scene, and lays the grid as it does.
sp_status bubbles_open_liquid(bubbles *s, const sp_setup *setup, sp_error *err);
void bubbles_close_liquid(bubbles *s);
/// Tells the water which share of its voxels is air.
sp_status bubbles_tell_share(bubbles *s, sp_error *err);
/// 1  Moves particles to the liquid's tiles, lets new ones in, and takes over the water's velocity.
sp_status bubbles_advance_in_liquid(bubbles *s, double dt, sp_error *err);
/// The liquid's tiles become the grid's.
sp_status bubbles_take_tiles(bubbles *s, sp_error *err);
/// Removes particles that reach the surface, but for grains. New ones that are not in water are dropped.
sp_status bubbles_meet_surface(bubbles *s, sp_error *err);
void bubbles_drop_dry(bubbles *s);
/// Divergence that makes room for particles that were let in in this substep; adds to the wanted one.
void bubbles_make_room(bubbles *s, double dt);
/// 3  The gradient of the last pressure as the first guess of a substep.
sp_status bubbles_guess_in_liquid(bubbles *s, double dt, sp_error *err);
/// h  As bubbles_project_timed(), with the liquid's solve.
sp_status bubbles_project_in_liquid(bubbles *s, float *const loose[3], double dt, sp_error *err);
/// Values of faces that `known` lacks, up to three faces away: the mean of known neighbours, and in solids
/// the solid's velocity if `solid`.
sp_status bubbles_extend_in_liquid(bubbles *s, sp_tile_mask *const known[3], float *const u[3],
                                   bool solid, sp_error *err);

#endif
