// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_H
#define SP_BENCH_H

/// Benchmarks that are part of the program (`spume bench NAME`). Each prints one line a case: JSON
/// with "bench", "case", "threads", figures named with their units and the "hash" of the result, or
/// a row of an aligned table.

#include <stdbool.h>
#include <stdio.h>

typedef struct sp_bench_context {
    bool json;          ///< JSON lines rather than a table
    int threads;        ///< 0: one thread and then all there are; else this many alone
    const char *filter; ///< run only cases whose name contains this; NULL runs all
    FILE *out;
} sp_bench_context;

/// Each returns 0, or an exit status after saying on stderr what went wrong.
int sp_bench_liquid(const sp_bench_context *context);
int sp_bench_neighbours(const sp_bench_context *context);
int sp_bench_poisson(const sp_bench_context *context);
int sp_bench_pond(const sp_bench_context *context);
int sp_bench_render(const sp_bench_context *context);
int sp_bench_sph(const sp_bench_context *context);
int sp_bench_stream(const sp_bench_context *context);
int sp_bench_surface(const sp_bench_context *context);

#endif
