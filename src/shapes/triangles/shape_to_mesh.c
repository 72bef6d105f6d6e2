// SPDX-License-Identifier: Apache-2.0
/// Meshes of shapes: boxes from quads, round shapes as surfaces of revolution, files as they are or
/// as a shell.
#include "shapes/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_SEGMENTS = 1024 };
#define SOLID_WIDEST 1e9 ///< m; pictures ask for a hundred times the size of their subject

/// ---- Boxes -------------------------------------------------------------------------------------

/// Corner c of a box: bit 0 is x, bit 1 is y, bit 2 is z.
static void put_corners(sp_mesh *mesh, size_t first, const double low[3], const double high[3])
{
    for (size_t c = 0; c < 8; ++c)
        for (size_t k = 0; k < 3; ++k)
            mesh->x[first + c][k] = (float)(c >> k & 1 ? high[k] : low[k]);
}

static void put_quad(sp_mesh *mesh, size_t *triangle, uint32_t a, uint32_t b, uint32_t c,
                     uint32_t d)
{
    const uint32_t two[2][3] = {{a, b, c}, {a, c, d}};
    memcpy(mesh->tri[*triangle], two, sizeof two);
    *triangle += 2;
}

/// The sides of a box, counter-clockwise from outside; the third is the top.
static const unsigned char sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {2, 6, 7, 3},
                                          {0, 1, 5, 4}, {0, 2, 3, 1}, {4, 5, 7, 6}};
enum { TOP_SIDE = 2 };

static void put_side(sp_mesh *mesh, size_t *triangle, size_t first, int side, bool inward)
{
    uint32_t c[4];
    for (int k = 0; k < 4; ++k)
        c[k] = (uint32_t)(first + sides[side][inward ? 3 - k : k]);
    put_quad(mesh, triangle, c[0], c[1], c[2], c[3]);
}

static sp_status box_mesh(const sp_host *host, const double low[3], const double high[3],
                          sp_mesh *mesh, sp_error *err)
{
    size_t triangle = 0;
    SP_TRY(sp_mesh_open(mesh, host, 8, 12, 0, err));
    put_corners(mesh, 0, low, high);
    for (int side = 0; side < 6; ++side)
        put_side(mesh, &triangle, 0, side, false);
    return SP_OK;
}

/// A box around a hollow: two boxes, the inner one reversed; if open at the top, a rim joins them.
static sp_status hollow_box_mesh(const sp_shape *s, double wall, sp_mesh *mesh, sp_error *err)
{
    const bool open = s->def.open == SP_OPEN_TOP;
    double low[3], high[3];
    size_t triangle = 0;
    for (int k = 0; k < 3; ++k) {
        low[k] = s->low[k] - wall;
        high[k] = open && k == 1 ? s->high[k] : s->high[k] + wall;
    }
    SP_TRY(sp_mesh_open(mesh, s->host, 16, open ? 28 : 24, 0, err));
    put_corners(mesh, 0, low, high);
    put_corners(mesh, 8, s->low, s->high);
    for (int side = 0; side < 6; ++side) {
        if (open && side == TOP_SIDE) continue;
        put_side(mesh, &triangle, 0, side, false);
        put_side(mesh, &triangle, 8, side, true);
    }
    for (int k = 0; k < 4 && open; ++k) {
        const uint32_t a = sides[TOP_SIDE][k], b = sides[TOP_SIDE][(k + 1) % 4];
        put_quad(mesh, &triangle, a, b, b + 8, a + 8);
    }
    return SP_OK;
}

/// ---- Planes ------------------------------------------------------------------------------------

/// A square slab whose top (for a container, whose bottom) is the plane.
static sp_status plane_mesh(const sp_shape *s, const double *center, double extent, sp_mesh *mesh,
                            sp_error *err)
{
    const double deep = s->def.inside_out ? (isinf(s->wall) ? extent : s->wall) : -0.1 * extent;
    const double low[3] = {-extent, fmin(deep, 0.0), -extent};
    const double high[3] = {extent, fmax(deep, 0.0), extent};
    double across[3], over[3], middle[3], from[3];
    shape_frame(s->axis, across, over);
    sp_copy3(middle, center ? center : s->center);
    sp_sub3(middle, s->center, from);
    const double above = sp_dot3(from, s->axis);
    SP_TRY(box_mesh(s->host, low, high, mesh, err));
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const double p[3] = {(double)mesh->x[i][0], (double)mesh->x[i][1], (double)mesh->x[i][2]};
        for (int k = 0; k < 3; ++k) // (over, axis, across) is right-handed like (x, y, z)
            mesh->x[i][k] = (float)(middle[k] + p[0] * over[k] + (p[1] - above) * s->axis[k] +
                                    p[2] * across[k]);
    }
    return SP_OK;
}

/// ---- Round things ------------------------------------------------------------------------------

/// Segments of a circle with chords of length `edge`. At least 24, or 96 where faces stay flat;
/// then the chord is within 0.0006 of the radius from the circle.
static size_t segments_of(double radius, double edge, size_t least)
{
    const double wanted = ceil(2.0 * SP_PI_D * radius / edge);
    const size_t n = wanted < (double)MOST_SEGMENTS ? (size_t)wanted : MOST_SEGMENTS;
    return n < least ? least : (n + 3) / 4 * 4;
}

typedef struct points {
    double at[2 * MOST_SEGMENTS + 8][2], normal[2 * MOST_SEGMENTS + 8][2];
    size_t count;
} points;

static void put_point(points *p, double rho, double s, double n_rho, double n_s)
{
    double *at = p->at[p->count], *n = p->normal[p->count++];
    at[0] = rho;
    at[1] = s;
    n[0] = n_rho;
    n[1] = n_s;
}

/// An arc about (rho, s) from angle a to angle b (turns; 0 points away from the axis), ends
/// included. Ends on the axis get rho = 0 exactly.
static void put_arc(points *p, double rho, double s, double radius, double a, double b, size_t n)
{
    for (size_t i = 0; i <= n; ++i) {
        double sine, cosine;
        sp_sincos_turns(a + (b - a) * (double)i / (double)n, &sine, &cosine);
        if (rho == 0.0 && (i == 0 || i == n) && fabs(cosine) < 1e-9) cosine = 0.0;
        put_point(p, rho + radius * cosine, s + radius * sine, cosine, sine);
    }
}

/// The outline of a shape grown by `grow`, with the solid on its left.
static void put_outline(const sp_shape *s, double grow, double edge, points *p)
{
    const double r = s->radius + grow, h = s->half + grow;
    p->count = 0;
    if (s->kind == SHAPE_TORUS) {
        const size_t n = segments_of(s->tube + grow, edge, 24);
        put_arc(p, s->radius, 0.0, s->tube + grow, 0.0, 1.0 - 1.0 / (double)n, n - 1);
    } else if (s->kind == SHAPE_CYLINDER) {
        put_point(p, 0.0, -h, 0, 0);
        put_point(p, r, -h, 0, 0);
        put_point(p, r, h, 0, 0);
        put_point(p, 0.0, h, 0, 0);
    } else {
        const size_t n = segments_of(r, edge, 24) / 2;
        const double half = s->kind == SHAPE_CAPSULE ? s->half : 0.0;
        put_arc(p, 0.0, -half, r, -0.25, 0.0, n / 2);
        if (half == 0.0) --p->count; // a ball: the two arcs share the equator
        put_arc(p, 0.0, half, r, 0.0, 0.25, n / 2);
    }
}

/// An upright cylinder without lid: up the outside, over the rim, down the inside.
static void put_open_outline(const sp_shape *s, double wall, points *p)
{
    const double r = s->radius, h = s->half;
    p->count = 0;
    put_point(p, 0.0, -h - wall, 0, 0);
    put_point(p, r + wall, -h - wall, 0, 0);
    put_point(p, r + wall, h, 0, 0);
    put_point(p, r, h, 0, 0);
    put_point(p, r, -h, 0, 0);
    put_point(p, 0.0, -h, 0, 0);
}

/// Reverses an outline: the solid is now on the other side.
static void reverse(points *p)
{
    for (size_t i = 0; i < p->count; ++i)
        for (int k = 0; k < 2; ++k)
            p->normal[i][k] = -p->normal[i][k];
    for (size_t i = 0, j = p->count - 1; i < j; ++i, --j) {
        for (int k = 0; k < 2; ++k) {
            const double at = p->at[i][k], n = p->normal[i][k];
            p->at[i][k] = p->at[j][k];
            p->normal[i][k] = p->normal[j][k];
            p->at[j][k] = at;
            p->normal[j][k] = n;
        }
    }
}

/// Revolves one or two outlines: the outer one, and for a container the reversed hollow.
static sp_status turn_outlines(const sp_shape *s, double wall, double edge, points outlines[2],
                               sp_mesh *mesh, sp_error *err)
{
    const bool sharp = s->kind == SHAPE_CYLINDER;
    const bool open = s->def.open == SP_OPEN_TOP;
    const size_t parts = s->def.inside_out && !open ? 2 : 1;
    const double widest = s->radius + (s->kind == SHAPE_TORUS ? s->tube : 0.0) + wall;
    lathe_axis axis = {.segments = segments_of(widest, edge, sharp ? 96 : 24)};
    lathe_profile profiles[2];
    size_t vertices = 0, triangles = 0, v = 0, t = 0;
    sp_copy3(axis.center, s->center);
    sp_copy3(axis.axis, s->axis);
    for (int k = 0; k < 3 && s->kind == SHAPE_SPHERE; ++k)
        axis.axis[k] = k == 1;
    for (int k = 0; k < 3 && open; ++k)
        axis.axis[k] = k == 1;
    for (size_t i = 0; i < parts; ++i) {
        size_t more_vertices, more_triangles;
        if (open)
            put_open_outline(s, wall, &outlines[0]);
        else
            put_outline(s, i == 0 ? wall : 0.0, edge, &outlines[i]);
        if (i == 1) reverse(&outlines[1]);
        profiles[i] = (lathe_profile){outlines[i].count, outlines[i].at,
                                      sharp ? NULL : outlines[i].normal, s->kind == SHAPE_TORUS};
        lathe_count(&profiles[i], axis.segments, &more_vertices, &more_triangles);
        vertices += more_vertices;
        triangles += more_triangles;
    }
    SP_TRY(sp_mesh_open(mesh, s->host, vertices, triangles, sharp ? 0 : SP_MESH_NORMALS, err));
    for (size_t i = 0; i < parts; ++i)
        lathe_turn(&profiles[i], &axis, mesh, &v, &t);
    SP_ASSERT(v == vertices && t == triangles);
    return SP_OK;
}

static sp_status round_mesh(const sp_shape *s, double wall, double edge, sp_mesh *mesh,
                            sp_error *err)
{
    points *outlines = sp_allocate(s->host, 2, sizeof *outlines);
    if (!outlines) return sp_fail(err, SP_NO_MEMORY, "no memory for an outline");
    const sp_status status = turn_outlines(s, wall, edge, outlines, mesh, err);
    sp_release(s->host, outlines);
    return status;
}

/// ---- Files -------------------------------------------------------------------------------------

static sp_status file_mesh(const sp_shape *s, double wall, sp_mesh *mesh, sp_error *err)
{
    if (s->def.inside_out) return shell_make(&s->mesh, 0.0, wall, false, mesh, err);
    if (s->grow > 0.0)
        return shell_make(&s->mesh, -s->grow, s->grow, s->open_edges == 0, mesh, err);
    const size_t vertices = s->mesh.vertex_count, triangles = s->mesh.triangle_count;
    SP_TRY(sp_mesh_open(mesh, s->host, vertices, triangles, 0, err));
    memcpy(mesh->x, s->mesh.x, vertices * sizeof *mesh->x);
    memcpy(mesh->tri, s->mesh.tri, triangles * sizeof *mesh->tri);
    shell_smooth_normals(mesh);
    return SP_OK;
}

sp_status sp_shape_mesh(const sp_shape *s, float edge, const double center[3], double extent,
                        sp_mesh *mesh, sp_error *err)
{
    *mesh = (sp_mesh){0};
    if (!(edge > 0.0f) || !(extent > 0.0 && extent <= SOLID_WIDEST)) {
        const sp_status status =
            sp_fail(err, SP_BAD_INPUT,
                    "cannot be shown with edges of %g m as far as %g m; expected above 0 and at "
                    "most %g m",
                    (double)edge, extent, SOLID_WIDEST);
        shape_name_error(s->name, err);
        return status;
    }
    double wall = isinf(s->wall) ? extent : s->wall;
    if (s->kind == SHAPE_TORUS) wall = fmin(wall, 0.9 * (s->radius - s->tube)); // keep its hole
    switch (s->kind) {
    case SHAPE_BOX:
        return s->def.inside_out ? hollow_box_mesh(s, wall, mesh, err)
                                 : box_mesh(s->host, s->low, s->high, mesh, err);
    case SHAPE_PLANE:
        return plane_mesh(s, center, extent, mesh, err);
    case SHAPE_MESH:
        return file_mesh(s, wall, mesh, err);
    case SHAPE_HEIGHTFIELD:
        return ground_mesh(s->ground, s->low[1], mesh, err);
    case SHAPE_SPHERE:
    case SHAPE_CYLINDER:
    case SHAPE_CAPSULE:
    case SHAPE_TORUS:
        break;
    }
    return round_mesh(s, wall, (double)edge, mesh, err);
}
