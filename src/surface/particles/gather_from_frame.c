// SPDX-License-Identifier: Apache-2.0
/// Copies particles from a frame and sorts them so that particles near in space are near in memory.
#include "surface/internal.h"

#include <inttypes.h>
#include <string.h>

enum { POINTS_A_TASK = 1 << 13 };

/// Ids of a frame must ascend, but a caller may break this contract. The results must depend on the
/// ids and not on the order of the set, so particles are sorted by id here.
static sp_status sort_by_id(surface_points *p, const sp_set *set, sp_error *err)
{
    const sp_column *column = sp_set_column(set, "id");
    if (!column || column->kind != SP_U64) return SP_OK;
    const uint64_t *id = column->data;
    size_t k = 1;
    while (k < p->n && id[p->from[k - 1]] < id[p->from[k]])
        ++k;
    if (k >= p->n) return SP_OK;
    uint64_t *ids = sp_allocate(p->host, p->n, sizeof *ids);
    uint32_t *order = sp_allocate(p->host, p->n, sizeof *order);
    sp_status status = SP_OK;
    if (!ids || !order) status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu ids", p->n);
    for (k = 0; k < p->n && status == SP_OK; ++k)
        ids[k] = id[p->from[k]];
    if (status == SP_OK) status = sp_order_by_id(p->host, p->n, ids, order, NULL, err);
    for (k = 0; k < p->n && status == SP_OK; ++k)
        order[k] = p->from[order[k]];
    if (status == SP_OK) memcpy(p->from, order, p->n * sizeof *order);
    sp_release(p->host, ids);
    sp_release(p->host, order);
    return status;
}

typedef struct copying {
    surface_points *points;
    const float *position; ///< three per particle
    const float *radius;
} copying;

static void copy_points(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    surface_points *p = c->points;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = p->from[k];
        p->x[k] = c->position[3 * (size_t)i];
        p->y[k] = c->position[3 * (size_t)i + 1];
        p->z[k] = c->position[3 * (size_t)i + 2];
        if (p->r) p->r[k] = c->radius[i];
    }
}

sp_status surface_not_a_number(const sp_frame *frame, const sp_set *set, size_t index,
                               sp_error *err)
{
    return sp_fail(err, SP_DIVERGED,
                   "particle %" PRIu64 " of \"%s\" is not a number (frame %" PRIu64 ")",
                   sp_set_id(set, index), set->name, frame->frame);
}

static sp_status check_numbers(const surface_points *p, const sp_frame *frame, const sp_set *set,
                               sp_error *err)
{
    for (size_t k = 0; k < p->n; ++k) {
        const float far = fabsf(p->x[k]) + fabsf(p->y[k]) + fabsf(p->z[k]);
        if (isfinite(far) && (!p->r || (p->r[k] > 0.0f && isfinite(p->r[k])))) continue;
        return surface_not_a_number(frame, set, p->from[k], err);
    }
    return SP_OK;
}

typedef struct bringing {
    const uint32_t *order, *from; ///< from: floats or indices, 4 bytes each
    uint32_t *to;
} bringing;

static void bring(void *arg, size_t begin, size_t end)
{
    const bringing *b = arg;
    for (size_t k = begin; k < end; ++k)
        b->to[k] = b->from[b->order[k]];
}

static bool bring_column(const surface_points *p, const uint32_t *order, void **column,
                         size_t padding)
{
    if (!*column) return true;
    bringing b = {order, *column, sp_allocate(p->host, p->n + padding, sizeof *b.to)};
    if (!b.to) return false;
    sp_parallel(p->host, p->n, POINTS_A_TASK, bring, &b);
    sp_release(p->host, *column);
    *column = b.to;
    return true;
}

static bool bring_columns(surface_points *p, const uint32_t *order)
{
    return bring_column(p, order, (void **)&p->x, SP_LANES) &&
           bring_column(p, order, (void **)&p->y, SP_LANES) &&
           bring_column(p, order, (void **)&p->z, SP_LANES) &&
           bring_column(p, order, (void **)&p->r, SP_LANES) &&
           bring_column(p, order, (void **)&p->from, 0);
}

static sp_status sort_along_curve(surface_points *p, float edge, sp_error *err)
{
    sp_zorder *zorder;
    sp_status status = sp_zorder_open(3, p->host, &zorder, err);
    if (status == SP_OK) status = sp_zorder_find(zorder, p->n, p->x, p->y, p->z, edge, err);
    if (status == SP_OK && !bring_columns(p, sp_zorder_order(zorder)))
        status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu particles", p->n);
    sp_zorder_close(zorder);
    return status;
}

static bool take_arrays(surface_points *p, bool radii)
{
    const size_t room = p->n + SP_LANES;
    return (p->x = sp_allocate(p->host, room, sizeof *p->x)) &&
           (p->y = sp_allocate(p->host, room, sizeof *p->y)) &&
           (p->z = sp_allocate(p->host, room, sizeof *p->z)) &&
           (!radii || (p->r = sp_allocate(p->host, room, sizeof *p->r))) &&
           (p->from = sp_allocate(p->host, p->n, sizeof *p->from));
}

static sp_status fill_points(surface_points *p, const sp_frame *frame, const sp_set *set,
                             const uint32_t *chosen, copying *c, float edge, sp_error *err)
{
    for (size_t k = 0; k < p->n; ++k)
        p->from[k] = chosen ? chosen[k] : (uint32_t)k;
    SP_TRY(sort_by_id(p, set, err));
    sp_parallel(p->host, p->n, POINTS_A_TASK, copy_points, c);
    SP_TRY(check_numbers(p, frame, set, err));
    return sort_along_curve(p, edge, err);
}

sp_status surface_points_open(surface_points *points, const sp_frame *frame, const sp_set *set,
                              const uint32_t *chosen, size_t count, float edge, const sp_host *host,
                              sp_error *err)
{
    *points = (surface_points){.host = host, .n = chosen ? count : set->count};
    copying c = {points, sp_set_floats(set, "position", 3), sp_set_floats(set, "radius", 1)};
    if (!c.position) return sp_fail(err, SP_BAD_INPUT, "set \"%s\" has no positions", set->name);
    if (points->n >= INT32_MAX)
        return sp_fail(err, SP_BAD_INPUT, "set \"%s\" has %zu particles (limit 2147483647)",
                       set->name, points->n);
    const sp_status status =
        take_arrays(points, c.radius != NULL)
            ? fill_points(points, frame, set, chosen, &c, edge, err)
            : sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu particles", points->n);
    if (status != SP_OK) surface_points_close(points);
    return status;
}

/// ---- Sorting by cell ---------------------------------------------------------------------------

/// Sorts into cells, with temporary memory.
static bool sort_cells(const surface_points *p, const sp_lattice *lattice, sp_cells *cells)
{
    const float *const position[3] = {p->x, p->y, p->z};
    void *lent = sp_allocate(p->host, p->n, 16);
    const bool good = lent && sp_cells_open_sparse(cells, p->host, NULL) == SP_OK &&
                      sp_cells_sort(cells, lattice, p->n, position, NULL, lent, NULL) == SP_OK;
    sp_release(p->host, lent);
    return good;
}

sp_status surface_points_sort(surface_points *points, float edge, sp_cells *cells, sp_error *err)
{
    *cells = (sp_cells){0};
    float low[3], high[3], far = 0.0f;
    const float *const position[3] = {points->x, points->y, points->z};
    SP_TRY(sp_bounds(points->host, 3, points->n, position, low, high, err));
    for (int a = 0; a < 3; ++a)
        far = fmaxf(far, fmaxf(fabsf(low[a]), fabsf(high[a])));
    if (far / edge >= SP_LATTICE_REACH)
        return sp_fail(err, SP_BAD_INPUT,
                       "surface: a particle lies %g m from the origin; with cells of %g m at most "
                       "%g are possible",
                       (double)far, (double)edge, (double)edge * SP_LATTICE_REACH);
    sp_lattice lattice;
    sp_lattice_anchor(&lattice, 3, low, high, edge);
    if (sort_cells(points, &lattice, cells) && bring_columns(points, cells->order)) return SP_OK;
    sp_cells_close(cells);
    return sp_fail(err, SP_NO_MEMORY, "surface: no memory to sort %zu particles", points->n);
}

void surface_points_close(surface_points *points)
{
    if (points->host) {
        void *const taken[] = {points->x, points->y, points->z, points->r, points->from};
        for (size_t k = 0; k < sizeof taken / sizeof *taken; ++k)
            sp_release(points->host, taken[k]);
    }
    *points = (surface_points){0};
}
