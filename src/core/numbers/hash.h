// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_HASH_H
#define SP_CORE_NUMBERS_HASH_H

#include <stddef.h>
#include <stdint.h>

/// 64-bit hash of bytes (XXH64), for digests of files and of states. Not cryptographic. To hash
/// several arrays, pass each result as the next seed.
uint64_t sp_hash(uint64_t seed, const void *bytes, size_t count);

/// Mixes 64 bits into 64 well-spread ones (splitmix64's finaliser).
static inline uint64_t sp_mix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
