// SPDX-License-Identifier: Apache-2.0
/// Signed distances of the simple shapes and of containers, exact outside and inside.
///
/// All are built from boxes and balls. Shapes with an axis are evaluated in the half plane (rho, s)
/// beside the axis, where a cylinder is a rectangle, a capsule a line segment with a radius, a
/// torus a disc: the closest point of a body of revolution lies in the half plane of the query
/// point.
///
/// Two rules keep combinations exact. Outside a union, the distance is the minimum over its parts.
/// Inside a solid, it is the distance to the complement, which is again a union: of the outside of
/// the outer shape, and of the hollow.
#include "shapes/internal.h"

#include <math.h>

bool shape_unit(const float v[3], double out[3])
{
    const double a[3] = {(double)v[0], (double)v[1], (double)v[2]};
    const double length = sqrt(sp_dot3(a, a));
    if (!(length > 1e-20)) return false;
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] / length;
    return true;
}

void shape_frame(const double axis[3], double across[3], double over[3])
{
    int least = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(axis[k]) < fabs(axis[least])) least = k;
    double other[3] = {0, 0, 0};
    other[least] = 1.0;
    sp_cross3(other, axis, across);
    sp_unit3(across);
    sp_cross3(axis, across, over);
}

/// ---- Boxes, of two or three dimensions; sides may lie at infinity ------------------------------

static double box_distance(int dims, const double *low, const double *high, const double *p,
                           double *n)
{
    double over[3], sum = 0.0;
    int nearest = 0;
    for (int k = 0; k < dims; ++k) {
        const double below = low[k] - p[k], above = p[k] - high[k];
        over[k] = below > above ? below : above;
        n[k] = below > above ? -1.0 : 1.0;
        if (over[k] > over[nearest]) nearest = k;
        if (over[k] > 0.0) sum += over[k] * over[k];
    }
    if (!(sum > 0.0)) { // inside: distance to the nearest side
        for (int k = 0; k < dims; ++k)
            n[k] = k == nearest ? n[k] : 0.0;
        return over[nearest];
    }
    const double distance = sqrt(sum);
    for (int k = 0; k < dims; ++k)
        n[k] = over[k] > 0.0 ? n[k] * over[k] / distance : 0.0;
    return distance;
}

/// Keeps a distance and its gradient if it is smaller than the best so far.
static void keep_nearer(int dims, double d, const double *n, double *best, double *best_n)
{
    if (!(d < *best)) return;
    *best = d;
    for (int k = 0; k < dims; ++k)
        best_n[k] = n[k];
}

/// Wall and floor of a container with hollow low..high that is open towards +up:
///
///      wall |          | wall        outer: low - wall .. high + wall, but no higher than high
///           |  hollow  |             shaft: the hollow, and all that is above it
///           +----------+             solid: outer without shaft
///           |  floor   |
static double open_box_distance(int dims, int up, const double *low, const double *high,
                                double wall, const double *p, double *n)
{
    double outer_low[3] = {0}, outer_high[3] = {0}, shaft_high[3] = {0}, part[3];
    for (int k = 0; k < dims; ++k) {
        outer_low[k] = low[k] - wall;
        outer_high[k] = k == up ? high[k] : high[k] + wall;
        shaft_high[k] = k == up ? HUGE_VAL : high[k];
    }
    double shaft_n[3];
    const double outer = box_distance(dims, outer_low, outer_high, p, n);
    const double shaft = box_distance(dims, low, shaft_high, p, shaft_n);
    if (outer <= 0.0 && shaft >= 0.0) { // in the solid: to the outside or the shaft
        if (-shaft > outer)
            for (int k = 0; k < dims; ++k)
                n[k] = -shaft_n[k];
        return -shaft > outer ? -shaft : outer;
    }
    double best = HUGE_VAL;
    for (int k = 0; k < dims; ++k) { // the floor, then a pair of walls per direction
        const double old_low = outer_low[k], old_high = outer_high[k];
        outer_high[k] = low[k];
        const double first = box_distance(dims, outer_low, outer_high, p, part);
        keep_nearer(dims, first, part, &best, n);
        outer_high[k] = old_high;
        if (k == up) continue;
        outer_low[k] = high[k];
        const double second = box_distance(dims, outer_low, outer_high, p, part);
        keep_nearer(dims, second, part, &best, n);
        outer_low[k] = old_low;
    }
    return best;
}

/// ---- Shapes with an axis -----------------------------------------------------------------------

/// A point in the half plane beside an axis, and the unit vector away from the axis.
typedef struct beside {
    double at[2]; ///< rho and s, m
    double away[3];
} beside;

static beside to_half_plane(const sp_shape *shape, const double q[3])
{
    beside b;
    double from[3], over[3];
    sp_sub3(q, shape->center, from);
    b.at[1] = sp_dot3(from, shape->axis);
    for (int k = 0; k < 3; ++k)
        b.away[k] = from[k] - b.at[1] * shape->axis[k];
    b.at[0] = sqrt(sp_dot3(b.away, b.away));
    if (b.at[0] > 1e-150) {
        for (int k = 0; k < 3; ++k)
            b.away[k] /= b.at[0];
    } else { // on the axis any direction will do
        shape_frame(shape->axis, b.away, over);
    }
    return b;
}

/// Converts a gradient from the half plane to space.
static void to_space(const sp_shape *shape, const beside *b, const double n2[2], double n[3])
{
    for (int k = 0; k < 3; ++k)
        n[k] = n2[0] * b->away[k] + n2[1] * shape->axis[k];
}

/// Distance to a point of the half plane and its direction; `fallback` where that is undefined.
static double distance_to_point(double x, double y, const double fallback[2], double n2[2])
{
    const double length = sqrt(x * x + y * y);
    n2[0] = length > 0.0 ? x / length : fallback[0];
    n2[1] = length > 0.0 ? y / length : fallback[1];
    return length;
}

static double axis_distance(const sp_shape *shape, double grow, const double q[3], double n[3])
{
    static const double sideways[2] = {1, 0};
    const beside b = to_half_plane(shape, q);
    const double rho = b.at[0], s = b.at[1], half = shape->half;
    double n2[2], d;
    if (shape->kind == SHAPE_CYLINDER) {
        const double high[2] = {shape->radius + grow, half + grow};
        const double low[2] = {-high[0], -high[1]};
        d = box_distance(2, low, high, b.at, n2);
    } else if (shape->kind == SHAPE_CAPSULE) {
        const double along = s < -half ? -half : s > half ? half : s;
        d = distance_to_point(rho, s - along, sideways, n2) - shape->radius - grow;
    } else {
        d = distance_to_point(rho - shape->radius, s, sideways, n2) - shape->tube - grow;
    }
    to_space(shape, &b, n2, n);
    return d;
}

static double open_cylinder_distance(const sp_shape *shape, const double q[3], double n[3])
{
    beside b = to_half_plane(shape, q);
    const double up = shape->axis[1] > 0.0 ? 1.0 : -1.0; // the cylinder's axis may point down
    const double high[2] = {shape->radius, shape->half}, low[2] = {-high[0], -high[1]};
    double n2[2];
    b.at[1] *= up;
    const double d = open_box_distance(2, 1, low, high, shape->wall, b.at, n2);
    n2[1] *= up;
    to_space(shape, &b, n2, n);
    return d;
}

/// ---- The rest ----------------------------------------------------------------------------------

static double sphere_distance(const sp_shape *shape, const double q[3], double n[3])
{
    double from[3];
    sp_sub3(q, shape->center, from);
    const double length = sqrt(sp_dot3(from, from));
    for (int k = 0; k < 3; ++k)
        n[k] = length > 0.0 ? from[k] / length : k == 1;
    return length - shape->radius;
}

static double plane_distance(const sp_shape *shape, const double q[3], double n[3])
{
    double from[3];
    sp_sub3(q, shape->center, from);
    sp_copy3(n, shape->axis);
    return sp_dot3(from, shape->axis);
}

/// The shape as a solid, grown by `grow`: boxes and cylinders keep their edges sharp.
static double solid_distance(const sp_shape *shape, double grow, double reach,
                             sp_distance_hint *hint, const double q[3], double n[3])
{
    double low[3], high[3];
    const bool closed = shape->open_edges == 0; // a mesh
    switch (shape->kind) {
    case SHAPE_BOX:
        for (int k = 0; k < 3; ++k) {
            low[k] = shape->low[k] - grow;
            high[k] = shape->high[k] + grow;
        }
        return box_distance(3, low, high, q, n);
    case SHAPE_SPHERE:
        return sphere_distance(shape, q, n) - grow;
    case SHAPE_PLANE:
        return plane_distance(shape, q, n) - grow;
    case SHAPE_MESH:
        return sp_mesh_distance(&shape->mesh, shape->bvh, closed, q, reach, hint, n) - grow;
    case SHAPE_HEIGHTFIELD:
        return ground_distance(shape->ground, q, reach, n) - grow;
    case SHAPE_CYLINDER:
    case SHAPE_CAPSULE:
    case SHAPE_TORUS:
        break;
    }
    return axis_distance(shape, grow, q, n);
}

/// Wall around a hollow: the hollow lies inside the outer shape, so the larger of the two distances
/// is exact everywhere.
static double container_distance(const sp_shape *shape, double reach, sp_distance_hint *hint,
                                 const double q[3], double n[3])
{
    double outer_n[3];
    const double hollow = -solid_distance(shape, 0.0, reach, hint, q, n);
    const bool sharp = shape->kind == SHAPE_BOX || shape->kind == SHAPE_CYLINDER;
    sp_copy3(outer_n, n);
    double outer = -hollow - shape->wall;
    if (sharp && !isinf(shape->wall))
        outer = solid_distance(shape, shape->wall, reach, NULL, q, outer_n);
    for (int k = 0; k < 3; ++k)
        n[k] = outer > hollow ? outer_n[k] : -n[k];
    return outer > hollow ? outer : hollow;
}

double shape_distance_within(const sp_shape *shape, const double q[3], double reach,
                             sp_distance_hint *hint, double n[3])
{
    if (!isinf(shape->wall))
        reach += shape->wall + shape->grow; // the mesh lies within this distance of the surface
    if (!shape->def.inside_out) return solid_distance(shape, shape->grow, reach, hint, q, n);
    if (shape->def.open == SP_OPEN_NOWHERE) return container_distance(shape, reach, hint, q, n);
    if (shape->kind == SHAPE_CYLINDER) return open_cylinder_distance(shape, q, n);
    return open_box_distance(3, 1, shape->low, shape->high, shape->wall, q, n);
}
