// SPDX-License-Identifier: Apache-2.0
#include "core/host/parallel.h"

typedef struct blocks {
    sp_range_body *body;
    void *arg;
    size_t n, grain;
} blocks;

static void run_block(void *arg, size_t block)
{
    const blocks *b = arg;
    const size_t begin = block * b->grain, end = begin + b->grain;
    b->body(b->arg, begin, end < b->n ? end : b->n);
}

void sp_parallel(const sp_host *host, size_t n, size_t grain, sp_range_body *body, void *arg)
{
    if (n == 0) return;
    if (n <= grain || host->threads <= 1) {
        body(arg, 0, n);
        return;
    }
    blocks b = {body, arg, n, grain};
    host->parallel_for(host->user, (n + grain - 1) / grain, run_block, &b);
}

uint32_t sp_scan(uint32_t *counts, size_t n)
{
    uint32_t total = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t count = counts[i];
        counts[i] = total;
        total += count;
    }
    return total;
}
