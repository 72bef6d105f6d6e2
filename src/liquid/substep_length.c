// SPDX-License-Identifier: Apache-2.0
/// Chooses the length of a substep.
#include "liquid/internal.h"

static double gravity_of(const liquid *s)
{
    double g = 0.0;
    for (int a = 0; a < 3; ++a)
        g += (double)s->gravity[a] * (double)s->gravity[a];
    return sqrt(g);
}

/// The longest step that cfl allows. Water that falls from rest reaches sqrt(voxel*g) within a
/// voxel.
static double allowed_dt(const liquid *s)
{
    const double h = (double)s->grid.voxel, fall = sqrt(h * gravity_of(s));
    double v = fmax(s->figures.speed, sp_solids_speed(s->solids.bodies));
    v = fmax(v, liquid_emitters_speed(s, s->time + 2.0 * s->last_dt));
    double dt = (double)s->def.cfl * h / fmax(v + fall, 1e-12);
    // Ripples two voxels long oscillate with w^2 = 8.9 g/h where the surface lies just above voxel
    // centres (all faces of such a voxel count, though half of it is air). Steps longer than 2/w
    // would amplify them.
    if (fall > 0.0) dt = fmin(dt, 0.65 * h / fall);
    if (s->def.surface_tension > 0.0f) // bound for capillary waves one voxel long
        dt = fmin(dt,
                  0.3 * sqrt((double)s->def.density * h * h * h / (double)s->def.surface_tension));
    return s->phase ? fmin(dt, s->phase->longest(s->phase->arg)) : dt;
}

/// Warns once which bound a step of `dt` exceeds.
static void warn_of_max_steps(liquid *s, double dt, double allowed)
{
    const double cfl = dt * s->figures.speed / (double)s->grid.voxel;
    if (s->warned_max_steps) return;
    s->warned_max_steps = true;
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

/// Divides the rest of the frame into equal substeps, so that no very short one remains.
double liquid_substep_length(liquid *s, double most)
{
    if (s->second_of_pair) return fmin(most, s->last_dt); // both substeps of a pair have one length
    const double dt = allowed_dt(s);
    double steps = fmax(1.0, ceil(most / dt - 1e-9));
    steps = fmax(steps, s->def.min_steps - s->frame_steps);
    const double left = fmax(1.0, s->def.max_steps - s->frame_steps);
    if (steps > left) {
        steps = left;
        warn_of_max_steps(s, most / steps, dt);
    }
    if (liquid_has_pairs(&s->def)) steps = 2.0 * ceil(0.5 * steps);
    return most / steps;
}
