// SPDX-License-Identifier: Apache-2.0
/// One substep, as in the table of stages in docs/liquid.md.
#include "liquid/internal.h"

static const char *const stage_names[SP_LIQUID_STAGES] = {
    "solids", "emit",   "advect",  "tiles",  "sort",   "splat",  "surface",
    "blend",  "forces", "project", "extend", "gather", "reseed", "aeration",
};

const char *sp_liquid_stage_name(int stage)
{
    return stage_names[stage];
}

const sp_profile *sp_liquid_profile(const liquid *s)
{
    return &s->profile;
}

void liquid_profile_begin(liquid *s)
{
    s->profile = (sp_profile){.host = s->host, .names = stage_names, .stages = SP_LIQUID_STAGES};
}

/// ---- Length of a substep -----------------------------------------------------------------------

static double gravity_of(const liquid *s)
{
    double g = 0.0;
    for (int a = 0; a < 3; ++a)
        g += (double)s->gravity[a] * (double)s->gravity[a];
    return sqrt(g);
}

/// What cfl allows; what falls from rest reaches sqrt(voxel*g) within a voxel.
static double allowed_dt(const liquid *s)
{
    const double h = (double)s->voxel, fall = sqrt(h * gravity_of(s));
    double v = fmax(s->figures.speed, sp_solids_speed(s->solids));
    v = fmax(v, liquid_emitters_speed(s, s->time + 2.0 * s->last_dt));
    double dt = (double)s->def.cfl * h / fmax(v + fall, 1e-12);
    // Ripples of two voxels' length swing with w^2 = 8.9 g/h where the surface lies just above the
    // centres of voxels (there all of a voxel's sides count, though half of it is air), and steps of
    // more than 2/w would feed them.
    if (fall > 0.0) dt = fmin(dt, 0.65 * h / fall);
    if (s->def.surface_tension > 0.0f) // capillary waves of a voxel's length must not outrun a step
        dt = fmin(dt,
                  0.3 * sqrt((double)s->def.density * h * h * h / (double)s->def.surface_tension));
    return dt;
}

/// Said once: which of the bounds on a step `dt` is beyond.
static void warn_of_haste(liquid *s, double dt, double allowed)
{
    const double cfl = dt * s->figures.speed / (double)s->voxel;
    if (s->said_haste) return;
    s->said_haste = true;
    if (cfl > (double)s->def.cfl)
        sp_log(
            s->host, SP_LOG_WARNING,
            "liquid: max_steps %d reached at t = %.4g s, cfl %.3g > %g (fastest %.3g m/s); raise "
            "max_steps or check emitters and colliders",
            s->def.max_steps, s->time, cfl, (double)s->def.cfl, s->figures.speed);
    else
        sp_log(
            s->host, SP_LOG_WARNING,
            "liquid: max_steps %d reached at t = %.4g s: steps of %.3g s, where %s allow %.3g s; "
            "raise max_steps",
            s->def.max_steps, s->time, dt,
            s->def.surface_tension > 0.0f ? "ripples of surface tension" : "bodies and emitters",
            allowed);
}

/// Shares what is left of the frame evenly, so that no sliver remains.
static double choose_dt(liquid *s, double most)
{
    if (s->mirrored) return fmin(most, s->last_dt); // both of a pair are as long
    const double dt = allowed_dt(s);
    double steps = fmax(1.0, ceil(most / dt - 1e-9));
    steps = fmax(steps, s->def.min_steps - s->frame_steps);
    const double left = fmax(1.0, s->def.max_steps - s->frame_steps);
    if (steps > left) {
        steps = left;
        warn_of_haste(s, most / steps, dt);
    }
    if (liquid_reflects(s)) steps = 2.0 * ceil(0.5 * steps);
    return most / steps;
}

/// ---- Stages ------------------------------------------------------------------------------------

static void swap(float **a, float **b)
{
    float *const c = *a;
    *a = *b;
    *b = c;
}

/// phi is moved by a velocity whose air makes room for the water; u is afterwards as it was, and
/// `before`, which waits for forces, holds that velocity.
static sp_status advect_phi(liquid *s, double dt, sp_error *err)
{
    for (int a = 0; a < 3; ++a)
        memcpy(s->before[a], s->u[a], s->tiles.count * SP_TILE_VOXELS * sizeof(float));
    sp_status status = liquid_balance_air(s, err);
    if (status == SP_OK) status = liquid_advect_grid(s, dt, NULL, NULL, s->carried_phi, err);
    for (int a = 0; a < 3; ++a)
        swap(&s->u[a], &s->before[a]);
    return status;
}

/// Water without particles is moved on the grid; the carried fields become those of a step ago.
static sp_status advect_fields(liquid *s, double dt, sp_error *err)
{
    SP_TRY(liquid_advect_grid(s, dt, NULL, s->carried_u, NULL, err));
    SP_TRY(advect_phi(s, dt, err));
    swap(&s->phi, &s->carried_phi);
    for (int a = 0; a < 3; ++a)
        swap(&s->u[a], &s->carried_u[a]);
    return SP_OK;
}

/// 4  Particles move.
static sp_status advect(liquid *s, double dt, sp_error *err)
{
    if (!liquid_has_particles(s)) return advect_fields(s, dt, err);
    if (s->def.narrow_band > 0) SP_TRY(liquid_carry_deep(s, dt, s->carried_u, s->carried_phi, err));
    liquid_advect(s, s->mirrored ? s->flow : s->u, dt);
    return SP_OK;
}

/// 8  The surface, out of particles or as it was carried.
static sp_status find_surface(liquid *s, double dt, sp_error *err)
{
    if (liquid_has_particles(s)) {
        SP_TRY(liquid_surface(s, err));
        liquid_straighten(s);
    }
    if (s->def.narrow_band > 0) liquid_blend_band(s, s->carried_u, s->carried_phi);
    SP_TRY(liquid_extend_phi(s, err));
    if (s->def.narrow_band > 0) liquid_smooth(s, dt);
    return liquid_hold_volume(s, err);
}

typedef struct pushing {
    liquid *s;
    float by[3];
} pushing;

static void push_tiles(void *arg, size_t begin, size_t end)
{
    const pushing *p = arg;
    for (int a = 0; a < 3; ++a) {
        float *restrict u = p->s->u[a], *restrict before = p->s->before[a];
        const float by = p->by[a];
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i) {
            before[i] = u[i];
            u[i] += by;
        }
    }
}

/// 11  Gravity (L3); what u was before is kept for particles.
static void apply_forces(liquid *s, double dt)
{
    pushing p = {.s = s};
    for (int a = 0; a < 3; ++a)
        p.by[a] = (float)((double)s->gravity[a] * dt);
    sp_tiles_parallel(&s->tiles, push_tiles, &p);
}

/// ---- The substep -------------------------------------------------------------------------------

/// Solids, particles, tiles: stages 2 to 6.
static sp_status move_water(liquid *s, double dt, sp_error *err)
{
    double clock = sp_now(s->host);
    SP_TRY(sp_solids_move(s->solids, s->time + dt, err)); // 2
    SP_TRY(liquid_solid_look(s, false, err));
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_SOLIDS, clock);
    SP_TRY(liquid_emit(s, dt, err)); // 3
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_EMIT, clock);
    SP_TRY(advect(s, dt, err)); // 4
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_ADVECT, clock);
    SP_TRY(liquid_choose_tiles(s, liquid_has_particles(s) ? s->carried_phi : s->phi, err)); // 5, 6
    sp_stage_end(&s->profile, SP_LIQUID_STAGE_TILES, clock);
    return SP_OK;
}

/// Stages 7 to 13.
static sp_status solve_velocity(liquid *s, double dt, bool reflect, sp_error *err)
{
    double clock = sp_now(s->host);
    for (int a = 0; a < 3 && s->last_u[a]; ++a)
        swap(&s->u[a], &s->last_u[a]);
    if (liquid_has_particles(s)) SP_TRY(liquid_splat(s, err)); // 7
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_SPLAT, clock);
    SP_TRY(find_surface(s, dt, err)); // 8, 9
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_SURFACE, clock);
    apply_forces(s, dt); // 11
    liquid_pin(s);
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_FORCES, clock);
    if (s->other_q) swap(&s->q, &s->other_q);
    SP_TRY(liquid_project(s, dt, err)); // 12
    if (reflect) SP_TRY(liquid_reflect(s, dt, err));
    clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_PROJECT, clock);
    SP_TRY(liquid_extend_u(s, dt, err)); // 13
    sp_stage_end(&s->profile, SP_LIQUID_STAGE_EXTRAPOLATE, clock);
    return SP_OK;
}

/// 14  Velocities back to particles; in the first substep of a pair those that are reflected.
static void gather(liquid *s, double dt, bool reflect)
{
    if (reflect) liquid_reflect_add(s);
    liquid_gather(s, reflect ? s->flow : s->u, dt);
    if (reflect) liquid_reflect_ahead(s, dt);
}

sp_status sp_liquid_step(liquid *s, double most, sp_error *err)
{
    const double dt = choose_dt(s, most); // 1
    SP_TRY(move_water(s, dt, err));
    const bool reflect = liquid_reflects(s) && !s->mirrored;
    SP_TRY(solve_velocity(s, dt, reflect, err));
    double clock = sp_now(s->host);
    if (liquid_has_particles(s)) {
        gather(s, dt, reflect); // 14
        clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_GATHER, clock);
        if (!reflect) SP_TRY(liquid_reseed(s, err)); // 15, with velocities that are the water's
        clock = sp_stage_end(&s->profile, SP_LIQUID_STAGE_RESEED, clock);
    }
    if (s->aeration) SP_TRY(liquid_aerate(s, dt, err)); // 16
    sp_stage_end(&s->profile, SP_LIQUID_STAGE_AERATION, clock);
    s->mirrored = reflect;
    s->time += dt;
    s->last_dt = dt;
    s->figures.dt = dt;
    enum { NOTED = sizeof s->frame_iterations / sizeof *s->frame_iterations };
    if (s->frame_steps < NOTED) s->frame_iterations[s->frame_steps] = s->figures.iterations;
    ++s->frame_steps;
    ++s->steps;
    if (!sp_scratch_settle(&s->scratch))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for a step");
    return liquid_check_finite(s, err);
}

sp_status sp_liquid_frame(liquid *s, double end, sp_liquid_seen *seen, void *arg, sp_error *err)
{
    s->frame_steps = 0;
    s->said_residual = false;
    while (s->time < end * (1.0 - 1e-14)) {
        SP_TRY(sp_liquid_step(s, end - s->time, err));
        if (seen) seen(arg, s);
    }
    s->time = end; // never accumulated over frames
    return SP_OK;
}
