// SPDX-License-Identifier: Apache-2.0
/// Thickness of a body where it is thin. A grid misses what passes between its corners, so the user
/// is warned. Simple shapes have a formula; in meshes the thickness is sampled along rays from
/// points on the surface.
#include "shapes/solids/solid_bodies.h"

#include <math.h>
#include <stdlib.h>

enum { RAYS = 256, PURPOSE = 2100 };

/// Length of a ray through the mesh from point p of its surface against the normal n, at most
/// `most`, by sphere tracing: no triangle is closer than the closest point, so the ray may advance
/// by that distance. The side where it entered is behind at the distance travelled, so steps double
/// until another side is close.
static double ray_length(const sp_shape *shape, const double p[3], const double n[3], double start,
                         double most)
{
    double s = start;
    for (int step = 0; step < 64 && s < most; ++step) {
        float at[3], from[3];
        double off[3];
        for (int k = 0; k < 3; ++k)
            from[k] = (float)(p[k] - s * n[k]);
        if (step == 0 && shape->open_edges > 0 && sp_bvh_winding(shape->bvh, from) < 0.5f)
            return 0.0; // a sheet: not solid behind it
        if (!sp_bvh_closest(shape->bvh, from, (float)most, at, NULL, NULL)) return most;
        for (int k = 0; k < 3; ++k)
            off[k] = (double)from[k] - (double)at[k];
        const double d = sqrt(sp_dot3(off, off));
        if (d < 0.05 * start) return s;
        s += d;
    }
    return fmin(s, most);
}

/// A triangle's area, its normal, and a point of it from two random numbers in [0, 1).
static double on_triangle(const sp_mesh *mesh, size_t t, const double u[2], double p[3],
                          double n[3])
{
    double side[2][3], across[3];
    const uint32_t *v = mesh->tri[t];
    const double root = sqrt(u[0]), share[2] = {root * (1.0 - u[1]), root * u[1]};
    for (int k = 0; k < 3; ++k) {
        const double zero = (double)mesh->x[v[0]][k];
        side[0][k] = (double)mesh->x[v[1]][k] - zero;
        side[1][k] = (double)mesh->x[v[2]][k] - zero;
        p[k] = zero + share[0] * side[0][k] + share[1] * side[1][k];
    }
    sp_cross3(side[0], side[1], across);
    const double twice = sqrt(sp_dot3(across, across));
    for (int k = 0; k < 3; ++k)
        n[k] = across[k] / (twice > 0.0 ? twice : 1.0);
    return 0.5 * twice;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Rays start evenly over the area; the lower quartile of their lengths is returned.
static double mesh_thickness(const sp_shape *shape, double voxel)
{
    const sp_mesh *mesh = &shape->mesh;
    double found[RAYS], total = 0.0, passed = 0.0, p[3], n[3];
    static const double middle[2] = {0.5, 0.5};
    size_t ray = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        total += on_triangle(mesh, t, middle, p, n);
    for (size_t t = 0; t < mesh->triangle_count && ray < RAYS; ++t) {
        passed += on_triangle(mesh, t, middle, p, n);
        for (; ray < RAYS && passed >= total * ((double)ray + 0.5) / RAYS; ++ray) {
            const sp_random4 r = sp_random(0, PURPOSE, ray, 0, 0);
            const double u[2] = {(double)sp_unit(r.x[0]), (double)sp_unit(r.x[1])};
            on_triangle(mesh, t, u, p, n);
            found[ray] = ray_length(shape, p, n, 0.02 * voxel, 4.0 * voxel);
        }
    }
    if (ray == 0) return 0.0;
    qsort(found, ray, sizeof *found, ascending);
    return found[ray / 4] + 2.0 * shape->grow;
}

double solid_thickness(const sp_shape *shape, double voxel)
{
    if (shape->def.inside_out) return shape->wall; // infinite where the wall has no outside
    switch (shape->kind) {
    case SHAPE_BOX:
        return fmin(fmin(shape->high[0] - shape->low[0], shape->high[1] - shape->low[1]),
                    shape->high[2] - shape->low[2]);
    case SHAPE_CYLINDER:
        return 2.0 * fmin(shape->radius, shape->half);
    case SHAPE_SPHERE:
    case SHAPE_CAPSULE:
        return 2.0 * shape->radius;
    case SHAPE_TORUS:
        return 2.0 * shape->tube;
    case SHAPE_MESH:
        return mesh_thickness(shape, voxel);
    case SHAPE_PLANE:
    case SHAPE_HEIGHTFIELD:
        break;
    }
    return HUGE_VAL;
}
