// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_WHITEWATER_PROOFS_H
#define SP_VALIDATE_WHITEWATER_PROOFS_H

/// The proofs of whitewater and what they share.

#include "validate/validate.h"

sp_proof whitewater_prove_emitted_volume, whitewater_prove_emitted_radii;   // emission.c
sp_proof whitewater_prove_emitted_places, whitewater_prove_emission_budget; // emission.c
sp_proof whitewater_prove_sources;                                          // emission.c
sp_proof whitewater_prove_emission_same;                                    // emission_same.c
sp_proof whitewater_prove_aeration, whitewater_prove_aeration_masks;        // emission_aeration.c
sp_proof whitewater_prove_aeration_gaps;                                    // emission_aeration.c
sp_proof whitewater_prove_splash, whitewater_prove_splash_voxels;           // emission_splash.c

#endif
