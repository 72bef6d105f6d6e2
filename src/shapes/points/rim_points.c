// SPDX-License-Identifier: Apache-2.0
/// Rims of a thickened sheet, for points.
///
/// The distance gives a sheet round rims, but its shell has flat ones: points of the flat rim lie
/// in the middle of the half tube, and projected along the gradient they end on its two sides. So
/// each open edge gets a square tube around it, and each of its corners an octahedron. Between a
/// point of the round rim and the closest point of the sheet there is a point of these, and it
/// projects to exactly that point of the rim. Points of the tubes inside the solid project to one
/// of its sides, which is harmless.
#include "shapes/internal.h"

#include <string.h>

enum { RIM_VERTICES = 14, RIM_TRIANGLES = 16 };

/// Corners 0 to 3 around the start of the edge, 4 to 7 around its end, then those of the
/// octahedron.
static const uint32_t rim_triangles[RIM_TRIANGLES][3] = {
    {0, 1, 5},   {0, 5, 4},   {1, 2, 6},   {1, 6, 5},   {2, 3, 7},   {2, 7, 6},
    {3, 0, 4},   {3, 4, 7},   {8, 10, 12}, {10, 9, 12}, {9, 11, 12}, {11, 8, 12},
    {10, 8, 13}, {9, 10, 13}, {11, 9, 13}, {8, 11, 13}};

static void put_rim_vertices(const sp_mesh *from, const uint32_t ends[2], double grow,
                             float (*x)[3])
{
    static const double around[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    float edge[3];
    double along[3] = {0, 1, 0}, across[3], over[3];
    for (int k = 0; k < 3; ++k)
        edge[k] = from->x[ends[1]][k] - from->x[ends[0]][k];
    shape_unit(edge, along);
    shape_frame(along, across, over);
    for (int c = 0; c < 8; ++c)
        for (int k = 0; k < 3; ++k) {
            const double *to = around[c % 4];
            x[c][k] = (float)((double)from->x[ends[c / 4]][k] +
                              grow * (to[0] * across[k] + to[1] * over[k]));
        }
    for (int c = 0; c < 6; ++c)
        for (int k = 0; k < 3; ++k) {
            const double to = c / 2 == k ? (c % 2 ? -grow : grow) : 0.0;
            x[8 + c][k] = (float)((double)from->x[ends[0]][k] + to);
        }
}

static void put_rims(const sp_shape *s, const uint32_t (*rim)[2], const sp_mesh *shell,
                     sp_mesh *mesh)
{
    memcpy(mesh->x, shell->x, shell->vertex_count * sizeof *mesh->x);
    memcpy(mesh->tri, shell->tri, shell->triangle_count * sizeof *mesh->tri);
    for (size_t i = 0; i < s->open_edges; ++i) {
        const size_t vertex = shell->vertex_count + i * RIM_VERTICES;
        const size_t triangle = shell->triangle_count + i * RIM_TRIANGLES;
        put_rim_vertices(&s->mesh, rim[i], s->grow, mesh->x + vertex);
        for (size_t t = 0; t < RIM_TRIANGLES; ++t)
            for (int c = 0; c < 3; ++c)
                mesh->tri[triangle + t][c] = (uint32_t)vertex + rim_triangles[t][c];
    }
}

sp_status points_add_rims(const sp_shape *s, sp_mesh *mesh, sp_error *err)
{
    sp_mesh with = {0};
    const size_t vertices = mesh->vertex_count + s->open_edges * RIM_VERTICES;
    const size_t triangles = mesh->triangle_count + s->open_edges * RIM_TRIANGLES;
    uint32_t(*rim)[2] = sp_allocate(s->host, s->open_edges, sizeof *rim);
    if (!rim) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu open edges", s->open_edges);
    sp_status status = shell_rim(&s->mesh, rim, err);
    if (status == SP_OK) status = sp_mesh_open(&with, s->host, vertices, triangles, 0, err);
    if (status == SP_OK) {
        put_rims(s, (const uint32_t(*)[2])rim, mesh, &with);
        sp_mesh_close(mesh);
        *mesh = with;
    }
    sp_release(s->host, rim);
    return status;
}
