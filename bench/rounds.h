// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_ROUNDS_H
#define SP_BENCH_ROUNDS_H

/// What benchmarks of whole solvers have in common: a list of cases, each run on one thread and then
/// on all.

#include "bench/bench.h"
#include "core/core.h"

typedef struct sp_bench_list {
    size_t count;
    const char *(*name)(size_t k);
    bool (*aside)(size_t k); ///< only when asked for, and on all threads only; NULL: none is
    void (*header)(const sp_bench_context *context);
    /// Measures case k and prints it. *one_s is the wall time on one thread, 0 while it is not
    /// known; whoever measures it leaves it there.
    sp_status (*run)(const sp_bench_context *context, size_t k, const sp_host *host, double *one_s,
                     sp_error *err);
} sp_bench_list;

/// Runs those that the context asks for; returns what a benchmark returns.
int sp_bench_rounds(const sp_bench_context *context, const sp_bench_list *list);

#endif
