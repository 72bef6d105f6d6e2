// SPDX-License-Identifier: Apache-2.0
/// Appends new particles to a set. Ids are given in order of blocks of fixed size, so they do not
/// depend on threads.
#include "whitewater/emission/internal.h"

/// What a block of new particles holds.
typedef struct block {
    size_t kept, first;  ///< first: of those before
    double volume, lost; ///< m3 of one bubble each
} block;

typedef struct letting {
    const emission_step *s;
    whitewater_set *to;
    block *block;
    size_t kept, room; ///< of `kept`, evenly chosen, `room` enter
    size_t end;        ///< of the set before
    float number;
    const float *more; ///< m/s
} letting;

static double volume_of(float radius)
{
    const double r = (double)radius;
    return 4.0 / 3.0 * SP_PI_D * r * r * r;
}

/// The end of a block.
static size_t end_of(const letting *g, size_t b)
{
    const size_t end = (b + 1) * EMISSION_GRAIN, count = g->s->e->fresh.count;
    return end < count ? end : count;
}

static void count_blocks(void *arg, size_t begin, size_t end)
{
    const letting *g = arg;
    const emission_fresh *f = &g->s->e->fresh;
    for (size_t b = begin; b < end; ++b)
        for (size_t i = b * EMISSION_GRAIN; i < end_of(g, b); ++i) {
            const double volume = volume_of(f->radius[i]);
            g->block[b].kept += f->keep[i];
            g->block[b].volume += f->keep[i] ? volume : 0.0;
            g->block[b].lost += f->keep[i] ? 0.0 : volume;
        }
}

/// The place among those that enter of number `k` of those that are in the water; SIZE_MAX: it does
/// not enter, because there is no room for all.
static size_t place_of(const letting *g, size_t k)
{
    if (g->room >= g->kept) return k;
    const size_t here = k * g->room / g->kept, next = (k + 1) * g->room / g->kept;
    return next > here ? here : SIZE_MAX;
}

static void write(const letting *g, size_t i, size_t place)
{
    const emission_fresh *f = &g->s->e->fresh;
    whitewater_set *to = g->to;
    const size_t n = g->end + place;
    for (int a = 0; a < 3; ++a) {
        to->x[a][n] = f->x[a][i];
        to->v[a][n] = f->u[a][i] + g->more[a];
    }
    to->radius[n] = f->radius[i];
    to->number[n] = g->number;
    to->speed[n] = -1.0f;
    to->state[n] = WHITEWATER_NEW;
    to->id[n] = *g->s->in->next_id + place;
}

static void write_blocks(void *arg, size_t begin, size_t end)
{
    const letting *g = arg;
    const uint8_t *keep = g->s->e->fresh.keep;
    for (size_t b = begin; b < end; ++b) {
        size_t k = g->block[b].first;
        for (size_t i = b * EMISSION_GRAIN; i < end_of(g, b); ++i) {
            const size_t place = keep[i] ? place_of(g, k++) : SIZE_MAX;
            if (place != SIZE_MAX) write(g, i, place);
        }
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

static size_t room_left(const emission_step *s)
{
    const size_t count = emission_count_all(s->in);
    return count < s->e->def.budget ? (size_t)s->e->def.budget - count : 0;
}

/// Sums over blocks in order; returns the m3 of those in the water.
static double add_up(letting *g, size_t blocks, double *lost)
{
    double volume = 0.0;
    for (size_t b = 0; b < blocks; ++b) {
        g->block[b].first = g->kept;
        g->kept += g->block[b].kept;
        volume += g->block[b].volume;
        *lost += g->block[b].lost;
    }
    return volume;
}

/// m3 of those that would enter, of one bubble each.
static double volume_entering(const letting *g)
{
    const emission_fresh *f = &g->s->e->fresh;
    double volume = 0.0;
    for (size_t i = 0, k = 0; i < f->count; ++i)
        if (f->keep[i] && place_of(g, k++) != SIZE_MAX) volume += volume_of(f->radius[i]);
    return volume;
}

static sp_status append(letting *g, int kind, size_t blocks, double volume, sp_error *err)
{
    static const int event[] = {[WHITEWATER_BUBBLES] = WHITEWATER_EMITTED_BUBBLES,
                                [WHITEWATER_FOAM] = WHITEWATER_EMITTED_FOAM,
                                [WHITEWATER_SPRAY] = WHITEWATER_EMITTED_SPRAY};
    const emission_step *s = g->s;
    const size_t n = g->kept < g->room ? g->kept : g->room;
    SP_TRY(whitewater_set_reserve(g->to, g->end + n, err));
    sp_particles_append(&g->to->set, n);
    sp_parallel(s->e->host, blocks, 1, write_blocks, g);
    *s->in->next_id += n;
    s->in->ledger->count[event[kind]] += n;
    s->in->ledger->volume[event[kind]] += volume;
    s->figures->volume += volume;
    return SP_OK;
}

sp_status emission_let_in(const emission_step *s, int kind, const float more[3], sp_error *err)
{
    const sp_host *host = s->e->host;
    const size_t count = s->e->fresh.count, blocks = (count + EMISSION_GRAIN - 1) / EMISSION_GRAIN;
    letting g = {.s = s,
                 .to = s->in->to[kind],
                 .block = sp_allocate(host, blocks, sizeof *g.block),
                 .room = room_left(s),
                 .end = s->in->to[kind]->set.count,
                 .number = (float)s->number,
                 .more = more};
    double lost = 0.0;
    if (!g.block) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu particles", count);
    sp_parallel(host, blocks, 1, count_blocks, &g);
    const double volume = add_up(&g, blocks, &lost) * s->number;
    if (g.room < g.kept && g.room > 0) g.number = (float)(volume / volume_entering(&g));
    const sp_status status = append(&g, kind, blocks, g.room > 0 ? volume : 0.0, err);
    s->figures->lost_volume += lost * s->number;
    sp_release(host, g.block);
    return status;
}
