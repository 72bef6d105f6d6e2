// SPDX-License-Identifier: Apache-2.0
#include "core/numbers/half.h"

#include "core/host/parallel.h"

#include <math.h>

enum { GRAIN = 1 << 16 };

typedef struct job {
    float *floats;
    uint16_t *halves;
} job;

bool sp_halves_fit(size_t n, const float *x)
{
    unsigned beyond = 0;
    for (size_t i = 0; i < n; ++i)
        beyond |= !(fabsf(x[i]) <= SP_HALF_LARGEST); // also NaN
    return !beyond;
}

static void to_halves(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    for (size_t i = begin; i < end; ++i)
        j->halves[i] = sp_half_of_float(j->floats[i]);
}

static void to_floats(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    for (size_t i = begin; i < end; ++i)
        j->floats[i] = sp_float_of_half(j->halves[i]);
}

void sp_halves_of_floats(const sp_host *host, size_t n, const float *from, uint16_t *to)
{
    job j = {.floats = (float *)(uintptr_t)from, .halves = to};
    sp_parallel(host, n, GRAIN, to_halves, &j);
}

void sp_floats_of_halves(const sp_host *host, size_t n, const uint16_t *from, float *to)
{
    job j = {.floats = to, .halves = (uint16_t *)(uintptr_t)from};
    sp_parallel(host, n, GRAIN, to_floats, &j);
}
