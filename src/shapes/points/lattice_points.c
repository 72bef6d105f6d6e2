// SPDX-License-Identifier: Apache-2.0
/// Points on the surface of solids: lattices on boxes and planes. Other shapes are in
/// blue_noise_points.c.
#include "shapes/internal.h"

#include <math.h>

sp_status points_check_count(double count, double spacing, sp_error *err)
{
    if (count <= (double)POINTS_MOST) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "about %.3g points at a spacing of %g m; expected at most %d: choose a wider "
                   "spacing or a smaller shape",
                   count, spacing, POINTS_MOST);
}

sp_status points_reserve(sp_shape_points *points, size_t capacity, sp_error *err)
{
    const size_t n = points->count;
    if (sp_regrow(points->host, (void **)&points->x, n, capacity, sizeof *points->x) &&
        sp_regrow(points->host, (void **)&points->y, n, capacity, sizeof *points->y) &&
        sp_regrow(points->host, (void **)&points->z, n, capacity, sizeof *points->z))
        return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "no memory for %zu points", capacity);
}

/// Number of steps along a side: as close to the spacing as possible, but at most 1.4 spacings
/// long, so that the middle of a square of four points is within a spacing of them (1.4/sqrt(2) =
/// 0.99).
static double steps_along(double length, double spacing)
{
    return fmax(1.0, ceil(length / spacing - 0.4));
}

/// ---- Boxes -------------------------------------------------------------------------------------

/// Rows along x: complete on the sides, else only their two ends. Without a lid, rows inside the
/// top keep only their ends, which lie on the rim.
static void put_box(const sp_shape *s, const size_t steps[3], sp_shape_points *points)
{
    const bool lid = s->def.open != SP_OPEN_TOP;
    for (size_t k = 0; k <= steps[2]; ++k)
        for (size_t j = 0; j <= steps[1]; ++j) {
            const bool whole = k == 0 || k == steps[2] || j == 0 || (j == steps[1] && lid);
            for (size_t i = 0; i <= steps[0]; i += whole ? 1 : steps[0]) {
                const size_t at[3] = {i, j, k};
                double p[3];
                for (int a = 0; a < 3; ++a)
                    p[a] =
                        s->low[a] + (s->high[a] - s->low[a]) * ((double)at[a] / (double)steps[a]);
                points_put(points, p);
            }
        }
}

static sp_status box_points(const sp_shape *s, double spacing, sp_shape_points *points,
                            sp_error *err)
{
    double wide[3];
    size_t steps[3];
    for (int a = 0; a < 3; ++a)
        wide[a] = steps_along(s->high[a] - s->low[a], spacing);
    // Summed by rows: subtracting the inner points from all would lose digits for large counts.
    const double row = wide[0] + 1.0, top = s->def.open == SP_OPEN_TOP ? 2.0 : row;
    const double count =
        2.0 * row * (wide[1] + 1.0) + (wide[2] - 1.0) * (row + 2.0 * (wide[1] - 1.0) + top);
    SP_TRY(points_check_count(count, spacing, err));
    for (int a = 0; a < 3; ++a)
        steps[a] = (size_t)wide[a];
    SP_TRY(points_reserve(points, (size_t)count, err));
    put_box(s, steps, points);
    SP_ASSERT((double)points->count == count);
    return SP_OK;
}

/// ---- Planes ------------------------------------------------------------------------------------

/// The part of a plane that gets points: two directions in the plane, and a rectangle along them.
typedef struct plane_window {
    double along[2][3];
    double low[2], high[2]; ///< m, from the plane's own point
} plane_window;

static void widen_window(const sp_shape *s, const double p[3], plane_window *w)
{
    double from[3];
    sp_sub3(p, s->center, from);
    for (int a = 0; a < 2; ++a) {
        const double at = sp_dot3(from, w->along[a]);
        w->low[a] = fmin(w->low[a], at);
        w->high[a] = fmax(w->high[a], at);
    }
}

/// The bounding rectangle of the plane's intersection with a box: it contains all points where the
/// plane meets an edge of the box. Corners within `slack` of the plane lie on it.
static plane_window window_of(const sp_shape *s, const double low[3], const double high[3],
                              double slack)
{
    plane_window w = {.low = {HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL}};
    double corner[8][3], above[8];
    shape_frame(s->axis, w.along[0], w.along[1]);
    for (int c = 0; c < 8; ++c) {
        double from[3];
        for (int k = 0; k < 3; ++k)
            corner[c][k] = c >> k & 1 ? high[k] : low[k];
        sp_sub3(corner[c], s->center, from);
        above[c] = sp_dot3(from, s->axis);
        if (fabs(above[c]) <= slack) widen_window(s, corner[c], &w);
    }
    for (int e = 0; e < 24; ++e) {
        const int a = e / 3, b = a | 1 << e % 3; // equal to a where a is the edge's high end
        double p[3];
        if (!((above[a] < 0.0) != (above[b] < 0.0))) continue;
        const double share = above[a] / (above[a] - above[b]);
        for (int k = 0; k < 3; ++k)
            p[k] = corner[a][k] + share * (corner[b][k] - corner[a][k]);
        widen_window(s, p, &w);
    }
    return w;
}

static bool in_box(const double p[3], const double low[3], const double high[3], double slack)
{
    bool in = true;
    for (int k = 0; k < 3; ++k)
        in = in && p[k] >= low[k] - slack && p[k] <= high[k] + slack;
    return in;
}

static sp_status check_window_box(const double low[3], const double high[3], sp_error *err)
{
    for (int k = 0; k < 3; ++k)
        if (!(isfinite(low[k]) && isfinite(high[k]) && low[k] <= high[k]))
            return sp_fail(err, SP_BAD_INPUT,
                           "a plane has points only within a finite box; %c runs from %g to "
                           "%g m",
                           "xyz"[k], low[k], high[k]);
    return SP_OK;
}

static sp_status plane_points(const sp_shape *s, double spacing, const double low[3],
                              const double high[3], sp_shape_points *points, sp_error *err)
{
    SP_TRY(check_window_box(low, high, err));
    const double slack =
        1e-3 * spacing; // so that rounding does not drop the rows on the box's sides
    const plane_window w = window_of(s, low, high, slack);
    if (!(w.low[0] <= w.high[0])) return SP_OK; // plane and box do not intersect
    double wide[2];
    for (int a = 0; a < 2; ++a)
        wide[a] = steps_along(w.high[a] - w.low[a], spacing);
    const double count = (wide[0] + 1.0) * (wide[1] + 1.0);
    SP_TRY(points_check_count(count, spacing, err));
    SP_TRY(points_reserve(points, (size_t)count, err));
    for (double j = 0.0; j <= wide[1]; ++j)
        for (double i = 0.0; i <= wide[0]; ++i) {
            const double u = w.low[0] + (w.high[0] - w.low[0]) * (i / wide[0]);
            const double v = w.low[1] + (w.high[1] - w.low[1]) * (j / wide[1]);
            double p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = s->center[k] + u * w.along[0][k] + v * w.along[1][k];
            if (in_box(p, low, high, slack)) points_put(points, p);
        }
    return SP_OK;
}

/// ---- All ---------------------------------------------------------------------------------------

static sp_status make_points(const sp_shape *s, double spacing, const double low[3],
                             const double high[3], sp_shape_points *points, sp_error *err)
{
    if (!(spacing > 0.0 && isfinite(spacing)))
        return sp_fail(err, SP_BAD_INPUT, "points %g m apart; expected more than 0", spacing);
    if (s->frames)
        return sp_fail(err, SP_BAD_INPUT,
                       "walls of particles cannot deform; expected a mesh "
                       "without mesh.frames");
    if (s->kind == SHAPE_BOX) return box_points(s, spacing, points, err);
    if (s->kind == SHAPE_PLANE) return plane_points(s, spacing, low, high, points, err);
    return points_blue_noise(s, spacing, low, high, points, err);
}

sp_status sp_shape_points_make(const sp_shape *shape, float spacing, const double low[3],
                               const double high[3], sp_shape_points *out, sp_error *err)
{
    *out = (sp_shape_points){.host = shape->host};
    const sp_status status = make_points(shape, (double)spacing, low, high, out, err);
    if (status == SP_OK) return SP_OK;
    sp_shape_points_close(out);
    shape_name_error(shape->name, err);
    return status;
}

void sp_shape_points_close(sp_shape_points *points)
{
    if (points->host) {
        sp_release(points->host, points->x);
        sp_release(points->host, points->y);
        sp_release(points->host, points->z);
    }
    *points = (sp_shape_points){0};
}
