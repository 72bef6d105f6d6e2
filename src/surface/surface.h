// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SURFACE_H
#define SP_SURFACE_H

/// Makes closed triangle meshes from frames. In every mesh each edge has exactly two triangles,
/// which run along it in opposite directions. Results do not depend on the number of threads.

#include "frame/frame.h"
#include "tiles/tiles.h"

#include <spume/surface.h>

/// Signed distance to solids at a point of the world, m, negative inside, and the unit vector away
/// from them. Called by several threads at once.
typedef double sp_solid_fn(const void *solids, const double x[3], double away[3]);

/// Clips the surface before meshing: phi = max(phi, clip). The clip is a box, or a level set on its
/// own tiles.
typedef struct sp_clip {
    bool use_box;
    double low[3], high[3]; ///< m, world
    const sp_tiles *tiles;  ///< NULL: none
    const float *phi;
    /// Solids that the liquid of a set wets: liquid nearer than `wet` is extended up to the solid
    /// and `sink` deep into it, before all other clipping. NULL: none.
    sp_solid_fn *solid;
    const void *solids;
    float wet, sink; ///< m
} sp_clip;
/// Clips a level set, without the wetting. `origin` is the world position of the tiles' origin.
/// clip NULL does nothing.
void sp_surface_clip(const sp_tiles *tiles, float *phi, const sp_clip *clip,
                     const double origin[3]);

/// Counts and times, for logs and benchmarks.
typedef struct sp_surface_stats {
    size_t particles, tiles, voxels; ///< voxels within the band
    size_t bytes;                    ///< peak memory
    double seconds[6]; ///< neighbours+shapes, raster, redistance, cubes, smoothing, all
} sp_surface_stats;

/// Meshes the particles of a set. An empty set gives an empty mesh. `clip` and `stats` may be NULL.
/// The mesh has normals, and velocity if the set has one. err names a particle that is not finite.
sp_status sp_surface_points(const sp_surface_def *def, const sp_frame *frame, const char *set,
                            const sp_clip *clip, const sp_host *host, sp_mesh *mesh,
                            sp_surface_stats *stats, sp_error *err);
/// The same for chosen particles of the set (indices in ascending order).
sp_status sp_surface_some(const sp_surface_def *def, const sp_frame *frame, const char *set,
                          const uint32_t *chosen, size_t count, const sp_clip *clip,
                          const sp_host *host, sp_mesh *mesh, sp_surface_stats *stats,
                          sp_error *err);
/// Meshes a tile field of a frame, such as `surface`; closed where the field ends inside. The mesh
/// has velocity if the frame has a tile field `velocity` of three components.
sp_status sp_surface_field(const sp_surface_def *def, const sp_frame *frame, const char *field,
                           const sp_clip *clip, const sp_host *host, sp_mesh *mesh,
                           sp_surface_stats *stats, sp_error *err);
/// Meshes a plane field of heights as a closed block over the ground (height - depth, or level
/// ground when `depth` is NULL). Cells with less than a millimetre of water are left out, with
/// walls along their borders. The floor lies a millimetre below the ground, so that the two never
/// coincide; level ground lies a twentieth of the longer side below the lowest height.
sp_status sp_surface_height(const sp_field *height, const sp_field *depth, const sp_host *host,
                            sp_mesh *mesh, sp_error *err);

/// Separates particles of larger pockets from isolated ones. The union of spheres of sqrt(3/4)
/// voxels is redistanced, eroded by 1.02 of that, and dilated again; particles outside the result
/// are isolated. isolated[i] is 1 or 0.
sp_status sp_surface_split(const sp_frame *frame, const char *set, const sp_host *host,
                           uint8_t *isolated, sp_error *err);

/// sp_surface_frame() that also tells which particles of a set are isolated: flags[i] is 1 or 0. `flags` may be NULL.
sp_status sp_surface_make(const sp_surface_def *def, const sp_frame *frame, const char *name,
                          sp_surface_isolated isolated, const sp_clip_solids *solids,
                          const sp_host *host, uint8_t *flags, sp_mesh *mesh, sp_error *err);

/// ---- Balls (balls_to_mesh.c) -------------------------------------------------------------------

/// Appends a closed ball for each particle of the set with wanted[i] set (NULL: for all), with the
/// particle's radius and exactly its volume (corners lie a little outside, faces inside). Balls of
/// any size are meshed, and none is clipped. Particles without a radius have the volume of an
/// eighth of a voxel. The mesh comes from a sp_surface_... call or is zeroed; on failure it is
/// unchanged.
sp_status sp_surface_balls(const sp_frame *frame, const char *set, const uint8_t *wanted,
                           const sp_host *host, sp_mesh *mesh, sp_error *err);

/// Triangulation of a ball: `rings` circles of `round` corners, and two poles.
typedef struct sp_ball {
    uint32_t round, rings;
} sp_ball;
size_t sp_ball_vertices(sp_ball ball);
size_t sp_ball_triangles(sp_ball ball);
/// Writes corners on the unit sphere around 0, poles along z, and triangles whose vertex numbers
/// start at `first`.
void sp_ball_put(sp_ball ball, float (*x)[3], uint32_t (*tri)[3], uint32_t first);

/// ---- Meshing (marching_cubes.c) ----------------------------------------------------------------

/// Marching cubes over samples at cell centres, phi < 0 inside. Outside the tiles phi is
/// `background` (> 0). SP_ASSERT fails if missing tiles would cut the surface off.
sp_status sp_surface_cubes(const sp_tiles *tiles, const float *phi, float background,
                           const sp_host *host, sp_mesh *mesh, sp_error *err);
/// `passes` Taubin pairs; each connected piece keeps its volume; normals are recomputed.
sp_status sp_surface_taubin(sp_mesh *mesh, int passes, const sp_host *host, sp_error *err);

#endif
