// SPDX-License-Identifier: Apache-2.0
/// The power basis: memory of its state, and the preparation of a substep.
#include "bubbles/basis/power.h"

#include "bubbles/basis/power_kernel.h"

/// ---- Memory ------------------------------------------------------------------------------------

/// Room for n elements, which lose their contents where the array grows.
static bool reserve(const sp_host *host, void **memory, size_t *room, size_t n, size_t size)
{
    if (n <= *room) return true;
    const size_t more = n + n / 4 + SP_LANES;
    void *grown = sp_allocate(host, more, size);
    if (!grown) return false;
    sp_release(host, *memory);
    *memory = grown;
    *room = more;
    return true;
}

static bool reserve_particles(power_state *p, size_t n)
{
    bool all = true;
    for (int a = 0; a < 4; ++a) {
        float **column = a < 3 ? &p->x[a] : &p->norm;
        all = all && reserve(p->host, (void **)column, &p->place_room[a], n, sizeof(float));
    }
    return all;
}

static power_state *open_state(bubbles *s)
{
    if (!s->power) {
        power_state *p = sp_allocate(s->host, 1, sizeof *p);
        if (p) p->host = s->host;
        s->power = p;
    }
    return s->power;
}

void bubbles_power_close(bubbles *s)
{
    power_state *p = s->power;
    if (!p) return;
    for (int a = 0; a < 3; ++a)
        sp_release(p->host, p->x[a]);
    sp_release(p->host, p->norm);
    sp_release(p->host, p->tile);
    sp_release(p->host, p->t);
    sp_release(p->host, p->of);
    sp_release(p->host, p);
    s->power = NULL;
}

/// ---- Threads -----------------------------------------------------------------------------------

typedef struct handing {
    const power_state *p;
    power_tile_body *body;
    void *arg;
    char *work;
    size_t work_size;
    atomic_size_t next;
} handing;

/// Threads take tiles from a shared counter. Each call takes tiles until none is left; even one
/// call does all of them.
static void take_tiles(void *arg, size_t begin, size_t end)
{
    handing *h = arg;
    void *work = h->work ? h->work + begin * h->work_size : NULL;
    (void)end;
    for (;;) {
        const size_t index = atomic_fetch_add(&h->next, 1);
        if (index >= h->p->count) return;
        h->body(h->arg, index, work);
    }
}

void bubbles_power_each_tile(const bubbles *s, const power_state *p, power_tile_body *body,
                             void *arg, void *work, size_t work_size)
{
    handing h = {.p = p, .body = body, .arg = arg, .work = work, .work_size = work_size};
    sp_parallel(s->host, power_threads(s), 1, take_tiles, &h);
}

/// ---- Tiles with particles ----------------------------------------------------------------------

static bool list_tiles(const bubbles *s, power_state *p)
{
    const size_t tiles = s->grid.tiles.count;
    const uint32_t *start = s->particles.start;
    size_t count = 0;
    for (size_t t = 0; t < tiles; ++t)
        count += start[t + 1] > start[t];
    p->count = 0;
    if (!reserve(p->host, (void **)&p->of, &p->of_room, tiles, sizeof *p->of)) return false;
    if (!reserve(p->host, (void **)&p->tile, &p->tile_room, count, sizeof *p->tile)) return false;
    if (!reserve(p->host, (void **)&p->t, &p->cube_room, count, sizeof *p->t)) return false;
    for (size_t t = 0; t < tiles; ++t) {
        p->of[t] = SP_NO_TILE;
        if (start[t + 1] == start[t]) continue;
        p->tile[p->count] = (power_tile){.tile = (uint32_t)t};
        p->of[t] = (uint32_t)p->count++;
    }
    return true;
}

/// The tiles along an axis with faces that a particle reaches, as bits of `around`: its own, and the one
/// before (after) where its six cells, from the first on, have faces there. A cell gives weights to
/// faces up to a voxel away.
static uint32_t reach_along(int first, int axis)
{
    static const uint32_t bits[3][3] = {{0x1249249, 0x2492492, 0x4924924},
                                        {0x01c0e07, 0x0e07038, 0x70381c0},
                                        {0x00001ff, 0x003fe00, 0x7fc0000}};
    const bool low = first <= POWER_PAD, high = first + POWER_TAPS - 1 >= POWER_PAD + 14;
    return bits[axis][1] | (low ? bits[axis][0] : 0) | (high ? bits[axis][2] : 0);
}

/// Keeps the places of a tile's particles, and finds what they reach.
static void measure_tile(void *arg, size_t index, void *work)
{
    bubbles *s = arg;
    power_state *p = s->power;
    power_tile *tile = &p->tile[index];
    power_box box = {{POWER_EDGE, POWER_EDGE, POWER_EDGE}, {0, 0, 0}};
    (void)work;
    for (size_t i = s->particles.start[tile->tile]; i < s->particles.start[tile->tile + 1]; ++i) {
        uint32_t reach = ~0u;
        for (int a = 0; a < 3; ++a) {
            const float x = s->particles.x[a][i];
            p->x[a][i] = x > 0.0f ? x < SP_POINT_LAST ? x : SP_POINT_LAST : 0.0f;
            const int first = power_first(p->x[a][i]);
            const int low = a == 0 ? power_first_in_row(first) : first;
            const int high = low + (a == 0 ? POWER_ROW : POWER_TAPS);
            box.low[a] = low < box.low[a] ? low : box.low[a];
            box.high[a] = high > box.high[a] ? high : box.high[a];
            reach &= reach_along(first, a);
        }
        tile->reach |= reach;
    }
    box.low[0] = box.low[0] / POWER_ROW * POWER_ROW;
    box.high[0] = (box.high[0] + POWER_ROW - 1) / POWER_ROW * POWER_ROW;
    tile->box = box;
}

/// ---- The basis ---------------------------------------------------------------------------------

static sp_status prepare(bubbles *s, sp_error *err)
{
    const sp_bubbles_power_def *def = &s->def.power;
    const float cut = def->cut < POWER_MOST_CUT ? def->cut : POWER_MOST_CUT,
                eps = def->eps > POWER_LEAST_EPS ? def->eps : POWER_LEAST_EPS;
    power_state *p = open_state(s);
    if (!p || !list_tiles(s, p) || !reserve_particles(p, s->particles.set.count))
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the weights of %zu particles",
                       s->particles.set.count);
    if (p->count == 0) return SP_OK;
    p->rate = 0.25f / eps;
    p->limit = 4.0f * cut * cut;
    bubbles_power_each_tile(s, p, measure_tile, s, NULL, 0);
    SP_TRY(bubbles_power_balance(s, p, err));
    bubbles_power_centre(s, p);
    return SP_OK;
}

/// A weight reaches 2.5 voxels from where the particle was, and it moves by half a voxel at most.
const bubbles_basis bubbles_power = {
    .prepare = prepare,
    .rasterise = bubbles_power_rasterise,
    .interpolate = bubbles_power_interpolate,
    .reach = 3.5f,
};
