// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_VALIDATE_H
#define SP_LIQUID_VALIDATE_H

/// What is proven about bulk water (`spume validate liquid`). Tables belong to sp_liquid_solver.

#include "liquid/internal.h"

enum {
    LIQUID_CHECKS = 6,
    LIQUID_ERRATA = 6
}; ///< as constants, so that sp_liquid_solver can hold them
extern const sp_check liquid_checks[LIQUID_CHECKS];
extern const sp_erratum liquid_errata[LIQUID_ERRATA];

typedef sp_status liquid_proof(sp_check_report *report, sp_error *err);
liquid_proof liquid_prove_still, liquid_prove_slope, liquid_prove_still_flip; // validate_still.c
liquid_proof liquid_prove_fall;                                               // validate_fall.c
liquid_proof liquid_prove_same, liquid_prove_resume;                          // validate_same.c

/// ---- What they share (validate_tools.c) --------------------------------------------------------

/// A scene in the making: a domain, water, solids. Everything else is as sp_liquid_keys says; change
/// def before opening.
typedef struct liquid_case {
    sp_liquid_def def;
    sp_world_def world;
    sp_domain_def domain;
    sp_collider_def solid[4];
    sp_box_def solid_box[4];
    sp_plane_def solid_plane[4];
    sp_cylinder_def solid_cylinder[4];
    sp_emitter_def emitter[4];
    sp_box_def box[4];
    sp_sphere_def ball[4];
    uint64_t seed;
} liquid_case;

/// A domain of these sides (m) from the zero point on, all walls but the top.
void liquid_case_domain(liquid_case *c, float x, float y, float z, float voxel);
sp_emitter_def *liquid_case_fill(liquid_case *c, const float min[3], const float max[3]);
sp_emitter_def *liquid_case_ball(liquid_case *c, const float center[3], float radius);
sp_emitter_def *liquid_case_flow(liquid_case *c, const float min[3], const float max[3],
                                 const float velocity[3]);
sp_collider_def *liquid_case_plane(liquid_case *c, const float point[3], const float normal[3]);
sp_collider_def *liquid_case_box(liquid_case *c, const float min[3], const float max[3]);
/// A hollow cylinder along z.
sp_collider_def *liquid_case_drum(liquid_case *c, const float center[3], float radius,
                                  float length);
sp_status liquid_case_open(liquid_case *c, const sp_host *host, liquid **out, sp_error *err);
/// Steps until a time, exactly, with frames of 1/24 s.
sp_status liquid_case_run(liquid *s, double until, sp_error *err);
/// The state's hash.
sp_status liquid_case_hash(liquid *s, uint64_t *hash, sp_error *err);

/// Largest and root-mean-square speed of the water (at faces that it touches), m/s.
typedef struct liquid_speeds {
    double most, rms;
} liquid_speeds;
liquid_speeds liquid_case_speeds(const liquid *s);

static inline void liquid_put(sp_check_report *report, sp_judge judge, const char *what,
                              double measured, double expected, double tolerance, const char *why)
{
    sp_check_put(report, (sp_check_row){what, measured, expected, tolerance, judge, why});
}

#endif
