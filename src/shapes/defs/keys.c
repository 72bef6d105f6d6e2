// SPDX-License-Identifier: Apache-2.0
/// All parameters of a solid. Scenes, defaults, checks, the schema and the docs read these tables.
#include "shapes/internal.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define AT(owner, field) .name = #field, .offset = offsetof(owner, field)
#define F32(owner, field) AT(owner, field), .type = SP_KEY_F32
#define VEC3(owner, field) AT(owner, field), .type = SP_KEY_VEC3
#define RANGE(low, high) .min = (low), .max = (high)
#define PLACE .unit = "m", .value = SP_REQUIRED, RANGE(-1e6, 1e6)
#define SIZE .unit = "m", .value = SP_REQUIRED, RANGE(1e-6, 1e6)
#define DIRECTION .unit = "", .value = SP_REQUIRED, RANGE(-1e6, 1e6)

static const char *const paths[] = {"linear", "smooth", NULL};
static const char *const openings[] = {"nowhere", "top", NULL};

static const sp_key box_rows[] = {
    {VEC3(sp_box_def, min), PLACE, .doc = "The corner with the smallest coordinates"},
    {VEC3(sp_box_def, max), PLACE, .doc = "The corner with the largest coordinates"},
};
static const sp_keys box_keys = {"box", box_rows, COUNT(box_rows), sizeof(sp_box_def)};

static const sp_key sphere_rows[] = {
    {VEC3(sp_sphere_def, center), PLACE, .doc = "Centre"},
    {F32(sp_sphere_def, radius), SIZE, .doc = "Radius"},
};
static const sp_keys sphere_keys = {"sphere", sphere_rows, COUNT(sphere_rows),
                                    sizeof(sp_sphere_def)};

static const sp_key cylinder_rows[] = {
    {VEC3(sp_cylinder_def, from), PLACE, .doc = "Centre of one end"},
    {VEC3(sp_cylinder_def, to), PLACE, .doc = "Centre of the other end"},
    {F32(sp_cylinder_def, radius), SIZE, .doc = "Radius"},
};
static const sp_keys cylinder_keys = {"cylinder", cylinder_rows, COUNT(cylinder_rows),
                                      sizeof(sp_cylinder_def)};

static const sp_key capsule_rows[] = {
    {VEC3(sp_cylinder_def, from), PLACE, .doc = "Centre of the half ball at one end"},
    {VEC3(sp_cylinder_def, to), PLACE, .doc = "Centre of the half ball at the other end"},
    {F32(sp_cylinder_def, radius), SIZE, .doc = "Radius"},
};
static const sp_keys capsule_keys = {"capsule", capsule_rows, COUNT(capsule_rows),
                                     sizeof(sp_cylinder_def)};

static const sp_key torus_rows[] = {
    {VEC3(sp_torus_def, center), PLACE, .doc = "Centre"},
    {VEC3(sp_torus_def, axis), DIRECTION, .doc = "Axis of the ring; any length but zero"},
    {F32(sp_torus_def, radius), SIZE, .doc = "Radius of the circle in the middle of the tube"},
    {F32(sp_torus_def, tube), SIZE, .doc = "Radius of the tube, below that of the circle"},
};
static const sp_keys torus_keys = {"torus", torus_rows, COUNT(torus_rows), sizeof(sp_torus_def)};

static const sp_key plane_rows[] = {
    {VEC3(sp_plane_def, point), PLACE, .doc = "A point on the plane"},
    {VEC3(sp_plane_def, normal), DIRECTION, .doc = "Points out of the solid; any length but zero"},
};
static const sp_keys plane_keys = {"plane", plane_rows, COUNT(plane_rows), sizeof(sp_plane_def)};

static const sp_key frames_rows[] = {
    {AT(sp_frames_def, first), .type = SP_KEY_I32, .unit = "", .value = 0, RANGE(0, 9999999),
     .doc = "Number of the first file"},
    {AT(sp_frames_def, last), .type = SP_KEY_I32, .unit = "", .value = SP_REQUIRED,
     RANGE(0, 9999999), .doc = "Number of the last file; larger than first"},
    {F32(sp_frames_def, fps), .unit = "1/s", .value = 24, RANGE(1e-3, 1e5),
     .doc = "Files per second"},
    {F32(sp_frames_def, start), .unit = "s", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Time of the first file; the mesh is still before it and after the last"},
};
static const sp_keys frames_keys = {"frames", frames_rows, COUNT(frames_rows),
                                    sizeof(sp_frames_def)};

#define OPTION(owner, field) AT(owner, field), .type = SP_KEY_OPTION, .unit = ""
static const sp_key mesh_rows[] = {
    {AT(sp_mesh_def, file), .type = SP_KEY_TEXT, .unit = "",
     .doc = "An .obj, .stl or .ply file, relative to the scene; required"},
    {F32(sp_mesh_def, scale), .unit = "", .value = 1, RANGE(1e-9, 1e9),
     .doc = "The file's coordinates are multiplied by it: 0.001 for millimetres"},
    {VEC3(sp_mesh_def, position), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Position of the file's origin, after scaling"},
    {OPTION(sp_mesh_def, frames), .items = &frames_keys,
     .doc = "A mesh that deforms: files with the same triangles, numbered by %d or %04d in file"},
};
static const sp_keys mesh_keys = {"mesh", mesh_rows, COUNT(mesh_rows), sizeof(sp_mesh_def)};

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
static const sp_keys heightfield_keys = {"heightfield", heightfield_rows, COUNT(heightfield_rows),
                                         sizeof(sp_heightfield_def)};

static const sp_key shape_rows[] = {
    {OPTION(sp_shape_def, box), .items = &box_keys, .doc = "A box along the axes"},
    {OPTION(sp_shape_def, sphere), .items = &sphere_keys, .doc = "A ball"},
    {OPTION(sp_shape_def, cylinder), .items = &cylinder_keys, .doc = "A cylinder with flat ends"},
    {OPTION(sp_shape_def, capsule), .items = &capsule_keys, .doc = "A cylinder with round ends"},
    {OPTION(sp_shape_def, torus), .items = &torus_keys, .doc = "A torus"},
    {OPTION(sp_shape_def, plane), .items = &plane_keys, .doc = "Everything on one side of a plane"},
    {OPTION(sp_shape_def, mesh), .items = &mesh_keys, .doc = "Triangles from a file"},
    {OPTION(sp_shape_def, heightfield), .items = &heightfield_keys,
     .doc = "Ground from a height map; everything below it is solid"},
};
const sp_keys sp_shape_keys = {"shape", shape_rows, COUNT(shape_rows), sizeof(sp_shape_def)};

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
static const sp_keys pose_keys = {"key", pose_rows, COUNT(pose_rows), sizeof(sp_pose_def)};

static const sp_key spin_rows[] = {
    {VEC3(sp_spin_def, center), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "A point on the axis, in the body's space"},
    {VEC3(sp_spin_def, axis), DIRECTION, .doc = "Direction of the axis; any length but zero"},
    {F32(sp_spin_def, rpm), .unit = "1/min", .value = SP_REQUIRED, RANGE(-1e5, 1e5),
     .doc = "Turns per minute, right-handed about the axis"},
};
static const sp_keys spin_keys = {"spin", spin_rows, COUNT(spin_rows), sizeof(sp_spin_def)};

static const sp_key motion_rows[] = {
    {AT(sp_motion_def, keys), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_motion_def, key_count), .items = &pose_keys, .unit = "",
     RANGE(0, 100000),
     .doc = "Poses in ascending time; the body rests before the first and after the last"},
    {AT(sp_motion_def, path), .type = SP_KEY_CHOICE, .choices = paths, .unit = "", .value = 0,
     .doc = "Straight lines between keys, or a smooth curve that starts and ends at rest"},
    {OPTION(sp_motion_def, spin), .items = &spin_keys,
     .doc = "A steady rotation, applied before the keys"},
};
static const sp_keys motion_keys = {"motion", motion_rows, COUNT(motion_rows),
                                    sizeof(sp_motion_def)};

static const sp_key collider_rows[] = {
    {AT(sp_collider_def, name), .type = SP_KEY_TEXT, .unit = "",
     .doc = "Name in messages and files"},
    {AT(sp_collider_def, shape), .type = SP_KEY_OBJECT, .unit = "", .items = &sp_shape_keys,
     .doc = "Exactly one of box, sphere, cylinder, capsule, torus, plane, mesh and heightfield"},
    {AT(sp_collider_def, inside_out), .type = SP_KEY_BOOL, .unit = "", .value = 0, RANGE(0, 1),
     .doc = "A container: the shape is the hollow, and everything around it is solid"},
    {F32(sp_collider_def, thickness), .unit = "m", .value = 0, RANGE(0, 1e6),
     .doc = "Wall thickness of a container (0: infinite), or thickness given to a thin mesh"},
    {AT(sp_collider_def, open), .type = SP_KEY_CHOICE, .choices = openings, .unit = "", .value = 0,
     .doc = "Open side of a container; boxes and upright cylinders can be open at the top"},
    {AT(sp_collider_def, material), .type = SP_KEY_TEXT, .unit = "",
     .doc = "Name of its material, such as glass; the default is stone"},
    {F32(sp_collider_def, slip), .unit = "", .value = 1, RANGE(0, 1),
     .doc = "0: water sticks to it, 1: water slides along it freely"},
    {AT(sp_collider_def, motion), .type = SP_KEY_OBJECT, .unit = "", .items = &motion_keys,
     .doc = "Motion of the collider"},
};
const sp_keys sp_collider_keys = {"collider", collider_rows, COUNT(collider_rows),
                                  sizeof(sp_collider_def)};
