// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_H
#define SP_SHAPES_H

/// Solid things: as signed distance for solvers, as closed meshes for pictures, at rest or moving.

#include "frame/frame.h"
#include "tiles/tiles.h"

#include <spume/mesh.h>

/// ---- What a scene says (keys.c) ----------------------------------------------------------------
/// Metres in the body's own space, which is the world's unless the body moves.

typedef struct sp_box_def {
    float min[3], max[3];
} sp_box_def;
typedef struct sp_sphere_def {
    float center[3], radius;
} sp_sphere_def;
typedef struct sp_cylinder_def { ///< and capsule, whose ends are half balls around the two points
    float from[3], to[3], radius;
} sp_cylinder_def;
typedef struct sp_torus_def {
    float center[3], axis[3];
    float radius, tube; ///< of the circle in the middle, and of the tube around it
} sp_torus_def;
typedef struct sp_plane_def { ///< solid on the side that the normal points away from
    float point[3], normal[3];
} sp_plane_def;
typedef struct sp_mesh_def {
    const char *file;         ///< .obj, .stl or .ply, beside the scene
    float scale, position[3]; ///< applied to the file's coordinates, in this order
} sp_mesh_def;

/// Exactly one is given.
typedef struct sp_shape_def {
    const sp_box_def *box;
    const sp_sphere_def *sphere;
    const sp_cylinder_def *cylinder, *capsule;
    const sp_torus_def *torus;
    const sp_plane_def *plane;
    const sp_mesh_def *mesh;
} sp_shape_def;

/// A moment of a body's path: it is turned about its own zero, then put at `position`.
typedef struct sp_pose_def {
    float time;        ///< s
    float position[3]; ///< m
    float axis[3];     ///< of rotation
    float angle;       ///< degrees about it
} sp_pose_def;
typedef struct sp_spin_def {
    float center[3], axis[3];
    float rpm; ///< turns a minute, right-handed about the axis
} sp_spin_def;
enum { SP_PATH_LINEAR, SP_PATH_SMOOTH };
typedef struct sp_motion_def {
    const sp_pose_def
        *keys; ///< in ascending time; before the first and after the last the body rests
    size_t key_count;
    int path; ///< SP_PATH_...: straight and slerp, or Catmull-Rom through the positions
    const sp_spin_def *spin; ///< NULL: none. Turns in the body's space, before the keys move it
} sp_motion_def;

enum { SP_OPEN_NOWHERE, SP_OPEN_TOP };
typedef struct sp_collider_def {
    const char *name;
    sp_shape_def shape;
    bool inside_out; ///< a container: the shape is the hollow inside
    float
        thickness; ///< m; of a container's wall, or added around a thin mesh. 0: solid without end
    int open;      ///< SP_OPEN_...: a container without lid (box and upright cylinder)
    const char *material; ///< a name that the renderer knows: "glass", "stone"...
    float slip;           ///< 0 sticks, 1 slides freely
    sp_motion_def motion;
} sp_collider_def;

/// Describes sp_shape_def and sp_collider_def; scenes, emitters and sinks share them.
extern const sp_keys sp_shape_keys, sp_collider_keys;
/// What ranges alone cannot say: exactly one shape, corners in order, axes that have a direction, keys in ascending
/// time. `path` ("colliders[2]") begins the sentence.
sp_status sp_shape_check(const sp_shape_def *def, const char *path, sp_error *err);
sp_status sp_collider_check(const sp_collider_def *def, const char *path, sp_error *err);

/// ---- A thing (shape.c, one file a kind) --------------------------------------------------------

typedef struct sp_shape sp_shape;

/// Copies what it needs. `dir` is where mesh files are looked for (NULL: as named). err names the file and what is
/// wrong with it: 'collider "rock": rock.obj has 0 triangles'. On failure *out is NULL.
sp_status sp_shape_open(const sp_collider_def *def, const char *dir, const sp_host *host,
                        sp_shape **out, sp_error *err);
void sp_shape_close(sp_shape *shape); ///< NULL is welcome
const sp_collider_def *sp_shape_def_of(const sp_shape *shape);

/// Signed distance at a point of the world at time t, m, negative in the solid; exact for the simple shapes outside
/// and inside, for meshes closest point with the sign of the winding number. `gradient` (may be NULL) is a
/// unit vector.
double sp_shape_distance(const sp_shape *shape, double t, const double p[3], double gradient[3]);
/// The same for n points at one moment, in parallel; gradients may be NULL.
void sp_shape_distances(const sp_shape *shape, double t, size_t n, const double (*p)[3],
                        float *distance, float (*gradient)[3]);
/// Velocity of the solid at a point, m/s: v + omega x (p - c).
void sp_shape_velocity(const sp_shape *shape, double t, const double p[3], double velocity[3]);
sp_body sp_shape_pose(const sp_shape *shape, double t); ///< its name is the shape's own
void sp_shape_bounds(const sp_shape *shape, double t, double low[3], double high[3]);
/// Open edges of a mesh file, and whether the winding number had to bridge them; 0 for all other shapes.
size_t sp_shape_open_edges(const sp_shape *shape);

/// The visible solid as a mesh in the body's space: closed, counter-clockwise from outside, with normals; a container
/// has its wall (inside and outside), a plane is a large square slab around `center`. `edge` is the wanted length of a
/// chord on round parts, m.
sp_status sp_shape_mesh(const sp_shape *shape, float edge, const double center[3], double extent,
                        sp_mesh *mesh, sp_error *err);

/// Signed distance on tiles at time t, in cells, cut off at +-band.
sp_status sp_shape_levelset(const sp_shape *shape, double t, const sp_tiles *tiles,
                            const double origin[3], float band, float *phi, sp_error *err);

/// ---- Mesh files (read_*.c) ---------------------------------------------------------------------

/// Reads .obj, .stl (text or binary) or .ply (text or binary, either byte order); polygons become fans. Sizes are
/// checked before anything is allocated; damaged files are refused with the line or byte at fault.
sp_status sp_mesh_read(const char *path, const sp_host *host, sp_mesh *mesh, sp_error *err);

/// ---- Closest points (bvh.c) --------------------------------------------------------------------

typedef struct sp_bvh sp_bvh;
/// The mesh must outlive the tree.
sp_status sp_bvh_open(const sp_mesh *mesh, const sp_host *host, sp_bvh **out, sp_error *err);
void sp_bvh_close(sp_bvh *bvh);
/// Nearest point of the mesh within `reach`; false when there is none. `triangle` and `weights` may be NULL.
bool sp_bvh_closest(const sp_bvh *bvh, const float p[3], float reach, float point[3],
                    uint32_t *triangle, float weights[3]);
/// Generalised winding number: 1 inside, 0 outside, something between near holes. Far clusters count as dipoles.
float sp_bvh_winding(const sp_bvh *bvh, const float p[3]);

#endif
