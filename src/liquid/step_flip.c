// SPDX-License-Identifier: Apache-2.0
/// One substep with particles, FLIP or APIC. Numbers are those of the table of stages in
/// docs/liquid.md.
///
/// Substeps may come in pairs (reflect.c). In the first of a pair `u_pair` holds, after 9, the
/// change by pressure, reflected; in 11 u is added: the velocity that particles are given. From
/// then on it holds the velocity that moves them in the second.
#include "liquid/pressure/spread.h"
#include "liquid/pressure/volume.h"
#include "liquid/step.h"

/// Whether this substep is the first of a pair.
static bool is_first_of_pair(const liquid *s)
{
    return liquid_has_pairs(&s->def) && !s->second_of_pair;
}

/// 4  Advects particles; with a narrow band the grid advects deep water.
static sp_status advect(liquid *s, double dt, sp_error *err)
{
    liquid_grid *g = &s->grid;
    SP_TRY(liquid_count_outflow(s, dt, err));
    if (s->def.narrow_band > 0) {
        float *const *by = g->u_unforced; // unused until stage 8
        liquid_add_velocities(&g->tiles, by, g->u, g->spread);
        SP_TRY(liquid_advect_deep(g, s->def.narrow_band, by, dt, &s->scratch, err));
    }
    float *const *u = s->second_of_pair ? g->u_pair : g->u;
    const liquid_lost lost =
        liquid_advect_particles(&s->particles, g, &s->solids, &s->def, u, dt, &s->scratch);
    const double mass =
        (double)s->def.density * liquid_voxel_volume(&s->def) / (double)s->def.particles_per_cell;
    s->figures.left += lost.left;
    s->figures.stuck += lost.stuck;
    s->figures.left_energy += mass * lost.kinetic;
    for (int a = 0; a < 3; ++a)
        s->figures.left_energy -= mass * (double)s->gravity[a] * lost.place[a];
    return SP_OK;
}

/// 6  Particles to the grid. u is overwritten; u_last, where allocated, keeps the previous u.
static sp_status splat(liquid *s, sp_error *err)
{
    liquid_grid *g = &s->grid;
    for (int a = 0; a < 3 && g->u_last[a]; ++a)
        liquid_swap(&g->u[a], &g->u_last[a]);
    return liquid_particles_to_grid(&s->particles, g, &s->scratch, err);
}

/// 7  phi from particles; below a narrow band, phi as the grid advected it.
static sp_status find_surface(liquid *s, double dt, sp_error *err)
{
    liquid_grid *g = &s->grid;
    const bool band = s->def.narrow_band > 0;
    SP_TRY(liquid_phi_from_particles(g, &s->particles, &s->solids, &s->def, &s->scratch, err));
    liquid_phi_correct(g, &s->def);
    if (band) liquid_blend_band(g, s->def.narrow_band);
    liquid_level_beyond_sides(g, &s->def);
    SP_TRY(liquid_phi_into_solids(g, &s->solids, true, &s->scratch, err));
    if (band) SP_TRY(liquid_phi_smooth(g, &s->solids, dt, &s->scratch, err));
    return liquid_correct_volume(g, &s->solids, &s->def, &s->figures, s->balance.closed,
                                 &s->scratch, err);
}

/// The flow that spreads particles evenly.
static bool want_even_particles(liquid *s, float *source)
{
    const liquid_volume_def volume = {&s->grid,    &s->solids,          &s->particles, &s->def,
                                      &s->figures, liquid_air_share(s), s->steps == 0};
    return liquid_divergence_of_particles(&volume, &s->balance, source, &s->scratch);
}

/// 9  Pressure, and the flow that keeps the volume.
static sp_status project(liquid *s, double dt, sp_error *err)
{
    liquid_grid *g = &s->grid;
    for (int a = 0; a < 3; ++a) // the projection overwrites `known`
        memcpy(g->splatted[a], g->known[a], g->tiles.count * sizeof *g->known[a]);
    SP_TRY(liquid_project(s, s->second_of_pair ? g->q_second : g->q, want_even_particles, dt, err));
    if (!is_first_of_pair(s)) return SP_OK;
    return liquid_reflect_change(g, s->gravity, dt, g->u_pair, &s->scratch, err);
}

/// 11  Velocities back to particles; in the first substep of a pair, reflected velocities.
static sp_status gather(liquid *s, double dt)
{
    liquid_grid *g = &s->grid;
    if (is_first_of_pair(s)) {
        liquid_add_velocities(&g->tiles, g->u_pair, g->u_pair, g->u);
        liquid_grid_to_particles(&s->particles, g, &s->def, g->u_pair, dt);
        liquid_reflect_ahead(g, dt);
    } else {
        liquid_grid_to_particles(&s->particles, g, &s->def, g->u, dt);
    }
    return SP_OK;
}

/// 12  Reseeds, but not while particles carry a reflected velocity.
static sp_status reseed(liquid *s, sp_error *err)
{
    const liquid_seeder seeder = liquid_seeder_of(s);
    if (is_first_of_pair(s)) return SP_OK;
    return liquid_reseed(&seeder, &s->balance, &s->figures, err);
}

sp_status liquid_step_flip(liquid *s, double dt, sp_error *err)
{
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_SOLIDS, liquid_move_solids(s, dt, err)));          // 2
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_EMIT, liquid_emit(s, dt, err)));                   // 3
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_ADVECT, advect(s, dt, err)));                      // 4
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_TILES, liquid_choose_tiles_by_particles(s, err))); // 5
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_SPLAT, splat(s, err)));                            // 6
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_SURFACE, find_surface(s, dt, err)));               // 7
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_FORCES, liquid_apply_forces(s, dt)));              // 8
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_PROJECT, project(s, dt, err)));                    // 9
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_EXTRAPOLATE, liquid_extend(s, dt, err)));          // 10
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_GATHER, gather(s, dt)));                           // 11
    SP_TRY(liquid_timed(s, SP_LIQUID_STAGE_RESEED, reseed(s, err)));                          // 12
    s->second_of_pair = is_first_of_pair(s);
    return SP_OK;
}
