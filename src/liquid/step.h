// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_STEP_H
#define SP_LIQUID_STEP_H

/// A substep: step_flip.c and step_eulerian.c go through the stages of docs/liquid.md, by number.

#include "liquid/internal.h"

/// A substep of dt seconds with particles (FLIP, APIC), and without. On failure the state is worth
/// nothing.
sp_status liquid_step_flip(liquid *s, double dt, sp_error *err);
sp_status liquid_step_eulerian(liquid *s, double dt, sp_error *err);

/// Notes that a stage (SP_LIQUID_STAGE_...) has ended; the next one begins. Returns the status.
sp_status liquid_timed(liquid *s, int stage, sp_status status);

/// ---- Stages that both have (step_stages.c) -----------------------------------------------------

/// 2  Bodies move to the end of the substep, and tiles are looked at again where they did.
sp_status liquid_move_solids(liquid *s, double dt, sp_error *err);
/// 8  Gravity (L3). u_unforced becomes what u was before; emitters pin their faces.
sp_status liquid_apply_forces(liquid *s, double dt);
/// 10  u beyond the water and in solids.
sp_status liquid_extend(liquid *s, double dt, sp_error *err);
/// 13  Where water takes in air, for frames that hold it.
sp_status liquid_take_in_air(liquid *s, double dt, sp_error *err);

/// Two fields change places: what was in `a` is then in `b`.
static inline void liquid_swap(float **a, float **b)
{
    float *const c = *a;
    *a = *b;
    *b = c;
}

#endif
