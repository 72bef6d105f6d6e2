// SPDX-License-Identifier: Apache-2.0
#ifndef SP_MESH_H
#define SP_MESH_H

/// Triangle meshes beyond the public header: files, closest point, winding number, signed distance.

#include "core/core.h"

#include <spume/mesh.h>

/// ---- Files (read_mesh.c and one file a format) -------------------------------------------------

/// Reads .obj, .stl (text or binary) or .ply (text or binary, either byte order). Polygons become
/// triangle fans, triangles that use a vertex twice are dropped, identical corners of an STL become
/// one vertex. Sizes are checked before anything is allocated. Damaged files are refused with the
/// line or byte at fault, and so is a file without a triangle. The mesh has no normals; its origin
/// is zero.
sp_status sp_mesh_read(const char *path, const sp_host *host, sp_mesh *mesh, sp_error *err);
/// Reads a water surface from .bobj (FLIP Fluids add-on) or .ply. As above, but the mesh may be
/// empty, all vertices of the file are kept, and vertices of a PLY get their velocity where the
/// file has one: velocity_x velocity_y velocity_z, v_x v_y v_z or vx vy vz; u v w if none of those.
sp_status sp_mesh_read_water(const char *path, const sp_host *host, sp_mesh *mesh, sp_error *err);
/// Either for a file that is already in memory; the ending of `name` gives the format.
sp_status sp_mesh_parse(const char *name, const unsigned char *bytes, size_t count, bool water,
                        const sp_host *host, sp_mesh *mesh, sp_error *err);

/// ---- Triangles (mesh.c) ------------------------------------------------------------------------

static inline void sp_mesh_put(sp_mesh *mesh, size_t triangle, size_t a, size_t b, size_t c)
{
    mesh->tri[triangle][0] = (uint32_t)a;
    mesh->tri[triangle][1] = (uint32_t)b;
    mesh->tri[triangle][2] = (uint32_t)c;
}
/// The cross product of two sides: along the normal, twice the area long, m^2.
void sp_mesh_cross(const sp_mesh *mesh, size_t triangle, double cross[3]);
/// Reverses the triangles if the volume is negative; true if so.
bool sp_mesh_face_outward(sp_mesh *mesh);

/// ---- Edges (weld.c) ----------------------------------------------------------------------------

/// Merges vertices at exactly the same position, and drops triangles that become degenerate.
sp_status sp_mesh_weld(sp_mesh *mesh, sp_error *err);
/// Counts the edges at which the winding number is not reliable: open edges, and those whose two
/// triangles face opposite ways. Vertices at the same position count as one. The mesh is not
/// changed, because such vertices may have different velocities.
sp_status sp_mesh_count_bad_edges(const sp_mesh *mesh, size_t *count, sp_error *err);

/// ---- Closest point and winding number (bvh.c, closest_point.c, winding_number.c) ---------------

typedef struct sp_bvh sp_bvh;
/// Points below are in the mesh's own space, relative to its origin. On failure *out is NULL.
sp_status sp_bvh_open(const sp_mesh *mesh, const sp_host *host, sp_bvh **out, sp_error *err);
void sp_bvh_close(sp_bvh *bvh);
/// Nearest point of the mesh within `reach`, m; false when there is none. `triangle` and `weights`
/// (of its corners) may be NULL.
bool sp_bvh_closest(const sp_bvh *bvh, const float p[3], float reach, float point[3],
                    uint32_t *triangle, float weights[3]);
/// Generalised winding number (Jacobson et al. 2013): 1 inside, 0 outside, in between near holes.
/// Distant clusters are approximated by a dipole and its first moment (Barill et al. 2018); the
/// error is at most 0.05.
float sp_bvh_winding(const sp_bvh *bvh, const float p[3]);
/// Refits the tree to a mesh with the same triangles and moved vertices.
void sp_bvh_refit(sp_bvh *bvh, const sp_mesh *mesh);
/// The point of a triangle nearest to zero: the weights of its corners, and its distance squared.
double sp_triangle_closest(const double x[3][3], double weights[3]);

/// ---- Signed distance (signed_distance.c) -------------------------------------------------------

/// Distance to the mesh, m, with the sign from the winding number: negative inside. Beyond `reach`
/// only the sign is right. `closed`: the mesh has no open edge, so the sign of a nearby point may
/// be reused. `hint` may be NULL; n is a unit vector along the gradient.
double sp_mesh_distance(const sp_mesh *mesh, const sp_bvh *bvh, bool closed, const double q[3],
                        double reach, sp_distance_hint *hint, double n[3]);
/// Velocity of the vertices, m/s, interpolated at the point of the mesh nearest to p. False, and
/// nothing is written, when the mesh has no velocity or no point within `reach`, m.
bool sp_mesh_velocity_near(const sp_mesh *mesh, const sp_bvh *bvh, const double p[3], double reach,
                           double velocity[3]);

#endif
