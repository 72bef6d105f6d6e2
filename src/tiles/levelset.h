// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_LEVELSET_H
#define SP_TILES_LEVELSET_H

/// Level sets on tiles: signed distances at cell centres, m, negative inside. Values are clamped to
/// +-band; the background outside all tiles is +band. A level set is a plain array that belongs to
/// a topology.

#include "tiles/tiles.h"

/// phi = min over n spheres of |x - c| - r, clamped to +-band. r NULL: all spheres have `radius`.
/// Spheres are binned by tile and each tile takes the minimum over its own list: no atomics, and
/// the result does not depend on threads. The topology must hold every tile within `band` of a
/// sphere's surface (sp_tiles_cover with reach = band does). Inside the union phi is only a bound
/// of the distance until it is redistanced.
sp_status sp_levelset_spheres(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                              const float *z, const float *r, float radius, float band, float *phi,
                              sp_error *err);

/// Level set of liquid from particles (Zhu and Bridson 2005): phi(x) = |x - mean x_p| - radius with
/// weights (1 - (|x - x_p|/support)^2)^3. The radius is reduced where the mean changes too fast
/// with x (Solenthaler 2007): it fades to 0 as the largest eigenvalue of the symmetric part of
/// d(mean)/dx goes from 0.4 to 2. Cells with no particle within the support get +band. Cells that
/// hold particles, as do all their 26 neighbours, get -radius without a sum. The result is not a
/// distance: redistance it.
sp_status sp_levelset_particles(const sp_tiles *tiles, size_t n, const float *x, const float *y,
                                const float *z, float support, float radius, float band, float *phi,
                                sp_error *err);

/// Redistances: makes phi a signed distance within +-band and keeps its zero level set, by passes
/// over tiles that do not depend on threads (redistance.c). Crossings of the axes stay where they
/// are: within 0.001 voxel if phi was a distance, else within about a tenth of a voxel over the
/// radius of curvature in voxels. |gradient| is 1 within 5 % where the curvature is less than 1/8
/// per voxel. Cells far from the surface keep their sign and become +-band. The border to tiles
/// that do not exist is not a surface. Fails when a value is not finite, and leaves phi unchanged.
sp_status sp_levelset_redistance(const sp_tiles *tiles, float *phi, float band, sp_error *err);
/// The same for a phi that was a distance before a step advected it: seeds whose slope may still be
/// 1 keep their value, so that the surface does not drift when this is called each step. After a
/// thousand calls the volume of a distance is within 0.1 %, corners, edges and thin sheets
/// included.
sp_status sp_levelset_refresh(const sp_tiles *tiles, float *phi, float band, sp_error *err);

/// Moves the surface outward by `distance`, m (inward when it is negative), and redistances within
/// the band. phi must be a distance within |distance| + band beforehand.
sp_status sp_levelset_offset(const sp_tiles *tiles, float *phi, float distance, float band,
                             sp_error *err);

/// `passes` of curvature flow, phi += 0.1*voxel^2 * kappa*|grad phi|: smooths bumps of about a
/// voxel. The result is not exactly a distance: redistance it.
sp_status sp_levelset_smooth(const sp_tiles *tiles, float *phi, float band, int passes,
                             sp_error *err);
/// Twice the mean curvature, div(grad phi/|grad phi|), 1/m, by central differences, clamped to
/// +-most/voxel; 0 where phi is flat.
void sp_levelset_curvature(const sp_tiles *tiles, const float *phi, float band, float most,
                           float *kappa);
/// Volume where phi < 0, m3; phi must be a distance. Cells that the surface cuts count in part
/// (volume.c), corrected for the curvature within a cell. The sum has a fixed order.
double sp_levelset_volume(const sp_tiles *tiles, const float *phi);

/// An object with a signed distance function.
typedef struct sp_levelset_source {
    const void *what;
    /// Signed distance at p, m; beyond `reach` only its sign is right. Called by several threads at
    /// once.
    double (*distance)(const void *what, const double p[3], double reach, sp_distance_hint *hint);
    /// Evaluates the distance at every voxel, also in tiles far from the surface: the sign of a
    /// mesh with holes changes where there is no surface.
    bool every_voxel;
} sp_levelset_source;
/// Signed distance at cell centres, clamped to +-band. Voxel (0, 0, 0) has its low corner at
/// `origin`, m.
void sp_levelset_from_distance(const sp_levelset_source *source, const sp_tiles *tiles,
                               const double origin[3], float band, float *phi);

#endif
