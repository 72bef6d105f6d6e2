// SPDX-License-Identifier: Apache-2.0
/// Points sorted into sparse cells. The neighbour lists of src/particles would hold 65 numbers a
/// particle, which a million particles need 260 MB for; the sums over a neighbourhood are walked
/// through once only, so no list is kept.
#include "surface/internal.h"

#include <string.h>

/// The cell of each point, run by run: points come along the Z-curve, so that those of a cell come
/// in a few runs.
typedef struct sorting_in {
    surface_points *points;
    surface_cells *cells;
    int32_t (*at)[3];
    uint32_t *run; ///< first point of each run, and one more
    uint32_t *cell;
    size_t runs;
} sorting_in;

static void cell_of(const surface_points *p, double edge, size_t i, int32_t at[3])
{
    at[0] = surface_cell_at(edge, p->x[i]);
    at[1] = surface_cell_at(edge, p->y[i]);
    at[2] = surface_cell_at(edge, p->z[i]);
}

static bool find_runs(sorting_in *s)
{
    const surface_points *p = s->points;
    size_t room = p->n / 4 + 64;
    s->at = sp_allocate(p->host, room, sizeof *s->at);
    s->run = sp_allocate(p->host, room + 1, sizeof *s->run);
    if (!s->at || !s->run) return false;
    for (size_t i = 0; i < p->n; ++i) {
        int32_t at[3];
        cell_of(p, s->cells->edge, i, at);
        if (s->runs && memcmp(at, s->at[s->runs - 1], sizeof at) == 0) continue;
        if (s->runs == room) {
            const size_t more = p->n + 1;
            if (!sp_regrow(p->host, (void **)&s->at, room, more, sizeof *s->at) ||
                !sp_regrow(p->host, (void **)&s->run, room, more + 1, sizeof *s->run))
                return false;
            room = more;
        }
        memcpy(s->at[s->runs], at, sizeof at);
        s->run[s->runs++] = (uint32_t)i;
    }
    s->run[s->runs] = (uint32_t)p->n;
    return true;
}

/// Moves whole runs to where their cells are.
static bool bring_column(const sorting_in *s, const uint32_t *to, void **column, size_t padding)
{
    if (!*column) return true;
    const surface_points *p = s->points;
    uint32_t *sorted = sp_allocate(p->host, p->n + padding, sizeof *sorted);
    if (!sorted) return false;
    const uint32_t *from = *column;
    for (size_t r = 0; r < s->runs; ++r)
        memcpy(sorted + to[r], from + s->run[r], (s->run[r + 1] - s->run[r]) * sizeof *sorted);
    sp_release(p->host, *column);
    *column = sorted;
    return true;
}

static bool place_runs(sorting_in *s)
{
    surface_points *p = s->points;
    const size_t cells = s->cells->tiles.count;
    uint32_t *start = s->cells->start = sp_allocate(p->host, cells + 2, sizeof *start);
    s->cell = sp_allocate(p->host, s->runs + 1, sizeof *s->cell);
    if (!start || !s->cell) return false;
    for (size_t r = 0; r < s->runs; ++r) {
        s->cell[r] = sp_tiles_find(&s->cells->tiles, s->at[r]);
        SP_ASSERT(s->cell[r] != SP_NO_TILE);
        start[s->cell[r] + 2] += s->run[r + 1] - s->run[r];
    }
    for (size_t c = 2; c <= cells + 1; ++c)
        start[c] += start[c - 1];
    for (size_t r = 0; r < s->runs; ++r) { // from here on `cell` says where a run goes
        uint32_t *place = &start[s->cell[r] + 1];
        s->cell[r] = *place;
        *place += s->run[r + 1] - s->run[r];
    }
    return bring_column(s, s->cell, (void **)&p->x, SP_LANES) &&
           bring_column(s, s->cell, (void **)&p->y, SP_LANES) &&
           bring_column(s, s->cell, (void **)&p->z, SP_LANES) &&
           bring_column(s, s->cell, (void **)&p->r, SP_LANES) &&
           bring_column(s, s->cell, (void **)&p->from, 0);
}

sp_status surface_cells_open(surface_cells *cells, surface_points *points, float edge,
                             sp_error *err)
{
    // Rounding of a quotient in double is far below the millionth that is added.
    *cells = (surface_cells){.edge = (double)edge * 1.000001};
    for (size_t i = 0; i < points->n; ++i) {
        const float far =
            fmaxf(fabsf(points->x[i]), fmaxf(fabsf(points->y[i]), fabsf(points->z[i])));
        if ((double)far / cells->edge >= SP_TILES_REACH)
            return sp_fail(
                err, SP_BAD_SCENE,
                "surface: a particle lies %g m from the origin; with cells of %g m at most %g "
                "are possible",
                (double)far, cells->edge, cells->edge * SP_TILES_REACH);
    }
    sorting_in s = {.points = points, .cells = cells};
    const sp_host *host = points->host;
    sp_status status = SP_OK;
    if (find_runs(&s)) {
        status = sp_tiles_open(&cells->tiles, host, (float)(cells->edge / SP_TILE),
                               (const int32_t(*)[3])s.at, s.runs, err);
        if (status == SP_OK && !place_runs(&s)) status = SP_NO_MEMORY;
    } else {
        status = SP_NO_MEMORY;
    }
    if (status == SP_NO_MEMORY)
        sp_fail(err, SP_NO_MEMORY, "surface: no memory to sort %zu particles", points->n);
    sp_release(host, s.at);
    sp_release(host, s.run);
    sp_release(host, s.cell);
    if (status != SP_OK) surface_cells_close(cells, host);
    return status;
}

void surface_cells_close(surface_cells *cells, const sp_host *host)
{
    sp_tiles_close(&cells->tiles);
    sp_release(host, cells->start);
    *cells = (surface_cells){0};
}
