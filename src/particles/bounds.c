// SPDX-License-Identifier: Apache-2.0
/// The bounding box of particles, and trimming it to where most of them are.
#include "particles/internal.h"

enum { BOUNDS_BLOCKS = 64 };

typedef struct bounding {
    const float *x;
    size_t n, block;
    float low[BOUNDS_BLOCKS], high[BOUNDS_BLOCKS];
    bool wrong[BOUNDS_BLOCKS];
} bounding;

/// Minimum and maximum of one block of one axis. x - x is 0 except for infinities and NaN.
static void bound_blocks(void *arg, size_t begin, size_t end)
{
    bounding *b = arg;
    for (size_t k = begin; k < end; ++k) {
        const size_t from = k * b->block, left = b->n - from,
                     to = left < b->block ? left : b->block;
        const float *x = b->x + from;
        sp_f16 low = sp_f16_all(x[0]), high = low, odd = low - low;
        size_t i = 0;
        for (; i + SP_LANES <= to; i += SP_LANES) {
            const sp_f16 v = sp_f16_load(x + i);
            low = sp_f16_min(v, low);
            high = sp_f16_max(v, high);
            odd += v - v;
        }
        for (; i < to; ++i) {
            low[0] = x[i] < low[0] ? x[i] : low[0];
            high[0] = x[i] > high[0] ? x[i] : high[0];
            odd[0] += x[i] - x[i];
        }
        b->low[k] = low[0], b->high[k] = high[0];
        for (int l = 1; l < SP_LANES; ++l) {
            b->low[k] = low[l] < b->low[k] ? low[l] : b->low[k];
            b->high[k] = high[l] > b->high[k] ? high[l] : b->high[k];
        }
        b->wrong[k] = sp_f16_sum(odd) != 0.0f; // true for NaN
    }
}

static sp_status name_wrong(int dims, size_t n, const float *const position[3], sp_error *err)
{
    size_t i = 0;
    int axis = 0;
    while (i < n && isfinite(position[axis][i])) {
        axis = (axis + 1) % dims;
        i += axis == 0;
    }
    return sp_fail(err, SP_DIVERGED, "particles: particle %zu is at (%g, %g, %g); expected finite",
                   i, (double)position[0][i], (double)position[1][i],
                   dims == 3 ? (double)position[2][i] : 0.0);
}

sp_status sp_bounds(const sp_host *host, int dims, size_t n, const float *const position[3],
                    float low[3], float high[3], sp_error *err)
{
    bool wrong = false;
    for (int a = 0; a < 3; ++a) {
        low[a] = high[a] = 0.0f;
        if (a >= dims || n == 0) continue;
        size_t block = sp_pad16(n / BOUNDS_BLOCKS + 1);
        if (block < 1 << 14) block = 1 << 14;
        const size_t blocks = (n + block - 1) / block;
        bounding b = {.x = position[a], .n = n, .block = block};
        sp_parallel(host, blocks, 1, bound_blocks, &b);
        low[a] = b.low[0], high[a] = b.high[0];
        for (size_t k = 0; k < blocks; ++k) {
            low[a] = b.low[k] < low[a] ? b.low[k] : low[a];
            high[a] = b.high[k] > high[a] ? b.high[k] : high[a];
            wrong |= b.wrong[k];
        }
    }
    return wrong ? name_wrong(dims, n, position, err) : SP_OK;
}

/// Whether most particles lie below x. Tests all of them: a sample would depend on their order.
static bool mostly_below(const float *position, size_t n, float x)
{
    size_t below = 0;
    for (size_t i = 0; i < n; ++i)
        below += position[i] < x;
    return 2 * below > n;
}

void sp_bounds_trim(int dims, size_t n, const float *const position[3], float edge, double most,
                    double most_along, float low[3], float high[3])
{
    for (;;) {
        double cells = 1.0, side = 0.0;
        int longest = 0;
        for (int a = 0; a < dims; ++a) {
            const double along = ((double)high[a] - (double)low[a]) / (double)edge + 3.0;
            cells *= along;
            if (along > side) side = along, longest = a;
        }
        if (cells < most && side < most_along) return;
        float *from = low + longest, *to = high + longest;
        const float middle = 0.5f * *from + 0.5f * *to;
        if (!(middle > *from && middle < *to))
            *to = *from; // the edge is below the spacing of floats here
        else if (mostly_below(position[longest], n, middle))
            *to = middle;
        else
            *from = middle;
    }
}
