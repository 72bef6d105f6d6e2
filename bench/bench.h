// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_H
#define SP_BENCH_H

/// Benchmarks of the program (`spume bench NAME`). Each prints one line per case: JSON with
/// "bench", "case", "threads", figures named with their units and the "hash" of the result, or a
/// row of an aligned table.

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sp_bench_context {
    bool json;          ///< JSON lines rather than a table
    int threads;        ///< 0: one thread, then all; else only this many
    const char *filter; ///< run only cases whose name contains this; NULL runs all
    FILE *out;
} sp_bench_context;

typedef struct sp_bench {
    const char *name;
    const char *(*case_name)(size_t k); ///< NULL after the last
    /// Called when at least one case passes the filter. Returns 0, or an exit status after writing
    /// an error to stderr.
    int (*run)(const sp_bench_context *context);
} sp_bench;

extern const sp_bench sp_bench_bubbles, sp_bench_guided, sp_bench_liquid, sp_bench_neighbours,
    sp_bench_ocean, sp_bench_poisson, sp_bench_pond, sp_bench_render, sp_bench_sph, sp_bench_stream,
    sp_bench_surface, sp_bench_whitewater;

#endif
