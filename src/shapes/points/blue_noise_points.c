// SPDX-License-Identifier: Apache-2.0
/// Evenly spread points without a pattern (blue noise) on any surface, in two parts.
///
/// Darts: random points, uniform over the area, are kept when no other point is closer than 0.76
/// spacings. Each round throws one dart into every equal part of the area, in order, so points that
/// are close in space are close in memory. Darts alone would need very many rounds to fill the last
/// gaps, so a second part follows after a few rounds.
///
/// Cover: each triangle is subdivided until one point is close enough to a whole piece. A piece
/// that is small and still not covered gets a point in its middle. That middle is at least 0.83
/// spacings from all points, and the piece reaches 0.12 spacings from it, so both guarantees of the
/// header hold whatever the darts did.
///
/// With eight rounds and 0.76 spacings the second part adds one point in twenty, and the density is
/// 0.99 points per square of the spacing, the same as a lattice.
///
/// On round shapes the corners and the middle of a piece are projected onto the shape: they are
/// moved along the gradient of the distance until it is zero.
#include "shapes/internal.h"

#include <math.h>

enum {
    PURPOSE_DARTS = 0x50140001,
    DART_ROUNDS = 8,
    DARTS_A_BLOCK = 1 << 15, // thrown in parallel, then tested one by one
    PIECES_DEEP = 128,       // bisecting an edge of 2^30 spacings takes less than half
};
/// In spacings.
static const double dart_apart = 0.76;
static const double cover_reach = 0.95;
static const double piece_small = 0.12;
/// A piece that is this short on the triangle but wide on the shape spans a gap between two sides
/// of the shape; there is no surface in between.
static const double piece_least = 0.05;

/// Triangles, and the shape that they approximate.
typedef struct surface {
    sp_shape shape;
    bool move; ///< project points onto the shape
    double spacing;
    sp_mesh mesh;
    double *before; ///< m^2, cumulative area before each triangle, and the total
} surface;

/// ---- The surface -------------------------------------------------------------------------------

/// The side of a container that water can touch is the surface of its hollow, taken as a solid. The
/// copy is only used within this file and shares the shape's data.
static sp_shape touched_solid(const sp_shape *s)
{
    sp_shape solid = *s;
    if (s->def.inside_out) {
        solid.def.inside_out = false;
        solid.def.open = SP_OPEN_NOWHERE;
        solid.def.thickness = 0.0f;
        solid.wall = 0.0;
    }
    return solid;
}

/// Removes the lid of an upright cylinder, whose vertices are all at the top or the bottom.
static void drop_lid(const sp_shape *s, sp_mesh *mesh)
{
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *v = mesh->tri[t];
        bool lid = true;
        for (int c = 0; c < 3; ++c)
            lid = lid && (double)mesh->x[v[c]][1] > s->center[1];
        if (lid) continue;
        for (int c = 0; c < 3; ++c)
            mesh->tri[kept][c] = v[c];
        ++kept;
    }
    mesh->triangle_count = kept;
}

static void get_corners(const sp_mesh *mesh, size_t t, double corner[3][3])
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            corner[c][k] = (double)mesh->x[mesh->tri[t][c]][k];
}

static double area_of(const sp_mesh *mesh, size_t t)
{
    double cross[3];
    sp_mesh_cross(mesh, t, cross);
    return 0.5 * sqrt(sp_dot3(cross, cross));
}

static void close_surface(surface *on)
{
    sp_release(on->shape.host, on->before);
    sp_mesh_close(&on->mesh);
}

static sp_status open_surface(surface *on, const sp_shape *s, double spacing, const double low[3],
                              const double high[3], sp_error *err)
{
    const bool open = s->def.open == SP_OPEN_TOP;
    *on = (surface){.shape = touched_solid(s),
                    .move = s->kind != SHAPE_MESH || s->grow > 0.0,
                    .spacing = spacing};
    SP_TRY(s->kind == SHAPE_HEIGHTFIELD
               ? ground_surface(s->ground, low, high, &on->mesh, err)
               : sp_shape_mesh(&on->shape, (float)(2.0 * spacing), NULL, 1.0, &on->mesh, err));
    if (s->grow > 0.0 && s->open_edges > 0) SP_TRY(points_add_rims(s, &on->mesh, err));
    if (open) {
        drop_lid(s, &on->mesh);
        on->shape = *s; // a closed hollow would project rim points onto its missing lid
    }
    on->before = sp_allocate(s->host, on->mesh.triangle_count + 1, sizeof *on->before);
    if (!on->before)
        return sp_fail(err, SP_NO_MEMORY, "no memory for the areas of %zu triangles",
                       on->mesh.triangle_count);
    for (size_t t = 0; t < on->mesh.triangle_count; ++t)
        on->before[t + 1] = on->before[t] + area_of(&on->mesh, t);
    return SP_OK;
}

/// Projects a point of a triangle onto the shape. False: the point lies inside the solid, where a
/// thickened mesh crosses itself.
static bool project_onto_shape(const surface *on, double p[3])
{
    double n[3];
    sp_distance_hint hint = {0};
    if (!on->move) return true;
    for (int step = 0; step < 8; ++step) {
        const double d = shape_distance_within(&on->shape, p, on->spacing, &hint, n);
        const double unsure = 1e-6 * (fabs(p[0]) + fabs(p[1]) + fabs(p[2])); // meshes are in float
        for (int k = 0; k < 3; ++k)
            p[k] -= d * n[k];
        if (fabs(d) <= unsure + 1e-5 * on->spacing) return true;
    }
    return false;
}

/// ---- Darts -------------------------------------------------------------------------------------

typedef struct darts {
    const surface *on;
    uint64_t first, count; ///< number of the block's first dart; darts in a round
    uint32_t round;
    double (*at)[3];
    bool *hit;
} darts;

/// The triangle at a cumulative area. Triangles without area are never chosen.
static size_t triangle_at(const surface *on, double area)
{
    size_t low = 0, high = on->mesh.triangle_count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (on->before[middle + 1] > area)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void throw_darts(void *arg, size_t begin, size_t end)
{
    const darts *d = arg;
    const surface *on = d->on;
    const double area = on->before[on->mesh.triangle_count];
    for (size_t i = begin; i < end; ++i) {
        const sp_random4 r = sp_random(1, PURPOSE_DARTS, d->first + i, d->round, 0);
        const double part = (double)(d->first + i) + (double)r.x[0] * 0x1p-32;
        const double out = sqrt((double)r.x[1] * 0x1p-32), over = (double)r.x[2] * 0x1p-32;
        const double weight[3] = {1.0 - out, out * (1.0 - over), out * over};
        double corner[3][3];
        get_corners(&on->mesh, triangle_at(on, area * (part / (double)d->count)), corner);
        for (int k = 0; k < 3; ++k)
            d->at[i][k] =
                weight[0] * corner[0][k] + weight[1] * corner[1][k] + weight[2] * corner[2][k];
        d->hit[i] = project_onto_shape(on, d->at[i]);
    }
}

/// Darts are thrown in parallel and tested in the order of their numbers.
static sp_status keep_darts(darts *d, points_near *near, sp_error *err)
{
    const surface *on = d->on;
    for (d->first = 0; d->first < d->count; d->first += DARTS_A_BLOCK) {
        const uint64_t left = d->count - d->first;
        const size_t n = left < DARTS_A_BLOCK ? (size_t)left : DARTS_A_BLOCK;
        sp_parallel(on->shape.host, n, 256, throw_darts, d);
        for (size_t i = 0; i < n; ++i)
            if (d->hit[i] && !points_near_any(near, d->at[i], dart_apart * on->spacing))
                SP_TRY(points_near_add(near, d->at[i], err));
    }
    return SP_OK;
}

static sp_status scatter(const surface *on, double squares, points_near *near, sp_error *err)
{
    const sp_host *host = on->shape.host;
    darts d = {.on = on,
               .count = (uint64_t)ceil(squares),
               .at = sp_allocate(host, DARTS_A_BLOCK, sizeof *d.at),
               .hit = sp_allocate(host, DARTS_A_BLOCK, sizeof *d.hit)};
    sp_status status = SP_OK;
    if (!d.at || !d.hit) status = sp_fail(err, SP_NO_MEMORY, "no memory to place points");
    for (; d.round < DART_ROUNDS && status == SP_OK; ++d.round)
        status = keep_darts(&d, near, err);
    sp_release(host, d.at);
    sp_release(host, d.hit);
    return status;
}

/// ---- Cover -------------------------------------------------------------------------------------

/// Part of a triangle, and its corners projected onto the shape.
typedef struct piece {
    double corner[3][3], projected[3][3];
} piece;

static double apart(const double a[3], const double b[3])
{
    double from[3];
    sp_sub3(a, b, from);
    return sqrt(sp_dot3(from, from));
}

/// The longest side of a piece, from the corner that it shares with the shortest side to the other.
typedef struct long_side {
    int near, far;
    double length, shortest; ///< m
} long_side;

static long_side longest_side(const piece *p)
{
    double side[3]; // opposite each corner
    int least = 0, most = 0;
    for (int c = 0; c < 3; ++c)
        side[c] = apart(p->corner[(c + 1) % 3], p->corner[(c + 2) % 3]);
    for (int c = 1; c < 3; ++c) {
        if (side[c] < side[least]) least = c;
        if (side[c] >= side[most]) most = c;
    }
    return (long_side){3 - least - most, least, side[most], side[least]};
}

/// Cuts a piece in two across its longest side: in the middle, or closer to the short end if the
/// piece is a sliver, so that the part bisect off is not one. Cutting only in the middle would turn a
/// large sliver into many small ones.
static void bisect(const surface *on, const long_side *side, piece *p, piece *off)
{
    const double by = fmax(side->shortest, 0.5 * on->spacing);
    const double share = fmin(0.5, by / side->length);
    const double *from = p->corner[side->near], *to = p->corner[side->far];
    double at[3], projected[3];
    for (int k = 0; k < 3; ++k)
        projected[k] = at[k] = from[k] + share * (to[k] - from[k]);
    project_onto_shape(on, projected);
    *off = *p;
    sp_copy3(p->corner[side->near], at);
    sp_copy3(p->projected[side->near], projected);
    sp_copy3(off->corner[side->far], at);
    sp_copy3(off->projected[side->far], projected);
}

/// True when the piece is covered, or small enough to get a point in its middle. False: subdivide
/// it.
static bool is_covered(const surface *on, const piece *p, points_near *near, sp_status *status,
                       sp_error *err)
{
    double middle[3], wide = 0.0;
    for (int k = 0; k < 3; ++k)
        middle[k] = (p->corner[0][k] + p->corner[1][k] + p->corner[2][k]) / 3.0;
    const bool projected = project_onto_shape(on, middle);
    for (int c = 0; c < 3; ++c)
        wide = fmax(wide, apart(middle, p->projected[c]));
    const double left = cover_reach * on->spacing - wide;
    if (left > 0.0 && points_near_any(near, middle, left)) return true;
    if (wide > piece_small * on->spacing) return false;
    if (projected) *status = points_near_add(near, middle, err);
    return true;
}

static sp_status cover_triangle(const surface *on, size_t t, points_near *near, sp_error *err)
{
    piece pieces[PIECES_DEEP];
    sp_status status = SP_OK;
    size_t n = 1;
    get_corners(&on->mesh, t, pieces[0].corner);
    for (int c = 0; c < 3; ++c) {
        sp_copy3(pieces[0].projected[c], pieces[0].corner[c]);
        project_onto_shape(on, pieces[0].projected[c]);
    }
    while (n > 0 && status == SP_OK) {
        piece *last = &pieces[n - 1];
        const long_side side = longest_side(last);
        if (is_covered(on, last, near, &status, err) || side.length < piece_least * on->spacing ||
            n == PIECES_DEEP)
            --n;
        else
            bisect(on, &side, last, &pieces[n++]);
    }
    return status;
}

static sp_status cover(const surface *on, points_near *near, sp_error *err)
{
    for (size_t t = 0; t < on->mesh.triangle_count; ++t)
        SP_TRY(cover_triangle(on, t, near, err));
    return SP_OK;
}

/// ---- All ---------------------------------------------------------------------------------------

static sp_status spread_over(const surface *on, sp_shape_points *points, sp_error *err)
{
    const double squares = on->before[on->mesh.triangle_count] / (on->spacing * on->spacing);
    points_near near;
    SP_TRY(points_check_count(squares, on->spacing, err));
    sp_status status =
        points_near_open(&near, points, on->spacing, (size_t)(1.1 * squares) + 16, err);
    if (status == SP_OK) status = scatter(on, squares, &near, err);
    if (status == SP_OK) status = cover(on, &near, err);
    points_near_close(&near);
    return status;
}

sp_status points_blue_noise(const sp_shape *shape, double spacing, const double low[3],
                            const double high[3], sp_shape_points *points, sp_error *err)
{
    surface on;
    sp_status status = open_surface(&on, shape, spacing, low, high, err);
    if (status == SP_OK) status = spread_over(&on, points, err);
    close_surface(&on);
    return status;
}
