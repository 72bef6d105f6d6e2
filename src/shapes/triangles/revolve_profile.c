// SPDX-License-Identifier: Apache-2.0
/// Revolves a profile about an axis into triangles, with every vertex shared.
#include "shapes/internal.h"

static size_t next_point(const lathe_profile *profile, size_t i)
{
    return i + 1 < profile->count ? i + 1 : profile->closed ? 0 : i;
}

static bool on_axis(const lathe_profile *profile, size_t i)
{
    return profile->at[i][0] == 0.0;
}

void lathe_count(const lathe_profile *profile, size_t segments, size_t *vertices, size_t *triangles)
{
    *vertices = *triangles = 0;
    for (size_t i = 0; i < profile->count; ++i) {
        const size_t j = next_point(profile, i);
        *vertices += on_axis(profile, i) ? 1 : segments;
        if (j != i) *triangles += (on_axis(profile, i) || on_axis(profile, j) ? 1 : 2) * segments;
    }
}

static void put_vertex(sp_mesh *mesh, size_t vertex, const lathe_axis *axis, const double away[3],
                       const double at[2], const double *normal)
{
    for (int k = 0; k < 3; ++k) {
        mesh->x[vertex][k] = (float)(axis->center[k] + at[0] * away[k] + at[1] * axis->axis[k]);
        if (mesh->n && normal)
            mesh->n[vertex][k] = (float)(normal[0] * away[k] + normal[1] * axis->axis[k]);
    }
}

/// The vertices of one point of the profile; ring i begins at first + the size of the rings before.
static void put_ring(const lathe_profile *profile, size_t i, const lathe_axis *axis, sp_mesh *mesh,
                     size_t first)
{
    double across[3], over[3], away[3];
    const double *normal = profile->normal ? profile->normal[i] : NULL;
    shape_frame(axis->axis, across, over);
    const size_t n = on_axis(profile, i) ? 1 : axis->segments;
    for (size_t k = 0; k < n; ++k) {
        double s, c;
        sp_sincos_turns((double)k / (double)axis->segments, &s, &c);
        for (int d = 0; d < 3; ++d)
            away[d] = c * across[d] + s * over[d];
        put_vertex(mesh, first + k, axis, away, profile->at[i], normal);
    }
}

/// The band between two rings a and b (b further along the profile); its outside is to the
/// profile's right.
static void put_band(sp_mesh *mesh, size_t *triangle, size_t a, bool a_point, size_t b,
                     bool b_point, size_t segments)
{
    for (size_t k = 0; k < segments; ++k) {
        const size_t l = (k + 1) % segments;
        if (!a_point) sp_mesh_put(mesh, (*triangle)++, a + k, a + l, b_point ? b : b + k);
        if (!b_point) sp_mesh_put(mesh, (*triangle)++, a_point ? a : a + l, b + l, b + k);
    }
}

void lathe_turn(const lathe_profile *profile, const lathe_axis *axis, sp_mesh *mesh, size_t *vertex,
                size_t *triangle)
{
    const size_t start = *vertex;
    for (size_t i = 0; i < profile->count; ++i) {
        const size_t j = next_point(profile, i), here = *vertex;
        put_ring(profile, i, axis, mesh, here);
        *vertex += on_axis(profile, i) ? 1 : axis->segments;
        if (j != i)
            put_band(mesh, triangle, here, on_axis(profile, i), j > i ? *vertex : start,
                     on_axis(profile, j), axis->segments);
    }
}
