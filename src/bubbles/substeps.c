// SPDX-License-Identifier: Apache-2.0
/// Runs the substeps of a frame, for every scheme, and measures the time of each stage.
#include "bubbles/step.h"

static const char *const stage_names[SP_BUBBLES_STAGES] = {
    "solids",      "move", "emit",     "tiles",     "advect", "basis",    "fractions", "tension",
    "interpolate", "drag", "contacts", "rasterise", "faces",  "pressure", "noise",     "bulk",
};

const char *sp_bubbles_stage_name(int stage)
{
    return stage_names[stage];
}

const sp_profile *sp_bubbles_profile(const bubbles *s)
{
    return &s->profile;
}

void bubbles_profile_begin(bubbles *s)
{
    s->profile = (sp_profile){.host = s->host, .names = stage_names, .stages = SP_BUBBLES_STAGES};
}

/// ---- The length of a substep -------------------------------------------------------------------

double bubbles_fastest(const bubbles *s)
{
    double most = fmax(s->figures.fastest, s->water_speed);
    if (s->has_solids) most = fmax(most, sp_solids_speed(s->solids.bodies));
    return most;
}

static void warn_of_substeps(bubbles *s, double dt)
{
    if (s->warned_substeps) return;
    s->warned_substeps = true;
    sp_log(
        s->host, SP_LOG_WARNING,
        "bubbles: substeps_max %d reached at t = %.4g s: the fastest, %.3g m/s, moves %.3g voxels "
        "in a substep, more than cfl, %g; raise substeps_max or look at what emits and moves "
        "(said once)",
        s->def.substeps_max, s->time, bubbles_fastest(s),
        dt * bubbles_fastest(s) / (double)s->grid.voxel, (double)s->def.cfl);
}

/// A frame has `substeps` equal ones. Where something moves faster than cfl, they are halved as often as
/// needed, up to substeps_max; and for a while after one had to be repeated.
double bubbles_longest_substep(bubbles *s)
{
    double n = s->def.substeps;
    const double frame = s->frame_seconds, reach = (double)s->def.cfl * (double)s->grid.voxel,
                 speed = bubbles_fastest(s);
    while ((speed * frame / n > reach || (s->limit > 0.0 && frame / n > s->limit * (1.0 + 1e-9))) &&
           2.0 * n <= s->def.substeps_max)
        n *= 2.0;
    const double dt = frame / n;
    if (speed * dt > reach) warn_of_substeps(s, dt);
    return dt;
}

/// Divides the rest of the frame evenly, so that no very short substep remains.
static double substep_length(bubbles *s, double rest)
{
    return rest / fmax(1.0, ceil(rest / bubbles_longest_substep(s) - 1e-9));
}

/// ---- Substeps ----------------------------------------------------------------------------------

static sp_status take_step(bubbles *s, double dt, sp_error *err)
{
    switch (s->def.coupling) {
    case SP_BUBBLES_STABILIZED_PAPER:
        return bubbles_step_stabilized_paper(s, dt, err);
    case SP_BUBBLES_INERTIA_AWARE:
    case SP_BUBBLES_INERTIA_UNAWARE:
        return bubbles_step_inertia_aware(s, dt, err);
    case SP_BUBBLES_INERTIA_AWARE_RESTATED:
        return bubbles_step_inertia_restated(s, dt, err);
    default:
        return bubbles_step_stabilized(s, dt, err);
    }
}

static void end_substep(bubbles *s, double dt)
{
    s->time += dt;
    s->last_dt = dt;
    ++s->substeps;
    ++s->frame_substeps;
    s->figures.time = s->time;
    s->figures.dt = dt;
    s->figures.substeps = s->substeps;
    s->figures.particles = s->particles.set.count;
    s->figures.tiles = s->grid.tiles.count;
    s->figures.newton_change = fmax(s->bubble_change, s->water_change);
}

sp_status bubbles_substep(bubbles *s, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    s->clock = sp_now(s->host);
    const sp_status status = take_step(s, dt, err);
    sp_scratch_rewind(&s->scratch, mark);
    SP_TRY(status);
    end_substep(s, dt);
    if (!sp_scratch_settle(&s->scratch))
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for a step");
    return bubbles_check_finite(s, err);
}

/// The frame of the liquid that the bubbles are in, which calls their substeps.
typedef struct frame_in_liquid {
    bubbles *s;
    sp_bubbles_seen *seen;
    void *arg;
} frame_in_liquid;

static void see_substep(void *arg, liquid *water)
{
    const frame_in_liquid *f = arg;
    (void)water;
    if (f->seen) f->seen(f->arg, f->s);
}

static sp_status frame_in_still_water(bubbles *s, double t_end, sp_bubbles_seen *seen, void *arg,
                                      sp_error *err)
{
    const double nearly = t_end - 1e-12 * fmax(1.0, fabs(t_end));
    while (s->time < nearly) {
        SP_TRY(bubbles_careful_substep(s, substep_length(s, t_end - s->time), err));
        if (seen) seen(arg, s);
        if (s->time < nearly) SP_TRY(sp_watch_check(s->watch, s->time, err));
    }
    return SP_OK;
}

sp_status sp_bubbles_frame(bubbles *s, double t_end, sp_bubbles_seen *seen, void *arg,
                           sp_error *err)
{
    frame_in_liquid f = {s, seen, arg};
    s->frame_substeps = 0;
    s->frame_seconds = t_end - s->time;
    SP_TRY(s->water ? sp_liquid_frame(s->water, t_end, see_substep, &f, err)
                    : frame_in_still_water(s, t_end, seen, arg, err));
    s->time = s->figures.time = t_end; // assigned, so that rounding does not accumulate over frames
    return SP_OK;
}
