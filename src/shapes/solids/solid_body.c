// SPDX-License-Identifier: Apache-2.0
/// One body of the solids: its pose, distance and velocity. Simple shapes are evaluated directly;
/// meshes have a distance field near their surface and are evaluated directly only far from it.
#include "shapes/solids/solid_bodies.h"

#include <math.h>

enum { EDGE = SP_TILE + 1 };

solid_place solid_place_at(const sp_shape *shape, double t)
{
    solid_place place = {.moment = shape_moment_at(shape, t)};
    sp_shape_bounds(shape, t, place.low, place.high);
    for (int k = 0; k < 3 && shape->kind == SHAPE_HEIGHTFIELD; ++k) { // more than the drawn part
        place.low[k] = -HUGE_VAL;
        place.high[k] = HUGE_VAL;
    }
    return place;
}

double solid_box_distance(const solid_place *place, const double p[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double over = fmax(fmax(place->low[k] - p[k], p[k] - place->high[k]), 0.0);
        sum += over * over;
    }
    return sqrt(sum);
}

/// ---- Single points -----------------------------------------------------------------------------

/// Samples the field at a point of its space; false where only the sign is valid.
static bool near_surface(const solid_field *field, const double q[3], double *d, double n[3])
{
    float gradient[3];
    *d = (double)solid_field_sample(field, q, gradient);
    for (int k = 0; k < 3; ++k)
        n[k] = (double)gradient[k];
    const double slope = sqrt(sp_dot3(n, n));
    for (int k = 0; k < 3; ++k)
        n[k] /= slope > 0.0 ? slope : 1.0;
    // Farther away a sample may be clamped. A small slope means that several sides are equally
    // near.
    return fabs(*d) < (double)(field->band - 1.74f * field->tiles.voxel) && slope > 0.5;
}

double solid_body_distance(const solid_body *body, const solid_place *place, const double p[3],
                           double reach, double n[3])
{
    double q[3], turned[3], d;
    if (!body->travels && body->field.phi && near_surface(&body->field, p, &d, n)) return d;
    if (!body->shape->moves) return shape_distance_within(body->shape, p, reach, NULL, n);
    shape_into_body(&place->moment, p, q);
    if (!(body->travels && body->field.phi && near_surface(&body->field, q, &d, turned)))
        d = shape_distance_within(body->shape, q, reach, NULL, turned);
    shape_rotate(place->moment.rotation, turned, n);
    return d;
}

/// ---- Corners of tiles --------------------------------------------------------------------------

/// Corners of a tile in the body's space: the first one, and the steps along the grid's axes.
typedef struct lattice {
    double start[3], step[3][3];
} lattice;

static lattice lattice_of(const solid_body *body, const double corner[3], double h)
{
    const double *r = body->now.moment.rotation;
    lattice l;
    shape_into_body(&body->now.moment, corner, l.start);
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a)
            l.step[k][a] = h * r[3 * k + a];
    return l;
}

static void lattice_point(const lattice *l, int c, double q[3])
{
    const int i = c % EDGE, j = c / EDGE % EDGE, k = c / (EDGE * EDGE);
    for (int a = 0; a < 3; ++a)
        q[a] = l->start[a] + (i * l->step[0][a] + (j * l->step[1][a] + k * l->step[2][a]));
}

/// Upper bound of the distance at a corner, from the distance at the previous corner. A mesh is
/// searched no farther than FIELD_BAND voxels.
static double reach_at(const float *psi, int c, double h)
{
    const int before = c % EDGE ? 1 : c / EDGE % EDGE ? EDGE : c ? EDGE * EDGE : 0;
    const double most = FIELD_BAND * h;
    return before ? fmin(fabs((double)psi[c - before]) + 1.001 * h, most) : most;
}

void solid_body_corners(const sp_solids *s, const solid_body *body, const int32_t at[3],
                        const double corner[3], float psi[SP_TILE_CORNERS])
{
    const double h = (double)s->voxel;
    const lattice l = lattice_of(body, corner, h);
    const solid_field *field = &body->field;
    double q[3], n[3];
    sp_distance_hint hint = {0};
    if (field->phi && !body->travels) {
        solid_field_block(field, at, psi);
        return;
    }
    if (solid_corners_simple(body->shape, l.start, (const double(*)[3])l.step, psi)) return;
    for (int c = 0; c < SP_TILE_CORNERS; ++c) {
        lattice_point(&l, c, q);
        psi[c] = field->phi
                     ? solid_field_sample(field, q, NULL)
                     : (float)shape_distance_within(body->shape, q, reach_at(psi, c, h), &hint, n);
    }
}

/// ---- Fields ------------------------------------------------------------------------------------

static void body_box(const sp_shape *shape, solid_field_def *def)
{
    const double wall = isinf(shape->wall) ? 0.0 : shape->wall;
    const double more = wall + shape->grow + 2.0 * SP_TILE * (double)def->voxel;
    for (int k = 0; k < 3; ++k) {
        def->low[k] = shape->low[k] - more;
        def->high[k] = shape->high[k] + more;
        def->origin[k] = shape->low[k];
    }
}

/// The box that water can touch, and two tiles more.
static void world_box(const sp_solids *s, const solid_body *body, solid_field_def *def)
{
    const double h = (double)s->voxel, more = 2.0 * SP_TILE * h;
    for (int k = 0; k < 3; ++k) {
        def->low[k] = fmax(s->low[k], body->now.low[k]) - more;
        def->high[k] = fmin(s->high[k], body->now.high[k]) + more;
        def->origin[k] = s->origin[k] - 0.5 * h;
    }
}

sp_status solid_body_open_field(const sp_solids *s, solid_body *body, sp_error *err)
{
    solid_field_def def = {
        .shape = body->shape, .voxel = s->voxel, .moment.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (body->travels)
        body_box(body->shape, &def);
    else {
        def.moment = body->now.moment;
        world_box(s, body, &def);
    }
    for (int k = 0; k < 3; ++k)
        if (!(def.low[k] <= def.high[k])) return SP_OK; // not near the water
    return solid_field_open(&body->field, &def, err);
}
