// SPDX-License-Identifier: Apache-2.0
/// Runs the substeps of a frame, for every method, and measures the time of each stage.
#include "liquid/step.h"

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

sp_status liquid_timed(liquid *s, int stage, sp_status status)
{
    s->clock = sp_stage_end(&s->profile, stage, s->clock);
    return status;
}

/// After a substep of dt: advances the time and records the figures that frames report.
static void end_substep(liquid *s, double dt)
{
    enum { NOTED = sizeof s->frame_iterations / sizeof *s->frame_iterations };
    s->time += dt;
    s->last_dt = dt;
    s->figures.dt = dt;
    if (s->frame_steps < NOTED) s->frame_iterations[s->frame_steps] = s->figures.iterations;
    ++s->frame_steps;
    ++s->steps;
}

sp_status sp_liquid_step(liquid *s, double most, sp_error *err)
{
    const double dt = liquid_substep_length(s, most); // 1
    s->clock = sp_now(s->host);
    if (s->def.method == SP_LIQUID_EULERIAN)
        SP_TRY(liquid_step_eulerian(s, dt, err));
    else
        SP_TRY(liquid_step_flip(s, dt, err));
    end_substep(s, dt);
    if (!sp_scratch_settle(&s->scratch))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for a step");
    return liquid_check_finite(s, err);
}

sp_status sp_liquid_frame(liquid *s, double end, sp_liquid_seen *seen, void *arg, sp_error *err)
{
    s->frame_steps = 0;
    s->warned_residual = false;
    const double nearly = end * (1.0 - 1e-14);
    while (s->time < nearly) {
        SP_TRY(sp_liquid_step(s, end - s->time, err));
        if (seen) seen(arg, s);
        if (s->time < nearly) SP_TRY(sp_watch_check(s->watch, s->time, err));
    }
    s->time = end; // assigned, so that rounding does not accumulate over frames
    s->clock = sp_now(s->host);
    return liquid_timed(s, SP_LIQUID_STAGE_AERATION, liquid_aerate(s, err)); // 13
}
