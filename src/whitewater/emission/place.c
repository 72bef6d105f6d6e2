// SPDX-License-Identifier: Apache-2.0
/// Where new bubbles are (W17): around the centre of their voxel, as the sum of `spline` uniform
/// numbers, so that their density is a B-spline. Those outside the water or in solids are lost.
#include "whitewater/emission/internal.h"

enum { CELLS = 64 }; ///< a block

/// ---- Memory ------------------------------------------------------------------------------------

sp_status emission_fresh_reserve(emission_fresh *f, const sp_host *host, size_t n, sp_error *err)
{
    const size_t room = n + n / 4;
    bool enough = true;
    if (n <= f->room) return SP_OK;
    f->room = 0;
    for (int a = 0; a < 3 && enough; ++a)
        enough = sp_regrow(host, (void **)&f->x[a], 0, room, sizeof *f->x[a]) &&
                 sp_regrow(host, (void **)&f->u[a], 0, room, sizeof *f->u[a]);
    enough = enough && sp_regrow(host, (void **)&f->phi, 0, room, sizeof *f->phi) &&
             sp_regrow(host, (void **)&f->radius, 0, room, sizeof *f->radius) &&
             sp_regrow(host, (void **)&f->keep, 0, room, sizeof *f->keep);
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu new particles", n);
    f->room = room;
    return SP_OK;
}

void emission_fresh_close(emission_fresh *f, const sp_host *host)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(host, f->x[a]);
        sp_release(host, f->u[a]);
    }
    sp_release(host, f->phi);
    sp_release(host, f->radius);
    sp_release(host, f->keep);
}

/// ---- Places ------------------------------------------------------------------------------------

typedef struct placing {
    const emission_step *s;
    uint32_t *first; ///< of the particles of each cell
} placing;

static void count_cells(void *arg, size_t begin, size_t end)
{
    const placing *g = arg;
    const emission_cell *cell = g->s->e->held.cell;
    for (size_t i = begin; i < end; ++i)
        g->first[i] = emission_count(g->s, emission_voxel_id(cell[i].at),
                                     (double)cell[i].rate * g->s->world->dt);
}

/// Particle `index` of a voxel, off its centre, voxels.
static void spread(const emission_step *s, uint64_t id, uint32_t index, double off[3])
{
    const whitewater_world *w = s->world;
    for (int a = 0; a < 3; ++a)
        off[a] = 0.0;
    for (uint32_t m = 0; m < (uint32_t)s->e->def.spline; ++m) {
        const sp_random4 random =
            sp_random(w->seed, WHITEWATER_RANDOM_PLACE, id, (uint32_t)w->step, 3 * index + m);
        for (int a = 0; a < 3; ++a)
            off[a] += (double)random.x[a] * 0x1p-32 - 0.5;
    }
}

static void place_cells(void *arg, size_t begin, size_t end)
{
    const placing *g = arg;
    const emission_step *s = g->s;
    const emission_held *h = &s->e->held;
    emission_fresh *f = &s->e->fresh;
    const double late = s->world->t + s->world->dt - h->time;
    for (size_t i = begin; i < end; ++i) {
        const emission_cell *c = &h->cell[i];
        const uint64_t id = emission_voxel_id(c->at);
        for (uint32_t n = g->first[i]; n < g->first[i + 1]; ++n) {
            const uint32_t index = n - g->first[i];
            double off[3];
            spread(s, id, index, off);
            for (int a = 0; a < 3; ++a)
                f->x[a][n] = h->origin[a] + ((double)c->at[a] + 0.5 + off[a]) * h->voxel +
                             late * (double)c->u[a];
            f->radius[n] = (float)emission_draw_radius(&s->e->sizes, s->world, id, index);
        }
    }
}

/// ---- Which of them are in the water ------------------------------------------------------------

float emission_look(const sp_bulk_view *view, const double p[3], float u[3], float gradient[3])
{
    float phi;
    sp_bulk_query query = {.n = 1, .x = &p[0], .y = &p[1], .z = &p[2], .phi = &phi};
    for (int a = 0; a < 3; ++a) {
        query.u[a] = u ? &u[a] : NULL;
        query.gradient[a] = gradient ? &gradient[a] : NULL;
    }
    sp_bulk_look(view, &query, 0, 1);
    return phi;
}

bool emission_is_open(const whitewater_world *w, const double p[3])
{
    for (int a = 0; a < 3; ++a)
        if (!(p[a] > w->domain[0][a] && p[a] < w->domain[1][a])) return false;
    return !w->solids || sp_solids_distance(w->solids, p, NULL, NULL) > 0.0;
}

static void look_at(void *arg, size_t begin, size_t end)
{
    const emission_step *s = arg;
    const emission_fresh *f = &s->e->fresh;
    const sp_bulk_query query = {.n = f->count,
                                 .x = f->x[0],
                                 .y = f->x[1],
                                 .z = f->x[2],
                                 .u = {f->u[0], f->u[1], f->u[2]},
                                 .phi = f->phi};
    sp_bulk_look(&s->view, &query, begin, end);
    for (size_t i = begin; i < end; ++i) {
        const double p[3] = {f->x[0][i], f->x[1][i], f->x[2][i]};
        f->keep[i] = f->phi[i] <= -f->radius[i] && emission_is_open(s->world, p);
    }
}

sp_status emission_place(const emission_step *s, sp_error *err)
{
    whitewater_emission *e = s->e;
    const size_t cells = (size_t)e->held.count;
    placing g = {s, sp_allocate(e->host, cells + 1, sizeof *g.first)};
    if (!g.first) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu voxels", cells);
    sp_parallel(e->host, cells, CELLS, count_cells, &g);
    e->fresh.count = sp_scan(g.first, cells + 1);
    const sp_status status = emission_fresh_reserve(&e->fresh, e->host, e->fresh.count, err);
    if (status == SP_OK) {
        sp_parallel(e->host, cells, CELLS, place_cells, &g);
        sp_parallel(e->host, e->fresh.count, EMISSION_GRAIN, look_at, (void *)(uintptr_t)s);
    }
    sp_release(e->host, g.first);
    return status;
}
