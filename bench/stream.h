// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_STREAM_H
#define SP_BENCH_STREAM_H

#include <spume/host.h>

/// STREAM's triad, a = b + 3c, over arrays far larger than any cache, best of several rounds: bytes
/// per second, 12 bytes per element. 0: no memory.
double sp_bench_triad(const sp_host *host);

#endif
