// SPDX-License-Identifier: Apache-2.0
/// Merges vertices at the same position, and counts the edges that stay open.
#include "mesh/internal.h"

#include <string.h>

void mesh_drop_degenerate(sp_mesh *mesh)
{
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *v = mesh->tri[t];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        memmove(mesh->tri[kept++], v, sizeof *mesh->tri);
    }
    mesh->triangle_count = kept;
}

static uint64_t place_hash(const float x[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        h = sp_mix64(h ^ bits);
    }
    return h;
}

static size_t table_size(size_t vertices)
{
    size_t size = 16;
    while (size < 2 * vertices)
        size *= 2;
    return size;
}

/// Moves each distinct position to the front of the vertices and writes to `now` where each vertex
/// went.
static size_t weld_vertices(sp_mesh *mesh, uint32_t *slots, size_t mask, uint32_t *now)
{
    size_t kept = 0;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        float *x = mesh->x[i];
        for (int k = 0; k < 3; ++k)
            x[k] += 0.0f; // turns -0 into 0
        size_t slot = (size_t)place_hash(x) & mask;
        while (slots[slot] && memcmp(mesh->x[slots[slot] - 1], x, sizeof *mesh->x) != 0)
            slot = (slot + 1) & mask;
        if (!slots[slot]) {
            memmove(mesh->x[kept], x, sizeof *mesh->x);
            slots[slot] = (uint32_t)++kept;
        }
        now[i] = slots[slot] - 1;
    }
    return kept;
}

sp_status sp_mesh_weld(sp_mesh *mesh, sp_error *err)
{
    SP_ASSERT(!mesh->n && !mesh->v); // vertices with normals or velocities may differ
    const size_t size = table_size(mesh->vertex_count);
    uint32_t *slots = sp_allocate(mesh->host, size, sizeof *slots);
    uint32_t *now = sp_allocate(mesh->host, mesh->vertex_count, sizeof *now);
    if (slots && now) {
        mesh->vertex_count = weld_vertices(mesh, slots, size - 1, now);
        for (size_t t = 0; t < mesh->triangle_count; ++t)
            for (int c = 0; c < 3; ++c)
                mesh->tri[t][c] = now[mesh->tri[t][c]];
        mesh_drop_degenerate(mesh);
    }
    const bool good = slots && now;
    sp_release(mesh->host, slots);
    sp_release(mesh->host, now);
    return good ? SP_OK : sp_fail(err, SP_NO_MEMORY, "no memory to merge the vertices of a mesh");
}

sp_status sp_mesh_count_bad_edges(const sp_mesh *mesh, size_t *count, sp_error *err)
{
    sp_mesh_edges edges;
    sp_mesh copy;
    SP_TRY(sp_mesh_look(mesh, &edges, err));
    *count = edges.open + edges.flipped;
    if (edges.open == 0) return SP_OK;
    SP_TRY(sp_mesh_open(&copy, mesh->host, mesh->vertex_count, mesh->triangle_count, 0, err));
    memcpy(copy.x, mesh->x, mesh->vertex_count * sizeof *copy.x);
    memcpy(copy.tri, mesh->tri, mesh->triangle_count * sizeof *copy.tri);
    sp_status status = sp_mesh_weld(&copy, err);
    if (status == SP_OK) status = sp_mesh_look(&copy, &edges, err);
    if (status == SP_OK) *count = edges.open + edges.flipped;
    sp_mesh_close(&copy);
    return status;
}
