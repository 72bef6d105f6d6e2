// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_H
#define SP_SHAPES_H

/// Solid things: as signed distance for solvers, as closed meshes for pictures, at rest or moving.

#include "frame/frame.h"
#include "mesh/mesh.h"
#include "tiles/tiles.h"

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
/// A mesh that changes its shape: files with the same triangles, one a moment.
typedef struct sp_frames_def {
    int32_t first, last; ///< numbers of the files
    float fps, start;    ///< files a second; s, when the first one is. It rests before and after.
} sp_frames_def;
typedef struct sp_mesh_def {
    const char *file;            ///< .obj, .stl or .ply, beside the scene; cannot be left out
    float scale, position[3];    ///< applied to the file's coordinates, in this order
    const sp_frames_def *frames; ///< NULL: one file. Else its name has a %d or %04d in it.
} sp_mesh_def;
typedef struct sp_heightfield_def {
    /// 0 is at the height of min, 1 at that of max; a picture's black and white. Row 0 lies at the
    /// front, where z is largest, as a picture seen from above has it at its bottom.
    sp_heights heights;
    /// Samples reach from side to side of this box; beyond it the ground goes on as at its border.
    float min[3], max[3];
    float depth; ///< m, of what is shown below min; 0: a tenth of the longer side
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

/// A moment of a body's path: it is turned about its own zero, then put at `position`. Between two
/// moments about the same axis the angle itself runs, so 0 to 720 is two turns; between different
/// axes the body takes the short way.
typedef struct sp_pose_def {
    float time;        ///< s
    float position[3]; ///< m
    float axis[3];     ///< of rotation; may be zero as long as the angle is
    float angle;       ///< degrees about it
} sp_pose_def;
typedef struct sp_spin_def {
    float center[3], axis[3];
    float rpm; ///< turns a minute, right-handed about the axis
} sp_spin_def;
enum { SP_PATH_LINEAR, SP_PATH_SMOOTH };
typedef struct sp_motion_def {
    /// In ascending time; before the first and after the last the body rests.
    const sp_pose_def *keys;
    size_t key_count;
    /// SP_PATH_...: straight and slerp, or Catmull-Rom through the positions, which sets off from
    /// rest and comes to rest; rotations are slerped either way.
    int path;
    /// NULL: none. Turns in the body's space from time 0 on, before the keys move it.
    const sp_spin_def *spin;
} sp_motion_def;

enum { SP_OPEN_NOWHERE, SP_OPEN_TOP };
typedef struct sp_collider_def {
    const char *name;
    sp_shape_def shape;
    bool inside_out; ///< a container: the shape is the hollow inside
    /// m. Of a container's wall and floor, which lie around the hollow; 0: solid without end. Of a
    /// mesh that is not a container: grown by half of it on every side, so that a sheet gets a
    /// body.
    float thickness;
    int open;             ///< SP_OPEN_...: a container without lid (box and upright cylinder)
    const char *material; ///< a name that the renderer knows: "glass", "stone"...; NULL: stone
    float slip;           ///< 0 sticks, 1 slides freely
    sp_motion_def motion;
} sp_collider_def;

/// Describes sp_shape_def and sp_collider_def; scenes, emitters and sinks share them.
extern const sp_keys sp_shape_keys, sp_collider_keys;
/// What ranges alone cannot say: exactly one shape, corners in order, axes that have a direction,
/// keys in ascending time. `path` ("colliders[2]", "emitters[0].shape") begins the sentence.
sp_status sp_shape_check(const sp_shape_def *def, const char *path, sp_error *err);
sp_status sp_collider_check(const sp_collider_def *def, const char *path, sp_error *err);
/// The file of a mesh that does not change; of one that does, the file of that number.
sp_status sp_mesh_file_name(const sp_mesh_def *mesh, int32_t number, char *path, size_t size,
                            sp_error *err);

/// ---- A thing (shape.c, distance.c, motion.c) ---------------------------------------------------

typedef struct sp_shape sp_shape;

/// Copies what it needs. `dir` is where mesh files are looked for (NULL: as named). err names the
/// file and what is wrong with it: 'collider "rock": rock.obj has 0 triangles'. On failure *out is
/// NULL. A closed mesh that is wound inward is turned round, which the host's log is told; one that
/// reaches farther than 1e6 m is refused.
sp_status sp_shape_open(const sp_collider_def *def, const char *dir, const sp_host *host,
                        sp_shape **out, sp_error *err);
void sp_shape_close(sp_shape *shape);                          ///< NULL is welcome
const sp_collider_def *sp_shape_def_of(const sp_shape *shape); ///< the copy; material is never NULL

/// Signed distance at a point of the world at time t, m, negative in the solid. Exact outside and
/// inside for the simple shapes and for their containers, open or closed; a container's outside is
/// a larger box or cylinder with sharp edges, or a larger round shape. Meshes: closest point with
/// the sign of the winding number, in single precision; height fields: two triangles a cell, to the
/// nearest of them, solid without end below; what `thickness` adds to a mesh makes the
/// distance a lower bound of the depth inside the added layer, and it stays exact outside.
/// `gradient` (may be NULL) is a unit vector; where several points are equally near, it belongs to
/// one of them.
double sp_shape_distance(const sp_shape *shape, double t, const double p[3], double gradient[3]);
/// The same as far as `reach`, m, which saves most of the work on meshes and height fields. What lies
/// beyond has the right sign, is no nearer than reach, and its gradient means nothing.
double sp_shape_distance_within(const sp_shape *shape, double t, const double p[3], double reach,
                                double gradient[3]);
/// The same for n points at one moment, in parallel; gradients may be NULL.
void sp_shape_distances(const sp_shape *shape, double t, size_t n, const double (*p)[3],
                        float *distance, float (*gradient)[3]);
/// Velocity of the solid at a point, m/s: v + omega x (p - c), and where a mesh changes its shape
/// that of its nearest point. At a key of a straight path it is that of the way ahead.
void sp_shape_velocity(const sp_shape *shape, double t, const double p[3], double velocity[3]);
/// The same for n points at one moment, in parallel.
void sp_shape_velocities(const sp_shape *shape, double t, size_t n, const double (*p)[3],
                         float (*velocity)[3]);
/// Whether it ever moves: what does not, needs its level set only once.
bool sp_shape_moves(const sp_shape *shape);
/// Brings a mesh that changes its shape to time t, reading files on the way; what is asked of it
/// afterwards, at whatever time, is asked of this shape. Others stay as they are. It opens at time
/// 0. When it fails the shape is unchanged, and err names the file, but not the shape. Not
/// thread-safe.
sp_status sp_shape_deform(sp_shape *shape, double t, sp_error *err);
bool sp_shape_deforms(const sp_shape *shape); ///< whether it ever changes its shape
/// Its name is the shape's own, or the kind's ("box") where none was given.
sp_body sp_shape_pose(const sp_shape *shape, double t);
/// A box around the solid; tight but for turned meshes. Sides may lie at infinity (planes,
/// containers without thickness); of a height field it is around what is shown of it.
void sp_shape_bounds(const sp_shape *shape, double t, double low[3], double high[3]);
/// Open edges of the visible solid: those of a mesh file that has no `thickness`. With one it is a
/// shell whose rims are stitched, and has none, like all other shapes.
size_t sp_shape_open_edges(const sp_shape *shape);

/// The visible solid as a mesh in the body's space: closed, counter-clockwise from outside, every
/// vertex shared. Round shapes carry normals; shapes with sharp edges (box, cylinder, a mesh with
/// creases) do not, so that faces stay flat. A container has its wall, inside and outside; a plane
/// is a square slab of half width `extent` around `center` (NULL: the plane's own point), and a
/// container without end gets a wall of that thickness, a height field is a block down to its
/// depth. `edge` is the wanted length of a chord on round parts, m. A mesh file that is thickened
/// gets a shell along its normals, which may cross itself where the file bends more sharply than
/// the thickness.
sp_status sp_shape_mesh(const sp_shape *shape, float edge, const double center[3], double extent,
                        sp_mesh *mesh, sp_error *err);

/// Signed distance on tiles at time t, m, at the centres of cells, cut off at +-band. Voxel (0, 0,
/// 0) has its low corner at `origin`.
sp_status sp_shape_levelset(const sp_shape *shape, double t, const sp_tiles *tiles,
                            const double origin[3], float band, float *phi, sp_error *err);

/// ---- Walls of particles (points/) --------------------------------------------------------------

/// Points on a solid, in the body's space.
typedef struct sp_shape_points {
    const sp_host *host;
    float *x, *y, *z; ///< m
    size_t count;
} sp_shape_points;

/// Covers the side of the solid that water can touch with points about `spacing` apart, for solvers
/// whose walls are particles. Boxes and box containers get a square lattice that begins at their
/// low corner (stretched a little where a side is no whole number of spacings), each edge and
/// corner once; a container only its inner side, and its rim where it is open. A plane gets a
/// lattice within the box low...high, which cuts what is endless (planes and, sideways, height
/// fields; elsewhere it is ignored). All other shapes get evenly spread points without pattern
/// (blue noise): none nearer than 0.7 spacings to another, none of the surface farther than a
/// spacing from one. The same points for every number of threads. On failure *out is empty.
sp_status sp_shape_points_make(const sp_shape *shape, float spacing, const double low[3],
                               const double high[3], sp_shape_points *out, sp_error *err);
void sp_shape_points_close(sp_shape_points *points);

#endif
