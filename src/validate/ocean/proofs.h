// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_OCEAN_PROOFS_H
#define SP_VALIDATE_OCEAN_PROOFS_H

/// The proofs of the ocean and what they share.

#include "ocean/internal.h"
#include "validate/validate.h"

sp_proof ocean_prove_spreading, ocean_prove_height, ocean_prove_rates;       // spectrum.c
sp_proof ocean_prove_variance, ocean_prove_period;                           // sea.c
sp_proof ocean_prove_one_wave, ocean_prove_surface_moves, ocean_prove_depth; // motion.c
sp_proof ocean_prove_divergence;                                             // motion.c
sp_proof ocean_prove_inverse, ocean_prove_refined, ocean_prove_seams;        // surface.c
sp_proof ocean_prove_folds, ocean_prove_same;                                // surface.c

/// ---- Seas and points to ask (cases.c) ----------------------------------------------------------

/// The default sea, 256 samples along an edge.
sp_ocean_def ocean_case_def(void);
/// Leaves one wave of a sea, along wavevector 2 pi (i, j)/patch with i > 0, with choppiness 1.
void ocean_case_one_wave(sp_bulk *bulk, int32_t i, int32_t j, double amplitude);

/// What is asked at COUNT points, and where.
enum { OCEAN_ASKED = 4000 };
typedef struct ocean_asked {
    double at[3][OCEAN_ASKED];
    float phi[OCEAN_ASKED], normal[3][OCEAN_ASKED], u[3][OCEAN_ASKED];
} ocean_asked;
/// At random over a square, at one height.
void ocean_asked_scatter(ocean_asked *a, double side, double y);
sp_status ocean_ask(ocean_asked *a, const sp_bulk *bulk, const sp_host *host, double t,
                    sp_error *err);
/// Moves points along the vertical to a depth below the surface, from answers for them.
void ocean_asked_sink(ocean_asked *a, double depth);

#endif
