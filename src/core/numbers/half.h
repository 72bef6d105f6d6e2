// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_HALF_H
#define SP_CORE_NUMBERS_HALF_H

/// Half precision: 1 sign, 5 exponent and 10 fraction bits (IEEE 754 binary16).

#include <spume/host.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Largest finite half. Numbers up to it are rounded by at most 2^-11 of their value, and by 2^-25
/// where they are smaller than 2^-14.
#define SP_HALF_LARGEST 65504.0f

/// Rounds to the nearest half, ties to even. |x| must be at most SP_HALF_LARGEST.
static inline uint16_t sp_half_of_float(float x)
{
    uint32_t bits, small_bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits & 0x80000000u, size = bits ^ sign;
    // From 2^-14 on: shift the exponent's bias from 127 to 15 and round the 13 lost bits.
    const uint32_t normal = (size - (112u << 23) + 0xfffu + ((size >> 13) & 1u)) >> 13;
    // Below: adding 0.5 leaves multiples of 2^-24 in the last bits, rounded by the addition.
    float small;
    memcpy(&small, &size, sizeof small);
    small += 0.5f;
    memcpy(&small_bits, &small, sizeof small_bits);
    const uint32_t rounded = size < 113u << 23 ? small_bits - 0x3f000000u : normal;
    return (uint16_t)(rounded | sign >> 16);
}

/// Exact.
static inline float sp_float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, size = half & 0x7fffu;
    uint32_t bits = size << 13;
    if (size >= 0x7c00u)
        bits += 224u << 23; // infinite or NaN
    else
        bits += 112u << 23;
    if (size < 0x400u) { // a multiple of 2^-24
        const float small = (float)size * 0x1p-24f;
        memcpy(&bits, &small, sizeof bits);
    }
    bits |= sign;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// Whether all of n numbers are finite and at most SP_HALF_LARGEST.
bool sp_halves_fit(size_t n, const float *x);
void sp_halves_of_floats(const sp_host *host, size_t n, const float *from, uint16_t *to);
void sp_floats_of_halves(const sp_host *host, size_t n, const uint16_t *from, float *to);

#endif
