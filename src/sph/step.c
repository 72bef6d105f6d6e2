// SPDX-License-Identifier: Apache-2.0
/// One time step. Numbers at the calls are the stages of docs/sph.md. Numbers in brackets are IBAT's
/// equations; a prime marks one that is corrected, letters are equations of our own.
#include "sph/internal.h"

static const char *const stage_names[SP_SPH_STAGES] = {
    "boundaries", "sort", "lists", "density", "air", "forces", "pressure", "integrate", "create",
};

const char *sp_sph_stage_name(int stage)
{
    return stage_names[stage];
}

void sph_profile_begin(sph *s)
{
    s->profile = (sp_profile){.host = s->host, .names = stage_names, .stages = SP_SPH_STAGES};
}

/// ---- Length of a step -------------------------------------------------------------------------

/// Longest step that the speed, the acceleration and the emitters allow, s. Emitters that start within
/// five steps count.
static double limit_dt(const sph *s)
{
    const double h = (double)s->h, a = s->figures.acceleration;
    double v = s->figures.speed, dt = s->def.dt_max;
    v = fmax(v, (double)sph_emitters_fastest(s, s->time + 5.0 * s->dt));
    v = fmax(v, s->walls.speed);
    if (v > 0.0) dt = fmin(dt, 0.4 * h / v);
    if (a > 0.0) dt = fmin(dt, 0.25 * sqrt(h / a));
    return fmax(dt, s->def.dt_min);
}

/// Long pressure loops cost more than short steps: the pressure factor grows with 1/dt^2.
static void update_dt(sph *s, int iterations)
{
    if (s->def.dt_mode == SP_SPH_FIXED) return;
    const double target = s->def.iteration_target;
    const double growth = iterations > target ? 0.85 : iterations > 0.6 * target ? 1.0 : 1.01;
    s->dt = fmin(s->dt * growth, limit_dt(s));
}

/// Adaptive steps divide the rest of a frame into equal parts, fixed steps only the last two of it.
/// No step is much shorter than the others: pressure moves water by a share of the spacing in a step, so
/// a step of rounding's length (40 steps of 0.001 s in 0.04 s leave one) would throw it apart.
static double choose_dt(const sph *s, double most)
{
    const bool fixed = s->def.dt_mode == SP_SPH_FIXED;
    const double dt = fixed ? s->def.dt : s->dt;
    if (most <= dt * (1.0 + 1e-9)) return most;
    if (isinf(most) || (fixed && most >= 2.0 * dt)) return dt;
    return most / ceil(most / dt * (1.0 - 1e-9));
}

/// ---- Forces and pressure, with retries --------------------------------------------------------

static void warn_of_failure(sph *s, float error, double dt)
{
    const bool fixed = s->def.dt_mode == SP_SPH_FIXED;
    if (fixed && s->warned_fixed) return; // once: the next steps fail in the same way
    s->warned_fixed = fixed;
    sp_log(s->host, SP_LOG_WARNING,
           "sph: compression %.2g %% after %d iterations at t = %.4g s %s dt = %.2g s; %s",
           100.0 * (double)error, s->figures.iterations, s->time, fixed ? "with" : "even with", dt,
           fixed ? "shorten sph.dt or set dt_mode to \"adaptive\""
                 : "check emitters and colliders or raise max_iterations");
}

/// A step fails when the water ends too dense, or when it needed a dt below dt_min. A fixed step is the
/// user's choice: it fails only when the water is twice as dense as at rest.
static sp_status note_outcome(sph *s, float error, double dt, bool retried, sp_error *err)
{
    enum { PATIENCE = 10 };
    const bool fixed = s->def.dt_mode == SP_SPH_FIXED, dense = error > 1.5f * s->def.eta,
               tiny = retried && dt < s->def.dt_min;
    if (dense) ++s->figures.failures;
    if (dense) warn_of_failure(s, error, dt);
    const bool bad = fixed ? error > 1.0f : dense || tiny;
    s->failed_in_a_row = bad ? s->failed_in_a_row + 1 : 0;
    if (s->failed_in_a_row < PATIENCE) return SP_OK;
    float x[3];
    sph_densest(s, x);
    return sp_fail(err, SP_DIVERGED,
                   "sph: %d steps in a row did not converge (t = %.4g s, dt = %.2g s), worst near "
                   "(%.3g, %.3g, %.3g); check what emits and moves there%s",
                   PATIENCE, s->time, fixed ? s->def.dt : dt, (double)x[0], (double)x[1],
                   (double)x[2], fixed ? ", and shorten sph.dt" : "");
}

/// Stages 5 to 8. They do not write x and v, so a step that fails is repeated with half of dt.
static sp_status solve(sph *s, double *dt, sp_error *err)
{
    enum { RETRIES = 4, AIR_ITERATIONS = 10 };
    const float eta = s->def.eta;
    double clock = sp_now(s->host);
    float error = 0.0f;
    int tries = 0;
    for (;;) {
        SP_TRY(sph_walls_ahead(s, s->time + *dt, err)); // 5
        sph_liquid_forces(s, *dt);                      // 6  (6') (7') (T1)
        clock = sp_stage_end(&s->profile, SP_SPH_STAGE_FORCES, clock);
        if (s->air.cells.count > 0) {
            sph_air_forces(s, *dt); // 7  (10') (11') (13') (16)
            sph_reaction(s, *dt);   // 7  (13') on the water
        }
        clock = sp_stage_end(&s->profile, SP_SPH_STAGE_AIR, clock);
        error = sph_pressure(s, &s->liquid, *dt, s->def.max_iterations, eta,
                             &s->figures.iterations); // 8  (D) (P) (delta), algorithm 2
        s->figures.total_iterations += (uint64_t)s->figures.iterations;
        clock = sp_stage_end(&s->profile, SP_SPH_STAGE_PRESSURE, clock);
        if (s->def.dt_mode == SP_SPH_FIXED || error <= 1.5f * eta || tries == RETRIES) break;
        ++tries;
        ++s->figures.retries;
        *dt *= 0.5;
        s->dt = fmax(fmin(s->dt, *dt), s->def.dt_min);
        sph_copy_density_to_places(s, &s->liquid);
    }
    sph_pressure(s, &s->air, *dt, AIR_ITERATIONS, 5.0f * eta,
                 &s->figures.air_iterations); // 8  the same for the air
    sp_stage_end(&s->profile, SP_SPH_STAGE_PRESSURE, clock);
    return note_outcome(s, error, *dt, tries > 0, err);
}

/// ---- The step ---------------------------------------------------------------------------------

/// Stages 2 to 4. open.c runs them once to check the initial density.
sp_status sph_arrange(sph *s, sp_error *err)
{
    double clock = sp_now(s->host);
    SP_TRY(sph_sort(s, err)); // 2
    clock = sp_stage_end(&s->profile, SP_SPH_STAGE_SORT, clock);
    SP_TRY(sph_find_neighbours(s, err)); // 3
    clock = sp_stage_end(&s->profile, SP_SPH_STAGE_LISTS, clock);
    SP_TRY(sph_partials(s, err));
    sph_density(s);                                           // 4  (D) (C) (delta)
    if (s->air.cells.count > 0) sph_find_air_surroundings(s); // 4  (F1), n^ of (10')
    sp_stage_end(&s->profile, SP_SPH_STAGE_DENSITY, clock);
    return SP_OK;
}

sp_status sp_sph_step(sph *s, double most, sp_error *err)
{
    double dt = choose_dt(s, most), clock = sp_now(s->host);
    SP_TRY(sph_walls_place(s, s->time, err)); // 1
    sp_stage_end(&s->profile, SP_SPH_STAGE_BOUNDARIES, clock);
    SP_TRY(sph_arrange(s, err)); // 2 to 4
    SP_TRY(solve(s, &dt, err));  // 5 to 8
    clock = sp_now(s->host);
    SP_TRY(sph_integrate(s, dt, err)); // 9
    clock = sp_stage_end(&s->profile, SP_SPH_STAGE_INTEGRATE, clock);
    sph_foam(s, dt);                  // 10  section 4.3
    SP_TRY(sph_trap_air(s, dt, err)); // 11  section 4.2
    SP_TRY(sph_seed_air(s, dt, err)); // 11
    SP_TRY(sph_remove(s, dt, err));   // 12
    SP_TRY(sph_emit(s, dt, err));     // 13
    sp_stage_end(&s->profile, SP_SPH_STAGE_CREATE, clock);
    s->time += dt;
    s->figures.dt = dt;
    ++s->steps;
    update_dt(s, s->figures.iterations); // 14
    return SP_OK;
}
