// SPDX-License-Identifier: Apache-2.0
/// Bubbles for proofs: adds, measures, separates and counts them.
#include "validate/sph/bubbles.h"

#include <stdlib.h>

/// ---- Swarms -----------------------------------------------------------------------------------

typedef struct candidate {
    float x[3]; ///< from the ball's centre, in spacings
    float r2;
    int order; ///< settles ties, so that every qsort picks the same
} candidate;

static int by_distance(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->r2 != y->r2) return x->r2 < y->r2 ? -1 : 1;
    return x->order - y->order;
}

/// The jitter breaks the symmetry of a perfect lattice.
sp_status sph_swarm_add(sph *s, const float center[3], size_t n, sph_swarm *out, sp_error *err)
{
    enum { SIDE = 9, MOST = SIDE * SIDE * SIDE, JITTER = 99 };
    candidate all[MOST];
    for (int i = 0; i < MOST; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        const sp_random4 random = sp_random(s->seed, JITTER, s->next_id, (uint32_t)i, 0);
        all[i] = (candidate){.order = i};
        for (int c = 0; c < 3; ++c) {
            all[i].x[c] = (float)(at[c] - SIDE / 2) + 0.2f * (sp_unit(random.x[c]) - 0.5f);
            all[i].r2 += all[i].x[c] * all[i].x[c];
        }
    }
    qsort(all, MOST, sizeof *all, by_distance);
    *out = (sph_swarm){s->next_id, n};
    for (size_t i = 0; i < n; ++i) {
        const float *x = all[i].x;
        if (sph_case_add(s, &s->air, center[0] + s->d * x[0], center[1] + s->d * x[1],
                         center[2] + s->d * x[2], err) == SIZE_MAX)
            return SP_NO_MEMORY;
    }
    return SP_OK;
}

static bool belongs(const sph *s, size_t i, sph_swarm swarm)
{
    return s->air.id[i] - swarm.first < swarm.count;
}

static double distance2(const sph *s, size_t i, size_t j)
{
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        const double x = (double)s->air.x[c][i] - (double)s->air.x[c][j];
        sum += x * x;
    }
    return sum;
}

/// Mean square distance to the centre is half that between two, on average.
static void measure_pairs(const sph *s, sph_swarm swarm, sph_swarm_look *look)
{
    double sum = 0.0, nearest = 1e30;
    for (size_t i = 0; i < s->air.set.count; ++i)
        for (size_t j = 0; j < i && belongs(s, i, swarm); ++j) {
            if (!belongs(s, j, swarm)) continue;
            const double r2 = distance2(s, i, j);
            sum += r2;
            nearest = fmin(nearest, r2);
        }
    look->spread = sqrt(sum) / (double)look->count;
    look->nearest = sqrt(nearest);
}

sph_swarm_look sph_swarm_at(const sph *s, sph_swarm swarm)
{
    sph_swarm_look look = {.top = -1e30};
    for (size_t i = 0; i < s->air.set.count; ++i) {
        if (!belongs(s, i, swarm)) continue;
        ++look.count;
        look.foam += s->air.tag[i] & SPH_FOAM ? 1 : 0;
        look.top = fmax(look.top, (double)s->air.x[1][i]);
        for (int c = 0; c < 3; ++c) {
            look.center[c] += (double)s->air.x[c][i];
            look.velocity[c] += (double)s->air.v[c][i];
        }
    }
    for (int c = 0; c < 3 && look.count > 0; ++c) {
        look.center[c] /= (double)look.count;
        look.velocity[c] /= (double)look.count;
    }
    measure_pairs(s, swarm, &look);
    return look;
}

/// ---- Bubbles ----------------------------------------------------------------------------------

static int32_t root(const int32_t *bubble, int32_t i)
{
    while (bubble[i] != i)
        i = bubble[i];
    return i;
}

size_t sph_find_bubbles(const sph *s, bool with_foam, int32_t *bubble)
{
    const int32_t n = (int32_t)s->air.set.count;
    const double h2 = (double)s->h * (double)s->h;
    size_t bubbles = 0;
    for (int32_t i = 0; i < n; ++i) {
        bubble[i] = with_foam || !(s->air.tag[i] & SPH_FOAM) ? i : SPH_NO_BUBBLE;
        for (int32_t j = 0; j < i && bubble[i] != SPH_NO_BUBBLE; ++j) {
            if (bubble[j] == SPH_NO_BUBBLE || !(distance2(s, (size_t)i, (size_t)j) < h2)) continue;
            const int32_t a = root(bubble, i), b = root(bubble, j);
            bubble[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        if (bubble[i] == SPH_NO_BUBBLE) continue;
        bubble[i] = root(bubble, i);
        bubbles += bubble[i] == i;
    }
    return bubbles;
}

/// ---- Ledger -----------------------------------------------------------------------------------

sp_status sph_ledger_open(sph_ledger *l, const sph *s, const sp_box_def *tank, sp_error *err)
{
    *l = (sph_ledger){
        .host = s->host, .start = s->liquid.set.count + s->air.set.count, .tank = *tank};
    return sph_ledger_look(l, s, err);
}

void sph_ledger_close(sph_ledger *l)
{
    if (l->host) sp_release(l->host, l->seen);
    *l = (sph_ledger){0};
}

/// Counts ids that appear twice or come back: an id given out before the last look must have been
/// present at it.
static void look_at_phase(sph_ledger *l, const sph_phase *p)
{
    for (size_t i = 0; i < p->set.count; ++i) {
        uint32_t *seen = &l->seen[p->id[i]];
        l->returned += *seen == l->looks || (p->id[i] < l->next_id && *seen != l->looks - 1);
        *seen = l->looks;
        for (int c = 0; c < 3; ++c) {
            const bool out = p->x[c][i] < l->tank.min[c] || (c != 1 && p->x[c][i] > l->tank.max[c]);
            l->outside += out && !(p->tag[i] & SPH_PINNED); // pipes begin outside
        }
    }
}

sp_status sph_ledger_look(sph_ledger *l, const sph *s, sp_error *err)
{
    const size_t ids = (size_t)s->next_id;
    if (ids > l->room) {
        if (!sp_regrow(l->host, (void **)&l->seen, l->room, 2 * ids, sizeof *l->seen))
            return sp_fail(err, SP_NO_MEMORY, "sph: no memory for a ledger of %zu ids", ids);
        l->room = 2 * ids;
    }
    ++l->looks;
    look_at_phase(l, &s->liquid);
    look_at_phase(l, &s->air);
    l->next_id = s->next_id;
    const sp_sph_figures f = sp_sph_last(s);
    const uint64_t in = l->start + f.emitted + f.seeded + f.created,
                   out = f.burst + f.vented + f.drained + f.left,
                   there = s->liquid.set.count + s->air.set.count;
    l->unaccounted += in > there + out ? in - there - out : there + out - in;
    return SP_OK;
}

void sph_ledger_put(const sph_ledger *l, sp_check_report *report)
{
    sp_exact(report, "particles not accounted for, over all frames", (double)l->unaccounted, 0.0,
             "start + emitted + seeded + created - burst - vented - drained - left");
    sp_exact(report, "ids that come back or come twice", (double)l->returned, 0.0,
             "an id is given out once");
    sp_exact(report, "particles beyond floor and walls, over all frames", (double)l->outside, 0.0,
             "walls hold");
}
