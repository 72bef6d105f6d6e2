// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_INTERNAL_H
#define SP_SHAPES_INTERNAL_H

/// Shared by the files of this room. Geometry is in double and in the body's own space.

#include "shapes/shapes.h"

#define SHAPE_FARTHEST 1e6 ///< m, largest coordinate of a mesh; floats are 6 cm apart there

typedef enum shape_kind {
    SHAPE_BOX,
    SHAPE_SPHERE,
    SHAPE_CYLINDER,
    SHAPE_CAPSULE,
    SHAPE_TORUS,
    SHAPE_PLANE,
    SHAPE_MESH,
    SHAPE_HEIGHTFIELD,
} shape_kind;
enum { SHAPE_KINDS = SHAPE_HEIGHTFIELD + 1 };
extern const char *const shape_kind_names[SHAPE_KINDS]; ///< as in scenes (collider_names.c)
shape_kind shape_kind_of(const sp_shape_def *def);      ///< of a def with one shape

typedef struct shape_ground shape_ground; ///< of a height field (ground.h)
typedef struct shape_frames shape_frames; ///< of a mesh that deforms (deforming_mesh.c)

/// The part of a path between two keys.
typedef struct shape_leg {
    double time, span;          ///< s
    double from[3], to[3];      ///< m
    double leave[3], arrive[3]; ///< velocity at both ends, m/s
    double turned[4];           ///< quaternion at its start: w, x, y, z
    double axis[3], turns;      ///< rotation along the leg, about an axis of the world
} shape_leg;

struct sp_shape {
    const sp_host *host;
    sp_collider_def def; ///< a copy whose pointers point into this struct
    union {
        sp_box_def box;
        sp_sphere_def sphere;
        sp_cylinder_def cylinder;
        sp_torus_def torus;
        sp_plane_def plane;
        sp_mesh_def mesh;
        sp_heightfield_def heightfield; ///< without its values
    } given;
    sp_spin_def spin;
    char *name, *material, *file;
    sp_pose_def *keys;

    shape_kind kind;
    double wall;            ///< m, of a container; INFINITY: infinitely thick
    double grow;            ///< m, by which a mesh is grown
    double low[3], high[3]; ///< of a box; of a mesh's vertices; of the drawn part of a height field
    double center[3];       ///< centre of round shapes; a point of a plane
    double axis[3];         ///< unit; of cylinder, capsule and torus; a plane's normal
    double radius, tube;    ///< of a torus: of the centre circle and of the tube
    double half;            ///< half the length of a cylinder's or capsule's axis
    sp_mesh mesh;
    sp_bvh *bvh;
    shape_ground *ground;
    sp_frames_def frames_def;
    shape_frames *frames;
    size_t open_edges; ///< of the file, before thickness is applied

    bool moves;
    shape_leg *legs;   ///< one fewer than keys
    double resting[4]; ///< quaternion before the first key
    double spin_axis[3];
};

/// Pose and velocity of a body at one time, spin included. A point p of the body is at rotation*p +
/// position; its velocity is velocity + omega x (x - position) with x in world space.
typedef struct shape_moment {
    double rotation[9], position[3];
    double velocity[3], omega[3];
} shape_moment;

shape_moment shape_moment_at(const sp_shape *shape, double t);
sp_status shape_open_motion(sp_shape *shape, sp_error *err); ///< fills in legs and spin
void shape_moment_velocity(const shape_moment *moment, const double p[3], double velocity[3]);
/// `deep`: distance from the surface within which the velocity of a deforming mesh is
/// divergence-free. `reach`: distance beyond which the mesh is taken as rigid.
void shape_velocity_at(const sp_shape *shape, const shape_moment *moment, const double p[3],
                       double deep, double reach, double velocity[3]);
void shape_into_body(const shape_moment *moment, const double world[3], double body[3]);

/// Signed distance in the body's space; `hint` may be NULL, n may not. For meshes only the sign is
/// right beyond `reach`.
double shape_distance_within(const sp_shape *shape, const double q[3], double reach,
                             sp_distance_hint *hint, double n[3]);
/// Signed distance at the centres of cells, clamped to +-band, of a body in the given pose.
void shape_fill_tiles(const sp_shape *shape, const shape_moment *moment, const sp_tiles *tiles,
                      const double origin[3], float band, float *phi);
void shape_name_error(const char *name, sp_error *err); ///< puts the collider's name in front

/// Checks that several kinds of shapes share; `path` begins the message (check_defs.c).
int shape_count_given(const sp_shape_def *def);
sp_status shape_check_direction(const float v[3], const char *path, const char *key, sp_error *err);
sp_status shape_check_corners(const float low[3], const float high[3], const char *path,
                              sp_error *err);
sp_status shape_check_name(const char *name, const char *path, sp_error *err); ///< NULL is fine

/// Whether a vector is long enough to have a direction; if so, `out` is the unit vector.
bool shape_unit(const float v[3], double out[3]);
/// Two unit vectors that make a right-handed frame with `axis`: across x over = axis.
void shape_frame(const double axis[3], double across[3], double over[3]);

/// Rotations, with angles in turns (rotation.c).
void shape_quaternion(const double axis[3], double turns, double q[4]);
void shape_quaternion_product(const double a[4], const double b[4], double ab[4]);
void shape_quaternion_matrix(const double q[4], double m[9]);

static inline void shape_rotate(const double m[9], const double a[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = m[3 * k] * a[0] + m[3 * k + 1] * a[1] + m[3 * k + 2] * a[2];
}
static inline void shape_rotate_back(const double m[9], const double a[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = m[k] * a[0] + m[3 + k] * a[1] + m[6 + k] * a[2];
}

/// ---- Height fields (ground_distance.c, ground_mesh.c) ------------------------------------------

/// Copies the heights. On failure *out must still be closed.
sp_status ground_open(shape_ground **out, const sp_heightfield_def *def, const sp_host *host,
                      sp_error *err);
void ground_close(shape_ground *ground); ///< NULL is allowed
/// The lowest and the highest of its heights, m.
void ground_span(const shape_ground *ground, double *low, double *high);
/// Exact up to the size of the lattice; beyond `reach` only the sign is right.
double ground_distance(const shape_ground *ground, const double q[3], double reach, double n[3]);
/// A closed block from the surface down to `bottom`.
sp_status ground_mesh(const shape_ground *ground, double bottom, sp_mesh *mesh, sp_error *err);
/// The surface alone, where x and z are within a box.
sp_status ground_surface(const shape_ground *ground, const double low[3], const double high[3],
                         sp_mesh *mesh, sp_error *err);

/// ---- Meshes that deform (deforming_mesh.c) ----------------------------------------------------

/// Checks that ranges of single keys cannot express; `path` begins the message.
sp_status frames_check(const sp_mesh_def *mesh, const char *path, sp_error *err);
/// Call after the first file is the shape's mesh and its tree is built. flipped: its triangles were
/// reversed. After a failure frames_close() frees what was allocated.
sp_status frames_open(sp_shape *shape, bool flipped, sp_error *err);
void frames_close(sp_shape *shape);
/// Velocity of the closest point, m/s, in the body's space, extended within `deep` of the surface
/// without divergence. Beyond `reach`: 0.
void frames_velocity(const sp_shape *shape, const double q[3], double deep, double reach,
                     double velocity[3]);
double frames_fastest(const sp_shape *shape);   ///< of all vertices, m/s
uint64_t frames_changes(const sp_shape *shape); ///< number of deformations so far
void shape_measure_mesh(sp_shape *shape);       ///< low and high of its vertices

/// ---- Meshes of shapes (shape_to_mesh.c, revolve_profile.c, thicken_mesh.c) ---------------------

/// A curve in the half plane beside an axis that is revolved into a surface. The solid is on its
/// left: the outline of a ball runs from the low end of the axis to the high one. A point on the
/// axis (rho = 0) becomes one vertex and may only be the first or last.
typedef struct lathe_profile {
    size_t count;
    double (*at)[2];     ///< rho and height along the axis, m
    double (*normal)[2]; ///< outward in the same plane; NULL: sharp, without normals
    bool closed;         ///< the last point is joined to the first (a torus)
} lathe_profile;
typedef struct lathe_axis {
    double center[3], axis[3];
    size_t segments; ///< around
} lathe_axis;
/// Number of vertices and triangles of the surface.
void lathe_count(const lathe_profile *profile, size_t segments, size_t *vertices,
                 size_t *triangles);
/// Appends to a mesh that is large enough, at `vertex` and `triangle`, and advances both.
void lathe_turn(const lathe_profile *profile, const lathe_axis *axis, sp_mesh *mesh, size_t *vertex,
                size_t *triangle);

/// A mesh between two offsets of another along its normals, inner < outer; open edges are closed by
/// a rim. With `skin` and a closed mesh only the outer offset is kept.
sp_status shell_make(const sp_mesh *from, double inner, double outer, bool skin, sp_mesh *mesh,
                     sp_error *err);
/// The ends of every open edge, in the direction of its triangle. `rim` has room for all of them.
sp_status shell_rim(const sp_mesh *mesh, uint32_t (*rim)[2], sp_error *err);
/// Computes normals weighted by angle. Returns false, and leaves the mesh without normals, when an
/// edge is sharp or memory runs out.
bool shell_smooth_normals(sp_mesh *mesh);

/// ---- Walls of particles (points/) --------------------------------------------------------------

enum { POINTS_MOST = 1 << 30 }; ///< so that indices and their successors fit 32 bits

/// Refuses a spacing that would give about `count` points, if that is too many or not finite.
sp_status points_check_count(double count, double spacing, sp_error *err);
/// Makes room for `capacity` points in total, keeping the existing ones.
sp_status points_reserve(sp_shape_points *points, size_t capacity, sp_error *err);
static inline void points_put(sp_shape_points *points, const double p[3])
{
    points->x[points->count] = (float)p[0];
    points->y[points->count] = (float)p[1];
    points->z[points->count++] = (float)p[2];
}
/// For all shapes but boxes and planes: blue noise; the box limits height fields. `points` is empty
/// except for its host.
sp_status points_blue_noise(const sp_shape *shape, double spacing, const double low[3],
                            const double high[3], sp_shape_points *points, sp_error *err);

/// Adds round geometry along the rims of a thickened sheet, which its shell lacks.
sp_status points_add_rims(const sp_shape *shape, sp_mesh *mesh, sp_error *err);

/// A growing set of points with a test whether one of them is near. Space is cut into cubes of two
/// reaches; the points of a cube form a chain, and chains are found by a hash of the cube.
typedef struct points_near {
    sp_shape_points *points; ///< not owned
    double reach;            ///< m
    size_t capacity, mask;   ///< of points; number of chains (a power of two) minus one
    uint32_t *first, *next;  ///< first of a chain, next after a point; index + 1, 0: end
} points_near;
sp_status points_near_open(points_near *near, sp_shape_points *points, double reach,
                           size_t capacity, sp_error *err);
void points_near_close(points_near *near);
/// Whether a point is nearer than `within`, m, which is at most the reach.
bool points_near_any(const points_near *near, const double p[3], double within);
sp_status points_near_add(points_near *near, const double p[3], sp_error *err);

#endif
