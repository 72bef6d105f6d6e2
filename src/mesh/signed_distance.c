// SPDX-License-Identifier: Apache-2.0
/// Signed distance to a mesh, and the velocity of its vertices: the closest point gives the
/// distance, the winding number the sign.
#include "mesh/mesh.h"

#include <math.h>

/// The sign at a point at distance `clear` from the mesh: from the winding number, unless a point
/// with a known sign is closer than the mesh is to either. This shortcut needs a closed mesh: only
/// there must a path between different signs cross the mesh.
static double sign_at(const sp_bvh *bvh, bool closed, const double q[3], const float p[3],
                      double clear, const sp_distance_hint *hint)
{
    double move[3];
    if (hint && hint->sign != 0.0 && closed) {
        const double free = fmax(clear, hint->clear);
        sp_sub3(q, hint->at, move);
        if (sp_dot3(move, move) < free * free) return hint->sign;
    }
    return sp_bvh_winding(bvh, p) > 0.5f ? -1.0 : 1.0;
}

static void face_normal(const sp_mesh *mesh, uint32_t triangle, double n[3])
{
    double cross[3];
    sp_mesh_cross(mesh, triangle, cross);
    const double area = sqrt(sp_dot3(cross, cross));
    for (int k = 0; k < 3 && area > 0.0; ++k)
        n[k] = cross[k] / area;
}

double sp_mesh_distance(const sp_mesh *mesh, const sp_bvh *bvh, bool closed, const double q[3],
                        double reach, sp_distance_hint *hint, double n[3])
{
    const float p[3] = {(float)q[0], (float)q[1], (float)q[2]};
    float at[3];
    uint32_t triangle;
    double from[3] = {0, 1, 0}, size = 0.0;
    const bool found = sp_bvh_closest(bvh, p, (float)reach, at, &triangle, NULL);
    for (int k = 0; k < 3 && found; ++k) {
        from[k] = q[k] - (double)at[k];
        size = fmax(size, fabs((double)at[k]));
    }
    const double length = sqrt(sp_dot3(from, from)), distance = found ? length : reach;
    const double unsure = 4e-7 * size; // below the resolution of a float
    const double sign = sign_at(bvh, closed, q, p, distance - unsure, hint);
    for (int k = 0; k < 3; ++k)
        n[k] = length > 0.0 ? sign * from[k] / length : k == 1;
    if (found && length < unsure) // the direction is noise
        face_normal(mesh, triangle, n);
    if (hint) {
        sp_copy3(hint->at, q);
        hint->clear = distance - unsure;
        hint->sign = sign;
    }
    return sign * distance;
}

bool sp_mesh_velocity_near(const sp_mesh *mesh, const sp_bvh *bvh, const double p[3], double reach,
                           double velocity[3])
{
    const float at[3] = {(float)p[0], (float)p[1], (float)p[2]};
    float nearest[3], weights[3];
    uint32_t triangle;
    if (!mesh->v || !sp_bvh_closest(bvh, at, (float)reach, nearest, &triangle, weights))
        return false;
    for (int k = 0; k < 3; ++k) {
        velocity[k] = 0.0;
        for (int c = 0; c < 3; ++c)
            velocity[k] += (double)weights[c] * (double)mesh->v[mesh->tri[triangle][c]][k];
    }
    return true;
}
