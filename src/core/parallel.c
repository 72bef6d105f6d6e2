// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <math.h>

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

enum { SUM_BLOCK = 4096, SUM_WAVE = 64, LANES = 16 };

static double sum_block(const float *x, size_t n)
{
    double lane[LANES] = {0};
    const size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; ++l)
            lane[l] += (double)x[i + l];
    for (size_t i = whole; i < n; ++i)
        lane[i - whole] += (double)x[i];
    for (size_t width = LANES / 2; width > 0; width /= 2)
        for (size_t l = 0; l < width; ++l)
            lane[l] += lane[l + width];
    return lane[0];
}

typedef struct wave {
    const float *x;
    size_t n;
    double sum[SUM_WAVE];
    float max[SUM_WAVE];
} wave;

static void sum_blocks(void *arg, size_t begin, size_t end)
{
    wave *w = arg;
    for (size_t b = begin; b < end; ++b) {
        const size_t at = b * SUM_BLOCK, left = w->n - at;
        w->sum[b] = sum_block(w->x + at, left < SUM_BLOCK ? left : SUM_BLOCK);
    }
}

// Waves of 64 blocks keep the partial sums on the stack, however long the array.
double sp_sum(const sp_host *host, const float *x, size_t n)
{
    double total = 0.0;
    for (size_t at = 0; at < n; at += (size_t)SUM_BLOCK * SUM_WAVE) {
        const size_t left = n - at, most = (size_t)SUM_BLOCK * SUM_WAVE;
        wave w = {.x = x + at, .n = left < most ? left : most};
        const size_t count = (w.n + SUM_BLOCK - 1) / SUM_BLOCK;
        sp_parallel(host, count, 8, sum_blocks, &w);
        for (size_t b = 0; b < count; ++b)
            total += w.sum[b];
    }
    return total;
}

static void max_blocks(void *arg, size_t begin, size_t end)
{
    wave *w = arg;
    for (size_t b = begin; b < end; ++b) {
        const size_t at = b * SUM_BLOCK, left = w->n - at, n = left < SUM_BLOCK ? left : SUM_BLOCK;
        float max = -INFINITY;
        int nan = 0; // kept apart: a comparison alone would let the next number wash a NaN away
        for (size_t i = 0; i < n; ++i) {
            const float x = w->x[at + i];
            max = x > max ? x : max;
            nan |= x != x;
        }
        w->max[b] = nan ? NAN : max;
    }
}

float sp_max(const sp_host *host, const float *x, size_t n)
{
    float max = -INFINITY;
    for (size_t at = 0; at < n; at += (size_t)SUM_BLOCK * SUM_WAVE) {
        const size_t left = n - at, most = (size_t)SUM_BLOCK * SUM_WAVE;
        wave w = {.x = x + at, .n = left < most ? left : most};
        const size_t count = (w.n + SUM_BLOCK - 1) / SUM_BLOCK;
        sp_parallel(host, count, 8, max_blocks, &w);
        for (size_t b = 0; b < count; ++b)
            max = isnan(max) || w.max[b] <= max ? max : w.max[b];
    }
    return max;
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
