// SPDX-License-Identifier: Apache-2.0
/// Evenly spread points without a pattern (blue noise) on any surface, in two parts.
///
/// Darts: places drawn evenly over the area, kept when no point is nearer than 0.76 spacings. Each
/// round throws one into every equal part of the area, in order: what is near in space is then near
/// in memory. Darts alone would take for ever to fill the last gaps, so after a few rounds comes
///
/// Cover: each triangle is cut up until one point is near enough to all of a piece. A piece that is
/// small and still bare gets a point in its middle. That middle is 0.83 spacings or more from all
/// points, and the piece reaches 0.12 spacings from it: both promises of the header hold whatever
/// the darts did.
///
/// Eight rounds and 0.76 spacings leave one point in twenty to the second part, and give 0.99
/// points a square of the spacing, as many as a lattice has.
///
/// A piece of a round shape is looked at where it belongs, on the shape itself: its corners and its
/// middle are moved along the gradient of the distance until it is zero.
#include "shapes/internal.h"

#include <math.h>

enum {
    PURPOSE_DARTS = 0x50140001,
    DART_ROUNDS = 8,
    DARTS_A_BLOCK = 1 << 15, // thrown side by side, before they are kept or not one by one
    PIECES_DEEP = 128,       // halves of 2^30 spacings along an edge take less than half of this
};
/// All in spacings.
static const double dart_apart = 0.76;
static const double cover_reach = 0.95;
static const double piece_small = 0.12;
/// A piece that is this short on the triangle and still wide on the shape hangs over a jump from
/// one side of the shape to another; there is nothing between to be covered.
static const double piece_least = 0.05;

/// Triangles, and the shape that they stand for.
typedef struct surface {
    sp_shape shape;
    bool move; ///< triangles are only near the shape
    double spacing;
    sp_mesh mesh;
    double *before; ///< m^2, area before each triangle; one entry more ends the table
} surface;

/// ---- The surface -------------------------------------------------------------------------------

/// The side of a container that water can touch is the surface of its hollow as a solid. A copy for
/// as long as this file looks at it: what it points to stays with the shape.
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

/// Of an upright cylinder, whose vertices are all at its top or at its bottom.
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

static void take_corners(const sp_mesh *mesh, size_t t, double corner[3][3])
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            corner[c][k] = (double)mesh->x[mesh->tri[t][c]][k];
}

static double area_of(const sp_mesh *mesh, size_t t)
{
    double corner[3][3], ab[3], ac[3], cross[3];
    take_corners(mesh, t, corner);
    sp_sub3(corner[1], corner[0], ab);
    sp_sub3(corner[2], corner[0], ac);
    sp_cross3(ab, ac, cross);
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
        on->shape =
            *s; // at the rim the nearest of a closed hollow may be the lid that is not there
    }
    on->before = sp_allocate(s->host, on->mesh.triangle_count + 1, sizeof *on->before);
    if (!on->before)
        return sp_fail(err, SP_NO_MEMORY, "no memory for the areas of %zu triangles",
                       on->mesh.triangle_count);
    for (size_t t = 0; t < on->mesh.triangle_count; ++t)
        on->before[t + 1] = on->before[t] + area_of(&on->mesh, t);
    return SP_OK;
}

/// Moves a point of a triangle onto the shape. False: it belongs to a part of the triangles that
/// lies within the solid, as where a thickened mesh crosses itself.
static bool settle(const surface *on, double p[3])
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

/// The triangle that holds a share of the area; those without one hold none.
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
        take_corners(&on->mesh, triangle_at(on, area * (part / (double)d->count)), corner);
        for (int k = 0; k < 3; ++k)
            d->at[i][k] =
                weight[0] * corner[0][k] + weight[1] * corner[1][k] + weight[2] * corner[2][k];
        d->hit[i] = settle(on, d->at[i]);
    }
}

/// Thrown in parallel, kept in the order of their numbers.
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

/// Part of a triangle, and where its corners settle.
typedef struct piece {
    double corner[3][3], settled[3][3];
} piece;

static double apart(const double a[3], const double b[3])
{
    double from[3];
    sp_sub3(a, b, from);
    return sqrt(sp_dot3(from, from));
}

/// The longest side of a piece: from the corner that it shares with the shortest to the other.
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

/// Cuts a piece in two through its longest side, in the middle or, where it is a splinter, nearer
/// to the short end, so that what is cut off is none. Middles alone would make many small splinters
/// of a large one. What is cut off comes last.
static void cut(const surface *on, const long_side *side, piece *p, piece *off)
{
    const double by = fmax(side->shortest, 0.5 * on->spacing);
    const double share = fmin(0.5, by / side->length);
    const double *from = p->corner[side->near], *to = p->corner[side->far];
    double at[3], settled[3];
    for (int k = 0; k < 3; ++k)
        settled[k] = at[k] = from[k] + share * (to[k] - from[k]);
    settle(on, settled);
    *off = *p;
    sp_copy3(p->corner[side->near], at);
    sp_copy3(p->settled[side->near], settled);
    sp_copy3(off->corner[side->far], at);
    sp_copy3(off->settled[side->far], settled);
}

/// Puts a point into the middle of a piece that is small and bare; false: it needs to be halved.
static bool is_done(const surface *on, const piece *p, points_near *near, sp_status *status,
                    sp_error *err)
{
    double middle[3], wide = 0.0;
    for (int k = 0; k < 3; ++k)
        middle[k] = (p->corner[0][k] + p->corner[1][k] + p->corner[2][k]) / 3.0;
    const bool settled = settle(on, middle);
    for (int c = 0; c < 3; ++c)
        wide = fmax(wide, apart(middle, p->settled[c]));
    const double left = cover_reach * on->spacing - wide;
    if (left > 0.0 && points_near_any(near, middle, left)) return true;
    if (wide > piece_small * on->spacing) return false;
    if (settled) *status = points_near_add(near, middle, err);
    return true;
}

static sp_status cover_triangle(const surface *on, size_t t, points_near *near, sp_error *err)
{
    piece pieces[PIECES_DEEP];
    sp_status status = SP_OK;
    size_t n = 1;
    take_corners(&on->mesh, t, pieces[0].corner);
    for (int c = 0; c < 3; ++c) {
        sp_copy3(pieces[0].settled[c], pieces[0].corner[c]);
        settle(on, pieces[0].settled[c]);
    }
    while (n > 0 && status == SP_OK) {
        piece *last = &pieces[n - 1];
        const long_side side = longest_side(last);
        if (is_done(on, last, near, &status, err) || side.length < piece_least * on->spacing ||
            n == PIECES_DEEP)
            --n;
        else
            cut(on, &side, last, &pieces[n++]);
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

sp_status points_spread(const sp_shape *shape, double spacing, const double low[3],
                        const double high[3], sp_shape_points *points, sp_error *err)
{
    surface on;
    sp_status status = open_surface(&on, shape, spacing, low, high, err);
    if (status == SP_OK) status = spread_over(&on, points, err);
    close_surface(&on);
    return status;
}
