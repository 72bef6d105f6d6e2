// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_CASES_H
#define SP_VALIDATE_CASES_H

/// What proofs of several rooms share: hashes of solvers, solvers that are saved and restored, medians and
/// rank correlations.

#include "solver/solver.h"

/// The hash of the frame that a solver publishes.
sp_status proof_hash(const sp_solver_type *type, void *solver, uint64_t *hash, sp_error *err);
/// Saves a solver, closes it, and restores it into another one opened from the same setup. On
/// failure *solver is open or NULL.
sp_status proof_reopen(const sp_solver_type *type, const sp_setup *setup, const sp_host *host,
                       void **solver, sp_error *err);
/// Sorts the values; the mean of the middle two where n is even.
double proof_median(double *values, size_t n);

typedef struct proof_sample {
    double size, speed;
    double rank[2]; ///< of both, set by proof_rank_correlation()
} proof_sample;
/// Spearman's rank correlation of size and speed; changes the order of the samples.
double proof_rank_correlation(proof_sample *all, size_t n);

#endif
