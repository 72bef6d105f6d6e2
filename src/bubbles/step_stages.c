// SPDX-License-Identifier: Apache-2.0
/// Stages of a substep that do not depend on the scheme.
#include "bubbles/guided/internal.h"
#include "bubbles/in_liquid/in_liquid.h"

/// The clock of s->profile, and which stage it was.
sp_status bubbles_timed(bubbles *s, int stage, sp_status status)
{
    s->clock = sp_stage_end(&s->profile, stage, s->clock);
    return status;
}

static sp_status move_solids(bubbles *s, double dt, sp_error *err)
{
    if (!s->has_solids) return SP_OK;
    SP_TRY(sp_solids_move(s->solids.bodies, s->time + dt, err));
    return sp_flow_solids_update(&s->solids, &s->grid.tiles, false, &s->scratch, err);
}

static sp_status move_particles(bubbles *s, double dt)
{
    bubbles_move(s, dt);
    return SP_OK;
}

sp_status bubbles_at_open(bubbles *s, sp_error *err)
{
    bubbles_at_particles *at = &s->at;
    const size_t n = s->particles.set.count + SP_LANES;
    float **const all[] = {at->v0,    at->water, at->share, at->gradient,
                           at->force, at->drag,  at->slope, at->soft};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        for (int a = 0; a < 3; ++a)
            if (!(all[k][a] = sp_scratch_array(&s->scratch, float, n)))
                return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    for (int a = 0; a < 3; ++a) {
        memcpy(at->v0[a], s->particles.v[a], (n - SP_LANES) * sizeof(float));
        at->thin[a] = at->lift[a] = NULL;
    }
    return SP_OK;
}

static sp_status advance_in_still_water(bubbles *s, double dt, sp_error *err)
{
    s->first_new = s->particles.next_id;
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_SOLIDS, move_solids(s, dt, err)));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_MOVE, move_particles(s, dt)));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_EMIT, bubbles_emit(s, dt, err)));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_TILES, bubbles_choose_tiles(s, err)));
    return bubbles_timed(s, SP_BUBBLES_STAGE_ADVECT, bubbles_advect_water(s, dt, err));
}

sp_status bubbles_advance(bubbles *s, double dt, sp_error *err)
{
    SP_TRY(s->water   ? bubbles_advance_in_liquid(s, dt, err)
           : s->guide ? bubbles_advance_guided(s, dt, err)
                      : advance_in_still_water(s, dt, err));
    if (s->basis->prepare)
        SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_BASIS, s->basis->prepare(s, err)));
    return bubbles_at_open(s, err);
}

static sp_status guess_pressure(bubbles *s, double dt, sp_error *err)
{
    bubbles_guess_pressure(s, dt);
    if (s->guide) return bubbles_extend_gradient_guided(s, err);
    return s->water && s->def.pressure.init == SP_BUBBLES_PRESSURE_PREVIOUS
               ? bubbles_guess_in_liquid(s, dt, err)
               : SP_OK;
}

sp_status bubbles_prepare(bubbles *s, double dt, sp_error *err)
{
    SP_TRY(bubbles_advance(s, dt, err));                                                   // 1
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_FRACTIONS, bubbles_fractions(s, err)));       // 2
    SP_TRY(guess_pressure(s, dt, err));                                                    // 3
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_TENSION, bubbles_tension(s, err)));           // 4
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_TENSION, bubbles_volume_source(s, dt, err))); // 4
    if (s->water) bubbles_make_room(s, dt);
    return s->guide ? bubbles_find_lift(s, err) : SP_OK;
}

sp_status bubbles_project_timed(bubbles *s, float *const loose[3], double dt, sp_error *err)
{
    if (s->water) return bubbles_project_in_liquid(s, loose, dt, err);
    if (s->guide) return bubbles_project_guided(s, loose, dt, err);
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_PRESSURE, bubbles_project(s, loose, dt, err)));
    bubbles_follow(s);
    SP_TRY(bubbles_extend(s, s->grid.u, true, err));
    SP_TRY(bubbles_extend(s, s->grid.gradient, false, err));
    return bubbles_timed(s, SP_BUBBLES_STAGE_FACES, SP_OK);
}

sp_status bubbles_finish(bubbles *s, sp_error *err)
{
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_NOISE, bubbles_damp_noise(s, err)));        // 6
    return bubbles_timed(s, SP_BUBBLES_STAGE_FRACTIONS, bubbles_limit_swelling(s, err)); // 7
}
