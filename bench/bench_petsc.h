// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_PETSC_H
#define SP_BENCH_PETSC_H

/// Solves the same systems with other solvers: PETSc's conjugate gradients with hypre's BoomerAMG
/// and with PETSc's GAMG, on a matrix assembled from the same faces, in double, one process and one
/// thread. The settings were the fastest of several (docs/poisson.md). Only in builds with
/// -DSPUME_BENCH_PETSC=ON; otherwise nothing is printed.

#include "bench/bench.h"
#include "validate/poisson/cases.h"

#if defined(SPUME_BENCH_PETSC)
/// x: our solution. ours: CPU seconds of build and solve to 1e-6, on one thread.
sp_status sp_bench_petsc(const sp_bench_context *context, const char *name,
                         const sp_poisson_case *c, const float *x, double ours, sp_error *err);
#else
static inline sp_status sp_bench_petsc(const sp_bench_context *context, const char *name,
                                       const sp_poisson_case *c, const float *x, double ours,
                                       sp_error *err)
{
    (void)context, (void)name, (void)c, (void)x, (void)ours, (void)err;
    return SP_OK;
}
#endif

#endif
