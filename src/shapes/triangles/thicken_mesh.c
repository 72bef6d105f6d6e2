// SPDX-License-Identifier: Apache-2.0
/// Prepares a mesh file for drawing: normals where it is smooth, and a wall of some thickness where
/// it is a sheet or the hollow of a container.
#include "shapes/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Cosine of 40 degrees: a larger angle between faces is a sharp edge.
static const double crease = 0.766;

/// A side of a triangle. The two triangles at an edge have sides with the same ends.
typedef struct side {
    uint32_t low, high; ///< its ends, in order
    uint32_t triangle;
    bool up; ///< the triangle runs from low to high
} side;

static int by_ends(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/// All sides, sorted so that those of one edge are adjacent. NULL: no memory.
static side *sorted_sides(const sp_mesh *mesh)
{
    const size_t n = 3 * mesh->triangle_count;
    side *sides = sp_allocate(mesh->host, n, sizeof *sides);
    for (size_t i = 0; i < n && sides; ++i) {
        const uint32_t a = mesh->tri[i / 3][i % 3], b = mesh->tri[i / 3][(i + 1) % 3];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3), a < b};
    }
    if (sides) qsort(sides, n, sizeof *sides, by_ends);
    return sides;
}

static size_t edge_end(const side *sides, size_t n, size_t i)
{
    size_t end = i + 1;
    while (end < n && sides[end].low == sides[i].low && sides[end].high == sides[i].high)
        ++end;
    return end;
}

/// ---- Normals -----------------------------------------------------------------------------------

static bool face_normal(const sp_mesh *mesh, size_t t, double n[3])
{
    sp_mesh_cross(mesh, t, n);
    const double length = sqrt(sp_dot3(n, n));
    for (int k = 0; k < 3; ++k)
        n[k] = length > 0.0 ? n[k] / length : 0.0;
    return length > 0.0;
}

static double corner_angle(const sp_mesh *mesh, size_t t, int corner)
{
    double e[2][3], cross[3];
    const uint32_t *v = mesh->tri[t];
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            e[i][k] = (double)mesh->x[v[(corner + 1 + i) % 3]][k] - (double)mesh->x[v[corner]][k];
    sp_cross3(e[0], e[1], cross);
    return sp_atan2_turns(sqrt(sp_dot3(cross, cross)), sp_dot3(e[0], e[1]));
}

/// Vertex normals: the normals of the faces around a vertex, weighted by their angle there, which
/// does not depend on how a flat part is triangulated (Thuermer and Wuethrich 1998).
static void add_normals(const sp_mesh *mesh, float (*normals)[3])
{
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        double n[3];
        if (!face_normal(mesh, t, n)) continue;
        for (int c = 0; c < 3; ++c) {
            const double angle = corner_angle(mesh, t, c);
            for (int k = 0; k < 3; ++k)
                normals[mesh->tri[t][c]][k] += (float)(angle * n[k]);
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double unit[3] = {0, 1, 0};
        shape_unit(normals[i], unit);
        for (int k = 0; k < 3; ++k)
            normals[i][k] = (float)unit[k];
    }
}

static bool is_smooth(const sp_mesh *mesh, const side *sides)
{
    const size_t n = 3 * mesh->triangle_count;
    for (size_t i = 0, end; i < n; i = end) {
        end = edge_end(sides, n, i);
        double a[3], b[3];
        if (end - i > 2) return false;
        if (end - i < 2 || !face_normal(mesh, sides[i].triangle, a) ||
            !face_normal(mesh, sides[i + 1].triangle, b))
            continue;
        if (sp_dot3(a, b) < crease) return false;
    }
    return true;
}

bool shell_smooth_normals(sp_mesh *mesh)
{
    side *sides = sorted_sides(mesh);
    const bool smooth = sides && is_smooth(mesh, sides);
    sp_release(mesh->host, sides);
    if (!smooth) return false;
    mesh->n = sp_allocate(mesh->host, mesh->vertex_count, sizeof *mesh->n);
    if (mesh->n) add_normals(mesh, mesh->n);
    return mesh->n;
}

/// ---- Shells ------------------------------------------------------------------------------------

static void put_offset(const sp_mesh *from, const float (*normals)[3], double by, sp_mesh *mesh,
                       size_t first)
{
    for (size_t i = 0; i < from->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->x[first + i][k] = (float)((double)from->x[i][k] + by * (double)normals[i][k]);
}

/// Closes the gap between the two skins along an open edge. The outer skin runs along it one way,
/// the reversed inner skin the other way.
static void stitch(const side *s, uint32_t inner, uint32_t (*tri)[3])
{
    const uint32_t a = s->up ? s->low : s->high, b = s->up ? s->high : s->low;
    const uint32_t two[2][3] = {{b, a, a + inner}, {b, a + inner, b + inner}};
    memcpy(tri, two, sizeof two);
}

static size_t count_open(const side *sides, size_t n)
{
    size_t open = 0;
    for (size_t i = 0, end; i < n; i = end) {
        end = edge_end(sides, n, i);
        open += end - i == 1;
    }
    return open;
}

sp_status shell_rim(const sp_mesh *mesh, uint32_t (*rim)[2], sp_error *err)
{
    const size_t n = 3 * mesh->triangle_count;
    side *sides = sorted_sides(mesh);
    if (!sides)
        return sp_fail(err, SP_NO_MEMORY, "no memory for the edges of %zu triangles",
                       mesh->triangle_count);
    for (size_t i = 0, at = 0, end; i < n; i = end) {
        end = edge_end(sides, n, i);
        if (end - i != 1) continue;
        rim[at][0] = sides[i].up ? sides[i].low : sides[i].high;
        rim[at++][1] = sides[i].up ? sides[i].high : sides[i].low;
    }
    sp_release(mesh->host, sides);
    return SP_OK;
}

static sp_status fill_shell(const sp_mesh *from, const side *sides, const float (*normals)[3],
                            double inner, double outer, sp_mesh *mesh, sp_error *err)
{
    const size_t nv = from->vertex_count, nt = from->triangle_count, n = 3 * nt;
    const size_t open = count_open(sides, n);
    if (nv > UINT32_MAX / 2)
        return sp_fail(err, SP_BAD_INPUT, "%zu vertices; expected at most %u for a shell", nv,
                       UINT32_MAX / 2);
    SP_TRY(sp_mesh_open(mesh, from->host, 2 * nv, 2 * nt + 2 * open, 0, err));
    put_offset(from, normals, outer, mesh, 0);
    put_offset(from, normals, inner, mesh, nv);
    for (size_t t = 0; t < nt; ++t)
        for (int c = 0; c < 3; ++c) {
            mesh->tri[t][c] = from->tri[t][c];
            mesh->tri[nt + t][c] = (uint32_t)nv + from->tri[t][2 - c];
        }
    for (size_t i = 0, at = 2 * nt, end; i < n; i = end) {
        end = edge_end(sides, n, i);
        if (end - i != 1) continue;
        stitch(&sides[i], (uint32_t)nv, mesh->tri + at);
        at += 2;
    }
    return SP_OK;
}

static sp_status fill_skin(const sp_mesh *from, const float (*normals)[3], double outer,
                           sp_mesh *mesh, sp_error *err)
{
    SP_TRY(sp_mesh_open(mesh, from->host, from->vertex_count, from->triangle_count, 0, err));
    put_offset(from, normals, outer, mesh, 0);
    memcpy(mesh->tri, from->tri, from->triangle_count * sizeof *mesh->tri);
    return SP_OK;
}

sp_status shell_make(const sp_mesh *from, double inner, double outer, bool skin, sp_mesh *mesh,
                     sp_error *err)
{
    float(*normals)[3] = sp_allocate(from->host, from->vertex_count, sizeof *normals);
    side *sides = sorted_sides(from);
    sp_status status;
    if (!normals || !sides) {
        status = sp_fail(err, SP_NO_MEMORY, "no memory for the shell of %zu triangles",
                         from->triangle_count);
    } else {
        add_normals(from, normals);
        const float(*read)[3] = (const float(*)[3])normals;
        status = skin ? fill_skin(from, read, outer, mesh, err)
                      : fill_shell(from, sides, read, inner, outer, mesh, err);
    }
    sp_release(from->host, normals);
    sp_release(from->host, sides);
    if (status == SP_OK) shell_smooth_normals(mesh);
    return status;
}
