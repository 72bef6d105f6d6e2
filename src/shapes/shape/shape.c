// SPDX-License-Identifier: Apache-2.0
/// A solid: opened from its def; computes distances, bounds and level sets.
#include "shapes/internal.h"

#include <math.h>
#include <string.h>

/// ---- Opening -----------------------------------------------------------------------------------

static void to_double(const float from[3], double to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = (double)from[k];
}

static void open_axis_shape(sp_shape *s, const sp_cylinder_def *c)
{
    double from[3], along[3];
    to_double(c->from, from);
    to_double(c->to, along);
    sp_sub3(along, from, along);
    const double length = sqrt(sp_dot3(along, along));
    s->half = 0.5 * length;
    s->radius = (double)c->radius;
    for (int k = 0; k < 3; ++k) {
        s->center[k] = from[k] + 0.5 * along[k];
        s->axis[k] = along[k] / length;
    }
}

/// Copies the given shape and makes the copied def point at the copy.
static void copy_shape(sp_shape *s, const sp_shape_def *def)
{
    s->def.shape = (sp_shape_def){0};
    s->kind = shape_kind_of(def);
    if (def->box) {
        s->given.box = *def->box;
        s->def.shape.box = &s->given.box;
        to_double(def->box->min, s->low);
        to_double(def->box->max, s->high);
    } else if (def->sphere) {
        s->given.sphere = *def->sphere;
        s->def.shape.sphere = &s->given.sphere;
        to_double(def->sphere->center, s->center);
        s->radius = (double)def->sphere->radius;
    } else if (def->cylinder || def->capsule) {
        s->given.cylinder = def->cylinder ? *def->cylinder : *def->capsule;
        *(def->cylinder ? &s->def.shape.cylinder : &s->def.shape.capsule) = &s->given.cylinder;
        open_axis_shape(s, &s->given.cylinder);
    } else if (def->torus) {
        s->given.torus = *def->torus;
        s->def.shape.torus = &s->given.torus;
        to_double(def->torus->center, s->center);
        shape_unit(def->torus->axis, s->axis);
        s->radius = (double)def->torus->radius;
        s->tube = (double)def->torus->tube;
    } else if (def->plane) {
        s->given.plane = *def->plane;
        s->def.shape.plane = &s->given.plane;
        to_double(def->plane->point, s->center);
        shape_unit(def->plane->normal, s->axis);
    } else if (def->heightfield) {
        s->given.heightfield = *def->heightfield;
        s->given.heightfield.heights = (sp_heights){0}; // heights stay with the scene
        s->def.shape.heightfield = &s->given.heightfield;
    } else {
        s->given.mesh = *def->mesh;
        s->def.shape.mesh = &s->given.mesh;
    }
}

static sp_status copy_names(sp_shape *s, const sp_collider_def *def, sp_error *err)
{
    const char *material = def->material ? def->material : "stone";
    s->def.name = NULL;
    s->def.material = s->material = sp_copy_text(s->host, material);
    bool good = s->material;
    if (def->name) good = (s->def.name = s->name = sp_copy_text(s->host, def->name)) && good;
    if (s->kind == SHAPE_MESH) {
        s->given.mesh.file = s->file = sp_copy_text(s->host, def->shape.mesh->file);
        if (def->shape.mesh->frames) {
            s->frames_def = *def->shape.mesh->frames;
            s->given.mesh.frames = &s->frames_def;
        }
        good = s->file && good;
    }
    return good ? SP_OK : sp_fail(err, SP_NO_MEMORY, "no memory for its name");
}

static sp_status copy_motion(sp_shape *s, const sp_motion_def *def, sp_error *err)
{
    s->def.motion.keys = NULL;
    if (def->spin) {
        s->spin = *def->spin;
        s->def.motion.spin = &s->spin;
    }
    if (def->key_count > 0) {
        s->keys = sp_allocate(s->host, def->key_count, sizeof *s->keys);
        if (!s->keys) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu keys", def->key_count);
        memcpy(s->keys, def->keys, def->key_count * sizeof *s->keys);
        s->def.motion.keys = s->keys;
    }
    return shape_open_motion(s, err);
}

/// Vertices that the file repeats for each face would give open edges, so they are welded. Only
/// then, because welding could also join parts that merely touch.
static sp_status close_seams(sp_shape *s, sp_error *err)
{
    sp_mesh_edges edges;
    SP_TRY(sp_mesh_look(&s->mesh, &edges, err));
    if (edges.open > 0 && !s->given.mesh.frames) { // else vertices must match the other files
        SP_TRY(sp_mesh_weld(&s->mesh, err));
        SP_TRY(sp_mesh_look(&s->mesh, &edges, err));
    }
    s->open_edges = edges.open;
    return SP_OK;
}

/// Reverses a closed mesh whose triangles face inward: it would be solid everywhere but inside.
static bool turn_outward(sp_shape *s, const char *path)
{
    if (s->open_edges > 0 || !sp_mesh_face_outward(&s->mesh)) return false;
    sp_log(s->host, SP_LOG_WARNING,
           "%s%s%s%s: its triangles face inward and were reversed; correct the file",
           s->name ? "collider \"" : "", s->name ? s->name : "", s->name ? "\": " : "", path);
    return true;
}

void shape_measure_mesh(sp_shape *s)
{
    for (int k = 0; k < 3; ++k) {
        s->low[k] = HUGE_VAL;
        s->high[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < s->mesh.vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
            s->low[k] = fmin(s->low[k], (double)s->mesh.x[i][k]);
            s->high[k] = fmax(s->high[k], (double)s->mesh.x[i][k]);
        }
}

static sp_status place_mesh(sp_shape *s, const char *path, sp_error *err)
{
    const sp_mesh_def *def = &s->given.mesh;
    for (size_t i = 0; i < s->mesh.vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
            float *x = &s->mesh.x[i][k];
            *x = (float)((double)*x * (double)def->scale + (double)def->position[k]);
        }
    shape_measure_mesh(s);
    for (int k = 0; k < 3; ++k) {
        const double far = fmax(-s->low[k], s->high[k]);
        if (!(far <= SHAPE_FARTHEST))
            return sp_fail(err, SP_BAD_INPUT,
                           "%s reaches to %g m with mesh.scale %g; expected at most %g m: give it "
                           "a smaller scale",
                           path, far, (double)def->scale, SHAPE_FARTHEST);
    }
    return SP_OK;
}

/// Stores the full path of the file in `file`, because more files may be read later.
static sp_status resolve_file_name(sp_shape *s, const char *dir, sp_error *err)
{
    if (!dir || !dir[0] || s->file[0] == '/') return SP_OK;
    const size_t folder = strlen(dir), name = strlen(s->file);
    char *full = sp_allocate(s->host, folder + 1 + name + 1, 1);
    if (!full) return sp_fail(err, SP_NO_MEMORY, "no memory for its name");
    memcpy(full, dir, folder);
    full[folder] = '/';
    memcpy(full + folder + 1, s->file, name);
    sp_release(s->host, s->file);
    s->given.mesh.file = s->file = full;
    return SP_OK;
}

static sp_status open_mesh(sp_shape *s, const char *dir, sp_error *err)
{
    const sp_mesh_def *def = &s->given.mesh;
    char path[4096];
    SP_TRY(resolve_file_name(s, dir, err));
    SP_TRY(sp_mesh_file_name(def, def->frames ? def->frames->first : 0, path, sizeof path, err));
    SP_TRY(sp_mesh_read(path, s->host, &s->mesh, err));
    SP_TRY(place_mesh(s, path, err));
    SP_TRY(close_seams(s, err));
    if (s->mesh.triangle_count == 0)
        return sp_fail(err, SP_BAD_INPUT, "%s has only triangles without an area", path);
    const bool turned = turn_outward(s, path);
    SP_TRY(sp_bvh_open(&s->mesh, s->host, &s->bvh, err));
    return def->frames ? frames_open(s, turned, err) : SP_OK;
}

static sp_status open_ground(sp_shape *s, const sp_heightfield_def *def, sp_error *err)
{
    double top;
    SP_TRY(ground_open(&s->ground, def, s->host, err));
    to_double(def->min, s->low);
    to_double(def->max, s->high);
    const double wide = fmax(s->high[0] - s->low[0], s->high[2] - s->low[2]);
    ground_span(s->ground, &s->low[1], &top);
    s->low[1] = fmin(s->low[1], (double)def->min[1]);
    s->low[1] -= def->depth > 0.0f ? (double)def->depth : 0.1 * wide;
    s->high[1] = top;
    return SP_OK;
}

static sp_status open_parts(sp_shape *s, const sp_collider_def *def, const char *dir, sp_error *err)
{
    s->def = *def;
    copy_shape(s, &def->shape);
    const double thickness = (double)def->thickness;
    s->wall = def->inside_out ? (thickness > 0.0 ? thickness : HUGE_VAL) : 0.0;
    s->grow = def->inside_out ? 0.0 : 0.5 * thickness;
    SP_TRY(copy_names(s, def, err));
    SP_TRY(copy_motion(s, &def->motion, err));
    if (s->kind == SHAPE_HEIGHTFIELD) return open_ground(s, def->shape.heightfield, err);
    return s->kind == SHAPE_MESH ? open_mesh(s, dir, err) : SP_OK;
}

void shape_name_error(const char *name, sp_error *err)
{
    if (name)
        sp_error_prefix(err, "collider \"%s\": ", name);
    else
        sp_error_prefix(err, "shape: "); // emitters and sinks also have a shape
}

sp_status sp_shape_open(const sp_collider_def *def, const char *dir, const sp_host *host,
                        sp_shape **out, sp_error *err)
{
    *out = NULL;
    SP_TRY(sp_keys_check(&sp_collider_keys, def, "collider", err));
    SP_TRY(sp_collider_check(def, "collider", err));
    sp_shape *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "no memory for a collider");
    s->host = host;
    const sp_status status = open_parts(s, def, dir, err);
    if (status == SP_OK) {
        *out = s;
        return SP_OK;
    }
    sp_shape_close(s);
    shape_name_error(def->name, err);
    return status;
}

void sp_shape_close(sp_shape *s)
{
    if (!s) return;
    sp_bvh_close(s->bvh);
    ground_close(s->ground);
    frames_close(s);
    sp_mesh_close(&s->mesh);
    sp_release(s->host, s->legs);
    sp_release(s->host, s->keys);
    sp_release(s->host, s->file);
    sp_release(s->host, s->material);
    sp_release(s->host, s->name);
    sp_release(s->host, s);
}

const sp_collider_def *sp_shape_def_of(const sp_shape *shape)
{
    return &shape->def;
}

size_t sp_shape_open_edges(const sp_shape *shape)
{
    return shape->def.thickness > 0.0f ? 0 : shape->open_edges; // the rims of a shell are closed
}

sp_body sp_shape_pose(const sp_shape *shape, double t)
{
    const shape_moment m = shape_moment_at(shape, t);
    sp_body body = {.name = shape->name ? shape->name : shape_kind_names[shape->kind]};
    memcpy(body.position, m.position, sizeof m.position);
    memcpy(body.rotation, m.rotation, sizeof m.rotation);
    return body;
}

/// ---- Distances ---------------------------------------------------------------------------------

/// Distance in world space for a known pose.
static double distance_at(const sp_shape *shape, const shape_moment *m, const double p[3],
                          double reach, sp_distance_hint *hint, double n[3])
{
    double q[3], body_n[3];
    if (!shape->moves) return shape_distance_within(shape, p, reach, hint, n);
    shape_into_body(m, p, q);
    const double d = shape_distance_within(shape, q, reach, hint, body_n);
    shape_rotate(m->rotation, body_n, n);
    return d;
}

double sp_shape_distance_within(const sp_shape *shape, double t, const double p[3], double reach,
                                double gradient[3])
{
    double n[3];
    const shape_moment m = shape_moment_at(shape, t);
    return distance_at(shape, &m, p, reach, NULL, gradient ? gradient : n);
}

double sp_shape_distance(const sp_shape *shape, double t, const double p[3], double gradient[3])
{
    return sp_shape_distance_within(shape, t, p, HUGE_VAL, gradient);
}

typedef struct many {
    const sp_shape *shape;
    shape_moment moment;
    const double (*p)[3];
    float *distance, (*gradient)[3];
} many;

static void distances_in_range(void *arg, size_t begin, size_t end)
{
    const many *m = arg;
    double n[3];
    for (size_t i = begin; i < end; ++i) {
        m->distance[i] = (float)distance_at(m->shape, &m->moment, m->p[i], HUGE_VAL, NULL, n);
        for (int k = 0; k < 3 && m->gradient; ++k)
            m->gradient[i][k] = (float)n[k];
    }
}

void sp_shape_distances(const sp_shape *shape, double t, size_t n, const double (*p)[3],
                        float *distance, float (*gradient)[3])
{
    many m = {shape, shape_moment_at(shape, t), p, distance, gradient};
    sp_parallel(shape->host, n, 1024, distances_in_range, &m);
}

/// ---- Level sets --------------------------------------------------------------------------------

typedef struct posed {
    const sp_shape *shape;
    shape_moment moment;
} posed;

static double posed_distance(const void *what, const double p[3], double reach,
                             sp_distance_hint *hint)
{
    const posed *on = what;
    double n[3];
    return distance_at(on->shape, &on->moment, p, reach, hint, n);
}

void shape_fill_tiles(const sp_shape *shape, const shape_moment *moment, const sp_tiles *tiles,
                      const double origin[3], float band, float *phi)
{
    const posed on = {shape, *moment};
    const sp_levelset_source source = {.what = &on, .distance = posed_distance};
    sp_levelset_from_distance(&source, tiles, origin, band, phi);
}

/// ---- Bounds ------------------------------------------------------------------------------------

/// How far the solid reaches along +direction, a unit vector of the body's space.
static double reach_along(const sp_shape *s, const double direction[3])
{
    const double along = sp_dot3(direction, s->axis);
    const double beside = sqrt(fmax(0.0, 1.0 - along * along));
    const double wall = s->def.inside_out ? s->wall : s->grow;
    const bool open = s->def.open == SP_OPEN_TOP;
    double sum = sp_dot3(direction, s->center);
    switch (s->kind) {
    case SHAPE_BOX:
    case SHAPE_MESH:
    case SHAPE_HEIGHTFIELD:
        sum = 0.0;
        for (int k = 0; k < 3; ++k) { // 0 times infinity counts as 0
            const double top = open && k == 1 ? s->high[k] : s->high[k] + wall;
            if (direction[k] > 0.0) sum += direction[k] * top;
            if (direction[k] < 0.0) sum += direction[k] * (s->low[k] - wall);
        }
        return sum;
    case SHAPE_SPHERE:
        return sum + s->radius + wall;
    case SHAPE_CAPSULE:
        return sum + s->half * fabs(along) + s->radius + wall;
    case SHAPE_TORUS:
        return sum + s->radius * beside + s->tube + wall;
    case SHAPE_PLANE: // finite only along its normal, for a container against it
        if (1.0 - fabs(along) > 1e-15) return HUGE_VAL;
        if (s->def.inside_out) return along > 0.0 ? sum + wall : sum;
        return along > 0.0 ? sum : HUGE_VAL;
    case SHAPE_CYLINDER:
        break;
    }
    const bool at_top = open && along * s->axis[1] > 0.0;
    if (fabs(along) > 0.0) sum += fabs(along) * (at_top ? s->half : s->half + wall);
    if (beside > 0.0) sum += beside * (s->radius + wall);
    return sum;
}

void sp_shape_bounds(const sp_shape *shape, double t, double low[3], double high[3])
{
    const shape_moment m = shape_moment_at(shape, t);
    for (int k = 0; k < 3; ++k) {
        const double up[3] = {m.rotation[3 * k], m.rotation[3 * k + 1], m.rotation[3 * k + 2]};
        const double down[3] = {-up[0], -up[1], -up[2]};
        high[k] = m.position[k] + reach_along(shape, up);
        low[k] = m.position[k] - reach_along(shape, down);
    }
}
