// SPDX-License-Identifier: Apache-2.0
/// Foam ends: what has just become foam is pruned where foam is denser than a full layer (W32), with the probability
///
///     1 - N_0/N,   N neighbours within the support, itself included,   N_0 = 0.9069 beta^2 in a full layer
///
/// and foam bursts at the end of its life (W31). All neighbours are counted before any particle goes. As printed,
/// N_0 = beta^3 eta, which is 27 for beta = 4 where a full layer has 14.5: foam could pack twice as densely.
#include "whitewater/surface/internal.h"

typedef struct thinning {
    const whitewater_surface *s;
    const whitewater_world *world;
    whitewater_set *foam;
    const uint32_t *neighbours; ///< NULL: of no use
    double full;                ///< N_0; 0: nothing is pruned
    uint8_t *fate;
} thinning;

static double count_of_layer(const whitewater_surface *s)
{
    const double support = (double)s->foam_def.support;
    return s->floating.prune == SP_PRUNE_PRINTED
               ? support * support * support * sp_foam_layer_density(support)
               : sp_foam_layer_count(support);
}

/// Foam at the rim of a patch has lost a share of its neighbours; it ages faster.
static void erode(const thinning *t, size_t i)
{
    const float full = (float)sp_foam_layer_count((double)t->s->foam_def.support),
                lack = fmaxf(0.0f, 1.0f - (float)t->neighbours[i] / full);
    t->foam->floated[i] += (float)t->world->dt * t->s->floating.rim * lack;
}

static bool is_pruned(const thinning *t, size_t i)
{
    const double most = t->full / (double)t->neighbours[i];
    const sp_random4 random = sp_random(t->world->seed, WHITEWATER_RANDOM_PRUNE, t->foam->id[i],
                                        (uint32_t)t->world->step, 0);
    return (double)sp_unit(random.x[0]) >= most;
}

static void thin(void *arg, size_t begin, size_t end)
{
    const thinning *t = arg;
    for (size_t i = begin; i < end; ++i) {
        const bool fresh = t->foam->state[i] & SURFACE_FRESH;
        float *life = &t->foam->life[i];
        if (!(*life > 0.0f))
            *life = surface_draw_life(t->s, t->world->seed, t->foam->id[i], t->world->dt);
        if (!fresh && t->s->floating.rim > 0.0f) erode(t, i);
        t->fate[i] = fresh && t->full > 0.0 && is_pruned(t, i) ? SURFACE_PRUNED
                     : t->foam->floated[i] >= *life            ? SURFACE_BURSTS
                                                               : SURFACE_STAYS;
    }
}

static bool any_fresh(const whitewater_set *foam)
{
    for (size_t i = 0; i < foam->set.count; ++i)
        if (foam->state[i] & SURFACE_FRESH) return true;
    return false;
}

sp_status surface_thin(whitewater_surface *s, const whitewater_world *world, whitewater_set *foam,
                       whitewater_ledger *ledger, sp_error *err)
{
    const size_t n = foam->set.count;
    const bool prunes = s->floating.prune != SP_PRUNE_OFF && any_fresh(foam);
    thinning t = {.s = s, .world = world, .foam = foam, .full = prunes ? count_of_layer(s) : 0.0};
    if (prunes || s->floating.rim > 0.0f) SP_TRY(surface_neighbours(s, foam, &t.neighbours, err));
    t.fate = sp_scratch_array(&s->scratch, uint8_t, n);
    if (!t.fate) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu particles", n);
    sp_parallel(s->host, n, SURFACE_GRAIN, thin, &t);
    return surface_take(s, foam, WHITEWATER_FOAM, t.fate, ledger, err);
}
