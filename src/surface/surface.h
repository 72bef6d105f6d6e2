// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SURFACE_H
#define SP_SURFACE_H

/// Frames in, closed triangle meshes out. Every mesh that leaves this room is closed: each edge has
/// exactly two triangles that run along it in opposite directions. Nothing depends on the number of
/// threads.

#include "frame/frame.h"
#include "tiles/tiles.h"

#include <spume/surface.h>

/// Signed distance to solids at a point of the world, m, negative inside, and the unit vector away
/// from them. Called by several threads at once.
typedef double sp_solid_fn(const void *solids, const double x[3], double away[3]);

/// Cuts the surface before meshing: phi = max(phi, clip). A box, or any field of distances on tiles
/// of its own.
typedef struct sp_clip {
    bool use_box;
    double low[3], high[3]; ///< m, world
    const sp_tiles *tiles;  ///< NULL: none
    const float *phi;
    /// Solids that a set's liquid wets: nearer than `wet` to them it is drawn up to them and `sink`
    /// deep into them, before all other clipping. NULL: none.
    sp_solid_fn *solid;
    const void *solids;
    float wet, sink; ///< m
} sp_clip;
/// Does so to a level set by itself, the wetting left out; `origin` is where its tiles count from. NULL as
/// clip does nothing.
void sp_surface_clip(const sp_tiles *tiles, float *phi, const sp_clip *clip,
                     const double origin[3]);

/// What was done, for logs and benchmarks.
typedef struct sp_surface_stats {
    size_t particles, tiles, voxels; ///< voxels within the band
    size_t bytes;                    ///< at the peak
    double seconds[6]; ///< neighbours+shapes, raster, redistance, cubes, smoothing, all
} sp_surface_stats;

/// A set's particles as one mesh. An empty set gives an empty mesh. `clip` and `stats` may be NULL.
/// The mesh carries normals, and velocity where the set has one. A particle that is not a number is
/// named in err.
sp_status sp_surface_points(const sp_surface_def *def, const sp_frame *frame, const char *set,
                            const sp_clip *clip, const sp_host *host, sp_mesh *mesh,
                            sp_surface_stats *stats, sp_error *err);
/// The same for chosen particles of the set (indices in ascending order).
sp_status sp_surface_some(const sp_surface_def *def, const sp_frame *frame, const char *set,
                          const uint32_t *chosen, size_t count, const sp_clip *clip,
                          const sp_host *host, sp_mesh *mesh, sp_surface_stats *stats,
                          sp_error *err);
/// A tile field of a frame, such as `surface`, as a mesh, closed where the field ends inside. Where
/// the frame has a tile field `velocity` of three components the mesh carries it.
sp_status sp_surface_field(const sp_surface_def *def, const sp_frame *frame, const char *field,
                           const sp_clip *clip, const sp_host *host, sp_mesh *mesh,
                           sp_surface_stats *stats, sp_error *err);
/// A plane field of heights over ground (height - depth, or level ground when `depth` is NULL) as a
/// closed block; cells with less than a millimetre of water are left out and their borders walled.
/// The floor lies a millimetre below the ground, so that it never coincides with it; level ground
/// lies a twentieth of the longer side below the lowest height.
sp_status sp_surface_height(const sp_field *height, const sp_field *depth, const sp_host *host,
                            sp_mesh *mesh, sp_error *err);

/// Which particles belong to larger pockets and which stand alone: the union of spheres of
/// sqrt(3/4) voxels is redistanced, eroded by 1.02 of that, dilated again, and what it no longer
/// holds is isolated. isolated[i] is 1 or 0.
sp_status sp_surface_split(const sp_frame *frame, const char *set, const sp_host *host,
                           uint8_t *isolated, sp_error *err);

/// sp_surface_frame() that also tells which particles of a set are isolated: flags[i] is 1 or 0. `flags` may be NULL.
sp_status sp_surface_make(const sp_surface_def *def, const sp_frame *frame, const char *name,
                          sp_surface_isolated isolated, const sp_clip_solids *solids,
                          const sp_host *host, uint8_t *flags, sp_mesh *mesh, sp_error *err);

/// ---- Balls (balls_to_mesh.c) -------------------------------------------------------------------

/// Appends a closed ball for each particle of the set with wanted[i] set (NULL: for all), of the
/// particle's own radius and exactly its volume (corners lie a little outside, faces inside). None
/// is too small to be seen, and none is clipped. Particles without a radius stand for an eighth of
/// a voxel. The mesh is one of a sp_surface_... call, or zeroed; on failure it stays as it was.
sp_status sp_surface_balls(const sp_frame *frame, const char *set, const uint8_t *wanted,
                           const sp_host *host, sp_mesh *mesh, sp_error *err);

/// How a ball is cut into triangles: `rings` circles of `round` corners, and two poles.
typedef struct sp_ball {
    uint32_t round, rings;
} sp_ball;
size_t sp_ball_vertices(sp_ball ball);
size_t sp_ball_triangles(sp_ball ball);
/// Corners on the unit sphere around 0, poles along z, and triangles whose corners count from
/// `first`.
void sp_ball_put(sp_ball ball, float (*x)[3], uint32_t (*tri)[3], uint32_t first);

/// ---- Meshing (marching_cubes.c) ----------------------------------------------------------------

/// Marching cubes over samples at cell centres, phi < 0 inside. The level set's background outside
/// its tiles is `background` (> 0); a surface that would be cut off by missing tiles is an
/// SP_ASSERT.
sp_status sp_surface_cubes(const sp_tiles *tiles, const float *phi, float background,
                           const sp_host *host, sp_mesh *mesh, sp_error *err);
/// `passes` Taubin pairs; each connected piece keeps its volume; normals are made anew.
sp_status sp_surface_taubin(sp_mesh *mesh, int passes, const sp_host *host, sp_error *err);

#endif
