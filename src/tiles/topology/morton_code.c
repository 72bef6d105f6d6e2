// SPDX-License-Identifier: Apache-2.0
/// Morton codes put tiles that are close in space close in memory. A code holds three biased 21-bit
/// coordinates with their bits interleaved, x lowest: ... z1 y1 x1 z0 y0 x0.
#include "tiles/internal.h"

#include <string.h>

enum { BIAS = 1 << 20, DIGIT = 11, DIGITS = 6 }; // 6 x 11 bits cover the code's 63

uint64_t sp_morton_spread(int32_t coordinate)
{
    uint64_t v = (uint64_t)(coordinate + BIAS);
    v = (v | v << 32) & 0x001f00000000ffffu;
    v = (v | v << 16) & 0x001f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

/// Moves bit 3k back to bit k.
static uint32_t gather(uint64_t v)
{
    v &= 0x1249249249249249u;
    v = (v | v >> 2) & 0x10c30c30c30c30c3u;
    v = (v | v >> 4) & 0x100f00f00f00f00fu;
    v = (v | v >> 8) & 0x001f0000ff0000ffu;
    v = (v | v >> 16) & 0x001f00000000ffffu;
    return (uint32_t)(v | v >> 32) & 0x1fffffu;
}

uint64_t sp_tiles_morton(const int32_t at[3])
{
    return sp_morton_spread(at[0]) | sp_morton_spread(at[1]) << 1 | sp_morton_spread(at[2]) << 2;
}

void sp_morton_decode(uint64_t code, int32_t at[3])
{
    for (int a = 0; a < 3; ++a)
        at[a] = (int32_t)gather(code >> a) - BIAS;
}

bool sp_tiles_within_reach(const int32_t at[3])
{
    for (int a = 0; a < 3; ++a)
        if (at[a] < -SP_TILES_REACH || at[a] > SP_TILES_REACH) return false;
    return true;
}

// Radix sort from the lowest digit up. Digits in which all codes agree are skipped: a grid of a
// thousand tiles along each axis takes three or four passes. Serial, because tiles are few: one for
// 512 voxels.
void sp_morton_sort(uint64_t *codes, uint64_t *helper, size_t n)
{
    uint64_t varies = 0;
    bool sorted = true;
    for (size_t i = 1; i < n; ++i) {
        varies |= codes[i] ^ codes[0];
        sorted &= codes[i - 1] <= codes[i];
    }
    if (sorted) return;
    uint64_t *from = codes, *to = helper;
    for (int d = 0; d < DIGITS; ++d) {
        const int shift = d * DIGIT;
        const uint64_t mask = (1u << DIGIT) - 1;
        if (!(varies >> shift & mask)) continue;
        size_t place[(1 << DIGIT) + 1] = {0};
        for (size_t i = 0; i < n; ++i)
            ++place[(from[i] >> shift & mask) + 1];
        for (size_t b = 0; b < mask; ++b)
            place[b + 1] += place[b];
        for (size_t i = 0; i < n; ++i)
            to[place[from[i] >> shift & mask]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != codes) memcpy(codes, from, n * sizeof *codes);
}

size_t sp_morton_unique(uint64_t *codes, size_t n)
{
    if (n == 0) return 0;
    size_t kept = 1;
    for (size_t i = 1; i < n; ++i)
        if (codes[i] != codes[kept - 1]) codes[kept++] = codes[i];
    return kept;
}
