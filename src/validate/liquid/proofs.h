// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_LIQUID_PROOFS_H
#define SP_VALIDATE_LIQUID_PROOFS_H

/// The proofs of bulk water and what they share.

#include "liquid/internal.h"
#include "validate/scene.h"
#include "validate/validate.h"

sp_proof liquid_prove_still, liquid_prove_still_long, liquid_prove_slope, liquid_prove_slope_long,
    liquid_prove_still_flip,
    liquid_prove_still_flip_long; // still.c
sp_proof liquid_prove_iterations; // solve.c
sp_proof liquid_prove_aeration;   // aeration.c
sp_proof liquid_prove_divergence, liquid_prove_divergence_scenes,
    liquid_prove_divergence_long;                    // divergence.c
sp_proof liquid_prove_zalesak, liquid_prove_enright; // advect.c; the second takes seconds
sp_proof liquid_prove_dam, liquid_prove_dam_long;    // dam.c
sp_proof liquid_prove_wave, liquid_prove_wave_long;  // wave.c
sp_proof liquid_prove_piston, liquid_prove_drum, liquid_prove_drum_flip,
    liquid_prove_outside;                                                 // solids.c
sp_proof liquid_prove_bodies, liquid_prove_bodies_fast;                   // bodies.c
sp_proof liquid_prove_fall, liquid_prove_fall_long, liquid_prove_tension; // drop.c
sp_proof liquid_prove_flow, liquid_prove_flow_long, liquid_prove_outflow, liquid_prove_level,
    liquid_prove_level_long;                     // flow.c
sp_proof liquid_prove_same, liquid_prove_resume; // same.c
sp_proof liquid_prove_drift, liquid_prove_drift_long, liquid_prove_drift_eulerian,
    liquid_prove_hold,
    liquid_prove_hold_long;                             // drift.c
sp_proof liquid_prove_dam_runs, liquid_prove_drop_runs; // scenes.c

/// ---- What they share (cases.c) --------------------------------------------------------

/// A scene in the making. Everything else is as sp_liquid_keys says; change def before opening.
typedef struct liquid_case {
    sp_liquid_def def;
    sp_domain_def domain;
    proof_scene scene;
    uint64_t seed;
} liquid_case;

/// A domain of these sides (m) from the zero point on, all walls but the top, with nothing in it.
/// Aeration is off, unlike in scenes: only one proof measures it.
void liquid_case_domain(liquid_case *c, int method, float x, float y, float z, float voxel);
sp_setup liquid_case_setup(const liquid_case *c);
sp_status liquid_case_open(liquid_case *c, const sp_host *host, liquid **out, sp_error *err);
/// Steps until a time, exactly, with frames of 1/24 s.
sp_status liquid_case_run(liquid *s, double until, sp_error *err);
/// The same, and asks `look` after each substep.
sp_status liquid_case_watch(liquid *s, double until, sp_liquid_seen *look, void *arg,
                            sp_error *err);

/// The scenes dam_break and drop, with voxels of this size (scenes.c).
void liquid_make_dam_break(liquid_case *c, float voxel);
void liquid_make_drop(liquid_case *c, float voxel);

/// Particles inside of solids, as the water sees them or as they are, and how deep in the bodies
/// themselves the deepest is, voxels: *deepest where that is more (solids.c).
size_t liquid_count_inside(const liquid *s, double *deepest);
/// Largest and root-mean-square speed of the water (at faces that it touches), m/s.
typedef struct liquid_speeds {
    double most, rms;
} liquid_speeds;
liquid_speeds liquid_case_speeds(const liquid *s);

/// The voxels whose centres lie within the domain, in order:
///     for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);)
typedef struct liquid_voxel {
    size_t at, next; ///< places in fields: of this voxel, and where to look for the next
    double p[3];     ///< its centre, m
} liquid_voxel;
bool liquid_next_voxel(const liquid *s, liquid_voxel *v);
/// Share of a voxel that is water, by phi, as if there were no solids.
static inline double liquid_share(const liquid *s, size_t at)
{
    const double share = 0.5 - (double)(s->grid.phi[at] / s->grid.voxel);
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}
/// Velocity at the centre of a voxel, m/s.
void liquid_velocity_of(const liquid *s, size_t at, double u[3]);
/// Mean place (m) and velocity (m/s) of the water within the domain.
void liquid_mean(const liquid *s, double place[3], double velocity[3]);

#endif
