// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_SPH_PROOFS_H
#define SP_VALIDATE_SPH_PROOFS_H

/// The proofs of particle water and what they share.

#include "sph/internal.h"
#include "validate/scene.h"
#include "validate/validate.h"

sp_proof sph_prove_kernel, sph_prove_factor;                          // kernel.c
sp_proof sph_prove_lattice, sph_prove_neighbours;                     // lattice.c
sp_proof sph_prove_still, sph_prove_still_long, sph_prove_deep;       // still.c
sp_proof sph_prove_dam, sph_prove_dam_long, sph_prove_dam_large;      // dam.c
sp_proof sph_prove_jet, sph_prove_jets;                               // jets.c
sp_proof sph_prove_packed, sph_prove_momentum;                        // free.c
sp_proof sph_prove_drop;                                              // free.c
sp_proof sph_prove_same, sph_prove_resume;                            // same.c
sp_proof sph_prove_air_momentum, sph_prove_buoyancy, sph_prove_clump; // air.c
sp_proof sph_prove_rise, sph_prove_merge, sph_prove_surface;          // rise.c
sp_proof sph_prove_foam_life, sph_prove_foam_count;                   // foam.c
sp_proof sph_prove_pour, sph_prove_jet_steps, sph_prove_inflows;      // trapped.c
sp_proof sph_prove_calm;                                              // calm.c

/// ---- What they share (cases.c)

/// A scene in the making: a tank whose low corner is the zero point, water, jets. Everything else
/// is as sp_sph_keys says; change def before opening.
typedef struct sph_case {
    sp_sph_def def;
    proof_scene scene;
    sp_box_def tank;
    sp_sph_seeder_def seeder[4];
    uint64_t seed;
} sph_case;

/// An open tank of these inner sides (m) with spacing d; a side of n d + d holds n layers.
void sph_case_tank(sph_case *c, float x, float y, float z, float d);
void sph_case_nothing(sph_case *c, float d); ///< no tank
sp_sph_seeder_def *sph_case_seed(sph_case *c, sp_box_def box, float rate);
/// Places particles one by one before the first step: air, or water where none is filled.
size_t sph_case_add(sph *s, sph_phase *phase, float x, float y, float z, sp_error *err);
sp_setup sph_case_setup(const sph_case *c);
sp_status sph_case_open(sph_case *c, const sp_host *host, sph **out, sp_error *err);
/// Opens a case for a proof and closes it afterwards.
typedef sp_status sph_case_proof(sp_check_report *report, sph *s, sp_error *err);
sp_status sph_case_prove(sp_check_report *report, sph_case *c, sph_case_proof *proof,
                         sp_error *err);
/// Steps until a time, exactly.
sp_status sph_case_run(sph *s, double until, sp_error *err);

/// Compression over a run, measured at the start of each step with new neighbour lists.
typedef struct sph_watch {
    size_t steps;
    size_t above;     ///< steps that began with more than 1.5 %
    size_t far_above; ///< the same with 3 %: now, in a row
    size_t longest;   ///< and at most in a row
    double worst, worst_mean;
} sph_watch;
sp_status sph_case_step(sph *s, double until, sph_watch *watch, sp_error *err);
sp_status sph_case_watch(sph *s, double until, sph_watch *watch, sp_error *err);
/// Water particles below the tank, beside it under its rim, at NaN, or already removed; those in
/// pipes do not count.
size_t sph_case_lost(const sph_case *c, const sph *s);

#endif
