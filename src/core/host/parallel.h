// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_HOST_PARALLEL_H
#define SP_CORE_HOST_PARALLEL_H

#include <spume/host.h>

#include <stdint.h>

/// Works on elements [begin, end).
typedef void sp_range_body(void *arg, size_t begin, size_t end);

/// Cuts [0, n) into blocks of `grain` and runs them in parallel. The cut does not depend on the
/// number of threads. With one block (n <= grain) or one thread the body runs at once in the
/// calling thread, so a small loop costs one call. Choose a grain that takes some ten microseconds.
void sp_parallel(const sp_host *host, size_t n, size_t grain, sp_range_body *body, void *arg);

/// Exclusive prefix sum: out[i] = in[0] + ... + in[i-1]. Returns the total.
uint32_t sp_scan(uint32_t *counts, size_t n);

#endif
