// SPDX-License-Identifier: Apache-2.0
/// One substep as WSB25 prints it (21 to 26): one linearised step of drag at the last velocities, the
/// compliance of free particles, and water whose weight is divided by 1 + dt K/rho_w while the pressure is
/// not. It is here to be compared with ours: a cloud as heavy as water rises by 4 cm in a second.
#include "bubbles/step.h"

/// b, c
static sp_status solve_bubbles(bubbles *s, double dt, sp_error *err)
{
    const float *const v[3] = {s->particles.v[0], s->particles.v[1], s->particles.v[2]};
    bubbles_drag_at(s, v, true, dt);
    for (int a = 0; a < 3; ++a)
        for (size_t i = 0; i < s->particles.set.count; ++i)
            s->at.soft[a][i] = 1.0f;
    SP_TRY(bubbles_solve_linearised(s, true, dt, err));
    return bubbles_timed(s, SP_BUBBLES_STAGE_DRAG, bubbles_contacts(s, dt, err));
}

/// f, g
static sp_status predict_water(bubbles *s, double dt)
{
    bubbles_predict_water_as_printed(s, dt);
    return bubbles_timed(s, SP_BUBBLES_STAGE_FACES, SP_OK);
}

sp_status bubbles_step_stabilized_paper(bubbles *s, double dt, sp_error *err)
{
    SP_TRY(bubbles_prepare(s, dt, err)); // 1 to 4
    for (int n = 0; n < s->def.newton; ++n) {
        SP_TRY(bubbles_look_around_timed(s, err)); // a
        SP_TRY(solve_bubbles(s, dt, err));         // b, c
        SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_RASTERISE,
                             bubbles_rasterise_forces(s, dt, err))); // d, e
        SP_TRY(predict_water(s, dt));                                // f, g
        SP_TRY(bubbles_project_timed(s, NULL, dt, err));             // h
    }
    s->figures.newton = s->def.newton;
    return bubbles_finish(s, err);
}
