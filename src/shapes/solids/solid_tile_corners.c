// SPDX-License-Identifier: Apache-2.0
/// Distances of simple shapes at all corners of a tile: as in distance.c, but without gradients and
/// branches, so that they vectorise. They are evaluated in every step around a body that moves.
#include "shapes/solids/solid_bodies.h"

#include <math.h>

enum { EDGE = SP_TILE + 1, ROW = 16 }; // a row is padded to whole vectors

SP_INLINE double more(double a, double b)
{
    return a > b ? a : b;
}
SP_INLINE double less(double a, double b)
{
    return a < b ? a : b;
}
SP_INLINE double length2(double a, double b)
{
    return sqrt(a * a + b * b);
}

/// Distance to a box, from the signed distance to each pair of its sides.
SP_INLINE double box3(double x, double y, double z)
{
    const double ox = more(x, 0.0), oy = more(y, 0.0), oz = more(z, 0.0);
    return sqrt(ox * ox + oy * oy + oz * oz) + less(more(x, more(y, z)), 0.0);
}
SP_INLINE double box2(double x, double y)
{
    return length2(more(x, 0.0), more(y, 0.0)) + less(more(x, y), 0.0);
}

/// A row of points q of the body's space, x[], y[] and z[].
typedef struct row {
    double x[ROW], y[ROW], z[ROW];
} row;

static void box_row(const sp_shape *s, const row *q, double *d)
{
    SP_VECTOR_LOOP
    for (int i = 0; i < ROW; ++i)
        d[i] = box3(more(s->low[0] - q->x[i], q->x[i] - s->high[0]),
                    more(s->low[1] - q->y[i], q->y[i] - s->high[1]),
                    more(s->low[2] - q->z[i], q->z[i] - s->high[2]));
}

/// Distance from the axis, and position along it from the middle.
static void beside_row(const sp_shape *s, const row *q, double *rho, double *along)
{
    const double *c = s->center, *a = s->axis;
    SP_VECTOR_LOOP
    for (int i = 0; i < ROW; ++i) {
        const double x = q->x[i] - c[0], y = q->y[i] - c[1], z = q->z[i] - c[2];
        const double t = x * a[0] + y * a[1] + z * a[2];
        const double u = x - t * a[0], v = y - t * a[1], w = z - t * a[2];
        along[i] = t;
        rho[i] = sqrt(u * u + v * v + w * w);
    }
}

static void axis_row(const sp_shape *s, const row *q, double *d)
{
    double rho[ROW], along[ROW];
    beside_row(s, q, rho, along);
    if (s->kind == SHAPE_CYLINDER) {
        SP_VECTOR_LOOP
        for (int i = 0; i < ROW; ++i)
            d[i] = box2(rho[i] - s->radius, fabs(along[i]) - s->half);
    } else if (s->kind == SHAPE_TORUS) {
        SP_VECTOR_LOOP
        for (int i = 0; i < ROW; ++i)
            d[i] = length2(rho[i] - s->radius, along[i]) - s->tube;
    } else {
        SP_VECTOR_LOOP
        for (int i = 0; i < ROW; ++i)
            d[i] = length2(rho[i], more(fabs(along[i]) - s->half, 0.0)) - s->radius;
    }
}

static void ball_row(const sp_shape *s, const row *q, double *d)
{
    const double *c = s->center;
    SP_VECTOR_LOOP
    for (int i = 0; i < ROW; ++i) {
        const double x = q->x[i] - c[0], y = q->y[i] - c[1], z = q->z[i] - c[2];
        d[i] = sqrt(x * x + y * y + z * z) - s->radius;
    }
}

bool solid_corners_simple(const sp_shape *s, const double start[3], const double step[3][3],
                          float psi[SP_TILE_CORNERS])
{
    const bool round =
        s->kind == SHAPE_CYLINDER || s->kind == SHAPE_CAPSULE || s->kind == SHAPE_TORUS;
    if (s->def.inside_out || !(round || s->kind == SHAPE_BOX || s->kind == SHAPE_SPHERE))
        return false;
    for (int n = 0; n < EDGE * EDGE; ++n) {
        row q;
        double d[ROW];
        const int j = n % EDGE, k = n / EDGE;
        const double x = j * step[1][0] + k * step[2][0], y = j * step[1][1] + k * step[2][1];
        const double z = j * step[1][2] + k * step[2][2];
        SP_VECTOR_LOOP
        for (int i = 0; i < ROW; ++i) {
            q.x[i] = start[0] + (i * step[0][0] + x);
            q.y[i] = start[1] + (i * step[0][1] + y);
            q.z[i] = start[2] + (i * step[0][2] + z);
        }
        if (s->kind == SHAPE_BOX)
            box_row(s, &q, d);
        else if (s->kind == SHAPE_SPHERE)
            ball_row(s, &q, d);
        else
            axis_row(s, &q, d);
        for (int i = 0; i < EDGE; ++i)
            psi[EDGE * n + i] = (float)d[i];
    }
    return true;
}
