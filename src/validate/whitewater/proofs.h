// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_WHITEWATER_PROOFS_H
#define SP_VALIDATE_WHITEWATER_PROOFS_H

/// The proofs of whitewater.

#include "validate/validate.h"

sp_proof whitewater_prove_rise, whitewater_prove_fly;                            // surface_motion.c
sp_proof whitewater_prove_arrive, whitewater_prove_life, whitewater_prove_prune; // surface_foam.c
sp_proof whitewater_prove_rim;                                                   // surface_foam.c
sp_proof whitewater_prove_leap, whitewater_prove_calm, whitewater_prove_crest;   // surface_spray.c
sp_proof whitewater_prove_land;                                                  // surface_spray.c
sp_proof whitewater_prove_jump, whitewater_prove_ledger;                         // surface_all.c
sp_proof whitewater_prove_messages;                                         // surface_messages.c
sp_proof whitewater_prove_surface_same;                                     // surface_all.c
sp_proof whitewater_prove_emitted_volume, whitewater_prove_emitted_radii;   // emission.c
sp_proof whitewater_prove_emitted_places, whitewater_prove_emission_budget; // emission.c
sp_proof whitewater_prove_sources;                                          // emission.c
sp_proof whitewater_prove_emission_same;                                    // emission_same.c
sp_proof whitewater_prove_aeration, whitewater_prove_aeration_masks;        // emission_aeration.c
sp_proof whitewater_prove_aeration_gaps;                                    // emission_aeration.c
sp_proof whitewater_prove_splash, whitewater_prove_splash_voxels;           // emission_splash.c
sp_proof whitewater_prove_guided_vortex, whitewater_prove_guided_drop;      // guided_follow.c
sp_proof whitewater_prove_guided_speed, whitewater_prove_guided_fall;       // guided_rise.c
sp_proof whitewater_prove_guided_cloud, whitewater_prove_guided_number;     // guided_rise.c
sp_proof whitewater_prove_guided_momentum;                                  // guided_rise.c
sp_proof whitewater_prove_guided_same,
    whitewater_prove_guided_edges; // guided_same.c, guided_edges.c

#endif
