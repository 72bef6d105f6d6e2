// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_ROUNDS_H
#define SP_BENCH_ROUNDS_H

/// Shared by benchmarks of whole solvers: a list of cases, each run on one thread and then on all.

#include "bench/bench.h"
#include "core/core.h"

typedef struct sp_bench_list {
    size_t count;
    const char *(*name)(size_t k);
    bool (*on_request)(
        size_t k); ///< true: runs only on request and on all threads; NULL: no such case
    void (*header)(const sp_bench_context *context);
    /// Measures case k and prints it. *one_s is the wall time on one thread, 0 if not known yet;
    /// the run on one thread sets it.
    sp_status (*run)(const sp_bench_context *context, size_t k, const sp_host *host, double *one_s,
                     sp_error *err);
} sp_bench_list;

/// Runs the cases that the context selects; returns the exit status.
int sp_bench_rounds(const sp_bench_context *context, const sp_bench_list *list);

#endif
