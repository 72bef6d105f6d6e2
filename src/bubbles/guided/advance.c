// SPDX-License-Identifier: Apache-2.0
/// 1  What happens before the fractions are found in water that follows a bulk, and the part of the bulk's pressure
/// that its bubbles feel.
#include "bubbles/guided/internal.h"

/// ---- Solids ------------------------------------------------------------------------------------

/// The caller may have moved the solids since, so they go back to where they were known on the tiles.
static sp_status move_solids(bubbles_guide *g, sp_error *err)
{
    bubbles *s = g->s;
    const sp_tiles none = {0};
    sp_solids *bodies = g->world->solids;
    const bool same = s->solids.bodies == bodies && s->solids.row;
    if (!same) sp_flow_solids_clear(&s->solids, s->host);
    s->solids.bodies = bodies;
    s->has_solids = bodies != NULL;
    if (!bodies) return SP_OK;
    memcpy(s->solids.origin, s->grid.origin, sizeof s->solids.origin);
    if (same && sp_solids_moving(bodies)) SP_TRY(sp_solids_move(bodies, s->time, err));
    SP_TRY(sp_solids_move(bodies, g->until, err));
    return same ? sp_flow_solids_update(&s->solids, &s->grid.tiles, false, &s->scratch, err)
                : sp_flow_solids_retile(&s->solids, &none, &s->grid.tiles, &s->scratch, err);
}

/// ---- What the bulk does not know ---------------------------------------------------------------

static void warn_of_no_data(bubbles_guide *g)
{
    const bubbles *s = g->s;
    for (size_t t = 0; t < s->grid.tiles.count && !g->warned_no_data; ++t) {
        if (s->particles.start[t + 1] == s->particles.start[t] || !g->bulk.mask[g->wide[t]])
            continue;
        static const float middle[3] = {4.0f, 4.0f, 4.0f};
        double p[3];
        bubbles_point(&s->grid, t, middle, p);
        g->warned_no_data = true;
        sp_log(s->host, SP_LOG_WARNING,
               "whitewater: the water has no velocity near (%.3g, %.3g, %.3g) m at t = %.4g s: "
               "bubbles there see still water (said once)",
               p[0], p[1], p[2], g->until);
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status find_velocity(bubbles_guide *g, double dt, sp_error *err)
{
    SP_TRY(guided_find_openings(g, err));
    SP_TRY(guided_measure_divergence(g, &g->figures.bulk_divergence, err));
    if (g->pressure == SP_GUIDED_HYDROSTATIC) SP_TRY(guided_fix_pressure(g, dt, err));
    warn_of_no_data(g);
    return guided_advect(g, dt, err);
}

sp_status bubbles_advance_guided(bubbles *s, double dt, sp_error *err)
{
    bubbles_guide *g = s->guide;
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_SOLIDS, move_solids(g, err)));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_MOVE, guided_move(g, dt, err)));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_TILES, guided_choose_tiles(g, err)));
    return bubbles_timed(s, SP_BUBBLES_STAGE_ADVECT, find_velocity(g, dt, err));
}

sp_status bubbles_find_lift(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count;
    for (int a = 0; a < 3; ++a)
        if (!(s->at.lift[a] = sp_scratch_array(&s->scratch, float, n + SP_LANES)))
            return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu bubbles", n);
    SP_TRY(s->basis->interpolate(s, s->guide->fall, s->at.lift, err));
    return bubbles_timed(s, SP_BUBBLES_STAGE_INTERPOLATE, SP_OK);
}
