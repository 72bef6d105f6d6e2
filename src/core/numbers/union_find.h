// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_UNION_FIND_H
#define SP_CORE_NUMBERS_UNION_FIND_H

/// Union-find: which of n things belong together, in an array that starts with up[i] = i. The root
/// of a group is its smallest member, whatever the order in which members were united.

#include <stdint.h>

static inline uint32_t sp_root_of(uint32_t *up, uint32_t i)
{
    while (up[i] != i) {
        up[i] = up[up[i]]; // halves the way for the next one
        i = up[i];
    }
    return i;
}

static inline void sp_unite(uint32_t *up, uint32_t a, uint32_t b)
{
    a = sp_root_of(up, a);
    b = sp_root_of(up, b);
    if (a < b) up[b] = a;
    if (b < a) up[a] = b;
}

#endif
