// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_STREAM_H
#define SP_BENCH_STREAM_H

#include <spume/host.h>

/// a = b + 3c over arrays far beyond any cache (STREAM's triad), best of several rounds: bytes a
/// second, 12 for each element. 0: no memory.
double sp_bench_triad(const sp_host *host);

#endif
