// SPDX-License-Identifier: Apache-2.0
#include "core/numbers/hash.h"

#include <string.h>

#define P1 0x9e3779b185ebca87u
#define P2 0xc2b2ae3d27d4eb4fu
#define P3 0x165667b19e3779f9u
#define P4 0x85ebca77c2b2ae63u
#define P5 0x27d4eb2f165667c5u

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static uint64_t read64(const unsigned char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x); // Spume's machines are little-endian
    return x;
}

static uint64_t read32(const unsigned char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t eat(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * P2, 31) * P1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ eat(0, lane)) * P1 + P4;
}

uint64_t sp_hash(uint64_t seed, const void *bytes, size_t count)
{
    if (count == 0) bytes = "";
    const unsigned char *p = bytes, *const end = p + count;
    uint64_t h = seed + P5;
    if (count >= 32) {
        uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
        for (; end - p >= 32; p += 32) {
            a = eat(a, read64(p));
            b = eat(b, read64(p + 8));
            c = eat(c, read64(p + 16));
            d = eat(d, read64(p + 24));
        }
        h = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        h = merge(merge(merge(merge(h, a), b), c), d);
    }
    h += count;
    for (; end - p >= 8; p += 8)
        h = rotate(h ^ eat(0, read64(p)), 27) * P1 + P4;
    if (end - p >= 4) {
        h = rotate(h ^ read32(p) * P1, 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; ++p)
        h = rotate(h ^ *p * P5, 11) * P1;
    h = (h ^ (h >> 33)) * P2;
    h = (h ^ (h >> 29)) * P3;
    return h ^ (h >> 32);
}
