// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_STEP_H
#define SP_LIQUID_STEP_H

/// The stages of a substep that step_flip.c and step_eulerian.c run, numbered as in docs/liquid.md.

#include "liquid/internal.h"

/// A substep of dt seconds with particles (FLIP, APIC), and without. On failure the state is
/// invalid.
sp_status liquid_step_flip(liquid *s, double dt, sp_error *err);
sp_status liquid_step_eulerian(liquid *s, double dt, sp_error *err);

/// Records that a stage (SP_LIQUID_STAGE_...) has ended and the next one begins. Returns `status`.
sp_status liquid_timed(liquid *s, int stage, sp_status status);

/// ---- Stages that both share (step_stages.c) ----------------------------------------------------

/// 2  Moves bodies to the end of the substep and recomputes the tiles that they cut.
sp_status liquid_move_solids(liquid *s, double dt, sp_error *err);
/// 8  Gravity (L3). u_unforced keeps u from before; emitters set their faces.
sp_status liquid_apply_forces(liquid *s, double dt);
/// 10  Extrapolates u beyond the water and into solids.
sp_status liquid_extend(liquid *s, double dt, sp_error *err);

/// Swaps two fields.
static inline void liquid_swap(float **a, float **b)
{
    float *const c = *a;
    *a = *b;
    *b = c;
}

#endif
