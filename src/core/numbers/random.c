// SPDX-License-Identifier: Apache-2.0
#include "core/numbers/random.h"

sp_random4 sp_random(uint64_t seed, uint32_t purpose, uint64_t id, uint32_t step, uint32_t k)
{
    const uint64_t key = sp_mix64(seed ^ (uint64_t)purpose * 0xd1342543de82ef95u);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)id, c1 = (uint32_t)(id >> 32), c2 = step, c3 = k;
    for (int round = 0; round < 10; ++round) {
        const uint64_t p0 = (uint64_t)0xd2511f53u * c0, p1 = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9u; // the golden ratio and sqrt(3) - 1, as in Salmon et al. 2011
        k1 += 0xbb67ae85u;
    }
    return (sp_random4){{c0, c1, c2, c3}};
}
