// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_LEVELSET_H
#define SP_TILES_LEVELSET_H

/// Signed distances on tiles, at the centres of cells, in metres: negative inside. Values beyond
/// the band are +-band, and so is the background outside all tiles (+band). A level set is a plain
/// array beside its topology.

#include "tiles/tiles.h"

/// min over spheres of |x - c| - r, within +-band; n spheres with r either an array or one `radius`
/// for all (r NULL). Spheres are binned by tile and each tile takes the minimum over its own list:
/// no atomics, and the result does not depend on threads. The topology must hold every tile within
/// band of a sphere's surface (sp_tiles_cover with reach = band does). Inside the union it is a
/// bound and no distance until it is redistanced.
sp_status sp_levelset_spheres(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                              const float *z, const float *r, float radius, float band, float *phi,
                              sp_error *err);

/// Liquid out of particles (Zhu and Bridson 2005): phi(x) = |x - mean x_p| - radius with weights (1
/// - (|x - x_p|/support)^2)^3, the radius taken back where the mean moves too fast with x
/// (Solenthaler 2007): it fades as the largest eigenvalue of the symmetric part of d(mean)/dx goes
/// from 0.4 to 2. Cells that no particle reaches get +band; cells whose 26 neighbours and which
/// themselves hold particles get -radius without being asked. Not a distance yet: redistance it.
sp_status sp_levelset_particles(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                                const float *z, float support, float radius, float band, float *phi,
                                sp_error *err);

/// Turns any field with the right zero into a signed distance within +-band, by passes over tiles
/// that do not depend on threads (redistance.c). Crossings of the axes stay where they are: a
/// distance's within 0.001 voxel, another field's within about a tenth of a voxel over its radius
/// of curvature in voxels. |gradient| is 1 within 5 % where the surface bends less than 1/8 a
/// voxel. Cells that no surface is near to keep their sign and become +-band; tiles that do not
/// exist are no surface. Fails when a value is not finite, with phi as it was.
sp_status sp_levelset_redistance(const sp_tiles *tiles, float *phi, float band, sp_error *err);
/// The same for what was a distance until a step moved it: seeds whose slope may still be 1 keep
/// their value, so that the surface does not creep though this is done each step. A distance's
/// volume stays within 0.1 % in a thousand times, corners, edges and thin sheets included.
sp_status sp_levelset_refresh(const sp_tiles *tiles, float *phi, float band, sp_error *err);

/// Moves the surface inward (erode) or outward (dilate) by `distance` and makes it a distance again
/// within the band. phi must be a distance within `distance` + band beforehand.
sp_status sp_levelset_erode(const sp_tiles *tiles, float *phi, float distance, float band,
                            sp_error *err);
sp_status sp_levelset_dilate(const sp_tiles *tiles, float *phi, float distance, float band,
                             sp_error *err);

/// `passes` of curvature flow, phi += 0.1*voxel^2 * kappa*|grad phi|: smooths bumps of about a
/// voxel. No distance afterwards, strictly: redistance it.
sp_status sp_levelset_smooth(const sp_tiles *tiles, float *phi, float band, int passes,
                             sp_error *err);
/// Mean curvature's double, div(grad phi/|grad phi|), 1/m, by central differences, clamped to
/// +-1/voxel; 0 where phi is flat.
void sp_levelset_curvature(const sp_tiles *tiles, const float *phi, float band, float *kappa);
/// Volume where phi < 0, m3, of a distance: a step smoothed over the cells that the surface cuts,
/// with the surface's bend over a cell taken into account; in a fixed order.
double sp_levelset_volume(const sp_tiles *tiles, const float *phi);

/// Anything that knows its signed distance.
typedef struct sp_levelset_source {
    const void *what;
    /// Signed distance at p, m; beyond `reach` only its sign is right. Called by several threads at
    /// once.
    double (*distance)(const void *what, const double p[3], double reach, sp_distance_hint *hint);
    /// Every voxel is asked, also in tiles that the surface is far from: a mesh with holes changes
    /// its sign where no surface is.
    bool every_voxel;
} sp_levelset_source;
/// Signed distance at the centres of cells, cut off at +-band. Voxel (0, 0, 0) has its low corner at
/// `origin`, m.
void sp_levelset_from_distance(const sp_levelset_source *source, const sp_tiles *tiles,
                               const double origin[3], float band, float *phi);

#endif
