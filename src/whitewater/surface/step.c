// SPDX-License-Identifier: Apache-2.0
/// One step of foam, spray, and bubbles that returned.
#include "whitewater/surface/internal.h"

/// ---- Checks ------------------------------------------------------------------------------------

size_t surface_count_old(const whitewater_set *set)
{
    size_t n = set->set.count;
    while (n > 0 && (set->state[n - 1] & WHITEWATER_NEW))
        --n;
    return n;
}

static bool is_finite(const whitewater_set *set, size_t i)
{
    double sum = 0.0; // 0 times what is not finite is not 0
    for (int a = 0; a < 3; ++a)
        sum += 0.0 * set->x[a][i] + 0.0 * (double)set->v[a][i];
    return sum == 0.0;
}

sp_status surface_check_finite(const whitewater_world *world, const whitewater_set *set, int kind,
                               const char *stage, sp_error *err)
{
    static const char *const names[WHITEWATER_KINDS] = {"bubble", "foam particle", "drop"};
    for (size_t i = 0; i < set->set.count; ++i)
        if (!is_finite(set, i))
            return sp_fail(err, SP_DIVERGED,
                           "whitewater: %s %llu is not a number after '%s' (step %llu, t = %.4g s)",
                           names[kind], (unsigned long long)set->id[i], stage,
                           (unsigned long long)world->step, world->t);
    return SP_OK;
}

/// ---- Moving ------------------------------------------------------------------------------------

/// Old particles grow older.
static void age(whitewater_set *set, int kind, double dt)
{
    const size_t n = surface_count_old(set);
    for (size_t i = 0; i < n; ++i) {
        set->age[i] += (float)dt;
        if (kind == WHITEWATER_FOAM) set->floated[i] += (float)dt;
    }
}

/// Bubbles deep in solids stay there and go when fates are decided.
static sp_status rise(whitewater_surface *s, const whitewater_world *world, whitewater_set *bubbles,
                      sp_error *err)
{
    const size_t n = bubbles->set.count;
    uint8_t *lost = sp_scratch_array(&s->scratch, uint8_t, n);
    if (!lost) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu bubbles", n);
    return whitewater_move_one_way(world, bubbles, 1.0f, lost, err);
}

static sp_status move_all(whitewater_surface *s, const whitewater_world *world,
                          whitewater_set kinds[WHITEWATER_KINDS], surface_deciding *foam,
                          whitewater_surface_figures *figures, sp_error *err)
{
    static const char *const stages[WHITEWATER_KINDS] = {"rise", "float", "fly"};
    SP_TRY(surface_float(s, world, &kinds[WHITEWATER_FOAM], foam, figures, err));
    SP_TRY(surface_fly(s, world, &kinds[WHITEWATER_SPRAY], figures, err));
    SP_TRY(rise(s, world, &kinds[WHITEWATER_BUBBLES], err));
    for (int k = 0; k < WHITEWATER_KINDS; ++k) {
        SP_TRY(surface_check_finite(world, &kinds[k], k, stages[k], err));
        age(&kinds[k], k, world->dt);
    }
    return SP_OK;
}

/// ---- Changing ----------------------------------------------------------------------------------

/// Arrivals join the bubbles that returned.
static sp_status take_arrivals(whitewater_set *bubbles, const whitewater_set *arrivals,
                               sp_error *err)
{
    const size_t n = bubbles->set.count;
    SP_TRY(whitewater_set_reserve(bubbles, n + arrivals->set.count, err));
    for (size_t i = 0; i < arrivals->set.count; ++i) {
        whitewater_set_copy(bubbles, arrivals, i);
        bubbles->state[n + i] |= SURFACE_ARRIVED;
    }
    return whitewater_set_sort(bubbles, n, err);
}

/// All fates are decided before any particle changes its set.
static sp_status change_kinds(whitewater_surface *s, const whitewater_world *world,
                              whitewater_set kinds[WHITEWATER_KINDS], surface_deciding *foam,
                              whitewater_ledger *ledger, whitewater_surface_figures *figures,
                              sp_error *err)
{
    surface_deciding all[WHITEWATER_KINDS] = {[WHITEWATER_FOAM] = *foam};
    for (int k = 0; k < WHITEWATER_KINDS; ++k) {
        all[k].s = s;
        all[k].world = world;
        all[k].set = &kinds[k];
        all[k].moved = k == WHITEWATER_FOAM ? surface_count_old(&kinds[k]) : 0;
        SP_TRY(surface_decide(s, k, &all[k], figures, err));
    }
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        SP_TRY(surface_take(s, &kinds[k], k, all[k].fate, ledger, err));
    return surface_settle(s, kinds, err);
}

static void forget_step(whitewater_set *set)
{
    for (size_t i = 0; i < set->set.count; ++i)
        set->state[i] &= WHITEWATER_ABOVE | WHITEWATER_RETURNED;
}

static sp_status run_stages(whitewater_surface *s, const whitewater_world *world,
                            whitewater_set kinds[WHITEWATER_KINDS], const whitewater_set *arrivals,
                            uint64_t *next_id, whitewater_ledger *ledger,
                            whitewater_surface_figures *figures, sp_error *err)
{
    surface_deciding foam = {0};
    const size_t floating = kinds[WHITEWATER_FOAM].set.count;
    SP_TRY(move_all(s, world, kinds, &foam, figures, err));
    SP_TRY(take_arrivals(&kinds[WHITEWATER_BUBBLES], arrivals, err));
    SP_TRY(change_kinds(s, world, kinds, &foam, ledger, figures, err));
    SP_TRY(surface_thin(s, world, &kinds[WHITEWATER_FOAM], ledger, err));
    SP_TRY(surface_emit_crests(s, world, &kinds[WHITEWATER_SPRAY], next_id, ledger, err));
    surface_warn_of_lost(s, floating, figures);
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        forget_step(&kinds[k]);
    return SP_OK;
}

sp_status whitewater_surface_step(whitewater_surface *s, const whitewater_world *world,
                                  whitewater_set kinds[WHITEWATER_KINDS],
                                  const whitewater_set *arrivals, uint64_t *next_id,
                                  whitewater_ledger *ledger, whitewater_surface_figures *figures,
                                  sp_error *err)
{
    *figures = (whitewater_surface_figures){0};
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = run_stages(s, world, kinds, arrivals, next_id, ledger, figures, err);
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        s->moving[k].set.count = 0;
    sp_scratch_rewind(&s->scratch, mark);
    sp_scratch_settle(&s->scratch);
    return status;
}
