// SPDX-License-Identifier: Apache-2.0
/// One substep without particles: velocity and phi are advected on the grid. Numbers are those of
/// the table of stages in docs/liquid.md; stages 6, 11 and 12 exist only with particles.
#include "liquid/pressure/spread.h"
#include "liquid/pressure/volume.h"
#include "liquid/step.h"

/// 4  Advects u with itself, and phi with a velocity that has no divergence in air either.
static sp_status advect(liquid *s, double dt, sp_error *err)
{
    liquid_grid *g = &s->grid;
    SP_TRY(liquid_count_outflow(s, dt, err));
    const sp_flow_advection of_u = liquid_advection(g, g->u);
    SP_TRY(sp_flow_advect(&of_u, dt, g->u_last, NULL, &s->scratch, err));

    float *const *u_air = g->u_unforced; // unused until stage 8
    for (int a = 0; a < 3; ++a)
        memcpy(u_air[a], g->u[a], g->tiles.count * SP_TILE_VOXELS * sizeof(float));
    if (liquid_has_spread(&s->def)) liquid_add_velocities(&g->tiles, u_air, g->u, g->spread);
    SP_TRY(liquid_balance_air(g, &s->solids, s->figures.speed, u_air, &s->scratch, err));
    const sp_flow_advection of_phi = liquid_advection(g, u_air);
    SP_TRY(sp_flow_advect(&of_phi, dt, NULL, g->phi_last, &s->scratch, err));

    // Swap: u and phi become the advected fields, u_last and phi_last the previous ones.
    for (int a = 0; a < 3; ++a)
        liquid_swap(&g->u[a], &g->u_last[a]);
    liquid_swap(&g->phi, &g->phi_last);
    return SP_OK;
}

/// 7  Extrapolates phi into walls, redistances it and corrects the volume.
static sp_status find_surface(liquid *s, sp_error *err)
{
    liquid_grid *g = &s->grid;
    SP_TRY(liquid_phi_into_solids(g, &s->solids, false, &s->scratch, err));
    return liquid_correct_volume(g, &s->solids, &s->def, &s->figures, s->balance.closed,
                                 &s->scratch, err);
}

/// A flow that restores lost volume.
static bool want_lost_volume(liquid *s, float *source)
{
    const double missing = liquid_missing(&s->grid, &s->solids, &s->def, &s->figures, &s->scratch);
    liquid_divergence_everywhere(&s->grid, &s->def, missing, source);
    return true;
}

/// 9  Pressure, and the flow that keeps the volume.
static sp_status project(liquid *s, double dt, sp_error *err)
{
    return liquid_project(s, s->grid.q, liquid_has_spread(&s->def) ? want_lost_volume : NULL, dt,
                          err);
}

sp_status liquid_step_eulerian(liquid *s, double dt, sp_error *err)
{
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_SOLIDS, liquid_move_solids(s, dt, err)));    // 2
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_EMIT, liquid_emit(s, dt, err)));             // 3
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_ADVECT, advect(s, dt, err)));                // 4
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_TILES, liquid_choose_tiles_by_phi(s, err))); // 5
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_SURFACE, find_surface(s, err)));             // 7
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_FORCES, liquid_apply_forces(s, dt)));        // 8
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_PROJECT, project(s, dt, err)));              // 9
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_EXTRAPOLATE, liquid_extend(s, dt, err)));    // 10
    return SP_OK;
}
