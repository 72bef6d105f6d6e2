// SPDX-License-Identifier: Apache-2.0
/// Particles that run into solids slide along them without friction; those that a solid has run over are inside.
#include "whitewater/surface/internal.h"

/// Voxels: deeper ones cannot come out again within a step. As for bubbles in water.
#define DEEP 2.0

static void slide(const double normal[3], const double solid[3], double v[3])
{
    double along = 0.0;
    for (int a = 0; a < 3; ++a)
        along += (v[a] - solid[a]) * normal[a];
    for (int a = 0; a < 3 && along < 0.0; ++a)
        v[a] -= along * normal[a];
}

bool surface_leave_solids(const whitewater_world *w, double x[3], double v[3], double radius)
{
    double normal[3], solid[3];
    int who;
    if (!w->solids) return true;
    const double psi = sp_solids_distance(w->solids, x, normal, &who);
    if (psi >= radius) return true;
    if (psi < -DEEP * (double)w->voxel) return false;
    sp_solids_velocity(w->solids, who, x, solid);
    slide(normal, solid, v);
    for (int a = 0; a < 3; ++a)
        x[a] += (radius - psi) * normal[a];
    return true;
}

bool surface_is_inside(const whitewater_world *w, const double x[3])
{
    return w->solids && sp_solids_distance(w->solids, x, NULL, NULL) < -DEEP * (double)w->voxel;
}
