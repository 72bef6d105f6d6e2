// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_LEVELSET_H
#define SP_TILES_LEVELSET_H

/// Signed distances on tiles, in cells: negative inside. Values beyond the band are +-band, and so is the
/// background outside all tiles (+band). A level set is a plain array beside its topology.

#include "tiles/tiles.h"

/// min over spheres of |x - c| - r, within +-band; n spheres with r either an array or one `radius` for all (r NULL).
/// Spheres are binned by tile and each tile takes the minimum over its own list: no atomics, and the
/// result does not depend on threads. The topology must hold every tile within band of a sphere's surface
/// (sp_tiles_cover with reach = band does).
sp_status sp_levelset_spheres(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                              const float *z, const float *r, float radius, float band, float *phi,
                              sp_error *err);

/// Liquid out of particles (Zhu and Bridson 2005): phi(x) = |x - mean x_p| - radius with weights
/// (1 - (|x - x_p|/support)^2)^3, the radius taken back where the mean moves too fast with x (Solenthaler 2007): it
/// fades between 0.4 and 2 of the largest eigenvalue of d(mean)/dx. Cells that no particle reaches get +band. Not a
/// distance yet: redistance it.
sp_status sp_levelset_particles(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                                const float *z, float support, float radius, float band, float *phi,
                                sp_error *err);

/// Turns any field with the right zero into a signed distance within +-band: seeds next to the zero from exact
/// crossings along the axes, then fast sweeping, tile by tile with halos, Jacobi between tiles so that threads do
/// not matter. |gradient| is 1 within 5 % in the band.
sp_status sp_levelset_redistance(const sp_tiles *tiles, float *phi, float band, sp_error *err);

/// Moves the surface inward (erode) or outward (dilate) by `distance` and makes it a distance again within the band.
/// phi must be a distance within `distance` + band beforehand.
sp_status sp_levelset_erode(const sp_tiles *tiles, float *phi, float distance, float band,
                            sp_error *err);
sp_status sp_levelset_dilate(const sp_tiles *tiles, float *phi, float distance, float band,
                             sp_error *err);

/// `passes` of curvature flow, phi += 0.1*voxel^2 * kappa*|grad phi|: smooths bumps of about a voxel.
sp_status sp_levelset_smooth(const sp_tiles *tiles, float *phi, float band, int passes,
                             sp_error *err);
/// Mean curvature's double, div(grad phi/|grad phi|), 1/m, by central differences, clamped to +-1/voxel.
void sp_levelset_curvature(const sp_tiles *tiles, const float *phi, float band, float *kappa);
/// Volume where phi < 0, m3, with a smoothed step over the cells that the surface cuts; in a fixed order.
double sp_levelset_volume(const sp_tiles *tiles, const float *phi);

#endif
