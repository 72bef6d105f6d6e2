// SPDX-License-Identifier: Apache-2.0
/// What foam does to itself, as accelerations, x_pq = x_p - x_q and e = x_pq/|x_pq|:
///
///     W21  a^P  = -kappa/eta sum of V_q (Pi_p + Pi_q) W' e
///     W22  a^mu =  mu/eta sum over pairs that approach of
///                      V_q 2h/(sigma_p + sigma_q) v_pq.x_pq/(x_pq^2 + 0.01 h^2) W' e
///     W23  a^c  = -C sum of V_q (|x_pq| - r_p - r_q)/h^c W(x_pq, h^c)/8 e
///
/// W' is dW/d|x|, not above 0. In W22 the paper prints the other sign, which draws together what approaches; in
/// W23 it prints V_p, and momentum is not kept. Two particles in one place have no direction: there cohesion alone
/// parts them, along one that their ids choose.
#include "foam/internal.h"
#include "foam/kernel.h"

typedef struct pushing {
    const uint64_t *id; ///< in the caller's order
    const float *gravity;
    float pressure, viscosity, cohesion; ///< kappa/eta, mu/eta, C
    bool two_sided;
} pushing;

/// One particle and SP_PART of its neighbours.
typedef struct pair {
    sp_part d[3], distance, h, volume;
} pair;

SP_INLINE pair look(const foam_sorted *s, size_t p, size_t k)
{
    pair x = {.h = 0.5f * (s->support[p] + sp_part_load(s->support + k)),
              .volume = sp_part_load(s->volume + k)};
    for (int a = 0; a < 3; ++a)
        x.d[a] = s->x[a][p] - sp_part_load(s->x[a] + k);
    x.distance = sp_part_sqrt(x.d[0] * x.d[0] + x.d[1] * x.d[1] + x.d[2] * x.d[2]);
    return x;
}

/// W21 and W22 over W' V, along e.
SP_INLINE sp_part push_and_damp(const pushing *w, const foam_sorted *s, size_t p, size_t k,
                                const pair *x)
{
    const sp_part zero = sp_part_all(0.0f);
    sp_part towards = zero; // v.x
    for (int a = 0; a < 3; ++a)
        towards += (s->v[a][p] - sp_part_load(s->v[a] + k)) * x->d[a];
    if (!w->two_sided) towards = sp_part_min(towards, zero);
    const sp_part both = s->sigma[p] + sp_part_load(s->sigma + k);
    const sp_part damp =
        2.0f * x->h * towards / (both * (x->distance * x->distance + 0.01f * x->h * x->h));
    return w->viscosity * damp - w->pressure * (s->push[p] + sp_part_load(s->push + k));
}

/// All of them over V, along e.
SP_INLINE sp_part strength(const pushing *w, const foam_sorted *s, size_t p, size_t k,
                           const pair *x)
{
    const sp_part inverse = 1.0f / x->h;
    const sp_part slope = 16.0f * inverse * inverse * inverse * inverse *
                          foam_omega_slope(2.0f * x->distance * inverse);
    const sp_part near = slope * push_and_damp(w, s, p, k, x);
    if (!(w->cohesion > 0.0f)) return near;
    const sp_part reach = 1.0f / (0.5f * (s->reach[p] + sp_part_load(s->reach + k)));
    const sp_part gap = x->distance - (s->radius[p] + sp_part_load(s->radius + k));
    const sp_part weight = reach * reach * reach * foam_omega(2.0f * x->distance * reach);
    return near - w->cohesion * gap * reach * weight;
}

/// ---- Pairs in one place ------------------------------------------------------------------------

/// A direction that two particles agree on, opposite for each.
static void choose_direction(uint64_t id, uint64_t other, float e[3])
{
    const sp_random4 random = sp_random(0, 0, sp_pair_id(id, other), 0, 0);
    float length = 0.0f;
    for (int a = 0; a < 3; ++a) {
        e[a] = sp_unit(random.x[a]) - 0.5f;
        length += e[a] * e[a];
    }
    length = sqrtf(fmaxf(length, 1e-12f));
    for (int a = 0; a < 3; ++a)
        e[a] *= (id < other ? 1.0f : -1.0f) / length;
}

static bool is_close(const foam_sorted *s, size_t p, size_t k)
{
    float sum = 0.0f;
    for (int a = 0; a < 3; ++a)
        sum += (s->x[a][p] - s->x[a][k]) * (s->x[a][p] - s->x[a][k]);
    return !(sum > 1e-12f * s->radius[p] * s->radius[p]);
}

/// The paper has none of this; it is rare.
static void part_close_pairs(const sp_foam *f, const pushing *w, size_t p, size_t begin, size_t end,
                             float force[3])
{
    const foam_sorted *s = &f->sorted;
    for (size_t k = begin; k < end; ++k) {
        if (k == p || !is_close(s, p, k)) continue;
        const float reach = 0.5f * (s->reach[p] + s->reach[k]);
        const float size = w->cohesion * s->volume[k] * (s->radius[p] + s->radius[k]) /
                           (SP_PI * reach * reach * reach * reach);
        float e[3];
        choose_direction(w->id[f->cells.order[p]], w->id[f->cells.order[k]], e);
        for (int a = 0; a < 3; ++a)
            force[a] += size * e[a];
    }
}

/// ---- One particle ------------------------------------------------------------------------------

static void find_force(sp_foam *f, const void *arg, size_t p, const sp_around *around)
{
    const pushing *w = arg;
    const foam_sorted *s = &f->sorted;
    const float least = 1e-6f * s->radius[p];
    float force[3] = {w->gravity[0], w->gravity[1], w->gravity[2]};
    sp_lanes sum[3] = {0};
    for (int r = 0; r < around->runs; ++r) {
        const size_t begin = around->run[r].begin, end = around->run[r].end;
        bool close = false;
        for (size_t k = begin, lane = 0; k < end; k += SP_PART, lane += SP_PART) {
            const pair x = look(s, p, k);
            const sp_flags there = foam_lanes_before(k, end), apart = x.distance > least;
            const sp_part by =
                sp_part_keep(there & apart, x.volume * strength(w, s, p, k, &x) / x.distance);
            close |= sp_flags_any(there & ~apart & foam_lanes_but(k, p));
            for (int a = 0; a < 3; ++a)
                sp_lanes_add(&sum[a], lane, by * x.d[a]);
        }
        if (close) part_close_pairs(f, w, p, begin, end, force);
    }
    for (int a = 0; a < 3; ++a)
        s->force[a][p] = force[a] + sp_lanes_sum(sum[a]);
}

void foam_find_forces(sp_foam *f, const uint64_t *id, const float gravity[3])
{
    const float per_layer = (float)(1.0 / f->layer);
    const pushing w = {id,
                       gravity,
                       f->def.stiffness * per_layer,
                       f->def.viscosity * per_layer,
                       f->def.cohesion,
                       f->def.viscosity_two_sided};
    foam_around_all(f, find_force, &w);
}
