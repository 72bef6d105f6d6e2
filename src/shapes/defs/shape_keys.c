// SPDX-License-Identifier: Apache-2.0
/// All parameters of a solid. Scenes, defaults, checks, the schema and the docs read these tables.
#include "core/keys/key_rows.h"
#include "shapes/internal.h"

#define PLACE .unit = "m", .value = SP_REQUIRED, RANGE(-1e6, 1e6)
#define SIZE .unit = "m", .value = SP_REQUIRED, RANGE(1e-6, 1e6)
#define DIRECTION .unit = "", .value = SP_REQUIRED, RANGE(-1e6, 1e6)

static const char *const paths[] = {"linear", "smooth", NULL};
static const char *const openings[] = {"nowhere", "top", NULL};

static const sp_key box_rows[] = {
    {VEC3(sp_box_def, min), PLACE, .doc = "The corner with the smallest coordinates"},
    {VEC3(sp_box_def, max), PLACE, .doc = "The corner with the largest coordinates"},
};
static const sp_keys box_keys = TABLE("box", box_rows, sp_box_def);

static const sp_key sphere_rows[] = {
    {VEC3(sp_sphere_def, center), PLACE, .doc = "Centre"},
    {F32(sp_sphere_def, radius), SIZE, .doc = "Radius"},
};
static const sp_keys sphere_keys = TABLE("sphere", sphere_rows, sp_sphere_def);

static const sp_key cylinder_rows[] = {
    {VEC3(sp_cylinder_def, from), PLACE, .doc = "Centre of one end"},
    {VEC3(sp_cylinder_def, to), PLACE, .doc = "Centre of the other end"},
    {F32(sp_cylinder_def, radius), SIZE, .doc = "Radius"},
};
static const sp_keys cylinder_keys = TABLE("cylinder", cylinder_rows, sp_cylinder_def);

static const sp_key capsule_rows[] = {
    {VEC3(sp_cylinder_def, from), PLACE, .doc = "Centre of the half ball at one end"},
    {VEC3(sp_cylinder_def, to), PLACE, .doc = "Centre of the half ball at the other end"},
    {F32(sp_cylinder_def, radius), SIZE, .doc = "Radius"},
};
static const sp_keys capsule_keys = TABLE("capsule", capsule_rows, sp_cylinder_def);

static const sp_key torus_rows[] = {
    {VEC3(sp_torus_def, center), PLACE, .doc = "Centre"},
    {VEC3(sp_torus_def, axis), DIRECTION, .doc = "Axis of the ring; any length but zero"},
    {F32(sp_torus_def, radius), SIZE, .doc = "Radius of the circle in the middle of the tube"},
    {F32(sp_torus_def, tube), SIZE, .doc = "Radius of the tube, below that of the circle"},
};
static const sp_keys torus_keys = TABLE("torus", torus_rows, sp_torus_def);

static const sp_key plane_rows[] = {
    {VEC3(sp_plane_def, point), PLACE, .doc = "A point on the plane"},
    {VEC3(sp_plane_def, normal), DIRECTION, .doc = "Points out of the solid; any length but zero"},
};
static const sp_keys plane_keys = TABLE("plane", plane_rows, sp_plane_def);

static const sp_key frames_rows[] = {
    {I32(sp_frames_def, first), .unit = "", .value = 0, RANGE(0, 9999999),
     .doc = "Number of the first file"},
    {I32(sp_frames_def, last), .unit = "", .value = SP_REQUIRED, RANGE(0, 9999999),
     .doc = "Number of the last file; larger than first"},
    {F32(sp_frames_def, fps), .unit = "1/s", .value = 24, RANGE(1e-3, 1e5),
     .doc = "Files per second"},
    {F32(sp_frames_def, start), .unit = "s", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Time of the first file; the mesh is still before it and after the last"},
};
static const sp_keys frames_keys = TABLE("frames", frames_rows, sp_frames_def);

static const sp_key mesh_rows[] = {
    {TEXT(sp_mesh_def, file), .doc = "An .obj, .stl or .ply file, relative to the scene; required"},
    {F32(sp_mesh_def, scale), .unit = "", .value = 1, RANGE(1e-9, 1e9),
     .doc = "The file's coordinates are multiplied by it: 0.001 for millimetres"},
    {VEC3(sp_mesh_def, position), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Position of the file's origin, after scaling"},
    {OPTION(sp_mesh_def, frames, frames_keys),
     .doc =
         "A collider that deforms: files with the same triangles, numbered by %d or %04d in file"},
};
static const sp_keys mesh_keys = TABLE("mesh", mesh_rows, sp_mesh_def);

static const sp_key heightfield_rows[] = {
    {AT(sp_heightfield_def, heights), .type = SP_KEY_HEIGHTS, .unit = "", .value = SP_REQUIRED,
     RANGE(-1e3, 1e3),
     .doc = "0 is the height of min, 1 that of max. A PGM or PNG height map seen from above, x to "
            "the right and z down the page; or rows of numbers, from the bottom of the page up"},
    {VEC3(sp_heightfield_def, min), PLACE, .doc = "Left end, height of black (0), back end"},
    {VEC3(sp_heightfield_def, max), PLACE, .doc = "Right end, height of white (1), front end"},
    {F32(sp_heightfield_def, depth), .unit = "m", .value = 0, RANGE(0, 1e6),
     .doc = "Thickness of the ground below min in pictures; 0: a tenth of its longer side"},
};
static const sp_keys heightfield_keys = TABLE("heightfield", heightfield_rows, sp_heightfield_def);

static const sp_key shape_rows[] = {
    {OPTION(sp_shape_def, box, box_keys), .doc = "A box along the axes"},
    {OPTION(sp_shape_def, sphere, sphere_keys), .doc = "A ball"},
    {OPTION(sp_shape_def, cylinder, cylinder_keys), .doc = "A cylinder with flat ends"},
    {OPTION(sp_shape_def, capsule, capsule_keys), .doc = "A cylinder with round ends"},
    {OPTION(sp_shape_def, torus, torus_keys), .doc = "A torus"},
    {OPTION(sp_shape_def, plane, plane_keys), .doc = "Everything on one side of a plane"},
    {OPTION(sp_shape_def, mesh, mesh_keys), .doc = "Triangles from a file"},
    {OPTION(sp_shape_def, heightfield, heightfield_keys),
     .doc = "Ground from a height map; everything below it is solid"},
};
const sp_keys sp_shape_keys = TABLE("shape", shape_rows, sp_shape_def);

static const sp_key pose_rows[] = {
    {F32(sp_pose_def, time), .unit = "s", .value = SP_REQUIRED, RANGE(-1e6, 1e6),
     .doc = "Time of the key"},
    {VEC3(sp_pose_def, position), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Position of the body's origin at that time"},
    {VEC3(sp_pose_def, axis), .unit = "", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Rotation axis; any length but zero, unless the angle is zero"},
    {F32(sp_pose_def, angle), .unit = "degrees", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Rotation angle, right-handed; 0 to 720 about one axis is two turns"},
};
static const sp_keys pose_keys = TABLE("key", pose_rows, sp_pose_def);

static const sp_key spin_rows[] = {
    {VEC3(sp_spin_def, center), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "A point on the axis, in the body's space"},
    {VEC3(sp_spin_def, axis), DIRECTION, .doc = "Direction of the axis; any length but zero"},
    {F32(sp_spin_def, rpm), .unit = "1/min", .value = SP_REQUIRED, RANGE(-1e5, 1e5),
     .doc = "Turns per minute, right-handed about the axis"},
};
static const sp_keys spin_keys = TABLE("spin", spin_rows, sp_spin_def);

static const sp_key motion_rows[] = {
    {LIST(sp_motion_def, keys, key_count, pose_keys), RANGE(0, 100000),
     .doc = "Poses in ascending time; the body rests before the first and after the last"},
    {WORD(sp_motion_def, path, paths), .value = 0,
     .doc = "Straight lines between keys, or a smooth curve that starts and ends at rest"},
    {OPTION(sp_motion_def, spin, spin_keys), .doc = "A steady rotation, applied before the keys"},
};
static const sp_keys motion_keys = TABLE("motion", motion_rows, sp_motion_def);

static const sp_key collider_rows[] = {
    {TEXT(sp_collider_def, name), .doc = "Name in messages and files"},
    {OBJECT(sp_collider_def, shape, sp_shape_keys),
     .doc = "Exactly one of box, sphere, cylinder, capsule, torus, plane, mesh and heightfield"},
    {BOOL(sp_collider_def, inside_out), .value = 0,
     .doc = "A container: the shape is the hollow, and everything around it is solid"},
    {F32(sp_collider_def, thickness), .unit = "m", .value = 0, RANGE(0, 1e6),
     .doc = "Wall thickness of a container (0: infinite), or thickness given to a thin mesh"},
    {WORD(sp_collider_def, open, openings), .value = 0,
     .doc = "Open side of a container; boxes and upright cylinders can be open at the top"},
    {TEXT(sp_collider_def, material),
     .doc = "Name of its material, such as glass; the default is stone"},
    {F32(sp_collider_def, slip), .unit = "", .value = 1, RANGE(0, 1),
     .doc = "0: water sticks to it, 1: water slides along it freely; less than 1 in liquid only"},
    {OBJECT(sp_collider_def, motion, motion_keys), .doc = "Motion of the collider"},
};
const sp_keys sp_collider_keys = TABLE("collider", collider_rows, sp_collider_def);
