// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_EXPORT_H
#define SPUME_EXPORT_H

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/mesh.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Frames for other programs: PLY, VTK XML, OBJ, OpenVDB and USD. Knows frames and meshes, no
/// solver. All but OpenVDB allocate nothing.
///
/// A particle set becomes DIR/<set>.<frame, six digits>.ply, .vtp or .obj. The plane field `height`
/// becomes the water's surface, DIR/height.<frame>.ply or .obj (triangles) or .vts, with the other
/// plane fields that have the same samples. OpenVDB puts sets and tile fields into one
/// DIR/spume.<frame>.vdb, USD puts all frames into one DIR/spume.usda. Positions are world
/// positions (origin added) in double, because floats far from the world's origin are too coarse
/// for small bubbles. Each file is written under a temporary name and renamed when complete; it
/// replaces an older one.

/// Names of attributes. Names not listed stay as they are in the frame.
typedef enum sp_export_names {
    SP_NAMES_PLAIN,   ///< velocity, and the radius twice: `radius` and `pscale`
    SP_NAMES_HOUDINI, ///< P, v, pscale; velocity of a field is vel
    SP_NAMES_BLENDER, ///< radius, velocity, density (for bubble_fraction)
} sp_export_names;

/// Start from sp_export_options_defaults(). NULL stands for the defaults in every call.
typedef struct sp_export_options {
    size_t struct_size; ///< as in sp_host
    sp_export_names names;
    bool ascii; ///< text instead of little-endian binary (PLY and VTK): larger, slower, readable
    /// OpenVDB: these sets become grids `density_<set>`, the share of each voxel that their balls
    /// fill. A column `count` says how many balls of `radius` a particle stands for. They need not
    /// be sets of the frame; one without particles gives an empty grid.
    const sp_set *density;
    size_t density_count;
    double density_voxel; ///< m; 0: the frame's
    /// Also `velocity_<set>` (for Houdini `vel_<set>`): the mean velocity of the particles, weighted
    /// by volume.
    bool density_velocity;
    int threads;         ///< OpenVDB: upper limit; 0: no limit
    const sp_host *host; ///< OpenVDB: threads and memory for densities; NULL: the default host
} sp_export_options;
SP_API sp_export_options sp_export_options_defaults(void);

/// One .ply for each particle set, and one for the surface. PLY has no vectors and no 64-bit
/// integers: a vector is three properties (velocity_x, velocity_y, velocity_z), and a 64-bit `id`
/// is two 32-bit ones, `id` (the low half, enough for the first 2^32 particles) and `id_high`. A
/// double would lose ids beyond 2^53. The directory must exist.
SP_API sp_status sp_export_ply(const char *dir, const sp_frame *frame,
                               const sp_export_options *options, sp_error *err);
/// One .vtp for each particle set (each point is a vertex cell), and a .vts for the surface; ids
/// are UInt64.
SP_API sp_status sp_export_vtk(const char *dir, const sp_frame *frame,
                               const sp_export_options *options, sp_error *err);
/// One .obj for each particle set, its points as `p` elements, and one for the surface with
/// normals. OBJ has no attributes: radius, velocity and id are lost.
SP_API sp_status sp_export_obj(const char *dir, const sp_frame *frame,
                               const sp_export_options *options, sp_error *err);
/// One .vdb with every tile field as a grid and every particle set as points. Point attributes are
/// always named P, v, pscale and id, as in OpenVDB's own files; options->names is for grids. Plane
/// fields are not written. SP_UNSUPPORTED when this build has no OpenVDB.
SP_API sp_status sp_export_vdb(const char *dir, const sp_frame *frame,
                               const sp_export_options *options, sp_error *err);
/// The message of a build without OpenVDB, so that a user sees it before anything is read; NULL
/// when this build has it.
SP_API const char *sp_export_vdb_missing(void);

typedef struct sp_export_moment {
    uint64_t frame;
    double time; ///< s
} sp_export_moment;
/// One DIR/<name>.pvd for each set of `frame` and for its surface: ParaView opens it as a time
/// series. `frame` is any frame of the run; the moments are those exported with sp_export_vtk().
SP_API sp_status sp_export_vtk_series(const char *dir, const sp_frame *frame,
                                      const sp_export_moment *moments, size_t count, sp_error *err);

/// Access to frames one at a time, in any order and more than once.
typedef struct sp_export_frames {
    void *user;
    size_t count;
    /// Frame k; it stays valid until the next call.
    sp_status (*get)(void *user, size_t k, const sp_frame **frame, sp_error *err);
} sp_export_frames;
/// DIR/spume.usda: one Points prim for each set and one Mesh for the surface, with time samples of
/// all frames. USD stores the samples of an attribute together, so each frame is read once for each
/// attribute, and only one is in memory at a time. The frames must ascend.
SP_API sp_status sp_export_usda(const char *dir, const sp_export_frames *frames, sp_error *err);

/// ---- Meshes from any source: DIR/<name>.<frame>.<extension> ------------------------------------

/// Writes v, vn and f.
SP_API sp_status sp_export_mesh_obj(const char *dir, const char *name, const sp_export_moment *when,
                                    const sp_mesh *mesh, sp_error *err);
/// Writes nx, ny, nz and velocity if the mesh has them.
SP_API sp_status sp_export_mesh_ply(const char *dir, const char *name, const sp_export_moment *when,
                                    const sp_mesh *mesh, const sp_export_options *options,
                                    sp_error *err);
/// Writes a level set grid named `surface` with voxels of `voxel` metres, three on either side. The
/// mesh must be closed.
SP_API sp_status sp_export_mesh_vdb(const char *dir, const char *name, const sp_export_moment *when,
                                    const sp_mesh *mesh, double voxel,
                                    const sp_export_options *options, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
