// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_SURFACE_H
#define SPUME_SURFACE_H

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/mesh.h>
#include <spume/scene.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Frames in, closed triangle meshes out: each edge has exactly two triangles, which run along it in opposite
/// directions. The mesh is the same for any number of threads. docs/surfaces.md describes the methods.

/// How the particles of a set become a level set.
typedef enum sp_surface_method {
    SP_SURFACE_SPHERES,     ///< phi = min |x - x_p| - r_p
    SP_SURFACE_ZHU_BRIDSON, ///< weighted mean position; for liquids
    SP_SURFACE_ELLIPSOIDS,  ///< Yu and Turk 2013; smooth in sheets and in the bulk
} sp_surface_method;

/// What becomes of isolated particles: those that are no part of a larger pocket of air, and all of foam, spray and
/// sand.
typedef enum sp_surface_isolated {
    SP_ISOLATED_MESH, ///< each is a ball of its own radius; those of a liquid belong to its surface
    SP_ISOLATED_DROP, ///< they are left out
} sp_surface_isolated;

/// Start from sp_surface_defaults() and change only what you mean to.
typedef struct sp_surface_def {
    size_t struct_size; ///< as in sp_host
    sp_surface_method method;
    float spacing; ///< m; spacing of particles in the bulk. 0: half the frame's voxel
    int refine;    ///< grid cells along a voxel of the frame: 1 to 4; 2
    float search;  ///< spacings; neighbourhood of a particle: 1.5 to 6; 2.5 gives the right volume
    float smooth_centers; ///< 0 to 1; lambda of Yu and Turk: 0.9
    float stretch;        ///< 1 to 10; largest ratio of variances k_r: 4
    int min_neighbours;   ///< below it: a small ball. 0: a tenth of those in the bulk
    float isolated_scale; ///< 0.1 to 1; k_n, size of such a ball: 0.5
    /// Moves the surface outward, voxels of the frame, -1 to 1. NAN: 0, but for ellipsoids the offset that puts the
    /// surface of a half-space of particles with this spacing, search and lambda at its true height.
    float offset;
    int level_passes; ///< passes of curvature flow on the grid: 1
    int mesh_passes;  ///< Taubin pairs on the mesh, volume kept: 0
    bool components;  ///< also number the connected pieces
} sp_surface_def;
SP_API sp_surface_def sp_surface_defaults(void);

/// The solids of a scene, to clip surfaces at. **A liquid's level set reaches several voxels into solids and past the
/// sides of the domain**: unclipped, a tank of 25 voxels holds three times its water. Pass solids unless you mean that.
typedef struct sp_clip_solids sp_clip_solids;
/// The sides of the domain and, with `colliders`, the colliders of a world (sp_scene_world()). The scene may be closed
/// afterwards; the host must outlive the solids. On failure *out is NULL.
SP_API sp_status sp_clip_solids_open(const sp_world_def *world, bool colliders, const sp_host *host,
                                     sp_clip_solids **out, sp_error *err);
SP_API void sp_clip_solids_close(sp_clip_solids *solids); ///< NULL is allowed

/// The name of what sp_surface_frame() would mesh: `wanted` where the frame has such a set, tile field of
/// distances or the plane field "height"; with NULL the water, which is "surface", "liquid" or "height". NULL when
/// the frame has none.
SP_API const char *sp_surface_source(const sp_frame *frame, const char *wanted);
/// Meshes a set or field of a frame; `name` as sp_surface_source() gives it. `isolated` is for sets. `solids` may be
/// NULL: nothing is clipped. The mesh carries normals, and velocity where the frame has it. An empty set gives an
/// empty mesh; on failure the mesh is zeroed. Close it with sp_mesh_close().
SP_API sp_status sp_surface_frame(const sp_surface_def *def, const sp_frame *frame,
                                  const char *name, sp_surface_isolated isolated,
                                  const sp_clip_solids *solids, const sp_host *host, sp_mesh *mesh,
                                  sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
