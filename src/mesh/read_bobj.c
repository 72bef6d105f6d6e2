// SPDX-License-Identifier: Apache-2.0
/// BOBJ, the format in which the FLIP Fluids add-on for Blender stores meshes, and vectors of their
/// vertices. All values are little-endian:
///
///     int32          number of vertices
///     float32 x 3    of each vertex
///     int32          number of triangles; 0 in files that hold vectors only
///     int32 x 3      vertices of each triangle, from 0
///
/// An empty file is a frame without water.
#include "mesh/internal.h"

#include <string.h>

enum { COUNT_BYTES = 4, ROW_BYTES = 12 };

typedef struct bobj {
    const char *name;
    const unsigned char *bytes;
    size_t count, at;
} bobj;

static uint32_t read_word(bobj *b)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i)
        word |= (uint32_t)b->bytes[b->at++] << (8 * i);
    return word;
}

static sp_status fail_at(const bobj *b, size_t at, const char *what, sp_error *err)
{
    return sp_fail(err, SP_BAD_INPUT, "%s, byte %zu: %s", b->name, at, what);
}

/// Reads a count and checks that the file has as many rows.
static sp_status read_count(bobj *b, const char *what, size_t *rows, sp_error *err)
{
    const size_t at = b->at;
    if (b->count - at < COUNT_BYTES) return fail_at(b, at, "the file ends early", err);
    const uint32_t count = read_word(b);
    if (count > INT32_MAX || count > (b->count - b->at) / ROW_BYTES)
        return sp_fail(err, SP_BAD_INPUT, "%s, byte %zu: %u %s; the file's %zu bytes hold fewer",
                       b->name, at, (unsigned)count, what, b->count);
    *rows = count;
    return SP_OK;
}

static sp_status read_vertices(bobj *b, sp_mesh *mesh, sp_error *err)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const size_t at = b->at;
            const uint32_t bits = read_word(b);
            memcpy(&mesh->x[i][k], &bits, sizeof bits);
            if (!mesh_coordinate_ok((double)mesh->x[i][k]))
                return fail_at(b, at, "not a coordinate", err);
        }
    return SP_OK;
}

static sp_status read_triangles(bobj *b, sp_mesh *mesh, sp_error *err)
{
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c) {
            const size_t at = b->at;
            mesh->tri[t][c] = read_word(b);
            if (mesh->tri[t][c] >= mesh->vertex_count)
                return fail_at(b, at, "a triangle names a vertex that is not there", err);
        }
    return SP_OK;
}

sp_status mesh_read_bobj(const char *name, const unsigned char *bytes, size_t count,
                         const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    bobj b = {name, bytes, count, 0};
    size_t vertices, triangles;
    if (count == 0) return sp_mesh_open(mesh, host, 0, 0, 0, err);
    SP_TRY(read_count(&b, "vertices", &vertices, err));
    b.at += vertices * ROW_BYTES;
    SP_TRY(read_count(&b, "triangles", &triangles, err));
    if (count - b.at != triangles * ROW_BYTES)
        return fail_at(&b, b.at + triangles * ROW_BYTES, "the file goes on after its triangles",
                       err);
    SP_TRY(sp_mesh_open(mesh, host, vertices, triangles, 0, err));
    b.at = COUNT_BYTES;
    SP_TRY(read_vertices(&b, mesh, err));
    b.at += COUNT_BYTES;
    return read_triangles(&b, mesh, err);
}
