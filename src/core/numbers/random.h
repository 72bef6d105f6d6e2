// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_RANDOM_H
#define SP_CORE_NUMBERS_RANDOM_H

#include "core/numbers/hash.h"

/// Random numbers depend only on their purpose, never on the order of calls: Philox4x32-10 with key
/// = mix(seed, purpose) and counter = (id, step, k). Nothing is stored.

typedef struct sp_random4 {
    uint32_t x[4];
} sp_random4;

/// Four independent 32-bit numbers.
sp_random4 sp_random(uint64_t seed, uint32_t purpose, uint64_t id, uint32_t step, uint32_t k);

/// Uniform in [0, 1) with 24 bits, and in (0, 1) with 23 bits, safe for a logarithm. With 24 bits
/// the added half would not fit a float and the largest value would round to 1.
static inline float sp_unit(uint32_t x)
{
    return (float)(x >> 8) * 0x1p-24f;
}
static inline float sp_unit_open(uint32_t x)
{
    return ((float)(x >> 9) + 0.5f) * 0x1p-23f;
}

/// One id for a pair, in either order.
static inline uint64_t sp_pair_id(uint64_t a, uint64_t b)
{
    return sp_mix64(a < b ? a : b) ^ sp_mix64(~(a < b ? b : a));
}

#endif
