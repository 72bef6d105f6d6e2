// SPDX-License-Identifier: Apache-2.0
/// A mesh in memory: its arrays, area, volume, and a count of its edges.
#include "mesh/mesh.h"

#include <string.h>

sp_status sp_mesh_open(sp_mesh *mesh, const sp_host *host, size_t vertex_count,
                       size_t triangle_count, unsigned carries, sp_error *err)
{
    *mesh = (sp_mesh){.host = host, .vertex_count = vertex_count, .triangle_count = triangle_count};
    mesh->x = sp_allocate(host, vertex_count, sizeof *mesh->x);
    mesh->tri = sp_allocate(host, triangle_count, sizeof *mesh->tri);
    bool good = mesh->x && mesh->tri;
    if (carries & SP_MESH_NORMALS)
        good = (mesh->n = sp_allocate(host, vertex_count, sizeof *mesh->n)) && good;
    if (carries & SP_MESH_VELOCITY)
        good = (mesh->v = sp_allocate(host, vertex_count, sizeof *mesh->v)) && good;
    if (carries & SP_MESH_COMPONENTS)
        good =
            (mesh->component = sp_allocate(host, triangle_count, sizeof *mesh->component)) && good;
    if (good) return SP_OK;
    sp_mesh_close(mesh);
    return sp_fail(err, SP_NO_MEMORY, "no memory for a mesh of %zu vertices and %zu triangles",
                   vertex_count, triangle_count);
}

void sp_mesh_close(sp_mesh *mesh)
{
    if (mesh->host) {
        sp_release(mesh->host, mesh->x);
        sp_release(mesh->host, mesh->n);
        sp_release(mesh->host, mesh->v);
        sp_release(mesh->host, mesh->tri);
        sp_release(mesh->host, mesh->component);
    }
    *mesh = (sp_mesh){0};
}

void sp_mesh_cross(const sp_mesh *mesh, size_t triangle, double cross[3])
{
    const uint32_t *v = mesh->tri[triangle];
    double ab[3], ac[3];
    for (int k = 0; k < 3; ++k) {
        ab[k] = (double)mesh->x[v[1]][k] - (double)mesh->x[v[0]][k];
        ac[k] = (double)mesh->x[v[2]][k] - (double)mesh->x[v[0]][k];
    }
    sp_cross3(ab, ac, cross);
}

double sp_mesh_area(const sp_mesh *mesh)
{
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        double n[3];
        sp_mesh_cross(mesh, t, n);
        sum += sqrt(sp_dot3(n, n));
    }
    return 0.5 * sum;
}

double sp_mesh_volume(const sp_mesh *mesh)
{
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const float *a = mesh->x[mesh->tri[t][0]];
        double n[3];
        sp_mesh_cross(mesh, t, n);
        sum += (double)a[0] * n[0] + (double)a[1] * n[1] + (double)a[2] * n[2];
    }
    return sum / 6.0;
}

bool sp_mesh_face_outward(sp_mesh *mesh)
{
    if (!(sp_mesh_volume(mesh) < 0.0)) return false;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        uint32_t *v = mesh->tri[t], second = v[1];
        v[1] = v[2];
        v[2] = second;
    }
    return true;
}

/// Half edges sorted by their lower vertex with a counting sort, so that the work is linear.
typedef struct half_edge {
    uint32_t far;
    int8_t up; ///< 1 when it runs from the lower vertex to the higher
} half_edge;

static int compare_higher_vertex(const void *a, const void *b)
{
    const half_edge *x = a, *y = b;
    return (x->far > y->far) - (x->far < y->far);
}

static void count_edges(const half_edge *list, size_t n, sp_mesh_edges *out)
{
    for (size_t i = 0; i < n;) {
        size_t end = i;
        int up = 0;
        for (; end < n && list[end].far == list[i].far; ++end)
            up += list[end].up;
        ++out->edges;
        if (end - i == 1) ++out->open;
        if (end - i > 2) ++out->crowded;
        if (end - i == 2 && up != 1) ++out->flipped;
        i = end;
    }
}

sp_status sp_mesh_look(const sp_mesh *mesh, sp_mesh_edges *out, sp_error *err)
{
    *out = (sp_mesh_edges){0};
    const size_t nv = mesh->vertex_count, nt = mesh->triangle_count;
    for (size_t t = 0; t < nt; ++t)
        for (int k = 0; k < 3; ++k)
            if (mesh->tri[t][k] >= nv)
                return sp_fail(err, SP_BAD_INPUT, "triangle %zu names vertex %u of %zu", t,
                               (unsigned)mesh->tri[t][k], nv);
    if (nt == 0) return SP_OK;
    size_t *start = sp_allocate(mesh->host, nv + 1, sizeof *start);
    half_edge *edges = sp_allocate(mesh->host, 3 * nt, sizeof *edges);
    if (!start || !edges) {
        sp_release(mesh->host, start);
        sp_release(mesh->host, edges);
        return sp_fail(err, SP_NO_MEMORY, "no memory to count the edges of %zu triangles", nt);
    }
    for (size_t e = 0; e < 3 * nt; ++e) {
        const uint32_t a = mesh->tri[e / 3][e % 3], b = mesh->tri[e / 3][(e + 1) % 3];
        ++start[a < b ? a : b];
    }
    size_t sum = 0, used = 0;
    for (size_t v = 0; v <= nv; ++v) {
        const size_t n = start[v];
        start[v] = sum;
        sum += n;
    }
    for (size_t e = 0; e < 3 * nt; ++e) {
        const uint32_t a = mesh->tri[e / 3][e % 3], b = mesh->tri[e / 3][(e + 1) % 3];
        edges[start[a < b ? a : b]++] = (half_edge){a < b ? b : a, a < b};
    }
    for (size_t v = 0, begin = 0; v < nv; ++v) { // start[v] is now the end of v's edges
        qsort(edges + begin, start[v] - begin, sizeof *edges, compare_higher_vertex);
        count_edges(edges + begin, start[v] - begin, out);
        begin = start[v];
    }
    memset(start, 0, (nv + 1) * sizeof *start);
    for (size_t t = 0; t < nt; ++t)
        for (int k = 0; k < 3; ++k)
            used += start[mesh->tri[t][k]]++ == 0;
    out->euler = (int64_t)used - (int64_t)out->edges + (int64_t)nt;
    sp_release(mesh->host, start);
    sp_release(mesh->host, edges);
    return SP_OK;
}
