// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_INTERNAL_H
#define SP_SHAPES_INTERNAL_H

/// What the files of this room share. Geometry is in double and in the body's own space.

#include "shapes/shapes.h"

#define SHAPE_FARTHEST 1e6 ///< m, of a mesh; a float has steps of 6 cm there

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

typedef struct shape_ground shape_ground; ///< of a height field (ground.h)
typedef struct shape_frames shape_frames; ///< of a mesh that changes its shape (deforming_mesh.c)

/// The way from one key to the next.
typedef struct shape_leg {
    double time, span;          ///< s
    double from[3], to[3];      ///< m
    double leave[3], arrive[3]; ///< velocity at both ends, m/s
    double turned[4];           ///< quaternion at its start: w, x, y, z
    double axis[3], turns;      ///< what is turned on the way, about an axis of the world
} shape_leg;

struct sp_shape {
    const sp_host *host;
    sp_collider_def def; ///< a copy whose pointers lead to what follows
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
    double wall;            ///< m, of a container; INFINITY: without end
    double grow;            ///< m, what a mesh is grown by
    double low[3], high[3]; ///< of a box; of a mesh's vertices; of a height field as it is shown
    double center[3];       ///< middle of the round shapes; a point of a plane
    double axis[3];         ///< unit; of cylinder, capsule and torus; a plane's normal
    double radius, tube;    ///< of the shape; of a torus the circle and the tube around it
    double half;            ///< half the length of a cylinder's or capsule's axis
    sp_mesh mesh;
    sp_bvh *bvh;
    shape_ground *ground;
    sp_frames_def frames_def;
    shape_frames *frames;
    size_t open_edges; ///< of the file, whatever thickness makes of it

    bool moves;
    shape_leg *legs;   ///< one fewer than keys
    double resting[4]; ///< quaternion before the first key
    double spin_axis[3];
};

/// Where a body is and how it moves at one moment. A point p of the body sits at rotation*p +
/// position; its velocity is velocity + omega x (x - position) with x in the world. All of it
/// counts the spin in.
typedef struct shape_moment {
    double rotation[9], position[3];
    double velocity[3], omega[3];
} shape_moment;

shape_moment shape_moment_at(const sp_shape *shape, double t);
sp_status shape_open_motion(sp_shape *shape, sp_error *err); ///< fills in legs and spin
void shape_moment_velocity(const shape_moment *moment, const double p[3], double velocity[3]);
/// `deep`: how far from its surface a mesh that changes its shape does not let its volume change;
/// `reach`: how far it is at most, beyond which it is taken as rigid.
void shape_velocity_at(const sp_shape *shape, const shape_moment *moment, const double p[3],
                       double deep, double reach, double velocity[3]);
void shape_into_body(const shape_moment *moment, const double world[3], double body[3]);

/// Signed distance in the body's space; `hint` may be NULL, n may not. Of meshes only the sign is
/// right beyond `reach`.
double shape_distance_within(const sp_shape *shape, const double q[3], double reach,
                             sp_distance_hint *hint, double n[3]);
/// Signed distance at the centres of cells, cut off at +-band, of a body that is where the moment
/// says.
void shape_fill_tiles(const sp_shape *shape, const shape_moment *moment, const sp_tiles *tiles,
                      const double origin[3], float band, float *phi);
void shape_name_error(const char *name, sp_error *err); ///< puts whose it is before it
bool shape_is_upright(const sp_shape *shape);           ///< the axis is up or down

/// Checks that several kinds of things share; `path` begins the sentence (check_defs.c).
int shape_count_given(const sp_shape_def *def);
sp_status shape_check_direction(const float v[3], const char *path, const char *key, sp_error *err);
sp_status shape_check_corners(const float low[3], const float high[3], const char *path,
                              sp_error *err);
sp_status shape_check_name(const char *name, const char *path, sp_error *err); ///< NULL is fine

/// Whether a vector is long enough to have a direction; if so it is made a unit one.
bool shape_unit(const float v[3], double out[3]);
/// Two unit vectors that make a right-handed frame with `axis`: across x over = axis.
void shape_frame(const double axis[3], double across[3], double over[3]);

/// Sine and cosine of an angle in turns, from + - * / alone so that all machines agree.
void shape_sincos(double turns, double *sine, double *cosine);
double shape_atan_turns(double y, double x); ///< the angle of (x, y), in turns, for y >= 0
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

/// Copies the heights. On failure *out is whatever is to be closed.
sp_status ground_open(shape_ground **out, const sp_heightfield_def *def, const sp_host *host,
                      sp_error *err);
void ground_close(shape_ground *ground); ///< NULL is welcome
/// The lowest and the highest of its heights, m.
void ground_span(const shape_ground *ground, double *low, double *high);
/// Exact within the lattice's size of it; beyond `reach` only the sign is right.
double ground_distance(const shape_ground *ground, const double q[3], double reach, double n[3]);
/// A closed block from the surface down to `bottom`.
sp_status ground_mesh(const shape_ground *ground, double bottom, sp_mesh *mesh, sp_error *err);
/// The surface alone, where x and z are within a box.
sp_status ground_surface(const shape_ground *ground, const double low[3], const double high[3],
                         sp_mesh *mesh, sp_error *err);

/// ---- Meshes that change their shape (deforming_mesh.c) -----------------------------------------

/// What ranges cannot say about them; `path` begins the sentence.
sp_status frames_check(const sp_mesh_def *mesh, const char *path, sp_error *err);
/// The name of the first file.
sp_status frames_first(const sp_mesh_def *def, char *path, size_t size, sp_error *err);
/// Once the first file is the shape's mesh and has its tree; flipped: its triangles were turned
/// round. What it leaves on failure, frames_close() takes.
sp_status frames_open(sp_shape *shape, bool flipped, sp_error *err);
void frames_close(sp_shape *shape);
/// Of the nearest point, m/s, in the body's space; within `deep` of the surface continued such that
/// it has no divergence. Beyond `reach`: 0.
void frames_velocity(const sp_shape *shape, const double q[3], double deep, double reach,
                     double velocity[3]);
double frames_fastest(const sp_shape *shape);   ///< of all vertices, m/s
uint64_t frames_changes(const sp_shape *shape); ///< of its shape, so far
void shape_measure_mesh(sp_shape *shape);       ///< low and high of its vertices

/// ---- Meshes of shapes (shape_to_mesh.c, revolve_profile.c, thicken_mesh.c) ---------------------

/// A curve in the half plane beside an axis that is turned into a surface. It runs so that the
/// solid is on its left: outside of a ball from the low end of the axis to the high one. A point on
/// the axis (rho = 0) becomes one vertex and may only be first or last.
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
/// How many vertices and triangles it makes.
void lathe_count(const lathe_profile *profile, size_t segments, size_t *vertices,
                 size_t *triangles);
/// Appends to a mesh that is large enough; `vertex` and `triangle` are where, and move on.
void lathe_turn(const lathe_profile *profile, const lathe_axis *axis, sp_mesh *mesh, size_t *vertex,
                size_t *triangle);

/// A mesh between two offsets of another along its normals, inner < outer; open edges are stitched.
/// With a closed mesh and skin set only the outer offset is kept.
sp_status shell_make(const sp_mesh *from, double inner, double outer, bool skin, sp_mesh *mesh,
                     sp_error *err);
/// The ends of every open edge, as its triangle runs along it; there is room for all of them.
sp_status shell_rim(const sp_mesh *mesh, uint32_t (*rim)[2], sp_error *err);
/// Fills in normals weighted by angle; false, and nothing is written, when an edge is sharp or no
/// memory is left (then there are simply no normals).
bool shell_smooth_normals(sp_mesh *mesh);

/// ---- Walls of particles (points/) --------------------------------------------------------------

enum { POINTS_MOST = 1 << 30 }; ///< so that indices and their successors fit 32 bits

/// Refuses a spacing that would give about `count` points, when that is too many or not a number.
sp_status points_check_count(double count, double spacing, sp_error *err);
/// Makes room for `capacity` points in all, keeping those there are.
sp_status points_reserve(sp_shape_points *points, size_t capacity, sp_error *err);
static inline void points_put(sp_shape_points *points, const double p[3])
{
    points->x[points->count] = (float)p[0];
    points->y[points->count] = (float)p[1];
    points->z[points->count++] = (float)p[2];
}
/// All shapes but boxes and planes: points without pattern; the box cuts height fields. `points` is
/// empty but for its host.
sp_status points_spread(const sp_shape *shape, double spacing, const double low[3],
                        const double high[3], sp_shape_points *points, sp_error *err);

/// Adds what a thickened sheet's shell lacks for points: something round along its rims.
sp_status points_add_rims(const sp_shape *shape, sp_mesh *mesh, sp_error *err);

/// Points that are added one by one and asked whether one of them is near. Space is cut into cubes
/// of two reaches; the points of a cube are a chain, and chains are found by a hash of the cube.
typedef struct points_near {
    sp_shape_points *points; ///< not owned
    double reach;            ///< m
    size_t capacity, mask;   ///< of points; chains less one, which is a power of two less one
    uint32_t *first, *next;  ///< of a chain, and after each point; one more than the index, 0: end
} points_near;
sp_status points_near_open(points_near *near, sp_shape_points *points, double reach,
                           size_t capacity, sp_error *err);
void points_near_close(points_near *near);
/// Whether a point is nearer than `within`, m, which is at most the reach.
bool points_near_any(const points_near *near, const double p[3], double within);
sp_status points_near_add(points_near *near, const double p[3], sp_error *err);

#endif
