// SPDX-License-Identifier: Apache-2.0
#include "core/numbers/exact_sum.h"

#include <math.h>
#include <string.h>

enum { BITS = 32, LOWEST = -1074 }; ///< used bits of a bin; exponent of bin 0
static const uint32_t carry_after = 1u << 30;

/// Propagates carries: leaves 32 bits in each bin but the last, which holds the sign.
static void carry(int64_t bin[SP_EXACT_BINS])
{
    for (int k = 0; k + 1 < SP_EXACT_BINS; ++k) {
        const int64_t rest = bin[k] & INT64_C(0xffffffff);
        bin[k + 1] += (bin[k] - rest) / (INT64_C(1) << BITS);
        bin[k] = rest;
    }
}

static void make_room(sp_exact_sum *sum)
{
    carry(sum->bin);
    sum->added = 1; // after a carry, bins are as full as after one added number
}

void sp_exact_add(sp_exact_sum *sum, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const unsigned exponent = (unsigned)(bits >> 52) & 0x7ffu;
    if (exponent == 0x7ffu) {
        sum->not_finite += x;
        return;
    }
    if (sum->added >= carry_after) make_room(sum);
    ++sum->added;
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const uint64_t digits = exponent ? fraction | UINT64_C(1) << 52 : fraction;
    const unsigned place = exponent ? exponent - 1 : 0, shift = place % BITS; // of the lowest digit
    const uint64_t low = digits << shift, high = shift ? digits >> (64 - shift) : 0;
    const int64_t sign = bits >> 63 ? -1 : 1;
    int64_t *bin = sum->bin + place / BITS;
    bin[0] += sign * (int64_t)(low & 0xffffffffu);
    bin[1] += sign * (int64_t)(low >> BITS);
    bin[2] += sign * (int64_t)high;
}

void sp_exact_join(sp_exact_sum *sum, const sp_exact_sum *other)
{
    if (sum->added + other->added > carry_after) make_room(sum);
    for (int k = 0; k < SP_EXACT_BINS; ++k)
        sum->bin[k] += other->bin[k];
    sum->added += other->added;
    sum->not_finite += other->not_finite;
}

/// The bins of the sum's absolute value; returns the sign.
static int magnitude(const sp_exact_sum *sum, int64_t bin[SP_EXACT_BINS])
{
    memcpy(bin, sum->bin, sizeof sum->bin);
    carry(bin);
    if (bin[SP_EXACT_BINS - 1] >= 0) return 1;
    for (int k = 0; k < SP_EXACT_BINS; ++k)
        bin[k] = -bin[k];
    carry(bin);
    return -1;
}

/// Rounds the bins from `top` down to a mantissa of 53 bits.
static double round_below(const int64_t bin[SP_EXACT_BINS], int top)
{
    const uint64_t a = (uint64_t)bin[top], b = (uint64_t)bin[top - 1], c = (uint64_t)bin[top - 2];
    int length = 0; // of a, in bits
    while (length < BITS && a >> length)
        ++length;
    const uint64_t first =
        ((a << BITS | b) << (BITS - length)) | c >> length; // 64 bits, the highest is 1
    uint64_t rest = c & ((UINT64_C(1) << length) - 1);
    for (int k = top - 3; k >= 0 && rest == 0; --k)
        rest |= (uint64_t)bin[k];
    const uint64_t digits = first >> 11, half = 0x400, tail = first & 0x7ff;
    const int up = tail > half || (tail == half && (rest || digits & 1));
    return ldexp((double)(digits + (uint64_t)up), BITS * top + length - 53 + LOWEST);
}

double sp_exact_round(const sp_exact_sum *sum)
{
    int64_t bin[SP_EXACT_BINS];
    if (sum->not_finite != 0.0) return isnan(sum->not_finite) ? (double)NAN : sum->not_finite;
    const int sign = magnitude(sum, bin);
    int top = SP_EXACT_BINS - 1;
    while (top > 1 && bin[top] == 0)
        --top;
    if (top == 1)
        return sign * ldexp((double)((uint64_t)bin[1] << BITS | (uint64_t)bin[0]), LOWEST);
    return sign * round_below(bin, top);
}

double sp_exact_total(const double *x, size_t count, size_t stride)
{
    sp_exact_sum sum = {0};
    for (size_t i = 0; i < count; ++i)
        sp_exact_add(&sum, x[i * stride]);
    return sp_exact_round(&sum);
}
