// SPDX-License-Identifier: Apache-2.0
/// The solids of a scene together: opened, moved, and evaluated at single points. Tiles are in
/// solid_tile_faces.c.
#include "shapes/solids/solid_box_hollow.h"

#include <math.h>
#include <string.h>

/// ---- Walls of the domain -----------------------------------------------------------------------

double solid_walls_distance(const sp_solids *s, const double p[3], int *side)
{
    double best = HUGE_VAL;
    for (int i = 0; i < 6; ++i) {
        const int k = i / 2;
        const double d = i % 2 ? s->high[k] - p[k] : p[k] - s->low[k];
        if (!(s->walls >> i & 1) || !(d < best)) continue;
        best = d;
        *side = i;
    }
    return best;
}

/// ---- Opening -----------------------------------------------------------------------------------

static sp_status check_def(const sp_solids_def *def, sp_error *err)
{
    if (!(def->voxel > 0.0f && def->voxel < HUGE_VALF))
        return sp_fail(err, SP_BAD_INPUT, "solids: voxels of %g m; expected more than 0",
                       (double)def->voxel);
    if (def->count >= SP_SOLID_WALL)
        return sp_fail(err, SP_BAD_INPUT, "colliders: %zu of them; expected at most %d", def->count,
                       SP_SOLID_WALL - 1);
    for (int k = 0; k < 3; ++k)
        if (!isfinite(def->origin[k]) || !(def->low[k] < def->high[k]) ||
            !isfinite(def->high[k] - def->low[k]))
            return sp_fail(err, SP_BAD_INPUT,
                           "solids: %c from %g to %g m, counted from %g m; expected a box",
                           "xyz"[k], def -> low[k], def -> high[k], def -> origin[k]);
    return SP_OK;
}

static bool travels(const sp_motion_def *motion)
{
    return motion->key_count > 1 || (motion->spin && motion->spin->rpm != 0.0f);
}

/// Solids act on water only through the faces of the grid, so a solid that fits between two corners
/// has no effect.
static void warn_if_thin(const sp_solids *s, const solid_body *body)
{
    const double voxel = (double)s->voxel, thick = solid_thickness(body->shape, voxel);
    if (thick >= voxel) return;
    const sp_collider_def *def = sp_shape_def_of(body->shape);
    sp_log(s->host, SP_LOG_WARNING,
           "collider '%s' is %.2g voxels thick: water may leak; %s or voxel <= %.3g",
           sp_shape_pose(body->shape, 0.0).name, thick / voxel,
           def->inside_out || def->shape.mesh ? "set thickness" : "make it thicker", thick);
}

static sp_status open_body(sp_solids *s, const sp_collider_def *def, sp_error *err)
{
    solid_body *body = &s->bodies[s->count];
    SP_TRY(sp_shape_open(def, NULL, s->host, &body->shape, err));
    ++s->count;
    body->travels = travels(&def->motion);
    body->slip = def->slip;
    body->now = body->before = solid_place_at(body->shape, 0.0);
    s->moving = s->moving || body->travels || sp_shape_deforms(body->shape);
    warn_if_thin(s, body);
    const shape_kind kind = body->shape->kind;
    if (kind != SHAPE_MESH && (kind != SHAPE_HEIGHTFIELD || body->travels)) return SP_OK;
    // Filling a tile costs as much as building its part of a field, which would be used only once:
    // about 4 ms for 24,000 triangles, more than half of it for closest points, the rest for signs.
    if (sp_shape_deforms(body->shape)) return SP_OK;
    const size_t open = sp_shape_open_edges(body->shape);
    if (open > 0)
        sp_log(s->host, SP_LOG_WARNING,
               "mesh '%s': %zu open edges; the winding number decides what is inside",
               sp_shape_pose(body->shape, 0.0).name, open);
    return solid_body_open_field(s, body, err);
}

sp_status sp_solids_open(const sp_solids_def *def, const sp_host *host, sp_solids **out,
                         sp_error *err)
{
    *out = NULL;
    SP_TRY(check_def(def, err));
    sp_solids *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "no memory for solids");
    *s = (sp_solids){.host = host, .voxel = def->voxel, .walls = def->walls};
    sp_copy3(s->origin, def->origin);
    sp_copy3(s->low, def->low);
    sp_copy3(s->high, def->high);
    s->bodies = sp_allocate(host, def->count, sizeof *s->bodies);
    sp_status status = SP_OK;
    if (!s->bodies) status = sp_fail(err, SP_NO_MEMORY, "no memory for %zu solids", def->count);
    sp_collider_namer namer = {.colliders = def->colliders, .count = def->count};
    for (size_t i = 0; i < def->count && status == SP_OK; ++i) {
        const sp_collider_def named = sp_collider_named(&namer, i);
        status = open_body(s, &named, err);
    }
    if (status != SP_OK) sp_solids_close(s);
    *out = status == SP_OK ? s : NULL;
    return status;
}

static void close_body(solid_body *body)
{
    solid_field_close(&body->field);
    sp_shape_close(body->shape);
}

void sp_solids_close(sp_solids *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->count; ++i)
        close_body(&s->bodies[i]);
    sp_release(s->host, s->bodies);
    sp_release(s->host, s);
}

/// ---- Moving ------------------------------------------------------------------------------------

static sp_status deform(sp_shape *shape, double t, sp_error *err)
{
    const sp_status status = sp_shape_deform(shape, t, err);
    if (status != SP_OK) shape_name_error(shape->name, err);
    return status;
}

sp_status sp_solids_move(sp_solids *s, double t, sp_error *err)
{
    if (!isfinite(t))
        return sp_fail(err, SP_BAD_INPUT, "solids: moved to %g s; expected a finite time", t);
    s->time = t;
    for (size_t i = 0; i < s->count; ++i) {
        solid_body *body = &s->bodies[i];
        const uint64_t shapes = frames_changes(body->shape);
        if (!body->travels && !sp_shape_deforms(body->shape)) continue;
        SP_TRY(deform(body->shape, t, err));
        body->before = body->now;
        body->now = solid_place_at(body->shape, t);
        body->moved = memcmp(&body->before.moment, &body->now.moment, sizeof(shape_moment)) != 0 ||
                      shapes != frames_changes(body->shape);
    }
    return SP_OK;
}

bool sp_solids_moving(const sp_solids *s)
{
    return s->moving;
}

size_t sp_solids_count(const sp_solids *s)
{
    return s->count;
}

const sp_shape *sp_solids_shape(const sp_solids *s, size_t i)
{
    return s->bodies[i].shape;
}

/// The velocity of a rigid body is linear in the position, so its length is largest at a corner of
/// the box; the fastest deformation is added.
static double fastest(const sp_solids *s, const solid_body *body)
{
    double low[3], high[3], most = 0.0, p[3], v[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = fmax(body->now.low[k], s->low[k]);
        high[k] = fmin(body->now.high[k], s->high[k]);
        if (!(low[k] <= high[k])) return 0.0;
    }
    for (int corner = 0; corner < 8; ++corner) {
        for (int k = 0; k < 3; ++k)
            p[k] = corner >> k & 1 ? high[k] : low[k];
        shape_moment_velocity(&body->now.moment, p, v);
        most = fmax(most, sp_dot3(v, v));
    }
    return sqrt(most) + (body->shape->frames ? frames_fastest(body->shape) : 0.0);
}

double sp_solids_speed(const sp_solids *s)
{
    double most = 0.0;
    for (size_t i = 0; i < s->count; ++i)
        if (s->bodies[i].travels || s->bodies[i].shape->frames)
            most = fmax(most, fastest(s, &s->bodies[i]));
    return most;
}

/// ---- Single points -----------------------------------------------------------------------------

double sp_solids_distance(const sp_solids *s, const double p[3], double normal[3], int *who)
{
    int side = 0, nearest = -1;
    double n[3], best_n[3] = {0, 1, 0}, best = solid_walls_distance(s, p, &side);
    if (s->walls) {
        nearest = SP_SOLID_WALL;
        for (int k = 0; k < 3; ++k)
            best_n[k] = k != side / 2 ? 0.0 : side % 2 ? -1.0 : 1.0;
    }
    for (size_t i = 0; i < s->count; ++i) {
        const solid_body *body = &s->bodies[i];
        if (!(solid_box_distance(&body->now, p) <= fmax(best, 0.0))) continue;
        const double d = solid_body_distance(body, &body->now, p, HUGE_VAL, n);
        if (!(d < best)) continue;
        best = d;
        nearest = (int)i;
        sp_copy3(best_n, n);
    }
    if (normal) sp_copy3(normal, best_n);
    if (who) *who = nearest;
    return best;
}

bool sp_solids_bends(const sp_solids *s, int who)
{
    solid_hollow hollow;
    if (who < 0 || (size_t)who >= s->count) return false;
    const solid_body *body = &s->bodies[who];
    const bool rests = body->field.phi && !body->travels;
    return !rests && body->shape->kind != SHAPE_PLANE && !solid_hollow_of_body(body, &hollow);
}

void sp_solids_velocity(const sp_solids *s, int who, const double p[3], double velocity[3])
{
    velocity[0] = velocity[1] = velocity[2] = 0.0;
    if (who < 0 || (size_t)who >= s->count) return; // a wall, or nothing at all
    const solid_body *body = &s->bodies[who];
    shape_velocity_at(body->shape, &body->now.moment, p, 2.0 * (double)s->voxel, HUGE_VAL,
                      velocity);
}
