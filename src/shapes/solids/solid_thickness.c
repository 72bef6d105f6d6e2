// SPDX-License-Identifier: Apache-2.0
/// How thick a body is where it is thin. A grid cannot see what passes between its corners, so the
/// user is told. Simple shapes know it; meshes are pierced at points spread over their surface.
#include "shapes/solids/solid_bodies.h"

#include <math.h>
#include <stdlib.h>

enum { NEEDLES = 256, PURPOSE = 2100 };

/// How far it is through the mesh from a point of it against its normal, at most `most`: from a
/// point on the way nothing is nearer than the nearest triangle, so that far one may go. The side
/// that was pierced is behind, at the distance travelled, hence steps double until something else
/// is near.
static double pierce(const sp_shape *shape, const double p[3], const double n[3], double start,
                     double most)
{
    double s = start;
    for (int step = 0; step < 64 && s < most; ++step) {
        float at[3], from[3];
        double off[3];
        for (int k = 0; k < 3; ++k)
            from[k] = (float)(p[k] - s * n[k]);
        if (step == 0 && shape->open_edges > 0 && sp_bvh_winding(shape->bvh, from) < 0.5f)
            return 0.0; // a sheet: behind it is nothing
        if (!sp_bvh_closest(shape->bvh, from, (float)most, at, NULL, NULL)) return most;
        for (int k = 0; k < 3; ++k)
            off[k] = (double)from[k] - (double)at[k];
        const double d = sqrt(sp_dot3(off, off));
        if (d < 0.05 * start) return s;
        s += d;
    }
    return fmin(s, most);
}

/// A triangle's area, its normal, and a point of it out of two numbers of [0, 1).
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

/// Needles are spread evenly over the area; a quarter of them find less than what is returned.
static double mesh_thickness(const sp_shape *shape, double voxel)
{
    const sp_mesh *mesh = &shape->mesh;
    double found[NEEDLES], total = 0.0, passed = 0.0, p[3], n[3];
    static const double middle[2] = {0.5, 0.5};
    size_t needle = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        total += on_triangle(mesh, t, middle, p, n);
    for (size_t t = 0; t < mesh->triangle_count && needle < NEEDLES; ++t) {
        passed += on_triangle(mesh, t, middle, p, n);
        for (; needle < NEEDLES && passed >= total * ((double)needle + 0.5) / NEEDLES; ++needle) {
            const sp_random4 r = sp_random(0, PURPOSE, needle, 0, 0);
            const double u[2] = {(double)sp_unit(r.x[0]), (double)sp_unit(r.x[1])};
            on_triangle(mesh, t, u, p, n);
            found[needle] = pierce(shape, p, n, 0.02 * voxel, 4.0 * voxel);
        }
    }
    if (needle == 0) return 0.0;
    qsort(found, needle, sizeof *found, ascending);
    return found[needle / 4] + 2.0 * shape->grow;
}

double solid_thickness(const sp_shape *shape, double voxel)
{
    if (shape->def.inside_out) return shape->wall; // infinite where there is no outside
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
