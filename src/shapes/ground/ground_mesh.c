// SPDX-License-Identifier: Apache-2.0
/// Ground as triangles: a closed block for pictures, or the surface alone for walls of particles.
#include "shapes/ground/ground.h"

#include <math.h>

enum { MOST_SHOWN = 2000 }; // samples along a side of a picture's mesh; finer ground is thinned

/// Every `stride`-th sample is kept, `count` in total; the last sample is always kept.
typedef struct thinned {
    size_t stride, count, last;
} thinned;

static thinned thin(size_t samples)
{
    const size_t stride = 1 + (samples - 1) / MOST_SHOWN;
    return (thinned){stride, 1 + (samples - 1 + stride - 1) / stride, samples};
}

static size_t nth(thinned t, size_t i) ///< the corner index, which counts the ring
{
    return 1 + (i + 1 == t.count ? t.last - 1 : i * t.stride);
}

static void put_vertex(sp_mesh *mesh, size_t v, double x, double y, double z)
{
    mesh->x[v][0] = (float)x;
    mesh->x[v][1] = (float)y;
    mesh->x[v][2] = (float)z;
}

/// Vertex k along the border, counter-clockwise from above: along the back towards -x, forward
/// along the left side, along the front towards +x, back along the right side.
static size_t around(size_t wide, size_t high, size_t k)
{
    const size_t w = wide - 1, h = high - 1;
    if (k < w) return w - k;
    if (k < w + h) return (k - w) * wide;
    if (k < 2 * w + h) return h * wide + (k - w - h);
    return (h - (k - 2 * w - h)) * wide + w;
}

static void put_surface(const shape_ground *g, thinned x, thinned z, sp_mesh *mesh, size_t *t)
{
    for (size_t j = 0; j < z.count; ++j)
        for (size_t i = 0; i < x.count; ++i) {
            const size_t a = nth(x, i), b = nth(z, j), v = j * x.count + i;
            put_vertex(mesh, v, ground_corner(g, 0, a), ground_height(g, a, b),
                       ground_corner(g, 1, b));
            if (i + 1 == x.count || j + 1 == z.count) continue;
            sp_mesh_put(mesh, (*t)++, v, v + x.count, v + x.count + 1);
            sp_mesh_put(mesh, (*t)++, v, v + x.count + 1, v + 1);
        }
}

/// Sides and bottom: the border repeated at the bottom, and a vertex in its middle.
static void put_block(double bottom, size_t wide, size_t high, sp_mesh *mesh, size_t *t)
{
    const size_t border = 2 * (wide + high) - 4, first = wide * high, middle = first + border;
    double x = 0.0, z = 0.0;
    for (size_t k = 0; k < border; ++k) {
        const size_t top = around(wide, high, k), next = around(wide, high, (k + 1) % border);
        const size_t below = first + k, after = first + (k + 1) % border;
        put_vertex(mesh, below, (double)mesh->x[top][0], bottom, (double)mesh->x[top][2]);
        sp_mesh_put(mesh, (*t)++, top, below, after);
        sp_mesh_put(mesh, (*t)++, top, after, next);
        sp_mesh_put(mesh, (*t)++, middle, after, below);
        x += (double)mesh->x[top][0] / (double)border;
        z += (double)mesh->x[top][2] / (double)border;
    }
    put_vertex(mesh, middle, x, bottom, z);
}

sp_status ground_mesh(const shape_ground *g, double bottom, sp_mesh *mesh, sp_error *err)
{
    const thinned x = thin(g->columns), z = thin(g->rows);
    const size_t border = 2 * (x.count + z.count) - 4;
    size_t t = 0;
    SP_TRY(sp_mesh_open(mesh, g->host, x.count * z.count + border + 1,
                        2 * (x.count - 1) * (z.count - 1) + 3 * border, 0, err));
    put_surface(g, x, z, mesh, &t);
    put_block(bottom, x.count, z.count, mesh, &t);
    SP_ASSERT(t == mesh->triangle_count);
    return SP_OK;
}

/// Range of lattice corners around [low, high], the ring included. Cells that the box cuts get
/// other diagonals, so there the triangles only approximate the ground.
static void corners_around(const shape_ground *g, int axis, double low, double high, size_t *first,
                           size_t *last)
{
    const size_t most = (axis == 0 ? g->columns : g->rows) + 1;
    for (*first = 0; *first + 1 < most && ground_corner(g, axis, *first + 1) <= low;)
        ++*first;
    for (*last = *first + 1; *last < most && ground_corner(g, axis, *last) < high;)
        ++*last;
}

sp_status ground_surface(const shape_ground *g, const double low[3], const double high[3],
                         sp_mesh *mesh, sp_error *err)
{
    size_t first[2], last[2], t = 0;
    for (int a = 0; a < 2; ++a) {
        if (!(isfinite(low[2 * a]) && isfinite(high[2 * a]) && low[2 * a] <= high[2 * a]))
            return sp_fail(err, SP_BAD_INPUT,
                           "ground has points only within a finite box; %c runs from %g to %g m",
                           "xz"[a], low[2 * a], high[2 * a]);
        corners_around(g, a, low[2 * a], high[2 * a], &first[a], &last[a]);
    }
    const size_t wide = last[0] - first[0] + 1, deep = last[1] - first[1] + 1;
    SP_TRY(sp_mesh_open(mesh, g->host, wide * deep, 2 * (wide - 1) * (deep - 1), 0, err));
    for (size_t j = 0; j < deep; ++j)
        for (size_t i = 0; i < wide; ++i) {
            const size_t a = first[0] + i, b = first[1] + j, v = j * wide + i;
            const double x = fmin(fmax(ground_corner(g, 0, a), low[0]), high[0]);
            const double z = fmin(fmax(ground_corner(g, 1, b), low[2]), high[2]);
            put_vertex(mesh, v, x, ground_height_at(g, x, z), z);
            if (i + 1 == wide || j + 1 == deep) continue;
            sp_mesh_put(mesh, t++, v, v + wide, v + wide + 1);
            sp_mesh_put(mesh, t++, v, v + wide + 1, v + 1);
        }
    return SP_OK;
}
