// SPDX-License-Identifier: Apache-2.0
/// Topology of a mesh: the corners at each vertex, vertex normals, connected pieces.
#include "surface/internal.h"

#include <string.h>

enum { VERTICES_A_TASK = 1 << 12 };

sp_status surface_rings_open(surface_rings *rings, const sp_mesh *mesh, sp_error *err)
{
    const size_t nv = mesh->vertex_count, corners = 3 * mesh->triangle_count;
    const uint32_t *tri = mesh->tri ? mesh->tri[0] : NULL;
    rings->start = sp_allocate(mesh->host, nv + 2, sizeof *rings->start);
    rings->corner = sp_allocate(mesh->host, corners, sizeof *rings->corner);
    if (!rings->start || !rings->corner || corners >= UINT32_MAX) {
        surface_rings_close(rings, mesh->host);
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for the rings of %zu vertices", nv);
    }
    // Counted two places to the right: filling `corner` then moves each start to its place.
    uint32_t *place = rings->start + 1;
    for (size_t c = 0; c < corners; ++c)
        ++place[tri[c] + 1];
    for (size_t v = 1; v <= nv; ++v)
        place[v] += place[v - 1];
    for (size_t c = 0; c < corners; ++c)
        rings->corner[place[tri[c]]++] = (uint32_t)c;
    return SP_OK;
}

void surface_rings_close(surface_rings *rings, const sp_host *host)
{
    sp_release(host, rings->start);
    sp_release(host, rings->corner);
    *rings = (surface_rings){0};
}

/// ---- Normals -----------------------------------------------------------------------------------

static sp_vec3 at(const float p[3])
{
    return (sp_vec3){p[0], p[1], p[2]};
}

/// A corner's face normal times the angle that the face has there; 0 for a face without area.
static sp_vec3 corner_normal(const sp_mesh *mesh, uint32_t corner)
{
    const uint32_t *tri = mesh->tri[corner / 3];
    const uint32_t k = corner % 3;
    const sp_vec3 p = at(mesh->x[tri[k]]);
    const sp_vec3 a = sp_sub(at(mesh->x[tri[(k + 1) % 3]]), p);
    const sp_vec3 b = sp_sub(at(mesh->x[tri[(k + 2) % 3]]), p), n = sp_cross(a, b);
    const float length = sp_length(n);
    if (!(length > 0.0f)) return (sp_vec3){0.0f, 0.0f, 0.0f};
    return sp_scale(n, atan2f(length, sp_dot(a, b)) / length);
}

static void put_unit(float n[3], sp_vec3 sum)
{
    const sp_vec3 unit = sp_normalize(sum, (sp_vec3){0.0f, 1.0f, 0.0f});
    n[0] = unit.x;
    n[1] = unit.y;
    n[2] = unit.z;
}

typedef struct averaging {
    const surface_rings *rings;
    sp_mesh *mesh;
} averaging;

static void average_normals(void *arg, size_t begin, size_t end)
{
    const averaging *a = arg;
    for (size_t v = begin; v < end; ++v) {
        sp_vec3 sum = {0.0f, 0.0f, 0.0f};
        for (uint32_t k = a->rings->start[v]; k < a->rings->start[v + 1]; ++k)
            sum = sp_add(sum, corner_normal(a->mesh, a->rings->corner[k]));
        put_unit(a->mesh->n[v], sum);
    }
}

void surface_rings_normals(const surface_rings *rings, sp_mesh *mesh)
{
    averaging a = {rings, mesh};
    sp_parallel(mesh->host, mesh->vertex_count, VERTICES_A_TASK, average_normals, &a);
}

static bool is_zero(const float n[3])
{
    return n[0] == 0.0f && n[1] == 0.0f && n[2] == 0.0f;
}

void surface_missing_normals(sp_mesh *mesh)
{
    // A z that no sum of angles reaches marks the normals to compute; it is subtracted at the end.
    const float mark = 1024.0f; // costs ten bits of precision: 1e-4 is left
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        if (is_zero(mesh->n[v])) mesh->n[v][2] = mark;
    for (size_t c = 0; c < 3 * mesh->triangle_count; ++c) {
        float *n = mesh->n[mesh->tri[c / 3][c % 3]];
        if (n[2] < 0.5f * mark) continue;
        const sp_vec3 add = corner_normal(mesh, (uint32_t)c);
        n[0] += add.x;
        n[1] += add.y;
        n[2] += add.z;
    }
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        float *n = mesh->n[v];
        if (n[2] > 0.5f * mark) put_unit(n, (sp_vec3){n[0], n[1], n[2] - mark});
    }
}

/// ---- Pieces ------------------------------------------------------------------------------------

sp_status surface_pieces(const sp_mesh *mesh, uint32_t *piece, size_t *count, sp_error *err)
{
    const size_t nv = mesh->vertex_count;
    uint32_t *parent = sp_allocate(mesh->host, nv, sizeof *parent);
    if (!parent)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for the pieces of %zu vertices", nv);
    for (size_t v = 0; v < nv; ++v)
        parent[v] = (uint32_t)v;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        sp_unite(parent, mesh->tri[t][0], mesh->tri[t][1]);
        sp_unite(parent, mesh->tri[t][0], mesh->tri[t][2]);
    }
    uint32_t n = 0;
    for (size_t v = 0; v < nv; ++v) { // a root is the first vertex of its piece
        const uint32_t root = sp_root_of(parent, (uint32_t)v);
        piece[v] = root == v ? n++ : piece[root];
    }
    *count = n;
    sp_release(mesh->host, parent);
    return SP_OK;
}

sp_status surface_components(sp_mesh *mesh, sp_error *err)
{
    uint32_t *piece = sp_allocate(mesh->host, mesh->vertex_count, sizeof *piece);
    if (!piece)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for the pieces of %zu vertices",
                       mesh->vertex_count);
    size_t count = 0;
    const sp_status status = surface_pieces(mesh, piece, &count, err);
    for (size_t t = 0; status == SP_OK && t < mesh->triangle_count; ++t)
        mesh->component[t] = piece[mesh->tri[t][0]];
    sp_release(mesh->host, piece);
    return status;
}
