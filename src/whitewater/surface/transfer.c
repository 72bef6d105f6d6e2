// SPDX-License-Identifier: Apache-2.0
/// Particles go from set to set, and into the ledger (W33).
#include "whitewater/surface/internal.h"

/// What a fate is called in the ledger, by kind.
static int event_of(int kind, uint8_t fate)
{
    static const int changes[WHITEWATER_KINDS][WHITEWATER_KINDS] = {
        [WHITEWATER_BUBBLES] = {WHITEWATER_EVENTS, WHITEWATER_SURFACED, WHITEWATER_LEAPT},
        [WHITEWATER_FOAM] = {WHITEWATER_SUNK, WHITEWATER_EVENTS, WHITEWATER_LEAPT},
        [WHITEWATER_SPRAY] = {WHITEWATER_PLUNGED, WHITEWATER_LANDED, WHITEWATER_EVENTS},
    };
    static const int ends[SURFACE_FATES] = {
        [SURFACE_LEAVES] = WHITEWATER_LEFT,       [SURFACE_INSIDE] = WHITEWATER_INSIDE,
        [SURFACE_STRANDED] = WHITEWATER_STRANDED, [SURFACE_BURSTS] = WHITEWATER_BURST,
        [SURFACE_PRUNED] = WHITEWATER_PRUNED,
    };
    return fate <= SURFACE_TO_SPRAY ? changes[kind][fate - SURFACE_TO_BUBBLES] : ends[fate];
}

static sp_status move_one(whitewater_surface *s, const whitewater_set *set, size_t i, uint8_t fate,
                          sp_error *err)
{
    whitewater_set *to = &s->moving[fate - SURFACE_TO_BUBBLES];
    SP_TRY(whitewater_set_reserve(to, to->set.count + 1, err));
    whitewater_set_copy(to, set, i);
    if (fate == SURFACE_TO_BUBBLES) to->state[to->set.count - 1] |= WHITEWATER_RETURNED;
    return SP_OK;
}

sp_status surface_take(whitewater_surface *s, whitewater_set *set, int kind, const uint8_t *fate,
                       whitewater_ledger *ledger, sp_error *err)
{
    const size_t n = set->set.count;
    for (size_t i = sp_next_marked(fate, 0, n); i < n; i = sp_next_marked(fate, i + 1, n)) {
        const int event = event_of(kind, fate[i]);
        ++ledger->count[event];
        ledger->volume[event] += whitewater_volume(set, i);
        if (fate[i] <= SURFACE_TO_SPRAY) SP_TRY(move_one(s, set, i, fate[i], err));
    }
    whitewater_set_remove(set, fate);
    return SP_OK;
}

sp_status surface_settle(whitewater_surface *s, whitewater_set kinds[WHITEWATER_KINDS],
                         sp_error *err)
{
    for (int k = 0; k < WHITEWATER_KINDS; ++k) {
        const size_t sorted = kinds[k].set.count, n = s->moving[k].set.count;
        SP_TRY(whitewater_set_reserve(&kinds[k], sorted + n, err));
        for (size_t i = 0; i < n; ++i)
            whitewater_set_copy(&kinds[k], &s->moving[k], i);
        s->moving[k].set.count = 0;
        SP_TRY(whitewater_set_sort(&kinds[k], sorted, err));
    }
    return SP_OK;
}
