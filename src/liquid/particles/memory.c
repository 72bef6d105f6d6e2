// SPDX-License-Identifier: Apache-2.0
/// Memory for particles: two sets of columns, the start of each tile's particles, and work memory
/// for each thread.
#include "liquid/particles/velocity_at.h"

#include <stdatomic.h>

static const char *const names[] = {"px",  "py",  "pz",  "vx",  "vy",  "vz",  "cxx", "cxy",
                                    "cxz", "cyx", "cyy", "cyz", "czx", "czy", "czz"};
enum { PLAIN_FLOATS = 6, AFFINE_FLOATS = 15 };

void liquid_particles_point(liquid_particles *p)
{
    void **data = p->set.data;
    const int floats = p->set.column_count - 1;
    for (int a = 0; a < 3; ++a) {
        p->x[a] = data[a];
        p->v[a] = data[3 + a];
    }
    for (int c = 0; c < 9; ++c)
        p->c[c] = floats == AFFINE_FLOATS ? data[PLAIN_FLOATS + c] : NULL;
    p->id = data[floats];
}

sp_status liquid_spare_reserve(liquid_particles *p, size_t n, sp_error *err)
{
    if (!p->spare.host)
        SP_TRY(sp_particles_open(&p->spare, p->set.host, p->set.def, p->set.column_count, 0, err));
    p->spare.count = 0; // so that growing it copies nothing
    return sp_particles_reserve(&p->spare, n, err);
}

void liquid_spare_use(liquid_particles *p, size_t n, const uint32_t *start, size_t tiles)
{
    const sp_particles before = p->set;
    p->set = p->spare;
    p->spare = before;
    p->set.count = n;
    memcpy(p->start, start, (tiles + 1) * sizeof *p->start);
    liquid_particles_point(p);
}

sp_status liquid_particles_open(liquid_particles *p, const sp_liquid_def *def, size_t tiles,
                                const sp_host *host, sp_error *err)
{
    *p = (liquid_particles){.work_size = liquid_work_floats(liquid_pad(def->cfl))};
    const int floats = def->method == SP_LIQUID_APIC ? AFFINE_FLOATS : PLAIN_FLOATS;
    sp_column_def columns[AFFINE_FLOATS + 1];
    for (int c = 0; c < floats; ++c)
        columns[c] = (sp_column_def){names[c], SP_F32};
    columns[floats] = (sp_column_def){"id", SP_U64};
    const size_t threads = host->threads > 1 ? (size_t)host->threads : 1;
    sp_status st = sp_particles_open(&p->set, host, columns, floats + 1, 0, err);
    if (st == SP_OK) st = liquid_starts_reserve(p, tiles, err);
    if (st == SP_OK && !(p->work = sp_allocate(host, threads * p->work_size, sizeof *p->work)))
        st = sp_fail(err, SP_NO_MEMORY, "liquid: no memory for %zu threads to work in", threads);
    if (st != SP_OK) {
        liquid_particles_close(p);
        return st;
    }
    liquid_particles_point(p);
    return SP_OK;
}

void liquid_particles_close(liquid_particles *p)
{
    const sp_host *host = p->set.host;
    sp_particles_close(&p->set);
    sp_particles_close(&p->spare);
    if (host) {
        sp_release(host, p->start);
        sp_release(host, p->work);
    }
    *p = (liquid_particles){0};
}

sp_status liquid_starts_reserve(liquid_particles *p, size_t n, sp_error *err)
{
    if (n + 1 <= p->start_room) return SP_OK;
    const size_t room = n + n / 2 + 1; // the number of tiles changes by a few at a time
    void *start = p->start;
    if (!sp_regrow(p->set.host, &start, p->start_room, room, sizeof *p->start))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for particles of %zu tiles", n);
    p->start = start;
    p->start_room = room;
    return SP_OK;
}

sp_status liquid_particles_reserve(liquid_particles *p, size_t n, sp_error *err)
{
    SP_TRY(sp_particles_reserve(&p->set, n, err));
    liquid_particles_point(p);
    return SP_OK;
}

/// ---- Sorting -----------------------------------------------------------------------------------

static sp_moved_points moved_points(const liquid_particles *p, const sp_tiles *tiles)
{
    return (sp_moved_points){tiles, p->start, {p->x[0], p->x[1], p->x[2]}, p->id};
}

void liquid_reach(const liquid_particles *p, const sp_tiles *tiles, uint32_t *reach)
{
    const sp_moved_points moved = moved_points(p, tiles);
    sp_points_reach(&moved, reach);
}

static sp_status sort(liquid_particles *p, const sp_tiles *from, const sp_tiles *to,
                      sp_scratch *scratch, uint64_t *left, sp_error *err)
{
    sp_point_column column[AFFINE_FLOATS + 1];
    uint32_t *start = sp_scratch_array(scratch, uint32_t, to->count + 1);
    if (!start)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for particles of %zu tiles",
                       to->count);
    // Exactly the number that is sorted: two sets that each grow beyond the other would never stop.
    SP_TRY(liquid_spare_reserve(p, p->set.count, err));
    SP_TRY(liquid_starts_reserve(p, to->count, err));
    const sp_moved_points moved = moved_points(p, from); // after the starts may have moved
    for (int c = 0; c < p->set.column_count; ++c)
        column[c] =
            (sp_point_column){p->set.data[c], p->spare.data[c],
                              p->set.def[c].kind == SP_U64 ? sizeof(uint64_t) : sizeof(float)};
    SP_TRY(sp_points_sort(&moved, to, column, p->set.column_count, scratch, start, left, err));
    liquid_spare_use(p, start[to->count], start, to->count);
    return SP_OK;
}

sp_status liquid_sort(liquid_particles *p, const sp_tiles *from, const sp_tiles *to,
                      sp_scratch *scratch, uint64_t *left, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status status = sort(p, from, to, scratch, left, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}

/// ---- Tiles in parallel -------------------------------------------------------------------------

/// Threads take tiles from a shared counter. The result does not depend on which thread takes a
/// tile.
typedef struct handing {
    const liquid_particles *p;
    size_t tiles;
    liquid_tile_body *body;
    void *arg;
    atomic_size_t next;
} handing;

static void take_tiles(void *arg, size_t begin, size_t end)
{
    enum { AT_ONCE = 4 };
    handing *h = arg;
    const liquid_particles *p = h->p;
    (void)end; // each call takes tiles until none is left; even one call does all of them
    float *work = p->work + begin * p->work_size;
    for (;;) {
        const size_t first = atomic_fetch_add(&h->next, AT_ONCE);
        if (first >= h->tiles) return;
        const size_t last = first + AT_ONCE < h->tiles ? first + AT_ONCE : h->tiles;
        for (size_t t = first; t < last; ++t)
            if (p->start[t + 1] > p->start[t]) h->body(h->arg, (uint32_t)t, work);
    }
}

void liquid_each_tile(const liquid_particles *p, const sp_tiles *tiles, liquid_tile_body *body,
                      void *arg)
{
    handing h = {.p = p, .tiles = tiles->count, .body = body, .arg = arg};
    const sp_host *host = p->set.host;
    sp_parallel(host, host->threads > 1 ? (size_t)host->threads : 1, 1, take_tiles, &h);
}
