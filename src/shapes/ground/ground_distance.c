// SPDX-License-Identifier: Apache-2.0
/// Distance to the nearest triangle of the ground; the sign tells whether the point is above or
/// below it. The nearest cells are found by descending a pyramid of cell blocks, each with its
/// lowest and highest height.
#include "shapes/ground/ground.h"

#include <math.h>

double ground_corner(const shape_ground *g, int axis, size_t i)
{
    const size_t count = axis == 0 ? g->columns : g->rows;
    if (i == 0) return g->start[axis] - g->ring;
    if (i > count) return g->end[axis] + g->ring;
    return i == count ? g->end[axis] : g->start[axis] + (double)(i - 1) * g->step[axis];
}

double ground_height(const shape_ground *g, size_t i, size_t j)
{
    const size_t column = i == 0 ? 0 : i > g->columns ? g->columns - 1 : i - 1;
    const size_t row = j == 0 ? 0 : j > g->rows ? g->rows - 1 : j - 1;
    return (double)g->y[row * g->columns + column];
}

/// ---- Opening -----------------------------------------------------------------------------------

static ground_range range_of_cells(const shape_ground *g, size_t block_i, size_t block_j)
{
    ground_range r = {INFINITY, -INFINITY};
    for (size_t j = GROUND_BLOCK * block_j; j <= GROUND_BLOCK * (block_j + 1); ++j)
        for (size_t i = GROUND_BLOCK * block_i; i <= GROUND_BLOCK * (block_i + 1); ++i) {
            const float y = (float)ground_height(g, i, j);
            r.low = y < r.low ? y : r.low;
            r.high = y > r.high ? y : r.high;
        }
    return r;
}

static ground_range range_of_blocks(const shape_ground *g, int level, size_t i, size_t j)
{
    ground_range r = {INFINITY, -INFINITY};
    for (size_t b = j; b < j + 2 && b < g->high[level]; ++b)
        for (size_t a = i; a < i + 2 && a < g->wide[level]; ++a) {
            const ground_range part = g->range[g->first[level] + b * g->wide[level] + a];
            r.low = part.low < r.low ? part.low : r.low;
            r.high = part.high > r.high ? part.high : r.high;
        }
    return r;
}

static void fill_ranges(shape_ground *g)
{
    for (int level = 0; level < g->levels; ++level)
        for (size_t j = 0; j < g->high[level]; ++j)
            for (size_t i = 0; i < g->wide[level]; ++i)
                g->range[g->first[level] + j * g->wide[level] + i] =
                    level == 0 ? range_of_cells(g, i, j)
                               : range_of_blocks(g, level - 1, 2 * i, 2 * j);
}

/// Sizes of the pyramid's levels; returns the number of blocks.
static size_t lay_out_pyramid(shape_ground *g)
{
    size_t wide = (g->columns + 1 + GROUND_BLOCK - 1) / GROUND_BLOCK;
    size_t high = (g->rows + 1 + GROUND_BLOCK - 1) / GROUND_BLOCK, all = 0;
    for (g->levels = 0;; wide = (wide + 1) / 2, high = (high + 1) / 2) {
        SP_ASSERT(g->levels < GROUND_LEVELS); // 8192 samples along a side need twelve
        g->wide[g->levels] = wide;
        g->high[g->levels] = high;
        g->first[g->levels++] = all;
        all += wide * high;
        if (wide == 1 && high == 1) return all;
    }
}

/// Black is at min, white at max. Rows of heights begin at the front, where z is largest: in a view
/// from above with x to the right, that is the bottom of the page.
static void fill_heights(shape_ground *g, const sp_heightfield_def *def)
{
    const sp_heights *h = &def->heights;
    const double low = (double)def->min[1], span = (double)def->max[1] - low;
    for (size_t j = 0; j < g->rows; ++j)
        for (size_t i = 0; i < g->columns; ++i) {
            const size_t row = h->height > 1 ? g->rows - 1 - j : 0, column = h->width > 1 ? i : 0;
            const float value = h->values ? h->values[row * h->width + column] : h->constant;
            g->y[j * g->columns + i] = (float)(low + span * (double)value);
        }
}

sp_status ground_open(shape_ground **out, const sp_heightfield_def *def, const sp_host *host,
                      sp_error *err)
{
    const sp_heights *h = &def->heights;
    shape_ground *g = *out = sp_allocate(host, 1, sizeof *g);
    if (!g) return sp_fail(err, SP_NO_MEMORY, "no memory for ground");
    g->host = host;
    g->columns = h->values && h->width > 1 ? h->width : 2;
    g->rows = h->values && h->height > 1 ? h->height : 2;
    for (int a = 0; a < 2; ++a) {
        const size_t steps = (a == 0 ? g->columns : g->rows) - 1;
        g->start[a] = (double)def->min[2 * a];
        g->end[a] = (double)def->max[2 * a];
        g->step[a] = (g->end[a] - g->start[a]) / (double)steps;
    }
    g->ring = 4.0 * fmax(g->end[0] - g->start[0], g->end[1] - g->start[1]);
    g->range = sp_allocate(host, lay_out_pyramid(g), sizeof *g->range);
    g->y = sp_allocate(host, g->columns * g->rows, sizeof *g->y);
    if (!g->y || !g->range)
        return sp_fail(err, SP_NO_MEMORY, "no memory for %zu x %zu heights", g->columns, g->rows);
    fill_heights(g, def);
    fill_ranges(g);
    return SP_OK;
}

void ground_close(shape_ground *g)
{
    if (!g) return;
    sp_release(g->host, g->y);
    sp_release(g->host, g->range);
    sp_release(g->host, g);
}

void ground_span(const shape_ground *g, double *low, double *high)
{
    const ground_range all = g->range[g->first[g->levels - 1]];
    *low = (double)all.low;
    *high = (double)all.high;
}

/// ---- Distance ----------------------------------------------------------------------------------

/// The nearest point so far.
typedef struct nearest {
    const shape_ground *ground;
    double from[3];
    double distance2, at[3]; ///< m2; m, from `from`
    double face[3];          ///< the triangle's normal, of any length
} nearest;

static void corner_from(const nearest *n, size_t i, size_t j, double x[3])
{
    x[0] = ground_corner(n->ground, 0, i) - n->from[0];
    x[1] = ground_height(n->ground, i, j) - n->from[1];
    x[2] = ground_corner(n->ground, 1, j) - n->from[2];
}

static void try_triangle(nearest *n, const double x[3][3])
{
    double w[3], ab[3], ac[3];
    const double d2 = sp_triangle_closest(x, w);
    if (!(d2 < n->distance2)) return;
    n->distance2 = d2;
    for (int k = 0; k < 3; ++k)
        n->at[k] = w[0] * x[0][k] + w[1] * x[1][k] + w[2] * x[2][k];
    sp_sub3(x[1], x[0], ab);
    sp_sub3(x[2], x[0], ac);
    sp_cross3(ab, ac, n->face);
}

/// Squared distance to a box that reaches over corners i0 ... i1, j0 ... j1.
static double box_distance2(const nearest *n, const size_t from[2], const size_t to[2],
                            ground_range y)
{
    double sum = 0.0;
    for (int a = 0; a < 2; ++a) {
        const double p = n->from[2 * a], low = ground_corner(n->ground, a, from[a]);
        const double high = ground_corner(n->ground, a, to[a]);
        const double over = fmax(fmax(low - p, p - high), 0.0);
        sum += over * over;
    }
    const double over = fmax(fmax((double)y.low - n->from[1], n->from[1] - (double)y.high), 0.0);
    return sum + over * over;
}

static void try_cell(nearest *n, size_t i, size_t j)
{
    double a[3], b[3], c[3], d[3];
    corner_from(n, i, j, a);
    corner_from(n, i, j + 1, b);
    corner_from(n, i + 1, j + 1, c);
    corner_from(n, i + 1, j, d);
    const double first[3][3] = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, {c[0], c[1], c[2]}};
    const double second[3][3] = {{a[0], a[1], a[2]}, {c[0], c[1], c[2]}, {d[0], d[1], d[2]}};
    const ground_range y = {(float)(fmin(fmin(a[1], b[1]), fmin(c[1], d[1])) + n->from[1]),
                            (float)(fmax(fmax(a[1], b[1]), fmax(c[1], d[1])) + n->from[1])};
    const size_t from[2] = {i, j}, to[2] = {i + 1, j + 1};
    if (!(box_distance2(n, from, to, y) < n->distance2)) return;
    try_triangle(n, first);
    try_triangle(n, second);
}

typedef struct square {
    int level;
    size_t i, j;
    double distance2;
} square;

static square square_at(const nearest *n, int level, size_t i, size_t j)
{
    const shape_ground *g = n->ground;
    const size_t side = (size_t)GROUND_BLOCK << level, cells[2] = {g->columns + 1, g->rows + 1};
    const size_t from[2] = {side * i, side * j};
    size_t to[2] = {from[0] + side, from[1] + side};
    for (int a = 0; a < 2; ++a)
        if (to[a] > cells[a]) to[a] = cells[a];
    const ground_range y = g->range[g->first[level] + j * g->wide[level] + i];
    return (square){level, i, j, box_distance2(n, from, to, y)};
}

static void try_block(nearest *n, const square *s)
{
    const shape_ground *g = n->ground;
    for (size_t j = GROUND_BLOCK * s->j; j < GROUND_BLOCK * (s->j + 1) && j <= g->rows; ++j)
        for (size_t i = GROUND_BLOCK * s->i; i < GROUND_BLOCK * (s->i + 1) && i <= g->columns; ++i)
            try_cell(n, i, j);
}

static void search_pyramid(nearest *n)
{
    const shape_ground *g = n->ground;
    square stack[3 * GROUND_LEVELS + 1];
    size_t depth = 0;
    stack[depth++] = square_at(n, g->levels - 1, 0, 0);
    while (depth > 0) {
        const square now = stack[--depth];
        if (!(now.distance2 < n->distance2)) continue;
        if (now.level == 0) {
            try_block(n, &now);
            continue;
        }
        const int level = now.level - 1;
        const size_t bottom = depth;
        for (size_t c = 0; c < 4; ++c) { // the nearest last, so that it is visited first
            const size_t i = 2 * now.i + (c & 1), j = 2 * now.j + (c >> 1);
            if (i >= g->wide[level] || j >= g->high[level]) continue;
            const square child = square_at(n, level, i, j);
            size_t at = depth++;
            for (; at > bottom && stack[at - 1].distance2 < child.distance2; --at)
                stack[at] = stack[at - 1];
            stack[at] = child;
        }
    }
}

static size_t cell_of(const shape_ground *g, int axis, double x)
{
    const size_t last = (axis == 0 ? g->columns : g->rows) - 1;
    if (x < g->start[axis]) return 0;
    if (x >= g->end[axis]) return last + 1;
    const size_t i = (size_t)((x - g->start[axis]) / g->step[axis]);
    return 1 + (i < last ? i : last - 1);
}

double ground_height_at(const shape_ground *g, double x, double z)
{
    const size_t i = cell_of(g, 0, x), j = cell_of(g, 1, z);
    const double x0 = ground_corner(g, 0, i), z0 = ground_corner(g, 1, j);
    const double fx = (x - x0) / (ground_corner(g, 0, i + 1) - x0);
    const double fz = (z - z0) / (ground_corner(g, 1, j + 1) - z0);
    const double a = ground_height(g, i, j), c = ground_height(g, i + 1, j + 1);
    if (fz >= fx) {
        const double b = ground_height(g, i, j + 1);
        return a + fz * (b - a) + fx * (c - b);
    }
    const double d = ground_height(g, i + 1, j);
    return a + fx * (d - a) + fz * (c - d);
}

double ground_distance(const shape_ground *g, const double q[3], double reach, double n[3])
{
    nearest best = {.ground = g, .distance2 = reach * reach, .at = {0, -1, 0}, .face = {0, 1, 0}};
    for (int k = 0; k < 3; ++k) // the ring is constant outward: stop at half its width
        best.from[k] = k == 1 ? q[1]
                              : fmin(fmax(q[k], g->start[k / 2] - 0.5 * g->ring),
                                     g->end[k / 2] + 0.5 * g->ring);
    const double above = q[1] - ground_height_at(g, best.from[0], best.from[2]);
    const double sign = above > 0.0 ? 1.0 : -1.0;
    // The vertical distance is an upper bound. A little slack for rounding, so that the search
    // finds that point again.
    best.distance2 = fmin(best.distance2, above * above * (1.0 + 1e-9) + 1e-300);
    search_pyramid(&best);
    const double d = sqrt(best.distance2), size = sqrt(sp_dot3(best.face, best.face));
    const bool on_it = d < 1e-12 * (fabs(q[0]) + fabs(q[1]) + fabs(q[2]));
    for (int k = 0; k < 3; ++k)
        n[k] = on_it ? best.face[k] / size : -sign * best.at[k] / d;
    return sign * d;
}
