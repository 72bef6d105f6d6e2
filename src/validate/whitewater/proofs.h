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
sp_proof whitewater_prove_messages;     // surface_messages.c
sp_proof whitewater_prove_surface_same; // surface_all.c

#endif
