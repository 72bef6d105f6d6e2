// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_H
#define SP_SHAPES_H

/// Solids: signed distance for solvers, closed meshes for pictures, at rest or moving.

#include "frame/frame.h"
#include "mesh/mesh.h"
#include "tiles/tiles.h"

/// ---- Definitions in a scene (defs/) -----------------------------------------------------------
/// Metres, in the body's own space. That is world space unless the body moves.

typedef struct sp_box_def {
    float min[3], max[3];
} sp_box_def;
typedef struct sp_sphere_def {
    float center[3], radius;
} sp_sphere_def;
typedef struct sp_cylinder_def { ///< also a capsule, which ends in half balls around the two points
    float from[3], to[3], radius;
} sp_cylinder_def;
typedef struct sp_torus_def {
    float center[3], axis[3];
    float radius, tube; ///< radius of the centre circle; radius of the tube around it
} sp_torus_def;
typedef struct sp_plane_def { ///< solid behind the plane; the normal points out of the solid
    float point[3], normal[3];
} sp_plane_def;
/// A mesh that deforms: one file per frame, all with the same triangles.
typedef struct sp_frames_def {
    int32_t first, last; ///< numbers of the files
    float fps, start;    ///< files per second; time of the first file, s. Still before and after.
} sp_frames_def;
typedef struct sp_mesh_def {
    const char *file;            ///< .obj, .stl or .ply, path relative to the scene; required
    float scale, position[3];    ///< applied to the file's coordinates, in this order
    const sp_frames_def *frames; ///< NULL: one file. Else the file name contains %d or %04d.
} sp_mesh_def;
typedef struct sp_heightfield_def {
    /// 0 is the height of min, 1 that of max; in a picture, black and white. Row 0 lies at the
    /// front, where z is largest: the bottom of a picture seen from above.
    sp_heights heights;
    /// The samples span this box. Beyond it the ground continues at the height of its border.
    float min[3], max[3];
    float depth; ///< m, thickness of ground drawn below min; 0: a tenth of the longer side
} sp_heightfield_def;

/// Exactly one is given.
typedef struct sp_shape_def {
    const sp_box_def *box;
    const sp_sphere_def *sphere;
    const sp_cylinder_def *cylinder, *capsule;
    const sp_torus_def *torus;
    const sp_plane_def *plane;
    const sp_mesh_def *mesh;
    const sp_heightfield_def *heightfield;
} sp_shape_def;

/// A key of a body's path: the body is rotated about its own origin, then moved to `position`.
/// Between two keys with the same axis the angle is interpolated, so 0 to 720 is two turns; between
/// different axes the body rotates the short way.
typedef struct sp_pose_def {
    float time;        ///< s
    float position[3]; ///< m
    float axis[3];     ///< of rotation; may be zero if the angle is zero
    float angle;       ///< degrees about it
} sp_pose_def;
typedef struct sp_spin_def {
    float center[3], axis[3];
    float rpm; ///< turns a minute, right-handed about the axis
} sp_spin_def;
enum { SP_PATH_LINEAR, SP_PATH_SMOOTH };
typedef struct sp_motion_def {
    /// In ascending time. Before the first key and after the last the body rests.
    const sp_pose_def *keys;
    size_t key_count;
    /// SP_PATH_...: LINEAR is straight lines. SMOOTH is Catmull-Rom through the positions and
    /// starts and ends at rest. Rotations are slerped in both.
    int path;
    /// NULL: none. A steady rotation in the body's space from time 0 on, applied before the keys.
    const sp_spin_def *spin;
} sp_motion_def;

enum { SP_OPEN_NOWHERE, SP_OPEN_TOP };
typedef struct sp_collider_def {
    const char *name;
    sp_shape_def shape;
    bool inside_out; ///< a container: the shape is the hollow inside
    /// m. Of a container: thickness of the wall and floor around the hollow; 0: infinitely thick.
    /// Of a mesh that is not a container: it is grown by half of this on every side, so that a
    /// sheet gets a volume.
    float thickness;
    int open;             ///< SP_OPEN_...: a container without lid (box and upright cylinder)
    const char *material; ///< a material of the renderer: "glass", "stone"...; NULL: stone
    float slip;           ///< 0 sticks, 1 slides freely
    sp_motion_def motion;
} sp_collider_def;

/// Describes sp_shape_def and sp_collider_def; scenes, emitters and sinks share them.
extern const sp_keys sp_shape_keys, sp_collider_keys;
/// Checks that ranges of single keys cannot express: exactly one shape, corners in order, axes with
/// a direction, keys in ascending time. `path` ("colliders[2]", "emitters[0].shape") begins the
/// message.
sp_status sp_shape_check(const sp_shape_def *def, const char *path, sp_error *err);
sp_status sp_collider_check(const sp_collider_def *def, const char *path, sp_error *err);
/// The file of a mesh; `number` is the frame's number if the mesh deforms, otherwise ignored.
sp_status sp_mesh_file_name(const sp_mesh_def *mesh, int32_t number, char *path, size_t size,
                            sp_error *err);

/// ---- A solid (shape.c, distance.c, motion.c) ------------------------------------------------

typedef struct sp_shape sp_shape;

/// Names colliders for frames and messages. Zeroed except for the colliders.
typedef struct sp_collider_namer {
    const sp_collider_def *colliders;
    size_t count;
    unsigned used[8]; ///< numbers used up by kind
    char text[32];
} sp_collider_namer;
/// Collider `i` with a name: its kind if it has none, numbered from the second on (box, box_2), unless another
/// collider is called so. Call it for 0, 1, 2...; the name is valid until the next call (collider_names.c).
sp_collider_def sp_collider_named(sp_collider_namer *namer, size_t i);

/// Copies what it needs. `dir` is the directory of mesh files (NULL: names are used as given). err
/// names the file and what is wrong with it: 'collider "rock": rock.obj has 0 triangles'. On
/// failure *out is NULL. A closed mesh that is wound inward is reversed, with a warning in the
/// host's log; one that reaches farther than 1e6 m is refused.
sp_status sp_shape_open(const sp_collider_def *def, const char *dir, const sp_host *host,
                        sp_shape **out, sp_error *err);
void sp_shape_close(sp_shape *shape);                          ///< NULL is allowed
const sp_collider_def *sp_shape_def_of(const sp_shape *shape); ///< the copy; material is never NULL

/// Signed distance at a point of the world at time t, m, negative in the solid. Exact outside and
/// inside for the simple shapes and their containers, open or closed. The outside of a container is
/// a larger box or cylinder with sharp edges, or a larger round shape. Meshes: distance to the
/// closest point with the sign of the winding number, in single precision. Height fields: distance
/// to the nearest triangle (two per cell); everything below is solid. Where `thickness` grows a
/// mesh, the distance is exact outside and a lower bound of the depth inside the added layer.
/// `gradient` (may be NULL) is a unit vector; where several points are equally near, it belongs to
/// one of them.
double sp_shape_distance(const sp_shape *shape, double t, const double p[3], double gradient[3]);
/// The same up to `reach`, m, which saves most of the work on meshes and height fields. A distance
/// beyond it has the right sign and is at least reach; its gradient is meaningless.
double sp_shape_distance_within(const sp_shape *shape, double t, const double p[3], double reach,
                                double gradient[3]);
/// The same for n points at one time, in parallel; gradients may be NULL.
void sp_shape_distances(const sp_shape *shape, double t, size_t n, const double (*p)[3],
                        float *distance, float (*gradient)[3]);
/// Velocity of the solid at a point, m/s: v + omega x (p - c), and for a mesh that deforms the
/// velocity of its closest point. At a key of a straight path it is the velocity after the key.
void sp_shape_velocity(const sp_shape *shape, double t, const double p[3], double velocity[3]);
/// Whether it ever moves. If not, its level set is needed only once.
bool sp_shape_moves(const sp_shape *shape);
/// Brings a mesh that deforms to time t, reading files as needed. Later queries use this shape,
/// whatever their time. Does nothing for other shapes. A mesh opens at time 0. On failure the shape
/// is unchanged, and err names the file, but not the shape. Not thread-safe.
sp_status sp_shape_deform(sp_shape *shape, double t, sp_error *err);
bool sp_shape_deforms(const sp_shape *shape); ///< whether it ever deforms
/// The pose has the name of the shape, or of its kind ("box") if it has no name.
sp_body sp_shape_pose(const sp_shape *shape, double t);
/// A bounding box of the solid; tight except for rotated meshes. Sides may be at infinity (planes,
/// containers without thickness). Of a height field it bounds the part that is drawn.
void sp_shape_bounds(const sp_shape *shape, double t, double low[3], double high[3]);
/// Open edges of the visible solid: those of a mesh file without `thickness`. With thickness it is
/// a shell with closed rims and has none, like all other shapes.
size_t sp_shape_open_edges(const sp_shape *shape);

/// The visible solid as a mesh in the body's space: closed, counter-clockwise from outside, every
/// vertex shared. Round shapes have normals; shapes with sharp edges (box, cylinder, a mesh with
/// creases) do not, so that faces stay flat. A container has a wall, inside and outside. A plane is
/// a square slab of half width `extent` around `center` (NULL: the plane's own point), an infinite
/// container gets a wall of that thickness, a height field is a block down to its depth. `edge` is
/// the wanted length of a chord on round parts, m. A mesh file with thickness gets a shell along
/// its normals, which may cross itself where the mesh bends more sharply than the thickness.
sp_status sp_shape_mesh(const sp_shape *shape, float edge, const double center[3], double extent,
                        sp_mesh *mesh, sp_error *err);

/// ---- Walls of particles (points/) --------------------------------------------------------------

/// Points on a solid, in the body's space.
typedef struct sp_shape_points {
    const sp_host *host;
    float *x, *y, *z; ///< m
    size_t count;
} sp_shape_points;

/// Covers the side of the solid that water can touch with points about `spacing` apart, for solvers
/// whose walls are particles. Boxes and box containers get a square lattice that begins at their
/// low corner (stretched slightly where a side is not a multiple of the spacing), with each edge
/// and corner once. A container gets points only on its inner side, and on its rim where it is
/// open. A plane gets a lattice within the box low...high, which limits infinite shapes (planes
/// and, sideways, height fields; it is ignored for others). All other shapes get blue noise: no two
/// points closer than 0.7 spacings, no part of the surface farther than a spacing from a point. The
/// points do not depend on the number of threads. On failure *out is empty.
sp_status sp_shape_points_make(const sp_shape *shape, float spacing, const double low[3],
                               const double high[3], sp_shape_points *out, sp_error *err);
void sp_shape_points_close(sp_shape_points *points);

#endif
