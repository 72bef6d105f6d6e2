// SPDX-License-Identifier: Apache-2.0
/// Hands the current water to whitewater as bulk (bulk/bulk.h), without a frame.
///
/// phi, and u on faces beside water, equal those of a frame. Other faces have the solver's own
/// velocity; a reader of frames extrapolates it from the water's (bulk/frame.c):
///
///                      here                                        read from a frame
///     above the water  a line through the faces below              mean of the neighbours
///     in walls         the wall's, and along it what slip leaves   mean of the neighbours
///     around spray     the particles' own                          that of the nearest water
///     reach            extrapolate_cells, or ceil(cfl) + 2 voxels  8 voxels
///
/// The tiles here are periodic where the domain is; the tiles of a frame end at its sides.
#include "bulk/bulk.h"
#include "liquid/internal.h"

sp_status liquid_moment(void *solver, sp_bulk_moment *moment, sp_error *err)
{
    const liquid *s = solver;
    (void)err;
    *moment = (sp_bulk_moment){.tiles = &s->grid.tiles,
                               .phi = s->grid.phi,
                               .band = s->grid.band,
                               .u = {s->grid.u[0], s->grid.u[1], s->grid.u[2]},
                               .aeration = s->grid.aeration};
    memcpy(moment->origin, s->grid.origin, sizeof moment->origin);
    return SP_OK;
}
