// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_STEP_H
#define SP_BUBBLES_STEP_H

/// Functions that the schemes of a substep share.

#include "bubbles/internal.h"

/// 1 to 4  Everything before the Newton iterations.
sp_status bubbles_prepare(bubbles *s, double dt, sp_error *err);
/// a  Water and gradient at particles.
static inline sp_status bubbles_look_around_timed(bubbles *s, sp_error *err)
{
    return bubbles_timed(s, SP_BUBBLES_STAGE_INTERPOLATE, bubbles_look_around(s, err));
}
/// h  Pressure, water in full faces, and velocity and gradient where the solve gives none.
sp_status bubbles_project_timed(bubbles *s, float *const loose[3], double dt, sp_error *err);
/// Whether the iterations may end: no velocity changed by more than newton_tolerance in the last one.
static inline bool bubbles_has_settled(const bubbles *s, int iterations)
{
    const double most = fmax(s->bubble_change, s->water_change);
    return iterations >= 2 && most < (double)s->def.newton_tolerance;
}
/// 6, 7  Noise, and volume of particles.
sp_status bubbles_finish(bubbles *s, sp_error *err);

#endif
