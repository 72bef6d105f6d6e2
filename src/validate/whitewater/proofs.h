// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_WHITEWATER_PROOFS_H
#define SP_VALIDATE_WHITEWATER_PROOFS_H

/// The proofs of whitewater and what they share.

#include "validate/validate.h"

sp_proof whitewater_prove_guided_vortex, whitewater_prove_guided_drop;  // guided_follow.c
sp_proof whitewater_prove_guided_speed, whitewater_prove_guided_fall;   // guided_rise.c
sp_proof whitewater_prove_guided_cloud, whitewater_prove_guided_number; // guided_rise.c
sp_proof whitewater_prove_guided_momentum;                              // guided_rise.c
sp_proof whitewater_prove_guided_same,
    whitewater_prove_guided_edges; // guided_same.c, guided_edges.c

#endif
