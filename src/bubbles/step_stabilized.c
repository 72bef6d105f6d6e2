// SPDX-License-Identifier: Apache-2.0
/// One substep of our scheme: WSB25's Algorithm 1 with drag at the new velocity of particles, the
/// compliance that drag leaves them, and weight and pressure of water treated alike. Numbers and letters
/// are those of the algorithm and of the table of stages in docs/bubbles.md.
#include "bubbles/step.h"

/// b, c  New velocities of particles, and drag there.
static sp_status solve_bubbles(bubbles *s, double dt, sp_error *err)
{
    const float *const v[3] = {s->particles.v[0], s->particles.v[1], s->particles.v[2]};
    const bool updated = s->def.drag_eval == SP_BUBBLES_DRAG_UPDATED;
    if (!updated) bubbles_drag_at(s, v, true, dt);
    SP_TRY(s->def.drag_solve == SP_BUBBLES_DRAG_EXACT ? bubbles_solve_exact(s, true, dt, err)
                                                      : bubbles_solve_linearised(s, true, dt, err));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_DRAG, SP_OK));
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_CONTACTS, bubbles_contacts(s, dt, err)));
    if (updated) bubbles_drag_at(s, v, true, dt); // v holds the new velocities now
    return bubbles_timed(s, SP_BUBBLES_STAGE_DRAG, SP_OK);
}

/// d, e
static sp_status rasterise(bubbles *s, double dt, sp_error *err)
{
    return bubbles_timed(s, SP_BUBBLES_STAGE_RASTERISE, bubbles_rasterise_forces(s, dt, err));
}

/// f, g
static sp_status predict_water(bubbles *s, double dt)
{
    bubbles_predict_water(s, dt);
    return bubbles_timed(s, SP_BUBBLES_STAGE_FACES, SP_OK);
}

sp_status bubbles_step_stabilized(bubbles *s, double dt, sp_error *err)
{
    int n = 0;
    SP_TRY(bubbles_prepare(s, dt, err)); // 1 to 4
    while (n < s->def.newton && !bubbles_has_settled(s, n)) {
        SP_TRY(bubbles_look_around_timed(s, err)); // a
        SP_TRY(solve_bubbles(s, dt, err));         // b, c
        SP_TRY(rasterise(s, dt, err));             // d, e
        SP_TRY(predict_water(s, dt));              // f, g
        s->more_iterations = n == 0 && s->def.newton > 1;
        SP_TRY(bubbles_project_timed(s, NULL, dt, err)); // h
        ++n;
    }
    s->figures.newton = n;
    return bubbles_finish(s, err); // 6, 7
}
