// SPDX-License-Identifier: Apache-2.0
/// One substep of WFS22 (figure 4, equations 19 to 26), with the compliance theta of bubbles; theta 0 is
/// "inertia unaware". And the same as WSB25 restates it (15 to 20): there the explicit part of the water is
/// divided by rho_w while the solve uses rho*, and theta is 1.
#include "bubbles/step.h"

/// A, B, C  Values at particles and their new velocity: drag is not scaled by the share of water.
static sp_status solve_bubbles(bubbles *s, double dt, sp_error *err)
{
    const float *const v[3] = {s->particles.v[0], s->particles.v[1], s->particles.v[2]};
    SP_TRY(bubbles_look_around_timed(s, err));
    bubbles_drag_diagonal_at(s, v, dt);
    SP_TRY(bubbles_solve_linearised(s, false, dt, err));
    return bubbles_timed(s, SP_BUBBLES_STAGE_DRAG, bubbles_contacts(s, dt, err));
}

typedef void predict_water(bubbles *s, double dt);

static sp_status step(bubbles *s, predict_water *predict, double dt, sp_error *err)
{
    SP_TRY(bubbles_prepare(s, dt, err));
    SP_TRY(bubbles_find_thin(s, err));
    for (int n = 0; n < s->def.newton; ++n) {
        SP_TRY(solve_bubbles(s, dt, err)); // A, B, C
        SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_RASTERISE,
                             bubbles_rasterise_inertia(s, err))); // D, E
        predict(s, dt);                                           // F
        SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_FACES, SP_OK));
        SP_TRY(bubbles_project_timed(s, s->grid.slope, dt, err)); // G
    }
    s->figures.newton = s->def.newton;
    return bubbles_finish(s, err);
}

sp_status bubbles_step_inertia_aware(bubbles *s, double dt, sp_error *err)
{
    return step(s, bubbles_predict_water_inertia, dt, err);
}

sp_status bubbles_step_inertia_restated(bubbles *s, double dt, sp_error *err)
{
    return step(s, bubbles_predict_water_restated, dt, err);
}
