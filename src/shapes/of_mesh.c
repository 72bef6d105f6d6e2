// SPDX-License-Identifier: Apache-2.0
/// A thing out of a mesh that nobody has to read any more, such as the surface of somebody's water.
#include "shapes/internal.h"

#include <string.h>

/// Edges at which the winding number slips through: open ones, and those whose triangles face
/// opposite ways, once vertices at the same place count as one. The mesh itself stays as it is:
/// what its vertices carry may differ.
static sp_status count_open(const sp_mesh *mesh, size_t *open, sp_error *err)
{
    sp_mesh_edges edges;
    sp_mesh copy;
    SP_TRY(sp_mesh_look(mesh, &edges, err));
    *open = edges.open + edges.flipped;
    if (edges.open == 0) return SP_OK;
    SP_TRY(sp_mesh_open(&copy, mesh->host, mesh->vertex_count, mesh->triangle_count, 0, err));
    memcpy(copy.x, mesh->x, mesh->vertex_count * sizeof *copy.x);
    memcpy(copy.tri, mesh->tri, mesh->triangle_count * sizeof *copy.tri);
    sp_status status = sp_mesh_weld(&copy, err);
    if (status == SP_OK) status = sp_mesh_look(&copy, &edges, err);
    if (status == SP_OK) *open = edges.open + edges.flipped;
    sp_mesh_close(&copy);
    return status;
}

static sp_status open_mesh(sp_shape *s, sp_error *err)
{
    SP_TRY(shape_open_motion(s, err)); // it rests
    shape_measure_mesh(s);
    SP_TRY(count_open(&s->mesh, &s->open_edges, err));
    s->porous = s->open_edges > 0;
    return sp_bvh_open(&s->mesh, s->host, &s->bvh, err);
}

sp_status sp_shape_of_mesh(sp_mesh *mesh, const sp_host *host, sp_shape **out, sp_error *err)
{
    *out = NULL;
    sp_shape *s = sp_allocate(host, 1, sizeof *s);
    if (!s) {
        sp_mesh_close(mesh);
        return sp_fail(err, SP_NO_MEMORY, "no memory for a mesh");
    }
    s->host = host;
    s->kind = SHAPE_MESH;
    s->mesh = *mesh;
    *mesh = (sp_mesh){0};
    const sp_status status = open_mesh(s, err);
    if (status == SP_OK)
        *out = s;
    else
        sp_shape_close(s);
    return status;
}

bool sp_shape_carried(const sp_shape *s, const double p[3], double reach, double velocity[3])
{
    const float at[3] = {(float)p[0], (float)p[1], (float)p[2]};
    float nearest[3], weights[3];
    uint32_t triangle;
    if (!s->mesh.v || !sp_bvh_closest(s->bvh, at, (float)reach, nearest, &triangle, weights))
        return false;
    for (int k = 0; k < 3; ++k) {
        velocity[k] = 0.0;
        for (int c = 0; c < 3; ++c)
            velocity[k] += (double)weights[c] * (double)s->mesh.v[s->mesh.tri[triangle][c]][k];
    }
    return true;
}
