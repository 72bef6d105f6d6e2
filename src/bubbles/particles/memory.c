// SPDX-License-Identifier: Apache-2.0
/// Memory of particles: two sets of columns, and the start of each tile's particles.
#include "bubbles/internal.h"

static const sp_column_def columns[] = {
    {"px", SP_F32},    {"py", SP_F32},      {"pz", SP_F32},     {"vx", SP_F32},
    {"vy", SP_F32},    {"vz", SP_F32},      {"radius", SP_F32}, {"density", SP_F32},
    {"place", SP_F32}, {"largest", SP_F32}, {"scale", SP_F32},  {"material", SP_U32},
    {"id", SP_U64},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void point_at_columns(bubbles_particles *p)
{
    void **data = p->set.data;
    for (int a = 0; a < 3; ++a) {
        p->x[a] = data[a];
        p->v[a] = data[3 + a];
    }
    p->radius = data[6];
    p->density = data[7];
    p->place = data[8];
    p->largest = data[9];
    p->scale = data[10];
    p->material = data[11];
    p->id = data[12];
}

sp_status bubbles_particles_open(bubbles_particles *p, const sp_host *host, sp_error *err)
{
    *p = (bubbles_particles){0};
    sp_status status = sp_particles_open(&p->set, host, columns, COLUMNS, 0, err);
    if (status == SP_OK) status = sp_particles_open(&p->spare, host, columns, COLUMNS, 0, err);
    if (status == SP_OK) status = bubbles_starts_reserve(p, 0, err);
    if (status == SP_OK)
        point_at_columns(p);
    else
        bubbles_particles_close(p);
    return status;
}

void bubbles_particles_close(bubbles_particles *p)
{
    const sp_host *host = p->set.host;
    sp_particles_close(&p->set);
    sp_particles_close(&p->spare);
    if (host) sp_release(host, p->start);
    *p = (bubbles_particles){0};
}

sp_status bubbles_particles_reserve(bubbles_particles *p, size_t n, sp_error *err)
{
    SP_TRY(sp_particles_reserve(&p->set, n, err));
    point_at_columns(p);
    return SP_OK;
}

sp_status bubbles_starts_reserve(bubbles_particles *p, size_t tiles, sp_error *err)
{
    if (tiles + 1 <= p->start_room) return SP_OK;
    const size_t room = tiles + tiles / 2 + 1; // the number of tiles changes by a few at a time
    if (!sp_regrow(p->set.host, (void **)&p->start, p->start_room, room, sizeof *p->start))
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for particles of %zu tiles", tiles);
    p->start_room = room;
    return SP_OK;
}

/// Room for n particles in the spare set, whose contents are lost.
static sp_status reserve_spare(bubbles_particles *p, size_t n, sp_error *err)
{
    p->spare.count = 0; // so that growing it copies nothing
    return sp_particles_reserve(&p->spare, n, err);
}

/// Makes the n particles of the spare set the particles, with the starts of `tiles` tiles.
static void use_spare(bubbles_particles *p, size_t n, const uint32_t *start, size_t tiles)
{
    const sp_particles before = p->set;
    p->set = p->spare;
    p->spare = before;
    p->set.count = n;
    memcpy(p->start, start, (tiles + 1) * sizeof *p->start);
    point_at_columns(p);
}

static size_t column_bytes(int column)
{
    return columns[column].kind == SP_U64 ? sizeof(uint64_t) : sizeof(float);
}

/// ---- Sorting -----------------------------------------------------------------------------------

sp_moved_points bubbles_moved(const bubbles_particles *p, const sp_tiles *tiles)
{
    return (sp_moved_points){tiles, p->start, {p->x[0], p->x[1], p->x[2]}, p->id};
}

static sp_status sort(bubbles_particles *p, const sp_tiles *from, const sp_tiles *to,
                      sp_scratch *scratch, uint64_t *left, sp_error *err)
{
    sp_point_column column[COLUMNS];
    uint32_t *start = sp_scratch_array(scratch, uint32_t, to->count + 1);
    if (!start)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for particles of %zu tiles",
                       to->count);
    SP_TRY(reserve_spare(p, p->set.count, err));
    SP_TRY(bubbles_starts_reserve(p, to->count, err));
    const sp_moved_points moved = bubbles_moved(p, from); // after the starts may have moved
    for (int c = 0; c < COLUMNS; ++c)
        column[c] = (sp_point_column){p->set.data[c], p->spare.data[c], column_bytes(c)};
    SP_TRY(sp_points_sort(&moved, to, column, COLUMNS, scratch, start, left, err));
    use_spare(p, start[to->count], start, to->count);
    return SP_OK;
}

sp_status bubbles_sort(bubbles_particles *p, const sp_tiles *from, const sp_tiles *to,
                       sp_scratch *scratch, uint64_t *left, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status status = sort(p, from, to, scratch, left, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}

sp_status bubbles_remap(bubbles_particles *p, const sp_tiles *from, const sp_tiles *to,
                        sp_scratch *scratch, sp_error *err)
{
    SP_TRY(bubbles_starts_reserve(p, to->count, err));
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    uint32_t *old = sp_scratch_array(scratch, uint32_t, from->count + 1);
    if (!old) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", to->count);
    memcpy(old, p->start, (from->count + 1) * sizeof *old);
    sp_points_remap(from, old, to, p->start);
    sp_scratch_rewind(scratch, mark);
    return SP_OK;
}

/// ---- New particles -----------------------------------------------------------------------------

void bubbles_place(const bubbles_grid *g, const double x[3], int32_t tile[3], float place[3])
{
    for (int a = 0; a < 3; ++a) {
        const double at = (x[a] - g->origin[a]) / (double)g->voxel, whole = floor(at / SP_TILE);
        tile[a] = (int32_t)whole;
        place[a] = (float)(at - SP_TILE * whole);
        if (!(place[a] < SP_POINT_LAST)) place[a] = SP_POINT_LAST;
        if (g->period[a] == 0) continue;
        tile[a] %= g->period[a];
        if (tile[a] < 0) tile[a] += g->period[a];
    }
}

/// Copies particles `begin` to `end` - 1 of each column to another place.
static void copy_run(const bubbles_particles *p, size_t begin, size_t end, size_t to)
{
    for (int c = 0; c < COLUMNS; ++c) {
        const size_t bytes = column_bytes(c);
        memcpy((char *)p->spare.data[c] + to * bytes, (const char *)p->set.data[c] + begin * bytes,
               (end - begin) * bytes);
    }
}

/// Writes new particle n at a place of the spare set.
static void put_new(bubbles_particles *p, const bubbles_grid *g, const bubbles_new *fresh, size_t n,
                    size_t to)
{
    int32_t tile[3];
    float place[3];
    void **data = p->spare.data;
    bubbles_place(g, fresh->x[n], tile, place);
    for (int a = 0; a < 3; ++a) {
        ((float *)data[a])[to] = place[a];
        ((float *)data[3 + a])[to] = fresh->v[n][a];
    }
    ((float *)data[6])[to] = fresh->radius[n];
    ((float *)data[7])[to] = fresh->density[n];
    ((float *)data[8])[to] = fresh->place[n];
    ((float *)data[9])[to] = fresh->radius[n];
    ((float *)data[10])[to] = 0.0f;
    ((uint32_t *)data[11])[to] = fresh->material[n];
    ((uint64_t *)data[12])[to] = p->next_id + n;
}

/// Where the new particles of each tile begin in `order`, which lists them by tile.
typedef struct new_by_tile {
    uint32_t *tile;  ///< by new particle
    uint32_t *first; ///< by tile, one more than tiles
    uint32_t *order;
} new_by_tile;

static void group_new(const bubbles_grid *g, const sp_tiles *tiles, const bubbles_new *fresh,
                      new_by_tile *by)
{
    memset(by->first, 0, (tiles->count + 1) * sizeof *by->first);
    for (size_t n = 0; n < fresh->count; ++n) {
        int32_t at[3];
        float place[3];
        bubbles_place(g, fresh->x[n], at, place);
        by->tile[n] = sp_tiles_find(tiles, at);
        SP_ASSERT(by->tile[n] != SP_NO_TILE);
        ++by->first[by->tile[n]];
    }
    sp_scan(by->first, tiles->count + 1);
    for (size_t n = 0; n < fresh->count; ++n)
        by->order[by->first[by->tile[n]]++] = (uint32_t)n;
    for (size_t t = tiles->count; t > 0; --t) // undo the counting up
        by->first[t] = by->first[t - 1];
    by->first[0] = 0;
}

static sp_status insert(bubbles_particles *p, const bubbles_grid *g, const sp_tiles *tiles,
                        bubbles_new *fresh, sp_scratch *scratch, sp_error *err)
{
    new_by_tile by = {.tile = sp_scratch_array(scratch, uint32_t, fresh->count),
                      .first = sp_scratch_array(scratch, uint32_t, tiles->count + 1),
                      .order = sp_scratch_array(scratch, uint32_t, fresh->count)};
    uint32_t *start = sp_scratch_array(scratch, uint32_t, tiles->count + 1);
    if (!by.tile || !by.first || !by.order || !start)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to emit %zu particles", fresh->count);
    SP_TRY(reserve_spare(p, p->set.count + fresh->count, err));
    group_new(g, tiles, fresh, &by);
    size_t to = 0;
    for (size_t t = 0; t < tiles->count; ++t) {
        start[t] = (uint32_t)to;
        copy_run(p, p->start[t], p->start[t + 1], to);
        to += p->start[t + 1] - p->start[t];
        for (uint32_t k = by.first[t]; k < by.first[t + 1]; ++k)
            put_new(p, g, fresh, by.order[k], to++);
    }
    start[tiles->count] = (uint32_t)to;
    use_spare(p, to, start, tiles->count);
    p->next_id += fresh->count;
    fresh->count = 0;
    return SP_OK;
}

sp_status bubbles_insert(bubbles_particles *p, const bubbles_grid *g, const sp_tiles *tiles,
                         bubbles_new *fresh, sp_scratch *scratch, sp_error *err)
{
    if (fresh->count == 0) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status status = insert(p, g, tiles, fresh, scratch, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}
