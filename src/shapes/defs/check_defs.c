// SPDX-License-Identifier: Apache-2.0
/// Checks of shapes and colliders that the ranges of single keys cannot express.
#include "shapes/internal.h"

#include <stdio.h>
#include <string.h>

static bool has_direction(const float v[3])
{
    double unit[3];
    return shape_unit(v, unit);
}

sp_status shape_check_direction(const float v[3], const char *path, const char *key, sp_error *err)
{
    if (has_direction(v)) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s.%s: (0, 0, 0); expected a direction", path, key);
}

sp_status shape_check_corners(const float low[3], const float high[3], const char *path,
                              sp_error *err)
{
    for (int k = 0; k < 3; ++k)
        if (!(low[k] < high[k]))
            return sp_fail(err, SP_BAD_INPUT,
                           "%s: %c from %g to %g m; expected min below max in all three", path,
                           "xyz"[k], (double)low[k], (double)high[k]);
    return SP_OK;
}

sp_status shape_check_name(const char *name, const char *path, sp_error *err)
{
    if (!name || sp_frame_name_ok(name)) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.name: expected 1 to 100 bytes without slashes and control characters", path);
}

static sp_status check_corners(const float low[3], const float high[3], const char *path,
                               const char *kind, sp_error *err)
{
    char full[320];
    snprintf(full, sizeof full, "%.300s.%s", path, kind);
    return shape_check_corners(low, high, full, err);
}

static sp_status check_cylinder(const sp_cylinder_def *c, const char *path, const char *kind,
                                sp_error *err)
{
    if (memcmp(c->from, c->to, sizeof c->from) != 0) {
        const float along[3] = {c->to[0] - c->from[0], c->to[1] - c->from[1],
                                c->to[2] - c->from[2]};
        if (has_direction(along)) return SP_OK;
    }
    return sp_fail(err, SP_BAD_INPUT, "%s.%s: from and to are the same point (%g, %g, %g)", path,
                   kind, (double)c->from[0], (double)c->from[1], (double)c->from[2]);
}

static sp_status check_torus(const sp_torus_def *torus, const char *path, sp_error *err)
{
    SP_TRY(shape_check_direction(torus->axis, path, "torus.axis", err));
    if (!(torus->tube < torus->radius))
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.torus.tube: %g m; expected less than the circle's radius, %g m", path,
                       (double)torus->tube, (double)torus->radius);
    return SP_OK;
}

int shape_count_given(const sp_shape_def *def)
{
    return !!def->box + !!def->sphere + !!def->cylinder + !!def->capsule + !!def->torus +
           !!def->plane + !!def->mesh + !!def->heightfield;
}

static sp_status check_one_shape(const sp_shape_def *def, const char *path, sp_error *err)
{
    const int given = shape_count_given(def);
    if (given == 1) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s: %d shapes; expected one of box, sphere, cylinder, capsule, torus, plane, "
                   "mesh and heightfield",
                   path, given);
}

sp_status sp_shape_check(const sp_shape_def *def, const char *path, sp_error *err)
{
    SP_TRY(check_one_shape(def, path, err));
    if (def->box) return check_corners(def->box->min, def->box->max, path, "box", err);
    if (def->heightfield)
        return check_corners(def->heightfield->min, def->heightfield->max, path, "heightfield",
                             err);
    if (def->cylinder) return check_cylinder(def->cylinder, path, "cylinder", err);
    if (def->capsule) return check_cylinder(def->capsule, path, "capsule", err);
    if (def->torus) return check_torus(def->torus, path, err);
    if (def->plane) return shape_check_direction(def->plane->normal, path, "plane.normal", err);
    if (def->mesh && !(def->mesh->file && def->mesh->file[0]))
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.mesh.file: missing; expected an .obj, .stl or .ply file", path);
    if (def->mesh) return frames_check(def->mesh, path, err);
    return SP_OK;
}

static sp_status check_wall(const sp_collider_def *def, const char *path, sp_error *err)
{
    const sp_torus_def *torus = def->shape.torus;
    if (def->inside_out && def->shape.heightfield)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.inside_out: a height field cannot be a container; expected false", path);
    if (def->thickness > 0.0f && !def->inside_out && !def->shape.mesh)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.thickness: %g m; only a container (inside_out) or a mesh has one", path,
                       (double)def->thickness);
    if (torus && def->inside_out && !(torus->tube + def->thickness < torus->radius))
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.thickness: %g m; with the tube's %g m it fills the hole of the torus",
                       path, (double)def->thickness, (double)torus->tube);
    if (def->open == SP_OPEN_NOWHERE) return SP_OK;
    if (!def->inside_out)
        return sp_fail(err, SP_BAD_INPUT, "%s.open: only a container (inside_out) can be open",
                       path);
    const sp_cylinder_def *c = def->shape.cylinder;
    if (def->shape.box || (c && c->from[0] == c->to[0] && c->from[2] == c->to[2])) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.open: only a box or an upright cylinder can be open at the top", path);
}

static sp_status check_motion(const sp_motion_def *def, const char *path, sp_error *err)
{
    for (size_t i = 0; i < def->key_count; ++i) {
        const sp_pose_def *key = &def->keys[i];
        if (i > 0 && !(key->time > def->keys[i - 1].time))
            return sp_fail(err, SP_BAD_INPUT,
                           "%s.motion.keys[%zu].time: %g s; expected later than the key before, "
                           "%g s",
                           path, i, (double)key->time, (double)def->keys[i - 1].time);
        if (key->angle != 0.0f && !has_direction(key->axis))
            return sp_fail(err, SP_BAD_INPUT,
                           "%s.motion.keys[%zu].axis: (0, 0, 0); expected a direction to turn %g "
                           "degrees about",
                           path, i, (double)key->angle);
    }
    if (!def->spin) return SP_OK;
    return shape_check_direction(def->spin->axis, path, "motion.spin.axis", err);
}

sp_status sp_collider_check(const sp_collider_def *def, const char *path, sp_error *err)
{
    char shape[300];
    snprintf(shape, sizeof shape, "%.280s.shape", path);
    SP_TRY(shape_check_name(def->name, path, err));
    SP_TRY(sp_shape_check(&def->shape, shape, err));
    SP_TRY(check_wall(def, path, err));
    return check_motion(&def->motion, path, err);
}
